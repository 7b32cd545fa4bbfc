//! Reading a table in the terms of whoever asks: any colours, any order of men.

use crate::{CodesRef, Mapping, Table, Value};
use geometry::Square;
use index::Layout;
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
    mapping: Mapping,
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
        let mapping = Mapping::new(layout, codes.map(|codes| codes.is_some()), men)?;
        Some(View { layout, codes, mapping })
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
        self.mapping.locate(self.layout, stm, squares)
    }
}
