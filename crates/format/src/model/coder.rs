//! Decodes bits by their probabilities, and says what a binary range coder does; `encoder` is its other
//! half.
//!
//! A range of 32 bits is cut in two by the probability of a 1, and the part of the bit that comes is kept.
//! Whenever the range has become narrow, its uppermost byte is certain but for a carry, and goes out. Zeros
//! at the end are not written: a reader finds zeros where there is nothing any more.
//!
//! Source: G. N. N. Martin, Range encoding: an algorithm for removing redundancy from a digitised message,
//! 1979.

use std::hint::select_unpredictable;

/// Probabilities have 16 bits, and are neither 0 nor 65,536.
pub(super) const PROBABILITY_BITS: u32 = 16;

/// Below this the range is widened by a byte.
#[cfg(feature = "parallel")]
pub(super) const NARROW: u32 = 1 << 24;

/// A decoder has read this many bytes before the first bit.
pub(super) const N_AHEAD: usize = 4;

/// An encoder or a decoder: bits pass through it into a file or out of one.
pub(super) trait Bits {
    /// Whether bits are written: they are known then.
    const WRITES: bool;

    /// A bit that is 1 with probability `p`: written if bits are written, else read. Answers what it is.
    fn pass(&mut self, bit: bool, p: u32) -> bool;
}

/// Reads bits.
pub(super) struct Decoder<'a> {
    /// How far above the lower end of the range the written number is.
    above: u32,
    range: u32,
    bytes: &'a [u8],
    /// How many bytes have been read, those behind the end too.
    n_read: usize,
}

impl<'a> Decoder<'a> {
    /// The bits that were written as these bytes.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let decoder = Decoder { above: 0, range: u32::MAX, bytes, n_read: 0 };
        Decoder { above: decoder.next(), n_read: N_AHEAD, ..decoder }
    }

    /// Whether every byte has been read.
    pub(super) fn is_at_end(&self) -> bool {
        self.n_read >= self.bytes.len()
    }

    /// The next bytes, the first one the highest.
    #[inline]
    fn next(&self) -> u32 {
        match self.bytes.get(self.n_read..).and_then(|rest| rest.first_chunk()) {
            Some(&bytes) => u32::from_be_bytes(bytes),
            None => self.last(),
        }
    }

    /// Like [`Self::next`] where fewer than four bytes are left.
    #[cold]
    fn last(&self) -> u32 {
        let rest = self.bytes.get(self.n_read..).unwrap_or_default();
        (0..N_AHEAD).fold(0, |next, at| next << 8 | u32::from(rest.get(at).copied().unwrap_or(0)))
    }
}

impl Bits for Decoder<'_> {
    const WRITES: bool = false;

    #[inline]
    fn pass(&mut self, _: bool, p: u32) -> bool {
        let bound = (self.range >> PROBABILITY_BITS) * p;
        let bit = self.above < bound;
        let range = select_unpredictable(bit, bound, self.range - bound);
        let above = select_unpredictable(bit, self.above, self.above.wrapping_sub(bound));
        // As many whole bytes as make the range wide again, without a branch: two at most, because no
        // probability is below 16.
        let n_bits = range.leading_zeros() & !7;
        let both = u64::from(above) << u32::BITS | u64::from(self.next());
        (self.above, self.range) = ((both << n_bits >> u32::BITS) as u32, range << n_bits);
        self.n_read += n_bits as usize / 8;
        bit
    }
}

/// Writes bits.
#[cfg(feature = "parallel")]
pub(super) struct Encoder<'a> {
    low: u64,
    range: u32,
    /// The last byte that a carry may still reach; none before the first.
    held: Option<u8>,
    /// How many bytes of ones follow it.
    n_ones: usize,
    bytes: &'a mut Vec<u8>,
}

#[cfg(feature = "parallel")]
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

#[cfg(feature = "parallel")]
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
#[cfg(feature = "parallel")]
#[derive(Default)]
pub(super) struct Recorder {
    /// Twice the probability, and the bit.
    bits: Vec<u32>,
}

#[cfg(feature = "parallel")]
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

#[cfg(feature = "parallel")]
impl Bits for Recorder {
    const WRITES: bool = true;

    #[inline]
    fn pass(&mut self, bit: bool, p: u32) -> bool {
        self.bits.push(p << 1 | u32::from(bit));
        bit
    }
}
