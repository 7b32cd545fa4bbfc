//! Fills slots by making the moves of one position after the other.
//!
//! Chess has rows for that (`row_filler`). In the other games a capture may take any men along, or rule all
//! other moves out, and what it leads to has few squares in common with where it came from; so there it is
//! done the naive way, with the moves that readers make. It costs ten times as much, for tables that few will
//! export.
//!
//! Of a game that no reader knows every value stands in its file, and no move is made.
//!
//! Where captures are compulsory readers do not ask a file if there is one, nor for the distance if a side
//! has pawns only, nor if a move of another man leaves the other side nothing but captures that lose: that is
//! a win in two plies.

use super::behind::TableBehind;
use super::input::Input;
use super::sheet::Sheet;
use super::slot::{Slot, class};
use super::slots::{FilledRow, ROW, State};
use crate::material::code::MAX_MEN;
use crate::material::key::MaterialKey;
use geometry::Square;
use position::{Move, Position};
use std::collections::BTreeMap;
use table::{NO_MOVE, View, worth};
use variant::{Man, Side};

/// One side to move, with all tables that its moves lead to.
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

/// What captures say of a position.
struct Captures {
    is_there: bool,
    /// The best, 0 loss to 4 win; 0 if there is none.
    best: u8,
}

impl<'a> PositionFiller<'a> {
    pub(crate) fn new(input: &'a Input, sheet: &'a Sheet, stm: Side) -> Self {
        let behind = |(men, table): &'a (Vec<Man>, TableBehind)| {
            let view = View::of_table(table, men).expect("the table is that of these men");
            let key = MaterialKey::new(men.iter().copied()).expect("a file has at most seven men");
            (key, ViewBehind { view, men: men.clone() })
        };
        let men = input.layout.men();
        let own = || View::of_table(sheet.table(), men).expect("a table is that of its own men");
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

    /// What may stand for a position that is worth so much to whoever moves there; no slot if the distance
    /// has no room.
    fn slot(&self, position: &Position, worth: i16) -> (State, Option<Slot>) {
        if worth == NO_MOVE {
            return (State::Anything, Some(Slot::FREE));
        }
        if !self.input.family.looks_at_moves() {
            return (State::Exact, Slot::under(self.input.rule_plies, worth, false));
        }
        let captures = self.captures(position);
        let must_capture = self.input.family.must_capture();
        if must_capture && captures.is_there {
            return (State::Anything, Some(Slot::FREE));
        }
        // The worth is that to whoever moves there, so to the other side.
        let wdl = 4 - class(worth);
        let is_hidden = wdl > 0 && captures.is_there && captures.best == wdl;
        let slot = Slot::new(worth, is_hidden);
        let is_resolved = match slot.and_then(Slot::plies) {
            // A lower value will do, and of a win any distance.
            _ if is_hidden => false,
            _ if must_capture && !self.has_piece(position) => true,
            Some(0) if wdl > 2 => self.has_pawn_move_worth(position, wdl),
            Some(1) if wdl > 2 && must_capture => self.has_threat_worth(position, wdl),
            _ => false,
        };
        match (is_hidden, is_resolved) {
            (true, _) => (State::LowerToo, slot),
            (false, true) => (State::AnyDistance, slot.map(Slot::with_any_distance)),
            (false, false) => (State::Exact, slot),
        }
    }

    fn captures(&self, position: &Position) -> Captures {
        let mut captures = Captures { is_there: false, best: 0 };
        position.for_each_capture(&self.input.book, |_, next| {
            captures.is_there = true;
            // Where captures are compulsory it is enough that there is one.
            if self.input.family.must_capture() {
                return false;
            }
            captures.best = captures.best.max(self.class_behind(next));
            true
        });
        captures
    }

    /// Whether the side to move has anything but pawns.
    fn has_piece(&self, position: &Position) -> bool {
        position.men_of(self.stm).any(|(man, _)| !self.input.book.variant().is_pawn(man))
    }

    /// Whether a move of a pawn without capture keeps what the position is worth. A double step that can be
    /// answered by a capture en passant is passed over: what it is worth is more than a table says.
    fn has_pawn_move_worth(&self, position: &Position, wdl: u8) -> bool {
        let is_plain = |next: &Position| {
            let is_other = |mv: Move, _: &Position| !mv.is_en_passant();
            next.en_passant().is_none() || next.for_each_capture(&self.input.book, is_other)
        };
        let mut is_kept = false;
        position.for_each_successor(&self.input.book, |mv, next| {
            let is_pawn_move = mv.zeroing && mv.captured.is_none();
            is_kept = is_kept || (is_pawn_move && is_plain(next) && self.class_behind(next) == wdl);
        });
        is_kept
    }

    /// Whether a move of another man leaves only captures, and keeps what the position is worth.
    fn has_threat_worth(&self, position: &Position, wdl: u8) -> bool {
        let has_capture = |next: &Position| !next.for_each_capture(&self.input.book, |_, _| false);
        let mut is_kept = false;
        position.for_each_successor(&self.input.book, |mv, next| {
            is_kept = is_kept || (!mv.zeroing && has_capture(next) && self.class_behind(next) == wdl);
        });
        is_kept
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
