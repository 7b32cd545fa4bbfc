//! Measures the loops that solving spends its time in, in words a second.
//!
//! A block is one row of 64 words, as those of four men are, or 64 rows, as those of five.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use geometry::{Board, Step};
use kernel::{
    Hurdle, Image, LanePermutation, Neighbour, OuterRows, Plane, Walk, frame_moves, lane_moves, lane_word,
    outer_moves, row_moves,
};

/// Rows of a block.
const ROWS: [usize; 2] = [1, 64];
const ROW_LEN: usize = 64;
/// How often a block is gone through in one call, so that a call is long enough to be timed.
const N_ROUNDS: usize = 64;
/// A man that stands in the way in every row.
const TAKEN: u64 = 1 << 27;

fn main() {
    divan::main();
}

/// Words without a pattern, about a quarter of their bits set.
fn scattered(n_words: usize, seed: u64) -> Vec<u64> {
    let mix = |i: u64| (i ^ seed << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let word = |i: u64| mix(mix(i)) & mix(mix(i) ^ 1);
    (0..n_words as u64).map(|i| word(i).wrapping_mul(0xD129_0D3A_54B5_3C4B)).collect()
}

/// The rides of a bishop.
fn walks() -> Vec<Walk<u64>> {
    let board = Board::new(8, 8).expect("8 × 8");
    let ride = |(files, ranks)| Walk::new(&board, [(Step::new(files, ranks), true); 8], Hurdle::None);
    [(1, 1), (1, -1), (-1, 1), (-1, -1)].map(ride).to_vec()
}

#[divan::bench(args = ROWS)]
fn ride_of_lane_man(bencher: Bencher<'_, '_>, n_rows: usize) {
    let (src, walks) = (scattered(n_rows * ROW_LEN, 1), walks());
    let (wanted, taken) = (vec![true; n_rows], vec![TAKEN; n_rows]);
    let mut dst = vec![0; src.len()];
    lane_moves(&mut dst, &src, &wanted, &taken, ROW_LEN, &walks);
    let specified = |word: usize| lane_word(src[word], !(TAKEN | 1 << (word % ROW_LEN)), &walks);
    assert!(dst.iter().enumerate().all(|(word, &d)| d == specified(word)), "a ride of the lane man");
    bencher.counter(ItemsCount::new(src.len() * N_ROUNDS)).bench_local(|| {
        for _ in 0..N_ROUNDS {
            lane_moves(black_box(&mut dst), black_box(&src), &wanted, &taken, ROW_LEN, &walks);
        }
    });
}

/// These men, the lane man and the row man, with their places exchanged.
#[divan::bench(args = ROWS)]
fn ride_of_row_man(bencher: Bencher<'_, '_>, n_rows: usize) {
    let (src, walks) = (scattered(n_rows * ROW_LEN, 1), walks());
    let (wanted, taken) = (vec![true; n_rows], vec![TAKEN; n_rows]);
    let mut dst = vec![0; src.len()];
    row_moves(&mut dst, &src, &wanted, &taken, ROW_LEN, 8, &walks);
    let exchanged = |words: &[u64], row: usize| -> Vec<u64> {
        let word = |x: usize| (0..64).fold(0, |word, y| word | (words[row * ROW_LEN + y] >> x & 1) << y);
        (0..64).map(word).collect()
    };
    for row in 0..n_rows {
        let (src, dst) = (exchanged(&src, row), exchanged(&dst, row));
        let mut specified = vec![0; ROW_LEN];
        lane_moves(&mut specified, &src, &[true], &[TAKEN], ROW_LEN, &walks);
        assert_eq!(dst, specified, "a ride of the row man");
    }
    bencher.counter(ItemsCount::new(src.len() * N_ROUNDS)).bench_local(|| {
        for _ in 0..N_ROUNDS {
            row_moves(black_box(&mut dst), black_box(&src), &wanted, &taken, ROW_LEN, 8, &walks);
        }
    });
}

#[divan::bench]
fn ride_of_outer_man(bencher: Bencher<'_, '_>) {
    let (src, walks) = (scattered(64 * ROW_LEN, 1), walks());
    let (live, passable) = ([true; 64], [true; 64]);
    let rows = OuterRows { first: 0, stride: 1, passable: &passable, row_len: ROW_LEN };
    let (mut dst, mut touched) = (vec![0; src.len()], [false; 64]);
    outer_moves(&mut dst, &mut touched, &src, &live, rows, &walks);
    // The first square is reached along one line only.
    let mut arrived = [0; ROW_LEN];
    for square in [63, 54, 45, 36, 27, 18, 9] {
        for (word, arrived) in arrived.iter_mut().enumerate() {
            *arrived &= if word == square { 0 } else { !(1 << square) };
            *arrived |= src[square * ROW_LEN + word];
        }
    }
    assert_eq!(dst[..ROW_LEN], arrived, "a ride of an outer man");
    bencher.counter(ItemsCount::new(src.len() * N_ROUNDS)).bench_local(|| {
        for _ in 0..N_ROUNDS {
            outer_moves(black_box(&mut dst), &mut touched, black_box(&src), &live, rows, &walks);
        }
    });
}

/// A transposition, the dearest of the symmetries, of rows, of words, and of the bits of each word.
#[divan::bench(args = ROWS)]
fn transpose_block(bencher: Bencher<'_, '_>, n_rows: usize) {
    let turned: Vec<u8> = (0..64).map(|square| square % 8 * 8 + square / 8).collect();
    let images = [Image {
        is_identity: false,
        rows: turned[..n_rows].iter().map(|&row| u32::from(row)).collect(),
        words: turned.clone(),
        lane: LanePermutation::from_map(&turned),
    }];
    let neighbours = [Neighbour { block: 0, image: 0 }];
    let src = scattered(n_rows * ROW_LEN, 1);
    let turn = |words: &[u64], dst: &mut [u64]| {
        let plane = Plane { words, live: None, slots: &[], row_len: ROW_LEN, images: &images };
        frame_moves(dst, &mut vec![false; n_rows], None, plane, &neighbours);
    };
    let (mut dst, mut twice) = (vec![0; src.len()], vec![0; src.len()]);
    turn(&src, &mut dst);
    turn(&dst, &mut twice);
    assert!(dst != src && twice == src, "a transposition, done twice");
    bencher.counter(ItemsCount::new(src.len() * N_ROUNDS)).bench_local(|| {
        for _ in 0..N_ROUNDS {
            turn(black_box(&src), black_box(&mut dst));
        }
    });
}
