//! Brings a pass to where its log ends.
//!
//! The open sets of a ply are those at the beginning less all that has been found since, and what is looked
//! back from is what the last ply has found. So the entries of the log are all that a pass needs.

use super::Pass;
use crate::log::{LogEntry, LogStore, StoredEntry};
use crate::packed;
use crate::plane::PassPlanes;
use crate::word::SolverWord;
use rayon::prelude::*;
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
        self.facts.open_lost(!self.attacker, ply as usize, &mut open.change());
        let mut by_block: Vec<Vec<&StoredEntry>> = vec![Vec::new(); ground.n_blocks()];
        for stored in entries {
            by_block.get_mut(stored.entry.block.index()).ok_or_else(damaged)?.push(stored);
        }
        let blocks = open.blocks().each(n).into_par_iter().zip(escape.places.blocks().each(n));
        let attacker = self.attacker;
        let taken = blocks.zip(&by_block).map(|((mut open, mut escapes), entries)| -> io::Result<u64> {
            let (mut set, mut n_placements) = (Vec::new(), 0);
            for StoredEntry { entry, place, n_bytes, .. } in entries {
                set.resize(*n_bytes as usize, 0);
                store.read(*place, &mut set)?;
                n_placements += packed::n_packed(&set).unwrap_or(0) as u64;
                let words = if entry.stm == attacker { escapes.words() } else { open.words() };
                let is_set = packed::unpack_words(&set, n, lane_len, |word, bits: W| words[word] &= !bits);
                if !is_set {
                    return Err(damaged());
                }
            }
            Ok(n_placements)
        });
        let n_placements = taken.sum::<io::Result<u64>>()?;
        // What is drawn without a move is closed, and nothing is looked back from it.
        let is_decided = |entry: &LogEntry| matches!(entry.code.value(), Value::Win(_) | Value::Loss(_));
        let is_last = |stored: &&&StoredEntry| stored.step.ply == Some(ply) && is_decided(&stored.entry);
        for StoredEntry { entry, place, n_bytes, .. } in by_block.iter().flatten().filter(is_last) {
            let frontier = if entry.stm == attacker { &mut *won_next } else { &mut *lost_next };
            let mut set = vec![0; *n_bytes as usize];
            store.read(*place, &mut set)?;
            if let Some(packed) = &frontier.packed {
                let set = packed.room().keep(set);
                frontier.join(entry.block, set);
                continue;
            }
            let first = entry.block.span(n).start;
            let is_set =
                packed::unpack_words(&set, n, lane_len, |word, bits| frontier.add(first + word, bits));
            if !is_set {
                return Err(damaged());
            }
        }
        // Captures that lose are no escape any more.
        let mut ghosts = escape.ghosts.as_mut().unwrap_or(&mut escape.places).change();
        let captures = &self.facts.premises.captures[(!self.attacker).index()];
        for due in 0..ply as usize {
            captures.won.for_each_due(due, |word, bits| *ghosts.word(word) &= !bits);
        }
        drop(ghosts);
        self.ply = ply as usize;
        self.begin_next_ply();
        // What could not be written is nothing to look back from.
        self.planes.take_failure().map_or(Ok(n_placements), Err)
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the log of the table is damaged")
}
