//! Counts the placements that have each code, a run of units at a time, each place weighted by the
//! placements that it stands for.

use geometry::{Square, Symmetry};
use index::{Layout, SliceBlock};
use position::{Position, RuleBook};
use serde::{Deserialize, Serialize};
use std::iter::Sum;
use std::ops::{Add, Range};
use table::{Code, CodeSource, CodesRef, Coding, Value, threads};
use variant::{Man, Side, Variant};

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
        let n_codes = coding.n_codes();
        Census { units, coding, tally: Tally::new(n_codes), first_runs: vec![None; n_codes] }
    }

    /// Counts the codes of a run of units.
    ///
    /// # Panics
    /// If they are of another kind.
    pub(crate) fn count(&mut self, run: &Range<usize>, codes: CodesRef<'_>) {
        assert_eq!(codes.coding(), self.coding, "codes of one kind");
        match codes {
            CodesRef::OneByte(codes, _) => self.count_codes(run, codes),
            CodesRef::TwoBytes(codes) => self.count_codes(run, codes),
        }
    }

    fn count_codes<C: Code>(&mut self, run: &Range<usize>, codes: &[C]) {
        let (units, n_codes) = (self.units, self.first_runs.len());
        let start = run.start * units.layout().block_len();
        let tally = || Tally::new(n_codes);
        let tallies = threads::fold(units.tasks(run), tally, |tally, places| {
            for (unit, places) in units.by_unit(places) {
                tally.count_places(units, unit, places, (start, codes));
            }
        });
        let sum = tallies.into_iter().reduce(Tally::sum).unwrap_or_else(tally);
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
        let plain_weight = units.plain_weight();
        let counted = |((code, run), value): ((usize, Option<Range<usize>>), Value)| {
            let run = run?;
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
        first_runs.into_iter().enumerate().zip(coding.values()).filter_map(counted).collect()
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

/// How many places make a piece of work that is worth a thread's while. In tests they are few, so that units
/// of small boards are cut as well.
const TASK_PLACES: usize = if cfg!(test) { 1 << 10 } else { 1 << 16 };

/// The units of a layout and their weights.
///
/// A *unit* is one block of one slice: the pawns and the frame men stand still, the free men stand anywhere.
/// To ask each place whether it is canonical would be slow. A table holds exact codes in all places, so all
/// of them can be counted with one weight a unit.
///
/// Let G be the group of the material, S those of its symmetries that map the unit's pawns (like pawns
/// exchanged where need be) and frame men onto themselves, E the number of ways to exchange like pawns and
/// like frame men. The images of the unit are |G| / |S| units, each with E orders of these men, so every
/// place stands for
///
/// ```text
///   weight = |G| · E / |S|     placements.
/// ```
///
/// The orbits follow from the number of placements that each symmetry leaves as they are (Burnside's lemma):
///
/// ```text
///   orbits = ( placements + Σ over g ≠ identity of placements fixed by g ) / |G|
/// ```
///
/// A fixed placement has all its men on squares fixed by g (a diagonal, for chess), so there are few to
/// visit, and they lie in units with a symmetry of their own.
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
    pub(crate) fn tasks(&self, units: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let places = units.start * self.layout.block_len()..units.end * self.layout.block_len();
        let per_task = match TASK_PLACES / self.layout.block_len() {
            0 => TASK_PLACES,
            n_units => n_units * self.layout.block_len(),
        };
        threads::stretches(places, per_task)
    }

    /// These places unit by unit: the unit, and those of its places that are among them.
    pub(crate) fn by_unit(&self, places: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let len = self.layout.block_len();
        (places.start / len..places.end.div_ceil(len))
            .map(move |unit| (unit, places.start.max(unit * len)..places.end.min((unit + 1) * len)))
    }

    /// Whether these are the first places of a unit: a caller who has them counts what stands for the whole
    /// unit.
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

    /// Calls `visit` with each place of a unit and each symmetry (only as often) that leaves its placement
    /// as it is, men on one square left out.
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

    /// Whether a symmetry is one of the unit's own: without pawns it is the frame that must stay, with
    /// pawns, whose frames are not folded, the pawns.
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

/// Writes placements of one material.
pub(crate) struct Writer<'a> {
    layout: &'a Layout,
    book: RuleBook,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(variant: &Variant, layout: &'a Layout) -> Self {
        Writer { layout, book: RuleBook::new(variant) }
    }

    /// The position with this number, as FEN.
    pub(crate) fn fen(&self, stm: Side, index: usize) -> String {
        self.fen_from(stm, stm, index)
    }

    /// The position with this number among those with the side `kept` to move, as FEN with `stm` to move:
    /// if these differ, with the colours exchanged.
    pub(crate) fn fen_from(&self, kept: Side, stm: Side, index: usize) -> String {
        let board = self.layout.board();
        let squares = self.layout.decode(index);
        let men = self.layout.men().iter().zip(squares.iter()).map(|(&man, &square)| match kept == stm {
            true => (man, square),
            false => (Man { side: !man.side, ..man }, board.mirror_ranks(square)),
        });
        let mut given = self.layout.material().given_checks();
        if kept != stm {
            given.reverse();
        }
        let position = Position::from_men(men, stm);
        position.map_or_else(String::new, |position| position.with_given_checks(given).to_fen(&self.book))
    }
}

/// A number of placements, like men being distinguishable.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Count {
    /// Modulo the symmetries of the board that the material's rules respect.
    pub orbits: u64,
    /// On the whole board.
    pub unreduced: u64,
}

impl Count {
    /// Whether there is none.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.unreduced == 0
    }
}

impl Add for Count {
    type Output = Count;
    fn add(self, other: Count) -> Count {
        Count { orbits: self.orbits + other.orbits, unreduced: self.unreduced + other.unreduced }
    }
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Count>>(counts: I) -> Count {
        counts.fold(Count::default(), Add::add)
    }
}

/// How many positions are decided after this many plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlyCount {
    /// The plies.
    pub ply: u16,
    /// The positions.
    pub count: Count,
}

/// The positions that take longest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Longest {
    /// How many plies.
    pub ply: u16,
    /// How many positions.
    pub count: Count,
    /// The first of them in the order of the numbers.
    pub fen: String,
}

/// `1 ply`, `9 plies`.
pub(crate) fn plies(n: u16) -> String {
    format!("{n} {}", if n == 1 { "ply" } else { "plies" })
}
