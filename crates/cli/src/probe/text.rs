//! Prints a finding: for people, or as the fields of a line.

use crate::report::Report;
use ::probe::{RatedMove, Tablebase};
use library::figure::distance;
use library::{Finding, headline};
use position::Position;
use table::{Ply, Value};
use variant::{Metric, Side};

/// The width at which a main line is broken.
const WIDTH: usize = 80;

/// The board, the value, the moves, the main line; `gap` says what is not known of them.
pub(crate) fn finding(tables: &Tablebase, finding: &Finding, gap: Option<String>) -> String {
    let book = tables.book();
    let mut text = finding.position.board_text(book);
    text += &format!("\n{}\n", headline(tables, finding));
    match finding.file_name() {
        Some(file) if finding.is_rights_solved => {
            text += &format!("(castling rights solved now, from {file}; solve --rights keeps them)\n");
        }
        Some(file) => text += &format!("(from {file})\n"),
        None if finding.is_rights_solved => text += "(castling rights solved now)\n",
        None => {}
    }
    if !finding.moves.is_empty() {
        let mut report = Report::new("move | | value");
        for rated in &finding.moves {
            let san = finding.position.san(book, rated.mv);
            let value = match (tables.winner_of(&finding.position), rated.value) {
                (Some(winner), Value::Draw | Value::Stalemate) => format!("no win for {winner}"),
                _ => move_value(tables, rated),
            };
            report.row([&san, &rated.uci, &value]);
        }
        text += &format!("\n{}", report.text(None));
    }
    let line = finding.main_line_san(tables);
    if !line.is_empty() {
        text += &format!("\n{}", main_line(&line));
    }
    if let Some(gap) = gap {
        text += &format!("\n{gap}\n");
    }
    text
}

/// What a move is worth to the side that makes it.
fn move_value(tables: &Tablebase, rated: &RatedMove) -> String {
    let metric = tables.scale().metric();
    let (verb, Ply(ply)) = match rated.value {
        Value::Win(ply) => ("wins", ply),
        Value::Loss(ply) => ("loses", ply),
        Value::Draw | Value::Stalemate | Value::Illegal => return "draws".into(),
    };
    match (metric, ply) {
        (Metric::Dtm, 1) if tables.variant().rules.is_won_by_mate_only() => "mate".into(),
        (Metric::Wdl, _) => verb.into(),
        _ if rated.is_cursed => format!("draws, {verb} too late: {}", distance(ply)),
        _ => format!("{verb} in {}", distance(ply)),
    }
}

/// Moves with their numbers, broken into lines.
fn main_line(line: &[(Position, String)]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for (i, (before, san)) in line.iter().enumerate() {
        let word = match before.stm() {
            Side::White => format!("{}. {san}", before.fullmove()),
            Side::Black if i == 0 => format!("{}... {san}", before.fullmove()),
            Side::Black => san.clone(),
        };
        if width > 0 && width + 1 + word.len() > WIDTH {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        width += word.len();
        text += &word;
    }
    text.push('\n');
    text
}

/// The result, the plies and the best moves of a line, with tabs between them.
pub(super) fn fields(tables: &Tablebase, finding: &Finding, value_only: bool) -> String {
    let ply = finding.value.ply().filter(|_| tables.scale().metric() != Metric::Wdl);
    let mut fields = match (finding.wdl_now(), ply) {
        (Some(wdl), Some(ply)) => format!("{wdl}\t{}", ply.0),
        (wdl, _) => format!("{}\t-", wdl.unwrap_or(0)),
    };
    if !value_only {
        let best: Vec<&str> = finding.best_moves().map(|best| best.uci.as_str()).collect();
        fields += &format!("\t{}", if best.is_empty() { "-".into() } else { best.join(" ") });
    }
    fields + "\n"
}
