//! Writes positions worth looking at as EPD: one line each, with operations that say why.

use crate::count::plies;
use crate::longest::LongestPositions;
use crate::zugzwang::{Zugzwang, Zugzwangs};
use table::{Scale, Table};
use variant::{Metric, Variant};

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
    let mate =
        if is_win && metric == Metric::Dtm { format!("dm {}; ", ply.div_ceil(2)) } else { String::new() };
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
        let position = first_fields(fen);
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

/// A FEN without its clocks.
fn first_fields(fen: &str) -> String {
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}
