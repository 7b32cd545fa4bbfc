//! Mixes counters that are probabilities, as versions 5 and 6 have it.
//!
//! ```text
//!   p = squash( Σ weight × stretch(counter) )        weight += rate × stretch(counter) × (bit − p)
//! ```

use super::counter::Counter;
use crate::model::coder::{Bits, Decoder, PROBABILITY_BITS};
use crate::model::logistic::{MOST_ODDS, squash, stretch};

/// How many counters predict a bit.
pub(super) const N_INPUTS: usize = 8;

/// Counters of each input: 2 to this.
const SLOT_BITS: u32 = 15;

/// What weights begin with; 65,536 are 1.0.
const FIRST_WEIGHT: i32 = 14_000;
const FIRST_SCORE_WEIGHT: i32 = 30_000;

/// Weights stay below 16.0.
const MOST_WEIGHT: i32 = 1 << 20;

/// A weight moves by the product of odds and miss, 2 to this less.
const RATE_BITS: u32 = 11;

/// No counter that decides alone is as near to 0 or 1 as this, out of 65,536.
const LEAST_SINGLE: u32 = 32;

/// The counters and weights of a block.
pub(super) struct Mixer {
    /// Those of the first input, then those of the second, and so on.
    counters: Vec<Counter>,
    weights: Vec<[i32; N_INPUTS]>,
    score_weights: Vec<i32>,
    /// Counters that decide alone.
    singles: Vec<Counter>,
}

impl Mixer {
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

    /// A bit that one counter predicts alone.
    pub(super) fn decode_single(&mut self, place: usize, decoder: &mut Decoder<'_>) -> bool {
        let counter = &mut self.singles[place];
        let p = counter.probability().clamp(LEAST_SINGLE, (1 << PROBABILITY_BITS) - LEAST_SINGLE);
        let bit = decoder.pass(false, p);
        counter.update(bit);
        bit
    }

    /// A bit that the counters of these contexts predict together. `node` is the number of the bit in its
    /// code, `set` that of the weights, and `score` what is known beforehand, 0 if nothing is.
    pub(super) fn decode(
        &mut self,
        contexts: &[u32; N_INPUTS],
        (node, set, score): (u32, usize, i32),
        decoder: &mut Decoder<'_>,
    ) -> bool {
        let salt = node.wrapping_mul(0x9e37_79b1);
        let slot = |input: usize| {
            let hash = (contexts[input] ^ salt).wrapping_mul(0x85eb_ca6b);
            input << SLOT_BITS | (hash >> (u32::BITS - SLOT_BITS)) as usize
        };
        let slots: [usize; N_INPUTS] = std::array::from_fn(slot);
        let odds = slots.map(|slot| stretch(self.counters[slot].probability() >> 4));
        let (weights, score_weight) = (&mut self.weights[set], &mut self.score_weights[set]);
        let products = weights.iter().zip(&odds).map(|(weight, odds)| i64::from(weight * odds));
        let sum = (products.sum::<i64>() + i64::from(*score_weight * score)) >> PROBABILITY_BITS;
        let most = i64::from(MOST_ODDS);
        let p = squash(sum.clamp(-most, most) as i32);
        let bit = decoder.pass(false, p);
        let miss = ((i32::from(bit) << PROBABILITY_BITS) - p as i32) >> 2;
        for (weight, odds) in weights.iter_mut().zip(odds) {
            *weight = moved(*weight, odds, miss);
        }
        *score_weight = moved(*score_weight, score, miss);
        for slot in slots {
            self.counters[slot].update(bit);
        }
        bit
    }
}

/// A weight after the input that it weighs has been right or wrong.
fn moved(weight: i32, odds: i32, miss: i32) -> i32 {
    (weight + ((odds * miss + (1 << (RATE_BITS - 1))) >> RATE_BITS)).clamp(-MOST_WEIGHT, MOST_WEIGHT)
}
