//! Reads the values of ghosts, sheet by sheet.
//!
//! Which bits of a sheet are ghosts of a pair of men depends on where the two are: known men share their
//! square in the whole sheet or nowhere; the row man and a known man in one row; the lane man and a known man
//! in one column; the row man and the lane man on the diagonal.

use super::event::Decisions;
use super::explosion::Explosions;
use crate::ground::{Ground, Sheet};
use crate::pool::Loan;
use crate::word::SolverWord;
use geometry::Square;
use index::MAX_PLACED;
use kernel::Distinct;
use table::{MoveKind, Scale, Value, ValueRows, View, value_after, worth};
use variant::Side;

/// A captor, a victim, and the view of the table that the capture leads to.
pub(super) struct Pair<'a> {
    pub(super) captor: usize,
    pub(super) victim: usize,
    /// None where captures explode.
    pub(super) view: Option<&'a View<'a>>,
}

/// The ghosts of some blocks.
pub(super) struct Ghosts<'p, W: SolverWord> {
    /// Those whose capture is legal: words and bits.
    pub(super) legal: Vec<(u32, W)>,
    pub(super) decisions: Loan<'p, Decisions<W>>,
}

impl<W: SolverWord> Ghosts<'_, W> {
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
pub(super) struct GhostReader<'a, 'p, W: SolverWord> {
    ground: &'a Ground<'a, W>,
    side: Side,
    scale: &'a Scale,
    lane: usize,
    explosions: Option<&'a Explosions<'a, W>>,
    pub(super) ghosts: Ghosts<'p, W>,
    distinct: Distinct<W>,
    /// By the words of the sheet: the legal captures.
    legal: Vec<W>,
}

impl<'a, 'p, W: SolverWord> GhostReader<'a, 'p, W> {
    /// A reader of captures by `side`; `decisions` is room for what it finds.
    pub(super) fn new(
        ground: &'a Ground<'a, W>,
        side: Side,
        scale: &'a Scale,
        lane: usize,
        explosions: Option<&'a Explosions<'a, W>>,
        decisions: Loan<'p, Decisions<W>>,
    ) -> Self {
        let ghosts = Ghosts { legal: Vec::new(), decisions };
        GhostReader {
            ground,
            side,
            scale,
            lane,
            explosions,
            ghosts,
            distinct: Distinct::default(),
            legal: Vec::new(),
        }
    }

    /// Reads the ghosts of all pairs in a sheet.
    pub(super) fn read(&mut self, pairs: &[Pair<'_>], sheet: &Sheet<W>) {
        if sheet.n_shared > 1 {
            return;
        }
        self.legal.clear();
        self.legal.resize(self.ground.row_len(), W::ZERO);
        for pair in pairs {
            match pair.view {
                Some(view) => self.read_pair(pair, view, sheet),
                None => self.read_explosions(pair, sheet),
            }
        }
        for (&legal, word) in self.legal.iter().zip(sheet.word as u32..) {
            if legal != W::ZERO {
                self.ghosts.legal.push((word, legal));
            }
        }
    }

    /// Reads the placements in which exactly these two share a square.
    fn read_pair(&mut self, pair: &Pair<'_>, view: &View<'_>, sheet: &Sheet<W>) {
        let squares = &sheet.squares;
        let in_row = |man: usize| sheet.row_man == Some(man);
        let in_lane = |man: usize| man == self.lane;
        let (captor, victim) = (pair.captor, pair.victim);
        let varies = |man: usize| in_row(man) || in_lane(man);
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
                if in_row(varying) {
                    let mut squares = *squares;
                    squares[varying] = shared;
                    let rows = self.rows(pair, view, &squares, None, self.lane);
                    self.add_row(&rows, shared, sheet.taken, sheet, shared.index());
                } else if sheet.row_man.is_some() {
                    self.read_column(pair, view, sheet, Some(shared));
                } else {
                    self.read_one(pair, view, sheet, shared);
                }
            }
        }
    }

    /// Reads the placements in which exactly these two share a square one by one: the men that are gone
    /// depend on those who stand near.
    fn read_explosions(&mut self, pair: &Pair<'_>, sheet: &Sheet<W>) {
        let Some(explosions) = self.explosions else { return };
        let (captor, victim, lane) = (pair.captor, pair.victim, self.lane);
        let is_known = |man: usize| man != lane && sheet.row_man != Some(man);
        let shares = |squares: &[Square; MAX_PLACED]| squares[captor] == squares[victim];
        let both_known = is_known(captor) && is_known(victim);
        if sheet.n_shared != usize::from(both_known) || (both_known && !shares(&sheet.squares)) {
            return;
        }
        let board = self.ground.layout.board();
        let n_men = self.ground.motion.men.len();
        let mut squares = sheet.squares;
        // A man who varies stands on a square of his own, unless he is one of the two and the other is known.
        let squares_of = |man: usize| -> Vec<Square> {
            let other = if man == captor { Some(victim) } else { (man == victim).then_some(captor) };
            match other.filter(|&other| is_known(other)) {
                Some(other) => vec![sheet.squares[other]],
                None => board.squares().filter(|square| !sheet.taken.has(square.index())).collect(),
            }
        };
        let row_squares = sheet.row_man.map_or_else(|| vec![Square::from_index(0)], squares_of);
        let lane_squares = squares_of(lane);
        for &row_square in &row_squares {
            if let Some(row_man) = sheet.row_man {
                squares[row_man] = row_square;
            }
            for &lane_square in &lane_squares {
                squares[lane] = lane_square;
                let meet = sheet.row_man.is_some() && row_square == lane_square;
                let both_vary = !is_known(captor) && !is_known(victim);
                if !shares(&squares) || meet != both_vary {
                    continue;
                }
                let value = explosions.value(&squares[..n_men], captor, victim, squares[captor]);
                let mut worths = [worth(value)];
                self.scale.count_worths(MoveKind::Conversion, &mut worths);
                let place = if sheet.row_man.is_some() { row_square.index() } else { 0 };
                let bit = W::bit(lane_square.index());
                if self.ghosts.add(worths[0], sheet.word + place, bit) {
                    self.legal[place] |= bit;
                }
            }
        }
    }

    /// Two known men share a square: every word of the sheet.
    fn read_sheet(&mut self, pair: &Pair<'_>, view: &View<'_>, sheet: &Sheet<W>) {
        let rows = self.rows(pair, view, &sheet.squares, sheet.row_man, self.lane);
        if sheet.row_man.is_none() {
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

    /// A word of ghosts: every square of the lane man that is not taken.
    fn add_row(
        &mut self,
        rows: &ValueRows<'_>,
        row_square: Square,
        taken: W,
        sheet: &Sheet<W>,
        place: usize,
    ) {
        let mut worths = W::NO_MOVES;
        W::worths(rows, row_square, &mut worths);
        self.scale.count_worths(MoveKind::Conversion, worths.as_mut());
        self.distinct.find(worths.as_ref(), self.ground.lane_mask & !taken);
        for &(worth, bits) in self.distinct.found() {
            if self.ghosts.add(worth, sheet.word + place, bits) {
                self.legal[place] |= bits;
            }
        }
    }

    /// One bit of every word: the lane man stands on a square, or where the row man stands.
    fn read_column(&mut self, pair: &Pair<'_>, view: &View<'_>, sheet: &Sheet<W>, fixed: Option<Square>) {
        let Some(row_man) = sheet.row_man else { return };
        let mut squares = sheet.squares;
        // The man who varies is the row man; where both share the square and he is captured, the captor in
        // his place.
        let varying = if fixed.is_none() { pair.captor } else { row_man };
        squares[self.lane] = fixed.unwrap_or(squares[self.lane]);
        let mut worths = W::NO_MOVES;
        W::worths(&self.rows(pair, view, &squares, None, varying), Square::from_index(0), &mut worths);
        self.scale.count_worths(MoveKind::Conversion, worths.as_mut());
        for square in self.ground.layout.board().squares() {
            let place = square.index();
            let bit = W::bit(fixed.unwrap_or(square).index());
            let free = !sheet.taken.has(place);
            if free && self.ghosts.add(worths.as_ref()[place], sheet.word + place, bit) {
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
        if self.ghosts.add(worths[0], sheet.word, W::bit(shared.index())) {
            self.legal[0] |= W::bit(shared.index());
        }
    }

    /// The rows of values after the capture; the victim is not among the asked-for men.
    fn rows<'v>(
        &self,
        pair: &Pair<'_>,
        view: &'v View<'v>,
        squares: &[Square; MAX_PLACED],
        row_man: Option<usize>,
        varying: usize,
    ) -> ValueRows<'v> {
        let after = |man: usize| man - usize::from(man > pair.victim);
        let (squares, n) = self.without(pair.victim, squares);
        view.rows(!self.side, &squares[..n], row_man.map(after), after(varying))
    }

    fn without(&self, victim: usize, squares: &[Square; MAX_PLACED]) -> ([Square; MAX_PLACED], usize) {
        let n_men = self.ground.motion.men.len();
        let mut left = *squares;
        left.copy_within(victim + 1..n_men, victim);
        (left, n_men - 1)
    }
}
