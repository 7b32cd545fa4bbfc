//! Describes the pieces of a game.

use pyo3::prelude::*;

/// A kind of piece of a game.
#[pyclass(frozen, get_all, module = "tablesmith")]
#[derive(Clone)]
pub(crate) struct Piece {
    /// The letter of White's men in a FEN.
    letter: char,
    /// The name.
    name: String,
    /// How it moves, in Betza notation; None where the notation has no word for it.
    betza: Option<String>,
    /// How it moves, in sentences.
    words: Vec<String>,
    /// How it moves, as a picture, and below it what the marks mean.
    diagram: String,
    /// Whether losing it loses the game.
    royal: bool,
    /// Whether it is a pawn.
    pawn: bool,
    /// The letters of what a pawn may become.
    promotes_to: Vec<char>,
}

impl Piece {
    /// A piece of a game.
    pub(crate) fn new(variant: &variant::Variant, piece: &variant::Piece) -> Self {
        let promotes_to = piece.pawn.iter().flat_map(|pawn| &pawn.promotes_to);
        Piece {
            letter: piece.letter,
            name: piece.name.clone(),
            betza: piece.movement.to_betza(),
            words: piece.movement.in_words(),
            diagram: piece.movement.diagram(),
            royal: piece.royal,
            pawn: piece.pawn.is_some(),
            promotes_to: promotes_to.map(|&id| variant.piece(id).letter).collect(),
        }
    }
}

#[pymethods]
impl Piece {
    fn __repr__(&self) -> String {
        format!("<Piece {}: {}>", self.letter, self.name)
    }
}
