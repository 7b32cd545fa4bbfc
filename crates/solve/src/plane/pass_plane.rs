//! Holds the planes of a pass: what is open, what is an escape, and what this ply and the last have found.

use super::alignment::AlignedWords;
use super::escape::Escape;
use super::frontier::Frontier;
use crate::ground::Ground;
use kernel::Word;

/// The planes of a pass, used again from slice to slice.
#[derive(Default, Debug)]
pub(crate) struct PassPlanes<W> {
    pub(crate) open: AlignedWords<W>,
    pub(crate) escape: Escape<W>,
    /// Ghosts, where they are kept apart.
    pub(crate) won_ghosts: Frontier<W>,
    pub(crate) lost_ghosts: Frontier<W>,
    pub(crate) won: Frontier<W>,
    pub(crate) won_next: Frontier<W>,
    pub(crate) lost: Frontier<W>,
    pub(crate) lost_next: Frontier<W>,
    pub(crate) touched: Vec<bool>,
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
        for frontier in [&mut self.won, &mut self.won_next, &mut self.lost, &mut self.lost_next] {
            match packs {
                true => frontier.reset_packed(n_blocks, n_rows, row_len, ground.lane_len()),
                false => frontier.reset(n_blocks, n_rows, row_len),
            }
        }
        self.open.resize(ground.n_words());
        self.escape.places.resize(ground.n_words());
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
}
