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
use super::behind::TableBehind;
use super::input::Input;
use super::pawn_step::Pawn;
use super::promotion::PromotionRow;
use super::row::{Row, classes};
use super::sheet::Sheet;
use super::slot::{Slot, class};
use super::slots::{FilledRow, ROW, State};
use geometry::Square;
use table::{NO_MOVE, View, worth};
use variant::Side;
use variant::exit::Change;

/// Up to so many values are looked up one by one and not as a row.
const MAX_SINGLE: u32 = 3;

/// One side to move, with everything that its moves lead to.
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
        let exit = |(mover, change, table): (usize, Change, &'a TableBehind)| {
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
            own: View::of_table(sheet.table(), men).expect("a table is that of its own men"),
            pawns: places_of(stm).filter(is_pawn).map(pawn).collect(),
            foes: places_of(!stm).filter(is_pawn).collect(),
        }
    }

    /// What moves leave of the values of a row.
    pub(crate) fn fill(&self, number: usize) -> FilledRow {
        let mut filled = FilledRow::FREE;
        let Some(row) = Row::new(self.sheet.layout(), number) else { return filled };
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
