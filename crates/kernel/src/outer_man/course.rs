//! Takes moves of an outer man back, one square's row by itself: its own ways, followed to their ends.
//!
//! That is how refuting goes, where a row needs to know no more than whether anything is left, and how ways
//! that are no rides are added; `sweep` takes all rows along the lines together.

use super::row::{AT_ONCE, OuterRows, free, halves_at, or, passed};
use crate::Word;
use crate::dispatch::kernel;
use crate::walk::{Hurdle, Walk};
use geometry::MAX_SQUARES;

kernel! {
    /// Takes out of live rows of `found` the placements from which a move of the outer man leads into
    /// `src`; rows in which nothing is left are live no more. Each row looks along its own ways, and no
    /// further than something is left.
    ///
    /// Shape: as for `outer_moves`.
    pub fn cut_outer_moves / cut_outer_moves_at<W>(found: &mut [W], live: &mut [bool], src: &[W], rows: OuterRows<'_>, walks: &[Walk<W>]) = cut_body;
}

/// The parts of the longest row.
const MAX_PARTS: usize = 2 * MAX_SQUARES / AT_ONCE;

#[inline(always)]
fn cut_body<W: Word>(found: &mut [W], live: &mut [bool], src: &[W], rows: OuterRows<'_>, walks: &[Walk<W>]) {
    let n = rows.row_len;
    for s in 0..n {
        let row = rows.row(s);
        if live[row] {
            live[row] = cut_row(&mut found[row * n..(row + 1) * n], src, rows, walks, s as u8);
        }
    }
}

/// Takes out of the row of square `s` what has a way into `src`; whether anything is left.
#[inline(always)]
fn cut_row<W: Word>(found: &mut [W], src: &[W], rows: OuterRows<'_>, walks: &[Walk<W>], s: u8) -> bool {
    let (found, src) = (W::halves_mut(found), W::halves(src));
    let is_full = |part: &[u64]| part.iter().any(|&half| half != 0);
    // The parts of the row in which something is left, and the halves that make up no part.
    let (mut parts, mut n_parts) = ([0; MAX_PARTS], 0);
    let (eights, rest) = found.as_chunks_mut::<AT_ONCE>();
    for (place, part) in eights.iter().enumerate() {
        parts[n_parts] = place as u8;
        n_parts += usize::from(is_full(part));
    }
    let first = eights.len() * AT_ONCE;
    let mut room = [(0, true); MAX_SQUARES];
    for walk in walks {
        let Some(course) = walk.course(s, &mut room) else { continue };
        let mut n_left = 0;
        for place in 0..n_parts {
            let part = parts[place];
            let halves = &mut eights[usize::from(part)];
            let gone = follow::<W, AT_ONCE>(src, rows, course, walk.hurdle(), usize::from(part) * AT_ONCE);
            let mut any = 0;
            for (half, gone) in halves.iter_mut().zip(gone) {
                *half &= !gone;
                any |= *half;
            }
            parts[n_left] = part;
            n_left += usize::from(any != 0);
        }
        n_parts = n_left;
        for (at, half) in (first..).zip(&mut *rest) {
            if *half != 0 {
                *half &= !follow::<W, 1>(src, rows, course, walk.hurdle(), at)[0];
            }
        }
        if n_parts == 0 && !is_full(rest) {
            return false;
        }
    }
    true
}

/// Adds to the row of square `s` all that arrives there along a course of squares.
#[inline(always)]
pub(crate) fn add_row<W: Word>(
    dst: &mut [W],
    src: &[W],
    rows: OuterRows<'_>,
    (course, hurdle): (&[(u8, bool)], Hurdle),
    s: u8,
) {
    let n = rows.row_len * W::HALVES;
    let (dst, src) = (W::halves_mut(dst), W::halves(src));
    let place = rows.row(s.into()) * n;
    let mut at = 0;
    while at + AT_ONCE <= n {
        let sum = follow::<W, AT_ONCE>(src, rows, course, hurdle, at);
        or(&mut dst[place + at..], sum);
        at += AT_ONCE;
    }
    while at < n {
        let sum = follow::<W, 1>(src, rows, course, hurdle, at);
        or(&mut dst[place + at..], sum);
        at += 1;
    }
}

/// What arrives along a course of squares in halves `at` to `at + N`.
#[inline(always)]
fn follow<W: Word, const N: usize>(
    src: &[u64],
    rows: OuterRows<'_>,
    course: &[(u8, bool)],
    hurdle: Hurdle,
    at: usize,
) -> [u64; N] {
    // The placements that come so far without anybody on the way, and those with the man to jump over behind.
    let (mut sum, mut way, mut behind) = ([0; N], [u64::MAX; N], [0; N]);
    for &(t, is_landing) in course {
        let t = usize::from(t);
        let row = rows.row(t);
        if is_landing {
            let halves: &[u64; N] = halves_at(src, row * rows.row_len * W::HALVES + at);
            let lands = if hurdle == Hurdle::None { &way } else { &behind };
            (0..N).for_each(|i| sum[i] |= halves[i] & lands[i]);
        }
        if hurdle == Hurdle::None {
            if !rows.passable[row] {
                break;
            }
            way = passed::<W, N>(way, t, at);
            continue;
        }
        let free = free::<W, N>(rows.passable[row], t, at);
        let further = if hurdle == Hurdle::OnTheWay { behind } else { [0; N] };
        behind = std::array::from_fn(|i| further[i] & free[i] | way[i] & !free[i]);
        (0..N).for_each(|i| way[i] &= free[i]);
    }
    sum
}
