//! Reads values by their numbers, from a table in memory or from a file piece by piece.

use index::Layout;
use std::sync::Arc;
use table::{Lookup, Table, Value};
use variant::{Material, Side};

/// The values of one material, wherever they are.
pub trait Values: Sync + Send {
    /// The numbering of the placements.
    fn layout(&self) -> &Layout;

    /// Whether positions with this side to move are there. Of a symmetric material White's are; of any other
    /// at least one side's: a file may leave the other out, whose values are then those that their moves lead
    /// to.
    fn keeps(&self, stm: Side) -> bool;

    /// Whether all places have their values, those too that are no position or that another place stands for.
    /// Where they do not, only canonical places of legal positions are asked for.
    fn is_whole(&self) -> bool;

    /// The value with this number and a side to move that is kept; none if it cannot be read: the source
    /// keeps the reason.
    fn value(&self, stm: Side, index: usize) -> Option<Value>;
}

impl Values for Table {
    fn layout(&self) -> &Layout {
        Table::layout(self)
    }

    fn keeps(&self, stm: Side) -> bool {
        self.codes(stm).is_some()
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn value(&self, stm: Side, index: usize) -> Option<Value> {
        Some(Table::value(self, stm, index))
    }
}

/// Where the values of other materials are found.
pub trait Find: Sync {
    /// The values of a canonical material, if they are there.
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>>;
}

impl<L: Lookup> Find for L {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        self.table(material).map(|table| table as Arc<dyn Values>)
    }
}
