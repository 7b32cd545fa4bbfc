//! One side to move of a sub-table before it is packed: what may stand at each number, in any arrangement.

use super::arrangement::Arrangement;
use super::fill;
use super::map::{Counting, DistanceMap};
use super::packed::{Effort, Packed};
use super::slot::{ANY_DISTANCE, Ground, Slots};
use rayon::prelude::*;
use std::ops::{Range, RangeInclusive};

/// Blocks of WDL values are small: they are read for every position of a search.
const WDL_BLOCK_BITS: RangeInclusive<u8> = 5..=6;

/// Blocks of distances are larger, as far as that saves room.
const DTZ_BLOCK_BITS: RangeInclusive<u8> = 7..=10;

/// How many numbers a thread takes at a time.
const STRETCH: u64 = 1 << 16;

/// One side to move of a sub-table.
pub(super) trait TableSide: Sync {
    /// How many runs there are in some stretches of numbers.
    fn n_runs(&self, arrangement: &Arrangement, stretches: &[Range<u64>]) -> usize;

    /// Some stretches, packed.
    fn pack(&self, arrangement: &Arrangement, stretches: &[Range<u64>], effort: Effort) -> Packed;
}

/// The WDL values.
pub(super) struct WdlSide<'a> {
    pub(super) ground: &'a Ground,
    pub(super) slots: &'a Slots,
}

/// The distances.
pub(super) struct DtzSide<'a> {
    pub(super) ground: &'a Ground,
    pub(super) slots: &'a Slots,
    pub(super) counting: Counting,
}

impl TableSide for WdlSide<'_> {
    fn n_runs(&self, arrangement: &Arrangement, stretches: &[Range<u64>]) -> usize {
        let values =
            fill::fill_sets(&read(self.ground, &self.slots.wdl, super::slot::ANY, arrangement, stretches));
        n_runs(&values)
    }

    fn pack(&self, arrangement: &Arrangement, stretches: &[Range<u64>], effort: Effort) -> Packed {
        let sets = read(self.ground, &self.slots.wdl, super::slot::ANY, arrangement, stretches);
        Packed::of_sets(&sets, WDL_BLOCK_BITS, effort)
    }
}

impl TableSide for DtzSide<'_> {
    fn n_runs(&self, arrangement: &Arrangement, stretches: &[Range<u64>]) -> usize {
        let values = read(self.ground, &self.slots.dtz, ANY_DISTANCE, arrangement, stretches);
        n_runs(&fill::fill_distances(&values))
    }

    fn pack(&self, arrangement: &Arrangement, stretches: &[Range<u64>], effort: Effort) -> Packed {
        self.pack_with_map(arrangement, stretches, effort).0
    }
}

impl DtzSide<'_> {
    /// Some stretches, packed, and the map of their distances.
    pub(super) fn pack_with_map(
        &self,
        arrangement: &Arrangement,
        stretches: &[Range<u64>],
        effort: Effort,
    ) -> (Packed, Option<DistanceMap>) {
        let slots = read(self.ground, &self.slots.dtz, ANY_DISTANCE, arrangement, stretches);
        let Some(map) = DistanceMap::new(&slots, self.counting) else { return (Packed::Single(0), None) };
        let leaves = map.leaves(&slots, self.counting);
        drop(slots);
        (Packed::of_leaves(&leaves, DTZ_BLOCK_BITS, effort), Some(map))
    }
}

fn n_runs(values: &[u16]) -> usize {
    values.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The slots at some stretches of numbers of an arrangement.
fn read<T: Copy + Send + Sync>(
    ground: &Ground,
    slots: &[T],
    any: T,
    arrangement: &Arrangement,
    stretches: &[Range<u64>],
) -> Vec<T> {
    let placements = arrangement.placements();
    let finder = ground.cube().finder(arrangement.men());
    let n_values = stretches.iter().map(|stretch| (stretch.end - stretch.start) as usize).sum();
    let mut values = vec![any; n_values];
    let (mut pieces, mut rest) = (Vec::new(), &mut values[..]);
    for stretch in stretches {
        for begin in (stretch.start..stretch.end).step_by(STRETCH as usize) {
            let n = STRETCH.min(stretch.end - begin) as usize;
            let (piece, others) = std::mem::take(&mut rest).split_at_mut(n);
            pieces.push((begin, piece));
            rest = others;
        }
    }
    pieces.into_par_iter().for_each(|(begin, piece)| {
        let mut next = piece.iter_mut();
        placements.visit(begin, |squares| match next.next() {
            Some(value) => {
                *value = slots[finder.place(squares)];
                true
            }
            None => false,
        });
    });
    values
}
