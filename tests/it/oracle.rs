//! Compares the solver with the naive oracle: every value of every placement.

use geometry::Board;
use library::SolvedTables;
use proof::{Oracle, random_material, random_variant, random_variant_on};
use rayon::prelude::*;
use table::Scale;
use tablesmith_tests::{chess, fide, small_chess};
use variant::{Material, Metric, Variant};
use xtask::oracle::differences;

#[track_caller]
fn check_chess(tables: &SolvedTables, name: &str) {
    let differences = differences(tables, name).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(differences, [], "{name} {}", tables.metric());
}

/// One game and one material of it under a metric, all the way down to the bare royal men; how many values
/// are beyond the n-move rule.
pub(crate) fn check_game(variant: &Variant, material: &Material, metric: Metric) -> usize {
    let tables = SolvedTables::of_metric(variant.clone(), metric);
    let table = tables.solved(material).unwrap();
    let mut oracle = Oracle::new(variant).counting(metric);
    oracle.solve(material);
    let differences = oracle.differences(&table, 5).expect("the oracle has solved it");
    let name = material.name(variant);
    assert!(differences.is_empty(), "{metric} of {name}: {differences:#?}\n{variant:#?}");
    // Every position has a place in the table, whichever of its like stands for it there.
    let differences = oracle.differences_anywhere(&table, 5).expect("the oracle has solved it");
    assert!(differences.is_empty(), "{metric} of {name}: {differences:#?}\n{variant:#?}");
    let scale = Scale::new(metric, &variant.rules);
    let values = |stm| (0..table.layout().len()).map(move |i| (stm, i));
    table.sides().flat_map(values).filter(|&(stm, i)| scale.is_cursed(table.value(stm, i))).count()
}

/// One random game and one material of it.
fn check_random(seed: u64, n_men: usize, metric: Metric) -> usize {
    let variant = random_variant(seed);
    check_game(&variant, &random_material(&variant, n_men, seed), metric)
}

/// `cargo xtask oracle` compares those of four men; tests verify some of them, which proves as much.
#[test]
fn all_chess_tables_of_three_men_agree() {
    for name in ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"] {
        check_chess(chess(), name);
    }
}

#[test]
fn random_games_of_two_and_three_men_agree() {
    // The oracle's work grows with the cube of the squares, so of the larger boards one in four is taken.
    let fits = |seed: &u64| seed.is_multiple_of(4) || random_variant(*seed).board.n_squares() <= 18;
    let seeds: Vec<u64> = (0..).filter(fits).take(300).collect();
    seeds.into_par_iter().for_each(|seed| {
        check_random(seed, 2 + usize::from(seed % 8 != 0), Metric::Dtm);
    });
}

#[test]
fn random_games_on_boards_of_more_than_64_squares_agree() {
    // Long and narrow, so that few of the placements are far from everything.
    let boards =
        [(5, 13), (13, 5), (11, 6)].map(|(files, ranks)| Board::new(files, ranks).expect("at most 128"));
    let cases: Vec<(Board, u64)> = boards.into_iter().zip(600_000..).collect();
    cases.into_par_iter().for_each(|(board, seed)| {
        let variant = random_variant_on(board, seed);
        check_game(&variant, &random_material(&variant, 3, seed), Metric::Dtm);
    });
}

#[test]
fn random_games_of_four_men_agree() {
    // Boards of at most 20 squares: the oracle looks at every placement of four men on them.
    let small = (100_000u64..).filter(|&seed| random_variant(seed).board.n_squares() <= 20);
    let seeds: Vec<u64> = small.take(30).collect();
    seeds.into_par_iter().for_each(|seed| {
        check_random(seed, 4, Metric::Dtm);
    });
}

/// The metrics that do not count to mate.
const OTHERS: [Metric; 5] = [Metric::Wdl, Metric::Dtc, Metric::Dtz, Metric::Dtz50, Metric::Help];

#[test]
fn random_games_of_three_men_agree_under_every_metric() {
    let cases = (400_000..400_048u64).flat_map(|seed| OTHERS.map(|metric| (seed, metric)));
    let cases: Vec<(u64, Metric)> = cases.collect();
    let n_cursed: usize = cases.into_par_iter().map(|(seed, metric)| check_random(seed, 3, metric)).sum();
    assert!(n_cursed > 2_500, "{n_cursed} values beyond the n-move rule");
}

#[test]
fn random_games_of_four_men_agree_under_every_metric() {
    let small = (500_000u64..).filter(|&seed| random_variant(seed).board.n_squares() <= 16);
    let cases = small.take(8).flat_map(|seed| OTHERS.map(|metric| (seed, metric)));
    let cases: Vec<(u64, Metric)> = cases.collect();
    let n_cursed: usize = cases.into_par_iter().map(|(seed, metric)| check_random(seed, 4, metric)).sum();
    // Games of many kinds on few squares: most of their wins are short.
    assert!(n_cursed > 1_500, "{n_cursed} values beyond the n-move rule");
}

/// Pawns on both sides, captures en passant, promotions, and a rule that is felt.
#[test]
fn chess_on_small_boards_agrees_under_every_metric() {
    let cases = [(3, 6, "KPvKP", 2), (3, 6, "KRvKN", 4), (4, 5, "KPPvK", 2), (5, 6, "KRvK", 3)];
    for (files, ranks, name, n_move_rule) in cases {
        let mut variant = small_chess(files, ranks);
        variant.rules.n_move_rule = Some(n_move_rule);
        // Other tests have pawns that become any of four men, each pair of which costs the oracle a material.
        let pawns = variant.pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
        pawns.for_each(|pawn| pawn.promotes_to.truncate(2));
        let material = Material::parse(&variant, name).unwrap();
        OTHERS.into_par_iter().for_each(|metric| {
            let n_cursed = check_game(&variant, &material, metric);
            assert_eq!(n_cursed > 0, metric == Metric::Dtz50, "{name} {metric}: {n_cursed}");
        });
    }
}

/// `cargo xtask oracle` compares the rule of fifty moves itself with pawns, by every state of the clock.
#[test]
fn chess_tables_of_three_men_agree_under_other_metrics() {
    for metric in [Metric::Wdl, Metric::Dtc, Metric::Dtz] {
        check_chess(&SolvedTables::of_metric(fide(), metric), "KRvK");
    }
}
