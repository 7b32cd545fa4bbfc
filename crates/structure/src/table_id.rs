//! Defines the number of a table, so that it cannot be exchanged with that of a unit or a page.

/// The number of a table among those of a structure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct TableId(pub(crate) u32);

impl TableId {
    /// Its number, to index by.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}
