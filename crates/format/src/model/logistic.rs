//! Converts logarithms of odds to probabilities (`squash`) and back (`stretch`).
//!
//! ```text
//!   squash(d) = 1 / (1 + e^(−d/128))        in 65,536ths        stretch is its inverse
//! ```
//!
//! Both are tables of integers made by integer arithmetic, so that a file has the same bytes on every
//! machine.

use super::coder::PROBABILITY_BITS;

/// Logarithms of odds are counted in 128ths, and end at this.
pub(super) const MOST_ODDS: i32 = 2047;

/// A single counter is never as sure as a mixture can be.
const MOST_STRETCH: i32 = 1100;

/// No probability is as near to 0 or 1 as this, out of 65,536.
const LEAST: u32 = 16;

/// e to the power of 1/128, with 40 bits behind the point.
const STEP: u128 = 1_108_135_204_352;
const STEP_BITS: u32 = 40;

pub(super) const SQUASH: [u16; 2 * MOST_ODDS as usize + 1] = squash_table();

/// By the upper twelve bits of a probability.
pub(super) const STRETCH: [i16; (1 << 12) + 1] = stretch_table();

/// The probability of a 1 in 65,536ths, by 128ths of the logarithm of its odds.
#[cfg(feature = "parallel")]
#[inline]
pub(super) fn squash(odds: i32) -> u32 {
    static TABLE: [u16; 2 * MOST_ODDS as usize + 1] = SQUASH;
    TABLE[(MOST_ODDS + odds.clamp(-MOST_ODDS, MOST_ODDS)) as usize].into()
}

/// The logarithm of the odds of a 1 in 128ths, by 4,096ths of its probability.
#[inline]
pub(super) fn stretch(p: u32) -> i32 {
    static TABLE: [i16; (1 << 12) + 1] = STRETCH;
    TABLE[p.min((1 << 12) - 1) as usize] as i32
}

const fn squash_table() -> [u16; 2 * MOST_ODDS as usize + 1] {
    let one = 1 << PROBABILITY_BITS;
    let mut table = [0; 2 * MOST_ODDS as usize + 1];
    let mut odds = 1u128 << STEP_BITS;
    let mut d = 0;
    while d <= MOST_ODDS as usize {
        let sum = odds + (1 << STEP_BITS);
        let rounded = (((odds << PROBABILITY_BITS) + sum / 2) / sum) as u32;
        let p = if rounded < one - LEAST { rounded } else { one - LEAST };
        table[MOST_ODDS as usize + d] = p as u16;
        table[MOST_ODDS as usize - d] = (one - p) as u16;
        odds = (odds * STEP) >> STEP_BITS;
        d += 1;
    }
    table
}

const fn stretch_table() -> [i16; (1 << 12) + 1] {
    let squash = squash_table();
    let mut table = [0; (1 << 12) + 1];
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
