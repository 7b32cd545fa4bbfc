//! Mixes the odds of counters into the probability that the next bit is 1, and learns from the bit.
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

use super::coder::{Bits, PROBABILITY_BITS};
use super::counter::{Counter, Lesson, NEW, SEEN_BITS, Transitions};
use super::logistic::squash;
use std::hint::select_unpredictable;
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

/// The vectors multiply with a miss of so many bits less, and shift by 15.
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

    /// With so many sets of weights.
    pub(super) fn new(n_sets: usize) -> Self {
        Mixer {
            counters: vec![[NEW; N_SLOTS]; N_INPUTS].try_into().expect("so many inputs"),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits that all come, and keeps their probabilities.
    struct Known(Vec<u32>);

    impl Bits for Known {
        const WRITES: bool = true;

        fn pass(&mut self, bit: bool, p: u32) -> bool {
            self.0.push(p);
            bit
        }
    }

    /// The arithmetic of one bit as the page of the format has it, one input after the other.
    fn plain(weights: &mut [i32; 9], odds: [i32; 8], score: i32, bit: bool) -> u32 {
        let sum: i32 = (0..8).map(|input| weights[input] * odds[input]).sum();
        let p = squash((sum >> 16) + ((weights[8] * score) >> 12));
        let miss = ((i32::from(bit) << 16) - p as i32) >> 6;
        if (-23..24).contains(&miss) {
            return p;
        }
        for input in 0..8 {
            let moved = weights[input] + ((odds[input] * miss + (1 << 14)) >> 15);
            weights[input] = moved.clamp(-16_383, 16_383);
        }
        weights[8] = (weights[8] + ((score * miss + (1 << 10)) >> 11)).clamp(-16_383, 16_383);
        p
    }

    #[test]
    fn vectors_mix_as_single_numbers_do() {
        let mut mixer = Mixer::new(1);
        let (mut weights, mut counters) = ([875; 9], [NEW; 8]);
        weights[8] = 1875;
        let (mut known, mut expected) = (Known(Vec::new()), Vec::new());
        for step in 0..20_000u32 {
            // What comes is even for long, and then at random, so that weights go far.
            let number = step.wrapping_mul(2_654_435_761) >> 16;
            let bit = if step % 4000 < 3000 { step % 8000 < 4000 } else { number & 1 == 1 };
            let score = (number % 3001) as i32 - 1500;
            expected.push(plain(&mut weights, counters.map(i32::from), score, bit));
            mixer.pass(u16x8::splat(7), (0, 0, score), bit, &mut known);
            let miss = ((i32::from(bit) << 16) - known.0[step as usize] as i32) >> 6;
            if miss.abs() >= LEAST_MISS {
                counters = mixer.transitions.after(Lesson::bit(bit), i16x8::new(counters));
            }
        }
        assert!(known.0 == expected);
        assert!(known.0.iter().any(|&p| p < 2_000) && known.0.iter().any(|&p| p > 63_500));
    }

    #[test]
    fn a_node_has_counters_of_its_own() {
        let (mut mixer, mut known) = (Mixer::new(1), Known(Vec::new()));
        for _ in 0..20 {
            mixer.pass(u16x8::splat(1), (0, 0, 0), true, &mut known);
        }
        mixer.pass(u16x8::splat(1), (1, 0, 0), true, &mut known);
        assert!(known.0[19] > 60_000 && known.0[20] == 1 << 15, "{:?}", known.0);
    }
}
