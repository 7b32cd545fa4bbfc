//! Counts the positions in which neither side can ever win, from two tables of `help`.

use crate::{Count, Statistics};
use table::{Code, Table, Value, View, threads};
use variant::{Man, Metric, Side, Variant};

/// How many positions of a table of `help` are dead, by side to move: neither side can ever win. The second
/// table has the same men with the colours exchanged, and so the other side's wins. Both must have both
/// sides to move, and codes that are exact in all places. None if it has other men.
///
/// Complexity: one pass over the codes, on all threads of the current pool; each draw of the first table is
/// looked up in the second.
#[must_use]
pub fn dead_positions(variant: &Variant, table: &Table, exchanged: &Table) -> Option<[Count; 2]> {
    let layout = table.layout();
    let men: Vec<Man> = layout.men().iter().map(|man| Man { side: !man.side, ..*man }).collect();
    let exchanged = View::of_table(exchanged, &men, None)?;
    let never = |value: Value| matches!(value, Value::Draw | Value::Stalemate);
    let is_dead = |stm: Side, index: usize| {
        never(table.value(stm, index)) && {
            let squares = layout.decode(index);
            let seen = squares.iter().map(|&square| layout.board().mirror_ranks(square));
            never(exchanged.value(!stm, &seen.collect::<Vec<_>>()))
        }
    };
    let of_side = |stm: Side| {
        let mut codes = vec![u8::ILLEGAL; layout.len()];
        threads::for_each_element(&mut codes, |index, code| {
            if is_dead(stm, index) {
                *code = u8::DRAW;
            }
        });
        u8::owned(codes)
    };
    let dead = Table::with_sides(layout.clone(), Side::BOTH.map(|stm| Some(of_side(stm))));
    let counted = Statistics::collect(variant, Metric::Wdl, &dead);
    Some(Side::BOTH.map(|stm| counted.side(stm).draws))
}
