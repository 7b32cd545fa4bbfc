//! Encodes and decodes bits by their probabilities: a binary range coder.
//!
//! A range of 32 bits is cut in two by the probability of a 1, and the part of the bit that comes is kept.
//! Whenever the range has become narrow, its uppermost byte is certain but for a carry, and goes out. Zeros
//! at the end are not written: a reader finds zeros where there is nothing any more.
//!
//! Source: G. N. N. Martin, Range encoding: an algorithm for removing redundancy from a digitised message,
//! 1979.

/// Probabilities have 16 bits, and are neither 0 nor 65,536.
pub(super) const PROBABILITY_BITS: u32 = 16;

/// Below this the range is widened by a byte.
const NARROW: u32 = 1 << 24;

/// A decoder has read so many bytes before the first bit.
const N_AHEAD: usize = 4;

/// An encoder or a decoder: bits pass through it into a file or out of one.
pub(super) trait Bits {
    /// Whether bits are written: they are known then.
    const WRITES: bool;

    /// A bit that is 1 with probability `p`: written if bits are written, else read. Answers what it is.
    fn pass(&mut self, bit: bool, p: u32) -> bool;
}

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

/// Reads bits.
pub(super) struct Decoder<'a> {
    /// How far above the lower end of the range the written number is.
    above: u32,
    range: u32,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Decoder<'a> {
    /// The bits that were written as these bytes.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Decoder { above: 0, range: u32::MAX, bytes: bytes.iter() };
        for _ in 0..N_AHEAD {
            decoder.shift();
        }
        decoder
    }

    /// Whether every byte has been read.
    pub(super) fn is_at_end(&self) -> bool {
        self.bytes.len() == 0
    }

    #[inline]
    fn shift(&mut self) {
        self.above = self.above << 8 | u32::from(self.bytes.next().copied().unwrap_or(0));
    }
}

impl Bits for Decoder<'_> {
    const WRITES: bool = false;

    #[inline]
    fn pass(&mut self, _: bool, p: u32) -> bool {
        let bound = (self.range >> PROBABILITY_BITS) * p;
        let bit = self.above < bound;
        if bit {
            self.range = bound;
        } else {
            self.above = self.above.wrapping_sub(bound);
            self.range -= bound;
        }
        while self.range < NARROW {
            self.range <<= 8;
            self.shift();
        }
        bit
    }
}
