//! Stores a placement, the squares of all men of a material, and the numbers of slices and blocks.
//!
//! The numbers are types of their own, so that they cannot be exchanged. [`SliceId`] is the number of a
//! slice in its layout, and [`BlockId`] that of a block in its slice. Several in a row are a [`SliceRange`]
//! and a [`BlockRange`], which are iterators. A *unit* is a block among those of all slices, as the numbers
//! of placements count them; its number stays a bare one, and
//! [`Layout::slice_block`](crate::Layout::slice_block) takes it apart.

use geometry::Square;
use std::fmt;
use std::ops::{Deref, Range};

/// The most men that the table of a whole material can have.
pub const MAX_MEN: usize = 8;

/// The most men a placement can have: a structure, whose pawns stand on few squares, has more of them than a
/// whole material.
pub const MAX_PLACED: usize = 16;

/// The squares of all men of a layout, in the order of [`Layout::men`](crate::Layout::men).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    pub(crate) squares: [Square; MAX_PLACED],
    pub(crate) n_men: u8,
}

impl Deref for Placement {
    type Target = [Square];
    fn deref(&self) -> &[Square] {
        &self.squares[..self.n_men as usize]
    }
}

/// Whether two men share a square.
#[must_use]
pub fn has_repeated(squares: &[Square]) -> bool {
    let mut seen = 0u128;
    squares.iter().any(|s| {
        let bit = 1u128 << s.index();
        let repeated = seen & bit != 0;
        seen |= bit;
        repeated
    })
}

/// Defines a number and several numbers in a row.
macro_rules! numbers {
    ($(#[$id_doc:meta])* $Id:ident; $(#[$range_doc:meta])* $Range:ident) => {
        $(#[$id_doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $Id(u32);

        impl $Id {
            /// The first, which may be the only one.
            pub const FIRST: $Id = $Id(0);

            /// The one with this number. A layout sees to it that its numbers fit.
            #[must_use]
            #[inline]
            pub const fn from_index(index: usize) -> Self {
                debug_assert!(index <= u32::MAX as usize, "a number that does not fit");
                $Id(index as u32)
            }

            /// Its number.
            #[must_use]
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Where its entries stand in an array that has `n` entries for each.
            #[must_use]
            #[inline]
            pub const fn span(self, n: usize) -> Range<usize> {
                self.index() * n..(self.index() + 1) * n
            }

            /// This one alone.
            #[must_use]
            #[inline]
            pub const fn alone(self) -> $Range {
                $Range(self.0..self.0 + 1)
            }
        }

        impl From<u32> for $Id {
            #[inline]
            fn from(number: u32) -> Self {
                $Id(number)
            }
        }

        impl From<$Id> for u32 {
            #[inline]
            fn from(id: $Id) -> u32 {
                id.0
            }
        }

        impl fmt::Display for $Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        $(#[$range_doc])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $Range(Range<u32>);

        impl $Range {
            /// Those with these numbers.
            #[must_use]
            #[inline]
            pub const fn new(numbers: Range<usize>) -> Self {
                $Range($Id::from_index(numbers.start).0..$Id::from_index(numbers.end).0)
            }

            /// The first of them.
            #[must_use]
            #[inline]
            pub const fn first(&self) -> $Id {
                $Id(self.0.start)
            }

            /// Whether it is one of them.
            #[must_use]
            #[inline]
            pub fn contains(&self, id: $Id) -> bool {
                self.0.contains(&id.0)
            }

            /// Where their entries stand in an array that has `n` entries for each.
            #[must_use]
            #[inline]
            pub const fn span(&self, n: usize) -> Range<usize> {
                self.0.start as usize * n..self.0.end as usize * n
            }
        }

        impl Iterator for $Range {
            type Item = $Id;

            #[inline]
            fn next(&mut self) -> Option<$Id> {
                self.0.next().map($Id)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let n = self.span(1).len();
                (n, Some(n))
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<$Id> {
                self.0.nth(n).map($Id)
            }
        }

        impl DoubleEndedIterator for $Range {
            #[inline]
            fn next_back(&mut self) -> Option<$Id> {
                self.0.next_back().map($Id)
            }
        }

        impl ExactSizeIterator for $Range {}
    };
}

numbers! {
    /// The number of a slice in its layout; the most advanced pawns come first.
    SliceId;
    /// Slices in a row.
    SliceRange
}

numbers! {
    /// The number of a block in its slice.
    BlockId;
    /// Blocks of a slice in a row.
    BlockRange
}

/// A block and the slice that it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceBlock {
    /// The slice.
    pub slice: SliceId,
    /// The block in its slice.
    pub block: BlockId,
}

#[cfg(test)]
mod tests {
    use super::{BlockId, BlockRange};

    #[test]
    fn ranges_hand_out_their_numbers_in_order() {
        let range = BlockRange::new(3..6);
        let numbers =
            |blocks: &mut dyn Iterator<Item = BlockId>| blocks.map(BlockId::index).collect::<Vec<_>>();
        assert_eq!(numbers(&mut range.clone()), [3, 4, 5]);
        assert_eq!(numbers(&mut range.clone().rev()), [5, 4, 3]);
        assert_eq!((range.len(), range.first(), range.clone().nth(2)), (3, 3.into(), Some(5.into())));
        assert!(range.contains(5.into()) && !range.contains(6.into()) && !range.contains(2.into()));
        assert_eq!((range.span(10), BlockId::from_index(4).span(10)), (30..60, 40..50));
        assert_eq!(numbers(&mut BlockId::from_index(4).alone()), [4]);
        assert_eq!(numbers(&mut BlockRange::new(6..6)), []);
    }
}
