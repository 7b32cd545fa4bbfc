//! Prints an answer: for people, or as the fields of a line.

use crate::{Report, distance, fold};
use ::probe::{Answer, By, RatedMove};
use library::{bounds_in_words, headline, line_in_san};
use position::{Position, RuleBook};
use table::{Ply, Value};
use variant::{Metric, Side};

/// The width at which a main line is broken.
const WIDTH: usize = 80;

/// The board, the value, the moves, the main line; `gap` says what is not known of them.
pub(crate) fn answer(book: &RuleBook, answer: &Answer, gap: Option<String>) -> String {
    let mut text = answer.position.board_text(book);
    text += &format!("\n{}\n", headline(book.variant(), answer));
    let bounds = answer.bounds_from();
    text.extend(bounds.iter().map(|file| format!("(from {file})\n")));
    match answer.file_name().filter(|_| bounds.is_empty()) {
        Some(file) if answer.is_rights_solved => {
            text += &format!("(castling rights solved now, from {file}; solve --rights keeps them)\n");
        }
        Some(file) => text += &format!("(from {file})\n"),
        None if answer.by == By::Moves => text += "(from the tables of its moves)\n",
        None if answer.is_rights_solved => text += "(castling rights solved now)\n",
        None => {}
    }
    if !answer.moves.is_empty() {
        let mut report = Report::new("move | | value");
        for rated in &answer.moves {
            let san = answer.position.san(book, rated.mv);
            report.row([&san, &rated.uci, &move_value(book, answer, rated)]);
        }
        text += &format!("\n{}", report.text(None));
    }
    let line = line_in_san(book, answer);
    if !line.is_empty() {
        text += &format!("\n{}", main_line(&line));
    }
    if let Some(gap) = gap {
        text += &format!("\n{gap}\n");
    }
    text
}

/// What a move is worth to the side that makes it.
fn move_value(book: &RuleBook, answer: &Answer, rated: &RatedMove) -> String {
    let metric = answer.scale.metric();
    let (verb, Ply(ply)) = match (rated.value.value(), answer.winner) {
        (None, Some(winner)) if !rated.is_unknown() => return format!("no win for {winner}"),
        (None, _) => return bounds_in_words(metric, rated.value),
        (Some(Value::Win(ply)), _) => ("wins", ply),
        (Some(Value::Loss(ply)), _) => ("loses", ply),
        (Some(_), _) => return "draws".into(),
    };
    match (metric, ply) {
        (Metric::Dtm, 1) if book.variant().rules.is_won_by_mate_only() => "mate".into(),
        (Metric::Wdl, _) => verb.into(),
        _ if rated.is_cursed => format!("draws, {verb} too late: {}", distance(ply)),
        _ => format!("{verb} in {}", distance(ply)),
    }
}

/// Moves with their numbers, broken into lines.
fn main_line(line: &[(Position, String)]) -> String {
    let word = |(i, (before, san)): (usize, &(Position, String))| match before.stm() {
        // A number and its move stay together.
        Side::White => format!("{}.\u{a0}{san}", before.fullmove()),
        Side::Black if i == 0 => format!("{}...\u{a0}{san}", before.fullmove()),
        Side::Black => san.clone(),
    };
    let words: Vec<String> = line.iter().enumerate().map(word).collect();
    fold(&words.join(" "), Some(WIDTH)).replace('\u{a0}', " ") + "\n"
}

/// The result, the plies and the best moves of a line, with tabs between them; from what to what they may be
/// where a structure leaves it open.
pub(super) fn fields(answer: &Answer, value_only: bool) -> String {
    let wdl = |value: Value| value.wdl().unwrap_or(0).to_string();
    let plies = |value: Value| match value.ply().filter(|_| answer.scale.metric() != Metric::Wdl) {
        Some(ply) => ply.0.to_string(),
        None => "-".into(),
    };
    let mut fields = match answer.value.value() {
        Some(value) => format!("{}\t{}", answer.wdl_now().unwrap_or(0), plies(value)),
        None => {
            let known = |told: Option<Value>| told.map_or_else(|| "-".into(), plies);
            let (least, most) = answer.value.told();
            let results = (wdl(answer.value.least), wdl(answer.value.most));
            format!("{}..{}\t{}..{}", results.0, results.1, known(least), known(most))
        }
    };
    if !value_only {
        let best: Vec<&str> = answer.best_moves().map(|best| best.uci.as_str()).collect();
        let unknown = if answer.moves.is_empty() { "-" } else { "?" };
        fields += &format!("\t{}", if best.is_empty() { unknown.into() } else { best.join(" ") });
    }
    fields + "\n"
}
