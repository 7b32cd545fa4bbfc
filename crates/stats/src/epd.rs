//! Writes positions worth looking at as EPD: one line each, with operations that say why.

use crate::example::Writer;
use crate::unit::Units;
use crate::zugzwang::Zugzwangs;
use table::{CodesRef, Scale, Table, Value};
use variant::{Metric, Variant};

/// The longest wins of each side to move in a table of the variant's metric, one of each orbit, at most
/// `limit` lines a side; `dm` counts moves to mate.
#[must_use]
pub fn longest_wins_epd(variant: &Variant, table: &Table, limit: usize) -> Vec<String> {
    longest_wins_epd_with(variant, variant.default_metric, table, limit)
}

/// The same in a table of any metric: `dm` is there only if mate is what is counted to. Without distances no
/// win is the longest. Cursed wins are the longest of all, and their lines say so.
#[must_use]
pub fn longest_wins_epd_with(variant: &Variant, metric: Metric, table: &Table, limit: usize) -> Vec<String> {
    if metric == Metric::Wdl {
        return Vec::new();
    }
    let scale = Scale::new(metric, &variant.rules);
    let layout = table.layout();
    let name = layout.material().name(variant);
    let writer = Writer::new(variant, layout);
    let mut lines = Vec::new();
    for side in table.sides() {
        let Some(codes) = table.codes(side).map(table::Codes::as_ref) else { continue };
        let Some(longest) = longest_win(codes) else { continue };
        let Value::Win(ply) = longest else { continue };
        let places = (0..codes.len())
            .filter(|&place| codes.value(place) == longest)
            .filter(|&place| layout.is_canonical(place, &layout.decode(place)))
            .take(limit);
        for (number, place) in (1..).zip(places) {
            let position = first_fields(&writer.fen(side, place));
            let (moves, plies) = (ply.0.div_ceil(2), ply.0);
            let mate = if metric == Metric::Dtm { format!("dm {moves}; ") } else { String::new() };
            let what = match metric {
                Metric::Dtm => String::new(),
                _ if scale.is_cursed(longest) => format!(" {metric}, cursed"),
                _ => format!(" {metric}"),
            };
            lines
                .push(format!("{position} {mate}id \"{name} {side} {number}\"; c0 \"{plies} plies{what}\";"));
        }
    }
    lines
}

/// The mutual zugzwangs, one of each orbit, at most `limit`, with White to move.
#[must_use]
pub fn zugzwangs_epd(variant: &Variant, table: &Table, limit: usize) -> Vec<String> {
    let units = Units::new(table.layout());
    let name = table.layout().material().name(variant);
    let zugzwangs = Zugzwangs::collect(variant, table, &units, limit);
    let line = |(number, zugzwang): (usize, &crate::Zugzwang)| {
        let position = first_fields(&zugzwang.fen);
        let text = zugzwang.kind.text();
        format!("{position} id \"{name} zugzwang {number}\"; c0 \"mutual zugzwang: {text}\";")
    };
    (1..).zip(&zugzwangs.examples).map(line).collect()
}

/// The longest win that there is.
fn longest_win(codes: CodesRef<'_>) -> Option<Value> {
    (0..codes.len())
        .map(|place| codes.value(place))
        .filter(|value| matches!(value, Value::Win(_)))
        .max_by_key(|value| value.ply())
}

/// A FEN without its clocks.
fn first_fields(fen: &str) -> String {
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}
