//! Brings a pass to where its log ends.
//!
//! The open sets of a ply are those at the beginning less all that has been found since, and what is looked
//! back from is what the last ply has found. So the entries of the log are all that a pass needs.

use super::Pass;
use crate::log::{LogStore, StoredEntry};
use crate::packed;
use crate::plane::PassPlanes;
use crate::word::SolverWord;
use std::io;
use table::{Code, Value};

impl<W: SolverWord> Pass<'_, W> {
    /// Goes on behind a ply, of a pass that has just begun; `entries` are all that it had logged by then.
    /// Returns how many placements they have.
    ///
    /// # Errors
    /// An entry cannot be read, or is no set of this slice.
    pub(crate) fn resume<'e>(
        &mut self,
        ply: u32,
        entries: impl Iterator<Item = &'e StoredEntry>,
        store: &dyn LogStore,
    ) -> io::Result<u64> {
        let ground = self.facts.premises.ground;
        let (n, lane_len) = (ground.words_per_block(), ground.lane_len());
        let PassPlanes { open, escape, won_next, lost_next, .. } = &mut *self.planes;
        let mut open = open.change();
        self.facts.open_lost(!self.attacker, ply as usize, &mut open);
        let mut escapes = escape.places.change();
        // A plane on the disk is read and written block by block.
        let mut entries: Vec<&StoredEntry> = entries.collect();
        entries.sort_by_key(|stored| stored.entry.block);
        let mut set = Vec::new();
        let mut n_placements = 0;
        for StoredEntry { entry, step, place, n_bytes } in entries {
            set.resize(*n_bytes as usize, 0);
            store.read(*place, &mut set)?;
            n_placements += packed::n_packed(&set).unwrap_or(0) as u64;
            let is_win = entry.stm == self.attacker;
            let (plane, frontier) = match is_win {
                true => (&mut escapes, &mut *won_next),
                false => (&mut open, &mut *lost_next),
            };
            // What is drawn without a move is closed, and nothing is looked back from it.
            let is_decided = matches!(entry.code.value(), Value::Win(_) | Value::Loss(_));
            let is_last = is_decided && step.ply == Some(ply);
            let first = entry.block as usize * n;
            let is_packed = frontier.packed.is_some();
            let is_set = packed::unpack_words(&set, n, lane_len, |word, bits: W| {
                *plane.word(first + word) &= !bits;
                if is_last && !is_packed {
                    frontier.add(first + word, bits);
                }
            });
            if is_last && is_packed {
                frontier.join(entry.block as usize, set.as_slice().into());
            }
            if !is_set {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the log of the table is damaged"));
            }
        }
        drop((open, escapes));
        // Captures that lose are no escape any more.
        let mut ghosts = escape.ghosts.as_mut().unwrap_or(&mut escape.places).change();
        let captures = &self.facts.premises.captures[(!self.attacker).index()];
        for due in 0..ply as usize {
            captures.won.for_each_due(due, |word, bits| *ghosts.word(word) &= !bits);
        }
        drop(ghosts);
        self.ply = ply as usize;
        self.begin_next_ply();
        Ok(n_placements)
    }
}
