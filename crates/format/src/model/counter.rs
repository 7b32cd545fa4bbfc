//! Counts bits in one context: adaptive odds that move towards each bit that comes.
//!
//! At first a counter moves far, and less with every bit, until it has seen so many that it goes on at one
//! rate. It keeps the logarithm of its odds and not a probability, because that is what a mixer adds up; and
//! where a bit takes it stands in a table, because what it takes to find that out is the same each time.
//!
//! ```text
//!   p = squash(odds)        p += rate(seen) × (bit − p)        odds = stretch(p)
//! ```

use super::logistic::{FINE_BITS, FINE_SQUASH, MOST_COUNTED};
use std::sync::OnceLock;
use wide::i16x8;

/// The lower bits of a counter hold how many bits it has seen, the upper ones its odds in 128ths. A mixer
/// takes both for odds in 2,048ths: what has been seen is less than one of 128.
pub(super) const SEEN_BITS: u32 = 4;

/// The bits of its odds.
const ODDS_BITS: u32 = u16::BITS - SEEN_BITS;

/// After so many bits a counter goes on as if it had seen no more.
const MOST_SEEN: i32 = (1 << SEEN_BITS) - 1;

/// The states of a counter.
const N_STATES: usize = 1 << u16::BITS;

/// The logarithm of the odds of a 1, and how many bits have been seen.
pub(super) type Counter = i16;

/// A counter that has seen nothing: both bits are as likely.
pub(super) const NEW: Counter = 0;

/// What a bit teaches a counter.
#[derive(Clone, Copy)]
pub(super) enum Lesson {
    Zero,
    One,
    /// The bit was all but certain: the counter stays as it is.
    Nothing,
}

impl Lesson {
    /// That of a bit which was in doubt.
    #[inline(always)]
    pub(super) fn bit(bit: bool) -> Self {
        if bit { Lesson::One } else { Lesson::Zero }
    }
}

/// Maps each counter to the one that it becomes by a lesson.
pub(super) struct Transitions([Box<[Counter; N_STATES]>; 3]);

impl Transitions {
    /// The one table that there is.
    pub(super) fn get() -> &'static Transitions {
        static ALL: OnceLock<Transitions> = OnceLock::new();
        if ALL.get().is_none() {
            // Made before the lock is taken: a process that is forked meanwhile would get it locked for ever.
            drop(ALL.set(Transitions::new()));
        }
        ALL.get().expect("it was set just now")
    }

    fn new() -> Self {
        Transitions([Lesson::Zero, Lesson::One, Lesson::Nothing].map(|lesson| {
            let mut next: Box<[Counter; N_STATES]> = vec![NEW; N_STATES].try_into().expect("so many states");
            for odds in -MOST_COUNTED..=MOST_COUNTED {
                for seen in 0..=MOST_SEEN {
                    let counter = (odds << SEEN_BITS | seen) as Counter;
                    next[state(counter)] = match lesson {
                        Lesson::Zero => after(odds, seen, false),
                        Lesson::One => after(odds, seen, true),
                        Lesson::Nothing => counter,
                    };
                }
            }
            next
        }))
    }

    /// Eight counters after a lesson.
    #[inline(always)]
    pub(super) fn after(&self, lesson: Lesson, counters: i16x8) -> [Counter; 8] {
        let next = &self.0[lesson as usize];
        // Those that have seen many bits, which most have, stand together in the table and stay in the first
        // cache: what has been seen is the upper part of the place.
        let odds = counters >> SEEN_BITS & i16x8::splat((1 << ODDS_BITS) - 1);
        let states = (counters << ODDS_BITS | odds).to_array();
        states.map(|state| next[usize::from(state as u16)])
    }
}

/// The place of a counter in the table.
fn state(counter: Counter) -> usize {
    usize::from((counter as u16).rotate_right(SEEN_BITS))
}

/// A counter after a bit.
fn after(odds: i32, seen: i32, bit: bool) -> Counter {
    let p = i64::from(FINE_SQUASH[(MOST_COUNTED + odds) as usize]);
    let rate = i64::from((2 << 16) / (2 * seen + 3));
    let target = if bit { 1 << FINE_BITS } else { 0 };
    let p = p + (((target - p) * rate) >> 16);
    // The odds whose probability is nearest, the lower of two.
    let above = FINE_SQUASH.partition_point(|&fine| i64::from(fine) < p).min(FINE_SQUASH.len() - 1);
    let is_below_nearer =
        above > 0 && p - i64::from(FINE_SQUASH[above - 1]) <= i64::from(FINE_SQUASH[above]) - p;
    let odds = (above - usize::from(is_below_nearer)) as i32 - MOST_COUNTED;
    (odds << SEEN_BITS | (seen + 1).min(MOST_SEEN)) as Counter
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The logarithm of a counter's odds in 128ths.
    fn odds(counter: Counter) -> i32 {
        i32::from(counter >> SEEN_BITS)
    }

    /// Passes bits through a new counter.
    fn counted(bits: impl IntoIterator<Item = bool>) -> Counter {
        let one = |counter, bit| Transitions::get().after(Lesson::bit(bit), i16x8::splat(counter))[0];
        bits.into_iter().fold(NEW, one)
    }

    #[test]
    fn counters_move_towards_what_comes_and_stay_within_their_odds() {
        assert_eq!(odds(NEW), 0);
        let (one, ones) = (odds(counted([true])), odds(counted([true; 1000])));
        // After one bit five sixths; after many as sure as can be.
        assert_eq!((one, ones), (206, MOST_COUNTED));
        assert_eq!(odds(counted([false; 1000])), -MOST_COUNTED);
        let (half, eighth) = ((0..1000).map(|i| i % 2 == 0), (0..1000).map(|i| i % 8 == 0));
        assert!(odds(counted(half)).abs() < 20, "as often as not");
        let eighth = odds(counted(eighth));
        assert!((-330..-200).contains(&eighth), "one of eight is −249: {eighth}");
    }

    #[test]
    fn late_bits_move_a_counter_less_than_early_ones() {
        let after = |n: usize| odds(counted((0..n).map(|i| i % 2 == 0)));
        let moved = |n: usize| after(n + 1).abs_diff(after(n));
        assert!(moved(2) > moved(10) && moved(10) >= moved(40) && moved(40) > 0);
    }
}
