//! Compares the sizes of chess tables with published ones.

use super::game::{game, material};
use crate::{Layout, Size};

const FIDE: &str = variant::game::CHESS;

/// Slices, levels, blocks, placements of a block.
#[track_caller]
fn check_size(name: &str, expected: [usize; 4]) {
    let variant = game(FIDE);
    let layout = Layout::new(&variant, &material(&variant, name));
    let found = [layout.n_slices(), layout.levels().len(), layout.n_blocks(), layout.block_len()];
    assert_eq!(found, expected, "{name}");
    assert_eq!(layout.len(), expected[0] * expected[2] * expected[3], "{name}");
    assert_eq!(layout.words_per_block() * 64, layout.block_len(), "{name}");
}

/// Canonical placements; the placements that they stand for; the same modulo the symmetries of the board.
#[track_caller]
fn check_counts(name: &str, expected: [u64; 3]) {
    let variant = game(FIDE);
    let layout = Layout::new(&variant, &material(&variant, name));
    let mut found = [0; 3];
    for number in 0..layout.len() {
        let squares = layout.decode(number);
        if layout.is_canonical(number, &squares) {
            let weights = layout.weights(&squares);
            let each = [1, u64::from(weights.unreduced), u64::from(weights.orbits)];
            found.iter_mut().zip(each).for_each(|(sum, n)| *sum += n);
        }
    }
    assert_eq!(found, expected, "{name}");
}

#[test]
fn sizes() {
    // The kings modulo the eight symmetries, not next to each other: 462. One king alone: the triangle
    // a1-d1-d4.
    check_size("KvK", [1, 1, 10, 64]);
    check_size("KQvK", [1, 1, 462, 64]);
    check_size("KQvKR", [1, 1, 462, 64 * 64]);
    check_size("KRRvK", [1, 1, 462, 64 * 64]);
    check_size("KQRvKR", [1, 1, 462, 64 * 64 * 64]);
    // A pawn on the left half of six ranks: 24. With two mobile men only one is in the frame; with three, the
    // 64 × 63 placements of the kings but the 420 next to each other are.
    check_size("KPvK", [24, 6, 64, 64]);
    check_size("KRPvK", [24, 6, 64 * 63 - 420, 64]);
    check_size("KPvKR", [24, 6, 64 * 63 - 420, 64]);
    // 48 × 47 pairs of pawns of different colours, mirrored; like pawns exchanged, of which 24 pairs are
    // their own mirror image.
    check_size("KPvKP", [48 * 47 / 2, 11, 64, 64]);
    check_size("KPPvK", [(48 * 47 / 2 + 24) / 2, 11, 64, 64]);
}

#[test]
fn counts() {
    // By Burnside's lemma: of 64 × 63 placements a diagonal mirror leaves 8 × 7 in place, the other
    // symmetries none.
    check_counts("KvK", [518, 64 * 63, 518]);
    // 3612 placements of the kings times 62; a diagonal mirror leaves 8 × 7 − 14 placements of the kings in
    // place.
    check_counts("KQvK", [(3612 * 62 + 2 * 42 * 6) / 8, 3612 * 62, (3612 * 62 + 2 * 42 * 6) / 8]);
    check_counts("KPvK", [24 * 63 * 62, 48 * 63 * 62, 24 * 63 * 62]);
    // Like men: the identity and the two diagonal mirrors, each with the men exchanged or not.
    let (all, on_diagonal, mirrored) = (3612 * 62 * 61, 42 * 6 * 5, 42 * 56);
    let canonical = (all + 2 * (on_diagonal + mirrored)) / 16;
    check_counts("KRRvK", [canonical, all, (all + 2 * on_diagonal) / 8]);
}

#[track_caller]
fn check_counted_size(name: &str) {
    let variant = game(FIDE);
    let material = material(&variant, name);
    let (layout, size) = (Layout::new(&variant, &material), Size::new(&variant, &material));
    assert_eq!(size.n_slices, layout.n_slices() as u64, "slices of {name}");
    assert_eq!(size.n_blocks(), layout.n_blocks() as u64, "blocks of {name}");
    assert_eq!(size.words_per_block(), layout.words_per_block() as u64, "words of {name}");
    assert_eq!(size.n_placements(), layout.len() as u64, "placements of {name}");
}

#[test]
fn counted_sizes_are_those_of_the_layout() {
    ["KvK", "KQvK", "KPvK", "KQvKR", "KPvKN", "KPvKP", "KPPvK", "KQRvKB", "KPPvKP", "KPPPvK", "KRPvKP"]
        .into_iter()
        .for_each(check_counted_size);
}
