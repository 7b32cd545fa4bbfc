//! Captures of mobile men: the values of the ghosts.
//!
//! Where a man and its enemy share a square there is no position, so the bit stands for the placement after
//! the capture: the victim is gone, and the victim's side is to move. The values come from the smaller
//! tables, once a slice, for captures by either side.
//!
//! They are read sheet by sheet (see `sheet`). Which bits of a sheet are ghosts of a pair of men depends on
//! where the two are: known men share their square in the whole sheet or nowhere; the axis man and a known
//! man in one row; the man in the lane and a known man in one column; the axis man and the man in the lane on
//! the diagonal.

use crate::blast::Explosions;
use crate::event::{Decisions, Events};
use crate::ground::Ground;
use crate::lane::SolverWord;
use crate::reach::Change;
use crate::sheet::{Sheet, block_ranges, for_each_sheet};
use geometry::Square;
use index::MAX_MEN;
use kernel::Distinct;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use table::{MoveKind, Scale, Value, ValueRows, View, value_after, worth};
use variant::Side;

/// What captures by one side lead to.
#[derive(Debug)]
pub(crate) struct Captures<W> {
    /// The ghosts whose capture is legal: words and bits.
    pub(crate) legal: Vec<(u32, W)>,
    /// The ghosts after which the other side has lost, by its distance as the metric counts it.
    pub(crate) lost: Events<W>,
    /// The ghosts after which the other side has won, by its distance as the metric counts it.
    pub(crate) won: Events<W>,
}

/// What has been found in some blocks.
#[derive(Debug)]
struct Found<W> {
    legal: Vec<(u32, W)>,
    decisions: Decisions<W>,
}

/// A pair of men that can share a square: who captures, who is captured, and what that leads to.
struct Pair<'a> {
    captor: usize,
    victim: usize,
    /// None where captures explode.
    view: Option<&'a View<'a>>,
}

impl<W: SolverWord> Captures<W> {
    /// The captures by the mobile men of `side`.
    pub(crate) fn gather(
        ground: &Ground<'_, W>,
        side: Side,
        views: &BTreeMap<Change, View<'_>>,
        scale: &Scale,
    ) -> Self {
        let men = &ground.motion.men;
        let explosions = Explosions::new(ground, views);
        let explosions = explosions.as_ref();
        let captures = |i: &usize| men[*i].man.side == side && !men[*i].pawn;
        let mut pairs = Vec::new();
        for captor in (0..men.len()).filter(captures) {
            for victim in (0..men.len()).filter(|&i| men[i].man.side != side && !men[i].royal) {
                match views.get(&Change::new(Some(victim), None)) {
                    // A royal man does not blow himself up.
                    _ if explosions.is_some() => {
                        if !men[captor].royal {
                            pairs.push(Pair { captor, victim, view: None });
                        }
                    }
                    view => pairs.push(Pair { captor, victim, view }),
                }
            }
        }
        let Some(lane) = ground.lane().filter(|_| !pairs.is_empty()) else {
            return Captures { legal: Vec::new(), lost: Events::default(), won: Events::default() };
        };
        let gathering = |blocks: Range<usize>| {
            let found = Found { legal: Vec::new(), decisions: Decisions::none() };
            let distinct = Distinct::default();
            let mut reader =
                Reader { ground, side, scale, lane, explosions, found, distinct, legal: Vec::new() };
            for_each_sheet(ground, blocks, |sheet| reader.read(&pairs, sheet));
            reader.found
        };
        let found: Vec<Found<W>> = block_ranges(ground).into_par_iter().map(gathering).collect();
        let (won, lost) = Decisions::sorted(found.iter().map(|part| &part.decisions));
        let n_legal = found.iter().map(|part| part.legal.len()).sum::<usize>();
        let mut legal = Vec::new();
        for mut part in found {
            if legal.is_empty() {
                // What the first part has stays where it is: of a small slice that is all.
                legal = part.legal;
                legal.reserve_exact(n_legal - legal.len());
            } else {
                legal.append(&mut part.legal);
            }
            part.decisions.spare();
        }
        Captures { legal, lost, won }
    }
}

impl<W: SolverWord> Found<W> {
    /// Notes what a capture of this worth leads to; whether it is legal.
    #[inline]
    fn add(&mut self, worth: i16, word: usize, bits: W) -> bool {
        match value_after(worth) {
            Value::Illegal => return false,
            Value::Loss(ply) => self.decisions.lost.add(ply.0, word, bits),
            Value::Win(ply) => self.decisions.won.add(ply.0, word, bits),
            Value::Draw | Value::Stalemate => {}
        }
        true
    }
}

/// Reads the ghosts of one sheet after another.
struct Reader<'a, W> {
    ground: &'a Ground<'a, W>,
    side: Side,
    scale: &'a Scale,
    lane: usize,
    explosions: Option<&'a Explosions<'a, W>>,
    found: Found<W>,
    distinct: Distinct<W>,
    /// By the words of the sheet: the legal captures.
    legal: Vec<W>,
}

impl<W: SolverWord> Reader<'_, W> {
    fn read(&mut self, pairs: &[Pair<'_>], sheet: &Sheet<W>) {
        if sheet.n_shared > 1 {
            return;
        }
        let n_words = if sheet.axis.is_some() { self.ground.layout.n_squares() } else { 1 };
        self.legal.clear();
        self.legal.resize(n_words, W::ZERO);
        for pair in pairs {
            match pair.view {
                Some(view) => self.read_pair(pair, view, sheet),
                None => self.read_explosions(pair, sheet),
            }
        }
        for (&legal, word) in self.legal.iter().zip(sheet.word as u32..) {
            if legal != W::ZERO {
                self.found.legal.push((word, legal));
            }
        }
    }

    /// The placements in which exactly these two share a square.
    fn read_pair(&mut self, pair: &Pair<'_>, view: &View<'_>, sheet: &Sheet<W>) {
        let squares = &sheet.squares;
        let at_axis = |man: usize| sheet.axis == Some(man);
        let at_lane = |man: usize| man == self.lane;
        let (captor, victim) = (pair.captor, pair.victim);
        let varies = |man: usize| at_axis(man) || at_lane(man);
        match (varies(captor), varies(victim)) {
            (false, false) => {
                if sheet.n_shared == 1 && squares[captor] == squares[victim] {
                    self.read_sheet(pair, view, sheet);
                }
            }
            _ if sheet.n_shared != 0 => {}
            (true, true) => self.read_column(pair, view, sheet, None),
            (captor_varies, _) => {
                let (varying, known) = if captor_varies { (captor, victim) } else { (victim, captor) };
                let shared = squares[known];
                if at_axis(varying) {
                    let mut squares = *squares;
                    squares[varying] = shared;
                    let rows = self.rows(pair, view, &squares, None, self.lane);
                    self.add_row(&rows, shared, sheet.taken, sheet, shared.index());
                } else if sheet.axis.is_some() {
                    self.read_column(pair, view, sheet, Some(shared));
                } else {
                    self.read_one(pair, view, sheet, shared);
                }
            }
        }
    }

    /// The same one by one, where who is gone depends on who stands near.
    fn read_explosions(&mut self, pair: &Pair<'_>, sheet: &Sheet<W>) {
        let Some(explosions) = self.explosions else { return };
        let (captor, victim, lane) = (pair.captor, pair.victim, self.lane);
        let is_known = |man: usize| man != lane && sheet.axis != Some(man);
        let shares = |squares: &[Square; MAX_MEN]| squares[captor] == squares[victim];
        let both_known = is_known(captor) && is_known(victim);
        if sheet.n_shared != usize::from(both_known) || (both_known && !shares(&sheet.squares)) {
            return;
        }
        let board = self.ground.layout.board();
        let n_men = self.ground.motion.men.len();
        let mut squares = sheet.squares;
        // Who varies stands on a square of his own, unless he is one of the two, and the other one is known.
        let squares_of = |man: usize| -> Vec<Square> {
            let other = if man == captor { Some(victim) } else { (man == victim).then_some(captor) };
            match other.filter(|&other| is_known(other)) {
                Some(other) => vec![sheet.squares[other]],
                None => board.squares().filter(|square| !sheet.taken.has(square.index())).collect(),
            }
        };
        let axis_squares = sheet.axis.map_or_else(|| vec![Square::from_index(0)], squares_of);
        let lane_squares = squares_of(lane);
        for &axis_square in &axis_squares {
            if let Some(axis) = sheet.axis {
                squares[axis] = axis_square;
            }
            for &lane_square in &lane_squares {
                squares[lane] = lane_square;
                let meet = sheet.axis.is_some() && axis_square == lane_square;
                let both_vary = !is_known(captor) && !is_known(victim);
                if !shares(&squares) || meet != both_vary {
                    continue;
                }
                let value = explosions.value(&squares[..n_men], captor, victim, squares[captor]);
                let mut worths = [worth(value)];
                self.scale.count_worths(MoveKind::Conversion, &mut worths);
                let place = if sheet.axis.is_some() { axis_square.index() } else { 0 };
                let bit = W::bit(lane_square.index());
                if self.found.add(worths[0], sheet.word + place, bit) {
                    self.legal[place] |= bit;
                }
            }
        }
    }

    /// Two known men share a square: every word of the sheet.
    fn read_sheet(&mut self, pair: &Pair<'_>, view: &View<'_>, sheet: &Sheet<W>) {
        let rows = self.rows(pair, view, &sheet.squares, sheet.axis, self.lane);
        if sheet.axis.is_none() {
            self.add_row(&rows, Square::from_index(0), sheet.taken, sheet, 0);
            return;
        }
        for square in self.ground.layout.board().squares() {
            let taken = sheet.taken | W::bit(square.index());
            if taken != sheet.taken {
                self.add_row(&rows, square, taken, sheet, square.index());
            }
        }
    }

    /// A word of ghosts: every square of the man in the lane that is not taken.
    fn add_row(&mut self, rows: &ValueRows<'_>, axis: Square, taken: W, sheet: &Sheet<W>, place: usize) {
        let mut worths = W::NO_MOVES;
        W::worths(rows, axis, &mut worths);
        self.scale.count_worths(MoveKind::Conversion, worths.as_mut());
        self.distinct.find(worths.as_ref(), self.ground.lane_mask & !taken);
        for &(worth, bits) in self.distinct.found() {
            if self.found.add(worth, sheet.word + place, bits) {
                self.legal[place] |= bits;
            }
        }
    }

    /// One bit of every word: the man in the lane stands on a square, or where the axis man stands.
    fn read_column(&mut self, pair: &Pair<'_>, view: &View<'_>, sheet: &Sheet<W>, fixed: Option<Square>) {
        let Some(axis) = sheet.axis else { return };
        let mut squares = sheet.squares;
        // The man who varies is the axis man; where both share the square and he is captured, the captor in
        // his place.
        let varying = if fixed.is_none() { pair.captor } else { axis };
        squares[self.lane] = fixed.unwrap_or(squares[self.lane]);
        let mut worths = W::NO_MOVES;
        W::worths(&self.rows(pair, view, &squares, None, varying), Square::from_index(0), &mut worths);
        self.scale.count_worths(MoveKind::Conversion, worths.as_mut());
        for square in self.ground.layout.board().squares() {
            let place = square.index();
            let bit = W::bit(fixed.unwrap_or(square).index());
            let free = !sheet.taken.has(place);
            if free && self.found.add(worths.as_ref()[place], sheet.word + place, bit) {
                self.legal[place] |= bit;
            }
        }
    }

    /// The one bit of a sheet of a single word.
    fn read_one(&mut self, pair: &Pair<'_>, view: &View<'_>, sheet: &Sheet<W>, shared: Square) {
        let mut squares = sheet.squares;
        squares[self.lane] = shared;
        let (squares, n) = self.without(pair.victim, &squares);
        let value = view.value(!self.side, &squares[..n]);
        let mut worths = [worth(value)];
        self.scale.count_worths(MoveKind::Conversion, &mut worths);
        if self.found.add(worths[0], sheet.word, W::bit(shared.index())) {
            self.legal[0] |= W::bit(shared.index());
        }
    }

    /// The rows of values after the capture; the victim is not among the asked-for men.
    fn rows<'v>(
        &self,
        pair: &Pair<'_>,
        view: &'v View<'v>,
        squares: &[Square; MAX_MEN],
        axis: Option<usize>,
        varying: usize,
    ) -> ValueRows<'v> {
        let after = |man: usize| man - usize::from(man > pair.victim);
        let (squares, n) = self.without(pair.victim, squares);
        view.rows(!self.side, &squares[..n], axis.map(after), after(varying))
    }

    fn without(&self, victim: usize, squares: &[Square; MAX_MEN]) -> ([Square; MAX_MEN], usize) {
        let n_men = self.ground.motion.men.len();
        let mut left = *squares;
        left.copy_within(victim + 1..n_men, victim);
        (left, n_men - 1)
    }
}
