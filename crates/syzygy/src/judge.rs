//! A judge: what a file may hold, found by making the moves of one position after the other.
//!
//! Chess has rows for that (`slot`). In the other games a capture may take any men along, or rule all other
//! moves out, and what it leads to has few squares in common with where it came from; so there it is done the
//! naive way, with the moves that readers make. It costs ten times as much, for tables that few will export.
//!
//! Of a game that no reader knows every value stands in its file, and no move is made.
//!
//! Where captures are compulsory readers do not ask a file if there is one, nor for the distance if a side
//! has pawns only, nor if a move of another man leaves the other side nothing but captures that lose: that is
//! a win in two plies.

use crate::Family;
use crate::board::{Board, key_of_men};
use crate::chess::{Chessman, MAX_MEN};
use crate::cube::ROW;
use crate::ground::Ground;
use crate::slot::{Slot, class};
use geometry::Square;
use std::collections::BTreeMap;
use table::{NO_MOVE, View, worth};
use variant::Side;

/// One side to move, with all tables that its moves lead to.
pub(crate) struct Judge<'a> {
    ground: &'a Ground,
    stm: Side,
    /// By the number of which men there are.
    sights: BTreeMap<u64, Sight<'a>>,
}

/// A table, and the order in which it is asked for its men.
struct Sight<'a> {
    view: View<'a>,
    men: Vec<Chessman>,
}

/// What captures say of a position.
struct Captures {
    is_there: bool,
    /// The best, 0 loss to 4 win; 0 if there is none.
    best: u8,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(ground: &'a Ground, stm: Side) -> Self {
        let sight = |table, men: &[_], chessmen: &[Chessman]| {
            let view = View::of_table(table, men).expect("the table is that of these men");
            (key_of_men(chessmen.iter().copied()), Sight { view, men: chessmen.to_vec() })
        };
        let own = sight(&ground.table, ground.layout.men(), ground.men());
        let behind = ground.leavings.iter().map(|(left, table)| sight(table, &left.men, &left.chessmen));
        Judge { ground, stm, sights: behind.chain([own]).collect() }
    }

    /// Fills a row of slots; false if a distance has no room.
    pub(crate) fn fill(&self, row: usize, slots: &mut [Slot]) -> bool {
        let men = self.ground.men();
        let mut squares = [0; MAX_MEN];
        self.ground.cube().squares(row, &mut squares);
        let varying = self.ground.cube().varying();
        let mut fits = true;
        for (square, slot) in (0..ROW as u8).zip(slots) {
            squares[varying] = square;
            let mut placed = [(0, 0); MAX_MEN];
            placed.iter_mut().zip(men).zip(squares).for_each(|((to, &man), square)| *to = (man, square));
            let is_black = self.stm == Side::Black;
            let board = Board::of_men(self.ground.family, &placed[..men.len()], is_black, None);
            if let Some(board) = board.filter(Board::is_legal) {
                let own = self.slot(&board);
                fits &= own.is_some();
                *slot = own.unwrap_or(Slot::FREE);
            }
        }
        fits
    }

    /// What may stand there; none if the distance has no room.
    fn slot(&self, board: &Board) -> Option<Slot> {
        let worth = self.worth(board);
        if worth == NO_MOVE {
            return Some(Slot::FREE);
        }
        if !self.ground.family.looks_at_moves() {
            return Slot::under(self.ground.rule_plies, worth, false);
        }
        let captures = self.captures(board);
        let must_capture = self.ground.family.must_capture();
        if must_capture && captures.is_there {
            return Some(Slot::FREE);
        }
        // The worth is that to whoever moves there, so to the other side.
        let wdl = 4 - class(worth);
        let is_hidden = wdl > 0 && captures.is_there && captures.best == wdl;
        let slot = Slot::new(worth, is_hidden)?;
        let is_resolved = match slot.plies() {
            _ if must_capture && !board.has_piece() => true,
            Some(0) if wdl > 2 => self.has_pawn_move_worth(board, wdl),
            Some(1) if wdl > 2 && must_capture => self.has_threat_worth(board, wdl),
            _ => false,
        };
        Some(if is_resolved { slot.with_any_distance() } else { slot })
    }

    fn captures(&self, board: &Board) -> Captures {
        let mut captures = Captures { is_there: false, best: 0 };
        board.captures(&mut |_, next| {
            captures.is_there = true;
            // Where captures are compulsory it is enough that there is one.
            if self.ground.family.must_capture() {
                return false;
            }
            captures.best = captures.best.max(self.class_behind(next));
            true
        });
        captures
    }

    /// Whether a move of a pawn without capture keeps what the position is worth. A double step that can be
    /// answered by a capture en passant is passed over: what it is worth is more than a table says.
    fn has_pawn_move_worth(&self, board: &Board, wdl: u8) -> bool {
        !board.pawn_moves(&mut |_, next| {
            let is_plain = next.passed().is_none() || next.captures(&mut |step, _| !step.is_en_passant);
            !(is_plain && self.class_behind(next) == wdl)
        })
    }

    /// Whether a move of another man leaves only captures, and keeps what the position is worth.
    fn has_threat_worth(&self, board: &Board, wdl: u8) -> bool {
        !board.piece_moves(&mut |_, next| !(next.has_capture() && self.class_behind(next) == wdl))
    }

    /// What a move that leads to a position is worth to its mover, 0 loss to 4 win.
    fn class_behind(&self, next: &Board) -> u8 {
        match next.end_by_men() {
            Some(wdl) => (2 - wdl) as u8,
            // Bare kings have no table.
            None if !self.ground.family.n_men().contains(&next.men().len()) => 2,
            None => class(self.worth(next)),
        }
    }

    /// What a move that leads to a position is worth to its mover, by the table.
    fn worth(&self, board: &Board) -> i16 {
        let sight = self.sights.get(&board.key()).expect("all tables that moves lead to were found");
        let mut squares = [Square::from_index(0); MAX_MEN];
        let mut is_used = [false; MAX_MEN];
        for (to, &man) in squares.iter_mut().zip(&sight.men) {
            let found = board.men().iter().enumerate().find(|(i, (own, _))| *own == man && !is_used[*i]);
            let (place, &(_, square)) = found.expect("the same men");
            is_used[place] = true;
            *to = Square::from_index(square.into());
        }
        let stm = if board.is_black_to_move() { Side::Black } else { Side::White };
        worth(sight.view.value(stm, &squares[..sight.men.len()]))
    }
}

impl Ground {
    /// Whether slots are found by rows.
    pub(crate) fn has_rows(&self) -> bool {
        self.family == Family::Chess
    }
}
