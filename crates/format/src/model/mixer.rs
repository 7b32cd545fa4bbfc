//! Counts bits in contexts, mixes the odds of the counters into the probability that the next bit is 1, and
//! learns from the bit.
//!
//! Eight counters, each found by a hash of another context, give their odds. The mixer adds them up, each
//! with a weight, and moves the weights towards those counters that turn out to have been right.
//!
//! ```text
//!   p = squash( Σ weight × odds(counter) )        weight += rate × odds(counter) × (bit − p)
//! ```
//!
//! Some bits have a score that is known beforehand, a logarithm of odds too: it is one more input, with
//! weights of its own.
//!
//! Weights and odds have 16 bits, so that eight of each fit into a vector of any processor. All arithmetic is
//! in integers, so that a file has the same bytes on every machine. Counters and weights are fresh at the
//! first bit of a block. A bit that was all but certain moves nothing, which leaves counters that several
//! contexts share to those that have something to learn.
//!
//! Source: M. Mahoney, Adaptive weighing of context models for lossless data compression, 2005.

use crate::model::coder::{Bits, PROBABILITY_BITS};
use std::hint::select_unpredictable;
use std::sync::OnceLock;
use wide::{i16x8, u16x8};

/// How many counters predict a bit.
pub(super) const N_INPUTS: usize = 8;

/// Counters of each input.
const N_SLOTS: usize = 1 << u16::BITS;

/// Weights of 1.0 are 2 to this, and stay below 4.0, so that no sum overflows whatever comes.
const WEIGHT_BITS: u32 = 12;
const MOST_WEIGHT: i16 = (1 << (WEIGHT_BITS + 2)) - 1;

/// What weights begin with: 0.21 and 0.46.
const FIRST_WEIGHT: i16 = 875;
const FIRST_SCORE_WEIGHT: i16 = 1875;

/// How far weights move: by the product of odds (in 2,048ths) and miss (in 65,536ths), 2 to this less.
const RATE_BITS: u32 = 21;

/// A bit that was all but certain teaches nothing: less than this, in 1,024ths, was missing.
const LEAST_MISS: i32 = 24;

/// The vectors multiply with a miss of this many bits less, and shift by 15.
const MISS_BITS: u32 = RATE_BITS - 15;

/// The counters of a bit: a slot for each input.
pub(super) type Contexts = u16x8;

/// The counters and weights of a block.
pub(super) struct Mixer {
    /// Those of each input.
    counters: Box<[[Counter; N_SLOTS]; N_INPUTS]>,
    transitions: &'static Transitions,
    weights: Vec<i16x8>,
    score_weights: Vec<i16>,
}

impl Mixer {
    /// The memory that the counters take.
    ///
    /// Units: bytes.
    #[cfg(feature = "parallel")]
    pub(super) const COUNTER_BYTES: usize = N_INPUTS * N_SLOTS * size_of::<Counter>();

    /// With this many sets of weights.
    pub(super) fn new(n_sets: usize) -> Self {
        Mixer {
            counters: vec![[NEW; N_SLOTS]; N_INPUTS].try_into().expect("as long as the array"),
            transitions: Transitions::get(),
            weights: vec![i16x8::splat(FIRST_WEIGHT); n_sets],
            score_weights: vec![FIRST_SCORE_WEIGHT; n_sets],
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.counters.as_flattened_mut().fill(NEW);
        self.weights.fill(i16x8::splat(FIRST_WEIGHT));
        self.score_weights.fill(FIRST_SCORE_WEIGHT);
    }

    /// Passes a bit that the counters of these contexts predict together. `node` is the number of the bit
    /// among those with the same contexts, `set` that of the weights, and `score` what is known beforehand, 0
    /// if nothing is.
    #[inline(always)]
    pub(super) fn pass<B: Bits>(
        &mut self,
        contexts: Contexts,
        (node, set, score): (u16, usize, i32),
        bit: bool,
        bits: &mut B,
    ) -> bool {
        // The counters of nodes that are near each other stand near each other.
        let slots = (contexts ^ u16x8::splat(node)).to_array();
        let odds = i16x8::new(std::array::from_fn(|input| self.counters[input][usize::from(slots[input])]));
        let (weights, score_weight) = (&mut self.weights[set], &mut self.score_weights[set]);
        let mixed = weights.dot(odds).reduce_add() >> (WEIGHT_BITS + SEEN_BITS);
        let p = squash(mixed + ((i32::from(*score_weight) * score) >> WEIGHT_BITS));
        let bit = bits.pass(bit, p);
        let miss = ((i32::from(bit) << PROBABILITY_BITS) - p as i32) >> MISS_BITS;
        // No branch: whether a bit teaches is hard to guess.
        let is_certain = miss.abs() < LEAST_MISS;
        let miss = select_unpredictable(is_certain, 0, miss);
        let lesson = select_unpredictable(is_certain, Lesson::Nothing, Lesson::bit(bit));
        let moved = weights.saturating_add(odds.mul_scale_round(i16x8::splat(miss as i16)));
        *weights = moved.min(i16x8::splat(MOST_WEIGHT)).max(i16x8::splat(-MOST_WEIGHT));
        let rounded = (score * miss + (1 << (14 - SEEN_BITS))) >> (15 - SEEN_BITS);
        *score_weight =
            (i32::from(*score_weight) + rounded).clamp(-i32::from(MOST_WEIGHT), MOST_WEIGHT.into()) as i16;
        let after = self.transitions.after(lesson, odds);
        for input in 0..N_INPUTS {
            self.counters[input][usize::from(slots[input])] = after[input];
        }
        bit
    }
}

/// The lower bits of a counter hold how many bits it has seen, the upper ones its odds in 128ths. A mixer
/// takes both for odds in 2,048ths: what has been seen is less than one of 128.
pub(super) const SEEN_BITS: u32 = 4;

/// The bits of its odds.
const ODDS_BITS: u32 = u16::BITS - SEEN_BITS;

/// After this many bits a counter goes on as if it had seen no more.
const MOST_SEEN: i32 = (1 << SEEN_BITS) - 1;

/// The states of a counter.
const N_STATES: usize = 1 << u16::BITS;

/// The logarithm of the odds of a 1, and how many bits have been seen.
///
/// At first a counter moves far, and less with every bit, until it has seen enough to go on at one
/// rate. It keeps the logarithm of its odds and not a probability, because that is what a mixer adds up; and
/// where a bit takes it stands in a table, because what it takes to find that out is the same each time.
///
/// ```text
///   p = squash(odds)        p += rate(seen) × (bit − p)        odds = stretch(p)
/// ```
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
            // Made before the lock is taken: a process that is forked meanwhile would get it locked for
            // ever.
            drop(ALL.set(Transitions::new()));
        }
        ALL.get().expect("it was set just now")
    }

    fn new() -> Self {
        Transitions([Lesson::Zero, Lesson::One, Lesson::Nothing].map(|lesson| {
            let mut next: Box<[Counter; N_STATES]> =
                vec![NEW; N_STATES].try_into().expect("as long as the array");
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

/// Logarithms of odds are counted in 128ths, and end at this.
pub(super) const MOST_ODDS: i32 = 2047;

/// Those of a counter end at this: one counter is never as sure as a mixture can be.
pub(super) const MOST_COUNTED: i32 = 1023;

/// Those of scores end at this.
const MOST_STRETCH: i32 = 1100;

/// No probability is as near to 0 or 1 as this, out of 65,536.
const LEAST: u64 = 16;

/// e to the power of 1/128, with 40 bits behind the point.
const STEP: u128 = 1_108_135_204_352;
const STEP_BITS: u32 = 40;

static SQUASH: [u16; 2 * MOST_ODDS as usize + 1] = squash_table();

/// By the upper twelve bits of a probability.
static STRETCH: [i16; 1 << 12] = stretch_table();

/// The bits behind the point of probabilities of which small parts count.
pub(super) const FINE_BITS: u32 = 24;

/// The probabilities of the odds of a counter, from the least on.
pub(super) static FINE_SQUASH: [u32; 2 * MOST_COUNTED as usize + 1] = fine_squash_table();

/// The probability of a 1 in 65,536ths, by 128ths of the logarithm of its odds.
///
/// ```text
///   squash(d) = 1 / (1 + e^(−d/128))        in 65,536ths        stretch is its inverse
/// ```
///
/// Both are tables of integers made by integer arithmetic, so that a file has the same bytes on every
/// machine.
#[inline]
pub(super) fn squash(odds: i32) -> u32 {
    SQUASH[(MOST_ODDS + odds.clamp(-MOST_ODDS, MOST_ODDS)) as usize].into()
}

/// The logarithm of the odds of a 1 in 128ths, by 4,096ths of its probability.
#[inline]
pub(super) fn stretch(p: u32) -> i32 {
    STRETCH[p.min((1 << 12) - 1) as usize].into()
}

/// The probability of this many 128ths of the logarithm of odds, at least 0, with this many bits behind the
/// point.
const fn probability(odds: u128, bits: u32) -> u64 {
    let sum = odds + (1 << STEP_BITS);
    (((odds << bits) + sum / 2) / sum) as u64
}

const fn squash_table() -> [u16; 2 * MOST_ODDS as usize + 1] {
    let one = 1 << PROBABILITY_BITS;
    let mut table = [0; 2 * MOST_ODDS as usize + 1];
    let mut odds = 1u128 << STEP_BITS;
    let mut d = 0;
    while d <= MOST_ODDS as usize {
        let rounded = probability(odds, PROBABILITY_BITS);
        let p = if rounded < one - LEAST { rounded } else { one - LEAST };
        table[MOST_ODDS as usize + d] = p as u16;
        table[MOST_ODDS as usize - d] = (one - p) as u16;
        odds = (odds * STEP) >> STEP_BITS;
        d += 1;
    }
    table
}

const fn fine_squash_table() -> [u32; 2 * MOST_COUNTED as usize + 1] {
    let mut table = [0; 2 * MOST_COUNTED as usize + 1];
    let mut odds = 1u128 << STEP_BITS;
    let mut d = 0;
    while d <= MOST_COUNTED as usize {
        let p = probability(odds, FINE_BITS) as u32;
        table[MOST_COUNTED as usize + d] = p;
        table[MOST_COUNTED as usize - d] = (1 << FINE_BITS) - p;
        odds = (odds * STEP) >> STEP_BITS;
        d += 1;
    }
    table
}

const fn stretch_table() -> [i16; 1 << 12] {
    let squash = squash_table();
    let mut table = [0; 1 << 12];
    let (mut place, mut d) = (0, -MOST_STRETCH);
    while place < 1 << 12 {
        let p = 16 * place as u32 + 8;
        while d < MOST_STRETCH && (squash[(MOST_ODDS + d) as usize] as u32) < p {
            d += 1;
        }
        table[place] = d as i16;
        place += 1;
    }
    table
}

#[cfg(test)]
mod tests;
