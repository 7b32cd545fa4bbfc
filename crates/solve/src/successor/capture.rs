//! Gathers the captures of one side's mobile men: the ghosts of a slice and their values.
//!
//! Where a man and its enemy share a square there is no position, so the bit stands for the placement after
//! the capture: the victim is gone, and the victim's side is to move. The values come from the smaller
//! tables, once a slice, for captures by either side, sheet by sheet.
//!
//! A capture that leads to men who are given away has no value to be read. Whether it is legal is looked
//! at here: no enemy who is left may attack the captor's royal man.

use super::event::{Decisions, Events, PackRoom};
use super::pawn_move::{after, without};
use super::placement::Explosions;
use crate::ground::{Ground, Sheet, WordSquares, block_ranges, for_each_sheet, word_any_attacked};
use crate::packed::Spill;
use crate::plane::{PackedBlocks, WordSet};
use crate::pool::{Loan, Pool};
use crate::word::SolverWord;
use geometry::Square;
use index::{BlockId, BlockRange, MAX_PLACED};
use kernel::Distinct;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{MoveKind, Scale, Value, ValueRows, View, threads, value_after, worth};
use variant::Side;
use variant::exit::Change;

/// What is kept of captures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kept {
    /// All, word by word.
    Listed,
    /// Packed sets: what passes ask for in which the captor's side attacks (losses), and in which it defends
    /// (what is legal, and wins).
    Packed { for_attacker: bool, for_defender: bool },
}

/// The captures of one side's mobile men.
#[derive(Debug)]
pub(crate) struct Captures<W> {
    /// The ghosts whose capture is legal.
    pub(crate) legal: WordSet<W>,
    /// The ghosts after which the other side has lost, by its distance as the metric counts it.
    pub(crate) lost: Events<W>,
    /// The ghosts after which the other side has won, by its distance as the metric counts it.
    pub(crate) won: Events<W>,
}

impl<W: SolverWord> Captures<W> {
    /// Gathers the captures by the mobile men of `side`, and its quiet checks if these are counted, listed or
    /// packed, in a spill if there is one.
    pub(crate) fn gather(
        ground: &Ground<'_, W>,
        side: Side,
        views: &BTreeMap<Change, View<'_>>,
        checks: Option<Checks<'_, W>>,
        scale: &Scale,
        decisions: &Pool<Decisions<W>>,
        (kept, spill): (Kept, Option<&Arc<Spill>>),
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
                            pairs.push(Pair { captor, victim, view: None, guard: None });
                        }
                    }
                    view => {
                        let guard = view.and_then(|view| Guard::new(ground, side, victim, view));
                        pairs.push(Pair { captor, victim, view, guard });
                    }
                }
            }
        }
        let Some(lane) = ground.lane().filter(|_| !pairs.is_empty() || checks.is_some()) else {
            return Captures::none();
        };
        let gathering = |blocks: BlockRange| {
            let mut reader = GhostReader::new(ground, side, scale, lane, explosions, decisions.lend());
            for_each_sheet(ground, blocks, |sheet| reader.read(&pairs, checks.as_ref(), sheet));
            reader.ghosts
        };
        if kept == (Kept::Packed { for_attacker: false, for_defender: false }) {
            return Captures::none();
        }
        if let Kept::Packed { for_attacker, for_defender } = kept {
            return Captures::packed(ground, &gathering, (for_attacker, for_defender), spill);
        }
        let (mut legal, mut won, mut lost) = (Vec::new(), Vec::new(), Vec::new());
        let gather = |blocks| {
            let Ghosts { legal, decisions } = gathering(blocks);
            (legal, decisions.sorted())
        };
        for (own_legal, (own_won, own_lost)) in threads::map(block_ranges(ground), gather) {
            legal.push(own_legal);
            won.push(own_won);
            lost.push(own_lost);
        }
        Captures { legal: WordSet::listed(legal), lost: Events::joined(lost), won: Events::joined(won) }
    }

    /// No captures.
    fn none() -> Self {
        Captures { legal: WordSet::listed(Vec::new()), lost: Events::default(), won: Events::default() }
    }

    /// Gathers the captures packed block by block as they are gathered.
    fn packed<'p>(
        ground: &Ground<'_, W>,
        gathering: &(dyn Fn(BlockRange) -> Ghosts<'p, W> + Sync),
        (for_attacker, for_defender): (bool, bool),
        spill: Option<&Arc<Spill>>,
    ) -> Self {
        let pack = |room: &mut PackRoom<W>, block: BlockId| {
            let ghosts = gathering(block.alone());
            let (won, lost) = ghosts.decisions.sorted();
            let won = if for_defender { won.pack(ground, block, room) } else { Vec::new() };
            let lost = if for_attacker { lost.pack(ground, block, room) } else { Vec::new() };
            let (n, row_len) = (ground.words_per_block(), ground.row_len());
            let legal = if for_defender { ghosts.legal.as_slice() } else { &[] };
            for &(word, bits) in legal {
                let place = word as usize - block.span(n).start;
                room.words.resize(n, W::ZERO);
                room.live.resize(ground.n_rows(), false);
                room.words[place] |= bits;
                room.live[place / row_len] = true;
            }
            let legal = (!legal.is_empty()).then(|| room.take_packed(ground));
            (legal, won, lost)
        };
        let packed = threads::map_in(ground.blocks(), || PackRoom::new(spill), pack);
        let (mut legal, mut won, mut lost) = (PackedBlocks::new(ground), Vec::new(), Vec::new());
        for (block, (own_legal, own_won, own_lost)) in ground.blocks().zip(packed) {
            if let Some(set) = own_legal {
                legal.push(block, set);
            }
            won.push(own_won);
            lost.push(own_lost);
        }
        Captures {
            legal: WordSet::packed(legal),
            lost: Events::packed(ground, lost),
            won: Events::packed(ground, won),
        }
    }
}

/// A captor, a victim, and the view of the table that the capture leads to.
struct Pair<'a> {
    pub(super) captor: usize,
    pub(super) victim: usize,
    /// None where captures explode.
    pub(super) view: Option<&'a View<'a>>,
    /// Who sees to it that the capture is legal; none if the view does.
    guard: Option<Guard>,
}

/// The quiet checks of a side, where they are counted: they stand among the captures, as placements.
#[derive(Clone, Copy)]
pub(crate) struct Checks<'a, W> {
    /// Of the table after the check.
    pub(crate) view: &'a View<'a>,
    /// Planes by side: where it is attacked.
    pub(crate) attacked: &'a [Vec<W>; 2],
}

/// The royal men of the captor's side, and the enemies who are left to attack them.
struct Guard {
    royals: Vec<usize>,
    attackers: Vec<usize>,
}

impl Guard {
    /// Of captures by `side`; none if what they lead to says by itself whether they are legal.
    fn new<W: SolverWord>(
        ground: &Ground<'_, W>,
        side: Side,
        victim: usize,
        view: &View<'_>,
    ) -> Option<Self> {
        let men = &ground.motion.men;
        view.given_value(!side)?;
        let royals = ground.motion.royals(side).collect();
        let is_left = |&man: &usize| men[man].man.side != side && man != victim;
        Some(Guard { royals, attackers: (0..men.len()).filter(is_left).collect() })
    }
}

/// The ghosts of some blocks.
struct Ghosts<'p, W: SolverWord> {
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
///
/// Which bits of a sheet are ghosts of a pair of men depends on where the two are: known men share their
/// square in the whole sheet or nowhere; the row man and a known man in one row; the lane man and a known
/// man in one column; the row man and the lane man on the diagonal.
struct GhostReader<'a, 'p, W: SolverWord> {
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
    pub(super) fn read(&mut self, pairs: &[Pair<'_>], checks: Option<&Checks<'_, W>>, sheet: &Sheet<W>) {
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
        if let Some(checks) = checks.filter(|_| sheet.n_shared == 0) {
            self.read_checks(checks, sheet);
        }
        for (&legal, word) in self.legal.iter().zip(sheet.word as u32..) {
            if legal != W::ZERO {
                self.ghosts.legal.push((word, legal));
            }
        }
    }

    /// Reads the placements in which the other side has been given a check.
    fn read_checks(&mut self, checks: &Checks<'_, W>, sheet: &Sheet<W>) {
        let (ground, [own, other]) = (self.ground, [self.side, !self.side].map(Side::index));
        let n_men = ground.motion.men.len();
        let rows = after(checks.view, !self.side, &sheet.squares, n_men, None, sheet.row_man, self.lane);
        let is_row = sheet.row_man.is_some();
        let n_words = if is_row { ground.layout.n_squares() } else { 1 };
        for square in (0..n_words).map(Square::from_index) {
            let place = square.index();
            let taken = if is_row { sheet.taken | W::bit(place) } else { sheet.taken };
            let word = sheet.word + place;
            let given = checks.attacked[other][word] & !checks.attacked[own][word];
            let given = given & ground.lane_mask & !taken;
            if given == W::ZERO || is_row && taken == sheet.taken {
                continue;
            }
            let mut worths = W::NO_MOVES;
            W::worths(&rows, square, &mut worths);
            self.scale.count_worths(MoveKind::Plain, worths.as_mut());
            self.distinct.find(worths.as_ref(), given);
            for &(worth, bits) in self.distinct.found() {
                if self.ghosts.add(worth, word, bits) {
                    self.legal[place] |= bits;
                }
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
                    self.add_row(pair, &rows, shared, sheet.taken, sheet, shared.index());
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
        // A man who varies stands on a square of his own, unless he is one of the two and the other is
        // known.
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
            self.add_row(pair, &rows, Square::from_index(0), sheet.taken, sheet, 0);
            return;
        }
        for square in self.ground.layout.board().squares() {
            let taken = sheet.taken | W::bit(square.index());
            if taken != sheet.taken {
                self.add_row(pair, &rows, square, taken, sheet, square.index());
            }
        }
    }

    /// A word of ghosts: every square of the lane man that is not taken.
    fn add_row(
        &mut self,
        pair: &Pair<'_>,
        rows: &ValueRows<'_>,
        row_square: Square,
        taken: W,
        sheet: &Sheet<W>,
        place: usize,
    ) {
        let illegal = self.illegal(pair, sheet, row_square, taken);
        let mut worths = W::NO_MOVES;
        W::worths(rows, row_square, &mut worths);
        self.scale.count_worths(MoveKind::Conversion, worths.as_mut());
        self.distinct.find(worths.as_ref(), self.ground.lane_mask & !taken & !illegal);
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
            let free = !sheet.taken.has(place)
                && self.illegal(pair, sheet, square, sheet.taken | W::bit(place)) & bit == W::ZERO;
            if free && self.ghosts.add(worths.as_ref()[place], sheet.word + place, bit) {
                self.legal[place] |= bit;
            }
        }
    }

    /// The one bit of a sheet of a single word.
    fn read_one(&mut self, pair: &Pair<'_>, view: &View<'_>, sheet: &Sheet<W>, shared: Square) {
        let bit = W::bit(shared.index());
        if self.illegal(pair, sheet, shared, sheet.taken) & bit != W::ZERO {
            return;
        }
        let mut squares = sheet.squares;
        squares[self.lane] = shared;
        let (squares, n) = without(&squares, self.ground.motion.men.len(), Some(pair.victim));
        let value = view.value(!self.side, &squares[..n]);
        let mut worths = [worth(value)];
        self.scale.count_worths(MoveKind::Conversion, &mut worths);
        if self.ghosts.add(worths[0], sheet.word, bit) {
            self.legal[0] |= bit;
        }
    }

    /// The squares of the lane man with which a capture is not legal though no view says so; the row man
    /// stands on `row_square`, and all men but the lane man on `taken`.
    fn illegal(&self, pair: &Pair<'_>, sheet: &Sheet<W>, row_square: Square, taken: W) -> W {
        let Some(guard) = &pair.guard else { return W::ZERO };
        let mut squares = sheet.squares;
        if let Some(row_man) = sheet.row_man {
            squares[row_man] = row_square;
        }
        let word = WordSquares { squares, taken, shared: false };
        word_any_attacked(self.ground, &guard.royals, &guard.attackers, &word)
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
        let n_men = self.ground.motion.men.len();
        after(view, !self.side, squares, n_men, Some(pair.victim), row_man, varying)
    }
}
