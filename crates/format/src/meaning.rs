//! What the codes of a file say, which depends on the metric.
//!
//! | metric | a code of the file | where nobody wins |
//! | --- | --- | --- |
//! | `dtm` | the value, as [`table::Code`] has it | the same |
//! | `wdl` | who wins: draw, stalemate, loss or win, four codes in a byte | the same |
//! | `dtc`, `dtz`, `dtz50` | the distance and one; who wins stands in the file of `wdl` | anything |
//!
//! A distance without its sign needs no trick to tell wins from losses where both have both parities, and the
//! third of the places or so in which nobody wins can hold whatever compresses best.

use crate::width::FileCode;
use table::{Coding, Ply, Value};
use variant::Metric;

/// What the codes of a file say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// Values.
    Values,
    /// Who wins.
    Results,
    /// How far away the end is, be it won or lost.
    Distances,
}

/// Codes of [`Meaning::Results`] in a byte.
const RESULTS_PER_BYTE: usize = 4;

impl Meaning {
    /// What the files of a metric say.
    pub(crate) fn of(metric: Metric) -> Meaning {
        match metric {
            Metric::Dtm => Meaning::Values,
            Metric::Wdl => Meaning::Results,
            Metric::Dtc | Metric::Dtz | Metric::Dtz50 => Meaning::Distances,
        }
    }

    /// How many bytes so many codes of this width take before compression.
    pub(crate) fn n_bytes(self, n_codes: usize, width: usize) -> usize {
        match self {
            Meaning::Results => n_codes.div_ceil(RESULTS_PER_BYTE),
            Meaning::Values | Meaning::Distances => n_codes * width,
        }
    }

    /// What the file has for a value; the code of illegal places where it may have anything.
    fn of_value<C: FileCode>(self, value: Value) -> C {
        let simple = match (self, value) {
            (Meaning::Results, Value::Win(_)) => Value::Win(Ply(1)),
            (Meaning::Results, Value::Loss(_)) => Value::Loss(Ply(0)),
            (Meaning::Distances, Value::Win(ply) | Value::Loss(ply)) => return C::from_distance(ply),
            (Meaning::Distances, _) => Value::Illegal,
            _ => value,
        };
        C::from_value(simple).expect("a code of the width that the value comes in")
    }

    /// Makes codes of a file out of a table's.
    pub(crate) fn translate<C: FileCode>(self, coding: Coding, codes: &mut [C]) {
        if self == Meaning::Values {
            return;
        }
        let Coding::Wide = coding else {
            let value = |code: u8| match coding {
                Coding::Split(split) => split.value(code),
                Coding::Narrow | Coding::Wide => table::Code::value(code),
            };
            let book: [C; 256] = std::array::from_fn(|code| self.of_value(value(code as u8)));
            return codes.iter_mut().for_each(|code| *code = book[usize::from((*code).into())]);
        };
        codes.iter_mut().for_each(|code| *code = self.of_value(code.value()));
    }

    /// Codes, none of them illegal, as bytes in place of what `bytes` held.
    pub(crate) fn write<C: FileCode>(self, codes: &[C], bytes: &mut Vec<u8>) {
        if self != Meaning::Results {
            return C::write(codes, bytes);
        }
        bytes.clear();
        bytes.extend(codes.chunks(RESULTS_PER_BYTE).map(|codes| {
            let bits = |code: C| (code.into() - 1) as u8 & 3;
            codes.iter().rev().fold(0, |byte, &code| byte << 2 | bits(code))
        }));
    }

    /// The codes of these bytes.
    pub(crate) fn read<C: FileCode>(self, bytes: &[u8], codes: &mut [C]) {
        if self != Meaning::Results {
            return C::read(bytes, codes);
        }
        for (codes, &byte) in codes.chunks_mut(RESULTS_PER_BYTE).zip(bytes) {
            codes.iter_mut().zip(0..).for_each(|(code, at)| *code = C::from(1 + (byte >> (2 * at) & 3)));
        }
    }

    /// The code at a place of a block with codes of this width.
    pub(crate) fn code_at(self, bytes: &[u8], place: usize, width: u8) -> u16 {
        match (self, width) {
            (Meaning::Results, _) => {
                let byte = bytes[place / RESULTS_PER_BYTE];
                u16::from(1 + (byte >> (2 * (place % RESULTS_PER_BYTE)) & 3))
            }
            (_, 1) => u16::from(bytes[place]),
            _ => u16::from_le_bytes([bytes[2 * place], bytes[2 * place + 1]]),
        }
    }
}
