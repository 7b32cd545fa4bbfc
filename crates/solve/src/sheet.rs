//! Sheets: words that differ in the square of one man, so that two men vary and all others stand still.
//!
//! ```text
//!                 the man in the lane: bits
//!                 a1 b1 c1 …
//!   axis man a1   ┌──────────┐  word
//!            b1   │  ╲       │  word + 1           a row    : a word, read along the lane
//!            c1   │     ╲    │  word + 2           a column : one bit of every word, read along the axis
//!            …    └──────────┘                     ╲ diagonal: both men on one square
//! ```
//!
//! Successors are read a row or a column at a time. The axis man is the free man next to the lane. Where
//! there is none, in slices with pawns and two mobile men, it is the only frame man, and the sheet is the
//! whole slice; elsewhere a sheet is a single word.

use crate::ground::Ground;
use geometry::Square;
use index::{Layout, MAX_MEN};
use kernel::Word;
use std::ops::Range;

/// Words of a block in which all men but two are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet<W> {
    /// By the layout's men; those of the man in the lane and of the axis man are meaningless.
    pub(crate) squares: [Square; MAX_MEN],
    /// The known squares, as bits.
    pub(crate) taken: W,
    /// How many of the known men stand where another one does.
    pub(crate) n_shared: usize,
    /// The first word of the plane.
    pub(crate) word: usize,
    /// The man whose square is the number of a word in the sheet, if there is one.
    pub(crate) axis: Option<usize>,
}

/// A slice of so many words or more is read by several threads.
const PARALLEL_WORDS: usize = 1 << 16;
/// In so many parts: the same for any number of threads.
const N_PARTS: usize = 16;

/// The blocks of a slice in one part, or in several if it is large.
pub(crate) fn block_ranges<W: Word>(ground: &Ground<'_, W>) -> Vec<Range<usize>> {
    let n_blocks = ground.layout.n_blocks();
    let n_parts = if ground.n_words() < PARALLEL_WORDS { 1 } else { N_PARTS };
    (0..n_parts).map(|part| part * n_blocks / n_parts..(part + 1) * n_blocks / n_parts).collect()
}

/// Calls `visit` with every sheet of these blocks in order.
pub(crate) fn for_each_sheet<W: Word>(
    ground: &Ground<'_, W>,
    blocks: Range<usize>,
    mut visit: impl FnMut(&Sheet<W>),
) {
    let layout = ground.layout;
    let (free, n) = (layout.free(), layout.n_squares());
    let axis = free.len().checked_sub(2).map(|place| free[place]);
    let words_per_sheet = if axis.is_some() { n } else { 1 };
    let sheets_per_block = layout.words_per_block() / words_per_sheet;
    let outer = &free[..free.len().saturating_sub(2)];
    let origin = Square::from_index(0);
    let mut slice = Sheet { squares: [origin; MAX_MEN], taken: ground.fixed, n_shared: 0, word: 0, axis };
    for (&man, &square) in layout.pawns().iter().zip(layout.pawn_squares(ground.slice)) {
        slice.squares[man] = square;
    }
    if is_one_sheet(layout) && blocks == (0..layout.n_blocks()) {
        slice.axis = Some(layout.frame()[0]);
        return visit(&slice);
    }
    for block in blocks {
        let mut frame = slice;
        frame.word = block * layout.words_per_block();
        layout.frame().iter().zip(layout.frame_squares(block)).for_each(|(&man, s)| frame.add(man, s));
        for number in 0..sheets_per_block {
            let mut sheet = frame;
            sheet.word += number * words_per_sheet;
            let mut rest = number;
            for &man in outer.iter().rev() {
                sheet.add(man, Square::from_index(rest % n));
                rest /= n;
            }
            visit(&sheet);
        }
    }
}

/// Whether the blocks are the squares of one man, in their order, of one word each.
pub(crate) fn is_one_sheet(layout: &Layout) -> bool {
    let shape = (layout.frame().len(), layout.free().len());
    shape == (1, 1) && !layout.pawns().is_empty() && layout.n_blocks() == layout.n_squares()
}

impl<W: Word> Sheet<W> {
    fn add(&mut self, man: usize, square: Square) {
        let bit = W::bit(square.index());
        self.n_shared += usize::from(self.taken & bit != W::ZERO);
        self.taken |= bit;
        self.squares[man] = square;
    }
}
