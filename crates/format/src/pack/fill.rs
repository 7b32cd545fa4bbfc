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

use crate::code::{Payload, WDL_PER_BYTE};
use table::{Code, Coding, Ply, Value};

/// What stands where nothing is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fill {
    /// The last code kept before, and at the beginning the first.
    Last,
    /// The code this many places before, be it kept or not; in the first row as with `Last`, a draw if
    /// nothing is kept.
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

/// This many words are filled at a time.
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
    C::borrowed(codes).either(
        |codes| codes.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes)),
        |codes| codes.iter().rev().fold(0, |word, &code| word << 16 | u64::from(code)),
    )
}

/// A code of this many bits in every place of a word.
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

impl Payload {
    /// What the file has for a value; the code of illegal places where it may have anything.
    fn of_value<C: Code>(self, value: Value) -> C {
        let simple = match (self, value) {
            (Payload::Wdl, _) => value.without_distance(),
            (Payload::Distances, Value::Win(ply) | Value::Loss(ply)) => return from_distance(ply),
            (Payload::Distances, _) => Value::Illegal,
            _ => value,
        };
        C::from_value(simple).expect("a code of the width that the value comes in")
    }

    /// Makes codes of a file out of a table's.
    pub(crate) fn translate<C: Code>(self, coding: Coding, codes: &mut [C]) {
        if self == Payload::Values {
            return;
        }
        let most = codes.iter().map(|&code| code.into()).max().map_or(0, usize::from);
        let book: Vec<C> = coding.values().take(most + 1).map(|value| self.of_value(value)).collect();
        codes.iter_mut().for_each(|code| *code = book[usize::from((*code).into())]);
    }

    /// Codes, none of them illegal, as bytes in place of what `bytes` held.
    pub(crate) fn write<C: Code>(self, codes: &[C], bytes: &mut Vec<u8>) {
        if self != Payload::Wdl {
            bytes.clear();
            return bytes.extend_from_slice(&C::borrowed(codes).to_le_bytes());
        }
        bytes.clear();
        bytes.extend(codes.chunks(WDL_PER_BYTE).map(|codes| {
            let bits = |code: C| (code.into() - 1) as u8 & 3;
            codes.iter().rev().fold(0, |byte, &code| byte << 2 | bits(code))
        }));
    }

    /// The codes of these bytes.
    pub(crate) fn read<C: Code>(self, bytes: &[u8], codes: &mut [C]) {
        if self != Payload::Wdl {
            return read_codes(bytes, codes);
        }
        for (codes, &byte) in codes.chunks_mut(WDL_PER_BYTE).zip(bytes) {
            codes.iter_mut().zip(0..).for_each(|(code, at)| *code = C::from(1 + (byte >> (2 * at) & 3)));
        }
    }
}

/// What columns of distances have for one: one more, because no code of a file is 0.
///
/// # Panics
/// If it is longer than a value of this width can be.
fn from_distance<C: Code>(Ply(ply): Ply) -> C {
    C::try_from(ply + 1).unwrap_or_else(|_| panic!("{ply} plies in {} bytes", size_of::<C>()))
}

/// Reads codes from as many bytes as they have, the lower byte first.
#[inline(always)]
pub(crate) fn read_codes<C: Code>(bytes: &[u8], codes: &mut [C]) {
    C::borrowed_mut(codes).either(
        |codes| codes.copy_from_slice(bytes),
        |codes| {
            for (code, &pair) in codes.iter_mut().zip(bytes.as_chunks().0) {
                *code = u16::from_le_bytes(pair);
            }
        },
    );
}
