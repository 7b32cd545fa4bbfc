//! Compares the hashes of all values with snapshots: every table of chess up to four men under every metric,
//! and tables of every other game.
//!
//! A changed hash is a changed value. Numbers and codes may change, and no hash with them.

use library::SolvedTables;
use rayon::prelude::*;
use stats::ValueHash;
use std::fs;
use tablesmith_tests::{fide, game, root};
use variant::{Material, Metric, Variant};

/// Tables of four men of other games.
const FOUR_MEN: &[(&str, &[&str])] = &[
    ("commoner", &["KMvKM"]),
    ("knightmate", &["NQvNR"]),
    ("amazon-empress-princess", &["KCvKA"]),
    ("grasshopper", &["KQvKG"]),
    ("berolina", &["KRvKP"]),
    ("los-alamos", &["KPvKP", "KQvKR"]),
    ("gardner", &["KQvKR", "KPvKP"]),
    ("capablanca", &["KAvKN"]),
    ("cylinder", &["KRvKP"]),
    ("cannon", &["KCvKH"]),
    ("shatranj", &["KRvKN"]),
    ("makruk", &["KSvKM"]),
    ("antichess", &["NPvN"]),
    ("suicide", &["NPvN"]),
    ("atomic", &["KQvKR", "KPvKP"]),
    ("king-of-the-hill", &["KNvKB"]),
    ("racing-kings", &["KQvKR"]),
    ("kinglet", &["KPvP"]),
    ("losers", &["KPvKP"]),
    ("stalemate-loses", &["KBvKN"]),
];

/// The hashes of some tables of a game under every metric, a line each.
fn hashes(variant: &Variant, materials: &[Material]) -> String {
    let of_metric = |metric: &Metric| {
        let tables = SolvedTables::of_metric(variant.clone(), *metric);
        let line = |material: &Material| {
            let table = tables.solved(material).unwrap_or_else(|error| panic!("{error}"));
            let name = material.name(variant);
            format!("{name} {metric} {}\n", ValueHash::of_table(&table, *metric).finish())
        };
        materials.iter().map(line).collect::<String>()
    };
    Metric::ALL.par_iter().map(of_metric).collect()
}

#[track_caller]
fn check_hashes(variant: &Variant, materials: &[Material]) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots/values"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let hashes = hashes(variant, materials);
    settings.bind(|| insta::assert_snapshot!(variant.name.clone(), hashes));
}

#[test]
fn values_of_chess() {
    let variant = fide();
    let materials = [Material::all(&variant, 3), Material::all(&variant, 4)].concat();
    assert_eq!(materials.len(), 35);
    check_hashes(&variant, &materials);
}

#[test]
fn values_of_other_games() {
    let mut n_games = 0;
    for entry in fs::read_dir(root().join("variants")).expect("the games") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        if name == "fide" {
            continue;
        }
        let variant = game(&name);
        let mut materials = Material::all(&variant, 3);
        let of_four = FOUR_MEN.iter().filter(|(game, _)| *game == name).flat_map(|(_, names)| *names);
        materials.extend(of_four.map(|name| Material::parse(&variant, name).expect("a material")));
        check_hashes(&variant, &materials);
        n_games += 1;
    }
    assert_eq!(n_games, 26);
}
