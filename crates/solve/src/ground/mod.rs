//! Computes the constants of one slice: where its pawns stand, and which men stand where in each row and
//! word.
//!
//! In slices with pawns and two mobile men the layout has a block of one word for each square of the first.
//! These words are in the order of a row, so here they are one: a block of one row, both men free. Vectors of
//! words do in a few instructions what would be a call, a list of neighbours and a flag for each word.
//!
//! Successors are read by sheets: words that differ in the square of one man, so that two men vary and all
//! others stand still.

mod attack;

pub(crate) use attack::{
    AttackRoom, Attacked, fill_attacked, fill_attacked_in, word_any_attacked, word_attacked,
};

use crate::law::Law;
use crate::motion::Motion;
use crate::pool::Scratch;
use geometry::Square;
use index::{BlockId, BlockRange, Layout, MAX_PLACED, SliceId};
use kernel::{Word, placements};

/// The fewest words of a slice that is shared among threads, at the plies at which that number is touched.
pub(crate) const PARALLEL_WORDS: usize = 1 << 16;

/// One slice of a layout.
#[derive(Debug)]
pub(crate) struct Ground<'a, W> {
    pub(crate) layout: &'a Layout,
    pub(crate) motion: &'a Motion<W>,
    pub(crate) law: &'a Law<W>,
    pub(crate) slice: SliceId,
    /// The men that blocks are made of.
    frame: &'a [usize],
    /// The other mobile men.
    free: Vec<usize>,
    /// The squares of the pawns, as bits.
    pub(crate) pawns: W,
    /// The squares on which no other man can stand: those of the pawns, and those that the board does not
    /// have.
    pub(crate) fixed: W,
    /// The squares of the board, as bits of a lane; one bit if there is no lane man.
    pub(crate) lane_mask: W,
    /// The squares that every word has in common: the pawns'.
    known: WordSquares<W>,
    /// For each row of a block the squares of the men further out than the row's two, as bits.
    outer: Vec<W>,
    /// For each row whether two of those men share a square.
    outer_shared: Vec<bool>,
    /// Where blocks are single words: the placements of each in which no two men share a square.
    word_placements: Vec<W>,
}

/// The number of an outer man, the outermost being 0: also his place among the free men.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OuterId(usize);

/// The squares of all men but the lane man in the placements of one word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordSquares<W> {
    /// By the layout's men; that of the lane is meaningless.
    pub(crate) squares: [Square; MAX_PLACED],
    /// The known squares, as bits.
    pub(crate) taken: W,
    /// Whether two of the known men share a square.
    pub(crate) shared: bool,
}

impl<'a, W: Word> Ground<'a, W> {
    pub(crate) fn new(layout: &'a Layout, motion: &'a Motion<W>, law: &'a Law<W>, slice: SliceId) -> Self {
        let (frame, free) = if is_one_row(layout) {
            (&[][..], [layout.frame(), layout.free()].concat())
        } else {
            (layout.frame(), layout.free().to_vec())
        };
        let pawns = layout.pawn_squares(slice).iter().fold(W::ZERO, |sum, s| sum | W::bit(s.index()));
        let fixed = pawns | W::from_bits(layout.board().holes().bits());
        let lane_mask = if free.is_empty() { W::bit(0) } else { W::from_bits(layout.board().all().bits()) };
        let n = layout.n_squares();
        let mut known =
            WordSquares { squares: [Square::from_index(0); MAX_PLACED], taken: fixed, shared: false };
        for (&man, &square) in layout.pawns().iter().zip(layout.pawn_squares(slice)) {
            known.squares[man] = square;
        }
        let mut ground = Ground {
            known,
            layout,
            motion,
            law,
            slice,
            frame,
            free,
            pawns,
            fixed,
            lane_mask,
            outer: Vec::new(),
            outer_shared: Vec::new(),
            word_placements: Vec::new(),
        };
        let n_outer = ground.n_outer();
        for row in 0..n.pow(n_outer as u32) {
            let bits = ground
                .outer_men()
                .fold(W::ZERO, |bits, (outer, _)| bits | W::bit(ground.outer_square(row, outer)));
            ground.outer.push(bits);
            ground.outer_shared.push(bits.n_bits() < n_outer);
        }
        // Ghosts and events have numbers of words in 32 bits.
        let n_words = ground.n_words();
        assert!(u32::try_from(n_words).is_ok(), "{n_words} words in a slice of {}", layout.name());
        if ground.is_word() {
            let placements = ground.blocks().map(|block| ground.placements(&ground.word(block, 0)));
            ground.word_placements = placements.collect();
        }
        ground
    }

    /// The squares of the pawns, which stand there in all placements.
    pub(crate) fn standing(&self) -> &WordSquares<W> {
        &self.known
    }

    /// The men that blocks are made of.
    pub(crate) fn frame(&self) -> &'a [usize] {
        self.frame
    }

    /// The other mobile men, the one in the lane last.
    pub(crate) fn free(&self) -> &[usize] {
        &self.free
    }

    /// Number of blocks.
    pub(crate) fn n_blocks(&self) -> usize {
        if self.is_row() { 1 } else { self.layout.n_blocks() }
    }

    /// All blocks.
    pub(crate) fn blocks(&self) -> BlockRange {
        BlockRange::new(0..self.n_blocks())
    }

    /// Number of words of a block.
    pub(crate) fn words_per_block(&self) -> usize {
        self.n_words() / self.n_blocks()
    }

    /// Whether the layout's blocks, of one word each, are solved as one row.
    fn is_row(&self) -> bool {
        self.frame.len() < self.layout.frame().len()
    }

    /// The squares of the men further out than a row's two, as bits, by row of a block.
    pub(crate) fn outer(&self) -> &[W] {
        &self.outer
    }

    /// Number of outer men: the free men but the two that make up a row.
    pub(crate) fn n_outer(&self) -> usize {
        self.free.len().saturating_sub(2)
    }

    /// The outer men, each with his place among the layout's men.
    pub(crate) fn outer_men(&self) -> impl Iterator<Item = (OuterId, usize)> + '_ {
        (0..self.n_outer()).map(|outer| (OuterId(outer), self.free[outer]))
    }

    /// The square of an outer man in a row of a block.
    pub(crate) fn outer_square(&self, row: usize, outer: OuterId) -> usize {
        row / self.outer_stride(outer) % self.layout.n_squares()
    }

    /// How many rows lie between neighbouring squares of an outer man.
    pub(crate) fn outer_stride(&self, outer: OuterId) -> usize {
        self.layout.n_squares().pow((self.n_outer() - 1 - outer.0) as u32)
    }

    /// Number of words of a row: one if a block is a single word.
    pub(crate) fn row_len(&self) -> usize {
        if self.is_word() { 1 } else { self.layout.n_squares() }
    }

    /// Number of rows of a block.
    pub(crate) fn n_rows(&self) -> usize {
        self.outer.len()
    }

    /// Whether a block is a single word: at most one man is free.
    pub(crate) fn is_word(&self) -> bool {
        self.free.len() < 2
    }

    /// The placements of a block of one word in which no two men share a square.
    #[inline]
    pub(crate) fn word_placements(&self, block: BlockId) -> W {
        self.word_placements[block.index()]
    }

    /// Fills in which squares are taken and shared in the rows of a block.
    pub(crate) fn prepare(&self, block: BlockId, scratch: &mut Scratch<W>) {
        let frame = self.frame_bits(block);
        let base = frame | self.fixed;
        let is_shared = frame & self.fixed != W::ZERO;
        scratch.taken.clear();
        scratch.taken.extend(self.outer.iter().map(|&outer| outer | base));
        scratch.shared.clear();
        let shared = self.outer.iter().zip(&self.outer_shared);
        scratch.shared.extend(shared.map(|(&outer, &shared)| is_shared || shared || outer & base != W::ZERO));
    }

    /// The square of a pawn or a frame man.
    pub(crate) fn known_square(&self, man: usize, block: BlockId) -> usize {
        let layout = self.layout;
        let pawns = layout.pawns().iter().zip(layout.pawn_squares(self.slice));
        let frame_squares = layout.frame_squares(block);
        let mut known = pawns.chain(self.frame.iter().zip(&frame_squares));
        known.find(|(known, _)| **known == man).map_or(0, |(_, square)| square.index())
    }

    /// Fills in by row whether the square of an outer man is free of all men but the row's two.
    pub(crate) fn find_passable(&self, outer: OuterId, block: BlockId, passable: &mut Vec<bool>) {
        let base = self.frame_bits(block) | self.fixed;
        passable.clear();
        passable.extend(
            (0..self.n_rows()).map(|row| !base.has(self.outer_square(row, outer)) && !self.outer_shared[row]),
        );
    }

    /// Fills a block with the placements in which no two men share a square; `scratch` is prepared for it.
    pub(crate) fn fill_placements(&self, block: BlockId, scratch: &Scratch<W>, words: &mut [W]) {
        if self.is_word() {
            words[0] = self.word_placements[block.index()];
        } else {
            placements(words, &scratch.taken, &scratch.shared, self.row_len(), self.lane_mask);
        }
    }

    /// Fills a plane with the placements in which no two men share a square.
    pub(crate) fn fill_all_placements(&self, plane: &mut [W]) {
        let mut scratch = Scratch::default();
        for (block, words) in self.blocks().zip(plane.chunks_exact_mut(self.words_per_block())) {
            self.prepare(block, &mut scratch);
            self.fill_placements(block, &scratch, words);
        }
    }

    /// Number of words of a plane.
    pub(crate) fn n_words(&self) -> usize {
        self.layout.n_blocks() * self.layout.words_per_block()
    }

    /// Whether the slice is large enough to be shared among threads.
    pub(crate) fn is_large(&self) -> bool {
        self.n_words() >= PARALLEL_WORDS
    }

    /// Number of placements of a word.
    pub(crate) fn lane_len(&self) -> usize {
        if self.free.is_empty() { 1 } else { self.layout.n_squares() }
    }

    /// The lane man, if there is one.
    pub(crate) fn lane(&self) -> Option<usize> {
        self.free.last().copied()
    }

    /// The row man, if there is one: his squares are the words of a row.
    pub(crate) fn row_man(&self) -> Option<usize> {
        self.free.len().checked_sub(2).map(|place| self.free[place])
    }

    /// The squares of a block's frame men, as bits.
    #[inline]
    pub(crate) fn frame_bits(&self, block: BlockId) -> W {
        let squares = self.layout.frame_squares(block);
        self.frame.iter().zip(squares).fold(W::ZERO, |sum, (_, s)| sum | W::bit(s.index()))
    }

    /// The squares of all men but the lane man in a word of a block.
    #[inline]
    pub(crate) fn word(&self, block: BlockId, word: usize) -> WordSquares<W> {
        let layout = self.layout;
        let mut known = self.known;
        let mut add = |man: usize, square: Square| {
            let bit = W::bit(square.index());
            known.shared |= known.taken & bit != W::ZERO;
            known.taken |= bit;
            known.squares[man] = square;
        };
        self.frame.iter().zip(layout.frame_squares(block)).for_each(|(&man, s)| add(man, s));
        if !self.is_word() {
            let n = layout.n_squares();
            let mut rest = word;
            for &man in self.free.iter().rev().skip(1) {
                add(man, Square::from_index(rest % n));
                rest /= n;
            }
        }
        known
    }

    /// The placements of a word in which no two men share a square, as bits of the lane.
    #[inline]
    pub(crate) fn placements(&self, word: &WordSquares<W>) -> W {
        match (word.shared, self.lane()) {
            (true, _) => W::ZERO,
            (false, None) => W::bit(0),
            (false, Some(_)) => self.lane_mask & !word.taken,
        }
    }

    /// Calls `visit` with every word of the plane in order: its block, its number in the plane, what is
    /// known.
    pub(crate) fn for_each_word(
        &self,
        blocks: BlockRange,
        mut visit: impl FnMut(BlockId, usize, WordSquares<W>),
    ) {
        let n_words = self.words_per_block();
        for block in blocks {
            for (word, number) in block.span(n_words).enumerate() {
                visit(block, number, self.word(block, word));
            }
        }
    }
}

/// Whether the layout's blocks are words of one row: the squares of one man, in their order.
pub(crate) fn is_one_row(layout: &Layout) -> bool {
    let shape = (layout.frame().len(), layout.free().len());
    shape == (1, 1) && !layout.pawns().is_empty() && layout.n_blocks() == layout.n_squares()
}

/// Words of a block in which all men but two are known.
///
/// ```text
///                 the lane man: bits
///                 a1 b1 c1 …
///    row man a1   ┌──────────┐  word
///            b1   │  ╲       │  word + 1           a row    : a word, read along the lane
///            c1   │     ╲    │  word + 2           a column : one bit of every word, for each square
///            …    └──────────┘                                of the row man
///                                                 ╲ diagonal: both men on one square
/// ```
///
/// Successors are read a row or a column at a time. Where a block is a single word, so is a sheet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet<W> {
    /// By the layout's men; those of the lane man and of the row man are meaningless.
    pub(crate) squares: [Square; MAX_PLACED],
    /// The known squares, as bits.
    pub(crate) taken: W,
    /// How many of the known men stand where another one does.
    pub(crate) n_shared: usize,
    /// The first word of the plane.
    pub(crate) word: usize,
    /// The man whose square is the number of a word in the sheet, if there is one.
    pub(crate) row_man: Option<usize>,
}

/// The parts in which a large slice is read, whatever the number of threads.
const N_PARTS: usize = 16;

/// The blocks of a slice in one part, or in several if it is large.
pub(crate) fn block_ranges<W: Word>(ground: &Ground<'_, W>) -> Vec<BlockRange> {
    let n_blocks = ground.n_blocks();
    let n_parts = if ground.is_large() { N_PARTS } else { 1 };
    let start = |part: usize| part * n_blocks / n_parts;
    (0..n_parts).map(|part| BlockRange::new(start(part)..start(part + 1))).collect()
}

/// Calls `visit` with every sheet of these blocks in order.
pub(crate) fn for_each_sheet<W: Word>(
    ground: &Ground<'_, W>,
    blocks: BlockRange,
    mut visit: impl FnMut(&Sheet<W>),
) {
    let layout = ground.layout;
    let n = layout.n_squares();
    let outer = &ground.free()[..ground.n_outer()];
    let WordSquares { squares, taken, .. } = *ground.standing();
    let slice = Sheet { squares, taken, n_shared: 0, word: 0, row_man: ground.row_man() };
    for block in blocks {
        let mut frame = slice;
        frame.word = block.span(ground.words_per_block()).start;
        ground.frame().iter().zip(layout.frame_squares(block)).for_each(|(&man, s)| frame.add(man, s));
        for number in 0..ground.n_rows() {
            let mut sheet = frame;
            sheet.word += number * ground.row_len();
            let mut rest = number;
            for &man in outer.iter().rev() {
                sheet.add(man, Square::from_index(rest % n));
                rest /= n;
            }
            visit(&sheet);
        }
    }
}

impl<W: Word> Sheet<W> {
    fn add(&mut self, man: usize, square: Square) {
        let bit = W::bit(square.index());
        self.n_shared += usize::from(self.taken & bit != W::ZERO);
        self.taken |= bit;
        self.squares[man] = square;
    }
}

#[cfg(test)]
mod tests;
