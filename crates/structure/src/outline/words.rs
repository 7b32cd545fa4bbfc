//! Reads the words that name squares of a man: `e6`, `a2+`, `e*`, `*7`, `*`.

use crate::limit::man_name;
use geometry::{Square, SquareSet};
use variant::text::squares_named;
use variant::{Man, Variant};

/// The squares that a word names for a man; else what is wrong with it, and what to write.
pub(super) fn squares_of_word(
    variant: &Variant,
    man: Man,
    word: &str,
) -> Result<SquareSet, (String, String)> {
    let (board, zone) = (&variant.board, variant.zone(man));
    let (name, shown) = (man_name(variant, man), word.escape_debug());
    if word == "*" {
        return Ok(zone);
    }
    if let Some(square) = word.strip_suffix('+') {
        if !variant.is_pawn(man) {
            let message = format!("`{shown}` is for pawns, and {name} is none");
            return Err((message, "leave the `+` out, or name all squares".into()));
        }
        let from = board.square_named(square).filter(|&from| zone.contains(from));
        return match from {
            Some(from) => Ok(ahead(variant, man, from)),
            None => Err(stray(&name, square)),
        };
    }
    let Some(squares) = squares_named(board, word) else {
        let help = "write a square (\"e6\"), a pawn's square and all ahead of it (\"a2+\"), a file (\"e*\"), \
                    a rank (\"*7\") or all (\"*\")";
        return Err((format!("a board of {board} has nothing called `{shown}`"), help.into()));
    };
    // Of a file or a rank those count where the man can stand; a square is meant as it is.
    let standing = squares.intersection(zone);
    match standing.is_empty() {
        true => Err(stray(&name, word)),
        false => Ok(standing),
    }
}

fn stray(name: &str, word: &str) -> (String, String) {
    let message = format!("{name} cannot stand on `{}`", word.escape_debug());
    (message, "write a square on which this man can stand".into())
}

/// A pawn's square and all that it can go on to without capturing.
fn ahead(variant: &Variant, man: Man, from: Square) -> SquareSet {
    let (movement, zone) = (variant.movement(man), variant.zone(man));
    let (mut all, mut waiting) = (SquareSet::EMPTY, vec![from]);
    while let Some(square) = waiting.pop() {
        if all.contains(square) {
            continue;
        }
        all.insert(square);
        let steps = movement.rays().iter().filter(|ray| ray.quiet).map(|ray| ray.step);
        let next = steps.filter_map(|step| variant.board.offset(square, step));
        waiting.extend(next.filter(|&next| zone.contains(next)));
    }
    all
}
