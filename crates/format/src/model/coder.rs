//! Decodes bits by their probabilities, and says what a binary range coder does; `encoder` is its other
//! half.
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
pub(super) const NARROW: u32 = 1 << 24;

/// A decoder has read so many bytes before the first bit.
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
