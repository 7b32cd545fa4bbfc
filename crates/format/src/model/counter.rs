//! Counts bits in one context: an adaptive probability that moves towards each bit that comes.
//!
//! At first a counter moves far, and less with every bit, until it has seen so many that it goes on at one
//! rate.

use super::coder::PROBABILITY_BITS;

/// After so many bits a counter goes on as if it had seen no more.
const MOST_SEEN: usize = 20;

/// The lower bits of a counter hold how many bits it has seen, the upper ones the probability of a 1.
const SEEN_BITS: u32 = 10;

/// How far a counter moves towards a bit, in 65,536ths, by how many it has seen.
static RATES: [u32; MOST_SEEN + 1] = rates();

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

    /// The upper twelve bits of the probability.
    #[inline]
    pub(super) fn coarse_probability(self) -> u32 {
        self.0 >> 20
    }

    /// Moves the probability towards a bit.
    #[inline]
    pub(super) fn update(&mut self, bit: bool) {
        let (p, n_seen) = (i64::from(self.0 >> SEEN_BITS), self.0 & ((1 << SEEN_BITS) - 1));
        let goal = if bit { (1 << (u32::BITS - SEEN_BITS)) - 1 } else { 0 };
        let p = p + (((goal - p) * i64::from(RATES[n_seen as usize])) >> 16);
        self.0 = (p as u32) << SEEN_BITS | (n_seen + 1).min(MOST_SEEN as u32);
    }
}

const fn rates() -> [u32; MOST_SEEN + 1] {
    let mut rates = [0; MOST_SEEN + 1];
    let mut n_seen = 0;
    while n_seen <= MOST_SEEN {
        rates[n_seen] = (2 << 16) / (2 * n_seen as u32 + 3);
        n_seen += 1;
    }
    rates
}
