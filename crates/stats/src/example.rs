//! Writes placements as FENs.

use geometry::Square;
use index::Layout;
use position::{Position, RuleBook};
use variant::{Man, Side, Variant};

/// Writes placements of one material.
pub(crate) struct Writer<'a> {
    layout: &'a Layout,
    book: RuleBook,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(variant: &Variant, layout: &'a Layout) -> Self {
        Writer { layout, book: RuleBook::new(variant) }
    }

    /// The position with this number, as FEN.
    pub(crate) fn fen(&self, stm: Side, index: usize) -> String {
        self.text(stm, index, |man| man, |square| square)
    }

    /// The same position with the colours exchanged, so that the other side is to move.
    pub(crate) fn swapped_fen(&self, stm: Side, index: usize) -> String {
        let board = self.layout.board();
        self.text(!stm, index, |man| Man { side: !man.side, ..man }, |square| board.mirror_ranks(square))
    }

    fn text(
        &self,
        stm: Side,
        index: usize,
        man: impl Fn(Man) -> Man,
        square: impl Fn(Square) -> Square,
    ) -> String {
        let squares = self.layout.decode(index);
        let men = self.layout.men().iter().zip(squares.iter()).map(|(&m, &s)| (man(m), square(s)));
        let position = Position::from_men(men, stm);
        position.map_or_else(String::new, |position| position.to_fen(&self.book))
    }
}
