//! Counts won and lost positions by ply; the table may hold only some slices.

use std::collections::BTreeMap;
use table::{Table, Value, stands_for_itself, threads};
use variant::Side;

/// How many placements a thread counts at a time.
const STRETCH: usize = 1 << 16;

/// How many positions of one side to move are won and lost at each ply, images of each other counted once.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DecidedByPly {
    /// Won positions by ply.
    pub wins: BTreeMap<u16, u64>,
    /// Lost positions by ply.
    pub losses: BTreeMap<u16, u64>,
}

impl DecidedByPly {
    /// Counts the positions of a side to move. Of a table that is the same with its colours exchanged those
    /// with Black to move are as many as those with White.
    #[must_use]
    pub fn of(table: &Table, stm: Side) -> Self {
        let layout = table.layout();
        let stm = if layout.is_one_sided() { Side::White } else { stm };
        if table.codes(stm).is_none() {
            return DecidedByPly::default();
        }
        let stretches = threads::stretches(0..layout.len(), STRETCH);
        let counted = threads::fold(stretches, DecidedByPly::default, |own: &mut DecidedByPly, places| {
            for index in places {
                let (counts, ply) = match table.value(stm, index) {
                    Value::Win(ply) => (&mut own.wins, ply),
                    Value::Loss(ply) => (&mut own.losses, ply),
                    _ => continue,
                };
                if stands_for_itself(layout, index) {
                    *counts.entry(ply.0).or_default() += 1;
                }
            }
        });
        let mut all = DecidedByPly::default();
        counted.into_iter().for_each(|own| all.add(own));
        all
    }

    /// Adds other positions.
    pub fn add(&mut self, other: DecidedByPly) {
        for (sums, counts) in [(&mut self.wins, other.wins), (&mut self.losses, other.losses)] {
            counts.into_iter().for_each(|(ply, n)| *sums.entry(ply).or_default() += n);
        }
    }
}
