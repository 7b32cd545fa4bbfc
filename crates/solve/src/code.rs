//! Codes as the solver writes them: to many placements at a time.

use crate::ground::Ground;
use crate::unmove::Scratch;
use kernel::{Word, gather, store_bytes, store_bytes_at_places, store_pairs, store_pairs_at_places};
use std::ops::Range;
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

/// Writes a code wherever a placement of these blocks is a position, or wherever it is none: a position has
/// its men on squares of their own, and is not illegal.
///
/// Shape: `illegal` is a plane, `codes` those of the blocks.
pub(crate) fn store_where<C: Storable, W: Word>(
    ground: &Ground<'_, W>,
    illegal: &[W],
    blocks: Range<usize>,
    codes: &mut [C],
    (code, is_position): (C, bool),
) {
    let (n_words, n_rows) = (ground.words_per_block(), ground.n_rows());
    let (row_len, lane_len) = (ground.row_len(), ground.lane_len());
    // Blocks of one word are written together, as the rows that they are.
    let at_once = if ground.is_word() { blocks.len() } else { 1 };
    let mut scratch = Scratch::default();
    let mut words = vec![W::ZERO; at_once * n_words];
    let live = vec![true; at_once * n_rows];
    let chunks = codes.chunks_exact_mut((at_once * n_words * lane_len).max(1));
    for (first, codes) in blocks.step_by(at_once.max(1)).zip(chunks) {
        for (block, words) in (first..).zip(words.chunks_exact_mut(n_words)) {
            if !ground.is_word() {
                ground.prepare(block, &mut scratch);
            }
            ground.fill_placements(block, &scratch, words);
            let illegal = &illegal[block * n_words..(block + 1) * n_words];
            for (word, &illegal) in words.iter_mut().zip(illegal) {
                let positions = *word & !illegal;
                *word = if is_position { positions } else { ground.lane_mask & !positions };
            }
        }
        C::store(codes, &words, &live, row_len, lane_len, code);
    }
}

/// What has been found in one block and is not written yet.
///
/// The codes of a block are many times as large as its words, and far away: to write them at every ply would
/// drive the planes out of the cache. So the words are put down one after the other, and written together
/// later.
#[derive(Debug)]
pub(crate) struct Log<C, W> {
    /// Room for entries, of which the first `n` are used.
    places: Vec<u16>,
    bits: Vec<W>,
    n: usize,
    /// Codes, each with the end of its entries.
    runs: Vec<(u32, C)>,
}

/// Places have 16 bits: larger blocks, which four free men make on a board of more than 40 squares, are
/// written at once.
const MAX_WORDS: usize = 1 << 16;

/// So many entries are put down before they are written.
const LOG_ENTRIES: usize = 2048;

impl<C, W> Default for Log<C, W> {
    fn default() -> Self {
        Log { places: Vec::new(), bits: Vec::new(), n: 0, runs: Vec::new() }
    }
}

impl<C: Storable, W: Word> Log<C, W> {
    /// Puts down a code for every bit of the live rows of `words`; when there is much, it is written to
    /// `codes`.
    pub(crate) fn push(
        &mut self,
        words: &[W],
        live: &[bool],
        row_len: usize,
        code: C,
        (codes, lane_len): (&mut [C], usize),
    ) {
        if words.len() > MAX_WORDS {
            return C::store(codes, words, live, row_len, lane_len, code);
        }
        let most = LOG_ENTRIES + words.len();
        for (row, words) in words.chunks_exact(row_len).enumerate().filter(|(row, _)| live[*row]) {
            // No larger than what has been put down asks for: there is a log for each block, in fresh memory.
            let room = self.n + row_len;
            if self.places.len() < room {
                if self.places.capacity() < room {
                    // Never for more than can be put down before it is written: the estimates of memory count
                    // that.
                    let more = (2 * room).min(most) - self.places.len();
                    self.places.reserve_exact(more);
                    self.bits.reserve_exact(more);
                }
                self.places.resize(room, 0);
                self.bits.resize(room, W::ZERO);
            }
            self.n += gather(words, row * row_len, &mut self.places[self.n..], &mut self.bits[self.n..]);
        }
        self.runs.push((self.n as u32, code));
        if self.n >= LOG_ENTRIES {
            self.write(codes, lane_len);
        }
    }

    /// Writes everything, and forgets it.
    pub(crate) fn write(&mut self, codes: &mut [C], lane_len: usize) {
        let mut start = 0;
        for &(end, code) in &self.runs {
            let entries = start..end as usize;
            C::store_at_places(codes, &self.places[entries.clone()], &self.bits[entries], lane_len, code);
            start = end as usize;
        }
        self.n = 0;
        self.runs.clear();
    }
}
