//! Checks that codes of like men are copied to every order, and that nothing else moves.

use super::image::LikeMen;
use index::Layout;
use variant::{Material, Variant};

/// Restores one block of a material of chess whose codes are 1 where no two like men stand the wrong way
/// round, counted from there, and compares each code with that of the sorted squares.
#[track_caller]
fn check_like(name: &str) {
    let variant = Variant::chess();
    let material = Material::parse(&variant, name).expect("a material of chess");
    let layout = Layout::new(&variant, &material);
    let (n, n_free) = (layout.n_squares(), layout.free().len());
    let runs = layout.like_free();
    assert!(!runs.is_empty(), "{name} has no like men");
    let number = |squares: &[usize]| squares.iter().fold(0, |number, square| number * n + square);
    let squares = |mut number: usize| -> Vec<usize> {
        let mut squares = vec![0; n_free];
        for square in squares.iter_mut().rev() {
            *square = number % n;
            number /= n;
        }
        squares
    };
    let sorted = |at: usize| {
        let mut squares = squares(at);
        runs.iter().for_each(|run| squares[run.clone()].sort_unstable());
        number(&squares)
    };
    let code = |at: usize| (at % 251) as u8;
    let mut codes: Vec<u8> =
        (0..layout.block_len()).map(|at| if sorted(at) == at { code(at) } else { 255 }).collect();
    runs.iter().for_each(|run| LikeMen::new(&layout, run).restore(&mut codes));
    for (at, &got) in codes.iter().enumerate() {
        assert_eq!(got, code(sorted(at)), "{name}: {:?}", squares(at));
    }
}

#[test]
fn like_men_have_the_codes_of_their_ascending_order() {
    // Row man and lane man; two outer men; row man and outer man; three of a kind.
    ["KNNvK", "KQQvKR", "KNNvKR", "KNNNvK"].into_iter().for_each(check_like);
}
