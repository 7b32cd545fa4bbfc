//! Verifies right tables, and tables with a wrong value.

use library::SolvedTables;
use proof::{Report, Sample, VerifyOptions, random_material, random_variant, verify, verify_wdl};
use rayon::prelude::*;
use table::{Code, Codes, Ply, Table, Value};
use tablesmith_tests::{chess, fide, small_chess};
use variant::{Metric, Side, Variant};

/// Verifies every value of a table from the tables that it leads to.
fn every_value(tables: &SolvedTables, table: &Table) -> Report {
    verify(tables.variant(), table, tables, &VerifyOptions::new(tables.metric())).unwrap()
}

#[track_caller]
fn check_clean(name: &str) {
    let solved_tables = chess();
    let table = solved_tables.named(name).unwrap();
    let report = every_value(solved_tables, &table);
    assert!(report.is_clean(), "{name}: {report:#?}");
    assert!(report.n_positions > 40_000, "{name}: {} positions looked at", report.n_positions);
}

#[test]
fn solved_tables_are_clean() {
    ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"].into_iter().for_each(check_clean);
}

/// A table of every metric, from its successors; outcomes also from a table that counts.
#[track_caller]
fn check_metrics(variant: &Variant, name: &str) {
    let by_metric = Metric::OF_CONTEST.map(|metric| SolvedTables::of_metric(variant.clone(), metric));
    let tables = by_metric.each_ref().map(|solved_tables| solved_tables.named(name).unwrap());
    for (solved_tables, table) in by_metric.iter().zip(&tables) {
        let report = every_value(solved_tables, table);
        assert!(report.is_clean(), "{} of {name}: {report:#?}", solved_tables.metric());
        assert!(report.n_positions > 0, "{name}");
        let report = verify_wdl(variant, &*tables[0], &**table, Sample::All, &|_, _| {}).unwrap();
        assert!(report.is_clean(), "wdl and {} of {name}: {report:#?}", solved_tables.metric());
    }
}

#[test]
fn tables_of_every_metric_are_clean() {
    check_metrics(&fide(), "KPvK");
    let mut small = small_chess(4, 6);
    small.rules.n_move_rule = Some(2);
    check_metrics(&small, "KPvKP");
    check_metrics(&small, "KQvKR");
}

#[test]
fn one_wrong_value_is_found() {
    let solved_tables = chess();
    let mut table = Table::clone(&solved_tables.named("KRvK").unwrap());
    let index = (0..table.layout().len())
        .find(|&i| table.value(Side::White, i) == Value::Win(Ply(9)))
        .expect("some position wins in nine plies");
    match table.codes_mut(Side::White) {
        Some(Codes::OneByte(codes, _)) => codes[index] = u8::from_value(Value::Win(Ply(11))).unwrap(),
        _ => unreachable!("a rook mates in less than 253 plies"),
    }
    let report = every_value(solved_tables, &table);
    assert!(report.n_differences > 0);
    assert!(report.differences.iter().any(|d| d.stored == Value::Win(Ply(11))), "{report:#?}");
}

/// One random game and one material of it, so large that men stand on axes outside of rows.
fn check_random(seed: u64, n_men: usize) {
    let variant = random_variant(seed);
    let material = random_material(&variant, n_men, seed);
    let solved_tables = SolvedTables::new(variant);
    let table = solved_tables.solved(&material).unwrap();
    let report = every_value(&solved_tables, &table);
    let name = material.name(solved_tables.variant());
    assert!(report.is_clean(), "seed {seed}, {name}: {report:#?}");
    assert!(report.n_values > 0, "seed {seed}, {name}");
}

#[test]
fn random_games_of_five_men_are_clean() {
    // Boards of at most 16 squares: three men and more outside of the frame are thousands of placements a
    // block.
    let small = (200_000u64..).filter(|&seed| random_variant(seed).board.n_squares() <= 16);
    let seeds: Vec<u64> = small.take(20).collect();
    seeds.into_par_iter().for_each(|seed| check_random(seed, 5));
}

#[test]
fn random_games_of_six_men_are_clean() {
    let small = (300_000u64..).filter(|&seed| random_variant(seed).board.n_squares() <= 15);
    let seeds: Vec<u64> = small.take(2).collect();
    seeds.into_par_iter().for_each(|seed| check_random(seed, 6));
}
