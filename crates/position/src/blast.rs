//! Finds explosions: a capture takes away the captor and the men around, but pawns and immune men.
//!
//! A royal man captures nobody, for he would not survive it (the rule book has no such ways for him); and two
//! royal men who stand side by side shield each other, because who captures one of them blows up both.

use crate::{Move, Position, RuleBook};
use geometry::{Square, SquareSet};
use variant::Side;

impl Position {
    /// Whether the other side's royal man stands beside that of this side, on `target`, so that nobody dares.
    pub(crate) fn is_shielded(&self, book: &RuleBook, side: Side, target: Square) -> bool {
        let other = self.royal_square(book, !side);
        other.is_some_and(|other| book.around[target.index()].contains(other))
    }

    /// The move with the squares that its explosion clears, if it is a capture: for games in which captures
    /// explode.
    pub(crate) fn exploding(&self, book: &RuleBook, mv: Move) -> Move {
        if mv.captured.is_none() {
            return mv;
        }
        let is_blown = |square: &Square| {
            *square != mv.from && self.man_on(*square).is_some_and(|man| book.man(man).is_fragile)
        };
        let around: SquareSet = book.around[mv.to.index()].iter().filter(is_blown).collect();
        Move { blown: around.union([mv.to].into_iter().collect()), ..mv }
    }

    /// Whether the side to move has lost its royal man, and the game with him.
    pub(crate) fn is_blown_up(&self, book: &RuleBook) -> bool {
        book.variant().rules.blast.is_some() && !self.has_royal(book, self.stm())
    }
}
