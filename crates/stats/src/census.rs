//! Counts the placements that have each code, a run of units at a time.

use crate::Count;
use crate::unit::{Units, Weighed};
use rayon::prelude::*;
use std::ops::Range;
use table::{Code, CodesRef, Coding, Value};

/// Counts the codes of one side to move in the making.
pub(crate) struct Census<'a> {
    units: &'a Units<'a>,
    coding: Coding,
    tally: Tally,
    /// For each code the first run of units that has it.
    first_runs: Vec<Option<Range<usize>>>,
}

/// How many placements have a value.
pub(crate) struct Counted {
    pub(crate) value: Value,
    pub(crate) count: Count,
    /// The first run of units that has it.
    pub(crate) run: Range<usize>,
}

impl<'a> Census<'a> {
    /// Nothing counted so far, of codes of a kind.
    pub(crate) fn new(units: &'a Units<'a>, coding: Coding) -> Self {
        let n_codes = if coding.is_wide() { 1 << 16 } else { 1 << 8 };
        Census { units, coding, tally: Tally::new(n_codes), first_runs: vec![None; n_codes] }
    }

    /// Counts the codes of a run of units.
    ///
    /// # Panics
    /// If they are of another kind.
    pub(crate) fn count(&mut self, run: &Range<usize>, codes: CodesRef<'_>) {
        assert_eq!(codes.coding(), self.coding, "codes of one kind");
        match codes {
            CodesRef::Narrow(codes) | CodesRef::Split(codes, _) => self.count_codes(run, codes),
            CodesRef::Wide(codes) => self.count_codes(run, codes),
        }
    }

    fn count_codes<C: Code>(&mut self, run: &Range<usize>, codes: &[C]) {
        let (units, n_codes) = (self.units, self.first_runs.len());
        let start = run.start * units.layout().block_len();
        let tally = || Tally::new(n_codes);
        let sum = units
            .tasks(run)
            .fold(tally, |mut tally, places| {
                for (unit, places) in units.by_unit(places) {
                    tally.count_places(units, unit, places, (start, codes));
                }
                tally
            })
            .reduce(tally, Tally::sum);
        for (code, first) in self.first_runs.iter_mut().enumerate() {
            if first.is_none() && sum.has(code) {
                *first = Some(run.clone());
            }
        }
        let before = std::mem::replace(&mut self.tally, Tally::new(0));
        self.tally = before.sum(sum);
    }

    /// The values that there are; illegal ones are not among them.
    pub(crate) fn finish(self) -> Vec<Counted> {
        let Census { units, coding, tally, first_runs } = self;
        let value = |code: usize| match coding {
            Coding::Narrow(()) => (code as u8).value(),
            Coding::Split((), split) => split.value(code as u8),
            Coding::Wide(()) => (code as u16).value(),
        };
        let plain_weight = units.plain_weight();
        let counted = |(code, run): (usize, Option<Range<usize>>)| {
            let (value, run) = (value(code), run?);
            // Men on one square make no placement, so the illegal codes cannot be counted here.
            if value == Value::Illegal {
                return None;
            }
            let n_plain: u64 = tally.plain.iter().map(|row| row[code]).sum();
            let mut total = tally.weighed[code];
            total.unreduced += n_plain * plain_weight;
            let count = total.count(units.layout());
            (!count.is_zero()).then_some(Counted { value, count, run })
        };
        first_runs.into_iter().enumerate().filter_map(counted).collect()
    }
}

/// How many codes are compared with each other at once; a multiple of the rows of a [`Tally`].
const RUN: usize = 16;

/// Counts in the making.
struct Tally {
    /// Places of units with the plain weight: one addition a place is all that most of them cost. Four rows,
    /// because neighbouring places often have the same code, and one addition to a cell has to wait for the
    /// one before it.
    plain: [Vec<u64>; 4],
    /// Everything else.
    weighed: Vec<Weighed>,
}

impl Tally {
    fn new(n_codes: usize) -> Self {
        Tally { plain: std::array::from_fn(|_| vec![0; n_codes]), weighed: vec![Weighed::default(); n_codes] }
    }

    /// Whether a code has been counted.
    fn has(&self, code: usize) -> bool {
        self.weighed[code].unreduced > 0 || self.plain.iter().any(|row| row[code] > 0)
    }

    /// Counts some places of a unit; `codes` begin at a number.
    fn count_places<C: Code>(
        &mut self,
        units: &Units<'_>,
        unit: usize,
        places: Range<usize>,
        (start, codes): (usize, &[C]),
    ) {
        let is_first = units.is_first(&places);
        let places = &codes[places.start - start..places.end - start];
        if !units.is_residual(unit) {
            let mut runs = places.chunks_exact(RUN);
            for run in &mut runs {
                self.count_run(run);
            }
            for &code in runs.remainder() {
                self.plain[0][usize::from(code.into())] += 1;
            }
            return;
        }
        let weight = units.weight(unit);
        for &code in places {
            self.weighed[usize::from(code.into())].unreduced += weight;
        }
        if is_first {
            units.for_each_fixed(unit, |place| {
                self.weighed[usize::from(codes[place - start].into())].fixed += weight;
            });
        }
    }

    /// Drawn regions, men on one square and illegal positions come in long runs of one code; a comparison of
    /// all with the first is a few instructions, and the additions are saved.
    #[inline]
    fn count_run<C: Code>(&mut self, run: &[C]) {
        let first = run[0];
        // Without a branch inside, so that it becomes comparisons of whole vectors.
        if run.iter().fold(true, |same, &code| same & (code == first)) {
            self.plain[0][usize::from(first.into())] += run.len() as u64;
            return;
        }
        for four in run.chunks_exact(4) {
            for (row, &code) in self.plain.iter_mut().zip(four) {
                row[usize::from(code.into())] += 1;
            }
        }
    }

    /// Both together; one of them may be empty.
    fn sum(mut self, other: Tally) -> Tally {
        if self.weighed.is_empty() {
            return other;
        }
        for (row, other) in self.plain.iter_mut().zip(&other.plain) {
            row.iter_mut().zip(other).for_each(|(cell, n)| *cell += n);
        }
        self.weighed.iter_mut().zip(&other.weighed).for_each(|(cell, n)| cell.add(*n));
        self
    }
}
