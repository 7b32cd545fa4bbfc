//! Says what the codes of a file stand for under each metric; `translation` makes them of a table's codes.
//!
//! | metric | payload: a code of the file | where nobody wins |
//! | --- | --- | --- |
//! | `dtm` | the value, as [`table::Code`] has it | the same |
//! | `wdl` | draw, stalemate, loss or win, four codes in a byte | the same |
//! | `dtc`, `dtz`, `dtz50` | the distance and one; who wins stands in the file of `wdl` | anything |
//!
//! A distance without its sign needs no trick to separate wins from losses where both have both parities, and
//! the third of the places or so in which nobody wins can hold whatever compresses best.

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
pub(super) const WDL_PER_BYTE: usize = 4;

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
