//! Gathers the captures of one side's mobile men: the ghosts of a slice and their values.
//!
//! Where a man and its enemy share a square there is no position, so the bit stands for the placement after
//! the capture: the victim is gone, and the victim's side is to move. The values come from the smaller
//! tables, once a slice, for captures by either side.

use super::event::{Decisions, Events, PackRoom};
use super::explosion::Explosions;
use super::ghost::{GhostReader, Ghosts, Pair};
use crate::ground::{Ground, block_ranges, for_each_sheet};
use crate::packed::Spill;
use crate::plane::{PackedBlocks, WordSet};
use crate::pool::Pool;
use crate::word::SolverWord;
use index::{BlockId, BlockRange};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Scale, View};
use variant::Side;
use variant::exit::Change;

/// What is kept of captures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kept {
    /// All, word by word.
    Listed,
    /// Packed sets: what passes ask for in which the captor's side attacks (losses), and in which it defends
    /// (what is legal, and wins).
    Packed { for_attacker: bool, for_defender: bool },
}

/// The captures of one side's mobile men.
#[derive(Debug)]
pub(crate) struct Captures<W> {
    /// The ghosts whose capture is legal.
    pub(crate) legal: WordSet<W>,
    /// The ghosts after which the other side has lost, by its distance as the metric counts it.
    pub(crate) lost: Events<W>,
    /// The ghosts after which the other side has won, by its distance as the metric counts it.
    pub(crate) won: Events<W>,
}

impl<W: SolverWord> Captures<W> {
    /// What captures of one side take for each word of a slice: the word and which of them are legal, and one
    /// ply at which one of them is due.
    ///
    /// Units: bytes.
    pub(crate) const WORD_BYTES: u64 = size_of::<(u32, W)>() as u64 + Events::<W>::SINGLE_BYTES;

    /// The captures by the mobile men of `side`, listed or packed, in a spill if there is one.
    pub(crate) fn gather(
        ground: &Ground<'_, W>,
        side: Side,
        views: &BTreeMap<Change, View<'_>>,
        scale: &Scale,
        decisions: &Pool<Decisions<W>>,
        (kept, spill): (Kept, Option<&Arc<Spill>>),
    ) -> Self {
        let men = &ground.motion.men;
        let explosions = Explosions::new(ground, views);
        let explosions = explosions.as_ref();
        let captures = |i: &usize| men[*i].man.side == side && !men[*i].pawn;
        let mut pairs = Vec::new();
        for captor in (0..men.len()).filter(captures) {
            for victim in (0..men.len()).filter(|&i| men[i].man.side != side && !men[i].royal) {
                match views.get(&Change::new(Some(victim), None)) {
                    // A royal man does not blow himself up.
                    _ if explosions.is_some() => {
                        if !men[captor].royal {
                            pairs.push(Pair { captor, victim, view: None });
                        }
                    }
                    view => pairs.push(Pair { captor, victim, view }),
                }
            }
        }
        let Some(lane) = ground.lane().filter(|_| !pairs.is_empty()) else {
            return Captures::none();
        };
        let gathering = |blocks: BlockRange| {
            let mut reader = GhostReader::new(ground, side, scale, lane, explosions, decisions.lend());
            for_each_sheet(ground, blocks, |sheet| reader.read(&pairs, sheet));
            reader.ghosts
        };
        if kept == (Kept::Packed { for_attacker: false, for_defender: false }) {
            return Captures::none();
        }
        if let Kept::Packed { for_attacker, for_defender } = kept {
            return Captures::packed(ground, &gathering, (for_attacker, for_defender), spill);
        }
        let parts: Vec<Ghosts<'_, W>> = block_ranges(ground).into_par_iter().map(gathering).collect();
        let (won, lost) = Decisions::sorted(parts.iter().map(|part| &*part.decisions));
        let n_legal = parts.iter().map(|part| part.legal.len()).sum::<usize>();
        let mut legal = Vec::new();
        for mut part in parts {
            if legal.is_empty() {
                // What the first part has stays where it is: of a small slice that is all.
                legal = part.legal;
                legal.reserve_exact(n_legal - legal.len());
            } else {
                legal.append(&mut part.legal);
            }
        }
        Captures { legal: WordSet::listed(legal), lost, won }
    }

    /// No captures.
    fn none() -> Self {
        Captures { legal: WordSet::listed(Vec::new()), lost: Events::default(), won: Events::default() }
    }

    /// The same, packed block by block as they are gathered.
    fn packed<'p>(
        ground: &Ground<'_, W>,
        gathering: &(dyn Fn(BlockRange) -> Ghosts<'p, W> + Sync),
        (for_attacker, for_defender): (bool, bool),
        spill: Option<&Arc<Spill>>,
    ) -> Self {
        let pack = |room: &mut PackRoom<W>, block: BlockId| {
            let ghosts = gathering(block.alone());
            let (won, lost) = Decisions::sorted(std::iter::once(&*ghosts.decisions));
            let won = if for_defender { won.pack(ground, block, room) } else { Vec::new() };
            let lost = if for_attacker { lost.pack(ground, block, room) } else { Vec::new() };
            let (n, row_len) = (ground.words_per_block(), ground.row_len());
            let legal = if for_defender { ghosts.legal.as_slice() } else { &[] };
            for &(word, bits) in legal {
                let place = word as usize - block.span(n).start;
                room.words.resize(n, W::ZERO);
                room.live.resize(ground.n_rows(), false);
                room.words[place] |= bits;
                room.live[place / row_len] = true;
            }
            let legal = (!legal.is_empty()).then(|| room.take_packed(ground));
            (legal, won, lost)
        };
        let blocks = (0..ground.n_blocks()).into_par_iter().map(BlockId::from_index);
        let packed: Vec<_> = blocks.map_init(|| PackRoom::new(spill), pack).collect();
        let (mut legal, mut won, mut lost) = (PackedBlocks::new(ground), Vec::new(), Vec::new());
        for (block, (own_legal, own_won, own_lost)) in ground.blocks().zip(packed) {
            if let Some(set) = own_legal {
                legal.push(block, set);
            }
            won.push(own_won);
            lost.push(own_lost);
        }
        Captures {
            legal: WordSet::packed(legal),
            lost: Events::packed(ground, lost),
            won: Events::packed(ground, won),
        }
    }
}
