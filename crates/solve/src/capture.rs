//! Captures of mobile men: the values of the ghosts.
//!
//! Where a man and its enemy share a square there is no position, so the bit stands for the placement after the
//! capture: the victim is gone, and the victim's side is to move. The values come from the smaller tables, once a
//! slice, for captures by either side.
//!
//! They are read sheet by sheet (see `sheet`). Which bits of a sheet are ghosts of a pair of men depends on where the
//! two are: known men share their square in the whole sheet or nowhere; the axis man and a known man in one row; the
//! man in the lane and a known man in one column; the axis man and the man in the lane on the diagonal.

use crate::event::{Decisions, Events};
use crate::ground::Ground;
use crate::reach::Change;
use crate::sheet::{Sheet, block_ranges, for_each_sheet};
use geometry::Square;
use index::MAX_MEN;
use kernel::Distinct;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use table::{MoveKind, NO_MOVE, Scale, Value, ValueRows, View, value_after, worth};
use variant::Side;

/// What captures by one side lead to.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    /// The ghosts whose capture is legal: words and bits.
    pub(crate) legal: Vec<(u32, u64)>,
    /// The ghosts after which the other side has lost, by its distance as the metric counts it.
    pub(crate) lost: Events,
    /// The ghosts after which the other side has won, by its distance as the metric counts it.
    pub(crate) won: Events,
}

/// What has been found in some blocks.
#[derive(Debug, Default)]
struct Found {
    legal: Vec<(u32, u64)>,
    decisions: Decisions,
}

/// A pair of men that can share a square: who captures, who is captured, and what that leads to.
struct Pair<'a> {
    captor: usize,
    victim: usize,
    view: &'a View<'a>,
}

impl Captures {
    /// The captures by the mobile men of `side`.
    pub(crate) fn gather(
        ground: &Ground<'_>,
        side: Side,
        views: &BTreeMap<Change, View<'_>>,
        scale: &Scale,
    ) -> Self {
        let men = &ground.motion.men;
        let mut pairs = Vec::new();
        for captor in (0..men.len()).filter(|&i| men[i].man.side == side && !men[i].pawn) {
            for victim in (0..men.len()).filter(|&i| men[i].man.side != side && !men[i].royal) {
                let view = &views[&Change { captured: Some(victim), promoted: None }];
                pairs.push(Pair { captor, victim, view });
            }
        }
        let Some(lane) = ground.lane().filter(|_| !pairs.is_empty()) else { return Captures::default() };
        let gathering = |blocks: Range<usize>| {
            let found = Found { legal: Vec::new(), decisions: Decisions::none() };
            let mut reader =
                Reader { ground, side, scale, lane, found, distinct: Distinct::default(), legal: [0; 64] };
            for_each_sheet(ground, blocks, |sheet| reader.read(&pairs, sheet));
            reader.found
        };
        let found: Vec<Found> = block_ranges(ground).into_par_iter().map(gathering).collect();
        let (won, lost) = Decisions::sorted(found.iter().map(|part| &part.decisions));
        let mut legal = Vec::new();
        for mut part in found {
            legal.append(&mut part.legal);
            part.decisions.spare();
        }
        Captures { legal, lost, won }
    }
}

impl Found {
    /// Notes what a capture of this worth leads to; whether it is legal.
    #[inline]
    fn add(&mut self, worth: i16, word: usize, bits: u64) -> bool {
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
struct Reader<'a> {
    ground: &'a Ground<'a>,
    side: Side,
    scale: &'a Scale,
    lane: usize,
    found: Found,
    distinct: Distinct,
    /// By the words of the sheet: the legal captures.
    legal: [u64; 64],
}

impl Reader<'_> {
    fn read(&mut self, pairs: &[Pair<'_>], sheet: &Sheet) {
        if sheet.n_shared > 1 {
            return;
        }
        let n_words = if sheet.axis.is_some() { self.ground.layout.n_squares() } else { 1 };
        self.legal[..n_words].fill(0);
        for pair in pairs {
            self.read_pair(pair, sheet);
        }
        for (&legal, word) in self.legal[..n_words].iter().zip(sheet.word as u32..) {
            if legal != 0 {
                self.found.legal.push((word, legal));
            }
        }
    }

    /// The placements in which exactly these two share a square.
    fn read_pair(&mut self, pair: &Pair<'_>, sheet: &Sheet) {
        let squares = &sheet.squares;
        let at_axis = |man: usize| sheet.axis == Some(man);
        let at_lane = |man: usize| man == self.lane;
        let (captor, victim) = (pair.captor, pair.victim);
        let varies = |man: usize| at_axis(man) || at_lane(man);
        match (varies(captor), varies(victim)) {
            (false, false) => {
                if sheet.n_shared == 1 && squares[captor] == squares[victim] {
                    self.read_sheet(pair, sheet);
                }
            }
            _ if sheet.n_shared != 0 => {}
            (true, true) => self.read_column(pair, sheet, None),
            (captor_varies, _) => {
                let (varying, known) = if captor_varies { (captor, victim) } else { (victim, captor) };
                let shared = squares[known];
                if at_axis(varying) {
                    let mut squares = *squares;
                    squares[varying] = shared;
                    let rows = self.rows(pair, &squares, None, self.lane);
                    self.add_row(&rows, shared, sheet.taken, sheet, shared.index());
                } else if sheet.axis.is_some() {
                    self.read_column(pair, sheet, Some(shared));
                } else {
                    self.read_one(pair, sheet, shared);
                }
            }
        }
    }

    /// Two known men share a square: every word of the sheet.
    fn read_sheet(&mut self, pair: &Pair<'_>, sheet: &Sheet) {
        let rows = self.rows(pair, &sheet.squares, sheet.axis, self.lane);
        if sheet.axis.is_none() {
            self.add_row(&rows, Square::from_index(0), sheet.taken, sheet, 0);
            return;
        }
        for square in self.ground.layout.board().squares() {
            let taken = sheet.taken | 1 << square.index();
            if taken != sheet.taken {
                self.add_row(&rows, square, taken, sheet, square.index());
            }
        }
    }

    /// A word of ghosts: every square of the man in the lane that is not taken.
    fn add_row(&mut self, rows: &ValueRows<'_>, axis: Square, taken: u64, sheet: &Sheet, place: usize) {
        let mut worths = [NO_MOVE; 64];
        rows.worths(axis, &mut worths);
        self.scale.count_worths(MoveKind::Conversion, &mut worths);
        self.distinct.find(&worths, self.ground.lane_mask & !taken);
        for &(worth, bits) in self.distinct.found() {
            if self.found.add(worth, sheet.word + place, bits) {
                self.legal[place] |= bits;
            }
        }
    }

    /// One bit of every word: the man in the lane stands on a square, or where the axis man stands.
    fn read_column(&mut self, pair: &Pair<'_>, sheet: &Sheet, fixed: Option<Square>) {
        let Some(axis) = sheet.axis else { return };
        let mut squares = sheet.squares;
        // The man who varies is the axis man; where both share the square and he is captured, the captor in his place.
        let varying = if fixed.is_none() { pair.captor } else { axis };
        squares[self.lane] = fixed.unwrap_or(squares[self.lane]);
        let mut worths = [NO_MOVE; 64];
        self.rows(pair, &squares, None, varying).worths(Square::from_index(0), &mut worths);
        self.scale.count_worths(MoveKind::Conversion, &mut worths);
        for square in self.ground.layout.board().squares() {
            let place = square.index();
            let bit = 1 << fixed.unwrap_or(square).index();
            let free = sheet.taken >> place & 1 == 0;
            if free && self.found.add(worths[place], sheet.word + place, bit) {
                self.legal[place] |= bit;
            }
        }
    }

    /// The one bit of a sheet of a single word.
    fn read_one(&mut self, pair: &Pair<'_>, sheet: &Sheet, shared: Square) {
        let mut squares = sheet.squares;
        squares[self.lane] = shared;
        let (squares, n) = self.without(pair.victim, &squares);
        let value = pair.view.value(!self.side, &squares[..n]);
        let mut worths = [worth(value)];
        self.scale.count_worths(MoveKind::Conversion, &mut worths);
        if self.found.add(worths[0], sheet.word, 1 << shared.index()) {
            self.legal[0] |= 1 << shared.index();
        }
    }

    /// The rows of values after the capture; the victim is not among the asked-for men.
    fn rows<'v>(
        &self,
        pair: &Pair<'v>,
        squares: &[Square; MAX_MEN],
        axis: Option<usize>,
        varying: usize,
    ) -> ValueRows<'v> {
        let after = |man: usize| man - usize::from(man > pair.victim);
        let (squares, n) = self.without(pair.victim, squares);
        pair.view.rows(!self.side, &squares[..n], axis.map(after), after(varying))
    }

    fn without(&self, victim: usize, squares: &[Square; MAX_MEN]) -> ([Square; MAX_MEN], usize) {
        let n_men = self.ground.motion.men.len();
        let mut left = *squares;
        left.copy_within(victim + 1..n_men, victim);
        (left, n_men - 1)
    }
}
