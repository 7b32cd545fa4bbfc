//! Sorts the men of a position by kind, so that the same men always come in the same order.

use geometry::Square;
use index::MAX_MEN;
use position::Position;
use variant::{Man, PieceId, Side};

/// The men of a position, sorted by kind, with their squares; made for every look-up, so nothing is
/// allocated.
#[derive(Clone, Copy)]
pub(crate) struct SortedMen {
    kinds: [u8; MAX_MEN],
    squares: [Square; MAX_MEN],
    n_men: usize,
}

impl SortedMen {
    /// The men of a position; none if they are more than a table can have.
    pub(crate) fn new(position: &Position) -> Option<Self> {
        let mut sorted =
            SortedMen { kinds: [0; MAX_MEN], squares: [Square::from_index(0); MAX_MEN], n_men: 0 };
        for (man, square) in position.men() {
            if sorted.n_men == MAX_MEN {
                return None;
            }
            let kind = kind(man);
            let mut at = sorted.n_men;
            while at > 0 && sorted.kinds[at - 1] > kind {
                sorted.kinds[at] = sorted.kinds[at - 1];
                sorted.squares[at] = sorted.squares[at - 1];
                at -= 1;
            }
            sorted.kinds[at] = kind;
            sorted.squares[at] = square;
            sorted.n_men += 1;
        }
        Some(sorted)
    }

    /// A number for the men, colours as they are.
    pub(crate) fn key(&self) -> u64 {
        u64::from_le_bytes(self.kinds)
    }

    /// The key of the same men with the colours exchanged.
    pub(crate) fn exchanged_key(&self) -> u64 {
        let mut kinds = self.kinds;
        kinds[..self.n_men].iter_mut().for_each(|kind| *kind ^= 1);
        kinds[..self.n_men].sort_unstable();
        u64::from_le_bytes(kinds)
    }

    /// The men's squares, in the order of [`SortedMen::men`].
    pub(crate) fn squares(&self) -> &[Square] {
        &self.squares[..self.n_men]
    }

    /// The men.
    pub(crate) fn men(&self) -> Vec<Man> {
        self.kinds[..self.n_men].iter().map(|&kind| man(kind)).collect()
    }
}

/// A man as a number above 0.
fn kind(man: Man) -> u8 {
    (man.piece.0 + 1) << 1 | man.side.index() as u8
}

fn man(kind: u8) -> Man {
    Man { side: Side::BOTH[usize::from(kind & 1)], piece: PieceId((kind >> 1) - 1) }
}
