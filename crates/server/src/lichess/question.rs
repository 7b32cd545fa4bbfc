//! Reads a FEN as leniently as clients of Lichess's tablebase expect.

use crate::game::Game;
use crate::refusal::HttpRefusal;
use geometry::Square;
use position::{FenError, FenFault, Position};
use variant::{Man, Side};

/// A position that somebody asks for.
pub(super) struct Question {
    /// Without castling rights.
    pub(super) position: Position,
    /// Whether somebody may still castle: such positions are in no table.
    pub(super) has_castling: bool,
}

impl Question {
    /// Reads a FEN with spaces or underscores. Castling rights and an en-passant square that cannot be are
    /// ignored; fields that are missing at the end are those of a new game.
    pub(super) fn new(game: &Game, fen: &str) -> Result<Self, HttpRefusal> {
        let fen = fen.replace('_', " ");
        let mut fields: Vec<&str> = fen.split_whitespace().collect();
        if fields.len() == 1 {
            fields.push("w");
        }
        let castling = fields.get(2).copied().filter(|&field| field != "-").map(str::to_owned);
        if castling.as_ref().is_some_and(|field| field.chars().all(|c| c.is_ascii_alphabetic())) {
            fields[2] = "-";
        }
        let position = match read(game, &fields) {
            Err(error) if fields.len() > 3 && is_en_passant(&error) => {
                fields[3] = "-";
                read(game, &fields)
            }
            read => read,
        }?;
        let position = game.check_legal(position)?;
        let has_castling = castling.is_some_and(|field| has_a_right(game, &position, &field));
        Ok(Question { position, has_castling })
    }
}

fn read(game: &Game, fields: &[&str]) -> Result<Position, FenError> {
    Position::from_fen(game.book(), &fields.join(" "))
}

/// Whether nothing is wrong but the en-passant square.
fn is_en_passant(error: &FenError) -> bool {
    error.faults().iter().all(|fault| matches!(fault, FenFault::EnPassant { .. }))
}

/// Whether one of the letters of a castling field names a right that there can be: a king on his first rank,
/// for the letters of orthodox chess on the e-file, and a rook of his where the letter says.
fn has_a_right(game: &Game, position: &Position, field: &str) -> bool {
    let variant = game.variant();
    let (board, rook) = (&variant.board, variant.piece_lettered('R'));
    let (Some(royal), Some(rook)) = (variant.royal(), rook) else { return false };
    field.chars().any(|letter| {
        let side = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
        let rank = if side == Side::White { 0 } else { board.ranks() - 1 };
        let on = |file: usize| -> Option<Square> { (file < board.files()).then(|| board.square(file, rank)) };
        let stands =
            |piece, file| on(file).is_some_and(|square| position.man_on(square) == Some(Man { side, piece }));
        let (king_file, rook_file) = match letter.to_ascii_uppercase() {
            'K' => (Some(4), board.files() - 1),
            'Q' => (Some(4), 0),
            file => (None, file as usize - 'A' as usize),
        };
        let has_king = match king_file {
            Some(file) => stands(royal, file),
            None => (0..board.files()).any(|file| stands(royal, file)),
        };
        has_king && stands(rook, rook_file)
    })
}
