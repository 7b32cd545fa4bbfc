//! Borrows one block of a half-step: what it finds, and the open set that this is taken out of.

use crate::ground::Ground;
use kernel::{Word, take};

/// One block of a half-step.
pub(crate) struct Block<'a, W> {
    pub(crate) number: usize,
    pub(crate) found: &'a mut [W],
    /// By row: whether it may have something that is found.
    pub(crate) live: &'a mut [bool],
    /// The set that what is found is taken out of.
    pub(crate) open: &'a mut [W],
}

impl<W: Word> Block<'_, W> {
    /// Takes what is found out of the open set; rows without any are live no more.
    #[inline]
    pub(crate) fn close_found(&mut self, ground: &Ground<'_, W>) {
        if ground.is_word() {
            self.open[0] &= !self.found[0];
            self.live[0] = self.found[0] != W::ZERO;
        } else {
            take(self.open, self.found, self.live, ground.row_len());
        }
    }
}
