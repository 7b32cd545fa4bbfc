//! Compares every metric with numbers that others have published.
//!
//! `cases/published_3-4.csv`: who wins, and the longest distances to a capture or pawn move, over both
//! sides to move: the statistics published with the Syzygy tables (syzygy1/tb, syzygy-tables.info), which
//! know the rule of fifty moves; no table of so few men has a cursed win. KBBvKN under the rule: from the
//! same. Moves to conversion: the records of three and four men that the literature on endgames agrees
//! on; those of bishop and commoner against a nightrider from H.G. Muller. And everything once more
//! against the naive oracle.

use crate::snapshots::check_snapshot;
use library::SolvedTables;
use proof::{Oracle, VerifyOptions, random_material, random_variant, verify};
use rayon::prelude::*;
use solve::passes;
use stats::Statistics;
use std::sync::OnceLock;
use table::Codes;
use tablesmith_tests::{fide, game, small_chess, statistics_of};
use variant::{Material, Metric, Side};

const CHESS: &str = include_str!("../cases/published_3-4.csv");

/// The chess tables of a metric, solved once.
fn chess(metric: Metric) -> &'static SolvedTables {
    static SOLVED: [OnceLock<SolvedTables>; 5] = [const { OnceLock::new() }; 5];
    SOLVED[metric as usize].get_or_init(|| SolvedTables::of_metric(fide(), metric))
}

/// Returns the plies of the longest win of this side, with either side to move.
fn longest(statistics: &Statistics, winner: Side) -> Option<u16> {
    let win = statistics.side(winner).longest_win.as_ref();
    let loss = statistics.side(!winner).longest_loss.as_ref();
    win.into_iter().chain(loss).map(|longest| longest.ply).max()
}

/// One row: name, three counts for either side to move, two longest mates, the longest distances of White and
/// of Black.
#[track_caller]
fn check_row(metric: Metric, row: &str) {
    let fields: Vec<&str> = row.split(',').collect();
    let number = |i: usize| fields[i].parse::<u64>().unwrap_or_else(|_| panic!("{row}: field {i}"));
    let tables = chess(metric);
    let statistics = statistics_of(tables, fields[0]);
    for (side, first) in [(Side::White, 1), (Side::Black, 4)] {
        let side = statistics.side(side);
        let counts = [side.wins.orbits, side.draws.orbits, side.losses.orbits];
        assert_eq!(counts, [0, 1, 2].map(|i| number(first + i)), "{metric} of {}", fields[0]);
    }
    if matches!(metric, Metric::Dtz | Metric::Dtz50) {
        let found = Side::BOTH.map(|winner| longest(&statistics, winner));
        let expected = [9, 10].map(|i| (fields[i] != "-").then(|| number(i) as u16));
        assert_eq!(found, expected, "{metric} of {}: longest", fields[0]);
    }
}

#[test]
fn every_metric_knows_who_wins_and_dtz_how_long_it_takes() {
    // The other metrics have been compared with these by the oracle.
    for metric in [Metric::Wdl, Metric::Dtz50] {
        CHESS.lines().skip(1).for_each(|row| check_row(metric, row));
    }
}

/// The solver against the naive oracle, value for value.
#[track_caller]
fn check_chess(tables: &SolvedTables, name: &str) {
    let material = Material::parse(tables.variant(), name).unwrap();
    let table = tables.solved(&material).unwrap();
    let mut oracle = Oracle::folded(tables.variant()).counting(tables.metric());
    oracle.solve_with(&material, tables).expect("the tables has what the table leads to");
    let differences = oracle.differences(&table, 5).expect("the oracle has solved it");
    assert!(differences.is_empty(), "{} of {name}: {differences:#?}", tables.metric());
}

#[test]
fn chess_tables_agree_with_the_oracle() {
    for metric in [Metric::Wdl, Metric::Dtc, Metric::Dtz] {
        ["KQvK", "KPvK"].into_iter().for_each(|name| check_chess(chess(metric), name));
    }
}

/// Captures en passant and pawns of both sides that end the count, and losses in an odd number of plies,
/// since Black has to take something: every value follows from its successors.
#[test]
fn distances_to_zeroing_moves_of_four_men_verify() {
    let tables = &SolvedTables::of_metric(small_chess(6, 6), Metric::Dtz);
    for name in ["KPvKP", "KQBvK"] {
        let (table, options) = (tables.named(name).unwrap(), VerifyOptions::new(tables.metric()));
        let report = verify(tables.variant(), &*table, tables, &options).unwrap();
        assert!(report.is_clean() && report.n_positions > 100_000, "{name}: {report:#?}");
    }
}

#[test]
fn chess_tables_agree_with_the_oracle_under_a_short_rule() {
    // Every rook ending of more than eight moves is drawn: short rules cost the oracle less, and more wins
    // are cursed.
    let mut variant = fide();
    variant.rules.n_move_rule = Some(8);
    let tables = SolvedTables::of_metric(variant, Metric::Dtz50);
    ["KQvK", "KRvK", "KPvK"].into_iter().for_each(|name| check_chess(&tables, name));
}

/// One random game with an n-move rule of its own, and one material of it, all the way down to the bare royal
/// men.
#[track_caller]
fn check_random(seed: u64, n_men: usize, metric: Metric) {
    let variant = random_variant(seed);
    let material = random_material(&variant, n_men, seed);
    let tables = SolvedTables::of_metric(variant, metric);
    let table = tables.solved(&material).unwrap();
    let mut oracle = Oracle::new(tables.variant()).counting(metric);
    oracle.solve(&material);
    let differences = oracle.differences(&table, 5).expect("the oracle has solved it");
    let name = material.name(tables.variant());
    assert!(
        differences.is_empty(),
        "seed {seed}, {metric} of {name}: {differences:#?}\n{:#?}",
        tables.variant()
    );
    // Without its distances any table is the one of who wins.
    let outcomes = SolvedTables::of_metric(tables.variant().clone(), Metric::Wdl);
    let expected = outcomes.solved(&material).unwrap();
    for stm in table.sides() {
        assert_eq!(table.to_wdl().codes(stm), expected.codes(stm), "seed {seed}, {metric} of {name}");
    }
}

#[test]
fn random_games_agree_with_the_oracle() {
    let seeds: Vec<u64> = (200_000..200_100).collect();
    seeds.into_par_iter().for_each(|seed| {
        let counted = [Metric::Dtc, Metric::Dtz, Metric::Dtz50, Metric::Dtz50, Metric::Wdl];
        check_random(seed, 3, counted[seed as usize % counted.len()]);
    });
}

#[test]
fn random_games_of_four_men_agree_with_the_oracle() {
    let small = (300_000u64..).filter(|&seed| random_variant(seed).board.n_squares() <= 20);
    let seeds: Vec<u64> = small.take(10).collect();
    seeds.into_par_iter().for_each(|seed| {
        let counted = [Metric::Dtc, Metric::Dtz, Metric::Dtz50];
        check_random(seed, 4, counted[seed as usize % counted.len()]);
    });
}

#[test]
fn the_longest_ways_to_a_conversion() {
    // Plies from the moves published: the winner is to move, and his last move is the capture, the promotion
    // or mate.
    for (name, moves) in [("KQvK", 10), ("KRvKN", 27), ("KQvKR", 31)] {
        let tables = chess(Metric::Dtc);
        let statistics = statistics_of(tables, name);
        let longest = statistics.side(Side::White).longest_win.as_ref().map(|longest| longest.ply);
        assert_eq!(longest, Some(2 * moves - 1), "{name}");
    }
}

#[test]
fn two_bishops_against_a_knight_under_the_rule_of_fifty_moves() {
    let tables = SolvedTables::of_metric(fide(), Metric::Dtz50);
    let table = tables.named("KBBvKN").unwrap();
    let one_byte = |side| table.codes(side).is_some_and(Codes::is_split);
    assert!(
        Side::BOTH.into_iter().all(one_byte),
        "one byte holds longer wins on one side than the rule allows"
    );
    let statistics = Statistics::collect(tables.variant(), tables.metric(), &table);
    let white = statistics.side(Side::White);
    let beyond = |side: Side| statistics.side(side).beyond_rule.as_ref().expect("there is a rule");
    let counts = [white.wins, beyond(Side::White).cursed_wins, white.draws, white.losses];
    assert_eq!(counts.map(|count| count.orbits), [29_293_840, 7_750_066, 39_758_818, 88]);
    assert_eq!(longest(&statistics, Side::White), Some(100));
    let cursed = [&beyond(Side::White).longest_cursed_win, &beyond(Side::Black).longest_blessed_loss];
    assert_eq!(cursed.into_iter().flatten().map(|longest| longest.ply).max(), Some(132));
}

/// Bishop and commoner against a nightrider, of which few bytes hold the distances.
#[test]
fn the_longest_way_to_a_conversion_that_is_known_of_five_men() {
    let tables = SolvedTables::of_metric(game("nightrider"), Metric::Dtc);
    let table = tables.named("KBMvKH").unwrap();
    assert!(table.codes(Side::White).is_some_and(Codes::is_wide), "two bytes");
    let statistics = Statistics::collect(tables.variant(), tables.metric(), &table);
    assert_eq!(longest(&statistics, Side::White), Some(614));
    // H.G. Muller has 308 moves, the mate or capture itself being the first, and a mean of 265.5 over the
    // wins with Black to move that are not trivial. Ours is 529.67 plies, which are 265.84 of his moves: a
    // thousandth more, by whatever he takes for trivial. Over all wins it would be 248.17.
    let [all, slow] = [statistics.black_to_move.mean_loss(), statistics.black_to_move.mean_slow_loss()];
    let hundredths = [all, slow].map(|mean| mean.expect("Black loses").hundredths());
    assert_eq!(hundredths, [49_433, 52_967]);
    let his_moves = hundredths[1] as f64 / 200.0 + 1.0;
    assert!((his_moves - 265.5).abs() < 265.5 * 0.0015, "{his_moves}");
    check_snapshot(tables.variant(), "KBMvKH", Metric::Dtc, &statistics);
}

#[test]
fn one_pass_serves_who_wins_and_a_distance() {
    use Metric::{Dtc, Dtm, Dtz50, Wdl};
    assert_eq!(passes(&[Dtz50, Wdl]), [vec![Dtz50, Wdl]]);
    assert_eq!(passes(&[Wdl]), [vec![Wdl]]);
    assert_eq!(passes(&[Dtm, Dtc, Wdl, Dtc]), [vec![Dtc, Wdl], vec![Dtm]]);
    assert!(passes(&[]).is_empty());
}
