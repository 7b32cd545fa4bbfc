//! Maps the distances of a file to leaves, the commonest first, so that common distances share symbols.
//!
//! Wins, losses, cursed wins and blessed losses are numbered apart, because the WDL file holds them apart.
//! In each of these classes the commonest distance is leaf 0, the next leaf 1, and so on.

use super::slot::CLASS_SHIFT;
use crate::packing::run::ANY_DISTANCE;

/// How many classes there are.
const N_CLASSES: usize = 4;

/// The most entries of a class, and the largest number, where they take one byte.
const MAX_NARROW: u16 = 255;

/// How distances are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Counting {
    /// Wins and losses that the fifty-move rule does not touch are counted in plies, not in moves.
    pub(crate) plies: bool,
    /// Readers take the one distance of a file that has no other for 1 and not for 0, so none is written that
    /// way.
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

    /// Counts what so many slots like this need.
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
