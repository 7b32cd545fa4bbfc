//! Counts the placements that have each code.

use crate::Count;
use crate::unit::{Units, Weighed};
use rayon::prelude::*;
use table::{Code, CodesRef, Value};

/// The codes that there are, each with its value and how many placements have it; illegal ones are not among
/// them.
pub(crate) fn census(units: &Units<'_>, codes: CodesRef<'_>) -> Vec<(Value, Count)> {
    match codes {
        CodesRef::Narrow(codes) => census_of(units, codes, 1 << 8, |code| (code as u8).value()),
        CodesRef::Split(codes, split) => census_of(units, codes, 1 << 8, |code| split.value(code as u8)),
        CodesRef::Wide(codes) => census_of(units, codes, 1 << 16, |code| (code as u16).value()),
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

fn census_of<C: Code>(
    units: &Units<'_>,
    codes: &[C],
    n_codes: usize,
    value: impl Fn(usize) -> Value,
) -> Vec<(Value, Count)> {
    let per_task = units.per_task();
    let tally = || Tally {
        plain: std::array::from_fn(|_| vec![0; n_codes]),
        weighed: vec![Weighed::default(); n_codes],
    };
    let sum = (0..units.len().div_ceil(per_task))
        .into_par_iter()
        .fold(tally, |mut tally, task| {
            let end = units.len().min((task + 1) * per_task);
            (task * per_task..end).for_each(|unit| tally.count_unit(units, unit, codes));
            tally
        })
        .reduce(tally, Tally::sum);
    let plain_weight = units.plain_weight();
    let total = |code: usize| {
        let n_plain: u64 = sum.plain.iter().map(|row| row[code]).sum();
        let mut total = sum.weighed[code];
        total.unreduced += n_plain * plain_weight;
        total.count(units.layout())
    };
    // Men on one square make no placement, so the illegal codes cannot be counted here.
    (0..n_codes)
        .map(|code| (code, value(code)))
        .filter(|(_, value)| *value != Value::Illegal)
        .map(|(code, value)| (value, total(code)))
        .filter(|(_, count)| !count.is_zero())
        .collect()
}

impl Tally {
    fn count_unit<C: Code>(&mut self, units: &Units<'_>, unit: usize, codes: &[C]) {
        let places = &codes[units.places(unit)];
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
        units.for_each_fixed(unit, |place| self.weighed[usize::from(codes[place].into())].fixed += weight);
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

    fn sum(mut self, other: Tally) -> Tally {
        for (row, other) in self.plain.iter_mut().zip(&other.plain) {
            row.iter_mut().zip(other).for_each(|(cell, n)| *cell += n);
        }
        self.weighed.iter_mut().zip(&other.weighed).for_each(|(cell, n)| cell.add(*n));
        self
    }
}
