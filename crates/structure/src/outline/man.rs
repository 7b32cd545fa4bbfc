//! Reads a man of a structure file and the squares that it may stand on, and men in Baccala's notation:
//! `wKQe6-bKQ` is king, queen and a pawn on e6 against king and queen.

use crate::limit::{man_name, man_named};
use geometry::{Square, SquareSet};
use index::MAX_PLACED;
use variant::text::{Faults, Span, Table, Value, squares_named};
use variant::{Man, PieceId, Side, Variant};

/// A man and where it may stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutlineMan {
    /// The man.
    pub man: Man,
    /// A pawn's squares in the beginning; those that another man may stand on, never none.
    pub squares: SquareSet,
    /// The squares as the file has them; `*` where it says nothing.
    pub words: String,
    /// Whether it never moves.
    pub is_fixed: bool,
}

/// A man with its place in the file.
#[derive(Debug)]
pub(super) struct ManDraft {
    pub(super) own: OutlineMan,
    /// Where its squares stand, or its table.
    pub(super) span: Span,
    /// The key of its squares.
    pub(super) key: String,
}

/// Reads a table `[[man]]`; none if it has a fault.
pub(super) fn read_man(table: &Table<'_>, variant: &Variant, faults: &mut Faults<'_>) -> Option<ManDraft> {
    let piece = table.string("piece", faults);
    let fixed = table.boolean("fixed", faults);
    if !table.has("piece") {
        table.missing("piece", "name the man: `w` or `b` and a letter, as in `piece = \"wQ\"`", faults);
    }
    let words = words(table, faults);
    let piece = piece?;
    let Some(man) = man_named(variant, &piece.value) else {
        let letters: Vec<String> = variant.pieces.iter().map(|piece| piece.letter.to_string()).collect();
        let message = format!("there is no man `{}`", piece.value.escape_debug());
        let help = format!("write `w` or `b` and one of the letters {}, as in \"wK\"", letters.join(", "));
        faults.add(piece.span, &table.path_of("piece"), message, help);
        return None;
    };
    let is_pawn = variant.is_pawn(man);
    let (span, key) = (table.span_of("squares"), table.path_of("squares"));
    let Some(words) = words else {
        // A key that has a fault is not missing.
        if is_pawn && !table.has("squares") {
            let name = man_name(variant, man);
            let help = format!("write where {name} stands, as in `squares = \"a2\"`, or `squares = \"*\"`");
            table.missing("squares", help, faults);
        }
        if is_pawn || table.has("squares") {
            return None;
        }
        let (squares, is_fixed) = (variant.board.all(), false);
        if fixed.is_some_and(|fixed| fixed.value) {
            return unfixed(table, faults);
        }
        return Some(ManDraft { own: OutlineMan { man, squares, words: "*".into(), is_fixed }, span, key });
    };
    let mut squares = SquareSet::EMPTY;
    for word in &words {
        match squares_of_word(variant, man, &word.value) {
            Ok(of_word) => squares = squares.union(of_word),
            Err((message, help)) => {
                faults.add(word.span.clone(), &key, message, help);
                return None;
            }
        }
    }
    if squares.is_empty() {
        faults.add(span, &key, "no square is named", "write a square such as \"e6\", or leave the key out");
        return None;
    }
    let is_fixed = fixed.as_ref().is_some_and(|fixed| fixed.value);
    if is_fixed && is_pawn {
        let help = "leave it out: a pawn stays where it is if a man before it does";
        table.fault("fixed", "a pawn cannot be fixed", help, faults);
        return None;
    }
    if is_fixed && squares.iter().count() != 1 {
        return unfixed(table, faults);
    }
    let words = words.iter().map(|word| word.value.trim()).collect::<Vec<_>>().join(" ");
    Some(ManDraft { own: OutlineMan { man, squares, words, is_fixed }, span, key })
}

fn unfixed(table: &Table<'_>, faults: &mut Faults<'_>) -> Option<ManDraft> {
    let message = "a man that is fixed stands on one square";
    let help = "name it, as in `squares = \"h1\"`, or write `fixed = false`";
    table.fault("fixed", message, help, faults);
    None
}

/// The words of `squares`, each with its place, from a string or a list; none if the key is not given or is
/// neither.
fn words(table: &Table<'_>, faults: &mut Faults<'_>) -> Option<Vec<Value<'static, String>>> {
    if !table.is_string("squares") {
        return table.strings("squares", faults)?.into_iter().collect();
    }
    let value = table.string("squares", faults)?;
    let mut words = Vec::new();
    let mut at = 0;
    for word in value.value.split(' ') {
        let span = faults.inside(&value, at..at + word.len());
        at += word.len() + 1;
        if !word.is_empty() {
            words.push(Value { value: word.to_owned(), span, key: value.key });
        }
    }
    Some(words)
}

/// Where the men stand in the file.
pub(super) fn men_span(file: &Table<'_>) -> Span {
    file.span_of(if file.has("men") { "men" } else { "man" })
}

/// What to write.
const HELP: &str = "write `w`, White's men, `-b` and Black's men: letters, and the squares of pawns, as in \
                    \"wKQe6-bKQ\"";

/// The men that a text names; none if it has a fault.
///
/// Upper-case letters are men who may stand anywhere, squares are those of pawns; behind a square `+` takes
/// all squares that the pawn can go on to as well. Where a game has several kinds of pawns, the letter of
/// one stands before its square; without a letter it is the first.
pub(super) fn read_notation(
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
            let (n, read_notation) = first(variant, side, rest);
            let span = at..at + n;
            match read_notation {
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
