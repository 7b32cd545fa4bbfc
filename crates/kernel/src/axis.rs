//! Unmoves of a man on an outer axis: whole rows of words move.
//!
//! The row of square `s` holds, for this man on `s`, all placements of the men further in. A leap from `s` to `t` is
//! `row s |= row t`. A ride looks along a line at one row after another: what arrives at `s` is the row of the next
//! square `t`, and what arrived at `t` in its turn, where `t` is free to pass through:
//!
//! ```text
//!   arrive(s) = row t | (arrive(t) & free(t))          row s |= arrive(s)
//! ```

use crate::dispatch::kernel;

/// A step of a man on an outer axis, as an unmove.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AxisStep {
    /// Source and target square of each step on the board; a pair comes after the pair that its target starts.
    pub pairs: Vec<(u8, u8)>,
    /// The most repetitions; 1 is a leap.
    pub limit: u32,
}

kernel! {
    /// `dst |= sources of src` for a leap.
    ///
    /// Shape: `dst` and `src` are rows of `inner` words, one a square.
    pub fn axis_leap / axis_leap_at(dst: &mut [u64], src: &[u64], inner: usize, step: &AxisStep) = leap_body;
}

kernel! {
    /// `dst |= sources of src` for a ride through what `free` allows.
    ///
    /// Shape: all are rows of `inner` words, one a square; `free` has the placements in which no other man
    /// stands on the row's square. `scratch` is as long; what it held is lost.
    pub fn axis_ride / axis_ride_at(dst: &mut [u64], src: &[u64], free: &[u64], scratch: &mut [u64], inner: usize, step: &AxisStep) = ride_body;
}

#[inline(always)]
fn leap_body(dst: &mut [u64], src: &[u64], inner: usize, step: &AxisStep) {
    assert_eq!(dst.len(), src.len());
    if inner == 1 {
        for &(s, t) in &step.pairs {
            dst[s as usize] |= src[t as usize];
        }
        return;
    }
    for &(s, t) in &step.pairs {
        let (s, t) = (s as usize * inner, t as usize * inner);
        for (d, &x) in dst[s..s + inner].iter_mut().zip(&src[t..t + inner]) {
            *d |= x;
        }
    }
}

#[inline(always)]
fn ride_body(dst: &mut [u64], src: &[u64], free: &[u64], scratch: &mut [u64], inner: usize, step: &AxisStep) {
    let n = dst.len();
    assert!(n == src.len() && n == free.len() && n == scratch.len());
    scratch.fill(0);
    if step.limit >= 16 {
        if inner == 1 {
            for &(s, t) in &step.pairs {
                let (s, t) = (s as usize, t as usize);
                let arrived = src[t] | (scratch[t] & free[t]);
                scratch[s] = arrived;
                dst[s] |= arrived;
            }
            return;
        }
        for &(s, t) in &step.pairs {
            let (s, t) = (s as usize * inner, t as usize * inner);
            for i in 0..inner {
                let arrived = src[t + i] | (scratch[t + i] & free[t + i]);
                scratch[s + i] = arrived;
                dst[s + i] |= arrived;
            }
        }
        return;
    }
    // A limited ride: arrivals of each distance in turn. Walking a line from its far end, `scratch` of the target
    // would already hold this round's arrivals; walking it from the near end, it still holds the last round's.
    for round in 0..step.limit {
        for &(s, t) in step.pairs.iter().rev() {
            let (s, t) = (s as usize * inner, t as usize * inner);
            for i in 0..inner {
                let arrived = if round == 0 { src[t + i] } else { scratch[t + i] & free[t + i] };
                scratch[s + i] = arrived;
                dst[s + i] |= arrived;
            }
        }
        // Squares from which the step leaves the board have no pair, and nothing ever arrives there.
    }
}
