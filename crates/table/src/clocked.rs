//! Holds how values change with the clock of the n-move rule, beside those at clock 0.
//!
//! With more plies on the clock a win takes as long or longer, and at some clock it is gone:
//!
//! ```text
//!   clock      0 … 61    62 … 79    80 … 90    91 …
//!   value      win in 9  win in 13  win in 21  draw       drawn from 91; steps (62, + 4), (80, + 8)
//! ```
//!
//! A table has billions of steps, so they stand in memory as they do in files: see [`StepPage`].

use crate::{Ply, Value};
use index::Layout;
use std::ops::Range;

/// Stands for the clock from which a position is drawn if it never is.
pub const NEVER_DRAWN: u8 = u8::MAX;

/// A page of steps has about this number of placements: as many whole words as fit.
const STEP_PAGE: usize = 1 << 14;

/// From some clock on a position is decided after more plies. Where these are more than a byte has, several
/// steps at one clock add up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Step {
    /// The placement's place in its page.
    pub place: u16,
    /// The first clock.
    pub clock: u8,
    /// How many plies more, at least one.
    pub more: u8,
}

impl Step {
    /// The steps of a place by which its plies grow at a clock.
    pub fn of_growth(place: u16, clock: u8, growth: u16) -> impl Iterator<Item = Step> {
        let n_whole = usize::from(growth / u16::from(u8::MAX));
        let rest = Some((growth % u16::from(u8::MAX)) as u8).filter(|&rest| rest > 0);
        let all = std::iter::repeat_n(u8::MAX, n_whole).chain(rest);
        all.map(move |more| Step { place, clock, more })
    }
}

/// How the value of one position changes with the clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Staircase {
    /// The clock from which it is drawn; 0 if it always is.
    pub drawn_from: u8,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

impl Staircase {
    /// The steps that begin at one clock each, in order.
    pub fn growths(&self) -> impl Iterator<Item = &[Step]> {
        self.steps.chunk_by(|step, next| step.clock == next.clock)
    }

    /// The clocks from which the value is another one than before, in order.
    #[must_use]
    pub fn changes(&self) -> Vec<u32> {
        let end = Some(self.drawn_from).filter(|&end| end != NEVER_DRAWN && end > 0);
        self.growths().map(|steps| steps[0].clock).chain(end).map(u32::from).collect()
    }

    /// The value with the clock at these plies, from the one at clock 0.
    #[must_use]
    pub fn value(&self, at_zero: Value, clock: u32) -> Value {
        let Some(Ply(plies)) = at_zero.ply() else { return at_zero };
        if self.drawn_from != NEVER_DRAWN && clock >= self.drawn_from.into() {
            return Value::Draw;
        }
        let grown = self.steps.iter().take_while(|step| u32::from(step.clock) <= clock);
        let plies = Ply(grown.fold(plies, |plies, step| plies.saturating_add(step.more.into())));
        if matches!(at_zero, Value::Win(_)) { Value::Win(plies) } else { Value::Loss(plies) }
    }
}

/// How the values of one side to move change with the clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clocked {
    /// The plies of the n-move rule.
    pub rule_plies: u16,
    /// The bytes of each [`StepPage`].
    pub pages: Vec<Box<[u8]>>,
}

/// Number of placements of a page of steps.
#[must_use]
pub fn step_page_len(layout: &Layout) -> usize {
    let lane_len = if layout.free().is_empty() { 1 } else { layout.n_squares() };
    (STEP_PAGE / lane_len * lane_len).min(layout.slice_len())
}

/// Number of pages of steps of a slice.
#[must_use]
pub fn step_pages_per_slice(layout: &Layout) -> usize {
    layout.slice_len().div_ceil(step_page_len(layout))
}

/// The page of a placement, and its place there.
#[must_use]
pub fn step_page_of(layout: &Layout, index: usize) -> (usize, u16) {
    let (slice, rest) = (index / layout.slice_len(), index % layout.slice_len());
    let len = step_page_len(layout);
    (slice * step_pages_per_slice(layout) + rest / len, (rest % len) as u16)
}

/// The numbers of the placements of a page, counted over all slices.
#[must_use]
pub fn step_page_range(layout: &Layout, page: usize) -> Range<usize> {
    let (per_slice, slice_len) = (step_pages_per_slice(layout), layout.slice_len());
    let (slice, len) = (page / per_slice, step_page_len(layout));
    let start = slice * slice_len + page % per_slice * len;
    start..(start + len).min((slice + 1) * slice_len)
}

impl Clocked {
    /// A page.
    #[must_use]
    pub fn page(&self, layout: &Layout, number: usize) -> StepPage<'_> {
        StepPage::new(&self.pages[number], step_page_range(layout, number).len(), self.rule_plies)
    }

    /// How the value of a placement changes, from the one at clock 0.
    ///
    /// Complexity: as [`StepPage::staircase`].
    ///
    /// # Panics
    /// If the pages are not those of the layout.
    #[must_use]
    pub fn staircase(&self, layout: &Layout, index: usize, at_zero: Value) -> Staircase {
        let (page, place) = step_page_of(layout, index);
        self.page(layout, page).staircase(place.into(), at_zero).expect("a page of this layout")
    }
}

/// Whether this is the number by which its position is asked for. Steps are kept with that number only.
#[must_use]
pub fn stands_for_itself(layout: &Layout, index: usize) -> bool {
    let may_be_image =
        layout.n_exchanges() > 1 || layout.has_residual(layout.slice_block(index / layout.block_len()));
    !may_be_image || layout.is_canonical(index, &layout.decode(index))
}

/// A page of steps as bytes.
///
/// ```text
///   1        how the clocks stand from which positions are drawn: 0 or 1
///   n        for each placement this clock; or 1 more than the rule's plies, less the plies of its last
///            step, less this clock
///   n        for each placement the number of its steps
///   2 k      for each step 1 more than the rule's plies, less the plies before the step, less its clock;
///            and how many plies more there are from there on
/// ```
///
/// All differences of clocks are of one byte, and wrap round. A placement of which no file keeps a value has
/// no steps, and the clock of the one before.
#[derive(Clone, Copy, Debug)]
pub struct StepPage<'a> {
    bytes: &'a [u8],
    /// Number of placements.
    n: usize,
    rule_plies: u16,
}

impl<'a> StepPage<'a> {
    /// A page of this number of placements.
    #[must_use]
    pub fn new(bytes: &'a [u8], n: usize, rule_plies: u16) -> Self {
        StepPage { bytes, n, rule_plies }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Whether the bytes are such a page.
    #[must_use]
    pub fn is_whole(self) -> bool {
        let counts = self.bytes.get(1 + self.n..1 + 2 * self.n);
        counts.is_some_and(|counts| self.bytes.len() == 1 + 2 * self.n + 2 * n_steps(counts))
    }

    /// How the value at a place changes, from the one at clock 0; none if the bytes are no such page.
    ///
    /// Complexity: the numbers of steps of all places before are added up.
    #[must_use]
    pub fn staircase(self, place: usize, at_zero: Value) -> Option<Staircase> {
        let before = self.bytes.get(1 + self.n..1 + self.n + place)?;
        self.staircase_behind(n_steps(before), place, at_zero)
    }

    /// Like [`Self::staircase`], with the number of steps of places before.
    fn staircase_behind(self, first: usize, place: usize, at_zero: Value) -> Option<Staircase> {
        let Some(Ply(mut plies)) = at_zero.ply() else {
            return Some(Staircase { drawn_from: 0, steps: Vec::new() });
        };
        let (&kind, rest) = self.bytes.split_first()?;
        let (ends, rest) = rest.split_at_checked(self.n)?;
        let (counts, pairs) = rest.split_at_checked(self.n)?;
        let end = first + usize::from(counts[place]);
        let base = base(self.rule_plies);
        let step = |pair: &[u8]| {
            let clock = base.wrapping_sub(plies as u8).wrapping_sub(pair[0]);
            plies = plies.wrapping_add(pair[1].into());
            Step { place: place as u16, clock, more: pair[1] }
        };
        let steps = pairs.get(2 * first..2 * end)?.chunks_exact(2).map(step).collect();
        let drawn_from = match kind {
            0 => ends[place],
            _ => base.wrapping_sub(plies as u8).wrapping_sub(ends[place]),
        };
        Some(Staircase { drawn_from, steps })
    }

    /// How the value at each place changes, from those at clock 0; ends where the bytes are no such page.
    pub fn staircases(self, at_zero: impl Fn(usize) -> Value) -> impl Iterator<Item = Staircase> {
        let mut first = 0;
        (0..self.n).map_while(move |place| {
            let staircase = self.staircase_behind(first, place, at_zero(place))?;
            first += usize::from(*self.bytes.get(1 + self.n + place)?);
            Some(staircase)
        })
    }

    /// The bytes of a page under a rule of these plies. `drawn_from` and `steps` are in the order of places;
    /// `plies` has the distance at clock 0 of a position that is decided and kept.
    ///
    /// # Panics
    /// If a position has more than 255 steps.
    #[must_use]
    pub fn bytes_of(
        rule_plies: u16,
        drawn_from: &[u8],
        steps: &[Step],
        plies: impl Fn(usize) -> Option<Ply>,
    ) -> Box<[u8]> {
        let (n, base) = (drawn_from.len(), base(rule_plies));
        let (mut clocks, mut early, mut counts) = (vec![0; n], vec![0; n], vec![0; n]);
        let mut pairs = Vec::new();
        let mut by_place = steps.chunk_by(|step, next| step.place == next.place).peekable();
        for place in 0..n {
            let own = by_place.next_if(|own| usize::from(own[0].place) == place).unwrap_or_default();
            let Some(Ply(mut plies)) = plies(place) else {
                if let Some(before) = place.checked_sub(1) {
                    (clocks[place], early[place]) = (clocks[before], early[before]);
                }
                continue;
            };
            clocks[place] = drawn_from[place];
            counts[place] = u8::try_from(own.len()).expect("a position has at most 255 steps");
            for step in own {
                pairs.extend([base.wrapping_sub(plies as u8).wrapping_sub(step.clock), step.more]);
                plies += u16::from(step.more);
            }
            early[place] = base.wrapping_sub(plies as u8).wrapping_sub(clocks[place]);
        }
        // What changes from one placement to the next more seldom takes less room.
        let n_changes = |row: &[u8]| row.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let is_early = n_changes(&early) < n_changes(&clocks);
        let ends = if is_early { early } else { clocks };
        [&[u8::from(is_early)], &ends[..], &counts, &pairs].concat().into_boxed_slice()
    }
}

/// One more than a rule's plies, as far as it fits into a byte.
fn base(rule_plies: u16) -> u8 {
    rule_plies.wrapping_add(1) as u8
}

/// How many steps there are, by the number of each place.
fn n_steps(counts: &[u8]) -> usize {
    // A sum that is not checked is one of vectors; at most 2^14 bytes are added up.
    counts.iter().fold(0, |sum, &count| sum.wrapping_add(count.into()))
}

#[cfg(test)]
mod tests {
    use super::{NEVER_DRAWN, Staircase, Step, StepPage};
    use crate::{Ply, Value};

    fn staircase(drawn_from: u8) -> Staircase {
        let step = |clock, more| Step { place: 0, clock, more };
        Staircase { drawn_from, steps: vec![step(62, 4), step(80, 8)] }
    }

    #[test]
    fn values_change_at_their_clocks() {
        let win = |plies| Value::Win(Ply(plies));
        for (clock, expected) in [(0, win(9)), (61, win(9)), (62, win(13)), (79, win(13)), (80, win(21))] {
            assert_eq!(staircase(91).value(win(9), clock), expected, "{clock}");
        }
        assert_eq!(
            [90, 91, 100].map(|clock| staircase(91).value(win(9), clock)),
            [win(21), Value::Draw, Value::Draw]
        );
        assert_eq!(staircase(NEVER_DRAWN).value(Value::Loss(Ply(0)), 61), Value::Loss(Ply(0)));
        assert_eq!(staircase(0).value(Value::Stalemate, 50), Value::Stalemate);
        assert_eq!(staircase(91).changes(), [62, 80, 91]);
    }

    /// Growths of more plies than a byte has, at one clock, are read as they were written.
    #[test]
    fn pages_say_what_was_written() {
        let plies = [None, Some(Ply(9)), Some(Ply(400)), None, Some(Ply(0))];
        let growths = [(1, 62, 4), (1, 80, 8), (2, 30, 700), (2, 31, 2)];
        let steps: Vec<Step> = growths
            .into_iter()
            .flat_map(|(place, clock, growth)| Step::of_growth(place, clock, growth))
            .collect();
        let drawn_from = [0, 91, 45, 7, NEVER_DRAWN];
        let bytes = StepPage::bytes_of(100, &drawn_from, &steps, |place| plies[place]);
        let page = StepPage::new(&bytes, 5, 100);
        assert!(page.is_whole());
        assert!(!StepPage::new(&bytes[..bytes.len() - 1], 5, 100).is_whole());
        let at_zero = |place: usize| plies[place].map_or(Value::Draw, Value::Loss);
        assert_eq!(page.staircases(at_zero).count(), 5);
        for (place, all) in page.staircases(at_zero).enumerate().filter(|(place, _)| plies[*place].is_some())
        {
            assert_eq!(page.staircase(place, at_zero(place)).unwrap(), all);
            assert_eq!(all.drawn_from, drawn_from[place]);
            assert!(all.steps.iter().eq(steps.iter().filter(|step| usize::from(step.place) == place)));
        }
        let long = page.staircase(2, at_zero(2)).unwrap();
        assert_eq!(long.changes(), [30, 31, 45]);
        assert_eq!(
            [29, 30, 31].map(|clock| long.value(at_zero(2), clock).ply()),
            [400, 1100, 1102].map(|n| Some(Ply(n)))
        );
    }

    #[test]
    fn bytes_that_are_no_page_say_nothing() {
        for n in 0..20 {
            let bytes = vec![3; n];
            let page = StepPage::new(&bytes, 8, 100);
            assert_eq!(page.staircase(5, Value::Win(Ply(9))), None, "{n}");
            assert!(!page.is_whole());
        }
    }
}
