//! Computes how many placements a stored place stands for.
//!
//! A *unit* is one block of one slice: the pawns and the frame men stand still, the free men stand anywhere.
//! To ask each place whether it is canonical would be slow. A table holds exact codes in all places, so all
//! of them can be counted with one weight a unit.
//!
//! Let G be the group of the material, S those of its symmetries that map the unit's pawns (like pawns
//! exchanged where need be) and frame men onto themselves, E the number of ways to exchange like pawns and
//! like frame men. The images of the unit are |G| / |S| units, each with E orders of these men, so every
//! place stands for
//!
//! ```text
//!   weight = |G| · E / |S|     placements.
//! ```
//!
//! The orbits follow from the number of placements that each symmetry leaves as they are (Burnside's lemma):
//!
//! ```text
//!   orbits = ( placements + Σ over g ≠ identity of placements fixed by g ) / |G|
//! ```
//!
//! A fixed placement has all its men on squares fixed by g (a diagonal, for chess), so there are few to
//! visit, and they lie in units with a symmetry of their own.

use crate::Count;
use geometry::{Square, Symmetry};
use index::{Layout, SliceBlock};
use rayon::prelude::*;
use std::ops::Range;
use table::CodeSource;

/// How many places make a piece of work that is worth a thread's while. In tests they are few, so that units
/// of small boards are cut as well.
const TASK_PLACES: usize = if cfg!(test) { 1 << 10 } else { 1 << 16 };

/// The units of a layout and their weights.
pub(crate) struct Units<'a> {
    layout: &'a Layout,
    /// In how many ways like pawns can be exchanged, and like frame men.
    exchanges: u64,
    /// The symmetries (without the identity) that leave some squares in place, and these squares.
    fixing: Vec<(Symmetry, Vec<Square>)>,
}

/// A number of placements with what is needed to reduce it.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Weighed {
    pub(crate) unreduced: u64,
    /// Pairs of a placement and a symmetry, not the identity, that leaves it as it is.
    pub(crate) fixed: u64,
}

impl Weighed {
    pub(crate) fn add(&mut self, other: Weighed) {
        self.unreduced += other.unreduced;
        self.fixed += other.fixed;
    }

    pub(crate) fn count(self, layout: &Layout) -> Count {
        let n_group = layout.group().len() as u64;
        let sum = self.unreduced + self.fixed;
        debug_assert_eq!(sum % n_group, 0, "{self:?} modulo {n_group}");
        Count { orbits: sum / n_group, unreduced: self.unreduced }
    }
}

impl<'a> Units<'a> {
    pub(crate) fn new(layout: &'a Layout) -> Self {
        let pawns: Vec<_> = layout.pawns().iter().map(|&i| layout.men()[i]).collect();
        let factorial = |n: usize| (1..=n as u64).product::<u64>();
        let pawn_exchanges: u64 = pawns.chunk_by(|a, b| a == b).map(|like| factorial(like.len())).product();
        let board = layout.board();
        let fixing = layout.group().iter().filter(|&&g| g != Symmetry::IDENTITY).filter_map(|&g| {
            let squares: Vec<Square> = board.squares().filter(|&s| g.square(board, s) == s).collect();
            (!squares.is_empty()).then_some((g, squares))
        });
        Units {
            layout,
            exchanges: pawn_exchanges * u64::from(layout.n_frame_exchanges()),
            fixing: fixing.collect(),
        }
    }

    pub(crate) fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// How many units there are.
    pub(crate) fn len(&self) -> usize {
        self.layout.n_units()
    }

    /// How many units a source is asked for at once, from this one on.
    pub(crate) fn run(&self, source: &dyn CodeSource, first: usize) -> Range<usize> {
        first..self.len().min(first.saturating_add(source.units_at_once().max(1)))
    }

    /// The pieces of work that these units make: whole units, or parts of one.
    pub(crate) fn tasks(&self, units: &Range<usize>) -> impl IndexedParallelIterator<Item = Range<usize>> {
        let places = units.start * self.layout.block_len()..units.end * self.layout.block_len();
        let per_task = match TASK_PLACES / self.layout.block_len() {
            0 => TASK_PLACES,
            n_units => n_units * self.layout.block_len(),
        };
        let n_tasks = places.len().div_ceil(per_task);
        (0..n_tasks).into_par_iter().map(move |task| {
            let start = places.start + task * per_task;
            start..places.end.min(start + per_task)
        })
    }

    /// These places unit by unit: the unit, and those of its places that are among them.
    pub(crate) fn by_unit(&self, places: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let len = self.layout.block_len();
        (places.start / len..places.end.div_ceil(len))
            .map(move |unit| (unit, places.start.max(unit * len)..places.end.min((unit + 1) * len)))
    }

    /// Whether these are the first places of a unit: whoever has them counts what stands for the whole unit.
    pub(crate) fn is_first(&self, places: &Range<usize>) -> bool {
        places.start.is_multiple_of(self.layout.block_len())
    }

    /// Whether the unit has a symmetry of its own.
    pub(crate) fn is_residual(&self, unit: usize) -> bool {
        self.layout.has_residual(self.layout.slice_block(unit))
    }

    /// The weight of every unit without a symmetry of its own.
    pub(crate) fn plain_weight(&self) -> u64 {
        self.layout.group().len() as u64 * self.exchanges
    }

    /// How many placements each place of a unit stands for.
    pub(crate) fn weight(&self, unit: usize) -> u64 {
        if !self.is_residual(unit) {
            return self.plain_weight();
        }
        let group = self.layout.group();
        let n_own = group.iter().filter(|&&g| self.maps_onto_itself(unit, g)).count() as u64;
        self.plain_weight() / n_own
    }

    /// Calls `visit` with each place of a unit and each symmetry (only as often) that leaves its placement as
    /// it is, men on one square left out.
    pub(crate) fn for_each_fixed(&self, unit: usize, mut visit: impl FnMut(usize)) {
        if !self.is_residual(unit) {
            return;
        }
        let standing = self.standing(unit);
        let n_free = self.layout.free().len();
        for (_, squares) in &self.fixing {
            if standing.iter().all(|s| squares.contains(s)) && all_differ(&standing) {
                let mut taken = standing.clone();
                self.place_free(squares, n_free, unit, &mut taken, &mut visit);
            }
        }
    }

    fn place_free(
        &self,
        squares: &[Square],
        n_left: usize,
        number: usize,
        taken: &mut Vec<Square>,
        visit: &mut impl FnMut(usize),
    ) {
        if n_left == 0 {
            visit(number);
            return;
        }
        for &square in squares {
            if !taken.contains(&square) {
                taken.push(square);
                let number = number * self.layout.n_squares() + square.index();
                self.place_free(squares, n_left - 1, number, taken, visit);
                taken.pop();
            }
        }
    }

    /// Every placement of all units, legal or not, men on one square left out.
    pub(crate) fn all_placements(&self) -> Weighed {
        let (n_squares, n_free) = (self.layout.board().squares().count(), self.layout.free().len());
        let ways = |n_squares: usize, n_standing: usize| -> u64 {
            (0..n_free).map(|i| n_squares.saturating_sub(n_standing + i) as u64).product()
        };
        let mut all = Weighed::default();
        for unit in 0..self.len() {
            let standing = self.standing(unit);
            if !all_differ(&standing) {
                continue;
            }
            let weight = self.weight(unit);
            all.unreduced += weight * ways(n_squares, standing.len());
            for (_, squares) in &self.fixing {
                if standing.iter().all(|s| squares.contains(s)) {
                    all.fixed += weight * ways(squares.len(), standing.len());
                }
            }
        }
        all
    }

    /// The squares of the pawns and the frame men.
    fn standing(&self, unit: usize) -> Vec<Square> {
        let SliceBlock { slice, block } = self.layout.slice_block(unit);
        let frame = self.layout.frame_squares(block);
        [self.layout.pawn_squares(slice), &frame[..self.layout.frame().len()]].concat()
    }

    /// Whether a symmetry is one of the unit's own: without pawns it is the frame that must stay, with pawns,
    /// whose frames are not folded, the pawns.
    fn maps_onto_itself(&self, unit: usize, g: Symmetry) -> bool {
        let layout = self.layout;
        let board = layout.board();
        let place = layout.slice_block(unit);
        if layout.pawns().is_empty() {
            return g == Symmetry::IDENTITY || layout.residual(place).contains(&g);
        }
        let pawns = layout.pawn_squares(place.slice);
        let men = layout.pawns().iter().map(|&i| layout.men()[i]);
        let mut image: Vec<_> =
            men.clone().zip(pawns).map(|(man, &square)| (man, g.square(board, square))).collect();
        // Like pawns stand in ascending order, and other pawns keep their places among the sorted.
        image.sort_unstable();
        let mut own: Vec<_> = men.zip(pawns.iter().copied()).collect();
        own.sort_unstable();
        image == own
    }
}

fn all_differ(squares: &[Square]) -> bool {
    squares.iter().enumerate().all(|(i, s)| !squares[..i].contains(s))
}
