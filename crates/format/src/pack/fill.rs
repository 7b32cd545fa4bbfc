//! Fills the places of a file of which nothing is kept.
//!
//! Every such place repeats a code before it, which costs a compressor next to nothing: the last one, or the
//! one a row before, whichever makes the smaller file. A reader need not know.
//!
//! One code after the other, each place would wait for the one before it, in tables of which half is gaps at
//! every step. So the codes are taken as words: inside a word a code is moved on by one place, by two, by
//! four, wherever there is a gap, for many words at a time; and only the last code of each word is handed to
//! the next.
//!
//! ```text
//!   a · · b · · · ·    by one   a a · b b · · ·    by two   a a a b b b b ·    by four   a a a b b b b b
//! ```

use crate::code::translation::read_codes;
use table::{Code, CodesRef};

/// What stands where nothing is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fill {
    /// The last code kept before, and at the beginning the first.
    Last,
    /// The code so many places before, be it kept or not; in the first row as with `Last`, a draw if nothing
    /// is kept.
    Row(usize),
}

impl Fill {
    /// Replaces illegal codes.
    pub(crate) fn apply<C: Code>(self, codes: &mut [C]) {
        match self {
            Fill::Last => fill_last(codes),
            Fill::Row(n) => {
                let (first, _) = codes.split_at_mut(n.min(codes.len()));
                fill_last(first);
                let mut rest = codes;
                while rest.len() > n {
                    let (above, others) = rest.split_at_mut(n);
                    for (code, &above) in others.iter_mut().zip(&*above) {
                        *code = if *code == C::ILLEGAL { above } else { *code };
                    }
                    rest = others;
                }
            }
        }
    }
}

/// So many words are filled at a time.
const N_WORDS: usize = 8;

fn fill_last<C: Code>(codes: &mut [C]) {
    let bits = u8::BITS * size_of::<C>() as u32;
    let n_codes = size_of::<u64>() / size_of::<C>();
    let mut last = codes.iter().copied().find(|&code| code != C::ILLEGAL).unwrap_or(C::DRAW);
    let mut chunks = codes.chunks_exact_mut(N_WORDS * n_codes);
    for chunk in &mut chunks {
        let mut words = [(0, 0); N_WORDS];
        for (word, codes) in words.iter_mut().zip(chunk.chunks_exact(n_codes)) {
            *word = fill_word(to_word(codes), bits);
        }
        let mut before: u16 = last.into();
        for ((word, gaps), codes) in words.iter().zip(chunk.chunks_exact_mut(n_codes)) {
            read_codes(&(word | repeated(before, bits) & gaps).to_le_bytes(), codes);
            let own = word >> (u64::BITS - bits);
            before = if own == 0 { before } else { own as u16 };
        }
        last = chunk[chunk.len() - 1];
    }
    for code in chunks.into_remainder() {
        last = if *code == C::ILLEGAL { last } else { *code };
        *code = last;
    }
}

/// As many codes as a word has room for, the first in its lowest bits.
#[inline(always)]
fn to_word<C: Code>(codes: &[C]) -> u64 {
    match C::borrowed(codes) {
        CodesRef::Narrow(codes) | CodesRef::Split(codes, _) => {
            codes.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes))
        }
        CodesRef::Wide(codes) => codes.iter().rev().fold(0, |word, &code| word << 16 | u64::from(code)),
    }
}

/// A code of so many bits in every place of a word.
fn repeated(code: u16, bits: u32) -> u64 {
    u64::MAX / ((1 << bits) - 1) * u64::from(code)
}

/// The codes of a word, the first in the lowest bits, with the last one before it in each gap; and the gaps
/// before the first, which stay, with all bits set. A gap is 0.
#[inline(always)]
fn fill_word(mut word: u64, bits: u32) -> (u64, u64) {
    let top = repeated(1 << (bits - 1), bits);
    // The top bit of every code that there is: what is added carries into it from whatever bit is set below.
    let there = (((word & !top) + !top) | word) & top;
    let mut gaps = !(there | (there - (there >> (bits - 1))));
    let mut by = bits;
    while by < u64::BITS {
        word |= (word << by) & gaps;
        gaps &= gaps << by | !(u64::MAX << by);
        by *= 2;
    }
    (word, gaps)
}
