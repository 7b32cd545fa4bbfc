//! The loops that solving spends its time in: words a second.
//!
//! Blocks are of 64 words, as those of four men are, and of 4,096, as those of five.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use kernel::{AxisStep, LanePermutation, LaneStep, axis_ride, lane_ride, permute_block};

const BLOCKS: [usize; 2] = [64, 4096];
/// How often a block is gone through in one call, so that a call is long enough to be timed.
const N_ROUNDS: usize = 64;

fn main() {
    divan::main();
}

/// Words without a pattern, about a quarter of their bits set.
fn scattered(n_words: usize, seed: u64) -> Vec<u64> {
    let mix = |i: u64| (i ^ seed << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let word = |i: u64| mix(mix(i)) & mix(mix(i) ^ 1);
    (0..n_words as u64).map(|i| word(i).wrapping_mul(0xD129_0D3A_54B5_3C4B)).collect()
}

/// The step to the next file and rank, of a bishop in the lane, as an unmove.
fn lane_step() -> LaneStep {
    LaneStep { shift: -9, sources: 0x007F_7F7F_7F7F_7F7F, limit: 255 }
}

/// The same step on an outer axis, pairs nearest to where lines leave the board first.
fn axis_step() -> AxisStep {
    let pairs = (0..8u8).rev().flat_map(|rank| (0..8u8).rev().map(move |file| (file, rank)));
    let on_board = pairs.filter(|&(file, rank)| file < 7 && rank < 7);
    AxisStep {
        pairs: on_board.map(|(file, rank)| (rank * 8 + file, rank * 8 + file + 9)).collect(),
        limit: 255,
    }
}

/// One word at a time: what a ride in the lane must give.
fn lane_specified(src: u64, free: u64, step: LaneStep) -> u64 {
    let shifted = |word: u64| word >> 9 & step.sources;
    let mut arrived = shifted(src);
    for _ in 0..7 {
        arrived |= shifted(arrived & free);
    }
    arrived
}

#[divan::bench(args = BLOCKS)]
fn ride_in_lane(bencher: Bencher<'_, '_>, n_words: usize) {
    let (src, free, step) = (scattered(n_words, 1), scattered(n_words, 2), lane_step());
    let mut dst = vec![0; n_words];
    lane_ride(&mut dst, &src, &free, step);
    let specified = src.iter().zip(&free).map(|(&s, &f)| lane_specified(s, f, step));
    assert!(dst.iter().copied().eq(specified), "a ride in the lane");
    bencher.counter(ItemsCount::new(n_words * N_ROUNDS)).bench_local(|| {
        for _ in 0..N_ROUNDS {
            lane_ride(black_box(&mut dst), black_box(&src), &free, step);
        }
    });
}

#[divan::bench(args = BLOCKS)]
fn ride_on_axis(bencher: Bencher<'_, '_>, n_words: usize) {
    let (src, free, step) = (scattered(n_words, 1), scattered(n_words, 2), axis_step());
    let (mut dst, mut scratch, inner) = (vec![0; n_words], vec![0; n_words], n_words / 64);
    axis_ride(&mut dst, &src, &free, &mut scratch, inner, &step);
    // What arrives on a square comes from the next one, or through it.
    let arrived = |to: usize| src[to] | (dst[to] & free[to]);
    for &(s, t) in &step.pairs {
        let rows = |square: u8| square as usize * inner..(square as usize + 1) * inner;
        assert!(rows(s).zip(rows(t)).all(|(s, t)| dst[s] == arrived(t)), "a ride on an axis");
    }
    bencher.counter(ItemsCount::new(n_words * N_ROUNDS)).bench_local(|| {
        for _ in 0..N_ROUNDS {
            axis_ride(black_box(&mut dst), black_box(&src), &free, &mut scratch, inner, &step);
        }
    });
}

/// A transposition, the dearest of the symmetries, of rows and of the bits of each word.
#[divan::bench(args = BLOCKS)]
fn transpose_block(bencher: Bencher<'_, '_>, n_words: usize) {
    let flipped = |square: usize| square % 8 * 8 + square / 8;
    let map: Vec<u8> = (0..64).map(|square| flipped(square) as u8).collect();
    let row = |word: usize| {
        if n_words == 64 { flipped(word) } else { flipped(word / 64) * 64 + flipped(word % 64) }
    };
    let rows: Vec<u32> = (0..n_words).map(|word| row(word) as u32).collect();
    let permutation = LanePermutation::from_map(&map);
    let src = scattered(n_words, 1);
    let (mut dst, mut twice) = (vec![0; n_words], vec![0; n_words]);
    permute_block(&mut dst, &src, &rows, &permutation);
    permute_block(&mut twice, &dst, &rows, &permutation);
    assert!(dst != src && twice == src, "a transposition, done twice");
    bencher.counter(ItemsCount::new(n_words * N_ROUNDS)).bench_local(|| {
        for _ in 0..N_ROUNDS {
            permute_block(black_box(&mut dst), black_box(&src), &rows, &permutation);
        }
    });
}
