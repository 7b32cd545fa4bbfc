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

use super::cube::ROW;
use super::input::Input;
use super::slot::{Slot, class};
use crate::material::code::MAX_MEN;
use crate::material::key::MaterialKey;
use geometry::Square;
use position::{Move, Position};
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{NO_MOVE, Table, View, worth};
use variant::{Man, Side};

/// One side to move, with all tables that its moves lead to.
pub(crate) struct PositionFiller<'a> {
    input: &'a Input,
    stm: Side,
    own: View<'a>,
    behind: BTreeMap<MaterialKey, TableBehind<'a>>,
}

/// A table, and the order in which it is asked for its men.
struct TableBehind<'a> {
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
    pub(crate) fn new(input: &'a Input, stm: Side) -> Self {
        let behind = |(men, table): &'a (Vec<Man>, Arc<Table>)| {
            let view = View::of_table(table, men).expect("the table is that of these men");
            let key = MaterialKey::new(men.iter().copied()).expect("a file has at most seven men");
            (key, TableBehind { view, men: men.clone() })
        };
        let men = input.layout.men();
        let own = || View::of_table(&input.table, men).expect("a table is that of its own men");
        let key = MaterialKey::new(men.iter().copied()).expect("a file has at most seven men");
        let mut behind: BTreeMap<MaterialKey, TableBehind<'a>> = input.behind.iter().map(behind).collect();
        behind.insert(key, TableBehind { view: own(), men: men.to_vec() });
        PositionFiller { input, stm, own: own(), behind }
    }

    /// Fills a row of slots; false if a distance has no room.
    pub(crate) fn fill(&self, row: usize, slots: &mut [Slot]) -> bool {
        let men = self.input.layout.men();
        let varying = self.input.cube().varying();
        let mut squares = [0; MAX_MEN];
        self.input.cube().squares(row, &mut squares);
        let mut squares = squares.map(|square| Square::from_index(square.into()));
        let others =
            (0..men.len()).filter(|&place| place != varying).map(|place| (men[place], squares[place]));
        let zone = |man: Man| self.input.book.variant().zone(man);
        let are_placed = others.clone().all(|(man, square)| zone(man).contains(square));
        let Some(mut position) = Position::from_men(others, self.stm).filter(|_| are_placed) else {
            return true;
        };
        let mut fits = true;
        for (square, slot) in (0..ROW).map(Square::from_index).zip(slots) {
            if position.man_on(square).is_some() || !zone(men[varying]).contains(square) {
                continue;
            }
            position.put(men[varying], square);
            squares[varying] = square;
            // Of a game that no reader knows the tables know what is legal.
            if !self.input.family.looks_at_moves() || position.is_legal(&self.input.book) {
                let own = self.slot(&position, worth(self.own.value(self.stm, &squares[..men.len()])));
                fits &= own.is_some();
                *slot = own.unwrap_or(Slot::FREE);
            }
            position.take(square);
        }
        fits
    }

    /// What may stand for a position that is worth so much to whoever moves there; none if the distance has
    /// no room.
    fn slot(&self, position: &Position, worth: i16) -> Option<Slot> {
        if worth == NO_MOVE {
            return Some(Slot::FREE);
        }
        if !self.input.family.looks_at_moves() {
            return Slot::under(self.input.rule_plies, worth, false);
        }
        let captures = self.captures(position);
        let must_capture = self.input.family.must_capture();
        if must_capture && captures.is_there {
            return Some(Slot::FREE);
        }
        // The worth is that to whoever moves there, so to the other side.
        let wdl = 4 - class(worth);
        let is_hidden = wdl > 0 && captures.is_there && captures.best == wdl;
        let slot = Slot::new(worth, is_hidden)?;
        let is_resolved = match slot.plies() {
            _ if must_capture && !self.has_piece(position) => true,
            Some(0) if wdl > 2 => self.has_pawn_move_worth(position, wdl),
            Some(1) if wdl > 2 && must_capture => self.has_threat_worth(position, wdl),
            _ => false,
        };
        Some(if is_resolved { slot.with_any_distance() } else { slot })
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
        let TableBehind { view, men } = behind.expect("all tables that moves lead to were found");
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
