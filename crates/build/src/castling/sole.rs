//! Finds positions in which castling is the only move that wins, or the only one that draws.

use probe::{ProbeError, Tablebase};
use rayon::prelude::*;
use rights::RightsTable;
use table::Value;

/// A position in which castling alone keeps the result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SoleCastling {
    /// The position, as EPD: the move, and its value.
    pub epd: String,
    /// Whether it wins; otherwise it draws, as a win does that comes too late for the rule.
    pub is_win: bool,
}

impl SoleCastling {
    /// All of them in a table, by number, with more than one legal move; on the threads of whoever calls.
    ///
    /// # Errors
    /// A table that a move leads to is not there or cannot be read.
    pub fn all(tables: &Tablebase, table: &RightsTable) -> Result<Vec<Self>, ProbeError> {
        let variant = tables.variant();
        let n_a_side = table.n_numbers() / 2;
        let n_counted = if table.key().is_own_image(variant) { n_a_side } else { 2 * n_a_side };
        let found = (0..n_counted).into_par_iter().map(|number| SoleCastling::of(tables, table, number));
        found.filter_map(Result::transpose).collect()
    }

    fn of(tables: &Tablebase, table: &RightsTable, number: usize) -> Result<Option<Self>, ProbeError> {
        let value = table.value_of(number);
        let wdl = |value: Value| if tables.scale().is_cursed(value) { Some(0) } else { value.wdl() };
        let result = wdl(value).filter(|&wdl| wdl >= 0);
        let (Some(result), Some(position)) = (result, table.position(tables.variant(), number)) else {
            return Ok(None);
        };
        let legal = position.legal_moves(tables.book());
        if legal.len() < 2 || !legal.iter().any(|mv| mv.castling.is_some()) {
            return Ok(None);
        }
        let moves = tables.moves(&position)?;
        let mut as_good = moves.iter().filter(|rated| wdl(rated.value) == Some(result));
        let (Some(best), None) = (as_good.next(), as_good.next()) else { return Ok(None) };
        if best.mv.castling.is_none() {
            return Ok(None);
        }
        let fen = position.to_fen(tables.book());
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let san = position.san(tables.book(), best.mv);
        let epd = format!("{} bm {san}; c0 \"{value}\";", fields.join(" "));
        Ok(Some(SoleCastling { epd, is_win: result == 1 }))
    }
}
