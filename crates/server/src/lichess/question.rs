//! Reads a FEN as leniently as clients of Lichess's tablebase expect.

use crate::game::Game;
use crate::refusal::HttpRefusal;
use library::lenient_position;
use position::Position;

/// Reads a FEN with spaces or underscores. Castling rights and an en-passant square that cannot be are
/// ignored; fields that are missing at the end are those of a new game.
pub(super) fn question(game: &Game, fen: &str) -> Result<Position, HttpRefusal> {
    let mut fen = fen.replace('_', " ");
    if fen.split_whitespace().count() == 1 {
        fen += " w";
    }
    game.check_legal(lenient_position(game.book(), &fen)?)
}
