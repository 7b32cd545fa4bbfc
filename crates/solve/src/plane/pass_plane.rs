//! Holds the planes of a pass: what is open, what is an escape, and what this ply and the last have found.

use super::disk::DiskPlane;
use super::escape::Escape;
use super::frontier::Frontier;
use super::open_plane::OpenPlane;
use crate::ground::Ground;
use crate::packed::{N_SLOTS, SetRoom};
use crate::plane_file::PlaneFile;
use kernel::Word;
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

impl<W> PassPlanes<W> {
    /// How many planes a pass has: the open set, the escapes, and four frontiers.
    const N_PLANES: u64 = 6;

    /// How many more it has where captures are compulsory: ghosts among the escapes, and in two frontiers.
    const N_GHOST_PLANES: u64 = 3;

    /// How many there are, with ghosts kept apart or not.
    pub(crate) const fn planes(has_ghosts: bool) -> u64 {
        Self::N_PLANES + if has_ghosts { Self::N_GHOST_PLANES } else { 0 }
    }

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
