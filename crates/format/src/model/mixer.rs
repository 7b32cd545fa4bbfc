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
//! The arithmetic is that of `kernel`, in integers, so that a file has the same bytes on every machine.
//! Counters and weights are fresh at the first bit of a block. Bits that are known wait until there are many,
//! because many are mixed faster.
//!
//! Source: M. Mahoney, Adaptive weighing of context models for lossless data compression, 2005.

use super::coder::{Bits, PROBABILITY_BITS};
use super::counter::{Counter, MOST_SEEN, rates};
use super::logistic::{SQUASH, STRETCH};
use kernel::{Curves, KnownBit, Mixture, N_INPUTS, SLOT_BITS};

/// What weights begin with; 65,536 are 1.0.
const FIRST_WEIGHT: i32 = 14_000;
const FIRST_SCORE_WEIGHT: i32 = 30_000;

/// No counter that decides alone is as near to 0 or 1 as this, out of 65,536.
const LEAST_SINGLE: u32 = 32;

/// So many bits that are known are mixed at a time.
const N_WAITING: usize = 1 << 9;

/// The set of a bit that one counter predicts alone.
const NO_SET: u8 = u8::MAX;

static CURVES: Curves =
    Curves { stretch: STRETCH, squash: SQUASH, rates: rates(), most_seen: MOST_SEEN as u32 };

/// The counters and weights of a block.
pub(super) struct Mixer {
    mixture: Mixture,
    /// Counters that decide alone.
    singles: Vec<Counter>,
    /// Bits that are known and not yet mixed.
    waiting: Vec<KnownBit>,
    probabilities: Vec<u32>,
}

impl Mixer {
    /// The memory that the counters of its inputs take.
    ///
    /// Units: bytes.
    #[cfg(feature = "parallel")]
    pub(super) const COUNTER_BYTES: usize = Mixture::COUNTER_BYTES;

    /// With so many sets of weights and so many counters that decide alone.
    pub(super) fn new(n_sets: usize, n_singles: usize) -> Self {
        Mixer {
            mixture: Mixture::new(n_sets),
            singles: vec![Counter::NEW; n_singles],
            waiting: Vec::with_capacity(N_WAITING),
            probabilities: Vec::new(),
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.mixture.clear(FIRST_WEIGHT, FIRST_SCORE_WEIGHT);
        self.singles.fill(Counter::NEW);
        self.waiting.clear();
    }

    /// Passes a bit that one counter predicts alone.
    pub(super) fn pass_single<B: Bits>(&mut self, place: usize, bit: bool, bits: &mut B) -> bool {
        let counter = &mut self.singles[place];
        let p = counter.probability().clamp(LEAST_SINGLE, (1 << PROBABILITY_BITS) - LEAST_SINGLE);
        if !B::WRITES {
            let bit = bits.pass(bit, p);
            counter.update(bit);
            return bit;
        }
        counter.update(bit);
        let mut slots = [0; N_INPUTS];
        slots[0] = p as u16;
        self.wait(KnownBit { slots, score: 0, set: NO_SET, bit }, bits);
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
        let (salt, score) = (node.wrapping_mul(0x9e37_79b1), score as i16);
        let slot =
            |context: u32| ((context ^ salt).wrapping_mul(0x85eb_ca6b) >> (u32::BITS - SLOT_BITS)) as u16;
        let slots = contexts.map(slot);
        if B::WRITES {
            self.wait(KnownBit { slots, score, set: set as u8, bit }, bits);
            return bit;
        }
        let prediction = self.mixture.predict(&CURVES, slots, score, set);
        let bit = bits.pass(bit, prediction.p);
        self.mixture.learn(&CURVES, prediction, bit);
        bit
    }

    /// Keeps a bit that is known until there are many.
    #[inline]
    fn wait<B: Bits>(&mut self, known: KnownBit, bits: &mut B) {
        self.waiting.push(known);
        if self.waiting.len() == N_WAITING {
            self.flush(bits);
        }
    }

    /// Passes the bits that wait.
    pub(super) fn flush<B: Bits>(&mut self, bits: &mut B) {
        self.probabilities.clear();
        self.mixture.pass(&CURVES, &self.waiting, &mut self.probabilities);
        for (known, &p) in self.waiting.iter().zip(&self.probabilities) {
            bits.pass(known.bit, p);
        }
        self.waiting.clear();
    }
}
