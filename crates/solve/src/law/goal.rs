//! Holds the squares that win, and the men who win there.

use index::Layout;
use kernel::Word;
use variant::{Man, Side};

/// A place on the board that wins.
#[derive(Debug)]
pub(crate) struct Goal<W> {
    /// By side: the places in the layout of the men that win there.
    pub(crate) men: [Vec<usize>; 2],
    /// By side.
    pub(crate) squares: [W; 2],
    pub(crate) is_answered: bool,
}

impl<W: Word> Goal<W> {
    pub(super) fn new(layout: &Layout, goal: &variant::Goal) -> Self {
        let wins = |side| move |(_, man): &(usize, &Man)| man.side == side && goal.is_for(man.piece);
        let of = |side| layout.men().iter().enumerate().filter(wins(side)).map(|(i, _)| i).collect();
        let squares = goal.squares.map(|set| W::from_bits(set.intersection(layout.board().all()).bits()));
        Goal { men: Side::BOTH.map(of), squares, is_answered: goal.is_answered }
    }
}
