//! Counts bits in one context, as versions 5 and 6 have it: a probability that moves towards each bit.
//!
//! At first a counter moves far, and less with every bit, until it has seen so many that it goes on at one
//! rate.

use crate::model::coder::PROBABILITY_BITS;
use std::hint::select_unpredictable;

/// After so many bits a counter goes on as if it had seen no more.
const MOST_SEEN: usize = 20;

/// The lower bits of a counter hold how many bits it has seen, the upper ones the probability of a 1.
const SEEN_BITS: u32 = 10;

/// The probability of a bit that is certain.
const CERTAIN: i32 = (1 << (u32::BITS - SEEN_BITS)) - 1;

/// How far a counter moves towards a bit, in 65,536ths, by how many it has seen.
static RATES: [u32; 32] = rates();

/// The probability of a 1 in 22 bits, and how many bits have been seen.
#[derive(Clone, Copy)]
pub(super) struct Counter(u32);

impl Counter {
    /// A counter that has seen nothing: both bits are as likely.
    pub(super) const NEW: Counter = Counter(1 << 31);

    /// The probability of a 1 in 65,536ths.
    #[inline]
    pub(super) fn probability(self) -> u32 {
        self.0 >> PROBABILITY_BITS
    }

    /// Moves the probability towards a bit.
    #[inline]
    pub(super) fn update(&mut self, bit: bool) {
        let (p, n_seen) = ((self.0 >> SEEN_BITS) as i32, self.0 & ((1 << SEEN_BITS) - 1));
        let (rate, way) = (RATES[n_seen as usize] as i32, select_unpredictable(bit, CERTAIN, 0) - p);
        // way × rate >> 16 in two halves, because the product has 39 bits.
        let p = p + (((way >> 8) * rate + (((way & 0xff) * rate) >> 8)) >> 8);
        self.0 = (p as u32) << SEEN_BITS | (n_seen + 1).min(MOST_SEEN as u32);
    }
}

const fn rates() -> [u32; 32] {
    let mut rates = [0; 32];
    let mut n_seen = 0;
    while n_seen < rates.len() {
        rates[n_seen] = (2 << 16) / (2 * n_seen as u32 + 3);
        n_seen += 1;
    }
    rates
}
