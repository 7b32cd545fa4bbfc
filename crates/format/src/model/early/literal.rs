//! Predicts the bits of a literal, a code that is neither guess: the nearer to a guess, the likelier.
//!
//! Values of neighbours differ by an even number of plies nearly always, and seldom by many. A code that is
//! `2k` above or below the guess weighs 1 + 4,200 / (k (k + 1)); any other that is a win or a loss weighs 2,
//! a draw 60, and what has been ruled out nothing. The bits of a code halve what is left of the codes, and
//! the sums of both halves are the odds of a bit.

use crate::model::logistic::stretch;
use std::hint::select_unpredictable;

/// Codes of more bits are too many for the sums.
const MOST_BITS: u32 = 10;

/// The lowest code of a win or a loss; draws are below.
const FIRST_DECIDED: u32 = 3;

const NEAR: u32 = 4_200;
const WEIGHT_OF_DRAW: u32 = 60;
const WEIGHT_OF_OTHERS: u32 = 2;

/// Where the sums have the guess itself.
const MIDDLE: u32 = 1 << MOST_BITS;

/// The sums of the weights from far below the guess to so many steps above it.
static SUMS: [u32; 2 * MIDDLE as usize + 1] = sums();

const fn sums() -> [u32; 2 * MIDDLE as usize + 1] {
    let mut sums = [0; 2 * MIDDLE as usize + 1];
    let mut place = 0;
    while place + 1 < sums.len() {
        sums[place + 1] = sums[place] + weight((place as u32).abs_diff(MIDDLE));
        place += 1;
    }
    sums
}

/// The weight of a code so many steps of two from the guess.
const fn weight(steps: u32) -> u32 {
    if steps == 0 { 0 } else { 1 + NEAR / (steps * (steps + 1)) }
}

/// A guess near which the code lies, and the codes that it cannot be.
#[derive(Clone, Copy)]
pub(super) struct LiteralPredictor {
    /// The guess that is a win or a loss.
    guess: u32,
    /// The codes that it cannot be, and what each would weigh; none weighs nothing.
    ruled_out: [(u32, u32); 2],
}

impl LiteralPredictor {
    /// For a code of so many bits that is neither of these; none if neither is a win or a loss.
    #[inline]
    pub(super) fn new(first: u16, second: Option<u16>, n_bits: u32) -> Option<Self> {
        let codes = [Some(first), second].map(|code| code.map(u32::from));
        let guess = codes.into_iter().flatten().find(|&code| code >= FIRST_DECIDED)?;
        if n_bits > MOST_BITS {
            return None;
        }
        let ruled_out = codes.map(|code| code.map_or((0, 0), |code| (code, weight_near(guess, code))));
        Some(LiteralPredictor { guess, ruled_out })
    }

    /// The logarithm of the odds that the next bit is 1, in 128ths, by the weights of the codes that have a 0
    /// there and a 1.
    #[inline]
    pub(super) fn score([zero, one]: [u32; 2]) -> i32 {
        stretch((one + 1) * (1 << 12) / (zero + one + 2))
    }

    /// The weights of all codes of a range that are even (0) or odd (1). No branch: which codes they are
    /// depends on bits that may be anything.
    #[inline]
    pub(super) fn sum(&self, parity: u32, [start, end]: [u32; 2]) -> u32 {
        let is_in =
            |code: u32| u32::from(code % 2 == parity) & u32::from(code.wrapping_sub(start) < end - start);
        // Of the two codes of draws one is even and one odd.
        let draws = is_in(FIRST_DECIDED - 1 - parity) * WEIGHT_OF_DRAW;
        let from = start.max(FIRST_DECIDED);
        let from = from + (from + parity) % 2;
        let n = end.saturating_sub(from).div_ceil(2);
        let first = MIDDLE.wrapping_add_signed((from as i32 - self.guess as i32) >> 1);
        let near = SUMS[(first + n) as usize] - SUMS[first as usize];
        let decided = select_unpredictable(parity == self.guess % 2, near, n * WEIGHT_OF_OTHERS);
        let [one, other] = self.ruled_out.map(|(code, weight)| is_in(code) * weight);
        draws + decided - one - other
    }
}

/// The weight of a code near a guess, as if it were not ruled out.
const fn weight_near(guess: u32, code: u32) -> u32 {
    match code {
        0 => 0,
        1..FIRST_DECIDED => WEIGHT_OF_DRAW,
        _ if code % 2 == guess % 2 => weight(code.abs_diff(guess) / 2),
        _ => WEIGHT_OF_OTHERS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_single_codes() {
        for (first, second) in
            [(9, Some(11)), (4, None), (1, Some(30)), (255, Some(2)), (3, Some(255)), (700, Some(1))]
        {
            let near = LiteralPredictor::new(first, second, 10).unwrap();
            for (parity, range) in
                [(0, [0, 1024]), (1, [0, 1024]), (1, [0, 4]), (0, [2, 3]), (0, [4, 12]), (1, [254, 701])]
            {
                let codes = (range[0]..range[1]).filter(|&code| code % 2 == parity);
                let expected: u32 = codes
                    .filter(|&code| {
                        [Some(first), second].iter().flatten().all(|&out: &u16| u32::from(out) != code)
                    })
                    .map(|code| weight_near(near.guess, code))
                    .sum();
                assert_eq!(near.sum(parity, range), expected, "{first} {second:?} {parity} {range:?}");
            }
        }
    }

    #[test]
    fn two_plies_away_is_likelier_than_twenty() {
        let near = LiteralPredictor::new(41, None, 8).unwrap();
        let score = |zero: (u32, [u32; 2]), one: (u32, [u32; 2])| {
            LiteralPredictor::score([zero, one].map(|(parity, range)| near.sum(parity, range)))
        };
        assert!(score((1, [43, 45]), (1, [61, 63])) < -300);
        assert!(score((0, [0, 256]), (1, [0, 256])) > 300, "a win stays one");
        assert!(LiteralPredictor::new(1, Some(2), 8).is_none());
        assert!(LiteralPredictor::new(41, None, 11).is_none());
    }
}
