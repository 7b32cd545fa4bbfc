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
//! that win are all alike, and [`move_rating`](crate::move_rating) looks for those that lead on.
//!
//! What tables know is used also where one is missing or damaged: a known win or draw comes before a move of
//! unknown value, and that before a known loss. Only where the position is worth more than all moves that
//! are known does one of the others have to be the best.

use crate::move_rating::{self, Memory, Rated, Rule};
use library::AskedTables;
use position::Position;
use probe::{Ask, By, ProbeError, RatedMove};
use variant::Metric;

/// What a choice relies on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Basis {
    /// Tables of these metrics; whether some are in memory because they were asked for.
    Tables(Vec<Metric>, bool),
    /// Tables of these metrics know some of the moves; the name of the first table that is missing.
    Partly(Vec<Metric>, String),
    /// Structures that know what moves are worth at least or at most.
    Bounds,
    /// Tables that say who wins and no distances: progress was searched for.
    ResultsOnly,
    /// No table, but the rules decide it, or some of the moves.
    Rules,
    /// No table: any legal move. The name of the table that is missing, if none is damaged.
    Nothing(Option<String>),
}

/// The moves of a position, best first.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Every legal move.
    pub moves: Vec<Rated>,
    /// What their order relies on.
    pub basis: Basis,
    /// Whether the best move leads to the quickest mate, rather than to the next capture or pawn move.
    pub for_mate: bool,
    /// Why a table could not be read.
    pub fault: Option<String>,
}

/// Rates every move of a position; `memory` has the positions that the game has seen.
pub fn choose(tables: &AskedTables, position: &Position, memory: &Memory) -> Choice {
    let book = tables.book();
    let mut unrated = RatedMove::unrated(book, position);
    // Of two moves with the same coordinates only the first can be written, a capture en passant.
    unrated.dedup_by(|second, first| second.uci == first.uci);
    let mut moves: Vec<Rated> = unrated.into_iter().map(|rated| Rated::new(position, rated)).collect();
    let rule = Rule { plies: tables.variant().rules.rule_plies(), clock: position.halfmove_clock() };
    let (mut whole, mut partial, mut is_solved) = (Vec::new(), Vec::new(), false);
    let (mut missing, mut fault, mut own, mut near) = (None, None, None, None);
    let (mut is_bounded, mut is_exact) = (false, false);
    for metric in [Metric::Dtz50, Metric::Dtm50, Metric::Dtm, Metric::Dtz, Metric::Dtc, Metric::Wdl] {
        // The last three are asked where nothing better is there.
        let is_needed = match metric {
            Metric::Dtz50 => rule.plies.is_some(),
            Metric::Dtm50 => rule.plies.is_some() && tables.has(metric),
            Metric::Dtm => !whole.contains(&Metric::Dtm50),
            _ => whole.is_empty() && tables.has(metric),
        };
        if !is_needed {
            continue;
        }
        match tables.answer_legal(position, Some(metric), &Ask::MOVES) {
            Ok(answer) => {
                // The value says how good the best move is; a move that is as good is the best.
                let lacking = answer
                    .missing
                    .as_ref()
                    .filter(|_| answer.by == By::Moves || answer.best_moves().next().is_none());
                is_solved |= answer.is_solved;
                is_bounded |= !answer.value.is_exact() && !answer.bounds_from().is_empty();
                is_exact |= answer.by == By::Table && answer.value.is_exact();
                own = own.or(answer.value.wdl());
                if answer.by != By::Rules {
                    let list = if lacking.is_some() { &mut partial } else { &mut whole };
                    list.push(metric);
                }
                missing = missing.or(lacking.map(|lacking| lacking.material.clone()));
                if !matches!(metric, Metric::Dtm | Metric::Dtm50) {
                    near.get_or_insert(metric);
                }
                for known in &answer.moves {
                    if let Some(rated) = moves.iter_mut().find(|rated| rated.mv == known.mv) {
                        let is_rounded = || tables.is_rounded(&rated.next, metric);
                        match rule.is_at_edge(known.value).then(is_rounded).transpose() {
                            Ok(is_rounded) => {
                                rated.learn(metric, known.value, is_rounded == Some(true), rule)
                            }
                            Err(error) => drop(fault.get_or_insert(error.to_string())),
                        }
                    }
                }
            }
            Err(ProbeError::Missing(table)) => drop(missing.get_or_insert(table.material)),
            // Another metric may have the answer.
            Err(error) => drop(fault.get_or_insert(error.to_string())),
        }
    }
    let metrics = [whole.clone(), partial.clone()].concat();
    // Without tables it is not known whether there is more to get than a draw.
    if metrics.is_empty() && own.is_none() {
        moves.iter_mut().filter(|rated| rated.class == Some(0)).for_each(|rated| rated.class = None);
    }
    let is_decided = moves.iter().any(|rated| rated.class.is_some());
    if metrics.is_empty() && !is_decided {
        moves.sort_by_key(|rated| rated.next.winner(tables.book()) != Some(position.stm()));
        let basis = Basis::Nothing(missing.filter(|_| fault.is_none()));
        return Choice { moves, basis, for_mate: false, fault };
    }
    let best = moves.iter().filter_map(|rated| rated.class).max();
    let hides_best = own.is_some_and(|wdl| best.is_none_or(|best| best.signum() < wdl));
    // Where the best move mates in time all wins are compared by their mates.
    let best_rank = moves.iter().filter(|rated| rated.class.is_some()).map(|rated| rated.rank(false)).max();
    let of_best = moves.iter().filter(|rated| rated.class.is_some() && Some(rated.rank(false)) == best_rank);
    let quickest = of_best.filter_map(|rated| rated.plies_to_end).min();
    let is_in_time = |plies| whole.contains(&Metric::Dtm50) || !rule.is_over_after(plies);
    let for_mate = quickest.is_some_and(|plies| is_in_time(plies) || near != Some(Metric::Dtz50));
    let place = |rated: &Rated| {
        let pawn = tables.variant().pawn_rules(position.man_on(rated.mv.from)?)?;
        pawn.promotes_to.iter().position(|&piece| Some(piece) == rated.mv.promotion)
    };
    moves.sort_by(|a, b| {
        let by_value = a.key(for_mate, hides_best).cmp(&b.key(for_mate, hides_best));
        let is_unknown = a.class.is_none() && b.class.is_none();
        by_value.then_with(|| match is_unknown && (a.mv.from, a.mv.to) == (b.mv.from, b.mv.to) {
            // Promotions that nothing is known of, in the order of the rules: a queen first.
            true => place(a).cmp(&place(b)),
            false => a.uci.cmp(&b.uci),
        })
    });
    let only_results = metrics == [Metric::Wdl];
    if only_results
        && best.is_some_and(|best| best > 0)
        && let Err(error) = move_rating::sort(tables, position, memory, &mut moves)
    {
        fault.get_or_insert(error.to_string());
    }
    let basis = match (whole.is_empty(), missing) {
        _ if metrics.is_empty() => Basis::Rules,
        _ if is_bounded && !is_exact => Basis::Bounds,
        (true, Some(table)) => Basis::Partly(partial, table),
        _ if only_results => Basis::ResultsOnly,
        _ => Basis::Tables(whole, is_solved),
    };
    Choice { moves, basis, for_mate, fault }
}

#[cfg(test)]
mod tests {
    use super::choose;
    use crate::move_rating::Memory;
    use library::AskedTables;
    use position::Position;
    use variant::Variant;

    /// A sergeant's step has the coordinates of his capture en passant, so it is not played.
    #[test]
    fn moves_that_cannot_be_written_are_not_chosen() {
        let text = "name = \"sergeants\"\n[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
                    [[piece]]\nletter = \"Q\"\nbetza = \"Q\"\n\
                    [[piece]]\nletter = \"S\"\nbetza = \"fK\"\npawn = { promotes-to = [\"Q\"] }\n";
        let variant = Variant::parse(text, "sergeants.toml").expect("a game");
        let tables = AskedTables::new(&variant, &[], 1 << 20, None).expect("no tables");
        let position = Position::from_fen(tables.book(), "4k3/8/8/3sS3/8/8/8/4K3 w - d6 0 1").expect("legal");
        let moves = choose(&tables, &position, &Memory::default()).moves;
        let named: Vec<bool> =
            moves.iter().filter(|rated| rated.uci == "e5d6").map(|rated| rated.mv.is_en_passant()).collect();
        assert_eq!((named, moves.len()), (vec![true], 8));
    }
}
