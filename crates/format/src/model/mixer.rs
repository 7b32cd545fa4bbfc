//! Mixes the predictions of counters into the probability that the next bit is 1, and learns from the bit.
//!
//! Eight counters, each found by a hash of another context, give a probability. The mixer adds them up as
//! logarithms of odds, each with a weight, and moves the weights towards those counters that turn out to have
//! been right.
//!
//! ```text
//!   p = squash( Σ weight × stretch(counter) )        weight += rate × stretch(counter) × (bit − p)
//! ```
//!
//! Some bits have a score that is known beforehand, a logarithm of odds too: it is one more input, with
//! weights of its own.
//!
//! Everything is an integer, so that a file has the same bytes on every machine. Counters and weights are
//! fresh at the first bit of a block.
//!
//! Source: M. Mahoney, Adaptive weighing of context models for lossless data compression, 2005.

use super::coder::{Bits, PROBABILITY_BITS};
use super::counter::Counter;
use super::logistic::{MOST_ODDS, squash, stretch};

/// How many counters predict a bit.
pub(super) const N_INPUTS: usize = 8;

/// Counters of each input: 2 to this.
const SLOT_BITS: u32 = 15;

/// Weights of 1.0, and what they begin with.
const WEIGHT_BITS: u32 = 16;
const FIRST_WEIGHT: i32 = 14_000;
const FIRST_SCORE_WEIGHT: i32 = 30_000;
/// Weights stay below 16.0, so that no product overflows whatever a file holds.
const MOST_WEIGHT: i32 = 1 << 20;

/// No counter that decides alone is as near to 0 or 1 as this, out of 65,536.
const LEAST_SINGLE: u32 = 32;

/// The counters and weights of a block.
pub(super) struct Mixer {
    /// Those of the first input, then those of the second, and so on.
    counters: Vec<Counter>,
    weights: Vec<[i32; N_INPUTS]>,
    /// The weights of scores.
    score_weights: Vec<i32>,
    /// Counters that decide alone.
    singles: Vec<Counter>,
}

impl Mixer {
    /// The memory that the counters of its inputs take.
    ///
    /// Units: bytes.
    #[cfg(feature = "parallel")]
    pub(super) const COUNTER_BYTES: usize = (N_INPUTS << SLOT_BITS) * size_of::<Counter>();

    /// With so many sets of weights and so many counters that decide alone.
    pub(super) fn new(n_sets: usize, n_singles: usize) -> Self {
        Mixer {
            counters: vec![Counter::NEW; N_INPUTS << SLOT_BITS],
            weights: vec![[FIRST_WEIGHT; N_INPUTS]; n_sets],
            score_weights: vec![FIRST_SCORE_WEIGHT; n_sets],
            singles: vec![Counter::NEW; n_singles],
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.counters.fill(Counter::NEW);
        self.weights.fill([FIRST_WEIGHT; N_INPUTS]);
        self.score_weights.fill(FIRST_SCORE_WEIGHT);
        self.singles.fill(Counter::NEW);
    }

    /// Passes a bit that one counter predicts alone.
    pub(super) fn pass_single<B: Bits>(&mut self, place: usize, bit: bool, bits: &mut B) -> bool {
        let counter = &mut self.singles[place];
        let p = counter.probability().clamp(LEAST_SINGLE, (1 << PROBABILITY_BITS) - LEAST_SINGLE);
        let bit = bits.pass(bit, p);
        counter.update(bit);
        bit
    }

    /// Passes a bit that the counters of these contexts predict together. `node` is the number of the bit in
    /// its code, `set` that of the weights, and `score` what is known beforehand, 0 if nothing is.
    #[inline]
    pub(super) fn pass<B: Bits>(
        &mut self,
        contexts: &[u32; N_INPUTS],
        (node, set, score): (u32, usize, i32),
        bit: bool,
        bits: &mut B,
    ) -> bool {
        let salt = node.wrapping_mul(0x9e37_79b1);
        let weights = &mut self.weights[set];
        let (mut places, mut odds, mut sum) = ([0; N_INPUTS], [0; N_INPUTS], 0);
        for input in 0..N_INPUTS {
            let hash = (contexts[input] ^ salt).wrapping_mul(0x85eb_ca6b);
            places[input] = input << SLOT_BITS | (hash >> (u32::BITS - SLOT_BITS)) as usize;
            odds[input] = stretch(self.counters[places[input]].coarse_probability());
            sum += i64::from(weights[input] * odds[input]);
        }
        sum += i64::from(self.score_weights[set] * score);
        let d = (sum >> WEIGHT_BITS).clamp(-i64::from(MOST_ODDS), i64::from(MOST_ODDS)) as i32;
        let p = squash(d);
        let bit = bits.pass(bit, p);
        let miss = ((i32::from(bit) << PROBABILITY_BITS) - p as i32) >> 2;
        for input in 0..N_INPUTS {
            weights[input] = moved(weights[input], odds[input], miss);
            self.counters[places[input]].update(bit);
        }
        let weight = &mut self.score_weights[set];
        *weight = moved(*weight, score, miss);
        bit
    }
}

/// A weight after the input that it weighs has been right or wrong.
#[inline]
fn moved(weight: i32, odds: i32, miss: i32) -> i32 {
    (weight + ((odds * miss + (1 << 10)) >> 11)).clamp(-MOST_WEIGHT, MOST_WEIGHT)
}
