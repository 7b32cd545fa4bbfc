//! Computes how far apart the numbers of two squares of a free man lie, in a whole table or in a part of one.
//!
//! A whole table has a row of codes for every square of every free man. A part of it keeps the rows of
//! certain squares of one free man only, and leaves everything else as it is:
//!
//! ```text
//!   whole:  … × squares of Q × squares of R × squares of r    steps n² , n , 1
//!   part :  … × squares of Q ×  kept of R   × squares of r    steps k·n, n , 1    kept of R: its k squares
//! ```
//!
//! A [`Scope`] says which part is meant, an [`Extent`] has the steps. Of a table whose slices lie by
//! themselves the numbers begin with each slice again ([`Extent::of_slice`]), and with each block where
//! blocks do ([`Extent::of_block`]).

use crate::{BlockId, Layout, MAX_PLACED, SliceId};
use geometry::{MAX_SQUARES, Square, SquareSet};

/// The part of a table in which one free man stands on certain squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scope {
    man: usize,
    squares: SquareSet,
}

impl Scope {
    /// The part in which the man at this place of the layout's men stands on one of these squares or their
    /// images under the layout's symmetries; none if that man is not a free one.
    #[must_use]
    pub fn new(layout: &Layout, man: usize, squares: SquareSet) -> Option<Self> {
        let images = |s: Square| layout.group().iter().map(move |&g| layout.permutation(g)[s.index()]);
        let squares = squares.iter().flat_map(images).map(|s| Square::from_index(s.into())).collect();
        layout.free().contains(&man).then_some(Scope { man, squares })
    }

    /// The place of the man among the layout's men.
    #[must_use]
    pub fn man(&self) -> usize {
        self.man
    }

    /// The squares of the man, with all their images.
    #[must_use]
    pub fn squares(&self) -> SquareSet {
        self.squares
    }

    /// How many codes of one side to move the part has.
    #[must_use]
    pub fn n_codes(&self, layout: &Layout) -> usize {
        self.n_codes_of(layout, layout.len())
    }

    /// How many codes the part has of those of whole blocks.
    #[must_use]
    pub fn n_codes_of(&self, layout: &Layout, n_codes: usize) -> usize {
        n_codes / layout.n_squares() * self.squares.n_squares()
    }

    /// Copies what belongs to the part out of whole blocks.
    ///
    /// # Panics
    /// If `part` is not as long as what is kept of `whole`.
    pub fn keep<C: Copy>(&self, layout: &Layout, whole: &[C], part: &mut [C]) {
        let place = layout.free().iter().position(|&man| man == self.man).expect("a scope is of a free man");
        let n = layout.n_squares();
        let inner = n.pow((layout.free().len() - 1 - place) as u32);
        let kept_len = self.squares.n_squares() * inner;
        assert_eq!(whole.len() / (n * inner) * kept_len, part.len(), "codes to keep of {}", layout.name());
        for (whole, part) in whole.chunks_exact(n * inner).zip(part.chunks_exact_mut(kept_len)) {
            for (square, row) in self.squares.iter().zip(part.chunks_exact_mut(inner)) {
                row.copy_from_slice(&whole[square.index() * inner..][..inner]);
            }
        }
    }
}

/// The steps of a layout's free men in a table or in a part of one.
#[derive(Clone, Debug)]
pub struct Extent {
    /// By the place among the free men.
    steps: [usize; MAX_PLACED],
    block_len: usize,
    /// By how much numbers grow from one block to the next; not at all where each block lies by itself.
    block_step: usize,
    len: usize,
    /// By how much numbers grow from one slice to the next; not at all where each slice lies by itself.
    slice_step: usize,
    /// Of a part: the place among the free men of the man with few squares, and where each of them lies.
    kept: Option<(usize, [u8; MAX_SQUARES])>,
}

const OUTSIDE: u8 = u8::MAX;

impl Extent {
    /// The extent of a whole table, or of a part of it.
    #[must_use]
    pub fn new(layout: &Layout, scope: Option<&Scope>) -> Self {
        let free = layout.free();
        let kept = scope.map(|scope| {
            let place = free.iter().position(|&man| man == scope.man).expect("a scope is of a free man");
            let mut rows = [OUTSIDE; MAX_SQUARES];
            scope.squares.iter().zip(0..).for_each(|(s, row)| rows[s.index()] = row);
            (place, rows)
        });
        let mut steps = [0; MAX_PLACED];
        let mut block_len = 1;
        for place in (0..free.len()).rev() {
            steps[place] = block_len;
            block_len *= match (&kept, scope) {
                (Some((few, _)), Some(scope)) if *few == place => scope.squares.n_squares(),
                _ => layout.n_squares(),
            };
        }
        let slice_step = layout.n_blocks() * block_len;
        let len = layout.n_slices() * slice_step;
        Extent { steps, block_len, block_step: block_len, len, slice_step, kept }
    }

    /// The extent of one slice of a table, or of a part of one, whichever slice it is.
    #[must_use]
    pub fn of_slice(layout: &Layout, scope: Option<&Scope>) -> Self {
        let all = Extent::new(layout, scope);
        Extent { len: all.slice_step, slice_step: 0, ..all }
    }

    /// The extent of one block of a table, whichever block it is.
    #[must_use]
    pub fn of_block(layout: &Layout) -> Self {
        let all = Extent::new(layout, None);
        Extent { len: all.block_len, block_step: 0, slice_step: 0, ..all }
    }

    /// How far behind the first code of its slice a block begins.
    #[inline]
    pub(crate) fn block_start(&self, block: BlockId) -> usize {
        block.index() * self.block_step
    }

    /// The number of a slice's first code.
    pub(crate) fn slice_start(&self, slice: SliceId) -> usize {
        slice.index() * self.slice_step
    }

    /// How many codes of one side to move there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many codes a block has.
    #[must_use]
    pub fn block_len(&self) -> usize {
        self.block_len
    }

    /// How far apart the codes of neighbouring squares of a free man are.
    pub(crate) fn step(&self, place: usize) -> usize {
        self.steps[place]
    }

    /// Whether this free man has few squares only.
    pub(crate) fn is_few(&self, place: usize) -> bool {
        matches!(self.kept, Some((few, _)) if few == place)
    }

    /// What a free man on this square adds to a number.
    ///
    /// # Panics
    /// If the part does not have the square.
    #[inline]
    pub(crate) fn offset(&self, layout: &Layout, place: usize, square: u8) -> usize {
        let row = match &self.kept {
            Some((few, rows)) if *few == place => {
                let row = rows[square as usize];
                assert!(
                    row != OUTSIDE,
                    "a part of {} was asked for man {} on square {square}, which it does not have",
                    layout.name(),
                    layout.free()[place],
                );
                row
            }
            _ => square,
        };
        row as usize * self.steps[place]
    }
}
