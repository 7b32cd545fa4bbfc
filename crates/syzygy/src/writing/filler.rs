//! Fills the slots of a side to move: by rows in chess, and by positions in other games.

use crate::error::SyzygyError;
use crate::material::{Family, MAX_MEN, MaterialKey};
use crate::writing::input::{Input, Pawn, PromotionRow, Row, classes};
use crate::writing::sheet::Sheet;
use crate::writing::slots::{Filled, FilledRow, ROW, Slot, State, class};
use geometry::{Square, SquareSet};
use position::{Move, Position, RuleBook};
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{NO_MOVE, Table, View, worth};
use variant::exit::Change;
use variant::{Man, Side};

/// What moves leave of the values of a sheet with a side to move, which it keeps.
///
/// Complexity: a row of the table and one of every table that captures lead to, for each 64 placements; pawn
/// moves only where one may decide.
pub(crate) fn fill(input: &Input, sheet: &Sheet, stm: Side) -> Result<Filled, SyzygyError> {
    let n = sheet.table.layout().len();
    let filled = if input.family == Family::Chess {
        let filler = RowFiller::new(input, sheet, stm);
        Filled::new(n, |row| filler.fill(row))
    } else {
        let filler = PositionFiller::new(input, sheet, stm);
        Filled::new(n, |row| filler.fill(row))
    };
    let too_deep =
        || SyzygyError::TooDeep { material: input.layout.name().to_owned(), plies: Slot::MAX_PLIES };
    filled.ok_or_else(too_deep)
}

/// Up to this many values are looked up one by one and not as a row.
const MAX_SINGLE: u32 = 3;

/// One side to move, with everything that its moves lead to.
///
/// The naive way, which other games go ([`PositionFiller`]), is a list of captures for each placement, each
/// looked up in a smaller table. But in a row of the table all men but one stand still, so a row is done at
/// once. Who may capture whom is a mask of the squares of the man who varies, and what a capture leads to is
/// a row of another table:
///
/// ```text
///   neither of the two varies    all squares that are not between them        a row, the same man varying
///   the victim varies            the squares that the mover attacks           a row, the mover varying
///   the mover varies             the squares from which he attacks            one value
/// ```
pub(crate) struct RowFiller<'a> {
    input: &'a Input,
    sheet: &'a Sheet,
    stm: Side,
    attacks: Attacks,
    exits: Vec<RowExit<'a>>,
    own: View<'a>,
    pawns: Vec<Pawn>,
    /// Places of the other side's pawns.
    foes: Vec<usize>,
}

/// A capture: where it leads is another table.
struct RowExit<'a> {
    /// The place of the man that moves.
    mover: usize,
    /// The place of the man that is captured.
    victim: usize,
    /// The squares on which it may end.
    targets: u64,
    /// The table, for the men that are left in the order of the layout, the mover as what he becomes.
    view: View<'a>,
}

impl<'a> RowFiller<'a> {
    pub(crate) fn new(input: &'a Input, sheet: &'a Sheet, stm: Side) -> Self {
        let men = input.layout.men();
        let places_of = |side: Side| (0..men.len()).filter(move |&place| men[place].side == side);
        let is_pawn = |place: &usize| input.book.variant().is_pawn(men[*place]);
        let pawn = |place: usize| Pawn::new(&input.book, place, men[place]);
        let victim = |change: Change| change.gone.trailing_zeros() as usize;
        let exits = input.exits.iter().flat_map(|(change, table)| {
            // Only a foe is captured, and the pawn that is promoted is the one that moves.
            let is_of_stm = men[victim(*change)].side != stm;
            let moves = |place: &usize| is_of_stm && change.promoted.is_none_or(|(pawn, _)| pawn == *place);
            places_of(stm).filter(moves).map(move |mover| (mover, *change, table)).collect::<Vec<_>>()
        });
        let exit = |(mover, change, table): (usize, Change, &'a Arc<Table>)| {
            let men_left = change.apply(men);
            // No row is asked for in which a pawn varies: it attacks two squares, which are looked up
            // singly.
            let view = View::of_table(table, &men_left, change.promoted_place());
            let last =
                input.book.variant().pawn_rules(men[mover]).map_or(0, |pawn| pawn.promotion.bits() as u64);
            RowExit {
                mover,
                victim: victim(change),
                targets: if change.promoted.is_some() { last } else { !last },
                view: view.expect("the table is that of these men"),
            }
        };
        RowFiller {
            input,
            sheet,
            stm,
            attacks: Attacks::new(&input.book, men),
            exits: exits.map(exit).collect(),
            own: View::of_table(&sheet.table, men, None).expect("a table is that of its own men"),
            pawns: places_of(stm).filter(is_pawn).map(pawn).collect(),
            foes: places_of(!stm).filter(is_pawn).collect(),
        }
    }

    /// What moves leave of the values of a row.
    pub(crate) fn fill(&self, number: usize) -> FilledRow {
        let mut filled = FilledRow::FREE;
        let Some(row) = Row::new(self.sheet.table.layout(), number) else { return filled };
        let mut worths = [0; ROW];
        self.own
            .rows(self.stm, &row.squares[..row.n_men], None, row.varying)
            .codes::<ROW>(Square::from_index(0))
            .worths(&mut worths);
        let captures = self.best_captures(&row);
        let mut quick = Quick::default();
        for (square, &worth) in worths.iter().enumerate() {
            if row.occupied >> square & 1 != 0 || worth == NO_MOVE {
                continue;
            }
            // The worth is that to the side that moves there, so to the other side.
            let wdl = 4 - class(worth);
            let is_hidden = wdl > 0 && captures[square] == wdl;
            let own = Slot::new(worth, is_hidden);
            if wdl > 2 && own.and_then(Slot::plies) == Some(0) {
                quick.note(wdl, square);
            }
            filled.set(square, if is_hidden { State::LowerToo } else { State::Exact }, own);
        }
        if quick.any() && !self.pawns.is_empty() {
            // A win that is hidden has no distance, so it is not quick.
            each(self.pawn_moves_worth(number, &row, quick), |square| {
                filled.states.set(square, State::AnyDistance)
            });
        }
        filled
    }

    /// What the best capture is worth for each square of the man who varies; 0 where there is none.
    fn best_captures(&self, row: &Row) -> [u8; ROW] {
        let mut best = [0; ROW];
        for exit in &self.exits {
            let [from, to] = [exit.mover, exit.victim].map(|place| row.square(place));
            let mut mask = if exit.victim == row.varying {
                self.attacks.attacked(exit.mover, from, row.occupied) & exit.targets
            } else if exit.targets >> to & 1 == 0 {
                0
            } else if exit.mover == row.varying {
                // Who varies is no pawn, so he attacks from where he would be attacked.
                self.attacks.attacked(exit.mover, to, row.occupied)
            } else if self.attacks.attacks(exit.mover, from, to, row.occupied) {
                !self.attacks.between(from, to)
            } else {
                0
            };
            mask &= !row.occupied;
            self.add(row, exit, mask, &mut best);
        }
        best
    }

    /// Adds what an exit is worth on some squares of the man who varies.
    fn add(&self, row: &Row, exit: &RowExit<'_>, mask: u64, best: &mut [u8; ROW]) {
        if mask == 0 {
            return;
        }
        if exit.mover == row.varying {
            let class = self.class_behind(row, exit, 0);
            return each(mask, |square| best[square] = best[square].max(class));
        }
        if mask.count_ones() <= MAX_SINGLE {
            return each(mask, |square| {
                best[square] = best[square].max(self.class_behind(row, exit, square))
            });
        }
        let (after, n) = row.after(exit.mover, Some(exit.victim), row.squares[exit.victim]);
        let varying = if exit.victim == row.varying { exit.mover } else { row.varying };
        let varying = varying - usize::from(exit.victim < varying);
        let classes = classes(&exit.view, !self.stm, &after[..n], varying);
        each(mask, |square| best[square] = best[square].max(classes[square]));
    }

    /// What an exit is worth with the man who varies on this square.
    fn class_behind(&self, row: &Row, exit: &RowExit<'_>, square: usize) -> u8 {
        let own = row.with(square);
        let (after, n) = own.after(exit.mover, Some(exit.victim), own.squares[exit.victim]);
        class(worth(exit.view.value(!self.stm, &after[..n])))
    }

    /// On which squares of the man who varies a move of a pawn without capture keeps what the position is
    /// worth. A double step that can be answered by a capture en passant is passed over: what it is worth is
    /// more than a table says.
    fn pawn_moves_worth(&self, number: usize, row: &Row, quick: Quick) -> u64 {
        let (slice, in_slice) = self.sheet.row(number);
        let mut kept = quick.kept_by_promotion(self.input.promotions.row(self.stm, slice, in_slice));
        for pawn in &self.pawns {
            let steps = &pawn.steps[usize::from(row.square(pawn.place))];
            for step in steps.iter().filter(|step| step.promotion.is_none()) {
                let crossed = step.crossed();
                if row.occupied & crossed != 0
                    || step.passed.is_some_and(|passed| self.is_guarded(passed, row))
                {
                    continue;
                }
                let (after, n) = row.after(pawn.place, None, step.to);
                kept |= quick.kept_by(&classes(&self.own, !self.stm, &after[..n], row.varying), !crossed);
            }
        }
        kept
    }

    /// Whether a pawn of the other side attacks a square.
    fn is_guarded(&self, square: Square, row: &Row) -> bool {
        self.foes.iter().any(|&foe| self.attacks.attacks(foe, row.square(foe), square.index() as u8, 0))
    }
}

/// The squares of a row on which the position is a win by one more ply, and a cursed one.
#[derive(Clone, Copy, Default)]
struct Quick {
    won: u64,
    cursed: u64,
}

impl Quick {
    fn note(&mut self, wdl: u8, square: usize) {
        *(if wdl == 4 { &mut self.won } else { &mut self.cursed }) |= 1 << square;
    }

    fn any(self) -> bool {
        self.won | self.cursed != 0
    }

    /// On which squares a move that may be made keeps the win.
    fn kept_by(self, classes: &[u8; ROW], may: u64) -> u64 {
        let mut kept = 0;
        each((self.won | self.cursed) & may, |square| {
            let wanted = if self.won >> square & 1 != 0 { 4 } else { 3 };
            kept |= u64::from(classes[square] == wanted) << square;
        });
        kept
    }

    /// On which squares a promotion keeps the win.
    fn kept_by_promotion(self, marks: PromotionRow) -> u64 {
        self.won & marks.won | self.cursed & marks.cursed
    }
}

/// The squares of a board of 64, as a set each.
type Squares = [u64; 64];

/// What each man of a material attacks.
///
/// Invariant: no man has two ways to a square, and men who have one have the same; so it is with chessmen.
///
/// The rule book is asked once for each man and square; a row then takes a few words from the tables.
pub(crate) struct Attacks {
    /// By man, and by the square on which he stands, the squares that he attacks on an empty board.
    reach: Vec<Squares>,
    /// The squares on the way from one square to another.
    between: Box<[Squares; 64]>,
}

impl Attacks {
    /// The tables for these men on a board of 64 squares.
    pub(crate) fn new(book: &RuleBook, men: &[Man]) -> Self {
        let mut attacks = Attacks { reach: vec![[0; 64]; men.len()], between: Box::new([[0; 64]; 64]) };
        for (reach, &man) in attacks.reach.iter_mut().zip(men) {
            for (from, reach) in reach.iter_mut().enumerate() {
                let attacked = |occupied: u64| {
                    let occupied = SquareSet::from_bits(occupied.into());
                    book.attacked(man, Square::from_index(from), occupied).bits() as u64
                };
                *reach = attacked(0);
                each(*reach, |blocked| {
                    let hidden = *reach & !attacked(1 << blocked);
                    each(hidden, |to| attacks.between[from][to] |= 1 << blocked);
                });
            }
        }
        attacks
    }

    /// The squares between two squares of a line.
    #[inline]
    pub(crate) fn between(&self, from: u8, to: u8) -> u64 {
        self.between[usize::from(from & 63)][usize::from(to & 63)]
    }

    /// Whether a man attacks a square of a board on which these squares are occupied.
    #[inline]
    pub(crate) fn attacks(&self, man: usize, from: u8, to: u8, occupied: u64) -> bool {
        self.reach[man][usize::from(from & 63)] >> (to & 63) & 1 != 0
            && self.between(from, to) & occupied == 0
    }

    /// The squares that a man attacks on such a board.
    pub(crate) fn attacked(&self, man: usize, from: u8, occupied: u64) -> u64 {
        let mut attacked = 0;
        each(self.reach[man][usize::from(from & 63)], |to| {
            attacked |= u64::from(self.between(from, to as u8) & occupied == 0) << to;
        });
        attacked
    }
}

/// Calls `visit` with every square of a mask.
#[inline]
pub(crate) fn each(mask: u64, mut visit: impl FnMut(usize)) {
    let mut rest = mask;
    while rest != 0 {
        visit(rest.trailing_zeros() as usize);
        rest &= rest - 1;
    }
}

/// One side to move, with all tables that its moves lead to.
///
/// Chess has rows for that ([`RowFiller`]). In the other games a capture may take any men along, or rule all
/// other moves out, and what it leads to has few squares in common with where it came from; so there it is
/// done the naive way, with the moves that readers make. It costs ten times as much, for tables that few
/// will export.
///
/// Of a game that no reader knows every value stands in its file, and no move is made.
///
/// Where captures are compulsory readers do not ask a file if there is one, nor for the distance if a side
/// has pawns only, nor if a move of another man leaves the other side nothing but captures that lose: that
/// is a win in two plies.
pub(crate) struct PositionFiller<'a> {
    input: &'a Input,
    stm: Side,
    own: View<'a>,
    behind: BTreeMap<MaterialKey, ViewBehind<'a>>,
}

/// A table, and the order in which it is asked for its men.
struct ViewBehind<'a> {
    view: View<'a>,
    men: Vec<Man>,
}

impl<'a> PositionFiller<'a> {
    pub(crate) fn new(input: &'a Input, sheet: &'a Sheet, stm: Side) -> Self {
        let behind = |(men, table): &'a (Vec<Man>, Arc<Table>)| {
            let view = View::of_table(table, men, None).expect("the table is that of these men");
            let key = MaterialKey::new(men.iter().copied()).expect("a file has at most seven men");
            (key, ViewBehind { view, men: men.clone() })
        };
        let men = input.layout.men();
        let own = || View::of_table(&sheet.table, men, None).expect("a table is that of its own men");
        let key = MaterialKey::new(men.iter().copied()).expect("a file has at most seven men");
        let mut behind: BTreeMap<MaterialKey, ViewBehind<'a>> = input.behind.iter().map(behind).collect();
        behind.insert(key, ViewBehind { view: own(), men: men.to_vec() });
        PositionFiller { input, stm, own: own(), behind }
    }

    /// What moves leave of the values of a row.
    pub(crate) fn fill(&self, row: usize) -> FilledRow {
        let layout = &self.input.layout;
        let mut filled = FilledRow::FREE;
        for number in row * ROW..layout.len().min((row + 1) * ROW) {
            let placement = layout.decode(number);
            let men = || layout.men().iter().copied().zip(placement.iter().copied());
            let zone = |man: Man| self.input.book.variant().zone(man);
            if !men().all(|(man, square)| zone(man).contains(square)) {
                continue;
            }
            let Some(position) = Position::from_men(men(), self.stm) else { continue };
            // Of a game that no reader knows the tables know what is legal.
            if self.input.family.looks_at_moves() && !position.is_legal(&self.input.book) {
                continue;
            }
            let squares = &placement[..];
            let (state, slot) = self.slot(&position, worth(self.own.value(self.stm, squares)));
            filled.set(number % ROW, state, slot);
        }
        filled
    }

    /// What may stand for a position that is worth so much to the side that moves there; no slot if the
    /// distance has no room.
    fn slot(&self, position: &Position, worth: i16) -> (State, Option<Slot>) {
        if worth == NO_MOVE {
            return (State::Anything, Some(Slot::FREE));
        }
        if !self.input.family.looks_at_moves() {
            return (State::Exact, Slot::under(self.input.rule_plies, worth, false));
        }
        let best_capture = self.best_capture(position);
        let must_capture = self.input.family.must_capture();
        if must_capture && best_capture.is_some() {
            return (State::Anything, Some(Slot::FREE));
        }
        // The worth is that to the side that moves there, so to the other side.
        let wdl = 4 - class(worth);
        let is_hidden = wdl > 0 && best_capture == Some(wdl);
        let slot = Slot::new(worth, is_hidden);
        let is_resolved = match slot.and_then(Slot::plies) {
            // A lower value will do, and of a win any distance.
            _ if is_hidden => false,
            _ if must_capture && !self.has_piece(position) => true,
            Some(0) if wdl > 2 => self.has_move_worth(position, wdl, |mv, next| self.is_pawn_move(mv, next)),
            // Of another man, and it leaves nothing but captures.
            Some(1) if wdl > 2 && must_capture => {
                let has_capture = |next: &Position| !next.for_each_capture(&self.input.book, |_, _| false);
                self.has_move_worth(position, wdl, |mv, next| !mv.zeroing && has_capture(next))
            }
            _ => false,
        };
        match (is_hidden, is_resolved) {
            (true, _) => (State::LowerToo, slot),
            (false, true) => (State::AnyDistance, slot.map(Slot::with_any_distance)),
            (false, false) => (State::Exact, slot),
        }
    }

    /// What the best capture is worth, 0 loss to 4 win; none if there is none. Where captures are compulsory
    /// it is enough that there is one.
    fn best_capture(&self, position: &Position) -> Option<u8> {
        let mut best = None;
        position.for_each_capture(&self.input.book, |_, next| {
            let is_one_enough = self.input.family.must_capture();
            best = best.max(Some(if is_one_enough { 0 } else { self.class_behind(next) }));
            !is_one_enough
        });
        best
    }

    /// Whether the side to move has anything but pawns.
    fn has_piece(&self, position: &Position) -> bool {
        position.men_of(self.stm).any(|(man, _)| !self.input.book.variant().is_pawn(man))
    }

    /// Whether a move that is meant keeps what the position is worth.
    fn has_move_worth(
        &self,
        position: &Position,
        wdl: u8,
        is_meant: impl Fn(Move, &Position) -> bool,
    ) -> bool {
        let mut is_kept = false;
        position.for_each_successor(&self.input.book, |mv, next| {
            is_kept = is_kept || (is_meant(mv, next) && self.class_behind(next) == wdl);
        });
        is_kept
    }

    /// Whether a move is one of a pawn without capture. A double step that can be answered by a capture en
    /// passant is passed over: what it is worth is more than a table says.
    fn is_pawn_move(&self, mv: Move, next: &Position) -> bool {
        let is_other = |mv: Move, _: &Position| !mv.is_en_passant();
        let is_plain = || next.en_passant().is_none() || next.for_each_capture(&self.input.book, is_other);
        mv.zeroing && mv.captured.is_none() && is_plain()
    }

    /// What a move that leads to a position is worth to its mover, 0 loss to 4 win.
    fn class_behind(&self, next: &Position) -> u8 {
        match next.adjudication(&self.input.book).map(|ending| ending.winner) {
            Some(None) => 2,
            Some(Some(winner)) if winner == next.stm() => 0,
            Some(Some(_)) => 4,
            // Bare kings have no table.
            None if !self.input.family.n_men().contains(&next.n_men()) => 2,
            None => class(self.worth_behind(next)),
        }
    }

    /// What a move that leads to a position is worth to its mover, by the table.
    fn worth_behind(&self, next: &Position) -> i16 {
        let behind = MaterialKey::of(next).and_then(|key| self.behind.get(&key));
        let ViewBehind { view, men } = behind.expect("all tables that moves lead to were found");
        let mut squares = [Square::from_index(0); MAX_MEN];
        let mut free: u8 = (1 << men.len()) - 1;
        for (man, square) in next.men() {
            let place = (0..men.len()).find(|&place| men[place] == man && free >> place & 1 != 0);
            let place = place.expect("the same men");
            free &= !(1 << place);
            squares[place] = square;
        }
        worth(view.value(next.stm(), &squares[..men.len()]))
    }
}
