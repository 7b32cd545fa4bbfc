//! Writes codes to many placements at a time.

mod log;
mod marking;

pub(crate) use log::Log;
pub(crate) use marking::mark_where;

use kernel::{Word, store_bytes, store_bytes_at_places, store_pairs, store_pairs_at_places};
use table::{Code, Codes, CodesRef, Ply, Split, Value};
use variant::Metric;

/// A code that can be written wherever a set of placements has a bit.
pub(crate) trait Storable: Code {
    /// The code of a value in a table of a metric; none if there is none of this width.
    fn encode(value: Value, metric: Metric) -> Option<Self>;

    /// The value of a code in a table of a metric, in which the longest win of the side to move has so many
    /// plies.
    fn decode(self, metric: Metric, longest_win: u16) -> Value;

    /// Codes of a table of a metric, in which the longest win of the side to move has so many plies.
    fn borrow(codes: &[Self], metric: Metric, longest_win: u16) -> CodesRef<'_>;

    /// The same, all codes of a side.
    fn own(codes: Vec<Self>, metric: Metric, longest_win: u16) -> Codes;

    /// The most plies that a win and a loss of one side to move may have together, if that is how codes are
    /// shared.
    fn most_plies(metric: Metric) -> Option<u16>;

    /// Writes a code for every bit of the live rows of `words`.
    ///
    /// Shape: `words` are rows of `row_len`, `codes` has `lane_len` codes a word.
    fn store<W: Word>(
        codes: &mut [Self],
        words: &[W],
        live: &[bool],
        row_len: usize,
        lane_len: usize,
        code: Self,
    );

    /// Writes a code for every bit of the words at `places`.
    ///
    /// Shape: `codes` has `lane_len` codes a word.
    fn store_at_places<W: Word>(codes: &mut [Self], places: &[u16], bits: &[W], lane_len: usize, code: Self);
}

/// Whether bytes of this metric are split codes: wins and losses have both parities where a capture ends the
/// count.
const fn is_split(metric: Metric) -> bool {
    match metric {
        Metric::Dtc | Metric::Dtz | Metric::Dtz50 => true,
        Metric::Wdl | Metric::Dtm => false,
    }
}

impl Storable for u8 {
    fn encode(value: Value, metric: Metric) -> Option<u8> {
        if is_split(metric) { Split::code(value) } else { u8::from_value(value) }
    }

    fn decode(self, metric: Metric, longest_win: u16) -> Value {
        if is_split(metric) { Split::new(Ply(longest_win)).value(self) } else { self.value() }
    }

    fn borrow(codes: &[u8], metric: Metric, longest_win: u16) -> CodesRef<'_> {
        if is_split(metric) {
            CodesRef::Split(codes, Split::new(Ply(longest_win)))
        } else {
            CodesRef::Narrow(codes)
        }
    }

    fn own(codes: Vec<u8>, metric: Metric, longest_win: u16) -> Codes {
        if is_split(metric) {
            Codes::Split(codes, Split::new(Ply(longest_win)))
        } else {
            Codes::Narrow(codes)
        }
    }

    fn most_plies(metric: Metric) -> Option<u16> {
        is_split(metric).then_some(Split::MOST_PLIES)
    }

    fn store<W: Word>(
        codes: &mut [u8],
        words: &[W],
        live: &[bool],
        row_len: usize,
        lane_len: usize,
        code: u8,
    ) {
        store_bytes(codes, words, live, row_len, lane_len, code);
    }

    fn store_at_places<W: Word>(codes: &mut [u8], places: &[u16], bits: &[W], lane_len: usize, code: u8) {
        store_bytes_at_places(codes, places, bits, lane_len, code);
    }
}

impl Storable for u16 {
    fn encode(value: Value, _metric: Metric) -> Option<u16> {
        u16::from_value(value)
    }

    fn decode(self, _metric: Metric, _longest_win: u16) -> Value {
        self.value()
    }

    fn borrow(codes: &[u16], _metric: Metric, _longest_win: u16) -> CodesRef<'_> {
        CodesRef::Wide(codes)
    }

    fn own(codes: Vec<u16>, _metric: Metric, _longest_win: u16) -> Codes {
        Codes::Wide(codes)
    }

    fn most_plies(_metric: Metric) -> Option<u16> {
        None
    }

    fn store<W: Word>(
        codes: &mut [u16],
        words: &[W],
        live: &[bool],
        row_len: usize,
        lane_len: usize,
        code: u16,
    ) {
        store_pairs(codes, words, live, row_len, lane_len, code);
    }

    fn store_at_places<W: Word>(codes: &mut [u16], places: &[u16], bits: &[W], lane_len: usize, code: u16) {
        store_pairs_at_places(codes, places, bits, lane_len, code);
    }
}

/// Writes a code for every bit of the word at a place.
///
/// Shape: `codes` has `lane_len` codes a word.
#[inline]
pub(crate) fn store_word<C: Storable, W: Word>(
    codes: &mut [C],
    place: usize,
    word: W,
    lane_len: usize,
    code: C,
) {
    let codes = &mut codes[place * lane_len..];
    word.bits().for_each(|at| codes[at] = code);
}

#[cfg(test)]
mod tests;
