//! How likely the next bit is to be 1: counters of what was seen in like circumstances, and a mixture of what
//! they say.
//!
//! Eight counters, each found by a hash of other circumstances, give a probability. They are added up as
//! logarithms of odds, each with a weight, and the weights move towards those counters that turn out to have
//! been right.
//!
//! ```text
//!   p = squash( Σ weight × stretch(counter) )        weight += rate × stretch(counter) × (bit − p)
//! ```
//!
//! Of some bits a score is known beforehand, in logarithms of odds too: it is one more voice, with weights of
//! its own.
//!
//! Everything is an integer, so that a file has the same bytes on every machine. No counter knows
//! anything before the first bit of a block.
//!
//! Source: M. Mahoney, Adaptive weighing of context models for lossless data compression, 2005, for the
//! mixture.

use super::coder::{Bits, PROBABILITY_BITS};
use std::sync::LazyLock;

/// How many counters have a say in a bit.
pub(super) const N_INPUTS: usize = 8;

/// Counters of one kind of circumstances: 2 to this.
const SLOT_BITS: u32 = 15;

/// After so many bits a counter goes on as if it had seen no more.
const MOST_SEEN: u32 = 20;

/// A counter has the probability of a 1 in 22 bits, and in the lower ten how many bits it has seen.
const FRESH: u32 = 1 << 31;
const SEEN_BITS: u32 = 10;

/// Weights of 1.0, and what they begin with.
const WEIGHT_BITS: u32 = 16;
const FIRST_WEIGHT: i32 = 14_000;
const FIRST_WEIGHT_OF_SCORE: i32 = 30_000;
/// Weights stay below 16.0, so that no product overflows whatever a file holds.
const MOST_WEIGHT: i32 = 1 << 20;

/// Logarithms of odds are counted in 128ths, and end at this.
pub(super) const MOST_ODDS: i32 = 2047;
/// A single counter is never as sure as a mixture can be.
const MOST_STRETCH: i32 = 1100;
/// No probability is as near to 0 or 1 as this, out of 65,536.
const LEAST: u32 = 16;
const LEAST_SINGLE: u32 = 32;

/// e to the power of 1/128, with 40 bits behind the point.
const STEP: u128 = 1_108_135_204_352;
const STEP_BITS: u32 = 40;

/// The curves that lead from logarithms of odds to probabilities and back.
struct Curves {
    squash: [u32; 2 * MOST_ODDS as usize + 1],
    /// By the upper twelve bits of a probability.
    stretch: [i16; 1 << 12],
    /// How far a counter goes towards a bit, in 65,536ths, by how many it has seen.
    rates: [u32; MOST_SEEN as usize + 1],
}

static CURVES: LazyLock<Curves> = LazyLock::new(|| {
    let one = 1 << PROBABILITY_BITS;
    let (mut squash, mut odds) = ([0; 2 * MOST_ODDS as usize + 1], 1u128 << STEP_BITS);
    for d in 0..=MOST_ODDS as usize {
        let sum = odds + (1 << STEP_BITS);
        let p = (((odds << PROBABILITY_BITS) + sum / 2) / sum) as u32;
        squash[MOST_ODDS as usize + d] = p.min(one - LEAST);
        squash[MOST_ODDS as usize - d] = one - p.min(one - LEAST);
        odds = (odds * STEP) >> STEP_BITS;
    }
    let (mut stretch, mut d) = ([0; 1 << 12], -MOST_STRETCH);
    for (p, stretch) in (0..).map(|place| 16 * place + 8).zip(&mut stretch) {
        while d < MOST_STRETCH && squash[(MOST_ODDS + d) as usize] < p {
            d += 1;
        }
        *stretch = d as i16;
    }
    Curves { squash, stretch, rates: std::array::from_fn(|n| (2 << 16) / (2 * n as u32 + 3)) }
});

/// The counters and weights of a block.
pub(super) struct Mixture {
    /// For each kind of circumstances its counters.
    slots: Vec<u32>,
    weights: Vec<[i32; N_INPUTS]>,
    /// The weights of what is known beforehand.
    weights_of_score: Vec<i32>,
    /// Counters that decide alone.
    singles: Vec<u32>,
    curves: &'static Curves,
}

impl Mixture {
    /// With so many sets of weights and so many counters that decide alone.
    pub(super) fn new(n_sets: usize, n_singles: usize) -> Self {
        Mixture {
            slots: vec![FRESH; N_INPUTS << SLOT_BITS],
            weights: vec![[FIRST_WEIGHT; N_INPUTS]; n_sets],
            weights_of_score: vec![FIRST_WEIGHT_OF_SCORE; n_sets],
            singles: vec![FRESH; n_singles],
            curves: &CURVES,
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.slots.fill(FRESH);
        self.weights.fill([FIRST_WEIGHT; N_INPUTS]);
        self.weights_of_score.fill(FIRST_WEIGHT_OF_SCORE);
        self.singles.fill(FRESH);
    }

    /// A bit about which one counter decides.
    pub(super) fn pass_single<B: Bits>(&mut self, place: usize, bit: bool, bits: &mut B) -> bool {
        let slot = &mut self.singles[place];
        let p = (*slot >> PROBABILITY_BITS).clamp(LEAST_SINGLE, (1 << PROBABILITY_BITS) - LEAST_SINGLE);
        let bit = bits.pass(bit, p);
        learn(slot, bit, self.curves);
        bit
    }

    /// A bit about which the counters decide together that are found by these circumstances and the `node`,
    /// which tells which bit it is; the `score` is what is known beforehand, 0 if nothing is.
    #[inline]
    pub(super) fn pass<B: Bits>(
        &mut self,
        circumstances: &[u32; N_INPUTS],
        (node, set, score): (u32, usize, i32),
        bit: bool,
        bits: &mut B,
    ) -> bool {
        let salt = node.wrapping_mul(0x9e37_79b1);
        let weights = &mut self.weights[set];
        let (mut places, mut odds, mut sum) = ([0; N_INPUTS], [0; N_INPUTS], 0);
        for input in 0..N_INPUTS {
            let hash = (circumstances[input] ^ salt).wrapping_mul(0x85eb_ca6b);
            places[input] = input << SLOT_BITS | (hash >> (u32::BITS - SLOT_BITS)) as usize;
            odds[input] = i32::from(self.curves.stretch[(self.slots[places[input]] >> 20) as usize]);
            sum += i64::from(weights[input] * odds[input]);
        }
        sum += i64::from(self.weights_of_score[set] * score);
        let d = (sum >> WEIGHT_BITS).clamp(-i64::from(MOST_ODDS), i64::from(MOST_ODDS)) as i32;
        let p = self.curves.squash[(MOST_ODDS + d) as usize];
        let bit = bits.pass(bit, p);
        let miss = ((i32::from(bit) << PROBABILITY_BITS) - p as i32) >> 2;
        for input in 0..N_INPUTS {
            weights[input] = moved(weights[input], odds[input], miss);
            learn(&mut self.slots[places[input]], bit, self.curves);
        }
        let weight = &mut self.weights_of_score[set];
        *weight = moved(*weight, score, miss);
        bit
    }
}

/// The probability of a 1 in 65,536ths, by 128ths of the logarithm of its odds.
pub(super) fn squash(odds: i32) -> u32 {
    CURVES.squash[(MOST_ODDS + odds.clamp(-MOST_ODDS, MOST_ODDS)) as usize]
}

/// The other way round, by 4,096ths of a probability.
pub(super) fn stretch(p: u32) -> i32 {
    i32::from(CURVES.stretch[p.min((1 << 12) - 1) as usize])
}

/// A weight after what it weighs has been right or wrong.
#[inline]
fn moved(weight: i32, odds: i32, miss: i32) -> i32 {
    (weight + ((odds * miss + (1 << 10)) >> 11)).clamp(-MOST_WEIGHT, MOST_WEIGHT)
}

/// Moves a counter towards a bit.
#[inline]
fn learn(slot: &mut u32, bit: bool, curves: &Curves) {
    let (p, n_seen) = (i64::from(*slot >> SEEN_BITS), *slot & ((1 << SEEN_BITS) - 1));
    let goal = if bit { (1 << (u32::BITS - SEEN_BITS)) - 1 } else { 0 };
    let p = p + (((goal - p) * i64::from(curves.rates[n_seen as usize])) >> 16);
    *slot = (p as u32) << SEEN_BITS | (n_seen + 1).min(MOST_SEEN);
}
