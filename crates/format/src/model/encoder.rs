//! Encodes bits by their probabilities: the writing half of the range coder.

use super::coder::{Bits, N_AHEAD, NARROW, PROBABILITY_BITS};

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

impl Bits for Encoder<'_> {
    const WRITES: bool = true;

    #[inline]
    fn pass(&mut self, bit: bool, p: u32) -> bool {
        let bound = (self.range >> PROBABILITY_BITS) * p;
        if bit {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        while self.range < NARROW {
            self.range <<= 8;
            self.shift();
        }
        bit
    }
}
