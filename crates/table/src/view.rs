//! Reading a table in the terms of whoever asks: any colours, any order of men.

use crate::{CodesRef, Table, Value};
use geometry::Square;
use index::{Layout, MAX_MEN};
use std::sync::Arc;
use variant::{Man, Material, Side};

/// Where solved tables are found.
pub trait Lookup: Sync {
    /// The table of a canonical material, if it is there.
    fn table(&self, material: &Material) -> Option<Arc<Table>>;
}

/// A table that is needed and not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// Its canonical material.
    pub material: Material,
}

/// A table as seen by somebody who lists other men in another order, or has the colours exchanged.
#[derive(Debug)]
pub struct View<'a> {
    layout: &'a Layout,
    codes: [Option<CodesRef<'a>>; 2],
    /// For reading with the colours as they are and exchanged: which of the asker's men stands at each place of
    /// the layout; none if the men do not match so.
    order: [Option<[u8; MAX_MEN]>; 2],
    flip: [u8; 64],
}

impl<'a> View<'a> {
    /// The view of a table for these men; none if they are not the table's material in either colours.
    #[must_use]
    pub fn of_table(table: &'a Table, men: &[Man]) -> Option<Self> {
        let codes = Side::BOTH.map(|side| table.codes(side).map(crate::Codes::as_ref));
        View::new(table.layout(), codes, men)
    }

    /// The view of codes that may still be in the making.
    #[must_use]
    pub fn new(layout: &'a Layout, codes: [Option<CodesRef<'a>>; 2], men: &[Man]) -> Option<Self> {
        let swapped: Vec<Man> = men.iter().map(|m| Man { side: !m.side, ..*m }).collect();
        let order = [matching(layout.men(), men), matching(layout.men(), &swapped)];
        if order.iter().all(Option::is_none) {
            return None;
        }
        let mut flip = [0; 64];
        let board = layout.board();
        board.squares().for_each(|s| flip[s.index()] = board.mirror_ranks(s).index() as u8);
        Some(View { layout, codes, order, flip })
    }

    /// The value with the asker's men on these squares and the asker's `stm` to move.
    ///
    /// Complexity: one numbering of the placement and one read.
    #[must_use]
    #[inline]
    pub fn value(&self, stm: Side, squares: &[Square]) -> Value {
        match self.locate(stm, squares) {
            Some((stm, index)) => {
                self.codes[stm.index()].expect("located where there are codes").value(index)
            }
            None => Value::Illegal,
        }
    }

    /// Where that value stands: the side to move as the table has it, and the placement's number; none where the
    /// numbering has no place because the men cannot stand so.
    #[must_use]
    #[inline]
    pub fn locate(&self, stm: Side, squares: &[Square]) -> Option<(Side, usize)> {
        let mut own = [Square::from_index(0); MAX_MEN];
        let n = squares.len();
        // As they are, if the men match so and that side to move is kept; otherwise with the colours exchanged.
        if let (Some(order), true) = (&self.order[0], self.codes[stm.index()].is_some()) {
            for (slot, &from) in own.iter_mut().zip(&order[..n]) {
                *slot = squares[from as usize];
            }
            return Some((stm, self.layout.encode(&own[..n])?));
        }
        let order = self.order[1].as_ref().expect("a table of one side to move has symmetric material");
        for (slot, &from) in own.iter_mut().zip(&order[..n]) {
            *slot = Square::from_index(self.flip[squares[from as usize].index()] as usize);
        }
        Some((!stm, self.layout.encode(&own[..n])?))
    }
}

/// For each man of `own` the place of an equal man in `others`, each used once; none if they do not match.
fn matching(own: &[Man], others: &[Man]) -> Option<[u8; MAX_MEN]> {
    if own.len() != others.len() {
        return None;
    }
    let mut order = [0; MAX_MEN];
    let mut used = [false; MAX_MEN];
    for (slot, man) in order.iter_mut().zip(own) {
        let place = (0..others.len()).find(|&i| !used[i] && others[i] == *man)?;
        used[place] = true;
        *slot = place as u8;
    }
    Some(order)
}
