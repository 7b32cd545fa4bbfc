//! Solves a few random games as structures; `cargo xtask lab fuzz-rules` goes on for as long as one likes.

use lab::fuzz_rules::{StructureCase, Verdict};
use proof::{Rule, random_plain_variant, random_ruled_variant, random_variant};
use rayon::prelude::*;
use variant::Metric;

/// The number of random games that are solved as structures.
const N_RANDOM: u64 = 18;

/// Random games with several pawns: every value of a structure is the oracle's, and bounds lie on the right
/// side of it.
#[test]
fn structures_of_random_games_are_as_the_oracle_has_them() {
    let n_values = (0..N_RANDOM).into_par_iter().map(|seed| {
        let game = match seed % 3 {
            0 => random_plain_variant(seed),
            1 => random_variant(seed),
            _ => random_ruled_variant(seed, &Rule::ALL),
        };
        let metric = Metric::OF_CONTEST[(seed / 3) as usize % Metric::OF_CONTEST.len()];
        let Some(case) = StructureCase::random(seed, game, metric, 8_000) else { return 0 };
        match case.check() {
            Verdict::Equal(n) => n,
            Verdict::Different(wrong) => panic!("{wrong}\n{}", case.text()),
        }
    });
    let n_values: usize = n_values.sum();
    assert!(n_values > 20_000, "{n_values}");
}
