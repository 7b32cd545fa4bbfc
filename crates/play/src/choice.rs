//! Rates the moves of a position by what tables know, and says what that relies on.
//!
//! Which of two moves is better is decided by the result under the n-move rule first. Among wins:
//!
//! - If the quickest mate comes before the rule does (plies to mate and the clock together within it), the
//!   mate is played for. Whatever the other side does, it comes nearer with each ply, so the sum only falls.
//! - Otherwise the next capture or pawn move is played for, by `dtz50`, which keeps the win by its
//!   definition.
//!
//! Among losses the longest resistance is preferred, whatever counts it. Where only `wdl` is there, moves
//! that win are all alike, and [`progress`](crate::progress) looks for those that lead on.

use crate::progress::{self, Memory};
use crate::rated::Rated;
use library::{AskedTables, Successor, Successors};
use position::Position;
use probe::{ProbeError, Tablebase};
use table::Value;
use variant::Metric;

/// What a choice relies on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Basis {
    /// Tables of these metrics; whether some were solved because they were asked for.
    Tables(Vec<Metric>, bool),
    /// Tables that say who wins and no distances: progress was searched for.
    ResultsOnly,
    /// No table: any legal move. The name of the table that is missing.
    Nothing(String),
}

/// The moves of a position, best first.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Every legal move.
    pub moves: Vec<Rated>,
    /// What their order relies on.
    pub basis: Basis,
}

/// Rates every move of a position; `memory` has the positions that the game has seen.
///
/// # Errors
/// A table that is needed cannot be read.
pub fn choose(tables: &AskedTables, position: &Position, memory: &Memory) -> Result<Choice, ProbeError> {
    let unrated = Successors::unrated(tables.book(), position).moves;
    let mut moves: Vec<Rated> = unrated.into_iter().map(Rated::new).collect();
    let rule = tables.variant().rules.rule_plies();
    let (mut metrics, mut is_solved, mut missing) = (Vec::new(), false, None);
    let mut near = None;
    let wanted = [Metric::Dtz50, Metric::Dtm, Metric::Dtz, Metric::Dtc, Metric::Wdl];
    for metric in wanted {
        // The last three are asked where nothing better is there.
        let is_needed = match metric {
            Metric::Dtz50 => rule.is_some(),
            Metric::Dtm => true,
            _ => metrics.is_empty() && tables.metrics().contains(&metric),
        };
        if !is_needed {
            continue;
        }
        let found = tables.ask(position, Some(metric), |tables: &Tablebase| {
            let own = match tables.value(position) {
                Ok(value) => Some(value),
                Err(ProbeError::Missing(_)) => None,
                Err(error) => return Err(error),
            };
            let found = Successors::of(tables, position)?;
            match &found.missing {
                // The value says how good the best move is; a move that is as good is the best.
                Some(missing) if !is_enough(own, &found.moves) => Err(ProbeError::Missing(missing.clone())),
                _ => Ok((found, None)),
            }
        });
        match found {
            Ok(told) => {
                is_solved |= told.is_solved;
                metrics.push(metric);
                if metric != Metric::Dtm {
                    near.get_or_insert(metric);
                }
                for rated in &mut moves {
                    let known = told.answer.moves.iter().find(|known| known.mv == rated.mv);
                    rated.learn(metric, known, rule, position.halfmove_clock());
                }
            }
            Err(ProbeError::Missing(table)) => drop(missing.get_or_insert(table.material)),
            Err(error) => return Err(error),
        }
    }
    let clock = position.halfmove_clock();
    if metrics.is_empty() {
        let table = missing.unwrap_or_default();
        moves.sort_by_key(|rated| rated.next.winner(tables.book()) != Some(position.stm()));
        return Ok(Choice { moves, basis: Basis::Nothing(table) });
    }
    let is_in_time =
        |plies: u16| rule.is_none_or(|rule| u64::from(plies) + u64::from(clock) <= u64::from(rule));
    // Where the best move mates in time all wins are compared by their mates.
    let best_class = moves.iter().filter_map(|rated| rated.class).max();
    let quickest =
        moves.iter().filter(|rated| rated.class == best_class).filter_map(|rated| rated.plies_to_end).min();
    let for_mate = quickest.is_some_and(|plies| is_in_time(plies) || near != Some(Metric::Dtz50));
    moves.sort_by(|a, b| a.key(for_mate).cmp(&b.key(for_mate)).then_with(|| a.uci.cmp(&b.uci)));
    let only_results = near == Some(Metric::Wdl) && metrics.len() == 1;
    if only_results && best_class.is_some_and(|class| class > 0) {
        progress::sort(tables, position, memory, &mut moves)?;
        return Ok(Choice { moves, basis: Basis::ResultsOnly });
    }
    let basis = if only_results { Basis::ResultsOnly } else { Basis::Tables(metrics, is_solved) };
    Ok(Choice { moves, basis })
}

/// Whether some known move is as good as the position is, so that no other need be known.
fn is_enough(own: Option<Value>, moves: &[Successor]) -> bool {
    let best = moves.iter().filter_map(|successor| successor.value).next();
    matches!((own, best), (Some(own), Some(best)) if own.preference(&best).is_eq())
}
