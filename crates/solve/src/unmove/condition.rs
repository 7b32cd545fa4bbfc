//! Decides in which placements the free men let a frame man move.

use crate::motion::{Between, FrameMove};
use kernel::Word;

/// What a frame man's move asks of the free men.
#[derive(Clone, Copy)]
pub(super) struct FrameCondition<W> {
    between: Between<W>,
    target: usize,
    occupant: Occupant,
}

/// What must stand on a target.
#[derive(Clone, Copy)]
enum Occupant {
    Any,
    Somebody,
    Nobody,
}

impl<W: Word> FrameCondition<W> {
    /// The condition of a move among pawns on these squares; none if they do not allow it.
    pub(super) fn new(one: &FrameMove<W>, pawns: W) -> Option<Self> {
        let pawn_there = pawns.has(one.target.into());
        let between = one.between.given(pawns).filter(|_| !pawn_there || one.capture)?;
        let occupant = match (pawn_there || (one.quiet && one.capture), one.capture) {
            (true, _) => Occupant::Any,
            (false, true) => Occupant::Somebody,
            (false, false) => Occupant::Nobody,
        };
        Some(FrameCondition { between, target: one.target.into(), occupant })
    }

    /// The placements of a word, all free men but the lane man standing on `known`, that meet the condition.
    #[inline]
    pub(super) fn mask(self, known: W) -> W {
        let target = W::bit(self.target);
        let on_target = if known & target == W::ZERO { target } else { W::ONES };
        let suits = match self.occupant {
            Occupant::Any => W::ONES,
            Occupant::Somebody => on_target,
            Occupant::Nobody => !on_target,
        };
        self.between.mask(known) & suits
    }
}
