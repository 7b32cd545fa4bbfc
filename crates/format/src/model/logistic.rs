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
#[inline]
pub(super) fn squash(odds: i32) -> u32 {
    SQUASH[(MOST_ODDS + odds.clamp(-MOST_ODDS, MOST_ODDS)) as usize].into()
}

/// The logarithm of the odds of a 1 in 128ths, by 4,096ths of its probability.
#[inline]
pub(super) fn stretch(p: u32) -> i32 {
    STRETCH[p.min((1 << 12) - 1) as usize].into()
}

/// The probability of so many 128ths of the logarithm of odds, at least 0, with so many bits behind the
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
