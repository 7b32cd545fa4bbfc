//! Unmoves of a man on an outer axis: whole rows of words move.
//!
//! The row of square `s` holds, for this man on `s`, all placements of the two men further in: a word for each square
//! of one, a bit for each square of the other. A leap from `s` to `t` is `row s |= row t`. A ride looks along a line at
//! one row after another: what arrives at `s` is the row of the next square `t`, and what arrived at `t` in its turn,
//! where `t` is free of the men further in:
//!
//! ```text
//!   arrive(s) = row t | (arrive(t) & free(t))          row s |= arrive(s)
//! ```
//!
//! Word `x` of a row is free of them on `t` if `x ≠ t`, and then in all bits but that of `t`. Eight words are taken
//! through all lines before the next eight, so that everything a step touches stays in the first cache.

use crate::dispatch::kernel;
use crate::walk::{NOWHERE, Reach, Walk};

/// The rows of a man on an outer axis: row `first + square × stride` for each square of the board.
#[derive(Clone, Copy, Debug)]
pub struct Axis<'a> {
    /// The row of square 0.
    pub first: usize,
    /// Rows from one square to the next.
    pub stride: usize,
    /// By row: whether the man's square is free of all men but those of the row and the lane.
    pub passable: &'a [bool],
    /// Words of a row, and squares of the board.
    pub row_len: usize,
}

impl Axis<'_> {
    #[inline(always)]
    fn row(&self, square: usize) -> usize {
        self.first + square * self.stride
    }
}

kernel! {
    /// `dst |= ` the placements from which a move of the man on the axis leads into a live row of `src`; rows that may
    /// have got some are marked in `touched`.
    ///
    /// Shape: `dst` and `src` are rows of `axis.row_len` words; `live` and `touched` have an entry a row. Rows of `src`
    /// that are not live hold nothing.
    pub fn axis_moves / axis_moves_at(dst: &mut [u64], touched: &mut [bool], src: &[u64], live: &[bool], axis: Axis<'_>, walks: &[Walk]) = sweep_body;
}

kernel! {
    /// The same into wanted rows only, each for itself, from whatever rows of `src`: for when few are wanted.
    pub fn axis_moves_into / axis_moves_into_at(dst: &mut [u64], wanted: &[bool], src: &[u64], axis: Axis<'_>, walks: &[Walk]) = walk_body;
}

#[inline(always)]
fn sweep_body(
    dst: &mut [u64],
    touched: &mut [bool],
    src: &[u64],
    live: &[bool],
    axis: Axis<'_>,
    walks: &[Walk],
) {
    let n = axis.row_len;
    // Which rows each walk reaches does not depend on the words, so it is found once.
    for walk in walks {
        let mut arrives = [false; 64];
        for &s in &walk.order {
            let (s, t) = (s as usize, walk.next[s as usize] as usize);
            let passes = walk.reach != Reach::Leap && arrives[t] && axis.passable[axis.row(t)];
            arrives[s] = live[axis.row(t)] || passes;
            touched[axis.row(s)] |= arrives[s];
        }
        match walk.reach {
            Reach::Leap => {
                for &s in walk.order.iter().filter(|&&s| arrives[s as usize]) {
                    let (s, t) = (axis.row(s as usize) * n, axis.row(walk.next[s as usize] as usize) * n);
                    dst[s..s + n].iter_mut().zip(&src[t..t + n]).for_each(|(d, &x)| *d |= x);
                }
            }
            Reach::Ride { .. } => {
                let mut at = 0;
                while at + 8 <= n {
                    sweep::<8>(dst, src, live, &arrives, axis, walk, at);
                    at += 8;
                }
                while at < n {
                    sweep::<1>(dst, src, live, &arrives, axis, walk, at);
                    at += 1;
                }
            }
            Reach::Limited { .. } => {
                for &s in walk.order.iter().filter(|&&s| arrives[s as usize]) {
                    walk_row(dst, src, axis, walk, s as usize);
                }
            }
        }
    }
}

/// One ride through words `at` to `at + N` of all rows.
#[inline(always)]
fn sweep<const N: usize>(
    dst: &mut [u64],
    src: &[u64],
    live: &[bool],
    arrives: &[bool; 64],
    axis: Axis<'_>,
    walk: &Walk,
    at: usize,
) {
    let mut arrived = [[0u64; N]; 64];
    for &s in &walk.order {
        let (s, t) = (s as usize, walk.next[s as usize] as usize);
        if !arrives[s] {
            continue;
        }
        let (row_s, row_t) = (axis.row(s), axis.row(t));
        let mut sum = [0; N];
        if arrives[t] && axis.passable[row_t] {
            sum = passed(arrived[t], t, at);
        }
        if live[row_t] {
            let src: &[u64; N] = eight(src, row_t * axis.row_len + at);
            (0..N).for_each(|i| sum[i] |= src[i]);
        }
        arrived[s] = sum;
        let place = row_s * axis.row_len + at;
        let dst: &mut [u64] = &mut dst[place..place + N];
        (0..N).for_each(|i| dst[i] |= sum[i]);
    }
}

/// What of these words may pass through a square: those whose men do not stand on it.
#[inline(always)]
fn passed<const N: usize>(words: [u64; N], square: usize, at: usize) -> [u64; N] {
    let mut words = words.map(|word| word & !(1 << square));
    if square >= at && square < at + N {
        words[square - at] = 0;
    }
    words
}

#[inline(always)]
fn eight<const N: usize>(words: &[u64], at: usize) -> &[u64; N] {
    words[at..at + N].first_chunk().expect("as long as it was cut")
}

#[inline(always)]
fn walk_body(dst: &mut [u64], wanted: &[bool], src: &[u64], axis: Axis<'_>, walks: &[Walk]) {
    for s in (0..axis.row_len).filter(|&s| wanted[axis.row(s)]) {
        walks.iter().for_each(|walk| walk_row(dst, src, axis, walk, s));
    }
}

/// All that arrives at one square by one walk.
#[inline(always)]
fn walk_row(dst: &mut [u64], src: &[u64], axis: Axis<'_>, walk: &Walk, s: usize) {
    let n = axis.row_len;
    let most = match walk.reach {
        Reach::Leap => 1,
        Reach::Ride { .. } => 64,
        Reach::Limited { most } => most,
    };
    let place = axis.row(s) * n;
    let mut at = 0;
    while at + 8 <= n {
        let sum = walk_words::<8>(src, axis, walk, s, most, at);
        (0..8).for_each(|i| dst[place + at + i] |= sum[i]);
        at += 8;
    }
    while at < n {
        dst[place + at] |= walk_words::<1>(src, axis, walk, s, most, at)[0];
        at += 1;
    }
}

#[inline(always)]
fn walk_words<const N: usize>(
    src: &[u64],
    axis: Axis<'_>,
    walk: &Walk,
    s: usize,
    most: u32,
    at: usize,
) -> [u64; N] {
    let (mut sum, mut way) = ([0; N], [u64::MAX; N]);
    let mut t = walk.next[s];
    for _ in 0..most {
        if t == NOWHERE {
            break;
        }
        let row = axis.row(t as usize);
        let words: &[u64; N] = eight(src, row * axis.row_len + at);
        (0..N).for_each(|i| sum[i] |= words[i] & way[i]);
        if !axis.passable[row] {
            break;
        }
        way = passed(way, t as usize, at);
        t = walk.next[t as usize];
    }
    sum
}
