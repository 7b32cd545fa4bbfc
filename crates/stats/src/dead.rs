//! Counts the positions in which neither side can ever win, from two tables of `help`.

use crate::{Count, Statistics};
use geometry::Square;
use table::{Code, Mapping, Table, Value, threads};
use variant::{Man, Metric, Side, Variant};

/// How many placements are compared at a time.
const STRETCH: usize = 1 << 14;

/// How many positions of a table of `help` are dead, by side to move: neither side can ever win. The second
/// table has the same men with the colours exchanged, and so the other side's wins. Both must have both
/// sides to move, and codes that are exact in all places. None if it has other men.
///
/// Complexity: one pass over the codes, on all threads of the current pool; each draw of the first table is
/// looked up in the second.
#[must_use]
pub fn dead_positions(variant: &Variant, table: &Table, exchanged: &Table) -> Option<[Count; 2]> {
    let (layout, other) = (table.layout(), exchanged.layout());
    let men: Vec<Man> = layout.men().iter().map(|man| Man { side: !man.side, ..*man }).collect();
    let mapping = Mapping::new(other, Side::BOTH.map(|side| exchanged.codes(side).is_some()), &men)?;
    let never = |value: Value| matches!(value, Value::Draw | Value::Stalemate);
    let code = |stm: Side, index: usize| -> u8 {
        if !never(table.value(stm, index)) {
            return u8::ILLEGAL;
        }
        let squares = layout.decode(index);
        let seen: Vec<Square> = squares.iter().map(|&square| layout.board().mirror_ranks(square)).collect();
        match mapping.locate(other, !stm, &seen) {
            Some((side, at)) if never(exchanged.value(side, at)) => u8::DRAW,
            _ => u8::ILLEGAL,
        }
    };
    let of_side = |stm: Side| {
        let stretches = threads::stretches(0..layout.len(), STRETCH);
        let parts =
            threads::map(stretches, |places| places.map(|index| code(stm, index)).collect::<Vec<_>>());
        u8::owned(parts.concat())
    };
    let dead = Table::with_sides(layout.clone(), Side::BOTH.map(|stm| Some(of_side(stm))));
    let counted = Statistics::collect(variant, Metric::Wdl, &dead);
    Some(Side::BOTH.map(|stm| counted.side(stm).draws))
}
