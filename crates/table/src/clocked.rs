//! Holds how values change with the clock of the n-move rule, beside those at clock 0.
//!
//! With more plies on the clock a win takes as long or longer, and at some clock it is gone:
//!
//! ```text
//!   clock      0 … 61    62 … 79    80 … 90    91 …
//!   value      win in 9  win in 13  win in 21  draw       drawn from 91; steps (62, 13), (80, 21)
//! ```

use crate::{Ply, Value};
use index::Layout;
use std::ops::Range;

/// Stands for the clock from which a position is drawn if it never is.
pub const NEVER_DRAWN: u8 = u8::MAX;

/// A page of steps has about this number of placements: as many whole words as fit.
pub const STEP_PAGE: usize = 1 << 14;

/// From some clock on a position is decided after more plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The placement's place in its page.
    pub place: u16,
    /// The first clock.
    pub clock: u8,
    /// The plies from there.
    pub plies: u16,
}

/// How the values of one side to move change with the clock.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Clocked {
    /// By placement: the clock from which it is drawn; 0 if it always is.
    pub drawn_from: Vec<u8>,
    /// By page: its steps, by place and clock.
    pub pages: Vec<Vec<Step>>,
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
    /// The value of a placement with the clock at these plies, from the one at clock 0.
    #[must_use]
    pub fn value(&self, layout: &Layout, index: usize, at_zero: Value, clock: u32) -> Value {
        let (page, place) = step_page_of(layout, index);
        let own = self.steps_of(page, place).map(|step| (step.clock, step.plies));
        value_at_clock(at_zero, clock, self.drawn_from[index], own)
    }

    /// The steps of a place of a page.
    fn steps_of(&self, page: usize, place: u16) -> impl Iterator<Item = &Step> {
        let steps = &self.pages[page];
        let first = steps.partition_point(|step| step.place < place);
        steps[first..].iter().take_while(move |step| step.place == place)
    }

    /// The numbers of the placements of a page, each with its steps.
    pub fn placements_of(&self, layout: &Layout, page: usize) -> impl Iterator<Item = (usize, &[Step])> {
        let mut steps = self.pages[page].chunk_by(|step, next| step.place == next.place).peekable();
        step_page_range(layout, page).enumerate().map(move |(place, index)| {
            let own = steps.next_if(|own| usize::from(own[0].place) == place);
            (index, own.unwrap_or_default())
        })
    }

    /// The clocks from which the value of a placement is another one than before, in order.
    #[must_use]
    pub fn changes(&self, layout: &Layout, index: usize) -> Vec<u32> {
        let (page, place) = step_page_of(layout, index);
        changes(self.drawn_from[index], self.steps_of(page, place).map(|step| step.clock))
    }
}

/// The clocks of steps, and the one from which a position is drawn, if it is not always or never.
fn changes(drawn_from: u8, steps: impl Iterator<Item = u8>) -> Vec<u32> {
    let end = Some(drawn_from).filter(|&end| end != NEVER_DRAWN && end > 0);
    steps.chain(end).map(u32::from).collect()
}

/// The value with the clock at these plies, from the one at clock 0, the clock from which the position is
/// drawn, and its steps: clocks and plies.
fn value_at_clock(
    at_zero: Value,
    clock: u32,
    drawn_from: u8,
    steps: impl Iterator<Item = (u8, u16)>,
) -> Value {
    if at_zero.ply().is_none() {
        return at_zero;
    }
    if drawn_from != NEVER_DRAWN && clock >= drawn_from.into() {
        return Value::Draw;
    }
    let last = steps.take_while(|&(from, _)| u32::from(from) <= clock).last();
    match (at_zero, last) {
        (Value::Win(_), Some((_, plies))) => Value::Win(Ply(plies)),
        (Value::Loss(_), Some((_, plies))) => Value::Loss(Ply(plies)),
        _ => at_zero,
    }
}

/// Whether steps of a position with this number are kept: no other number stands for it.
#[must_use]
pub fn has_own_steps(layout: &Layout, index: usize) -> bool {
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
///            and by how many plies it is longer, the lower byte
///   k        for each step the upper byte
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

    /// One more than the rule's plies, as far as it fits into a byte.
    fn base(self) -> u8 {
        self.rule_plies.wrapping_add(1) as u8
    }

    /// From which clock the position at a place is drawn, and its steps, from its value at clock 0; none if
    /// the bytes are no such page.
    fn get(self, place: usize, at_zero: Value) -> Option<(u8, Vec<(u8, u16)>)> {
        let counts = self.bytes.get(1 + self.n..1 + self.n + place)?;
        self.get_behind(counts.iter().map(|&n| usize::from(n)).sum(), place, at_zero)
    }

    /// Like [`Self::get`], with the number of steps of places before.
    fn get_behind(self, first: usize, place: usize, at_zero: Value) -> Option<(u8, Vec<(u8, u16)>)> {
        let Some(Ply(mut plies)) = at_zero.ply() else { return Some((0, Vec::new())) };
        let (&kind, rest) = self.bytes.split_first()?;
        let (ends, rest) = rest.split_at_checked(self.n)?;
        let (counts, rest) = rest.split_at_checked(self.n)?;
        let n_steps = rest.len() / 3;
        let range = first..first + usize::from(counts[place]);
        let (pairs, upper) = rest.split_at(2 * n_steps);
        let pairs = pairs.get(2 * range.start..2 * range.end)?.chunks_exact(2);
        let step = |(pair, at): (&[u8], usize)| {
            let from = self.base().wrapping_sub(plies as u8).wrapping_sub(pair[0]);
            plies = plies.wrapping_add(u16::from_le_bytes([pair[1], upper[at]]));
            (from, plies)
        };
        let steps = pairs.zip(range).map(step).collect();
        let drawn_from = match kind {
            0 => ends[place],
            _ => self.base().wrapping_sub(plies as u8).wrapping_sub(ends[place]),
        };
        Some((drawn_from, steps))
    }

    /// The clocks from which positions are drawn and the steps of a whole page, from the values of its places
    /// at clock 0, which are illegal where nothing is kept; none if the bytes are no such page.
    #[must_use]
    pub fn read(self, at_zero: impl Fn(usize) -> Value) -> Option<(Vec<u8>, Vec<Step>)> {
        let (mut drawn_from, mut steps) = (vec![0; self.n], Vec::new());
        let mut first = 0;
        for (place, slot) in drawn_from.iter_mut().enumerate() {
            let (from, own) = self.get_behind(first, place, at_zero(place))?;
            *slot = from;
            steps.extend(own.iter().map(|&(clock, plies)| Step { place: place as u16, clock, plies }));
            first += usize::from(*self.bytes.get(1 + self.n + place)?);
        }
        Some((drawn_from, steps))
    }

    /// The clocks from which the value at a place is another one than before, from its value at clock 0; none
    /// if the bytes are no such page.
    #[must_use]
    pub fn changes(self, place: usize, at_zero: Value) -> Option<Vec<u32>> {
        let (drawn_from, steps) = self.get(place, at_zero)?;
        Some(changes(drawn_from, steps.into_iter().map(|(clock, _)| clock)))
    }

    /// The value at a place with the clock at these plies, from the one at clock 0; none if the bytes are
    /// no such page.
    #[must_use]
    pub fn value(self, place: usize, at_zero: Value, clock: u32) -> Option<Value> {
        let (drawn_from, steps) = self.get(place, at_zero)?;
        Some(value_at_clock(at_zero, clock, drawn_from, steps.into_iter()))
    }
}

impl Clocked {
    /// The bytes of a page of steps, from the values at clock 0: see [`StepPage`].
    pub(crate) fn page_bytes(
        &self,
        layout: &Layout,
        page: usize,
        rule_plies: u16,
        at_zero: impl Fn(usize) -> Value,
    ) -> Vec<u8> {
        let n = step_page_range(layout, page).len();
        let base = StepPage::new(&[], n, rule_plies).base();
        let (mut clocks, mut early, mut counts) = (vec![0; n], vec![0; n], vec![0; n]);
        let mut all = Vec::new();
        for (place, (index, own)) in self.placements_of(layout, page).enumerate() {
            let Some(Ply(plies)) = at_zero(index).ply().filter(|_| has_own_steps(layout, index)) else {
                if let Some(before) = place.checked_sub(1) {
                    (clocks[place], early[place]) = (clocks[before], early[before]);
                }
                continue;
            };
            clocks[place] = self.drawn_from[index];
            counts[place] = own.len() as u8;
            let mut before = plies;
            for step in own {
                let [low, high] = (step.plies - before).to_le_bytes();
                all.push([base.wrapping_sub(before as u8).wrapping_sub(step.clock), low, high]);
                before = step.plies;
            }
            early[place] = base.wrapping_sub(before as u8).wrapping_sub(clocks[place]);
        }
        // What changes from one placement to the next more seldom takes less room.
        let n_changes = |row: &[u8]| row.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let is_early = n_changes(&early) < n_changes(&clocks);
        let mut bytes = vec![u8::from(is_early)];
        bytes.extend(if is_early { early } else { clocks });
        bytes.extend(counts);
        bytes.extend(all.iter().flat_map(|step| [step[0], step[1]]));
        bytes.extend(all.iter().map(|step| step[2]));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::{NEVER_DRAWN, StepPage, value_at_clock};
    use crate::{Ply, Value};

    #[test]
    fn values_change_at_their_clocks() {
        let at = |value, clock, drawn_from| {
            value_at_clock(value, clock, drawn_from, [(62, 13), (80, 21)].into_iter())
        };
        let win = |plies| Value::Win(Ply(plies));
        for (clock, expected) in [(0, win(9)), (61, win(9)), (62, win(13)), (79, win(13)), (80, win(21))] {
            assert_eq!(at(win(9), clock, 91), expected, "{clock}");
        }
        assert_eq!(
            [at(win(9), 90, 91), at(win(9), 91, 91), at(win(9), 100, 91)],
            [win(21), Value::Draw, Value::Draw]
        );
        assert_eq!(at(Value::Loss(Ply(0)), 61, NEVER_DRAWN), Value::Loss(Ply(0)));
        assert_eq!(at(Value::Stalemate, 50, 0), Value::Stalemate);
    }

    #[test]
    fn bytes_that_are_no_page_say_nothing() {
        for n in 0..20 {
            let bytes = vec![3; n];
            let value = StepPage::new(&bytes, 8, 100).value(5, Value::Win(Ply(9)), 50);
            assert_eq!(value, None, "{n}");
        }
    }
}
