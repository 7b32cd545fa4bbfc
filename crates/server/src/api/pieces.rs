//! Describes how a piece of a game moves.

use crate::refusal::HttpRefusal;
use crate::state::Shared;
use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use variant::Variant;

/// A piece.
#[derive(Serialize)]
pub(super) struct Described {
    letter: char,
    name: String,
    royal: bool,
    pawn: bool,
    /// Its movement in Betza notation; null where the notation has no word for it.
    betza: Option<String>,
    /// The movement as a picture, one line a rank, and below what the marks mean.
    diagram: Vec<String>,
    /// The movement in sentences.
    words: Vec<String>,
    /// What a pawn may become, by letters.
    promotes_to: Vec<char>,
}

pub(super) async fn one(
    State(server): Shared,
    Path((game, piece)): Path<(String, String)>,
) -> Result<Json<Described>, HttpRefusal> {
    let game = server.game(&game)?;
    describe(game.variant(), &piece).map(Json)
}

fn describe(variant: &Variant, name: &str) -> Result<Described, HttpRefusal> {
    let is_named = |piece: &&variant::Piece| {
        let mut letters = name.chars();
        let letter = letters.next().filter(|_| letters.next().is_none());
        letter.is_some_and(|letter| letter.eq_ignore_ascii_case(&piece.letter))
            || piece.name.eq_ignore_ascii_case(name)
    };
    let piece = variant.pieces.iter().find(is_named).ok_or_else(|| {
        let known: Vec<String> =
            variant.pieces.iter().map(|piece| format!("{} ({})", piece.letter, piece.name)).collect();
        HttpRefusal::absent(format!("{} has no such piece; it has {}", variant.name, known.join(", ")))
    })?;
    let promotes_to = piece.pawn.iter().flat_map(|pawn| &pawn.promotes_to);
    Ok(Described {
        letter: piece.letter,
        name: piece.name.clone(),
        royal: piece.royal,
        pawn: piece.pawn.is_some(),
        betza: piece.movement.to_betza(),
        diagram: piece.movement.diagram().lines().map(str::to_owned).collect(),
        words: piece.movement.in_words(),
        promotes_to: promotes_to.map(|&id| variant.piece(id).letter).collect(),
    })
}
