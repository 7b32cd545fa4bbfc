//! Computes the numbers of a row: of placements that differ in the square of one man.
//!
//! The 64 successors of a word of placements need not be numbered one by one. All men but one stand still, so
//! slice, block and symmetry are found once, and what is left depends on that one man:
//!
//! ```text
//!   a free man            number = start + step × σ(square)             σ: the symmetry, a permutation
//!   a frame man, pawns    number = slice start + block(square) × block length + rest
//!   a frame man, folded   the same, but the rest depends on the symmetry of the block: at most eight
//! ```
//!
//! A second man, the *slow man*, may stand on one square after another: [`Rows`] stores what does not depend
//! on him either, so that the row of each of his squares costs one addition.
//!
//! Like men are not sorted here, and of the images under a symmetry of slice or block the smallest is not
//! searched: the numbers are for tables in memory, where every placement has its code (see `Table` in the
//! crate `table`).

use crate::frame::{NONE, split};
use crate::{BlockId, Extent, Layout, MAX_PLACED, SliceId};
use geometry::{MAX_SQUARES, Square, Symmetry};

/// For how many symmetries what the free men add to a number is kept.
const N_RESTS: usize = 8;

/// The number of what has no place.
pub const NOWHERE: usize = usize::MAX;

/// Where the codes of a row lie.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// No placement of the row has a number.
    Nowhere,
    /// At `start + step × permutation[square]`.
    Even {
        /// The number of square 0's image.
        start: usize,
        /// From one image to the next.
        step: usize,
        /// The images of the squares.
        permutation: &'a [u8; MAX_SQUARES],
    },
    /// Each by itself, [`NOWHERE`] where the men cannot stand so.
    Places(&'a [usize]),
}

/// The rows of one man for every square of another: see the file's header.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    layout: &'a Layout,
    extent: &'a Extent,
    numbering: Numbering<'a>,
}

/// How the numbers of a row are found.
#[derive(Clone, Debug)]
enum Numbering<'a> {
    Nowhere,
    /// Both are free men.
    Free {
        start: usize,
        slow: Option<SlowMan<'a>>,
        step: usize,
        permutation: &'a [u8; MAX_SQUARES],
    },
    /// The one that varies is a frame man, the slow man a free one.
    Frame {
        slice_start: usize,
        /// The squares of the frame, under `to_frame`; that of `place` varies.
        frame: [Square; 2],
        place: usize,
        to_frame: Symmetry,
        /// For each symmetry that a block may ask for: what the free men but the slow man add.
        rests: [usize; N_RESTS],
        slow: Option<Place>,
    },
    /// The one that varies is a free man, the slow man a frame man of a frame that is not folded.
    Blocks {
        slice_start: usize,
        /// The squares of the frame; that of `place` is the slow man's.
        frame: [Square; 2],
        place: usize,
        rest: usize,
        step: usize,
        permutation: &'a [u8; MAX_SQUARES],
    },
    /// Anything else: number by number.
    Each {
        to_table: Symmetry,
        squares: [Square; MAX_PLACED],
        slow: Option<usize>,
        varying: usize,
    },
}

/// A man's place in the numbering.
#[derive(Clone, Copy, Debug)]
enum Place {
    Frame(usize),
    Free(usize),
}

#[derive(Clone, Copy, Debug)]
struct SlowMan<'a> {
    place: usize,
    permutation: &'a [u8; MAX_SQUARES],
}

impl Layout {
    /// The number of a placement in a table in memory, or in a part of one; none if the men cannot stand so.
    ///
    /// # Panics
    /// If the part does not have it.
    #[must_use]
    #[inline]
    pub fn place(&self, extent: &Extent, squares: &[Square]) -> Option<usize> {
        assert_eq!(squares.len(), self.men().len(), "squares and men");
        let (slice, to_slice) = self.slice_of(squares)?;
        let (block, to_block) = self.block_of(to_slice, squares)?;
        let start = extent.slice_start(slice) + extent.block_start(block);
        Some(start + self.rest(extent, to_slice.then(to_block, self.board()), squares, &[]))
    }

    /// The slice in which a placement lies, once the symmetry `to_table` is applied to it;
    /// none if the pawns cannot stand so. The squares of mobile men do not matter.
    #[must_use]
    pub fn slice_number(&self, to_table: Symmetry, squares: &[Square]) -> Option<SliceId> {
        let own = self.under(to_table, squares);
        self.slice_of(&own[..squares.len()]).map(|(slice, _)| slice)
    }

    /// The squares of all men once a symmetry is applied to them.
    fn under(&self, to_table: Symmetry, squares: &[Square]) -> [Square; MAX_PLACED] {
        assert_eq!(squares.len(), self.men().len(), "squares and men");
        let mut own = [Square::from_index(0); MAX_PLACED];
        let to_own = self.permutation(to_table);
        for (slot, s) in own.iter_mut().zip(squares) {
            *slot = Square::from_index(to_own[s.index()].into());
        }
        own
    }

    /// The block in which a placement lies, once the symmetry `to_table` is applied to it; none if the men
    /// cannot stand so. The squares of free men do not matter.
    #[must_use]
    pub fn block_number(&self, to_table: Symmetry, squares: &[Square]) -> Option<BlockId> {
        let own = self.under(to_table, squares);
        let own = &own[..squares.len()];
        let (_, to_slice) = self.slice_of(own)?;
        self.block_of(to_slice, own).map(|(block, _)| block)
    }

    /// The rows of the man at place `varying` of the layout's men, for every square of the man at place
    /// `slow`.
    ///
    /// The squares are those of all men, before the symmetry `to_table` is applied to them; those of the
    /// two men do not matter.
    #[must_use]
    pub fn rows<'a>(
        &'a self,
        extent: &'a Extent,
        to_table: Symmetry,
        squares: &[Square],
        slow: Option<usize>,
        varying: usize,
    ) -> Rows<'a> {
        let numbering = self.numbering(extent, to_table, squares, slow, varying);
        Rows { layout: self, extent, numbering: numbering.unwrap_or(Numbering::Nowhere) }
    }

    /// How the rows are numbered; none if no placement of them has a number.
    fn numbering<'a>(
        &'a self,
        extent: &Extent,
        to_table: Symmetry,
        squares: &[Square],
        slow: Option<usize>,
        varying: usize,
    ) -> Option<Numbering<'a>> {
        let each = || {
            let mut all = [Square::from_index(0); MAX_PLACED];
            all[..squares.len()].copy_from_slice(squares);
            Some(Numbering::Each { to_table, squares: all, slow, varying })
        };
        let Some(varying) = self.place_of(varying) else { return each() };
        let own = &self.under(to_table, squares)[..squares.len()];
        let is_folded = self.pawns().is_empty();
        let slow = match slow.map(|man| self.place_of(man)) {
            None => None,
            Some(None) => return each(),
            Some(Some(Place::Frame(_))) if is_folded => return each(),
            Some(place) => place,
        };
        let (slice, to_slice) = self.slice_of(own)?;
        let slice_start = extent.slice_start(slice);
        let free_slow = match slow {
            Some(Place::Free(place)) => Some(place),
            _ => None,
        };
        let place = match varying {
            Place::Free(place) if extent.is_few(place) => return each(),
            Place::Free(place) => place,
            // A cylinder has more symmetries than there is room for.
            Place::Frame(_) if self.foldings().iter().any(|g| g.index() >= N_RESTS) => return each(),
            Place::Frame(place) => {
                let mut rests = [0; N_RESTS];
                let excepted = free_slow.map_or([usize::MAX], |place| [place]);
                for &g in self.foldings() {
                    rests[g.index()] = self.rest(extent, to_slice.then(g, self.board()), own, &excepted);
                }
                let (frame, to_frame) =
                    (self.frame_under(to_slice, own), to_table.then(to_slice, self.board()));
                return Some(Numbering::Frame { slice_start, frame, place, to_frame, rests, slow });
            }
        };
        if let Some(Place::Frame(slow)) = slow {
            return Some(Numbering::Blocks {
                slice_start,
                frame: self.frame_under(to_slice, own),
                place: slow,
                rest: self.rest(extent, to_slice, own, &[place]),
                step: extent.step(place),
                permutation: self.permutation(to_table.then(to_slice, self.board())),
            });
        }
        let (block, to_block) = self.block_of(to_slice, own)?;
        let symmetry = to_slice.then(to_block, self.board());
        let permutation = self.permutation(to_table.then(symmetry, self.board()));
        let excepted = [place, free_slow.unwrap_or(usize::MAX)];
        Some(Numbering::Free {
            start: slice_start + extent.block_start(block) + self.rest(extent, symmetry, own, &excepted),
            slow: free_slow.map(|place| SlowMan { place, permutation }),
            step: extent.step(place),
            permutation,
        })
    }

    /// A mobile man's place; none of a pawn.
    fn place_of(&self, man: usize) -> Option<Place> {
        let free = self.free().iter().position(|&free| free == man).map(Place::Free);
        free.or_else(|| self.frame().iter().position(|&frame| frame == man).map(Place::Frame))
    }

    /// The symmetries that a block may ask for: with pawns every block is there as it stands.
    fn foldings(&self) -> &[Symmetry] {
        if self.pawns().is_empty() { self.group() } else { &[Symmetry::IDENTITY] }
    }

    /// What the free men, those at the excepted places left out, add to a number.
    #[inline]
    fn rest(&self, extent: &Extent, symmetry: Symmetry, squares: &[Square], excepted: &[usize]) -> usize {
        let permutation = self.permutation(symmetry);
        let mut rest = 0;
        for (place, &man) in self.free().iter().enumerate() {
            if !excepted.contains(&place) {
                rest += extent.offset(self, place, permutation[squares[man].index()]);
            }
        }
        rest
    }
}

impl<'a> Rows<'a> {
    /// The row with the slow man (if there is one) on this square, as the caller names squares.
    ///
    /// Numbers without an order are written to `places`, which has room for every square and says
    /// [`NOWHERE`].
    ///
    /// # Panics
    /// If it is the row of a part that does not have it.
    #[inline]
    pub fn at<'b>(&self, slow_square: Square, places: &'b mut [usize]) -> Row<'b>
    where
        'a: 'b,
    {
        match &self.numbering {
            Numbering::Nowhere => Row::Nowhere,
            &Numbering::Free { start, slow, step, permutation } => {
                let offset = |man: SlowMan<'_>| {
                    self.extent.offset(self.layout, man.place, man.permutation[slow_square.index()])
                };
                Row::Even { start: start + slow.map_or(0, offset), step, permutation }
            }
            &Numbering::Blocks { slice_start, mut frame, place, rest, step, permutation } => {
                frame[place] = Square::from_index(permutation[slow_square.index()].into());
                let Some(found) = self.layout.neighbour(frame) else { return Row::Nowhere };
                let start = slice_start + self.extent.block_start(found.block) + rest;
                Row::Even { start, step, permutation }
            }
            Numbering::Frame { .. } => {
                self.frame_places(slow_square, places);
                Row::Places(places)
            }
            Numbering::Each { .. } => {
                self.each_place(slow_square, places);
                Row::Places(places)
            }
        }
    }

    /// The rows of all squares of the slow man together, if they lie together: one square of his after the
    /// other, and in each the squares of the man that varies. Returns where they start, and the images of the
    /// squares of both.
    #[must_use]
    pub fn whole(&self) -> Option<(usize, &'a [u8; MAX_SQUARES])> {
        let Numbering::Blocks { slice_start, rest: 0, step: 1, permutation, .. } = self.numbering else {
            return None;
        };
        let (n, layout) = (self.layout.n_squares(), self.layout);
        let lies_together = layout.frame().len() == 1 && layout.n_blocks() == n;
        (lies_together && self.extent.block_len() == n).then_some((slice_start, permutation))
    }

    fn frame_places(&self, square: Square, places: &mut [usize]) {
        let Numbering::Frame { slice_start, mut frame, place, to_frame, rests, slow } = self.numbering else {
            return;
        };
        let layout = self.layout;
        let mut rests = rests;
        let to_own = layout.permutation(to_frame);
        match slow {
            None => {}
            Some(Place::Frame(slow)) => frame[slow] = Square::from_index(to_own[square.index()].into()),
            Some(Place::Free(slow)) => {
                for &g in layout.foldings() {
                    let image = layout.permutation(to_frame.then(g, layout.board()))[square.index()];
                    rests[g.index()] += self.extent.offset(layout, slow, image);
                }
            }
        }
        let line = layout.frame_line(frame, place);
        for (slot, &own) in places.iter_mut().zip(&to_own[..layout.n_squares()]) {
            *slot = match line(own.into()) {
                NONE => NOWHERE,
                found => {
                    let (block, symmetry) = split(found);
                    slice_start
                        + self.extent.block_start(BlockId::from_index(block))
                        + rests[symmetry.index()]
                }
            };
        }
    }

    fn each_place(&self, square: Square, places: &mut [usize]) {
        let Numbering::Each { to_table, mut squares, slow, varying } = self.numbering else { return };
        let layout = self.layout;
        if let Some(slow) = slow {
            squares[slow] = square;
        }
        let to_own = layout.permutation(to_table);
        for s in layout.board().squares() {
            squares[varying] = s;
            let own = squares.map(|s| Square::from_index(to_own[s.index()].into()));
            places[s.index()] = layout.place(self.extent, &own[..layout.men().len()]).unwrap_or(NOWHERE);
        }
    }
}
