//! Computes with the words of a lane: one bit for each square of the lane man.
//!
//! Boards of up to 64 squares have words of 64 bits, larger ones words of 128, and every kernel is compiled
//! for both. Most of what kernels do takes the bits as they are, so it is done to *halves* of 64 bits, of
//! which a word has one or two: the loops over halves become vector instructions whatever the word. Where
//! bits change places, several words are taken at once as a [`Pack`].

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// A word: `u64` or `u128`.
pub trait Word:
    Copy
    + Eq
    + Default
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + Pack<Word = Self>
{
    /// How many bits it has.
    const BITS: usize;
    /// How many halves of 64 bits.
    const HALVES: usize;
    /// No bit.
    const ZERO: Self;
    /// Every bit.
    const ONES: Self;
    /// Eight words.
    type Eight: Pack<Word = Self>;

    /// The word with this bit only.
    fn bit(at: usize) -> Self;

    /// Whether it has this bit.
    fn has(self, at: usize) -> bool;

    /// Its bits as a large number; a word with bits of their own for all of `bits`.
    fn from_bits(bits: u128) -> Self;

    /// How many bits are set.
    fn n_bits(self) -> usize;

    /// The lowest bit that is set; [`Self::BITS`] if none is.
    fn lowest(self) -> usize;

    /// The word without its lowest bit.
    #[must_use]
    fn without_lowest(self) -> Self;

    /// One of its halves, the lower one first.
    fn half(self, half: usize) -> u64;

    /// The word whose half at `half` is this one and that has no other bits.
    fn from_half(half: usize, bits: u64) -> Self;

    /// All ones if `is` holds, else zero.
    #[inline(always)]
    fn when(is: bool) -> Self {
        if is { Self::ONES } else { Self::ZERO }
    }

    /// The bits that are set, from the lowest.
    #[inline]
    fn bits(self) -> impl Iterator<Item = usize> {
        let mut rest = self;
        std::iter::from_fn(move || {
            (rest != Self::ZERO).then(|| {
                let at = rest.lowest();
                rest = rest.without_lowest();
                at
            })
        })
    }

    /// Words as their halves.
    fn halves(words: &[Self]) -> &[u64];

    /// Words as their halves, to be changed.
    fn halves_mut(words: &mut [Self]) -> &mut [u64];

    /// The halves of as many words as a word has bits, each with the bit of its own number only.
    fn own_bits() -> &'static [u64];

    /// Eight words of which each has one bit, from the bit `first`, a multiple of eight, on.
    fn diagonal(first: usize) -> Self::Eight;

    /// Eight words taken together.
    fn pack(words: &[Self; 8]) -> Self::Eight;

    /// Eight words, each by itself again.
    fn unpack(pack: Self::Eight) -> [Self; 8];
}

/// See [`Word::own_bits`].
const fn own_bits<const N: usize>(halves: usize) -> [u64; N] {
    let mut bits = [0; N];
    let mut word = 0;
    while word < N / halves {
        bits[word * halves + word / 64] = 1 << (word % 64);
        word += 1;
    }
    bits
}

/// Eight numbers: a loop, which becomes instructions of the kernel that it stands in, as calls of functions
/// do not.
#[inline(always)]
fn eight(number: impl Fn(usize) -> u64) -> [u64; 8] {
    let mut numbers = [0; 8];
    for (i, slot) in numbers.iter_mut().enumerate() {
        *slot = number(i);
    }
    numbers
}

/// Whether any of these words has a bit.
#[inline(always)]
pub fn is_full<W: Word>(words: &[W]) -> bool {
    let mut any = 0;
    // A loop, which becomes instructions of the kernel that it stands in.
    for &half in W::halves(words) {
        any |= half;
    }
    any != 0
}

/// One word or several, of which every one goes the same way.
pub trait Pack: Copy {
    /// What it is made of.
    type Word: Word;
    /// Every word the same.
    fn splat(word: Self::Word) -> Self;
    /// The bits that both have.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// The bits that either has.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// The bits that this one has and the other does not.
    #[must_use]
    fn and_not(self, other: Self) -> Self;
    /// Moves every word's bits up by `by` places, or down if it is negative; those that leave the word are
    /// lost.
    #[must_use]
    fn moved(self, by: i32) -> Self;
    /// Every word's bits in reverse order.
    #[must_use]
    fn reversed(self) -> Self;
}

macro_rules! word {
    ($word:ty, $halves:expr) => {
        const BITS: usize = <$word>::BITS as usize;
        const HALVES: usize = $halves;
        const ZERO: Self = 0;
        const ONES: Self = <$word>::MAX;

        #[inline(always)]
        fn bit(at: usize) -> Self {
            1 << at
        }

        #[inline(always)]
        fn has(self, at: usize) -> bool {
            self >> at & 1 == 1
        }

        #[inline(always)]
        fn n_bits(self) -> usize {
            self.count_ones() as usize
        }

        #[inline(always)]
        fn lowest(self) -> usize {
            self.trailing_zeros() as usize
        }

        #[inline(always)]
        fn without_lowest(self) -> Self {
            self & self.wrapping_sub(1)
        }

        #[inline(always)]
        fn half(self, half: usize) -> u64 {
            (self >> (64 * half)) as u64
        }

        #[inline(always)]
        fn from_half(half: usize, bits: u64) -> Self {
            Self::from(bits) << (64 * half)
        }
    };
}

impl Word for u64 {
    word!(u64, 1);
    type Eight = [u64; 8];

    fn from_bits(bits: u128) -> Self {
        assert!(bits <= u128::from(u64::MAX), "{bits:#x} in 64 bits");
        bits as u64
    }

    #[inline(always)]
    fn halves(words: &[Self]) -> &[u64] {
        words
    }

    #[inline(always)]
    fn halves_mut(words: &mut [Self]) -> &mut [u64] {
        words
    }

    #[inline(always)]
    fn own_bits() -> &'static [u64] {
        static OWN: [u64; 64] = own_bits(1);
        &OWN
    }

    #[inline(always)]
    fn diagonal(first: usize) -> [u64; 8] {
        eight(|i| 1 << (first + i))
    }

    #[inline(always)]
    fn pack(words: &[Self; 8]) -> [u64; 8] {
        *words
    }

    #[inline(always)]
    fn unpack(pack: [u64; 8]) -> [Self; 8] {
        pack
    }
}

impl Word for u128 {
    word!(u128, 2);
    type Eight = EightPairs;

    fn from_bits(bits: u128) -> Self {
        bits
    }

    #[inline(always)]
    fn halves(words: &[Self]) -> &[u64] {
        bytemuck::cast_slice(words)
    }

    #[inline(always)]
    fn halves_mut(words: &mut [Self]) -> &mut [u64] {
        bytemuck::cast_slice_mut(words)
    }

    #[inline(always)]
    fn own_bits() -> &'static [u64] {
        static OWN: [u64; 256] = own_bits(2);
        &OWN
    }

    #[inline(always)]
    fn diagonal(first: usize) -> EightPairs {
        let bits = eight(|i| 1 << (first % 64 + i));
        if first < 64 {
            EightPairs { low: bits, high: [0; 8] }
        } else {
            EightPairs { low: [0; 8], high: bits }
        }
    }

    #[inline(always)]
    fn pack(words: &[Self; 8]) -> EightPairs {
        EightPairs { low: eight(|i| words[i] as u64), high: eight(|i| (words[i] >> 64) as u64) }
    }

    #[inline(always)]
    fn unpack(pack: EightPairs) -> [Self; 8] {
        let mut words = [0; 8];
        for (i, word) in words.iter_mut().enumerate() {
            *word = u128::from(pack.high[i]) << 64 | u128::from(pack.low[i]);
        }
        words
    }
}

macro_rules! alone {
    ($word:ty) => {
        impl Pack for $word {
            type Word = $word;

            #[inline(always)]
            fn splat(word: Self) -> Self {
                word
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn and_not(self, other: Self) -> Self {
                self & !other
            }

            #[inline(always)]
            fn moved(self, by: i32) -> Self {
                let shifted = if by < 0 {
                    self.checked_shr(by.unsigned_abs())
                } else {
                    self.checked_shl(by.unsigned_abs())
                };
                shifted.unwrap_or(0)
            }

            #[inline(always)]
            fn reversed(self) -> Self {
                self.reverse_bits()
            }
        }
    };
}

alone!(u64);
alone!(u128);

impl Pack for [u64; 8] {
    type Word = u64;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        [word; 8]
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        eight(|i| self[i] & other[i])
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        eight(|i| self[i] | other[i])
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        eight(|i| self[i] & !other[i])
    }

    #[inline(always)]
    fn moved(self, by: i32) -> Self {
        let places = by.unsigned_abs();
        match by {
            _ if places >= 64 => [0; 8],
            ..0 => eight(|i| self[i] >> places),
            _ => eight(|i| self[i] << places),
        }
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        eight(|i| self[i].reverse_bits())
    }
}

/// Eight words of two halves, all lower halves together and all upper ones: each becomes one vector.
#[derive(Clone, Copy, Debug)]
pub struct EightPairs {
    low: [u64; 8],
    high: [u64; 8],
}

impl Pack for EightPairs {
    type Word = u128;

    #[inline(always)]
    fn splat(word: u128) -> Self {
        EightPairs { low: [word as u64; 8], high: [(word >> 64) as u64; 8] }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        EightPairs { low: Pack::and(self.low, other.low), high: Pack::and(self.high, other.high) }
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        EightPairs { low: Pack::or(self.low, other.low), high: Pack::or(self.high, other.high) }
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        EightPairs { low: Pack::and_not(self.low, other.low), high: Pack::and_not(self.high, other.high) }
    }

    #[inline(always)]
    fn moved(self, by: i32) -> Self {
        let EightPairs { low, high } = self;
        let places = by.unsigned_abs();
        match (by, places) {
            (_, 0) => self,
            (..0, ..64) => EightPairs {
                low: eight(|i| low[i] >> places | high[i] << (64 - places)),
                high: eight(|i| high[i] >> places),
            },
            (_, ..64) => EightPairs {
                low: eight(|i| low[i] << places),
                high: eight(|i| high[i] << places | low[i] >> (64 - places)),
            },
            (..0, _) => EightPairs { low: high.moved(64 - places as i32), high: [0; 8] },
            (_, _) => EightPairs { low: [0; 8], high: low.moved(places as i32 - 64) },
        }
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        EightPairs { low: self.high.reversed(), high: self.low.reversed() }
    }
}
