//! A finding as people read it.

use super::Remedy;
use super::finding::Finding;
use crate::figure::{distance, plies};
use crate::grid::{Grid, Lean};
use ::probe::{RatedMove, Tablebase};
use position::{Outcome, Position};
use table::{Ply, Value};
use variant::{Metric, Side, Variant};

/// The width at which a main line is broken.
const WIDTH: usize = 100;

/// The board, the value, the moves, the main line; and what is not known of them.
pub(super) fn finding(tables: &Tablebase, remedy: &Remedy<'_>, finding: &Finding) -> String {
    let book = tables.book();
    let mut text = finding.position.board_text(book);
    text += &format!("\n{}\n", headline(tables, finding));
    if let Some(file) = finding.file_name() {
        text += &format!("(from {file})\n");
    }
    if !finding.moves.is_empty() {
        let mut grid = Grid::new(&[("move", Lean::Left), ("", Lean::Left), ("value", Lean::Left)]);
        for rated in &finding.moves {
            let san = finding.position.san(book, rated.mv);
            grid.push(vec![san, rated.uci.clone(), move_value(tables, rated)]);
        }
        text += &format!("\n{}", grid.text());
    }
    let line = finding.main_line_san(tables);
    if !line.is_empty() {
        text += &format!("\n{}", main_line(&line));
    }
    if let Some(lack) = finding.lack(remedy) {
        text += &format!("\n{lack}\n");
    }
    text
}

/// The value in a sentence.
pub(super) fn headline(tables: &Tablebase, finding: &Finding) -> String {
    let (variant, stm) = (tables.variant(), finding.position.stm());
    match (finding.outcome, finding.value) {
        (Some(Outcome::Stalemate), Value::Loss(_)) => {
            format!("stalemate: {stm} has no move and loses")
        }
        (Some(Outcome::Stalemate), Value::Win(_)) => format!("stalemate: {stm} has no move and wins"),
        (Some(Outcome::Stalemate), _) => format!("stalemate: {stm} has no move, a draw"),
        (Some(outcome), value) => {
            let how = ended(outcome);
            match value {
                Value::Loss(_) => format!("{how}: {} has won", !stm),
                Value::Win(_) => format!("{how}: {stm} has won"),
                Value::Draw | Value::Stalemate | Value::Illegal => format!("{how}: a draw"),
            }
        }
        (None, Value::Draw | Value::Stalemate) if is_bare(variant, &finding.position) => {
            let royal = variant.royal().map_or("men", |royal| &variant.piece(royal).name);
            format!("draw: bare {royal}s")
        }
        (None, value) if tables.scale().metric() == Metric::Dtm => sentence(variant, stm, value),
        (None, value) => counted(tables, finding, stm, value),
    }
}

/// What has ended a game, in short.
pub(super) fn ended(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Checkmate => "checkmate",
        Outcome::Stalemate => "stalemate",
        Outcome::Explosion => "explosion",
        Outcome::Extinction => "extinction",
        Outcome::Goal => "goal",
    }
}

/// Whether nobody but royal men is left.
fn is_bare(variant: &Variant, position: &Position) -> bool {
    position.men().all(|(man, _)| variant.is_royal(man))
}

fn sentence(variant: &Variant, stm: Side, value: Value) -> String {
    // A game that can be won otherwise need not end with mate.
    let (wins, loses) =
        if variant.rules.is_won_by_mate_only() { ("mates", "is mated") } else { ("wins", "loses") };
    match value {
        Value::Win(ply) => format!("{stm} {wins} in {}", distance(ply.0)),
        Value::Loss(ply) => format!("{stm} {loses} in {}", distance(ply.0)),
        Value::Draw | Value::Stalemate | Value::Illegal => "draw".into(),
    }
}

/// The value in a sentence, for metrics that do not count to mate.
fn counted(tables: &Tablebase, finding: &Finding, stm: Side, value: Value) -> String {
    let (verb, Ply(ply)) = match value {
        Value::Win(ply) => ("wins", ply),
        Value::Loss(ply) => ("loses", ply),
        Value::Draw | Value::Stalemate | Value::Illegal => return "draw".into(),
    };
    let scale = tables.scale();
    let clock = finding.position.halfmove_clock();
    match scale.rule_plies() {
        _ if scale.metric() == Metric::Wdl => format!("{stm} {verb}"),
        Some(rule) if ply > rule => {
            format!("draw: {stm} {verb}, but not under the {}-move rule (distance {})", rule / 2, plies(ply))
        }
        Some(_) if finding.is_cursed => format!(
            "{stm} {verb}, but drawn with the clock at {clock}: needs {} to {}",
            plies(ply),
            goal(scale.metric())
        ),
        Some(rule) if clock > 0 => format!(
            "{stm} {verb}: {} to {}, the clock at {clock} of {rule}",
            distance(ply),
            goal(scale.metric())
        ),
        _ => format!("{stm} {verb}: {} to {}", distance(ply), goal(scale.metric())),
    }
}

/// What a metric counts to.
fn goal(metric: Metric) -> &'static str {
    match metric {
        Metric::Wdl | Metric::Dtm => "mate",
        Metric::Dtc => "mate, capture or promotion",
        Metric::Dtz | Metric::Dtz50 => "mate, capture or pawn move",
    }
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
