//! Compares the statistics of tables, as the terminal shows them, with snapshots: every chess table of three
//! and four men, and well-known tables of other games.

use library::SolvedTables;
use stats::Statistics;
use tablesmith_tests::{chess, game, statistics_of};
use variant::{Material, Metric, Variant};

/// Compares statistics with the snapshot of their game, material and metric.
#[track_caller]
pub(crate) fn check_snapshot(variant: &Variant, material: &str, metric: Metric, statistics: &Statistics) {
    let text = statistics.render();
    assert!(text.lines().count() <= 60, "{text}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots/stats"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let name = format!("{}__{material}__{metric}", variant.name);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn statistics_of_all_tables_of_three_and_four_men() {
    let tables = chess();
    let materials = [Material::all(tables.variant(), 3), Material::all(tables.variant(), 4)].concat();
    assert_eq!(materials.len(), 35);
    for material in materials {
        let statistics =
            Statistics::collect(tables.variant(), tables.metric(), &tables.solved(&material).unwrap());
        check_snapshot(tables.variant(), &material.name(tables.variant()), Metric::Dtm, &statistics);
    }
}

#[test]
fn statistics_of_other_games() {
    for (name, material) in [
        ("commoner", "KMvKM"),
        ("knightmate", "NQvNR"),
        ("amazon-empress-princess", "KCvKA"),
        ("grasshopper", "KQvKG"),
        ("berolina", "KRvKP"),
        ("los-alamos", "KPvKP"),
        ("gardner", "KQvKR"),
        ("capablanca", "KAvKN"),
        ("coregal", "KQvKR"),
        ("horde", "PPvKP"),
        ("chigorin", "KCvKQ"),
        ("three-check", "KQvKR"),
        ("cylinder", "KRvKP"),
        ("cannon", "KCvKH"),
        ("shatranj", "KRvKN"),
        ("makruk", "KSvKM"),
        ("ai-wok", "KAvKS"),
        ("orda", "KHvKL"),
        ("antichess", "NPvN"),
        ("suicide", "NPvN"),
        ("atomic", "KQvKR"),
        ("king-of-the-hill", "KNvKB"),
        ("racing-kings", "KQvKR"),
        ("kinglet", "KPvP"),
        ("losers", "KPvKP"),
        ("stalemate-loses", "KBvKN"),
    ] {
        let tables = SolvedTables::new(game(name));
        let statistics = statistics_of(&tables, material);
        check_snapshot(tables.variant(), material, Metric::Dtm, &statistics);
    }
}
