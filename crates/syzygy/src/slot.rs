//! Slots: what a file may hold for each position, made of solved tables.
//!
//! Readers look at captures before they believe a file, so many a value need not be in it:
//!
//! ```text
//!   WDL   the best capture is worth as much as the position      that value or any lower one
//!         otherwise                                              the value
//!   DTZ   a draw                                                 anything
//!         a win that a capture or a pawn move keeps              anything
//!         otherwise                                              the distance
//!   both  no position                                            anything
//! ```
//!
//! The slots of a side to move stand in a [`Cube`]: the numbers of an arrangement are looked up there, and
//! however many arrangements are tried, moves are made once.
//!
//! The naive way, which other games than chess go (`judge`), is a list of captures for each placement, each
//! looked up in a smaller table. But in a row of the cube all men but one stand still, so a row is done at
//! once. Who may capture whom is a mask of the squares of the man who varies, and what a capture leads to is
//! a row of another table:
//!
//! ```text
//!   neither of the two varies    all squares that are not between them        a row, the same man varying
//!   the victim varies            the squares that the mover attacks           a row, the mover varying
//!   the mover varies             the squares from which he attacks            one value
//! ```

use crate::RULE_PLIES;
use crate::chess::{Chessman, PAWN, attacks, between, kind, reach};
use crate::cube::ROW;
use crate::error::SyzygyError;
use crate::ground::{ExitKey, Ground, left_men};
use crate::judge::Judge;
use geometry::Square;
use index::MAX_MEN;
use rayon::prelude::*;
use std::sync::Arc;
use table::{NO_MOVE, Table, View, worth};
use variant::Side;

/// Every WDL value.
pub(crate) const ANY: u8 = 0b1_1111;

/// Every distance.
pub(crate) const ANY_DISTANCE: u16 = u16::MAX;

/// Where the class of a distance stands; below it are the plies.
pub(crate) const CLASS_SHIFT: u32 = 14;

/// How many rows a thread takes at a time.
const N_ROWS: usize = 256;

/// Up to so many values are looked up one by one and not as a row.
const MAX_SINGLE: u32 = 3;

/// What a file may hold at a place.
///
/// ```text
///   bits 0–11   the plies less one (less 101 beyond the fifty-move rule); all set if any distance will do
///        12–14  the WDL value, 0 loss to 4 win; 5 if any will do
///        15     any lower value will do too
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot(u16);

impl Slot {
    /// Anything will do.
    pub(crate) const FREE: Slot = Slot(5 << 12 | Slot::ANY_PLIES);
    const ANY_PLIES: u16 = 0xfff;
    /// The most plies that there is room for.
    const MAX_PLIES: u16 = Slot::ANY_PLIES - 1;
    const LOWER_TOO: u16 = 1 << 15;

    /// What may stand for a position that is worth so much to whoever moves there, so to the other side; none
    /// if its distance has no room. It is hidden if a capture is worth as much.
    #[inline]
    pub(crate) fn new(worth: i16, is_hidden: bool) -> Option<Self> {
        Slot::under(RULE_PLIES, worth, is_hidden)
    }

    /// The same under an n-move rule of so many plies.
    #[inline]
    pub(crate) fn under(rule_plies: u16, worth: i16, is_hidden: bool) -> Option<Self> {
        let wdl = 4 - class_under(rule_plies, worth);
        let ply = i16::MAX.abs_diff(worth.saturating_abs());
        let least = if matches!(wdl, 1 | 3) { rule_plies + 1 } else { 1 };
        let plies = match wdl {
            2 => Slot::ANY_PLIES,
            3 | 4 if is_hidden => Slot::ANY_PLIES,
            _ => Some(ply.saturating_sub(least)).filter(|&plies| plies <= Slot::MAX_PLIES)?,
        };
        let lower_too = if is_hidden { Slot::LOWER_TOO } else { 0 };
        Some(Slot(lower_too | u16::from(wdl) << 12 | plies))
    }

    /// The plies less one, less 101 beyond the fifty-move rule; none if any distance will do.
    #[inline]
    pub(crate) fn plies(self) -> Option<u16> {
        Some(self.0 & Slot::ANY_PLIES).filter(|&plies| plies != Slot::ANY_PLIES)
    }

    /// The same, but any distance will do.
    #[inline]
    pub(crate) fn with_any_distance(self) -> Self {
        Slot(self.0 | Slot::ANY_PLIES)
    }

    /// The WDL values that will do, a bit each.
    #[inline]
    pub(crate) fn wdl(self) -> u8 {
        const SETS: [u8; 16] =
            [1, 2, 4, 8, 16, ANY, ANY, ANY, 1, 0b11, 0b111, 0b1111, 0b1_1111, ANY, ANY, ANY];
        SETS[usize::from(self.0 >> 12)]
    }

    /// The class of the distance (0 win, 1 loss, 2 cursed win, 3 blessed loss) and the plies;
    /// [`ANY_DISTANCE`] where anything will do.
    #[inline]
    pub(crate) fn distance(self) -> u16 {
        const CLASSES: [u16; 8] = [1, 3, 0, 2, 0, 0, 0, 0];
        match self.0 & Slot::ANY_PLIES {
            Slot::ANY_PLIES => ANY_DISTANCE,
            plies => CLASSES[usize::from(self.0 >> 12 & 7)] << CLASS_SHIFT | plies,
        }
    }

    /// Whether it is a win or loss that is just in time for the fifty-move rule: a ply more or less matters
    /// then.
    pub(crate) fn is_tight(self) -> bool {
        self.0 & Slot::ANY_PLIES == RULE_PLIES - 1 && matches!(self.0 >> 12 & 7, 0 | 4)
    }
}

impl Ground {
    /// The slots with a side to move, by the place in the cube.
    ///
    /// Complexity: a row of the table and one of every table that captures lead to, for each 64 placements;
    /// pawn moves only where one may decide.
    pub(crate) fn slots(&self, stm: Side) -> Result<Vec<Slot>, SyzygyError> {
        let mut slots = vec![Slot::FREE; self.cube().len()];
        let fits = if self.has_rows() {
            let mover = Mover::new(self, stm);
            fill(&mut slots, |row, slots| mover.fill(row, slots))
        } else {
            let judge = Judge::new(self, stm);
            fill(&mut slots, |row, slots| judge.fill(row, slots))
        };
        match fits {
            true => Ok(slots),
            false => {
                Err(SyzygyError::TooDeep { material: self.layout.name().to_owned(), plies: Slot::MAX_PLIES })
            }
        }
    }
}

/// Fills all rows; false if one cannot be filled.
fn fill(slots: &mut [Slot], fill_row: impl Fn(usize, &mut [Slot]) -> bool + Sync) -> bool {
    slots.par_chunks_mut(N_ROWS * ROW).enumerate().all(|(stretch, slots)| {
        slots.chunks_mut(ROW).zip(stretch * N_ROWS..).all(|(slots, row)| fill_row(row, slots))
    })
}

/// One side to move, with everything that its moves lead to.
struct Mover<'a> {
    ground: &'a Ground,
    stm: Side,
    exits: Vec<Exit<'a>>,
    own: View<'a>,
    /// Places of the pawns of the side to move.
    pawns: Vec<usize>,
    /// Places of the other side's pawns.
    foes: Vec<usize>,
}

/// A move that changes the men: where it leads is another table.
struct Exit<'a> {
    /// The place of the man that moves.
    mover: usize,
    /// The place of the man that is captured, if one is.
    victim: Option<usize>,
    /// Whether a pawn is promoted by it.
    promotes: bool,
    /// The table, for the men that are left in the order of the layout, the mover as what he becomes.
    view: View<'a>,
}

/// A row: where the men stand but for the one who varies.
struct Row {
    squares: [Square; MAX_MEN],
    n_men: usize,
    varying: usize,
    /// The squares of the men who do not vary.
    occupied: u64,
}

/// The squares of the last ranks.
const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

impl<'a> Mover<'a> {
    fn new(ground: &'a Ground, stm: Side) -> Self {
        let layout = &*ground.layout;
        let exit = |(key, table): &'a (ExitKey, Arc<Table>)| {
            let men = left_men(layout, *key);
            let view = View::of_table(table, &men).expect("the table is that of these men");
            Exit { mover: key.0, victim: key.1, promotes: key.2.is_some(), view }
        };
        let exits = ground.exits.iter().filter(|((mover, ..), _)| layout.men()[*mover].side == stm).map(exit);
        let pawns = |of: Side| {
            let places = 0..ground.men().len();
            places.filter(|&i| kind(ground.men()[i]) == PAWN && layout.men()[i].side == of).collect()
        };
        Mover {
            ground,
            stm,
            exits: exits.collect(),
            own: View::of_table(&ground.table, layout.men()).expect("a table is that of its own men"),
            pawns: pawns(stm),
            foes: pawns(!stm),
        }
    }

    /// Fills a row of slots; false if a distance has no room.
    fn fill(&self, number: usize, slots: &mut [Slot]) -> bool {
        let Some(row) = self.row(number) else { return true };
        let mut worths = [0; ROW];
        self.own
            .rows(self.stm, &row.squares[..row.n_men], None, row.varying)
            .codes::<ROW>(Square::from_index(0))
            .worths(&mut worths);
        let captures = self.best_captures(&row);
        let mut quick = Quick::default();
        let mut fits = true;
        for (square, slot) in slots.iter_mut().enumerate() {
            if row.occupied >> square & 1 != 0 || worths[square] == NO_MOVE {
                continue;
            }
            // The worth is that to whoever moves there, so to the other side.
            let wdl = 4 - class(worths[square]);
            let Some(own) = Slot::new(worths[square], wdl > 0 && captures[square] == wdl) else {
                fits = false;
                continue;
            };
            if wdl > 2 && own.plies() == Some(0) {
                quick.note(wdl, square);
            }
            *slot = own;
        }
        if quick.any() && !self.pawns.is_empty() {
            let kept = self.pawn_moves_worth(&row, quick);
            each(kept, |square| slots[square] = slots[square].with_any_distance());
        }
        fits
    }

    /// A row of the cube; none if two of its men share a square.
    fn row(&self, number: usize) -> Option<Row> {
        let n_men = self.ground.men().len();
        let mut numbers = [0; crate::chess::MAX_MEN];
        self.ground.cube().squares(number, &mut numbers);
        let varying = self.ground.cube().varying();
        let (mut squares, mut occupied) = ([Square::from_index(0); MAX_MEN], 0u64);
        for (man, (square, &own)) in squares.iter_mut().zip(&numbers[..n_men]).enumerate() {
            *square = Square::from_index(own.into());
            if man != varying {
                if occupied >> own & 1 != 0 {
                    return None;
                }
                occupied |= 1 << own;
            }
        }
        Some(Row { squares, n_men, varying, occupied })
    }

    /// What the best capture is worth for each square of the man who varies; 0 where there is none.
    fn best_captures(&self, row: &Row) -> [u8; ROW] {
        let mut best = [0; ROW];
        for exit in &self.exits {
            let Some(victim) = exit.victim else { continue };
            let man = self.ground.men()[exit.mover];
            let [from, to] = [exit.mover, victim].map(|place| row.square(place));
            let mut mask = if victim == row.varying {
                seen(man, from, row.occupied)
            } else if exit.mover == row.varying {
                // Who varies is no pawn, so he attacks from where he would be attacked.
                seen(man, to, row.occupied)
            } else if attacks(man, from, to, row.occupied) {
                !between(from, to)
            } else {
                0
            };
            mask &= !row.occupied;
            if kind(man) == PAWN {
                let last = if victim == row.varying { LAST_RANKS } else { all_if(LAST_RANKS >> to & 1 != 0) };
                mask &= if exit.promotes { last } else { !last };
            }
            self.add(row, exit, mask, &mut best);
        }
        best
    }

    /// Adds what an exit is worth on some squares of the man who varies.
    fn add(&self, row: &Row, exit: &Exit<'_>, mask: u64, best: &mut [u8; ROW]) {
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
    fn class_behind(&self, row: &Row, exit: &Exit<'_>, square: usize) -> u8 {
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
        for &pawn in &self.pawns {
            let from = row.square(pawn);
            let (forward, home): (i8, u8) = if self.stm == Side::White { (8, 1) } else { (-8, 6) };
            let to = from.wrapping_add_signed(forward);
            if row.occupied >> to & 1 != 0 {
                continue;
            }
            let is_free = !(1 << to);
            if LAST_RANKS >> to & 1 != 0 {
                for exit in self.exits.iter().filter(|exit| exit.mover == pawn && exit.victim.is_none()) {
                    let (after, n) = row.after(pawn, None, Square::from_index(to.into()));
                    kept |= quick.kept_by(&classes(&exit.view, !self.stm, &after[..n], row.varying), is_free);
                }
                continue;
            }
            let step = |to: u8, is_free: u64| {
                let (after, n) = row.after(pawn, None, Square::from_index(to.into()));
                quick.kept_by(&classes(&self.own, !self.stm, &after[..n], row.varying), is_free)
            };
            kept |= step(to, is_free);
            let far = to.wrapping_add_signed(forward);
            if from >> 3 == home && row.occupied >> far & 1 == 0 && !self.is_guarded(to, row) {
                kept |= step(far, is_free & !(1 << far));
            }
        }
        kept
    }

    /// Whether a pawn of the other side attacks a square.
    fn is_guarded(&self, square: u8, row: &Row) -> bool {
        self.foes.iter().any(|&foe| attacks(self.ground.men()[foe], row.square(foe), square, 0))
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
    fn target(&self, exit: &Exit<'_>) -> Square {
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

/// What a move of this worth leads to for its mover, the fifty-move rule counted: 0 loss to 4 win, 0 for no
/// move.
#[inline]
pub(crate) fn class(worth: i16) -> u8 {
    class_under(RULE_PLIES, worth)
}

/// The same under an n-move rule of so many plies.
#[inline]
fn class_under(rule_plies: u16, worth: i16) -> u8 {
    let in_time = i16::MAX - rule_plies as i16;
    u8::from(worth > -in_time) + u8::from(worth >= 0) + u8::from(worth > 0) + u8::from(worth >= in_time)
}

/// The squares that a man sees from a square of a board on which these are occupied.
fn seen(man: Chessman, from: u8, occupied: u64) -> u64 {
    let mut seen = 0;
    each(reach(man, from), |to| seen |= u64::from(attacks(man, from, to as u8, occupied)) << to);
    seen
}

/// Calls `visit` with every square of a mask.
#[inline]
fn each(mask: u64, mut visit: impl FnMut(usize)) {
    let mut rest = mask;
    while rest != 0 {
        visit(rest.trailing_zeros() as usize);
        rest &= rest - 1;
    }
}

/// All squares or none.
const fn all_if(all: bool) -> u64 {
    if all { u64::MAX } else { 0 }
}
