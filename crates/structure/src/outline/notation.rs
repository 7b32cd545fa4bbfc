//! Reads men in Baccala's notation: `wKQe6-bKQ` is king, queen and a pawn on e6 against king and queen.
//!
//! Upper-case letters are men who may stand anywhere, squares are those of pawns; behind a square `+` takes
//! all squares that the pawn can go on to as well. Where a game has several kinds of pawns, the letter of one
//! stands before its square; without a letter it is the first.

use super::man::{ManDraft, OutlineMan};
use super::words::squares_of_word;
use index::MAX_PLACED;
use variant::text::{Faults, Span, Value};
use variant::{Man, PieceId, Side, Variant};

/// What to write.
const HELP: &str = "write `w`, White's men, `-b` and Black's men: letters, and the squares of pawns, as in \
                    \"wKQe6-bKQ\"";

/// The men that a text names; none if it has a fault.
pub(super) fn read(
    text: &Value<'_, String>,
    variant: &Variant,
    faults: &mut Faults<'_>,
) -> Option<Vec<ManDraft>> {
    let fault = |at: Span, message: String, help: &str, faults: &mut Faults<'_>| {
        faults.add(faults.inside(text, at), "men", message, help);
    };
    let value = &text.value;
    let halves =
        value.split_once('-').filter(|(white, black)| white.starts_with('w') && black.starts_with('b'));
    let Some((white, black)) = halves else {
        fault(0..value.len(), format!("`{}` is no list of men", value.escape_debug()), HELP, faults);
        return None;
    };
    let mut drafts = Vec::new();
    for (side, half, start) in [(Side::White, white, 0), (Side::Black, black, white.len() + 1)] {
        let mut rest = &half[1..];
        while !rest.is_empty() {
            let at = start + half.len() - rest.len();
            let (n, read) = first(variant, side, rest);
            let span = at..at + n;
            match read {
                Ok(own) => {
                    let span = faults.inside(text, span);
                    drafts.push(ManDraft { own, span, key: "men".into() });
                }
                Err((message, help)) => {
                    fault(span, message, &help, faults);
                    return None;
                }
            }
            rest = &rest[n..];
            if drafts.len() > MAX_PLACED && !rest.is_empty() {
                let message = format!("there are more men than structures have, which is {MAX_PLACED}");
                fault(at..at + n, message, "leave out men", faults);
                return None;
            }
        }
    }
    Some(drafts)
}

/// The first man of a text that is not empty, and how many bytes name it; else what is wrong with it.
fn first(variant: &Variant, side: Side, text: &str) -> (usize, Result<OutlineMan, (String, String)>) {
    let letter = text.chars().next().unwrap_or_default();
    let is_pawn = |piece: PieceId| variant.piece(piece).pawn.is_some();
    let piece = variant.piece_lettered(letter);
    if let Some(piece) = piece.filter(|&piece| !is_pawn(piece)) {
        let (man, squares) = (Man { side, piece }, variant.board.all());
        return (1, Ok(OutlineMan { man, squares, words: "*".into(), is_fixed: false }));
    }
    let n_letter = if piece.is_some() { letter.len_utf8() } else { 0 };
    let n_square = square_len(&text[n_letter..]);
    let mut pawns = variant.piece_ids().filter(|&piece| is_pawn(piece));
    let pawn = piece.or_else(|| pawns.next());
    let n = (n_letter + n_square).max(letter.len_utf8());
    let Some(piece) = pawn.filter(|_| n_square > 0) else {
        let message = format!("`{}` names no man", text[..n].escape_debug());
        return (n, Err((message, HELP.into())));
    };
    let (man, word) = (Man { side, piece }, &text[n_letter..n]);
    let own = squares_of_word(variant, man, word);
    (n, own.map(|squares| OutlineMan { man, squares, words: word.into(), is_fixed: false }))
}

/// How many bytes of a text name a square, with a `+` behind it.
fn square_len(text: &str) -> usize {
    let n_digits = text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    if n_digits == 0 || !text.starts_with(|c: char| c.is_ascii_lowercase()) {
        return 0;
    }
    let n = 1 + n_digits;
    n + usize::from(text[n..].starts_with('+'))
}
