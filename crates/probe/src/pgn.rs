//! Writes an answer as a game in PGN: the position, the main line, and answers to other moves as
//! variations.

use crate::{Answer, RatedMove, Refutation};
use position::{Position, RuleBook};
use std::fmt::Write;
use variant::{Side, visible};

/// Lines of movetext are broken before this column, as PGN's export format has it.
const WIDTH: usize = 80;

/// What is known of a position as a game that begins there, with an empty line behind it: tags, a comment,
/// the main line with only moves marked, and behind its first move what refutes the others. The result is
/// that of the position, if it is known.
///
/// Source: S. J. Edwards, *Portable Game Notation Specification and Implementation Guide* (1994).
#[must_use]
pub fn pgn(book: &RuleBook, answer: &Answer, event: &str, comment: Option<&str>) -> String {
    let stm = answer.position.stm();
    let result = match answer.wdl_now() {
        Some(0) => "1/2-1/2",
        None => "*",
        Some(1) if stm == Side::White => "1-0",
        Some(-1) if stm == Side::Black => "1-0",
        Some(_) => "0-1",
    };
    let mut text = format!("[Event \"{event}\"]\n");
    for tag in ["Site", "Date", "Round", "White", "Black"] {
        let value = if tag == "Date" { "????.??.??" } else { "?" };
        let _ = writeln!(text, "[{tag} \"{value}\"]");
    }
    let _ = writeln!(text, "[Result \"{result}\"]");
    let game = &book.variant().name;
    if game != "fide" {
        let _ = writeln!(text, "[Variant \"{}\"]", visible(game).replace(['"', '\\'], "'"));
    }
    let _ = writeln!(text, "[SetUp \"1\"]\n[FEN \"{}\"]\n", answer.position.to_fen(book));
    let mut words: Vec<String> = comment.iter().map(|comment| format!("{{{comment}}}")).collect();
    let mut position = answer.position.clone();
    // Variations stand behind a move that they take the place of.
    let best = answer.best_moves().next().filter(|_| !answer.refutations.is_empty());
    let line = answer.line.as_deref().filter(|line| !line.is_empty());
    let line = line.unwrap_or(best.map_or(&[], std::slice::from_ref));
    for (i, rated) in line.iter().enumerate() {
        let is_numbered = i == 0 || i == 1 && !answer.refutations.is_empty();
        add(&mut words, book, &mut position, rated, is_numbered);
        if i == 0 {
            words.extend(answer.refutations.iter().map(|own| variation(book, &answer.position, own)));
        }
    }
    words.push(result.into());
    text + &filled(&words) + "\n"
}

/// A move that gives the result away and how it is answered, in parentheses.
fn variation(book: &RuleBook, position: &Position, own: &Refutation) -> String {
    let (mut words, mut position) = (Vec::new(), position.clone());
    for (i, rated) in own.line.iter().enumerate() {
        add(&mut words, book, &mut position, rated, i == 0);
        if let (0, Some(san)) = (i, words.last_mut()) {
            san.push('?');
        }
    }
    format!("({} {{{}}})", words.join(" "), own.in_words())
}

/// Adds a move with its number, which Black's moves have where they follow no move, and makes it.
fn add(
    words: &mut Vec<String>,
    book: &RuleBook,
    position: &mut Position,
    rated: &RatedMove,
    is_numbered: bool,
) {
    match position.stm() {
        Side::White => words.push(format!("{}.", position.fullmove())),
        Side::Black if is_numbered => words.push(format!("{}...", position.fullmove())),
        Side::Black => {}
    }
    words.push(position.san(book, rated.mv) + if rated.is_only { "!" } else { "" });
    *position = position.play(rated.mv);
}

/// Words in lines that are not too long.
fn filled(words: &[String]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words.iter().flat_map(|word| word.split(' ')) {
        let length = word.chars().count();
        if column > 0 && column + 1 + length >= WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[track_caller]
    fn check_lines(words: &[usize], lines: &[usize]) {
        let words: Vec<String> = words.iter().map(|&length| "x".repeat(length)).collect();
        let text = filled(&words);
        assert_eq!(text.lines().map(str::len).collect::<Vec<_>>(), lines, "{text}");
    }

    #[test]
    fn movetext_is_broken_before_the_80th_column() {
        check_lines(&[40, 38], &[79]);
        check_lines(&[40, 39], &[40, 39]);
        check_lines(&[40, 20, 17, 3, 76], &[79, 3, 76]);
        check_lines(&[3, 100, 3], &[3, 100, 3]);
    }
}
