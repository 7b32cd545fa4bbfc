//! Looks for progress where tables say who wins and not how far it is.
//!
//! A winner who keeps to moves that win may circle for ever. What leads on is a mate, or a capture or a pawn
//! move that wins still: none of these can be taken back. A small search looks for the shortest way to force
//! one; where there is none within its depth, positions that the game has seen are avoided, and the other
//! side is left as few moves as can be.

use crate::move_rating::Rated;
use library::AskedTables;
use position::Position;
use probe::{ProbeError, Tablebase};
use std::collections::HashMap;
use table::Value;
use variant::Metric;

/// How many plies are searched, the winner's and the loser's.
const DEPTH_PLIES: u32 = 5;

/// After so many positions the search goes no deeper.
const MAX_POSITIONS: u32 = 60_000;

/// The positions that a game has seen, and how often.
#[derive(Clone, Default, Debug)]
pub struct Memory {
    seen: HashMap<Position, u32>,
}

impl Memory {
    /// Remembers a position.
    pub fn add(&mut self, position: &Position) {
        *self.seen.entry(without_clock(position)).or_insert(0) += 1;
    }

    fn times(&self, position: &Position) -> u32 {
        self.seen.get(&without_clock(position)).copied().unwrap_or(0)
    }
}

/// A position comes again whatever the clock says; the number of the move counts up with each.
fn without_clock(position: &Position) -> Position {
    let men = position.men();
    let same = Position::from_men(men, position.stm()).unwrap_or_else(|| position.clone());
    same.with_en_passant(position.en_passant())
}

/// Sorts moves that win by the progress that they make; the others stay behind them as they are.
pub(crate) fn sort(
    tables: &AskedTables,
    position: &Position,
    memory: &Memory,
    moves: &mut [Rated],
) -> Result<(), ProbeError> {
    let n_winning = moves.iter().take_while(|rated| rated.class.is_some_and(|class| class > 0)).count();
    let winning = &mut moves[..n_winning];
    let answered = tables.ask(position, Some(Metric::Wdl), |tables| {
        let mut keys = HashMap::new();
        for depth in (1..=DEPTH_PLIES).step_by(2) {
            let mut search = Search { tables, n_positions: 0 };
            for rated in winning.iter().filter(|rated| !keys.contains_key(&rated.uci)).collect::<Vec<_>>() {
                if search.is_forced(rated.mv.zeroing, &rated.next, depth - 1)? {
                    keys.insert(rated.uci.clone(), depth);
                }
            }
            if !keys.is_empty() {
                break;
            }
        }
        Ok((keys, None))
    })?;
    winning.sort_by_cached_key(|rated| {
        let depth = answered.answer.get(&rated.uci).copied().unwrap_or(DEPTH_PLIES + 1);
        let replies = rated.next.legal_moves(tables.book()).len();
        (depth, memory.times(&rated.next), replies, rated.uci.clone())
    });
    Ok(())
}

struct Search<'a> {
    tables: &'a Tablebase,
    n_positions: u32,
}

impl Search<'_> {
    /// Whether the side that has just moved, and wins, forces progress: with this move, or within so many
    /// plies whatever the other side answers.
    fn is_forced(&mut self, is_zeroing: bool, next: &Position, depth: u32) -> Result<bool, ProbeError> {
        let book = self.tables.book();
        if is_zeroing || next.ending(book).is_some() {
            return Ok(true);
        }
        if depth < 2 {
            return Ok(false);
        }
        for reply in next.legal_moves(book) {
            let answered = next.play(reply);
            // A capture by the loser is progress too: what is left is won.
            if !reply.zeroing && !self.has_progress(&answered, depth - 2)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the side to move, which wins, has a move that forces progress.
    fn has_progress(&mut self, position: &Position, depth: u32) -> Result<bool, ProbeError> {
        for mv in position.legal_moves(self.tables.book()) {
            self.n_positions += 1;
            if self.n_positions > MAX_POSITIONS {
                return Ok(false);
            }
            if depth == 0 && !mv.zeroing {
                let next = position.play(mv);
                if next.winner(self.tables.book()) == Some(position.stm()) {
                    return Ok(true);
                }
                continue;
            }
            let next = position.play(mv);
            let wins = match self.tables.value(&next) {
                Ok(value) => matches!(value, Value::Loss(_)),
                Err(ProbeError::Missing(_)) => false,
                Err(error) => return Err(error),
            };
            if wins && self.is_forced(mv.zeroing, &next, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
