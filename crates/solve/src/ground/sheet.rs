//! Groups words into sheets: words that differ in the square of one man, so that two men vary and all others
//! stand still.
//!
//! ```text
//!                 the lane man: bits
//!                 a1 b1 c1 …
//!    row man a1   ┌──────────┐  word
//!            b1   │  ╲       │  word + 1           a row    : a word, read along the lane
//!            c1   │     ╲    │  word + 2           a column : one bit of every word, for each square
//!            …    └──────────┘                                of the row man
//!                                                 ╲ diagonal: both men on one square
//! ```
//!
//! Successors are read a row or a column at a time. Where a block is a single word, so is a sheet.

use super::Ground;
use geometry::Square;
use index::{BlockRange, MAX_PLACED};
use kernel::Word;

/// Words of a block in which all men but two are known.
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

/// A large slice is read in so many parts, the same for any number of threads.
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
    let origin = Square::from_index(0);
    let mut slice = Sheet {
        squares: [origin; MAX_PLACED],
        taken: ground.fixed,
        n_shared: 0,
        word: 0,
        row_man: ground.row_man(),
    };
    for (&man, &square) in layout.pawns().iter().zip(layout.pawn_squares(ground.slice)) {
        slice.squares[man] = square;
    }
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
