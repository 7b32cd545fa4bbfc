//! Answers a position and its moves, each with all that Lichess's interface says of a position.

use super::category::{Category, Distances, signed, signed_dtz, signed_moves};
use crate::game::Game;
use crate::refusal::HttpRefusal;
use library::{Successor, Successors};
use position::{Outcome, Position};
use probe::{MissingTable, ProbeError, Tablebase};
use serde::Serialize;
use std::cmp::Reverse;
use table::Value;
use variant::Metric;

/// What is known of a position. Every key is always there.
#[derive(Serialize, Clone, Debug)]
pub(super) struct PositionFacts {
    checkmate: bool,
    stalemate: bool,
    variant_win: bool,
    variant_loss: bool,
    insufficient_material: bool,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    dtm: Option<i32>,
    dtw: Option<i32>,
    dtc: Option<i32>,
    category: Category,
}

/// A position and its moves, best first.
#[derive(Serialize, Debug)]
pub(super) struct Answer {
    #[serde(flatten)]
    known: PositionFacts,
    moves: Vec<KnownMove>,
}

#[derive(Serialize, Debug)]
struct KnownMove {
    uci: String,
    san: String,
    zeroing: bool,
    conversion: bool,
    /// Of the position after the move.
    #[serde(flatten)]
    known: PositionFacts,
}

pub(super) fn answer(game: &Game, position: &Position) -> Result<Answer, HttpRefusal> {
    let Successors { moves: successors, .. } = Successors::unrated(game.book(), position);
    let (own, next) = distances(game, position, &successors)?;
    let clock = position.halfmove_clock();
    let mut known = PositionFacts::new(game, position, &own, clock.saturating_sub(1));
    let legal: Vec<_> = successors.iter().map(|successor| successor.mv).collect();
    let moves = successors.into_iter().zip(next).filter(|(_, next)| {
        // What the rules allow and no table has a place for does not exist.
        next.dtz != Some(Value::Illegal) && next.dtm != Some(Value::Illegal)
    });
    let mut moves: Vec<KnownMove> = moves
        .map(|(successor, distances)| KnownMove {
            san: position.san_among(game.book(), successor.mv, &legal),
            zeroing: successor.mv.zeroing,
            conversion: successor.mv.is_conversion(),
            known: PositionFacts::new(game, &successor.next, &distances, clock),
            uci: successor.uci,
        })
        .collect();
    moves.sort_by_cached_key(KnownMove::order);
    // Where the tables do not say it, or not for sure, the best move does.
    if let Some(best) = moves.first().map(|best| best.known.category)
        && !known.category.is_sure()
        && best != Category::Unknown
    {
        known.category = -best;
    }
    Ok(Answer { known, moves })
}

impl KnownMove {
    /// Best first: by category, mate first, then by distance: the loser's is short, the winner's long.
    fn order(&self) -> impl Ord + use<> {
        let PositionFacts { category, checkmate, variant_loss, dtm, dtw, dtz, .. } = &self.known;
        let loses = dtz.is_some_and(|dtz| dtz < 0);
        (
            *category,
            !checkmate,
            !variant_loss,
            Reverse(dtm.or(*dtw)),
            loses != self.zeroing,
            Reverse(*dtz),
            self.uci.clone(),
        )
    }
}

impl PositionFacts {
    /// `clock` is that of the position before the last move.
    fn new(game: &Game, position: &Position, distances: &Distances, clock: u32) -> Self {
        let variant = game.variant();
        let rule_plies = variant.rules.rule_plies();
        let late = rule_plies.is_some_and(|plies| clock >= u32::from(plies));
        let ending = position.ending(game.book());
        let is = |outcome| ending.is_some_and(|ending| ending.outcome == outcome);
        let checkmate = is(Outcome::Checkmate);
        let wins = |side| ending.is_some_and(|ending| ending.winner == Some(side)) && !checkmate;
        let category = match ending {
            Some(ending) => {
                let wdl = ending.winner.map_or(0, |winner| if winner == position.stm() { 1 } else { -1 });
                Category::of_result(wdl, late)
            }
            None => Category::new(distances, position.halfmove_clock(), rule_plies, late),
        };
        let dtz = distances.dtz.map(signed_dtz);
        // What counts as a win where there is more than mate has a name of its own.
        let dtm = distances.dtm.map(|value| if ending.is_some() { 0 } else { signed(value) });
        let by_mate = variant.rules.is_won_by_mate_only();
        PositionFacts {
            checkmate,
            stalemate: is(Outcome::Stalemate),
            variant_win: wins(position.stm()),
            variant_loss: wins(!position.stm()),
            insufficient_material: position.is_dead(game.book()),
            dtz,
            precise_dtz: dtz.filter(|_| !distances.is_rounded),
            dtm: dtm.filter(|_| by_mate),
            dtw: dtm.filter(|_| !by_mate),
            dtc: distances.dtc.map(signed_moves),
            category,
        }
    }
}

/// What the tables of all metrics say of a position and of those that its moves lead to.
fn distances(
    game: &Game,
    position: &Position,
    successors: &[Successor],
) -> Result<(Distances, Vec<Distances>), HttpRefusal> {
    let mut own = Distances::default();
    let mut next = vec![Distances::default(); successors.len()];
    let has_rule = game.variant().rules.rule_plies().is_some();
    let in_folder = |metric| game.tables.metrics().contains(&metric);
    let mut read = |metric: Metric, set: fn(&mut Distances, Value, bool)| -> Result<bool, HttpRefusal> {
        let values = values(game, position, successors, metric)?;
        let (of_own, of_next) = values.unwrap_or_default();
        of_own.into_iter().for_each(|(value, is_rounded)| set(&mut own, value, is_rounded));
        for (distances, value) in next.iter_mut().zip(&of_next) {
            value.iter().for_each(|&(value, is_rounded)| set(distances, value, is_rounded));
        }
        Ok(of_own.is_some() && of_next.iter().all(Option::is_some))
    };
    let has_dtz = has_rule
        && read(Metric::Dtz50, |distances, value, is_rounded| {
            (distances.dtz, distances.is_rounded) = (Some(value), is_rounded);
        })?;
    let has_dtm = read(Metric::Dtm, |distances, value, _| distances.dtm = Some(value))?;
    if in_folder(Metric::Dtc) {
        read(Metric::Dtc, |distances, value, _| distances.dtc = Some(value))?;
    }
    // Who wins alone is asked for where nothing says more.
    for metric in [Metric::Wdl, Metric::Dtz].into_iter().filter(|&metric| in_folder(metric)) {
        if !has_dtz && !has_dtm {
            read(metric, |distances, value, _| distances.wdl = Some(value))?;
        }
    }
    Ok((own, next))
}

/// A value, and whether it may be a ply short; none where a table is not there.
type ProbedValue = Option<(Value, bool)>;

/// The values of a position and of those that its moves lead to under one metric; none if no table of it has
/// any.
fn values(
    game: &Game,
    position: &Position,
    successors: &[Successor],
    metric: Metric,
) -> Result<Option<(ProbedValue, Vec<ProbedValue>)>, HttpRefusal> {
    let question = |tables: &Tablebase| {
        let mut missing: Option<MissingTable> = None;
        let mut value = |position: &Position| match value_of(game, tables, position) {
            Ok(found) => Ok(Some(found)),
            Err(ProbeError::Missing(absent)) => {
                missing.get_or_insert(absent);
                Ok(None)
            }
            Err(error) => Err(error),
        };
        let own = value(position)?;
        let next =
            successors.iter().map(|successor| value(&successor.next)).collect::<Result<Vec<_>, _>>()?;
        Ok(((own, next), missing))
    };
    match game.tables.ask(position, Some(metric), question) {
        Ok(answered) => Ok(Some(answered.answer)),
        Err(ProbeError::Missing(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The value of a legal position, and whether it may be a ply short.
fn value_of(game: &Game, tables: &Tablebase, position: &Position) -> Result<(Value, bool), ProbeError> {
    if tables.scale().metric() != Metric::Dtz50 || !game.tables.has_foreign() {
        return Ok((tables.value_of_legal(position)?, false));
    }
    let answer = tables.probe(position)?;
    let is_rounded = answer.value.ply().is_some() && game.tables.is_rounded(answer.file.as_deref());
    Ok((answer.value, is_rounded))
}
