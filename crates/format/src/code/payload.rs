//! Converts a table's codes to those of a file, which stand for something else under each metric.
//!
//! | metric | payload: a code of the file | where nobody wins |
//! | --- | --- | --- |
//! | `dtm` | the value, as [`Code`] has it | the same |
//! | `wdl` | draw, stalemate, loss or win, four codes in a byte | the same |
//! | `dtc`, `dtz`, `dtz50` | the distance and one; who wins stands in the file of `wdl` | anything |
//!
//! A distance without its sign needs no trick to separate wins from losses where both have both parities, and
//! the third of the places or so in which nobody wins can hold whatever compresses best.

use table::{Code, CodesMut, CodesRef, Coding, Ply, Value};
use variant::Metric;

/// What the codes of a file stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Payload {
    /// Values.
    Values,
    /// Win, draw or loss.
    Wdl,
    /// How far away the end is, be it won or lost.
    Distances,
}

/// The metric of the files that those of this metric are read with: `wdl` for files of distances alone, which
/// do not say who wins.
#[must_use]
pub fn companion(metric: Metric) -> Option<Metric> {
    (Payload::of(metric) == Payload::Distances).then_some(Metric::Wdl)
}

/// Codes of [`Payload::Wdl`] in a byte.
const WDL_PER_BYTE: usize = 4;

impl Payload {
    /// What the codes of a metric's files stand for.
    pub(crate) fn of(metric: Metric) -> Payload {
        match metric {
            Metric::Dtm => Payload::Values,
            Metric::Wdl => Payload::Wdl,
            Metric::Dtc | Metric::Dtz | Metric::Dtz50 => Payload::Distances,
        }
    }

    /// How many bytes so many codes of this width take before compression.
    pub(crate) fn n_bytes(self, n_codes: usize, width: usize) -> usize {
        match self {
            Payload::Wdl => n_codes.div_ceil(WDL_PER_BYTE),
            Payload::Values | Payload::Distances => n_codes * width,
        }
    }

    /// What the file has for a value; the code of illegal places where it may have anything.
    fn of_value<C: Code>(self, value: Value) -> C {
        let simple = match (self, value) {
            (Payload::Wdl, Value::Win(_)) => Value::Win(Ply(1)),
            (Payload::Wdl, Value::Loss(_)) => Value::Loss(Ply(0)),
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
        match coding {
            Coding::Narrow(()) => self.translate_bytes(u8::value, codes),
            Coding::Split((), split) => self.translate_bytes(|byte| split.value(byte), codes),
            Coding::Wide(()) => codes.iter_mut().for_each(|code| *code = self.of_value(code.value())),
        }
    }

    /// The same for codes of one byte, of which there are few kinds.
    fn translate_bytes<C: Code>(self, value: impl Fn(u8) -> Value, codes: &mut [C]) {
        let book: [C; 256] = std::array::from_fn(|byte| self.of_value(value(byte as u8)));
        codes.iter_mut().for_each(|code| *code = book[usize::from((*code).into())]);
    }

    /// Codes, none of them illegal, as bytes in place of what `bytes` held.
    pub(crate) fn write<C: Code>(self, codes: &[C], bytes: &mut Vec<u8>) {
        if self != Payload::Wdl {
            return write_codes(codes, bytes);
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

    /// The code at a place of a block with codes of this width.
    pub(crate) fn code_at(self, bytes: &[u8], place: usize, width: u8) -> u16 {
        match (self, width) {
            (Payload::Wdl, _) => {
                let byte = bytes[place / WDL_PER_BYTE];
                u16::from(1 + (byte >> (2 * (place % WDL_PER_BYTE)) & 3))
            }
            (_, 1) => u16::from(bytes[place]),
            _ => u16::from_le_bytes([bytes[2 * place], bytes[2 * place + 1]]),
        }
    }
}

/// What files of distances have for one: one more, because no code of a file is 0.
///
/// # Panics
/// If it is longer than a value of this width can be.
fn from_distance<C: Code>(Ply(ply): Ply) -> C {
    C::try_from(ply + 1).unwrap_or_else(|_| panic!("{ply} plies in {} bytes", size_of::<C>()))
}

/// Codes as bytes, the lower byte first, in place of what `bytes` held.
fn write_codes<C: Code>(codes: &[C], bytes: &mut Vec<u8>) {
    bytes.clear();
    match C::borrowed(codes) {
        CodesRef::Narrow(codes) | CodesRef::Split(codes, _) => bytes.extend_from_slice(codes),
        CodesRef::Wide(codes) => bytes.extend(codes.iter().flat_map(|code| code.to_le_bytes())),
    }
}

/// Reads codes from as many bytes as they have, the lower byte first.
#[inline(always)]
pub(crate) fn read_codes<C: Code>(bytes: &[u8], codes: &mut [C]) {
    match C::borrowed_mut(codes) {
        CodesMut::Narrow(codes) | CodesMut::Split(codes, _) => codes.copy_from_slice(bytes),
        CodesMut::Wide(codes) => {
            for (code, pair) in codes.iter_mut().zip(bytes.chunks_exact(2)) {
                *code = u16::from_le_bytes([pair[0], pair[1]]);
            }
        }
    }
}
