//! Says in a sentence what a position is worth.

use super::finding::Finding;
use crate::figure::{distance, plies};
use position::{Ending, Outcome, Position};
use probe::Tablebase;
use table::{Ply, Value};
use variant::{Material, Metric, Side, Variant, Verdict};

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
        (Some(outcome), value) => {
            let winner = match value {
                Value::Loss(_) => Some(!stm),
                Value::Win(_) => Some(stm),
                Value::Draw | Value::Stalemate | Value::Illegal => None,
            };
            end_sentence(Ending { outcome, winner }, stm)
        }
        (None, Value::Draw | Value::Stalemate) if is_bare(variant, &finding.position) => {
            let royal = variant.royal().map_or("men", |royal| &variant.piece(royal).name);
            format!("draw: bare {royal}s")
        }
        (None, value) if tables.scale().metric() == Metric::Dtm => sentence(variant, stm, value),
        (None, value) => counted(tables, finding, stm, value),
    }
}

/// How a game has ended in which this side would be to move, in a sentence.
#[must_use]
pub fn end_sentence(ending: Ending, stm: Side) -> String {
    let how = end_name(ending.outcome);
    match (ending.outcome, ending.winner) {
        (Outcome::Stalemate, None) => format!("{how}: {stm} has no move, a draw"),
        (Outcome::Stalemate, Some(winner)) if winner == stm => format!("{how}: {stm} has no move and wins"),
        (Outcome::Stalemate, Some(_)) => format!("{how}: {stm} has no move and loses"),
        (_, None) => format!("{how}: a draw"),
        (_, Some(winner)) => format!("{how}: {winner} has won"),
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
    let claim = claim(variant);
    match value {
        Value::Win(ply) => format!("{stm} {wins} in {}{claim}", distance(ply.0)),
        Value::Loss(ply) => format!("{stm} {loses} in {}{claim}", distance(ply.0)),
        Value::Draw | Value::Stalemate | Value::Illegal => "draw".into(),
    }
}

/// What distances to the end hold beside moves, where the side to move may have won without one: the claim.
/// Composers do not count it.
fn claim(variant: &Variant) -> &'static str {
    let rules = &variant.rules;
    let wins_extinct = rules.extinction.as_ref().is_some_and(|extinction| extinction.verdict == Verdict::Win);
    match wins_extinct || rules.can_win_without_move() {
        true => " (claiming a win without a move counts as a move)",
        false => "",
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
