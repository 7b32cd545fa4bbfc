//! Says what is known of a position in a sentence, and its main line in short notation.

use crate::Helpmates;
use crate::figure::{distance, plies, plural};
use format::Column;
use index::MAX_MEN;
use position::{Ending, Outcome, Position, RuleBook};
use probe::{Answer, Between, MissingTable, RatedMove};
use table::{Ply, Value};
use variant::{Metric, Side, Variant, Verdict};

/// The value in a sentence.
#[must_use]
pub fn headline(variant: &Variant, answer: &Answer) -> String {
    let stm = answer.position.stm();
    let Some(value) = answer.value.value() else {
        return match &answer.missing {
            Some(missing) if answer.value == Between::ANYTHING => missing_sentence(missing),
            _ if answer.scale.is_helped() => helped_open(variant, answer),
            _ => match answer.winner.filter(|_| answer.bounds_from().is_empty()) {
                Some(winner) => format!("not a win for {winner}"),
                None => bounds_sentence(answer),
            },
        };
    };
    match (answer.outcome, value) {
        (Some(outcome), value) => {
            let winner = match value {
                // Under `help` the value is what both want.
                _ if answer.scale.is_helped() => answer.position.winner(&RuleBook::new(variant)),
                Value::Loss(_) => Some(!stm),
                Value::Win(_) => Some(stm),
                Value::Draw | Value::Stalemate | Value::Illegal => None,
            };
            end_sentence(Ending { outcome, winner }, stm)
        }
        (None, value) if answer.scale.is_helped() => {
            helped_sentence(variant, answer.winner.unwrap_or(Side::White), value)
        }
        (None, Value::Draw | Value::Stalemate) if is_bare(variant, &answer.position) => {
            match variant.only_royal() {
                Some(royal) => format!("draw: bare {}s", variant.piece(royal).name),
                None => "draw: bare royal men".into(),
            }
        }
        (None, value) if matches!(answer.scale.metric(), Metric::Dtm | Metric::Dtm50) => {
            sentence(variant, stm, value)
        }
        (None, value) => counted(answer, value),
    }
}

/// What both sides together can do for a winner, in a sentence.
fn helped_sentence(variant: &Variant, winner: Side, value: Value) -> String {
    let mates = mates(variant);
    match value.ply() {
        Some(ply) => format!("{winner} can {mates} with {}'s help in {}", !winner, distance(ply.0)),
        None => format!("{winner} can never {mates}"),
    }
}

/// That it is open whether a side can win with help.
fn helped_open(variant: &Variant, answer: &Answer) -> String {
    let winner = answer.winner.unwrap_or(Side::White);
    format!("whether {winner} can {} is not known", mates(variant))
}

/// How a game is won.
fn mates(variant: &Variant) -> &'static str {
    if variant.rules.is_won_by_mate_only() { "mate" } else { "win" }
}

/// What is known of a position's helpmates, in a sentence.
#[must_use]
pub fn helpmates_in_words(variant: &Variant, helpmates: &Helpmates) -> String {
    let mates = mates(variant);
    match helpmates.is_dead() {
        _ if helpmates.white.outcome.is_some() => headline(variant, &helpmates.white),
        true => format!("dead position: neither side can ever {mates}"),
        false => helpmates.answers().map(|answer| headline(variant, answer)).collect::<Vec<_>>().join("; "),
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
        Outcome::Checks => "checks",
    }
}

/// Whether only royal men are left, which is what draws: in a race it is not.
fn is_bare(variant: &Variant, position: &Position) -> bool {
    variant.is_always_drawn(&position.material())
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
fn counted(answer: &Answer, value: Value) -> String {
    let (stm, scale) = (answer.position.stm(), answer.scale);
    let (verb, Ply(ply)) = match value {
        Value::Win(ply) => ("wins", ply),
        Value::Loss(ply) => ("loses", ply),
        Value::Draw | Value::Stalemate | Value::Illegal => return "draw".into(),
    };
    let clock = answer.position.halfmove_clock();
    match scale.rule_plies() {
        _ if scale.metric() == Metric::Wdl => format!("{stm} {verb}"),
        Some(rule) if ply > rule => {
            format!("draw: {stm} {verb}, but not under the {}-move rule (distance {})", rule / 2, plies(ply))
        }
        Some(_) if answer.is_cursed() => format!(
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
        Metric::Wdl | Metric::Dtm | Metric::Dtm50 | Metric::Help => "mate",
        Metric::Dtc => "mate, capture or promotion",
        Metric::Dtz | Metric::Dtz50 => "mate, capture or pawn move",
    }
}

/// Why nothing is known.
fn missing_sentence(missing: &MissingTable) -> String {
    let MissingTable { material, column: Column { metric, has_rights, .. }, .. } = missing;
    match &missing.too_large {
        Some(why) => format!("not known: {why}"),
        None if *has_rights => {
            format!("not known: {material} with castling rights ({metric}) is not here")
        }
        None if n_men(missing) > MAX_MEN => format!("not known: {}", too_many_men(missing)),
        None => format!("not known: the table {material} ({metric}) is not here"),
    }
}

/// That no table has as many men as this one would have.
pub(crate) fn too_many_men(missing: &MissingTable) -> String {
    let (material, n_men) = (&missing.material, n_men(missing));
    format!("{material} has {n_men} men, and tables have at most {MAX_MEN}")
}

/// How many men a missing table has: a letter each, and a `v` between the sides. Behind a `+` stand checks.
pub(crate) fn n_men(missing: &MissingTable) -> usize {
    let men = missing.material.split('+').next().unwrap_or_default();
    men.len() - 1
}

/// What the side to move gets, as far as it is known.
fn bounds_sentence(answer: &Answer) -> String {
    let (stm, value) = (answer.position.stm(), bounds_in_words(answer.scale.metric(), answer.value));
    match value.as_str() {
        UNKNOWN => format!("what {stm} gets is {value}"),
        _ => format!("{stm} {value}"),
    }
}

/// Of a value of which nothing is known.
const UNKNOWN: &str = "not known";

/// What is known of a position and of its moves before all is, in a few words.
#[must_use]
pub fn so_far(answer: &Answer) -> String {
    let value = bounds_sentence(answer);
    match answer.n_moves_open() {
        0 => value,
        n_open => format!("{value}, {} open", plural(n_open as u64, "move")),
    }
}

/// A value, or from what to what it may be; the side that it is of is the one that moves.
#[must_use]
pub fn bounds_in_words(metric: Metric, value: Between) -> String {
    if let Some(value) = value.value() {
        return value_in_words(metric, value);
    }
    // Who wins has no plies.
    let says_more = |value: &Value, of_rules: i8| metric != Metric::Wdl || value.wdl() != Some(of_rules);
    let (least, most) = value.told();
    let least = least.filter(|least| says_more(least, -1)).map(|least| value_in_words(metric, least));
    let most = most.filter(|most| says_more(most, 1)).map(|most| value_in_words(metric, most));
    match (least, most) {
        (None, None) => UNKNOWN.into(),
        (None, Some(most)) => format!("at most {most}"),
        (Some(least), None) => format!("at least {least}"),
        (Some(least), Some(most)) => format!("at least {least}, at most {most}"),
    }
}

/// A value as what the side gets: "wins in 5 moves, 9 plies".
fn value_in_words(metric: Metric, value: Value) -> String {
    let (verb, Ply(ply)) = match value {
        Value::Win(ply) => ("wins", ply),
        Value::Loss(ply) => ("loses", ply),
        Value::Draw | Value::Stalemate | Value::Illegal => return "draws".into(),
    };
    if metric == Metric::Wdl { verb.into() } else { format!("{verb} in {}", distance(ply)) }
}

/// Moves from a position on in short notation, with the position before each; an exclamation mark where no
/// other move keeps the result, a star where the metric stops.
#[must_use]
pub fn line_in_san(book: &RuleBook, position: &Position, moves: &[RatedMove]) -> Vec<(Position, String)> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for rated in moves {
        let mut san = position.san(book, rated.mv);
        if rated.is_only {
            san.push('!');
        }
        if rated.is_stop {
            san.push('*');
        }
        let next = position.play(rated.mv);
        line.push((std::mem::replace(&mut position, next), san));
    }
    line
}

/// Moves with their numbers, which a space that does not break joins to them.
#[must_use]
pub fn numbered(line: &[(Position, String)]) -> Vec<String> {
    let word = |(i, (before, san)): (usize, &(Position, String))| match before.stm() {
        Side::White => format!("{}.\u{a0}{san}", before.fullmove()),
        Side::Black if i == 0 => format!("{}...\u{a0}{san}", before.fullmove()),
        Side::Black => san.clone(),
    };
    line.iter().enumerate().map(word).collect()
}
