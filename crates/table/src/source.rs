//! Hands out the codes of a table a run of units at a time, from memory or as they are made.
//!
//! A *unit* is one block of one slice: `block_len` codes that stand next to each other. Tables that are
//! larger than memory are never there as a whole, so whoever writes or counts a table asks for its codes in
//! runs of units, and a [`Table`] in memory lends all of them at once.

use crate::{Codes, CodesRef, Coding, Table};
use index::Layout;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use variant::Side;

/// A table whose codes can be had a run of units at a time. Every code is exact, those of placements that
/// are not canonical too.
pub trait CodeSource: Sync {
    /// The numbering of the placements.
    fn layout(&self) -> &Arc<Layout>;

    /// Which codes a side to move has; none if the table does not keep it, as a symmetric one does not keep
    /// Black.
    fn coding(&self, stm: Side) -> Option<Coding>;

    /// How many units in a row are best asked for at once: as many as fit into memory, or all.
    fn units_at_once(&self) -> usize;

    /// The codes of some units in a row. They are borrowed if they are in memory, and otherwise put into
    /// `room`, whatever that has held.
    ///
    /// Shape: `block_len` codes a unit.
    ///
    /// # Errors
    /// What the codes are made from cannot be read.
    ///
    /// # Panics
    /// If the table does not keep this side to move.
    fn codes<'a>(&'a self, stm: Side, units: Range<usize>, room: &'a mut Codes) -> io::Result<CodesRef<'a>>;
}

impl CodeSource for Table {
    fn layout(&self) -> &Arc<Layout> {
        self.layout()
    }

    fn coding(&self, stm: Side) -> Option<Coding> {
        self.codes(stm).map(Codes::coding)
    }

    fn units_at_once(&self) -> usize {
        self.layout().n_units()
    }

    fn codes<'a>(&'a self, stm: Side, units: Range<usize>, _: &'a mut Codes) -> io::Result<CodesRef<'a>> {
        assert!(self.scope().is_none(), "a part of {} has no units", self.layout().name());
        let len = self.layout().block_len();
        let codes = self.codes(stm).expect("a side to move that the table keeps").as_ref();
        Ok(codes.range(units.start * len..units.end * len))
    }
}

/// A table without its distances, as the metric `wdl` has it.
pub struct WithoutDistances<'a>(pub &'a dyn CodeSource);

impl std::fmt::Debug for WithoutDistances<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("WithoutDistances").field(&self.0.layout().name()).finish()
    }
}

impl CodeSource for WithoutDistances<'_> {
    fn layout(&self) -> &Arc<Layout> {
        self.0.layout()
    }

    fn coding(&self, stm: Side) -> Option<Coding> {
        self.0.coding(stm).map(|_| Coding::Narrow(()))
    }

    fn units_at_once(&self) -> usize {
        self.0.units_at_once()
    }

    fn codes<'a>(&'a self, stm: Side, units: Range<usize>, room: &'a mut Codes) -> io::Result<CodesRef<'a>> {
        let mut own = Codes::Narrow(Vec::new());
        *room = self.0.codes(stm, units, &mut own)?.to_wdl();
        Ok(room.as_ref())
    }
}
