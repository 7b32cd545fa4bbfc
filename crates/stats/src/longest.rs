//! Lists the positions of a table that take longest.

use crate::census::{Census, Counted};
use crate::example::Writer;
use crate::unit::Units;
use rayon::prelude::*;
use table::{CodesRef, Table, Value};
use variant::{Metric, Side, Variant};

/// The longest wins or losses of one side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LongestPositions {
    /// The side to move.
    pub side: Side,
    /// Whether that side wins.
    pub is_win: bool,
    /// What they are worth.
    pub value: Value,
    /// After how many plies they end.
    pub plies: u16,
    /// FENs, in the order of the placements' numbers, no more than asked for.
    pub fens: Vec<String>,
    /// How many there are modulo the symmetries of the board and the exchange of like men.
    pub n_all: u64,
    /// How many there are, like men being distinguishable.
    pub n_counted: u64,
}

impl LongestPositions {
    /// The longest wins and the longest losses of each side to move in a table of a metric, at most `limit`
    /// of each: wins before losses, White to move first.
    ///
    /// Without distances no win is the longest. Cursed wins are the longest of all.
    ///
    /// Complexity: two passes over the codes for each side to move, on all threads of the current pool.
    #[must_use]
    pub fn of(variant: &Variant, metric: Metric, table: &Table, limit: usize) -> Vec<Self> {
        if metric == Metric::Wdl {
            return Vec::new();
        }
        let kinds = Side::BOTH.into_iter().flat_map(|side| [(side, true), (side, false)]);
        kinds.filter_map(|(side, is_win)| longest_of(variant, table, limit, side, is_win)).collect()
    }
}

/// The longest wins or losses of one side to move; none if it has none.
fn longest_of(
    variant: &Variant,
    table: &Table,
    limit: usize,
    side: Side,
    is_win: bool,
) -> Option<LongestPositions> {
    let layout = table.layout();
    let writer = Writer::new(variant, layout);
    // Of a symmetric table Black to move is White to move with the colours exchanged.
    let (kept, is_swapped) = match table.codes(side) {
        Some(_) => (side, false),
        None => (!side, true),
    };
    let codes = table.codes(kept).map(table::Codes::as_ref)?;
    let (value, plies, n_counted) = longest(&Units::new(layout), codes, is_win)?;
    let places: Vec<usize> = (0..codes.len())
        .into_par_iter()
        .filter(|&place| codes.value(place) == value)
        .filter(|&place| layout.is_canonical(place, &layout.decode(place)))
        .collect();
    let fen = |&place: &usize| match is_swapped {
        true => writer.swapped_fen(kept, place),
        false => writer.fen(kept, place),
    };
    let fens = places.iter().take(limit).map(fen).collect();
    Some(LongestPositions { side, is_win, value, plies, fens, n_all: places.len() as u64, n_counted })
}

/// The longest win or loss that there is: its value, its plies, and how many positions have it.
fn longest(units: &Units<'_>, codes: CodesRef<'_>, is_win: bool) -> Option<(Value, u16, u64)> {
    let own = |Counted { value, count, .. }: Counted| match value {
        Value::Win(ply) if is_win => Some((value, ply.0, count.orbits)),
        Value::Loss(ply) if !is_win => Some((value, ply.0, count.orbits)),
        _ => None,
    };
    let mut census = Census::new(units, codes.coding());
    census.count(&(0..units.len()), codes);
    census.finish().into_iter().filter_map(own).max_by_key(|(_, ply, _)| *ply)
}
