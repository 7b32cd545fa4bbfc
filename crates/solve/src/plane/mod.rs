//! Stores the sets of placements of a pass: what is open, what is an escape, and what this ply and the last
//! have found.
//!
//! A set is words from the start of a cache line on, with flags for rows and blocks. A half-step borrows one
//! block of them at a time.

mod frontier;
mod open_plane;

pub(crate) use frontier::{Frontier, PARTS_IN_MEMORY, PackedBlocks, PlacementSet, WordSet};
pub(crate) use open_plane::{Change, OpenBlocks, OpenPlane};

use crate::ground::Ground;
use crate::packed::{self, N_SLOTS, PlaneFile, SetRoom};
use index::BlockId;
use kernel::{Word, take};
use open_plane::DiskPlane;
use std::io;

/// The planes of a pass, used again from slice to slice.
#[derive(Default, Debug)]
pub(crate) struct PassPlanes<W> {
    pub(crate) open: OpenPlane<W>,
    pub(crate) escape: Escape<W>,
    /// Ghosts, where they are kept apart.
    pub(crate) won_ghosts: Frontier<W>,
    pub(crate) lost_ghosts: Frontier<W>,
    pub(crate) won: Frontier<W>,
    pub(crate) won_next: Frontier<W>,
    pub(crate) lost: Frontier<W>,
    pub(crate) lost_next: Frontier<W>,
    pub(crate) touched: Vec<bool>,
    /// Where the sets of the next slice go, if they are to be on the disk.
    pub(crate) files: Option<PassFiles>,
}

/// Room on the disk for the sets of a pass.
#[derive(Debug)]
pub(crate) struct PassFiles {
    pub(crate) open: Box<dyn PlaneFile>,
    pub(crate) escape: Box<dyn PlaneFile>,
    /// What is found at a ply and was found at the one before, for either side.
    pub(crate) frontiers: [Box<dyn PlaneFile>; 4],
    /// Where memory is short: how many blocks a window keeps of each of these. Then hardly anything of what
    /// is found stays in memory.
    pub(crate) n_slots: Option<usize>,
}

/// How many planes a pass has: the open set, the escapes, and four frontiers; where captures are compulsory,
/// ghosts among the escapes and in two frontiers, too.
pub(crate) const fn n_pass_planes(has_ghosts: bool) -> u64 {
    if has_ghosts { 9 } else { 6 }
}

impl<W> PassPlanes<W> {
    /// Whether there is anything to look back from.
    pub(crate) fn any(&self) -> bool {
        self.won.any || self.lost.any || self.won_ghosts.any || self.lost_ghosts.any
    }
}

impl<W: Word> PassPlanes<W> {
    /// Makes room for a slice, and holds nothing; ghosts are kept apart where captures are compulsory, and
    /// frontiers are packed if they are to be.
    pub(crate) fn reset(&mut self, ground: &Ground<'_, W>, is_apart: bool, packs: bool) {
        let (n_blocks, n_rows, row_len) = (ground.n_blocks(), ground.n_rows(), ground.row_len());
        let files = self.files.take().filter(|_| packs);
        let (planes, frontiers, n_slots) = match files {
            Some(PassFiles { open, escape, frontiers, n_slots }) => {
                (Some([open, escape]), frontiers.map(Some), n_slots)
            }
            None => (None, [const { None }; 4], None),
        };
        let all = [&mut self.won, &mut self.won_next, &mut self.lost, &mut self.lost_next];
        for (frontier, file) in all.into_iter().zip(frontiers) {
            match packs {
                true => {
                    frontier.reset_packed(n_blocks, (n_rows, row_len, ground.lane_len()), (file, n_slots));
                }
                false => frontier.reset(n_blocks, n_rows, row_len),
            }
        }
        match planes {
            Some([open, escape]) => {
                let shape = (n_blocks, ground.words_per_block(), row_len);
                let n_slots = n_slots.unwrap_or(N_SLOTS);
                self.open = OpenPlane::Disk(DiskPlane::new(open, shape, n_slots));
                self.escape.places = OpenPlane::Disk(DiskPlane::new(escape, shape, n_slots));
            }
            None => {
                self.open.resize(ground.n_words());
                self.escape.places.resize(ground.n_words());
            }
        }
        self.escape.ghosts = None;
        // Another game may have left its own behind.
        self.won_ghosts.clear();
        self.lost_ghosts.clear();
        if is_apart {
            self.escape.ghosts = Some(vec![W::ZERO; ground.n_words()].into());
            self.won_ghosts.reset(n_blocks, n_rows, row_len);
            self.lost_ghosts.reset(n_blocks, n_rows, row_len);
        }
        self.touched.resize(n_blocks, false);
    }

    /// Whether something that is on the disk could not be read or written.
    pub(crate) fn has_failed(&self) -> bool {
        self.open.has_failed() || self.escape.places.has_failed() || self.rooms().any(SetRoom::has_failed)
    }

    /// Why it could not, if that is so.
    pub(crate) fn take_failure(&self) -> Option<io::Error> {
        let in_planes = self.open.take_failure().or_else(|| self.escape.places.take_failure());
        in_planes.or_else(|| self.rooms().find_map(SetRoom::take_failure))
    }

    /// Where packed frontiers are kept.
    fn rooms(&self) -> impl Iterator<Item = &SetRoom> {
        let all = [&self.won, &self.won_next, &self.lost, &self.lost_next];
        all.into_iter().filter_map(|frontier| Some(&**frontier.packed.as_ref()?.room()))
    }
}

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

/// Where a side may go without harm: placements, and ghosts among them, unless these are kept apart.
#[derive(Default, Debug)]
pub(crate) struct Escape<W> {
    pub(crate) places: OpenPlane<W>,
    /// Under compulsory capture.
    pub(crate) ghosts: Option<OpenPlane<W>>,
}

impl<W: Word> Escape<W> {
    /// These placements, and the ghosts of some words: among them, or apart.
    pub(crate) fn new(mut places: Vec<W>, ghosts: &WordSet<W>, is_apart: bool) -> Self {
        let mut apart = is_apart.then(|| vec![W::ZERO; places.len()]);
        let plane = apart.as_mut().unwrap_or(&mut places);
        ghosts.for_each(|word, bits| plane[word] |= bits);
        Escape { places: places.into(), ghosts: apart.map(OpenPlane::from) }
    }
}

#[cfg(test)]
mod tests;
