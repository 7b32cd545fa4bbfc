//! Exchanges the colours of positions and moves: each player sees the board from the other end.

use crate::place::EnPassant;
use crate::{CastlingRight, CastlingRights, Move, Position, RookStep};
use geometry::{Board, Square};
use variant::Man;

impl Position {
    /// The position with the colours exchanged. What is known of it holds for this one with the colours
    /// exchanged, if the rules are the same for both sides.
    #[must_use]
    pub fn with_colours_exchanged(&self, board: &Board) -> Self {
        let seen = |square: Square| board.mirror_ranks(square);
        let mut exchanged = Position::empty(!self.stm());
        for (man, square) in self.men() {
            exchanged.put(Man { side: !man.side, ..man }, seen(square));
        }
        let rights = self.castling.iter().map(|right| CastlingRight {
            side: !right.side,
            king: seen(right.king),
            rook: seen(right.rook),
            ..right
        });
        let en_passant = |own: EnPassant| EnPassant { passed: seen(own.passed), victim: seen(own.victim) };
        exchanged.en_passant = self.en_passant.map(en_passant);
        exchanged.castling = rights.fold(CastlingRights::NONE, CastlingRights::with);
        let [white, black] = self.given_checks;
        exchanged.given_checks = [black, white];
        exchanged.halfmove_clock = self.halfmove_clock;
        exchanged.fullmove = self.fullmove;
        exchanged
    }
}

impl Move {
    /// The move in the position with the colours exchanged.
    #[must_use]
    pub fn with_colours_exchanged(&self, board: &Board) -> Self {
        let seen = |square: Square| board.mirror_ranks(square);
        Move {
            from: seen(self.from),
            to: seen(self.to),
            captured: self.captured.map(seen),
            passed: self.passed.map(seen),
            blown: self.blown.mirror_ranks(board),
            castling: self.castling.map(|rook| RookStep { from: seen(rook.from), to: seen(rook.to), ..rook }),
            ..*self
        }
    }
}
