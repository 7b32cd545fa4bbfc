//! Reads the codes of a side to move from their source, and selects those that a file keeps: runs of tiles,
//! tiles far from each other, and excerpts of a tile.
//!
//! A table in memory lends its codes; any other source is asked for no more units than it hands out at once.

use crate::Column;
use crate::code::Payload;
use crate::container::PageKey;
use crate::head::{BLOCK_CODES, SMALL_BLOCK_CODES};
use crate::tile::{TileId, Tiling, tile_codes_of};
use index::{BlockImages, Layout};
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use table::{Code, CodeSource, Codes, CodesRef, Coding, threads};
use variant::Side;

/// The number of a tile, and its codes.
pub(crate) type SampleTile<'a, C> = (TileId, Cow<'a, [C]>);

/// The most codes that are packed before what they became leaves the memory: enough that threads hardly
/// wait for each other.
pub(crate) const RUN_CODES: usize = 1 << 28;

/// A side to move of a source, and how its codes become those of a file.
#[derive(Clone, Copy)]
pub(crate) struct SideCodes<'a> {
    pub(crate) source: &'a dyn CodeSource,
    pub(crate) side: Side,
    pub(crate) coding: Coding,
    pub(crate) selection: &'a Selection<'a>,
    pub(crate) profile: &'a Profile,
}

/// The codes of a tile, as they are numbered.
#[derive(Clone, Copy)]
pub(crate) struct TileCodes<'a, C> {
    pub(crate) tile: TileId,
    pub(crate) codes: &'a [C],
}

/// The codes of some tiles in a row.
pub(crate) struct CodeRun<'a, C> {
    /// The number of the first placement.
    start: usize,
    codes: &'a [C],
}

impl<'a, C> CodeRun<'a, C> {
    /// One of its tiles.
    pub(crate) fn tile(&self, tiling: &Tiling, tile: TileId) -> TileCodes<'a, C> {
        let Range { start, end } = tiling.range(tile);
        TileCodes { tile, codes: &self.codes[start - self.start..end - self.start] }
    }
}

impl SideCodes<'_> {
    /// The numbering of the placements.
    pub(crate) fn layout(&self) -> &Layout {
        self.selection.layout()
    }

    /// Bytes of a block of this width before compression, the last of a tile excepted.
    pub(crate) fn block_bytes<C>(&self) -> usize {
        self.profile.payload.n_bytes(self.profile.block_codes, size_of::<C>())
    }

    /// The page of a block of a tile.
    pub(crate) fn page(&self, tile: TileId, block: usize) -> PageKey {
        self.profile.column.block_page(self.side, tile.index() as u64, block as u64)
    }

    /// The numbers of the tiles from this one on whose codes are had at once, at least one.
    pub(crate) fn run(&self, tiling: &Tiling, first: TileId) -> Range<usize> {
        let (layout, block_len) = (self.layout(), self.layout().block_len());
        let n_units = self.source.units_at_once().min((RUN_CODES / block_len).max(1));
        let end = (tiling.range(first).start / block_len).saturating_add(n_units).saturating_mul(block_len);
        let end_tile = if end >= layout.len() { tiling.len() } else { tiling.tile_of(end).index() };
        first.index()..end_tile.max(first.index() + 1)
    }

    /// The codes of tiles in a row, those with these numbers.
    pub(crate) fn read<'r, C: Code>(
        &'r self,
        tiling: &Tiling,
        tiles: Range<usize>,
        room: &'r mut Codes,
    ) -> io::Result<CodeRun<'r, C>> {
        let block_len = self.layout().block_len();
        let [first, last] = [tiles.start, tiles.end - 1].map(TileId::from_index);
        let numbers = tiling.range(first).start..tiling.range(last).end;
        let units = numbers.start / block_len..numbers.end.div_ceil(block_len);
        let codes = self.source.codes(self.side, units.clone(), room)?;
        Ok(CodeRun { start: units.start * block_len, codes: self.of_width(codes) })
    }

    /// The codes of tiles that may be far from each other, in this order; `rooms` are for them.
    pub(crate) fn sample<'r, C: Code>(
        &'r self,
        tiling: &Tiling,
        tiles: impl ExactSizeIterator<Item = TileId>,
        rooms: &'r mut Vec<Codes>,
    ) -> io::Result<Vec<SampleTile<'r, C>>> {
        let block_len = self.layout().block_len();
        rooms.resize(tiles.len(), Codes::default());
        let mut shared = Codes::default();
        let one = |(tile, room): (TileId, &'r mut Codes)| {
            let Range { start, end } = tiling.range(tile);
            let is_of_units = start.is_multiple_of(block_len) && end.is_multiple_of(block_len);
            Ok(if is_of_units {
                (tile, Cow::Borrowed(self.read::<C>(tiling, tile.alone(), room)?.codes))
            } else {
                let run = self.read::<C>(tiling, tile.alone(), &mut shared)?;
                (tile, Cow::Owned(run.tile(tiling, tile).codes.to_vec()))
            })
        };
        tiles.zip(rooms).map(one).collect()
    }

    /// Codes of the width that the side has.
    fn of_width<'c, C: Code>(&self, codes: CodesRef<'c>) -> &'c [C] {
        assert_eq!(codes.coding(), self.coding, "codes of {} in one coding", self.layout().name());
        C::slice_of(codes).expect("the width was looked up")
    }
}

/// The places of a layout that a file keeps if they are legal.
///
/// A file keeps what is the number of a legal position: not illegal, and canonical. Asking the layout
/// whether each place is canonical would cost more than compressing it, so the answer is a word of a whole
/// lane at a time: all of them without like men; a ladder of like men's squares that is the same in every
/// block; and only where a symmetry maps a block onto itself, what its images leave of that.
#[derive(Debug)]
pub struct Selection<'a> {
    layout: &'a Layout,
    /// Squares of the lane, 1 without a free man.
    n_lane: usize,
    /// For each word of a block the places in which like free men stand in ascending order; empty if there
    /// are none.
    ladder: Vec<u128>,
    /// The blocks with a symmetry of their own (slice × blocks + block), with their images; sorted.
    residual: Vec<(usize, BlockImages<'a>)>,
}

/// This many units a thread asks for their symmetries at a time.
const UNITS: usize = 1 << 8;

impl<'a> Selection<'a> {
    /// Prepares the answers for a layout.
    #[must_use]
    pub fn new(layout: &'a Layout) -> Self {
        let n_lane = if layout.free().is_empty() { 1 } else { layout.n_squares() };
        let residual = threads::map(threads::stretches(0..layout.n_units(), UNITS), |units| {
            let residual = units.filter(|&unit| layout.has_residual(layout.slice_block(unit)));
            residual.map(|unit| (unit, BlockImages::new(layout, unit))).collect::<Vec<_>>()
        });
        let residual = residual.into_iter().flatten().collect();
        Selection { layout, n_lane, ladder: ladder(layout), residual }
    }

    /// The layout.
    #[must_use]
    pub fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// The codes of whole lanes, from the placement with the number `start` on, those that are not kept made
    /// illegal.
    pub fn select<C: Code>(&self, codes: &[C], start: usize, kept: &mut Vec<C>) {
        kept.clear();
        kept.extend_from_slice(codes);
        if self.ladder.is_empty() && self.residual.is_empty() {
            return;
        }
        let first = start / self.n_lane;
        for (word, lane) in (first..).zip(kept.chunks_mut(self.n_lane)) {
            match self.word(word) {
                u128::MAX => {}
                0 => lane.fill(C::ILLEGAL),
                places => {
                    for (place, code) in lane.iter_mut().enumerate() {
                        *code = if places >> place & 1 == 1 { *code } else { C::ILLEGAL };
                    }
                }
            }
        }
    }

    /// The places of a word that are kept if they are legal, one bit each.
    fn word(&self, word: usize) -> u128 {
        let words = self.layout.words_per_block();
        let (unit, inner) = (word / words, word % words);
        let ascending = self.ladder.get(inner).copied().unwrap_or(u128::MAX);
        match self.residual.binary_search_by_key(&unit, |(unit, _)| *unit) {
            Ok(found) if ascending != 0 => ascending & self.residual[found].1.word(inner),
            _ => ascending,
        }
    }
}

/// For each word of a block the places whose like free men stand in ascending order.
fn ladder(layout: &Layout) -> Vec<u128> {
    let men = layout.men();
    let free = layout.free();
    let is_like: Vec<bool> = free.windows(2).map(|pair| men[pair[0]] == men[pair[1]]).collect();
    if !is_like.contains(&true) {
        return Vec::new();
    }
    let n = layout.n_squares();
    let n_digits = free.len() - 1;
    let word = |word: usize| {
        let square = |digit: usize| word / n.pow((n_digits - 1 - digit) as u32) % n;
        let outer_ascend =
            (1..n_digits).all(|digit| !is_like[digit - 1] || square(digit - 1) < square(digit));
        if !outer_ascend {
            0
        } else if is_like[n_digits - 1] {
            // Two shifts: one by 128 would be none at all.
            u128::MAX << square(n_digits - 1) << 1
        } else {
            u128::MAX
        }
    };
    (0..layout.words_per_block()).map(word).collect()
}

/// At most one in this many values of axis 0 is taken.
const PART: usize = 8;

/// This many codes are taken at least, or all that there are.
const LEAST_CODES: usize = 1 << 18;

/// In how many stretches.
const N_STRETCHES: usize = 16;

/// Some of the codes of a tile, illegal where nothing is kept.
///
/// The excerpt has stretches of the values of axis 0, as they stand in the file, evenly spread; of the other
/// axes all values. So rows are as long as in the whole, and a row's neighbours are the same but at the ends
/// of the stretches.
pub(crate) struct Excerpt<C> {
    /// How many values of axis 0 there are.
    n_values: usize,
    /// The codes of one value after the other, in the order in which the values stand in the file.
    codes: Vec<C>,
}

impl<C: Code> Excerpt<C> {
    /// An excerpt of the codes of a whole table; `tiling` says how the values of axis 0 stand.
    pub(crate) fn new(side: SideCodes<'_>, tiling: &Tiling, codes: &[C]) -> Self {
        let stride = tiling.axis_0_stride();
        let (mut taken, mut kept) = (Vec::new(), Vec::new());
        let places = places(codes.len() / stride, stride);
        let n_values = places.len();
        taken.reserve(n_values * stride);
        for place in places {
            let start = tiling.axis_0_value(place) * stride;
            side.selection.select(&codes[start..start + stride], start, &mut kept);
            taken.extend_from_slice(&kept);
        }
        side.profile.payload.translate(side.coding, &mut taken);
        Excerpt { n_values, codes: taken }
    }

    /// Puts the codes in the order of a tiling whose values of axis 0 stand as they do here.
    pub(crate) fn arrange(&self, tiling: &Tiling, placed: &mut Vec<C>) {
        placed.resize(self.codes.len(), C::ILLEGAL);
        tiling.walk_of_values(self.n_values).gather(&self.codes, placed);
    }

    /// How many values of axis 0 there are.
    pub(crate) fn n_values(&self) -> usize {
        self.n_values
    }
}

/// The most codes that are taken of this many.
pub(crate) fn excerpt_codes(n_codes: u64) -> u64 {
    n_codes.min((n_codes / PART as u64).max(2 * LEAST_CODES as u64))
}

/// The places of the values that are taken of this many, each of which has `stride` codes.
fn places(n_values: usize, stride: usize) -> Vec<usize> {
    let n_taken = (n_values / PART).max(LEAST_CODES / stride).max(1);
    if n_taken > n_values / 2 {
        return (0..n_values).collect();
    }
    let n_stretches = N_STRETCHES.min(n_taken);
    // The first stretch begins where the whole does, and the last ends there.
    let stretch = |i: usize| {
        let length = (i + 1) * n_taken / n_stretches - i * n_taken / n_stretches;
        let start = i * (n_values - length) / (n_stretches - 1).max(1);
        start..start + length
    };
    (0..n_stretches).flat_map(stretch).collect()
}

/// Codes in a block of distances of a large table. Those of a small one are one block.
const DISTANCE_BLOCK_CODES: usize = 1 << 16;

/// Codes in a block of `wdl`, which take a quarter of a byte each: as many bytes.
const WDL_BLOCK_CODES: usize = 1 << 17;

/// How hard a compressor tries.
///
/// A column of `dtm` is laid out for solving: written at once, both sides read as a stream. In the others a
/// table that is not large is one tile, in which the axes stand in any order and the frame men may be
/// exchanged. Of `wdl` a probe still touches no more than a small block; of the distances a small table is
/// one block, because most of what a row of distances repeats stands far away.
///
/// All of them are packed as fast as a solver works, or, where they are to be small, with patience.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effort {
    pub(crate) level: i32,
    /// The shortest repetition that is worth writing, where the level does not know best: shorter ones
    /// hide longer ones, and say less than single codes.
    pub(crate) min_match: Option<u32>,
    /// Whether long repetitions are looked for in all that has been seen of the block, which a quick level
    /// soon forgets.
    pub(crate) is_far: bool,
}

impl Effort {
    /// Measured in docs/decisions/0002-numbering-and-tiles.md.
    const QUICK: Effort = Effort { level: 3, min_match: Some(6), is_far: false };
    /// For the distances of a table that is one block.
    const QUICK_WHOLE: Effort = Effort { level: 6, min_match: None, is_far: true };
    /// For `wdl`, which has a quarter of a byte a code.
    const QUICK_WDL: Effort = Effort { level: 5, min_match: None, is_far: false };
    /// Finds the best order of a small table.
    const COMPARE: Effort = Effort { level: 3, min_match: None, is_far: false };
    /// For large tables of `wdl` that are to be small.
    const PATIENT_WDL: Effort = Effort { level: 15, min_match: None, is_far: false };
    /// For large tables of distances that are to be small.
    const PATIENT_DISTANCES: Effort = Effort { level: 9, min_match: None, is_far: false };
    /// For small tables that are to be small.
    const PATIENT: Effort = Effort { level: 19, min_match: None, is_far: false };
}

/// The sizes and efforts of a table's column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    pub(crate) column: Column,
    pub(crate) payload: Payload,
    pub(crate) tile_codes: usize,
    pub(crate) block_codes: usize,
    /// Whether the file is to be as small as can be; else it is to be made quickly.
    pub(crate) is_small: bool,
    /// To compare arrangements.
    pub(crate) choosing: Effort,
    pub(crate) writing: Effort,
    /// For a side to move that is left out later.
    pub(crate) passing: Effort,
}

impl Profile {
    /// The profile of quick files for a column and a layout.
    pub(crate) fn new(column: Column, layout: &Layout) -> Profile {
        let payload = Payload::of(column.metric);
        let tile_codes = tile_codes_of(payload, layout);
        let is_whole = tile_codes == layout.len();
        let writing = match payload {
            Payload::Distances if is_whole => Effort::QUICK_WHOLE,
            Payload::Values | Payload::Distances => Effort::QUICK,
            Payload::Wdl => Effort::QUICK_WDL,
        };
        let block_codes = match payload {
            Payload::Wdl => WDL_BLOCK_CODES,
            Payload::Distances if is_whole => layout.len(),
            Payload::Distances => DISTANCE_BLOCK_CODES,
            Payload::Values => BLOCK_CODES,
        };
        let (is_small, choosing, passing) = (false, Effort::QUICK, Effort::QUICK);
        Profile { column, payload, tile_codes, block_codes, is_small, choosing, writing, passing }
    }

    /// The profile for files that are to be as small as can be.
    pub(crate) fn to_small(self, layout: &Layout) -> Profile {
        let is_whole = self.tile_codes == layout.len();
        let (choosing, writing) = match self.payload {
            // A model packs them.
            Payload::Values => (self.choosing, self.writing),
            _ if is_whole => (Effort::COMPARE, Effort::PATIENT),
            Payload::Wdl => (Effort::COMPARE, Effort::PATIENT_WDL),
            Payload::Distances => (Effort::QUICK, Effort::PATIENT_DISTANCES),
        };
        let block_codes = match self.payload {
            Payload::Values => SMALL_BLOCK_CODES,
            _ => self.block_codes,
        };
        Profile { block_codes, is_small: true, choosing, writing, ..self }
    }

    /// Whether a model packs the blocks that stay.
    pub(crate) fn is_modelled(&self) -> bool {
        self.is_small && self.payload == Payload::Values
    }

    /// Whether orders are compared on an excerpt of a tile: of a quick file whose tile is the whole table.
    pub(crate) fn has_excerpts(&self, layout: &Layout) -> bool {
        self.payload != Payload::Values && !self.is_small && self.tile_codes == layout.len()
    }
}

#[cfg(test)]
mod tests {
    use crate::pack::codes::places;

    #[track_caller]
    fn check_places(n_values: usize, stride: usize, n_taken: usize) {
        let places = places(n_values, stride);
        assert_eq!(places.len(), n_taken, "of {n_values} values of {stride} codes");
        assert!(places.is_sorted_by(|a, b| a < b), "each of {places:?} once");
        assert_eq!(places[0], 0, "from the beginning");
        assert!(n_taken == 1 || places[n_taken - 1] == n_values - 1, "to the end");
    }

    #[test]
    fn excerpts_are_spread_over_the_whole_table() {
        check_places(1, 64, 1);
        check_places(462, 64, 462);
        check_places(462, 4096, 64);
        check_places(99, 4096, 99);
        check_places(24 * 3612, 64, 24 * 3612 / 8);
        check_places(462, 1 << 18, 57);
        check_places(10, 1 << 20, 1);
    }
}
