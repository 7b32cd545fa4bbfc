//! Chooses a value for every slot that may hold several, so that runs of a value are as long as possible; and
//! counts how far a value may go on from each slot.
//!
//! A run is a stretch in which one value will do everywhere. Beginning a new run only where the slots so far
//! have nothing in common with the next gives the fewest runs that there can be: a run that ended earlier
//! could always be carried on to the same place.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

/// Every WDL value, a bit each.
pub(crate) const ANY: u8 = 0b1_1111;

/// Every distance.
pub(crate) const ANY_DISTANCE: u16 = u16::MAX;

/// How thoroughly a text is searched for the symbols that make it cheapest. A place is behind if a few bits
/// more lead farther than this many values a bit: who goes on from there hardly ever wins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// How many nodes of the tree of symbols are visited from a place.
    pub(crate) max_visited: u32,
    /// How many branches of it are followed where several values may stand.
    pub(crate) max_branches: usize,
    /// How many turns a way takes, each into another branch than the most promising one.
    pub(crate) max_turns: u32,
    /// The most turns from a place that is behind by two values a bit.
    pub(crate) max_turns_behind: u32,
    /// From a place that is so far behind no way is looked for.
    pub(crate) skipped_behind: usize,
}

/// How symbols are learnt from a text, and how it is written in them in the end.
pub(crate) struct Searches {
    pub(crate) learning: Search,
    pub(crate) writing: Search,
}

impl Search {
    const OF_SETS: Search = Search {
        max_visited: 400,
        max_branches: N_WDL,
        max_turns: 3,
        max_turns_behind: 1,
        skipped_behind: usize::MAX / 4,
    };
    const OF_DISTANCES: Search = Search {
        max_visited: 200,
        max_branches: 2,
        max_turns: u32::MAX,
        max_turns_behind: u32::MAX,
        skipped_behind: usize::MAX / 4,
    };
    const OF_MANY_DISTANCES: Search =
        Search { max_visited: 100, max_branches: 1, skipped_behind: 3, ..Search::OF_DISTANCES };
}

/// What may stand at a place of a text.
pub(crate) trait Place: Copy + Send + Sync + 'static {
    /// How texts of few values are searched, and those of this many that time counts.
    const OF_FEW: Searches;
    const OF_MANY: Searches;

    /// From how many values symbols are learnt: a quarter of the text, but this many at least and at most.
    const LEARNT: RangeInclusive<usize>;

    /// How far values go on from each place of a text.
    type Runs;

    /// A value for each place, so that runs are as long as can be.
    fn fill(text: &[Self]) -> Vec<u16>;

    /// In how many runs [`Self::fill`] puts these places; none if any distance may stand at all of them.
    fn n_runs(places: impl Iterator<Item = Self>) -> usize;

    /// Whether a value may stand here.
    fn fits(self, value: u16) -> bool;

    /// The value that must stand here, if only one may.
    fn only(self) -> Option<u16>;

    /// The value that must stand at the next place where only one may, if that is likely to stand here.
    fn likely(runs: &Self::Runs, text: &[Self], at: usize) -> Option<u16>;

    /// Counts how far values go on in a text.
    fn runs(text: &[Self]) -> Self::Runs;

    /// At how many places from this one on a value may stand, one after the other; 255 for more too.
    fn run(runs: &Self::Runs, text: &[Self], at: usize, value: u16) -> usize;
}

/// A text of places, read stretch by stretch: it need not be in memory as a whole.
pub(crate) trait PlaceText<S: Place>: Sync {
    /// How many places it has.
    fn n_places(&self) -> usize;

    /// Those with these numbers.
    fn read(&self, range: Range<usize>) -> Cow<'_, [S]>;
}

impl<S: Place> PlaceText<S> for Vec<S> {
    fn n_places(&self) -> usize {
        self.len()
    }

    fn read(&self, range: Range<usize>) -> Cow<'_, [S]> {
        Cow::Borrowed(&self[range])
    }
}

/// How many WDL values there are.
pub(crate) const N_WDL: usize = 5;

/// A set of WDL values, a bit each.
impl Place for u8 {
    const OF_FEW: Searches = Searches {
        learning: Search { max_turns: 2, ..Search::OF_SETS },
        writing: Search { max_turns_behind: 2, ..Search::OF_SETS },
    };
    const OF_MANY: Searches = Searches {
        learning: Search { max_turns: 2, skipped_behind: 4, ..Search::OF_SETS },
        writing: Search::OF_SETS,
    };
    const LEARNT: RangeInclusive<usize> = 1 << 20..=1 << 22;

    /// By place and value.
    type Runs = Vec<[u8; 8]>;

    fn fill(sets: &[Self]) -> Vec<u16> {
        let mut values = vec![0; sets.len()];
        let (mut begin, mut common) = (0, u8::MAX);
        for (at, &set) in sets.iter().enumerate() {
            if common & set == 0 {
                values[begin..at].fill(common.trailing_zeros() as u16);
                (begin, common) = (at, set);
            } else {
                common &= set;
            }
        }
        values[begin..].fill(common.trailing_zeros() as u16);
        values
    }

    fn n_runs(sets: impl Iterator<Item = Self>) -> usize {
        let (mut n_runs, mut common) = (0, 0);
        for set in sets {
            let goes_on = common & set != 0;
            n_runs += usize::from(!goes_on);
            common = if goes_on { common & set } else { set };
        }
        n_runs
    }

    #[inline]
    fn fits(self, value: u16) -> bool {
        self >> (value & 7) & 1 != 0
    }

    #[inline]
    fn only(self) -> Option<u16> {
        self.is_power_of_two().then_some(self.trailing_zeros() as u16)
    }

    fn runs(text: &[Self]) -> Self::Runs {
        let mut next = [0u8; 8];
        let mut runs = vec![next; text.len()];
        for (run, place) in runs.iter_mut().zip(text).rev() {
            for (value, run) in next.iter_mut().enumerate().take(N_WDL) {
                *run = if place >> value & 1 != 0 { run.saturating_add(1) } else { 0 };
            }
            *run = next;
        }
        runs
    }

    #[inline]
    fn likely(_: &Self::Runs, _: &[Self], _: usize) -> Option<u16> {
        None
    }

    #[inline]
    fn run(runs: &Self::Runs, _: &[Self], at: usize, value: u16) -> usize {
        runs[at][usize::from(value & 7)].into()
    }
}

/// A distance, or any.
impl Place for u16 {
    const OF_FEW: Searches = Searches {
        learning: Search { skipped_behind: 2, ..Search::OF_DISTANCES },
        writing: Search { skipped_behind: 6, ..Search::OF_DISTANCES },
    };
    const OF_MANY: Searches =
        Searches { learning: Search::OF_MANY_DISTANCES, writing: Search::OF_MANY_DISTANCES };
    const LEARNT: RangeInclusive<usize> = 1 << 21..=1 << 21;

    /// By place: how many may be anything from here on; how far the place's own value goes, if it has one.
    type Runs = Vec<[u8; 2]>;

    fn fill(distances: &[Self]) -> Vec<u16> {
        let mut last = distances.iter().copied().find(|&distance| distance != ANY_DISTANCE).unwrap_or(0);
        let mut filled = |&distance: &u16| {
            if distance != ANY_DISTANCE {
                last = distance;
            }
            last
        };
        distances.iter().map(&mut filled).collect()
    }

    fn n_runs(distances: impl Iterator<Item = Self>) -> usize {
        let (mut n_runs, mut last) = (0, ANY_DISTANCE);
        for distance in distances {
            let goes_on = distance == ANY_DISTANCE || distance == last;
            n_runs += usize::from(!goes_on);
            last = if goes_on { last } else { distance };
        }
        n_runs
    }

    #[inline]
    fn fits(self, value: u16) -> bool {
        self == value || self == ANY_DISTANCE
    }

    #[inline]
    fn only(self) -> Option<u16> {
        (self != ANY_DISTANCE).then_some(self)
    }

    fn runs(text: &[Self]) -> Self::Runs {
        let mut runs = vec![[0; 2]; text.len() + 1];
        for (at, &place) in text.iter().enumerate().rev() {
            runs[at] = match place {
                ANY_DISTANCE => [u8::saturating_add(runs[at + 1][0], 1), 0],
                value => [0, u16::run(&runs, text, at + 1, value).saturating_add(1).min(255) as u8],
            };
        }
        runs
    }

    #[inline]
    fn likely(runs: &Self::Runs, text: &[Self], at: usize) -> Option<u16> {
        text.get(at + usize::from(runs[at][0])).copied().and_then(u16::only)
    }

    #[inline]
    fn run(runs: &Self::Runs, text: &[Self], at: usize, value: u16) -> usize {
        let n_any = usize::from(runs[at][0]);
        match text.get(at + n_any) {
            Some(&place) if place == value => n_any + usize::from(runs[at + n_any][1]),
            _ => n_any,
        }
    }
}
