//! Says in a sentence what a position is worth.

use super::finding::Finding;
use crate::figure::{distance, plies};
use position::{Outcome, Position};
use probe::Tablebase;
use table::{Ply, Value};
use variant::{Material, Metric, Side, Variant};

/// The value in a sentence.
#[must_use]
pub fn headline(tables: &Tablebase, finding: &Finding) -> String {
    let (variant, stm) = (tables.variant(), finding.position.stm());
    if let (Some(winner), Value::Draw | Value::Stalemate) =
        (tables.winner_of(&finding.position), finding.value)
    {
        return format!("not a win for {winner}");
    }
    match (finding.outcome, finding.value) {
        (Some(Outcome::Stalemate), Value::Loss(_)) => {
            format!("stalemate: {stm} has no move and loses")
        }
        (Some(Outcome::Stalemate), Value::Win(_)) => format!("stalemate: {stm} has no move and wins"),
        (Some(Outcome::Stalemate), _) => format!("stalemate: {stm} has no move, a draw"),
        (Some(outcome), value) => {
            let how = end_name(outcome);
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

/// The name of what has ended a game.
#[must_use]
pub fn end_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Checkmate => "checkmate",
        Outcome::Stalemate => "stalemate",
        Outcome::Explosion => "explosion",
        Outcome::Extinction => "extinction",
        Outcome::Goal => "goal",
    }
}

/// Whether nobody but royal men is left, which is what draws: in a race it is not.
fn is_bare(variant: &Variant, position: &Position) -> bool {
    variant.is_always_drawn(&Material::from_men(position.men().map(|(man, _)| man)))
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
