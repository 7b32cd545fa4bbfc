//! Encodes bits by their probabilities: the writing half of the range coder.

use super::coder::{Bits, Decoder, N_AHEAD, NARROW, PROBABILITY_BITS};
use std::hint::select_unpredictable;

/// Writes bits.
pub(super) struct Encoder<'a> {
    low: u64,
    range: u32,
    /// The last byte that a carry may still reach; none before the first.
    held: Option<u8>,
    /// How many bytes of ones follow it.
    n_ones: usize,
    bytes: &'a mut Vec<u8>,
}

impl<'a> Encoder<'a> {
    /// Bits that are put behind these bytes.
    pub(super) fn new(bytes: &'a mut Vec<u8>) -> Self {
        Encoder { low: 0, range: u32::MAX, held: None, n_ones: 0, bytes }
    }

    /// Writes what has been held back.
    pub(super) fn finish(mut self) {
        let start = self.bytes.len();
        for _ in 0..=N_AHEAD {
            self.shift();
        }
        let n_ending = self.bytes[start..].iter().rev().take_while(|&&byte| byte == 0).count();
        self.bytes.truncate(self.bytes.len() - n_ending);
    }

    /// Writes the uppermost byte, or holds it back if a carry may still reach it.
    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if carry == 1 || self.low < 0xff00_0000 {
            if let Some(held) = self.held {
                self.bytes.push(held.wrapping_add(carry));
            }
            self.bytes.extend(std::iter::repeat_n(0xff_u8.wrapping_add(carry), self.n_ones));
            self.n_ones = 0;
            self.held = Some((self.low >> 24) as u8);
        } else {
            self.n_ones += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }
}

impl Encoder<'_> {
    /// Writes a bit that is 1 with probability `p`.
    #[inline]
    fn write(&mut self, bit: bool, p: u32) {
        let bound = (self.range >> PROBABILITY_BITS) * p;
        self.low += u64::from(select_unpredictable(bit, 0, bound));
        self.range = select_unpredictable(bit, bound, self.range - bound);
        while self.range < NARROW {
            self.range <<= 8;
            self.shift();
        }
    }
}

/// Keeps bits and their probabilities, to write them afterwards: while a model looks for the next
/// probability, a processor has guessed wrong whether a byte goes out too often.
#[derive(Default)]
pub(super) struct Recorder {
    /// Twice the probability, and the bit.
    bits: Vec<u32>,
}

impl Recorder {
    /// Forgets all bits.
    pub(super) fn begin(&mut self) {
        self.bits.clear();
    }

    /// Makes one of the bits the other one, if there is one of this number.
    #[cfg(test)]
    pub(super) fn flip(&mut self, number: usize) -> bool {
        self.bits.get_mut(number).map(|bit| *bit ^= 1).is_some()
    }

    /// Puts the block behind these bytes.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let mut encoder = Encoder::new(bytes);
        for bit in &self.bits {
            encoder.write(bit & 1 == 1, bit >> 1);
        }
        encoder.finish();
    }

    /// Whether a decoder with the same probabilities reads this block from these bytes, all of them.
    #[must_use]
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        let mut decoder = Decoder::new(bytes);
        let is_read = |bit: &u32| decoder.pass(false, bit >> 1) == (bit & 1 == 1);
        // No branch: a bit that differs is for once, and all others are alike.
        let are_read = self.bits.iter().map(is_read).fold(true, |all, is_read| all & is_read);
        are_read && decoder.is_at_end()
    }
}

impl Bits for Recorder {
    const WRITES: bool = true;

    #[inline]
    fn pass(&mut self, bit: bool, p: u32) -> bool {
        self.bits.push(p << 1 | u32::from(bit));
        bit
    }
}
