//! Reads a man of a structure file and the squares that it may stand on.

use super::words::squares_of_word;
use crate::limit::{man_name, man_named};
use geometry::SquareSet;
use variant::text::{Faults, Span, Table, Value};
use variant::{Man, Variant};

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
pub(super) fn read(table: &Table<'_>, variant: &Variant, faults: &mut Faults<'_>) -> Option<ManDraft> {
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
        faults.add(table.span_of("fixed"), &table.path_of("fixed"), "a pawn cannot be fixed", help);
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
    faults.add(table.span_of("fixed"), &table.path_of("fixed"), message, help);
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
