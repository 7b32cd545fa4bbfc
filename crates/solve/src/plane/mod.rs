//! Stores the sets of placements of a pass: what is open, what is an escape, and what this ply and the last
//! have found.
//!
//! A set is words from the start of a cache line on, with flags for rows and blocks. A half-step borrows one
//! block of them at a time.

mod frontier;
mod open_plane;

pub(crate) use frontier::{Frontier, PackedBlocks, WordSet};
pub(crate) use open_plane::{Change, OpenBlocks, OpenPlane};

use crate::ground::Ground;
use crate::packed::{self, FirstError, N_SLOTS, PlaneFile, SetRoom, Spill};
use index::BlockId;
use kernel::{Word, take};
use open_plane::DiskPlane;
use std::sync::Arc;
use variant::Rules;

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
    /// What could not be read or written of this one's, if they are there.
    failure: Option<Arc<FirstError>>,
}

/// Of packed placements that have a spill so much is in memory: a plane divided by this.
pub(crate) const PARTS_IN_MEMORY: usize = 20;

/// Of packed placements that have a spill this much is in memory where memory is short: the words of a block
/// divided by this.
const BLOCK_PARTS_IN_MEMORY: usize = 4;

/// Room on the disk for the sets of a pass.
#[derive(Debug)]
pub(crate) struct PassFiles {
    pub(crate) open: Box<dyn PlaneFile>,
    pub(crate) escape: Box<dyn PlaneFile>,
    /// What is found at a ply and was found at the one before, for either side.
    pub(crate) frontiers: [Arc<Spill>; 4],
    /// Where memory is short: how many blocks a window keeps of each of these. Then hardly anything of what
    /// is found stays in memory.
    pub(crate) n_slots: Option<usize>,
    /// What could not be read or written of any of these.
    pub(crate) failure: Arc<FirstError>,
}

/// Counts the planes of a pass: the open set, the escapes, and four frontiers; where captures are compulsory,
/// ghosts among the escapes and in two frontiers, too; where checks are counted, the entries among the
/// escapes.
pub(crate) const fn n_pass_planes(rules: &Rules) -> u64 {
    6 + if rules.must_capture { 3 } else { 0 } + if rules.check_counting.is_some() { 1 } else { 0 }
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
        let (words_per_block, lane_len) = (ground.words_per_block(), ground.lane_len());
        let mut spills = [const { None }; 4];
        let mut n_slots = None;
        self.failure = None;
        match self.files.take().filter(|_| packs) {
            Some(PassFiles { open, escape, frontiers, n_slots: own_slots, failure }) => {
                (spills, n_slots) = (frontiers.map(Some), own_slots);
                let [open, escape] = [open, escape].map(|file| {
                    let shape = (n_blocks, words_per_block, row_len);
                    OpenPlane::Disk(DiskPlane::new(file, shape, n_slots.unwrap_or(N_SLOTS), failure.clone()))
                });
                (self.open, self.escape.places) = (open, escape);
                self.failure = Some(failure);
            }
            None => {
                self.open.resize(ground.n_words());
                self.escape.places.resize(ground.n_words());
            }
        }
        let block_bytes = words_per_block * size_of::<W>();
        let most_bytes = match n_slots {
            None => n_blocks * block_bytes / PARTS_IN_MEMORY,
            Some(_) => block_bytes / BLOCK_PARTS_IN_MEMORY,
        };
        let all = [&mut self.won, &mut self.won_next, &mut self.lost, &mut self.lost_next];
        for (frontier, spill) in all.into_iter().zip(spills) {
            if packs {
                let room = SetRoom::new(spill, most_bytes as u64, n_slots);
                frontier.reset_packed(n_blocks, (n_rows, row_len, lane_len), room);
            } else {
                frontier.reset(n_blocks, n_rows, row_len);
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
        let counts_checks = ground.law.check_wins.is_some();
        self.escape.entries = counts_checks.then(|| vec![W::ZERO; ground.n_words()].into());
        self.touched.resize(n_blocks, false);
    }

    /// What is on the disk and could not be read or written, if any of it is there.
    pub(crate) fn failure(&self) -> Option<&FirstError> {
        self.failure.as_deref()
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
    /// Where checks are counted, all of this as moves enter it: the ghosts, the placements where the side to
    /// move is not attacked, and the others if the table after the check is no harm.
    pub(crate) entries: Option<OpenPlane<W>>,
}

impl<W: Word> Escape<W> {
    /// These placements, and the ghosts of some words: among them, or apart.
    pub(crate) fn new(mut places: Vec<W>, ghosts: &WordSet<W>, is_apart: bool) -> Self {
        let mut apart = is_apart.then(|| vec![W::ZERO; places.len()]);
        let plane = apart.as_mut().unwrap_or(&mut places);
        ghosts.for_each(|word, bits| plane[word] |= bits);
        Escape { places: places.into(), ghosts: apart.map(OpenPlane::from), entries: None }
    }

    /// The plane that has the ghosts.
    pub(crate) fn with_ghosts(&mut self) -> &mut OpenPlane<W> {
        let apart = self.ghosts.as_mut().or(self.entries.as_mut());
        apart.unwrap_or(&mut self.places)
    }
}

#[cfg(test)]
mod tests;
