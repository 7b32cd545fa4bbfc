//! Reads the slots of one side to move in the order of any arrangement, and packs them.

use crate::numbering::Arrangement;
use crate::numbering::placement::Placements;
use crate::packing::packed_side::{Effort, Packed};
use crate::packing::run::{ANY, ANY_DISTANCE, Place, PlaceText};
use crate::writing::finder::{Finder, Known, NOWHERE, Numbering, RowNumbers};
use crate::writing::slots::{CLASS_SHIFT, Slot, Slots};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use table::threads;

/// Blocks of WDL values are small: they are read for every position of a search.
const WDL_BLOCK_BITS: RangeInclusive<u8> = 5..=6;

/// Blocks of distances are larger, as far as that saves room.
const DTZ_BLOCK_BITS: RangeInclusive<u8> = 7..=10;

/// How many numbers a thread takes at a time.
const STRETCH: u64 = 1 << 16;

/// How many slots are fetched at once.
const BATCH: usize = 512;

/// This many values are kept in memory while they are packed; more are read from the slots whenever they are
/// wanted, twice or three times each.
const MAX_KEPT: usize = 1 << 23;

/// One side to move of a sub-table, its WDL values or its distances, to be tried in this arrangement and
/// that. Arrangements are tried for several sides at once, so what is tried are numbers of slots, in the
/// order of the arrangement.
pub(crate) struct TableSide<'a> {
    pub(crate) numbering: &'a Numbering,
    pub(crate) slots: &'a Slots<'a>,
    /// How distances are counted; none of WDL values.
    pub(crate) counting: Option<Counting>,
}

impl TableSide<'_> {
    /// Whether one value will do everywhere, so that all arrangements are alike.
    pub(crate) fn is_uniform(&self) -> bool {
        if self.counting.is_none() {
            let mut common = ANY;
            self.slots.each_kind(|slot, _| common &= slot.wdl());
            return common != 0;
        }
        let mut distances = BTreeSet::new();
        self.slots.each_kind(|slot, _| _ = distances.insert(slot.distance()));
        distances.remove(&ANY_DISTANCE);
        distances.len() < 2
    }

    /// In how many runs values stand at some slots.
    pub(crate) fn n_runs(&self, numbers: &[usize]) -> usize {
        let slots = numbers.iter().map(|&number| self.slots.at(number));
        match self.counting {
            None => u8::n_runs(slots.map(Slot::wdl)),
            Some(_) => u16::n_runs(slots.map(Slot::distance)),
        }
    }

    /// What is at some slots, packed as far as it takes to compare.
    pub(crate) fn pack_sample(&self, numbers: &[usize]) -> Packed {
        let slots = numbers.iter().map(|&number| self.slots.at(number));
        match self.counting {
            None => {
                let sets: Vec<u8> = slots.map(Slot::wdl).collect();
                Packed::of_sets(&sets, WDL_BLOCK_BITS, Effort::Sample)
            }
            Some(counting) => {
                let distances: Vec<u16> = slots.map(Slot::distance).collect();
                let counts = Counts::of_slots(&distances, counting);
                pack_distances(&distances, &counts, counting, Effort::Sample).0
            }
        }
    }

    /// All values, packed, and the map of distances.
    pub(crate) fn pack(&self, arrangement: &Arrangement) -> (Packed, Option<DistanceMap>) {
        let Some(counting) = self.counting else {
            let set = |number| self.slots.at(number).wdl();
            let sets = Arranged::new(self.numbering, arrangement, MAX_KEPT, set);
            return (Packed::of_sets(&sets, WDL_BLOCK_BITS, Effort::Whole), None);
        };
        let distance = |number| self.slots.at(number).distance();
        let distances = Arranged::new(self.numbering, arrangement, MAX_KEPT, distance);
        let mut counts = Counts::default();
        if arrangement.is_alone() && distances.kept.is_none() {
            // Those of all slots, in no order, are quickly found. Mirror images and like men who are
            // exchanged are counted again, which changes little of what is common and nothing of what there
            // is.
            self.slots.each_kind(|slot, n| counts.add(slot.distance(), n, counting));
        } else {
            let stretches = threads::stretches(0..distances.n_places(), STRETCH as usize);
            let counted = threads::fold(stretches, Counts::default, |counts, places| {
                let distances = distances.read(places);
                *counts = std::mem::take(counts).and(Counts::of_slots(&distances, counting));
            });
            counts = counted.into_iter().fold(counts, Counts::and);
        }
        pack_distances(&distances, &counts, counting, Effort::Whole)
    }
}

fn pack_distances(
    distances: &dyn PlaceText<u16>,
    counts: &Counts,
    counting: Counting,
    effort: Effort,
) -> (Packed, Option<DistanceMap>) {
    let Some(map) = DistanceMap::new(counts, counting) else { return (Packed::Single(0), None) };
    let leaves = LeafSource { distances, leaves: map.leaves(counting) };
    (Packed::of_leaves(&leaves, map.n_leaves(), DTZ_BLOCK_BITS, effort), Some(map))
}

/// What is found in the slots of an arrangement, in its order.
pub(super) struct Arranged<'a, T, F> {
    finder: Finder<'a>,
    placements: Placements<'a>,
    n_values: usize,
    found: F,
    /// All of it, if it is little.
    kept: Option<Vec<T>>,
}

impl<'a, T: Copy + Default + Send, F: Fn(usize) -> T + Sync> Arranged<'a, T, F> {
    /// Up to `max_kept` values are kept.
    pub(super) fn new(
        numbering: &'a Numbering,
        arrangement: &'a Arrangement,
        max_kept: usize,
        found: F,
    ) -> Self {
        let n_values = arrangement.size() as usize;
        let (finder, placements) = (numbering.finder(arrangement.men()), arrangement.placements());
        let kept = (n_values <= max_kept).then(|| {
            row_by_row(&placements, finder, n_values, &found).unwrap_or_else(|| {
                let whole = std::iter::once(0..arrangement.size()).collect::<Vec<_>>();
                read(numbering, arrangement, &whole, &found)
            })
        });
        Arranged { finder, placements, n_values, kept, found }
    }
}

impl<T: Place + Default, F: Fn(usize) -> T + Sync> PlaceText<T> for Arranged<'_, T, F> {
    fn n_places(&self) -> usize {
        self.n_values
    }

    fn read(&self, range: Range<usize>) -> Cow<'_, [T]> {
        if let Some(kept) = &self.kept {
            return Cow::Borrowed(&kept[range]);
        }
        let mut values = vec![T::default(); range.len()];
        fill(&self.placements, self.finder, range.start as u64, &mut values, &self.found);
        Cow::Owned(values)
    }
}

/// The leaves of distances.
struct LeafSource<'a> {
    distances: &'a dyn PlaceText<u16>,
    leaves: Leaves,
}

impl PlaceText<u16> for LeafSource<'_> {
    fn n_places(&self) -> usize {
        self.distances.n_places()
    }

    fn read(&self, range: Range<usize>) -> Cow<'_, [u16]> {
        let mut leaves = self.distances.read(range).into_owned();
        self.leaves.put(&mut leaves);
        Cow::Owned(leaves)
    }
}

/// The slots of some stretches of numbers of an arrangement.
pub(crate) fn slot_numbers(
    numbering: &Numbering,
    arrangement: &Arrangement,
    stretches: &[Range<u64>],
) -> Vec<usize> {
    read(numbering, arrangement, stretches, &|number| number)
}

/// What is found in the slots of some stretches of numbers of an arrangement.
fn read<T: Copy + Default + Send>(
    numbering: &Numbering,
    arrangement: &Arrangement,
    stretches: &[Range<u64>],
    found: &(impl Fn(usize) -> T + Sync),
) -> Vec<T> {
    let placements = arrangement.placements();
    let finder = numbering.finder(arrangement.men());
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
    threads::for_each(pieces, |(begin, piece)| fill(&placements, finder, begin, piece, found));
    values
}

/// What is found in all slots of an arrangement, in its order, but found row by row: of each row the numbers
/// are found at once. None if there are no rows.
///
/// Complexity: a few nanoseconds a slot, a tenth of what it takes to find each by itself.
fn row_by_row<T: Copy + Default>(
    placements: &Placements<'_>,
    finder: Finder<'_>,
    n_values: usize,
    found: &impl Fn(usize) -> T,
) -> Option<Vec<T>> {
    let mut values = vec![T::default(); n_values];
    let row_len = placements.row_len();
    let is_done = placements.rows(|row| {
        let (mut at, step) = (row.first as usize, row.step as usize);
        let squares = Bits(row.free).take(row_len);
        match finder.row(&row.squares, row.man) {
            Some(RowNumbers::Even { first, mapped, step: own }) => squares.for_each(|square| {
                values[at] = found(first + usize::from(mapped[square]) * own);
                at += step;
            }),
            Some(RowNumbers::Nowhere) => squares.for_each(|_| {
                values[at] = found(NOWHERE);
                at += step;
            }),
            None => {
                let mut own = row.squares;
                squares.for_each(|square| {
                    own[row.man] = square as u8;
                    values[at] = found(finder.number(&own));
                    at += step;
                });
            }
        }
    });
    is_done.then_some(values)
}

/// The places of the bits that are set, ascending.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let place = (self.0 != 0).then(|| self.0.trailing_zeros() as usize & 63);
        self.0 &= self.0.wrapping_sub(1);
        place
    }
}

/// Fills a piece with what is found in the slots from a number of the arrangement on.
///
/// Numbers come first and what is found second, a batch at a time: slots lie far apart, and many of them
/// are fetched at once and not one after the other.
fn fill<T>(
    placements: &Placements<'_>,
    finder: Finder<'_>,
    begin: u64,
    piece: &mut [T],
    found: &impl Fn(usize) -> T,
) {
    let mut batches = piece.chunks_mut(BATCH);
    let Some(mut batch) = batches.next() else { return };
    let (mut numbers, mut n, mut known) = ([0; BATCH], 0, Known::default());
    placements.visit(begin, |squares| {
        numbers[n] = finder.number_after(&mut known, squares);
        n += 1;
        if n == batch.len() {
            batch.iter_mut().zip(&numbers).for_each(|(value, &number)| *value = found(number));
            let Some(next) = batches.next() else { return false };
            (batch, n) = (next, 0);
        }
        true
    });
}

/// How many classes there are.
const N_CLASSES: usize = 4;

/// The most entries of a class, and the largest number, where they take one byte.
const MAX_NARROW: u16 = 255;

/// How distances are counted.
///
/// Wins, losses, cursed wins and blessed losses are numbered apart, because the WDL file holds them apart.
/// In each of these classes the commonest distance is leaf 0, the next leaf 1, and so on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Counting {
    /// Wins and losses that the fifty-move rule does not touch are counted in plies, not in moves.
    pub(crate) plies: bool,
    /// Readers take the one distance of a file that has no other for 1 and not for 0, so none is written
    /// that way.
    pub(crate) takes_single_for_one: bool,
}

/// The numbers of each class, the commonest first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct DistanceMap {
    classes: [Vec<u16>; N_CLASSES],
}

impl Counting {
    /// The number of a slot that is not free, with its class.
    fn number(self, slot: u16) -> (usize, u16) {
        let (class, plies) = (usize::from(slot >> CLASS_SHIFT), slot & ((1 << CLASS_SHIFT) - 1));
        // Behind the rule moves are all that a file has room for.
        (class, if self.plies && class < 2 { plies } else { plies / 2 })
    }
}

/// How often each number of each class occurs.
#[derive(Clone, Default, Debug)]
pub(crate) struct Counts([Vec<u64>; N_CLASSES]);

impl Counts {
    /// Counts what these slots need.
    pub(crate) fn of_slots(slots: &[u16], counting: Counting) -> Self {
        let mut counts = Counts::default();
        slots.iter().for_each(|&slot| counts.add(slot, 1, counting));
        counts
    }

    /// Counts what this many slots like this need.
    #[inline]
    pub(crate) fn add(&mut self, slot: u16, n: u64, counting: Counting) {
        if slot != ANY_DISTANCE {
            let (class, number) = counting.number(slot);
            *self.of(class, number.into()) += n;
        }
    }

    /// The counts of both.
    pub(crate) fn and(mut self, others: Counts) -> Self {
        for (class, others) in others.0.iter().enumerate() {
            others.iter().enumerate().for_each(|(number, count)| *self.of(class, number) += count);
        }
        self
    }

    #[inline]
    fn of(&mut self, class: usize, number: usize) -> &mut u64 {
        let counts = &mut self.0[class];
        if counts.len() <= number {
            counts.resize(number + 1, 0);
        }
        &mut counts[number]
    }
}

impl DistanceMap {
    /// The map of slots that were counted; none if no reader would see anything but 0.
    pub(crate) fn new(counts: &Counts, counting: Counting) -> Option<Self> {
        let classes = counts.0.each_ref().map(|counts| {
            let mut numbers: Vec<u16> =
                (0..).zip(counts).filter(|(_, count)| **count > 0).map(|(number, _)| number).collect();
            numbers.sort_by_key(|&number| std::cmp::Reverse(counts[usize::from(number)]));
            numbers
        });
        let is_needed = classes.iter().flatten().any(|&number| number != 0 || counting.takes_single_for_one);
        is_needed.then_some(DistanceMap { classes })
    }

    /// How many leaves there are.
    pub(crate) fn n_leaves(&self) -> usize {
        self.classes.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The leaf of each slot.
    pub(crate) fn leaves(&self, counting: Counting) -> Leaves {
        let place = |numbers: &Vec<u16>| {
            let mut places = vec![0; numbers.iter().max().map_or(0, |&max| usize::from(max) + 1)];
            numbers.iter().zip(0..).for_each(|(&number, place)| places[usize::from(number)] = place);
            places
        };
        Leaves { counting, places: self.classes.each_ref().map(place) }
    }

    /// Whether an entry needs two bytes.
    pub(crate) fn is_wide(&self) -> bool {
        let is_wide = |class: &Vec<u16>| {
            class.len() > usize::from(MAX_NARROW) || class.iter().any(|&number| number > MAX_NARROW)
        };
        self.classes.iter().any(is_wide)
    }

    /// Writes the map.
    pub(crate) fn write(&self, wide: bool, bytes: &mut Vec<u8>) {
        for class in &self.classes {
            for &number in [class.len() as u16].iter().chain(class) {
                match wide {
                    true => bytes.extend(number.to_le_bytes()),
                    false => bytes.push(number as u8),
                }
            }
        }
    }
}

/// The leaves of distances.
#[derive(Debug)]
pub(crate) struct Leaves {
    counting: Counting,
    /// By class and number.
    places: [Vec<u16>; N_CLASSES],
}

impl Leaves {
    /// Puts leaves in place of slots, free ones left as they are.
    pub(crate) fn put(&self, slots: &mut [u16]) {
        for slot in slots.iter_mut().filter(|slot| **slot != ANY_DISTANCE) {
            let (class, number) = self.counting.number(*slot);
            *slot = self.places[class].get(usize::from(number)).copied().unwrap_or(ANY_DISTANCE);
        }
    }
}
