//! Fills the slots of chess a row at a time.
//!
//! The naive way, which other games go (`position_filler`), is a list of captures for each placement, each
//! looked up in a smaller table. But in a row of the table all men but one stand still, so a row is done at
//! once. Who may capture whom is a mask of the squares of the man who varies, and what a capture leads to is
//! a row of another table:
//!
//! ```text
//!   neither of the two varies    all squares that are not between them        a row, the same man varying
//!   the victim varies            the squares that the mover attacks           a row, the mover varying
//!   the mover varies             the squares from which he attacks            one value
//! ```

use super::attack::{Attacks, each};
use super::input::Input;
use super::slot::{Slot, class};
use super::slots::{FilledRow, ROW, State};
use exit::Change;
use geometry::Square;
use index::MAX_MEN;
use position::{Position, RuleBook};
use std::sync::Arc;
use table::{NO_MOVE, Table, View, worth};
use variant::{Man, PieceId, Side};

/// Up to so many values are looked up one by one and not as a row.
const MAX_SINGLE: u32 = 3;

/// One side to move, with everything that its moves lead to.
pub(crate) struct RowFiller<'a> {
    input: &'a Input,
    stm: Side,
    attacks: Attacks,
    exits: Vec<RowExit<'a>>,
    own: View<'a>,
    pawns: Vec<Pawn>,
    /// Places of the other side's pawns.
    foes: Vec<usize>,
}

/// A move that changes the men: where it leads is another table.
struct RowExit<'a> {
    /// The place of the man that moves.
    mover: usize,
    /// The place of the man that is captured, if one is.
    victim: Option<usize>,
    /// What a pawn becomes by it.
    promotion: Option<PieceId>,
    /// The squares on which it may end.
    targets: u64,
    /// The table, for the men that are left in the order of the layout, the mover as what he becomes.
    view: View<'a>,
}

/// A pawn of the side to move.
struct Pawn {
    place: usize,
    /// Its moves without capture from each square.
    steps: Vec<Vec<PawnStep>>,
}

/// A pawn's move without capture.
struct PawnStep {
    to: Square,
    promotion: Option<PieceId>,
    /// The square that a double step passes over.
    passed: Option<Square>,
}

/// A row: where the men stand but for the one who varies.
struct Row {
    squares: [Square; MAX_MEN],
    n_men: usize,
    varying: usize,
    /// The squares of the men who do not vary.
    occupied: u64,
}

impl<'a> RowFiller<'a> {
    pub(crate) fn new(input: &'a Input, stm: Side) -> Self {
        let men = input.layout.men();
        let places_of = |side: Side| (0..men.len()).filter(move |&place| men[place].side == side);
        let is_pawn = |place: &usize| input.book.variant().is_pawn(men[*place]);
        let pawn = |place: usize| Pawn { place, steps: steps(&input.book, men[place]) };
        let victim = |change: Change| (change.gone != 0).then(|| change.gone.trailing_zeros() as usize);
        let exits = input.exits.iter().flat_map(|(change, table)| {
            // Only a foe is captured, and the pawn that is promoted is the one that moves.
            let is_of_stm = victim(*change).is_none_or(|victim| men[victim].side != stm);
            let moves = |place: &usize| is_of_stm && change.promoted.is_none_or(|(pawn, _)| pawn == *place);
            places_of(stm).filter(moves).map(move |mover| (mover, *change, table)).collect::<Vec<_>>()
        });
        let exit = |(mover, change, table): (usize, Change, &'a Arc<Table>)| {
            let promotion = change.promoted.map(|(_, piece)| piece);
            let men_left = change.apply(men);
            // No row is asked for in which a pawn varies: it attacks two squares, which are looked up singly.
            let view = match change.promoted_place() {
                Some(place) => View::of_part(table, &men_left, place),
                None => View::of_table(table, &men_left),
            };
            let last =
                input.book.variant().pawn_rules(men[mover]).map_or(0, |pawn| pawn.promotion.bits() as u64);
            RowExit {
                mover,
                victim: victim(change),
                promotion,
                targets: if promotion.is_some() { last } else { !last },
                view: view.expect("the table is that of these men"),
            }
        };
        RowFiller {
            input,
            stm,
            attacks: Attacks::new(&input.book, men),
            exits: exits.map(exit).collect(),
            own: View::of_table(&input.table, men).expect("a table is that of its own men"),
            pawns: places_of(stm).filter(is_pawn).map(pawn).collect(),
            foes: places_of(!stm).filter(is_pawn).collect(),
        }
    }

    /// What moves leave of the values of a row.
    pub(crate) fn fill(&self, number: usize) -> FilledRow {
        let mut filled = FilledRow::FREE;
        let Some(row) = self.row(number) else { return filled };
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
            // The worth is that to whoever moves there, so to the other side.
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
            each(self.pawn_moves_worth(&row, quick), |square| filled.states.set(square, State::AnyDistance));
        }
        filled
    }

    /// A row of the table; none if two of its men share a square.
    fn row(&self, number: usize) -> Option<Row> {
        let layout = &self.input.layout;
        let placement = layout.decode(number * ROW);
        let varying = *layout.free().last().expect("one of two kings is free");
        let (mut squares, mut occupied) = ([Square::from_index(0); MAX_MEN], 0u64);
        for (man, (square, own)) in squares.iter_mut().zip(placement.iter().copied()).enumerate() {
            *square = own;
            if man != varying {
                if occupied >> own.index() & 1 != 0 {
                    return None;
                }
                occupied |= 1 << own.index();
            }
        }
        Some(Row { squares, n_men: layout.men().len(), varying, occupied })
    }

    /// What the best capture is worth for each square of the man who varies; 0 where there is none.
    fn best_captures(&self, row: &Row) -> [u8; ROW] {
        let mut best = [0; ROW];
        for exit in &self.exits {
            let Some(victim) = exit.victim else { continue };
            let [from, to] = [exit.mover, victim].map(|place| row.square(place));
            let mut mask = if victim == row.varying {
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
        let (after, n) = row.after(exit.mover, exit.victim, row.target(exit));
        let varying = if exit.victim == Some(row.varying) { exit.mover } else { row.varying };
        let varying = varying - usize::from(exit.victim.is_some_and(|victim| victim < varying));
        let classes = classes(&exit.view, !self.stm, &after[..n], varying);
        each(mask, |square| best[square] = best[square].max(classes[square]));
    }

    /// What an exit is worth with the man who varies on this square.
    fn class_behind(&self, row: &Row, exit: &RowExit<'_>, square: usize) -> u8 {
        let own = row.with(square);
        let to = if exit.victim == Some(row.varying) { Square::from_index(square) } else { row.target(exit) };
        let (after, n) = own.after(exit.mover, exit.victim, to);
        class(worth(exit.view.value(!self.stm, &after[..n])))
    }

    /// On which squares of the man who varies a move of a pawn without capture keeps what the position is
    /// worth. A double step that can be answered by a capture en passant is passed over: what it is worth is
    /// more than a table says.
    fn pawn_moves_worth(&self, row: &Row, quick: Quick) -> u64 {
        let mut kept = 0;
        for pawn in &self.pawns {
            for step in &pawn.steps[usize::from(row.square(pawn.place))] {
                let crossed = step.passed.map_or(0, |passed| 1 << passed.index()) | 1 << step.to.index();
                if row.occupied & crossed != 0
                    || step.passed.is_some_and(|passed| self.is_guarded(passed, row))
                {
                    continue;
                }
                let leads = |exit: &&RowExit<'_>| {
                    exit.mover == pawn.place && exit.victim.is_none() && exit.promotion == step.promotion
                };
                let view = match step.promotion {
                    None => &self.own,
                    Some(_) => &self.exits.iter().find(leads).expect("every promotion has its table").view,
                };
                let (after, n) = row.after(pawn.place, None, step.to);
                kept |= quick.kept_by(&classes(view, !self.stm, &after[..n], row.varying), !crossed);
            }
        }
        kept
    }

    /// Whether a pawn of the other side attacks a square.
    fn is_guarded(&self, square: Square, row: &Row) -> bool {
        self.foes.iter().any(|&foe| self.attacks.attacks(foe, row.square(foe), square.index() as u8, 0))
    }
}

impl Row {
    fn square(&self, man: usize) -> u8 {
        self.squares[man].index() as u8
    }

    /// The same with the man who varies on a square.
    fn with(&self, square: usize) -> Row {
        let mut squares = self.squares;
        squares[self.varying] = Square::from_index(square);
        Row { squares, ..*self }
    }

    /// Where an exit's mover goes to.
    fn target(&self, exit: &RowExit<'_>) -> Square {
        self.squares[exit.victim.unwrap_or(exit.mover)]
    }

    /// The squares of the men that are left after a move, and how many they are.
    fn after(&self, mover: usize, victim: Option<usize>, to: Square) -> ([Square; MAX_MEN], usize) {
        let (mut after, mut n) = ([Square::from_index(0); MAX_MEN], 0);
        for (place, &square) in self.squares[..self.n_men].iter().enumerate() {
            if Some(place) != victim {
                after[n] = if place == mover { to } else { square };
                n += 1;
            }
        }
        (after, n)
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
}

/// What moves to the placements of a row are worth, 0 loss to 4 win; 0 for no move too.
fn classes(view: &View<'_>, stm: Side, squares: &[Square], varying: usize) -> [u8; ROW] {
    let mut worths = [0; ROW];
    view.rows(stm, squares, None, varying).codes::<ROW>(Square::from_index(0)).worths(&mut worths);
    worths.map(class)
}

/// The moves without capture of a pawn that is alone on the board, from each square.
fn steps(book: &RuleBook, pawn: Man) -> Vec<Vec<PawnStep>> {
    let from = |square: usize| {
        let position = Position::from_men([(pawn, Square::from_index(square))], pawn.side);
        let moves = position.map_or_else(Vec::new, |position| position.legal_moves(book));
        moves.iter().map(|mv| PawnStep { to: mv.to, promotion: mv.promotion, passed: mv.passed }).collect()
    };
    (0..ROW).map(from).collect()
}
