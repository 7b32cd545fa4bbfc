//! Describes games to XBoard that it does not know: their men, how they move, and a position.
//!
//! XBoard has a fixed list of pieces, each with a picture. `setup` gives letters to them in the order of
//! that list, a point for those that the game has not, first White's and then Black's, the king last:
//!
//! ```text
//! setup (PNBRQ..AC............Kpnbrq..ac............k) 10x8+0_fairy rnabqkbcnr/…
//! piece A& BN
//! ```
//!
//! `piece` then says how each of them moves, whatever its picture.
//!
//! Source: the description of the chess engine communication protocol, version 2, commands `setup` and
//! `piece`; the order is that of the pieces in XBoard's `common.h`.

use std::fmt::Write;
use variant::game::is_named;
use variant::{Piece, Variant};

/// XBoard's name for chess that begins with another first rank.
pub(crate) const FISCHERANDOM: &str = "fischerandom";

/// The games that XBoard knows, with the same men and letters, by their names here and there.
const KNOWN: [(&str, &str); 10] = [
    ("fide", "normal"),
    ("chess960", FISCHERANDOM),
    ("antichess", "giveaway"),
    ("atomic", "atomic"),
    ("berolina", "berolina"),
    ("capablanca", "capablanca"),
    ("cylinder", "cylinder"),
    ("losers", "losers"),
    ("makruk", "makruk"),
    ("suicide", "suicide"),
];

/// XBoard's pieces but the king, by the names that they have in games.
const PICTURES: [&[&str]; 21] = [
    &["pawn", "soldier"],
    &["knight", "horse"],
    &["bishop"],
    &["rook", "chariot"],
    &["queen"],
    &["ferz", "fers", "met", "advisor"],
    &["alfil", "elephant"],
    &["archbishop", "princess"],
    &["chancellor", "marshall", "marshal", "empress"],
    &["wazir"],
    &["commoner", "man", "mann"],
    &["cannon"],
    &["nightrider"],
    &["crowned bishop", "dragon horse"],
    &["crowned rook", "dragon king"],
    &["grasshopper"],
    &["silver", "silver general", "khon"],
    &["falcon"],
    &["lance"],
    &["snake"],
    &["unicorn"],
];

/// The first picture for pieces that have no name here: those before are what people think they know.
const FIRST_FREE: usize = 5;

/// Whether XBoard knows a game.
pub(crate) fn is_known(game: &str) -> bool {
    KNOWN.iter().any(|(own, _)| is_named(own, game))
}

/// The name that XBoard has for a game.
pub(crate) fn xboard_name(game: &str) -> &str {
    KNOWN.iter().find(|(own, _)| is_named(own, game)).map_or(game, |(_, name)| name)
}

/// The commands that describe a game, with the position in which it begins.
pub(crate) fn commands(variant: &Variant, fen: &str) -> String {
    let (files, ranks) = (variant.board.files(), variant.board.ranks());
    let white = letters(variant);
    let mut text = format!("setup ({white}{}) {files}x{ranks}+0_fairy {fen}\n", white.to_ascii_lowercase());
    for piece in &variant.pieces {
        if let Some(betza) = betza(piece) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "piece {}& {betza}", piece.letter);
        }
    }
    text
}

/// White's letters in the order of XBoard's pieces.
fn letters(variant: &Variant) -> String {
    // It has one kind of king.
    let royal = variant.royals().next().map(|royal| variant.piece(royal));
    let king = royal.or_else(|| variant.pieces.iter().find(|piece| piece.name == "king"));
    let is_king = |piece: &Piece| king.is_some_and(|king| king.letter == piece.letter);
    let mut slots = vec![None; PICTURES.len()];
    let mut others = Vec::new();
    for piece in variant.pieces.iter().filter(|piece| !is_king(piece)) {
        let named = PICTURES.iter().position(|names| names.contains(&&*piece.name));
        // XBoard's first piece has a pawn's rights; whatever else a game has for pawns takes its place.
        let slot = named
            .or(piece.pawn.is_some().then_some(0))
            .filter(|&slot| slots[slot].is_none() && (slot > 0 || piece.pawn.is_some()));
        match slot {
            Some(slot) => slots[slot] = Some(piece.letter),
            None => others.push(piece.letter),
        }
    }
    for letter in others {
        match slots[FIRST_FREE..].iter().position(Option::is_none) {
            Some(free) => slots[FIRST_FREE + free] = Some(letter),
            // Later versions have more pieces; the king comes last all the same.
            None => slots.push(Some(letter)),
        }
    }
    slots.into_iter().chain([king.map(|king| king.letter)]).map(|letter| letter.unwrap_or('.')).collect()
}

/// How a piece moves, unless XBoard knows it or the notation has no word for it.
fn betza(piece: &Piece) -> Option<String> {
    let mut betza = piece.movement.to_betza()?;
    let Some(pawn) = &piece.pawn else { return Some(betza) };
    // XBoard's own pawn has the double step that our notation leaves to the pawn's rules.
    if betza == "fmWfcF" && !pawn.double_step_from.is_empty() && pawn.en_passant {
        return None;
    }
    if !pawn.double_step_from.is_empty() {
        for (step, double) in [("fmW", "ifmnD"), ("fmF", "ifmnA")] {
            if betza.contains(step) {
                betza += double;
            }
        }
    }
    Some(betza)
}
