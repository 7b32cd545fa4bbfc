//! Compares the solver with the naive oracle under other rules than those of chess: every value of every
//! placement of random games on small boards, with one rule more and with many.

use crate::oracle::check_game;
use proof::{Rule, random_material, random_ruled_variant};
use rayon::prelude::*;
use variant::{Material, Metric, Variant};

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

/// A game of these rules, pieces and men, on a board of more than 64 squares.
#[track_caller]
fn check_large(rules: &str, pieces: &str, name: &str) {
    let text = format!("name = \"large\"\n{rules}\n{pieces}");
    let variant = Variant::parse(&text, "large.toml").unwrap_or_else(|report| panic!("{report}"));
    let material = Material::parse(&variant, name).unwrap().canonical(&variant);
    check_game(&variant, &material, Metric::Dtm);
}

#[test]
fn games_on_boards_of_more_than_64_squares_agree() {
    let giveaway = "must-capture = true\nstalemate-value = \"win\"\nextinction-value = \"win\"\n\
                    extinction-piece-types = \"*\"";
    let men = "[[piece]]\nletter = \"R\"\nbetza = \"R\"\n[[piece]]\nletter = \"P\"\nbetza = \"fmWfcF\"\n\
               pawn = { promotes-to = [\"R\"] }";
    let board = |more: &str| format!("board = {{ {more} }}\n[rules]");
    check_large(&format!("{}\n{giveaway}", board("files = 10, ranks = 10")), men, "RvP");
    check_large(&format!("{}\n{giveaway}", board("files = 5, ranks = 13")), men, "PvP");
    let atomic = format!("{}\nblast-on-capture = true", board("files = 5, ranks = 13, cylinder = true"));
    let king = "[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true";
    check_large(&atomic, &format!("{king}\n{men}"), "KRvK");
    check_large(&atomic, &format!("{king}\n{men}"), "KPvK");
}
