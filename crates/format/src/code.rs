//! Converts codes to those of a file, and names how a block is packed.

use table::{Ply, Value};
use variant::Metric;

/// What the codes of a column stand for.
///
/// | metric | payload: a code of the column | where neither side wins |
/// | --- | --- | --- |
/// | `dtm` | the value, as [`table::Code`] has it | the same |
/// | `wdl` | draw, stalemate, loss or win, four codes in a byte | the same |
/// | `dtc`, `dtz`, `dtz50` | the distance and one; who wins stands in the column `wdl` | anything |
///
/// A distance without its sign needs no trick to separate wins from losses where both have both parities,
/// and the third of the places or so in which neither side wins can hold whatever compresses best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Payload {
    /// Values.
    Values,
    /// Win, draw or loss.
    Wdl,
    /// How far away the end is, be it won or lost.
    Distances,
}

/// The metric of the column that one of this metric is read with: `wdl` for distances alone, which do not
/// say who wins.
#[must_use]
pub fn companion(metric: Metric) -> Option<Metric> {
    (Payload::of(metric) == Payload::Distances).then_some(Metric::Wdl)
}

/// Codes of [`Payload::Wdl`] in a byte.
pub(crate) const WDL_PER_BYTE: usize = 4;

impl Payload {
    /// What the codes of a metric's columns stand for.
    pub(crate) fn of(metric: Metric) -> Payload {
        match metric {
            Metric::Dtm | Metric::Dtm50 | Metric::Help => Payload::Values,
            Metric::Wdl => Payload::Wdl,
            Metric::Dtc | Metric::Dtz | Metric::Dtz50 => Payload::Distances,
        }
    }

    /// How many bytes this many codes of this width take before compression.
    pub(crate) fn n_bytes(self, n_codes: usize, width: usize) -> usize {
        match self {
            Payload::Wdl => n_codes.div_ceil(WDL_PER_BYTE),
            Payload::Values | Payload::Distances => n_codes * width,
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

/// How many plies are left, by either side. Who does stands in the column `wdl`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Distance(pub Ply);

impl Distance {
    /// The value of the placement that has this distance, given its value under `wdl`.
    ///
    /// Where neither side wins the distance says nothing, and is passed over.
    #[must_use]
    pub const fn of(self, wdl: Value) -> Value {
        match wdl {
            Value::Win(_) => Value::Win(self.0),
            Value::Loss(_) => Value::Loss(self.0),
            Value::Illegal | Value::Stalemate | Value::Draw => wdl,
        }
    }
}

/// How a block is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Method {
    /// One Zstandard frame: quick.
    Zstandard = 4,
    /// Bits with modelled probabilities: small.
    Modelled = 5,
}

impl Method {
    /// The coding of a page that is packed so.
    pub(crate) fn coding(self) -> [u8; 2] {
        [self as u8, 0]
    }

    /// The method of a page of this coding; none if it is none of a table.
    pub(crate) fn of_page(coding: [u8; 2]) -> Option<Method> {
        [Method::Zstandard, Method::Modelled].into_iter().find(|method| method.coding() == coding)
    }
}
