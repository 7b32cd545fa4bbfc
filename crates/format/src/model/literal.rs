//! Predicts the bits of a literal, a code that is neither guess: the nearer to a guess, the likelier.
//!
//! Values of neighbours differ by an even number of plies nearly always, and seldom by many. A code that is
//! `2k` above or below the guess weighs 1 + 4,200 / (k (k + 1)); any other that is a win or a loss weighs 2,
//! a draw 60, and what has been ruled out nothing. The bits of a code halve what is left of the codes, and
//! the sums of both halves are the odds of a bit.

use super::logistic::stretch;
use std::sync::LazyLock;

/// Codes of more bits are too many for the sums.
const MOST_BITS: u32 = 10;

/// The lowest code of a win or a loss; draws are below.
const FIRST_DECIDED: u32 = 3;

const NEAR: u32 = 4_200;
const WEIGHT_OF_DRAW: u32 = 60;
const WEIGHT_OF_OTHERS: u32 = 2;

/// The sums of the weights from far below the guess to so many steps above it.
static SUMS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let most = 1i32 << MOST_BITS;
    let weights = (-most..most).map(|k| weight(k.unsigned_abs()));
    let mut sum = 0;
    std::iter::once(0)
        .chain(weights.map(|weight| {
            sum += weight;
            sum
        }))
        .collect()
});

/// The weight of a code so many steps of two from the guess.
fn weight(steps: u32) -> u32 {
    if steps == 0 { 0 } else { 1 + NEAR / (steps * (steps + 1)) }
}

/// A guess near which the code lies, and the codes that it cannot be.
#[derive(Clone, Copy)]
pub(super) struct LiteralPredictor {
    /// The guess that is a win or a loss.
    guess: u32,
    /// The codes that it cannot be.
    ruled_out: [Option<u32>; 2],
}

impl LiteralPredictor {
    /// For a code of so many bits that is neither of these; none if neither is a win or a loss.
    pub(super) fn new(first: u16, second: Option<u16>, n_bits: u32) -> Option<Self> {
        let ruled_out = [Some(first), second].map(|code| code.map(u32::from));
        let guess = ruled_out.into_iter().flatten().find(|&code| code >= FIRST_DECIDED)?;
        (n_bits <= MOST_BITS).then_some(LiteralPredictor { guess, ruled_out })
    }

    /// The logarithm of the odds that the next bit is 1, in 128ths: it divides codes of two kinds. Each kind
    /// is even or odd codes of a range.
    pub(super) fn score(&self, zero: (u32, [u32; 2]), one: (u32, [u32; 2])) -> i32 {
        let (zero, one) = (self.sum(zero), self.sum(one));
        stretch((one + 1) * (1 << 12) / (zero + one + 2))
    }

    /// The weights of all codes of a range that are even (0) or odd (1).
    fn sum(&self, (parity, [start, end]): (u32, [u32; 2])) -> u32 {
        let is_in = |code: u32| code % 2 == parity && (start..end).contains(&code);
        let draws = (1..FIRST_DECIDED).filter(|&code| is_in(code)).count() as u32 * WEIGHT_OF_DRAW;
        let from = start.max(FIRST_DECIDED);
        let from = from + (from + parity) % 2;
        let n = end.saturating_sub(from).div_ceil(2);
        let decided = if parity == self.guess % 2 {
            let zero = 1 << MOST_BITS;
            let first = zero + (from as i32 - self.guess as i32) / 2;
            SUMS[first as usize + n as usize] - SUMS[first as usize]
        } else {
            n * WEIGHT_OF_OTHERS
        };
        let out = self.ruled_out.iter().flatten().filter(|&&code| is_in(code)).map(|&code| self.weight(code));
        draws + decided - out.sum::<u32>()
    }

    /// The weight of a code as if it were not ruled out.
    fn weight(&self, code: u32) -> u32 {
        match code {
            0 => 0,
            1..FIRST_DECIDED => WEIGHT_OF_DRAW,
            _ if code % 2 == self.guess % 2 => weight(code.abs_diff(self.guess) / 2),
            _ => WEIGHT_OF_OTHERS,
        }
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
                    .filter(|&code| near.ruled_out.iter().all(|&out| out != Some(code)))
                    .map(|code| near.weight(code))
                    .sum();
                assert_eq!(near.sum((parity, range)), expected, "{first} {second:?} {parity} {range:?}");
            }
        }
    }

    #[test]
    fn two_plies_away_is_likelier_than_twenty() {
        let near = LiteralPredictor::new(41, None, 8).unwrap();
        assert!(near.score((1, [43, 45]), (1, [61, 63])) < -300);
        assert!(near.score((0, [0, 256]), (1, [0, 256])) > 300, "a win stays one");
        assert!(LiteralPredictor::new(1, Some(2), 8).is_none());
        assert!(LiteralPredictor::new(41, None, 11).is_none());
    }
}
