//! Translates a table's codes to those of a file, and many codes to bytes and back.

use super::payload::{Payload, WDL_PER_BYTE};
use table::{Code, CodesMut, CodesRef, Coding, Ply, Value};

impl Payload {
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
