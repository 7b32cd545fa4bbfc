//! Keeps the memory that threads use again from slice to slice and from block to block of one material.

use crate::duel::DuelRoom;
use crate::ground::AttackRoom;
use crate::plane::PassPlanes;
use crate::pool::{Pool, Room};
use crate::scratch::Scratch;
use crate::successor::Decisions;
use kernel::Word;

/// A room whose planes have more words than this is not kept: there are few slices that need it.
pub(super) const MOST_KEPT_WORDS: usize = 1 << 18;

/// What solving one slice needs room for.
#[derive(Default, Debug)]
pub(super) struct SliceRoom<W> {
    /// By side: where its royal man is attacked.
    pub(super) attacked: [Vec<W>; 2],
    pub(super) planes: PassPlanes<W>,
}

impl<W> SliceRoom<W> {
    /// How many planes it holds at most; those of ghosts only where captures are compulsory.
    pub(super) const fn n_planes(has_ghosts: bool) -> u64 {
        2 + PassPlanes::<W>::planes(has_ghosts)
    }
}

impl<W: Word> Room for SliceRoom<W> {
    /// Every slice fills in its own planes.
    fn tidy(&mut self) -> bool {
        self.attacked[0].len() <= MOST_KEPT_WORDS
    }
}

/// The rooms of one material, by what they are for.
#[derive(Default, Debug)]
pub(super) struct Rooms<W: Word> {
    pub(super) slices: Pool<SliceRoom<W>>,
    pub(super) blocks: Pool<Scratch<W>>,
    pub(super) attacks: Pool<AttackRoom<W>>,
    /// What the captures or the pawn moves of one side decide.
    pub(super) decisions: Pool<Decisions<W>>,
    pub(super) duels: Pool<DuelRoom<W>>,
}
