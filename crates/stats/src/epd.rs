//! Lists the positions of a table that are worth looking at, and writes them as EPD: one line each, with
//! operations that say why.

use crate::census::plies;
use crate::census::{Census, Counted, Units, Writer};
use crate::zugzwang::{Zugzwang, Zugzwangs};
use table::{CodesRef, Scale, Table, Value, threads};
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
    let all = LongestPositions::of(variant, metric, table, limit);
    all.into_iter().map(|longest| longest_listing(variant, metric, table, &longest)).collect()
}

fn longest_listing(variant: &Variant, metric: Metric, table: &Table, longest: &LongestPositions) -> Listing {
    let scale = Scale::new(metric, &variant.rules);
    let name = table.layout().material().name(variant);
    let &LongestPositions { side, is_win, value, plies: ply, .. } = longest;
    let mates = matches!(metric, Metric::Dtm | Metric::Dtm50);
    let mate = if is_win && mates { format!("dm {}; ", ply.div_ceil(2)) } else { String::new() };
    let what = match metric {
        Metric::Dtm => String::new(),
        _ if scale.is_cursed(value) => format!(" {metric}, {}", if is_win { "cursed" } else { "blessed" }),
        _ => format!(" {metric}"),
    };
    let (loss, distance) = match is_win {
        true => ("", format!("{}{what}", plies(ply))),
        false => ("loss ", format!("lost in {}{what}", plies(ply))),
    };
    let line = |(number, fen): (usize, &String)| {
        let position = position::without_clocks(fen);
        format!("{position} {mate}id \"{name} {side} {loss}{number}\"; c0 \"{distance}\";")
    };
    Listing {
        title: format!("longest {} of {side}", if is_win { "wins" } else { "losses" }),
        lines: (1..).zip(&longest.fens).map(line).collect(),
        n_all: longest.n_all,
        n_counted: longest.n_counted,
    }
}

/// The mutual zugzwangs, one of each orbit, at most `limit`, with White to move.
#[must_use]
pub fn zugzwangs_epd(variant: &Variant, table: &Table, limit: usize) -> Listing {
    let name = table.layout().material().name(variant);
    let (n_all, all) = Zugzwangs::list(variant, table, limit);
    let line = |(number, zugzwang): (usize, &Zugzwang)| {
        let position = position::without_clocks(&zugzwang.fen);
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
    let kept = if table.codes(side).is_some() { side } else { !side };
    let codes = table.codes(kept).map(table::Codes::as_ref)?;
    let (value, plies, n_counted) = longest(&Units::new(layout), codes, is_win)?;
    // This many places are worth a thread's while.
    const STRETCH: usize = 1 << 16;
    let places = threads::map(threads::stretches(0..codes.len(), STRETCH), |places| {
        let places = places.filter(|&place| codes.value(place) == value);
        places.filter(|&place| layout.is_canonical(place, &layout.decode(place))).collect::<Vec<usize>>()
    })
    .concat();
    let fens = places.iter().take(limit).map(|&place| writer.fen_from(kept, side, place)).collect();
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
