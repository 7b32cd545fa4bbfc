//! Writes positions worth looking at as EPD: one line each, with operations that say why.

use crate::census::{Census, Counted};
use crate::count::plies;
use crate::example::Writer;
use crate::unit::Units;
use crate::zugzwang::{Zugzwang, Zugzwangs};
use rayon::prelude::*;
use table::{CodesRef, Scale, Table, Value};
use variant::{Metric, Side, Variant};

/// Positions of one kind: a line each, and how many there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// Which positions: `longest wins of White`.
    pub title: String,
    /// A line each, no more than asked for.
    pub lines: Vec<String>,
    /// How many lines there would be without a limit: one a position, modulo the symmetries of the board and
    /// the exchange of like men.
    pub n_all: u64,
    /// How many positions the statistics count, like men distinguishable.
    pub n_counted: u64,
}

/// The longest wins and the longest losses of each side to move in a table of a metric, at most `limit` lines
/// a kind; `dm` counts moves to mate, and is there only if mate is what is counted to.
///
/// Without distances no win is the longest. Cursed wins are the longest of all, and their lines say so.
#[must_use]
pub fn longest_epd(variant: &Variant, metric: Metric, table: &Table, limit: usize) -> Vec<Listing> {
    if metric == Metric::Wdl {
        return Vec::new();
    }
    let kinds = Side::BOTH.into_iter().flat_map(|side| [(side, true), (side, false)]);
    let list = |(side, is_win)| longest_of(variant, metric, table, limit, side, is_win);
    kinds.filter_map(list).collect()
}

/// The longest wins or losses of one side to move; none if it has none.
fn longest_of(
    variant: &Variant,
    metric: Metric,
    table: &Table,
    limit: usize,
    side: Side,
    is_win: bool,
) -> Option<Listing> {
    let (scale, layout) = (Scale::new(metric, &variant.rules), table.layout());
    let (name, writer) = (layout.material().name(variant), Writer::new(variant, layout));
    // Of a symmetric table Black to move is White to move with the colours exchanged.
    let (kept, is_swapped) = match table.codes(side) {
        Some(_) => (side, false),
        None => (!side, true),
    };
    let codes = table.codes(kept).map(table::Codes::as_ref)?;
    let (longest, ply, n_counted) = longest(&Units::new(layout), codes, is_win)?;
    let places: Vec<usize> = (0..codes.len())
        .into_par_iter()
        .filter(|&place| codes.value(place) == longest)
        .filter(|&place| layout.is_canonical(place, &layout.decode(place)))
        .collect();
    let mate =
        if is_win && metric == Metric::Dtm { format!("dm {}; ", ply.div_ceil(2)) } else { String::new() };
    let what = match metric {
        Metric::Dtm => String::new(),
        _ if scale.is_cursed(longest) => format!(" {metric}, {}", if is_win { "cursed" } else { "blessed" }),
        _ => format!(" {metric}"),
    };
    let (loss, distance) = match is_win {
        true => ("", format!("{}{what}", plies(ply))),
        false => ("loss ", format!("lost in {}{what}", plies(ply))),
    };
    let line = |(number, &place): (usize, &usize)| {
        let fen = if is_swapped { writer.swapped_fen(kept, place) } else { writer.fen(kept, place) };
        let position = first_fields(&fen);
        format!("{position} {mate}id \"{name} {side} {loss}{number}\"; c0 \"{distance}\";")
    };
    Some(Listing {
        title: format!("longest {} of {side}", if is_win { "wins" } else { "losses" }),
        lines: (1..).zip(places.iter().take(limit)).map(line).collect(),
        n_all: places.len() as u64,
        n_counted,
    })
}

/// The mutual zugzwangs, one of each orbit, at most `limit`, with White to move.
#[must_use]
pub fn zugzwangs_epd(variant: &Variant, table: &Table, limit: usize) -> Listing {
    let name = table.layout().material().name(variant);
    let (n_all, all) = Zugzwangs::list(variant, table, limit);
    let line = |(number, zugzwang): (usize, &Zugzwang)| {
        let position = first_fields(&zugzwang.fen);
        let text = zugzwang.kind.text();
        format!("{position} id \"{name} zugzwang {number}\"; c0 \"mutual zugzwang: {text}\";")
    };
    Listing {
        title: "mutual zugzwangs".into(),
        lines: (1..).zip(&all.examples).map(line).collect(),
        n_all,
        n_counted: all.total().orbits,
    }
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

/// A FEN without its clocks.
fn first_fields(fen: &str) -> String {
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}
