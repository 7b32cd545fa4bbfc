//! Takes moves of the lane man back: shifts inside a word.
//!
//! A ride repeats a step through free squares. The naive way is one shift a repetition; the occluded fill
//! (Kogge–Stone) doubles the distance each round:
//!
//! ```text
//!   reached = targets                  pass = free squares from which the step stays on the board
//!   round 1: reached |= pass & reached one step back     pass &= pass one step back
//!   round 2: reached |= pass & reached two steps back    pass &= pass two steps back    … and one last step
//! ```
//!
//! A bit that a shift brings round a side of the board lands on a square from which the step leaves the
//! board, so `sources` removes it. A hopper rides to the man it jumps over, and from there on to the target:
//! two rides, the second taken back first. A way of uneven stages is taken back stage by stage from its end:
//!
//! ```text
//!   back(i) = one stage back from (targets, if stage i is a landing, and back(i+1) where the square is free)
//! ```

#[cfg(target_arch = "x86_64")]
mod wide;

use crate::dispatch::kernel;
use crate::walk::{Hurdle, Reach, Shift, Stage, Walk};
use crate::word::is_full;
use crate::{Pack, Word};

kernel! {
    /// In every wanted row: `dst |= ` the placements from which a move of the lane man leads into `src`.
    ///
    /// Shape: `dst` and `src` are rows of `row_len` words; `wanted` and `taken` have an entry a row. `taken`
    /// has the squares of all men but the lane man and the row man, as bits.
    pub fn lane_moves / lane_moves_at<W>(dst: &mut [W], src: &[W], wanted: &[bool], taken: &[W], row_len: usize, walks: &[Walk<W>]) {
        gfni if wide::suits(walks) => add_body(dst, src, wanted, taken, row_len, walks, |src, taken, first, walks| {
            wide::eight_reached(src, taken, first, walks)
        }),
        others => add_body(dst, src, wanted, taken, row_len, walks, |src, taken, first, walks| {
            eight_reached(src, taken, first, walks)
        }),
    }
}

kernel! {
    /// Takes out of live rows of `found` the placements from which a move of the lane man leads into `src`;
    /// rows in which nothing is left are live no more. Words of which nothing is left are skipped.
    ///
    /// Shape: as for `lane_moves`; `live` has an entry a row.
    pub fn cut_lane_moves / cut_lane_moves_at<W>(found: &mut [W], live: &mut [bool], src: &[W], taken: &[W], row_len: usize, walks: &[Walk<W>]) {
        gfni if wide::suits(walks) => cut_body(found, live, src, taken, row_len, walks, |src, taken, first, walks| {
            wide::eight_reached(src, taken, first, walks)
        }),
        others => cut_body(found, live, src, taken, row_len, walks, |src, taken, first, walks| {
            eight_reached(src, taken, first, walks)
        }),
    }
}

/// Takes moves of the lane man back in one word: what `src` is reached from through the squares of `free`.
#[must_use]
#[inline]
pub fn lane_word<W: Word>(src: W, free: W, walks: &[Walk<W>]) -> W {
    walks.iter().fold(W::ZERO, |dst, walk| dst | reached(src, free, walk))
}

#[inline(always)]
fn add_body<W: Word>(
    dst: &mut [W],
    src: &[W],
    wanted: &[bool],
    taken: &[W],
    row_len: usize,
    walks: &[Walk<W>],
    eight_reached: impl Fn(&[W; 8], W, usize, &[Walk<W>]) -> [W; 8],
) {
    let n_rows = wanted.len();
    assert!(dst.len() == n_rows * row_len && src.len() == dst.len() && taken.len() == n_rows);
    let rows = dst.chunks_exact_mut(row_len).zip(src.chunks_exact(row_len));
    for ((dst, src), (_, &taken)) in rows.zip(wanted.iter().zip(taken)).filter(|(_, (wanted, _))| **wanted) {
        let (dst_eights, dst_rest) = dst.as_chunks_mut::<8>();
        let (src_eights, src_rest) = src.as_chunks::<8>();
        for (eight, (d, s)) in dst_eights.iter_mut().zip(src_eights).enumerate() {
            if is_full(s) {
                let sum = eight_reached(s, taken, eight * 8, walks);
                W::halves_mut(d).iter_mut().zip(W::halves(&sum)).for_each(|(dst, sum)| *dst |= sum);
            }
        }
        let first = row_len - dst_rest.len();
        for (i, (d, &s)) in dst_rest.iter_mut().zip(src_rest).enumerate() {
            *d |= lane_word(s, !(taken | W::bit(first + i)), walks);
        }
    }
}

#[inline(always)]
fn cut_body<W: Word>(
    found: &mut [W],
    live: &mut [bool],
    src: &[W],
    taken: &[W],
    row_len: usize,
    walks: &[Walk<W>],
    eight_reached: impl Fn(&[W; 8], W, usize, &[Walk<W>]) -> [W; 8],
) {
    let n_rows = live.len();
    assert!(found.len() == n_rows * row_len && src.len() == found.len() && taken.len() == n_rows);
    let rows = found.chunks_exact_mut(row_len).zip(src.chunks_exact(row_len));
    for ((found, src), (live, &taken)) in rows.zip(live.iter_mut().zip(taken)).filter(|(_, (live, _))| **live)
    {
        let mut any = false;
        let (found_eights, found_rest) = found.as_chunks_mut::<8>();
        let (src_eights, src_rest) = src.as_chunks::<8>();
        for (eight, (f, s)) in found_eights.iter_mut().zip(src_eights).enumerate() {
            if is_full(f) {
                let gone = eight_reached(s, taken, eight * 8, walks);
                let halves = W::halves_mut(f).iter_mut().zip(W::halves(&gone));
                halves.for_each(|(found, gone)| *found &= !gone);
                any |= is_full(f);
            }
        }
        let first = row_len - found_rest.len();
        for (i, (f, &s)) in found_rest.iter_mut().zip(src_rest).enumerate() {
            if *f != W::ZERO {
                *f &= !lane_word(s, !(taken | W::bit(first + i)), walks);
                any |= *f != W::ZERO;
            }
        }
        *live = any;
    }
}

/// What eight words of a row, from word `first` on, are reached from.
#[inline(always)]
fn eight_reached<W: Word>(src: &[W; 8], taken: W, first: usize, walks: &[Walk<W>]) -> [W; 8] {
    let free = W::Eight::splat(!taken).and_not(W::diagonal(first));
    let src = W::pack(src);
    let mut sum = W::Eight::splat(W::ZERO);
    for walk in walks {
        sum = sum.or(reached(src, free, walk));
    }
    W::unpack(sum)
}

#[inline(always)]
fn reached<P: Pack>(src: P, free: P, walk: &Walk<P::Word>) -> P {
    match &walk.reach {
        Reach::Leap => back(src, &walk.shift),
        Reach::Ride { rounds } => ridden(src, free, &walk.shift, *rounds),
        Reach::Hop { rounds, is_short } => {
            let behind =
                if *is_short { back(src, &walk.shift) } else { ridden(src, free, &walk.shift, *rounds) };
            ridden(behind.and_not(free), free, &walk.shift, *rounds)
        }
        Reach::Trail { stages, hurdle: Hurdle::None, .. } => {
            let mut reached = P::splat(P::Word::ZERO);
            for stage in stages.iter().rev() {
                reached = back(landed(src, stage).or(free.and(reached)), &stage.shift);
            }
            reached
        }
        Reach::Trail { stages, hurdle, .. } => {
            let none = P::splat(P::Word::ZERO);
            // Before and behind the man that is jumped over.
            let (mut before, mut behind) = (none, none);
            for stage in stages.iter().rev() {
                before = back(free.and(before).or(behind.and_not(free)), &stage.shift);
                let further = if *hurdle == Hurdle::OnTheWay { free.and(behind) } else { none };
                behind = back(landed(src, stage).or(further), &stage.shift);
            }
            before
        }
    }
}

/// The targets of a stage, none if it is no landing.
#[inline(always)]
fn landed<P: Pack>(src: P, stage: &Stage<P::Word>) -> P {
    if stage.is_landing { src } else { P::splat(P::Word::ZERO) }
}

/// One step back.
#[inline(always)]
fn back<P: Pack>(targets: P, shift: &Shift<P::Word>) -> P {
    let plain = targets.moved(shift.by).and(P::splat(shift.sources));
    match shift.round {
        None => plain,
        Some((by, sources)) => plain.or(targets.moved(by).and(P::splat(sources))),
    }
}

/// A ride back, on a board whose files are not joined.
#[inline(always)]
fn ridden<P: Pack>(src: P, free: P, shift: &Shift<P::Word>, rounds: u32) -> P {
    let sources = P::splat(shift.sources);
    let (mut reached, mut pass, mut by) = (src, free.and(sources), shift.by);
    for _ in 0..rounds {
        reached = reached.or(pass.and(reached.moved(by)));
        pass = pass.and(pass.moved(by));
        by *= 2;
    }
    reached.moved(shift.by).and(sources)
}
