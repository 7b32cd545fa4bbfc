//! The solver against the naive oracle: every value of every placement.

use proof::{Oracle, random_material, random_variant};
use rayon::prelude::*;
use tablesmith_tests::{Shelf, chess};
use variant::Material;

#[track_caller]
fn check_chess(name: &str) {
    let (shelf, material) = (chess(), Material::parse(chess().variant(), name).unwrap());
    let table = shelf.solved(&material);
    let mut oracle = Oracle::folded(shelf.variant());
    oracle.solve_with(&material, shelf).expect("the shelf has what the table leads to");
    let differences = oracle.differences(&table, 5).expect("the oracle has solved it");
    assert!(differences.is_empty(), "{name}: {differences:#?}");
}

/// One random game and one material of it, all the way down to the bare royal men.
fn check_random(seed: u64, n_men: usize) {
    let variant = random_variant(seed);
    let material = random_material(&variant, n_men, seed);
    let shelf = Shelf::new(variant);
    let table = shelf.solved(&material);
    let mut oracle = Oracle::new(shelf.variant());
    oracle.solve(&material);
    let differences = oracle.differences(&table, 5).expect("the oracle has solved it");
    let name = material.name(shelf.variant());
    assert!(differences.is_empty(), "seed {seed}, {name}: {differences:#?}\n{:#?}", shelf.variant());
}

#[test]
fn all_chess_tables_of_three_men_agree() {
    ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"].into_iter().for_each(check_chess);
}

#[test]
fn chess_tables_of_four_men_agree_with_pawns() {
    ["KPvKP", "KPPvK", "KNvKP"].into_iter().for_each(check_chess);
}

#[test]
fn chess_tables_of_four_men_agree_without_pawns() {
    ["KBNvK", "KBBvK", "KQvKR", "KRvKN"].into_iter().for_each(check_chess);
}

#[test]
fn random_games_of_two_and_three_men_agree() {
    (0..2400u64).into_par_iter().for_each(|seed| check_random(seed, 2 + usize::from(seed % 8 != 0)));
}

#[test]
fn random_games_of_four_men_agree() {
    // Boards of at most 20 squares: the oracle looks at every placement of four men on them.
    let small = (100_000u64..).filter(|&seed| random_variant(seed).board.n_squares() <= 20);
    let seeds: Vec<u64> = small.take(100).collect();
    seeds.into_par_iter().for_each(|seed| check_random(seed, 4));
}
