//! Unmoves of the man in the lane: shifts inside a word.
//!
//! A man that comes to `t` by a step came from `s = t − step`, so a set of targets becomes the set of sources by one
//! shift of the word, less the bits that would fall off the side of the board. A ride repeats that through free
//! squares. The silly way is one shift a repetition; the occluded fill (Kogge–Stone) doubles the distance each round:
//!
//! ```text
//!   gen  = targets                    free = squares to pass through, reached by a step on the board
//!   round 1: gen |= free &  gen >> 1 step      free &= free >> 1 step
//!   round 2: gen |= free &  gen >> 2 steps     free &= free >> 2 steps    … then one last step
//! ```

use crate::dispatch::kernel;

/// A step of the man in the lane, as an unmove.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneStep {
    /// How far the bits go: to the left if positive.
    pub shift: i32,
    /// The squares from which the step stays on the board.
    pub sources: u64,
    /// The most repetitions; 1 is a leap.
    pub limit: u32,
}

kernel! {
    /// `dst |= sources of src` for a leap.
    ///
    /// Shape: `dst` and `src` have equal length.
    pub fn lane_leap / lane_leap_at(dst: &mut [u64], src: &[u64], step: LaneStep) = leap_body;
}

kernel! {
    /// `dst |= sources of src` for a ride through the squares of `free`.
    ///
    /// Shape: all of equal length. `free` has the squares where no other man stands.
    pub fn lane_ride / lane_ride_at(dst: &mut [u64], src: &[u64], free: &[u64], step: LaneStep) = ride_body;
}

/// The sources of one word of targets: the same as [`lane_leap`] and [`lane_ride`].
#[must_use]
#[inline]
pub fn lane_word(src: u64, free: u64, step: LaneStep) -> u64 {
    let mut dst = [0];
    if step.limit == 1 {
        leap_body(&mut dst, &[src], step);
    } else {
        ride_body(&mut dst, &[src], &[free], step);
    }
    dst[0]
}

#[inline(always)]
fn leap_body(dst: &mut [u64], src: &[u64], step: LaneStep) {
    if step.shift >= 0 {
        leap::<true>(dst, src, step);
    } else {
        leap::<false>(dst, src, step);
    }
}

#[inline(always)]
fn ride_body(dst: &mut [u64], src: &[u64], free: &[u64], step: LaneStep) {
    if step.shift >= 0 {
        ride::<true>(dst, src, free, step);
    } else {
        ride::<false>(dst, src, free, step);
    }
}

#[inline(always)]
fn shifted<const LEFT: bool>(word: u64, by: u32) -> u64 {
    // A distance of a whole word or more leaves nothing; `checked_shl` says so without a branch.
    if LEFT { word.checked_shl(by).unwrap_or(0) } else { word.checked_shr(by).unwrap_or(0) }
}

#[inline(always)]
fn leap<const LEFT: bool>(dst: &mut [u64], src: &[u64], step: LaneStep) {
    assert_eq!(dst.len(), src.len());
    let by = step.shift.unsigned_abs();
    for (d, &s) in dst.iter_mut().zip(src) {
        *d |= shifted::<LEFT>(s, by) & step.sources;
    }
}

#[inline(always)]
fn ride<const LEFT: bool>(dst: &mut [u64], src: &[u64], free: &[u64], step: LaneStep) {
    assert!(dst.len() == src.len() && dst.len() == free.len());
    let by = step.shift.unsigned_abs();
    // No board has more than 16 squares in a line: 1 + 1 + 2 + 4 + 8 steps.
    if step.limit >= 16 {
        for ((d, &s), &f) in dst.iter_mut().zip(src).zip(free) {
            let mut generated = s;
            let mut pass = f & step.sources;
            generated |= pass & shifted::<LEFT>(generated, by);
            pass &= shifted::<LEFT>(pass, by);
            generated |= pass & shifted::<LEFT>(generated, 2 * by);
            pass &= shifted::<LEFT>(pass, 2 * by);
            generated |= pass & shifted::<LEFT>(generated, 4 * by);
            pass &= shifted::<LEFT>(pass, 4 * by);
            generated |= pass & shifted::<LEFT>(generated, 8 * by);
            *d |= shifted::<LEFT>(generated, by) & step.sources;
        }
        return;
    }
    for ((d, &s), &f) in dst.iter_mut().zip(src).zip(free) {
        let mut reached = shifted::<LEFT>(s, by) & step.sources;
        for _ in 1..step.limit {
            *d |= reached;
            reached = shifted::<LEFT>(reached & f, by) & step.sources;
        }
        *d |= reached;
    }
}
