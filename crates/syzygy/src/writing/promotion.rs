//! Marks where a promotion without capture wins, before anything else is looked at.
//!
//! A pawn that is promoted leads to a table of as many men, which is as large as the material's own. Of all
//! that it says two bits are of use: whether the promotion wins, and whether the n-move rule spoils that. And
//! they are of use only where a pawn stands before its last step, in a sixth of the slices of either side:
//!
//! ```text
//!   for each table that is promoted into     the part of it where the new man stands on the last rank
//!     for each slice with the pawn before it   a row of it for each row of the slice ─► two bits a placement
//! ```
//!
//! So these tables are in memory one after the other, before the material's own.

use super::behind::{BehindExit, TableBehind};
use super::pawn_step::Pawn;
use super::row::{Row, classes};
use super::slots::ROW;
use crate::error::SyzygyError;
use index::{Layout, SliceId};
use position::RuleBook;
use rayon::prelude::*;
use std::collections::BTreeMap;
use table::View;
use variant::exit::Change;
use variant::{Man, Side};

/// On which squares of the man who varies some promotion leads to a win, and on which to a cursed one.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct PromotionRow {
    pub(crate) won: u64,
    pub(crate) cursed: u64,
}

/// What promotions without capture are worth, for all placements of a layout.
#[derive(Debug)]
pub(crate) struct Promotions {
    /// By side to move and slice: a mark for each row, or nothing where no pawn is before its last step.
    by_side: [Vec<Vec<PromotionRow>>; 2],
}

impl Promotions {
    /// Looks up what these changes, all of them promotions without capture, lead to; `find` finds a table, or
    /// the part of it that is asked for.
    pub(crate) fn new(
        book: &RuleBook,
        layout: &Layout,
        changes: &[Change],
        find: &dyn Fn(&BehindExit) -> Result<TableBehind, SyzygyError>,
    ) -> Result<Self, SyzygyError> {
        let none = || vec![Vec::new(); layout.n_slices()];
        let mut promotions = Promotions { by_side: [none(), none()] };
        let mut by_table: BTreeMap<BehindExit, Vec<Change>> = BTreeMap::new();
        for &change in changes {
            by_table.entry(BehindExit::new(book.variant(), layout.men(), change)).or_default().push(change);
        }
        for (behind, changes) in by_table {
            let table = find(&behind)?;
            changes.into_iter().for_each(|change| promotions.add(book, layout, change, &table));
        }
        Ok(promotions)
    }

    fn add(&mut self, book: &RuleBook, layout: &Layout, change: Change, table: &TableBehind) {
        let (Some((place, piece)), Some(after)) = (change.promoted, change.promoted_place()) else { return };
        let man: Man = layout.men()[place];
        let pawn = Pawn::new(book, place, man);
        let men_left = change.apply(layout.men());
        let view = View::of_part(table, &men_left, after).expect("the table is that of these men");
        let n_rows = layout.slice_len() / ROW;
        for slice in layout.slices() {
            let own = layout.pawns().iter().position(|&own| own == place).expect("a pawn is promoted");
            let from = layout.pawn_squares(slice)[own];
            for step in pawn.steps[from.index()].iter().filter(|step| step.promotion == Some(piece)) {
                let rows = &mut self.by_side[man.side.index()][slice.index()];
                rows.resize(n_rows, PromotionRow::default());
                rows.par_iter_mut().enumerate().for_each(|(number, marks)| {
                    let Some(row) = Row::new(layout, slice.index() * n_rows + number) else { return };
                    if row.occupied & step.crossed() != 0 {
                        return;
                    }
                    let (after, n) = row.after(place, None, step.to);
                    let classes = classes(&view, !man.side, &after[..n], row.varying);
                    let may = !row.occupied & !step.crossed();
                    let of_class = |class: u8| {
                        let bits =
                            classes.iter().zip(0..).map(|(&own, square)| u64::from(own == class) << square);
                        bits.fold(0, |all, bit| all | bit) & may
                    };
                    marks.won |= of_class(4);
                    marks.cursed |= of_class(3);
                });
            }
        }
    }

    /// The marks of a row of a slice.
    pub(crate) fn row(&self, stm: Side, slice: SliceId, row: usize) -> PromotionRow {
        self.by_side[stm.index()]
            .get(slice.index())
            .and_then(|rows| rows.get(row))
            .copied()
            .unwrap_or_default()
    }
}
