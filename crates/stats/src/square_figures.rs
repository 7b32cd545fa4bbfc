//! Adds up what positions are worth by the square on which a man stands: the figures of a heat map.

use geometry::Square;
use rayon::prelude::*;
use std::ops::Range;
use table::{Mapping, Table};
use variant::{Man, Side};

/// How many placements are added up at a time.
const STRETCH: usize = 1 << 14;

/// What is known of the positions with a man on one square, on the whole board.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SquareFigures {
    /// Decided positions, in a unit that is the same for all squares.
    pub decided: u64,
    /// Their plies together, in the same unit.
    pub plies: u128,
    /// Drawn positions, in the same unit.
    pub drawn: u64,
    /// The most plies.
    pub longest: u16,
}

impl SquareFigures {
    fn add(&mut self, other: SquareFigures) {
        self.decided += other.decided;
        self.plies += other.plies;
        self.drawn += other.drawn;
        self.longest = self.longest.max(other.longest);
    }

    /// The mean of the plies of decided positions in tenths; none if there are none.
    #[must_use]
    pub fn mean_tenths(&self) -> Option<u64> {
        let n = u128::from(self.decided);
        (n > 0).then(|| ((self.plies * 20 + n) / (2 * n)) as u64)
    }

    /// The figures for each square of a man of this kind, with one side to move; of several such men each
    /// counts. None if the table has no such man.
    #[must_use]
    pub fn collect(table: &Table, man: Man, stm: Side) -> Option<Vec<SquareFigures>> {
        let layout = table.layout();
        if !layout.men().contains(&man) {
            return None;
        }
        let keeps = Side::BOTH.map(|side| table.codes(side).is_some());
        let mapping = Mapping::new(layout, keeps, layout.men()).expect("a layout's men are its own");
        let empty = || vec![SquareFigures::default(); layout.n_squares()];
        let starts = (0..layout.len()).into_par_iter().step_by(STRETCH);
        let add = |mut sums: Vec<SquareFigures>, start: usize| {
            part(table, &mapping, (man, stm), start..layout.len().min(start + STRETCH), &mut sums);
            sums
        };
        let sum = |mut sums: Vec<SquareFigures>, others: Vec<SquareFigures>| {
            sums.iter_mut().zip(others).for_each(|(sum, other)| sum.add(other));
            sums
        };
        Some(starts.fold(empty, add).reduce(empty, sum))
    }
}

fn part(
    table: &Table,
    mapping: &Mapping,
    (man, stm): (Man, Side),
    places: Range<usize>,
    sums: &mut [SquareFigures],
) {
    let layout = table.layout();
    for index in places {
        let squares = layout.decode(index);
        if !layout.is_canonical(index, &squares) {
            continue;
        }
        let place = mapping.locate(layout, stm, &squares);
        let value = place.and_then(|(side, place)| Some(table.codes(side)?.value(place)));
        let Some((value, wdl)) = value.and_then(|value| Some((value, value.wdl()?))) else { continue };
        // An image that several symmetries lead to is met that often. With one image for each symmetry the
        // weight is the whole group's, and so much is each image met in all.
        let weight = u64::from(layout.weights(&squares).unreduced);
        let ply = value.ply().map_or(0, |ply| ply.0);
        let figures = match wdl {
            0 => SquareFigures { drawn: weight, ..SquareFigures::default() },
            _ => SquareFigures {
                decided: weight,
                plies: u128::from(weight) * u128::from(ply),
                drawn: 0,
                longest: ply,
            },
        };
        for &symmetry in layout.group() {
            let permutation = layout.permutation(symmetry);
            let own = layout.men().iter().zip(squares.iter()).filter(|(own, _)| **own == man);
            own.for_each(|(_, square): (&Man, &Square)| {
                sums[usize::from(permutation[square.index()])].add(figures);
            });
        }
    }
}
