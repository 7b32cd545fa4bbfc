//! The solver against the naive oracle where games have other rules than chess: every value of every placement of
//! random games on small boards, with one rule more and with many.

use crate::oracle::check_game;
use proof::{Rule, random_material, random_ruled_variant};
use rayon::prelude::*;
use variant::Metric;

/// A random game of these seeds with rules of these kinds, and so many men; two metrics in turn.
#[track_caller]
fn check_rules(kinds: &[Rule], seeds: std::ops::Range<u64>, n_men: usize, most_squares: usize) {
    let fits = |seed: &u64| random_ruled_variant(*seed, kinds).board.n_squares() <= most_squares;
    let seeds: Vec<u64> = seeds.filter(fits).collect();
    assert!(!seeds.is_empty(), "no game of {kinds:?} is small enough");
    seeds.into_par_iter().for_each(|seed| {
        let variant = random_ruled_variant(seed, kinds);
        let others = [Metric::Wdl, Metric::Dtc, Metric::Dtz, Metric::Dtz50];
        let metric = if seed % 3 == 0 { others[(seed / 3 % 4) as usize] } else { Metric::Dtm };
        check_game(&variant, &random_material(&variant, n_men, seed), metric);
    });
}

#[test]
fn games_with_one_rule_more_agree() {
    for (i, rule) in Rule::ALL.into_iter().enumerate() {
        let first = 1_000_000 * (i as u64 + 1);
        check_rules(&[rule], first..first + 100, 3, 20);
    }
}

#[test]
fn games_with_many_rules_agree() {
    check_rules(&Rule::ALL, 20_000_000..20_000_600, 3, 20);
}

#[test]
fn games_with_many_rules_agree_with_two_men() {
    check_rules(&Rule::ALL, 30_000_000..30_000_100, 2, 30);
}

#[test]
fn games_with_many_rules_agree_with_four_men() {
    check_rules(&Rule::ALL, 40_000_000..40_000_150, 4, 15);
}
