//! Borrows one block of a half-step: what it finds, and the open set that this is taken out of.

use crate::ground::Ground;
use crate::packed;
use index::BlockId;
use kernel::{Word, take};

/// One block of a half-step.
pub(crate) struct Block<'a, W> {
    pub(crate) id: BlockId,
    pub(crate) found: &'a mut [W],
    /// By row: whether it may have something that is found.
    pub(crate) live: &'a mut [bool],
    /// The set that what is found is taken out of.
    pub(crate) open: &'a mut [W],
    /// Whether that has changed.
    pub(crate) is_changed: bool,
}

impl<W: Word> Block<'_, W> {
    /// Adds a packed set to what is found, `cut` having the last word on each word of it, with the open
    /// set.
    ///
    /// # Panics
    /// If it is no packed set of a block.
    pub(crate) fn join(
        &mut self,
        ground: &Ground<'_, W>,
        set: &[u8],
        mut cut: impl FnMut(usize, W, &mut W) -> W,
    ) {
        let row_len = ground.row_len();
        let is_set = packed::unpack_words(set, self.found.len(), ground.lane_len(), |word, bits: W| {
            let before = self.open[word];
            let bits = cut(word, bits, &mut self.open[word]);
            self.is_changed |= self.open[word] != before;
            if bits != W::ZERO {
                self.found[word] |= bits;
                self.live[word / row_len] = true;
            }
        });
        assert!(is_set, "a set that was packed is unpacked");
    }

    /// Takes what is found out of the open set; rows without any are live no more.
    #[inline]
    pub(crate) fn close_found(&mut self, ground: &Ground<'_, W>) {
        if ground.is_word() {
            self.open[0] &= !self.found[0];
            self.live[0] = self.found[0] != W::ZERO;
        } else {
            take(self.open, self.found, self.live, ground.row_len());
        }
        self.is_changed |= self.live.contains(&true);
    }
}
