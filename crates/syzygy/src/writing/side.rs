//! Reads the slots of one side to move in the order of any arrangement, and packs them.

use super::distance_map::{Counting, DistanceMap};
use super::input::Input;
use super::slot::Slot;
use crate::numbering::arrangement::Arrangement;
use crate::packing::packed::{Effort, Packed};
use crate::packing::run::{ANY, ANY_DISTANCE, Place};
use rayon::prelude::*;
use std::ops::{Range, RangeInclusive};

/// Blocks of WDL values are small: they are read for every position of a search.
const WDL_BLOCK_BITS: RangeInclusive<u8> = 5..=6;

/// Blocks of distances are larger, as far as that saves room.
const DTZ_BLOCK_BITS: RangeInclusive<u8> = 7..=10;

/// How many numbers a thread takes at a time.
const STRETCH: u64 = 1 << 16;

/// One side to move of a sub-table, to be tried in this arrangement and that. Arrangements are tried for
/// several sides at once, so what is tried are places in the cube, in the order of the numbers.
pub(crate) trait TableSide: Sync {
    /// How many runs there are at some places.
    fn n_runs(&self, places: &[usize]) -> usize;

    /// What is at some places, packed as far as it takes to compare.
    fn pack_sample(&self, places: &[usize]) -> Packed;
}

/// The WDL values.
pub(crate) struct WdlSide<'a> {
    pub(crate) input: &'a Input,
    pub(crate) slots: &'a [Slot],
}

/// The distances.
pub(crate) struct DtzSide<'a> {
    pub(crate) input: &'a Input,
    pub(crate) slots: &'a [Slot],
    pub(crate) counting: Counting,
}

impl TableSide for WdlSide<'_> {
    fn n_runs(&self, places: &[usize]) -> usize {
        n_runs(&u8::fill(&self.sets_at(places)))
    }

    fn pack_sample(&self, places: &[usize]) -> Packed {
        Packed::of_sets(&self.sets_at(places), WDL_BLOCK_BITS, Effort::Sample)
    }
}

impl WdlSide<'_> {
    /// All values, packed.
    pub(crate) fn pack(&self, arrangement: &Arrangement) -> Packed {
        let all = 0..arrangement.size();
        let sets = read(self.input, arrangement, std::slice::from_ref(&all), |place| self.set(place));
        Packed::of_sets(&sets, WDL_BLOCK_BITS, Effort::Whole)
    }

    fn sets_at(&self, places: &[usize]) -> Vec<u8> {
        places.iter().map(|&place| self.set(place)).collect()
    }

    /// The values that will do at a place, a bit each.
    #[inline]
    fn set(&self, place: usize) -> u8 {
        // Kings that touch have no place.
        self.slots.get(place).map_or(ANY, |slot| slot.wdl())
    }
}

impl TableSide for DtzSide<'_> {
    fn n_runs(&self, places: &[usize]) -> usize {
        n_runs(&u16::fill(&self.distances_at(places)))
    }

    fn pack_sample(&self, places: &[usize]) -> Packed {
        self.pack_distances(self.distances_at(places), Effort::Sample).0
    }
}

impl DtzSide<'_> {
    /// All distances, packed, and their map.
    pub(crate) fn pack(&self, arrangement: &Arrangement) -> (Packed, Option<DistanceMap>) {
        let all = 0..arrangement.size();
        let distances =
            read(self.input, arrangement, std::slice::from_ref(&all), |place| self.distance(place));
        self.pack_distances(distances, Effort::Whole)
    }

    fn pack_distances(&self, mut distances: Vec<u16>, effort: Effort) -> (Packed, Option<DistanceMap>) {
        let Some(map) = DistanceMap::new(&distances, self.counting) else { return (Packed::Single(0), None) };
        map.to_leaves(&mut distances, self.counting);
        (Packed::of_leaves(&distances, DTZ_BLOCK_BITS, effort), Some(map))
    }

    fn distances_at(&self, places: &[usize]) -> Vec<u16> {
        places.iter().map(|&place| self.distance(place)).collect()
    }

    #[inline]
    fn distance(&self, place: usize) -> u16 {
        self.slots.get(place).map_or(ANY_DISTANCE, |slot| slot.distance())
    }
}

fn n_runs(values: &[u16]) -> usize {
    values.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The places of some stretches of numbers of an arrangement.
pub(crate) fn places(input: &Input, arrangement: &Arrangement, stretches: &[Range<u64>]) -> Vec<usize> {
    read(input, arrangement, stretches, |place| place)
}

/// What is found at the places of some stretches of numbers of an arrangement.
fn read<T: Copy + Default + Send>(
    input: &Input,
    arrangement: &Arrangement,
    stretches: &[Range<u64>],
    found: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let placements = arrangement.placements();
    let finder = input.cube().finder(arrangement.men());
    let n_values = stretches.iter().map(|stretch| (stretch.end - stretch.start) as usize).sum();
    let mut values = vec![T::default(); n_values];
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
                *value = found(finder.place(squares));
                true
            }
            None => false,
        });
    });
    values
}
