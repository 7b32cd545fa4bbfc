//! Says where two kings may stand beside pawns, and stores where they do: sets of pairs of squares.

use super::bitboard::{Bits, NEIGHBOURS, attacks_downwards, attacks_upwards, bit, mirrored};
use super::ways::Pawns;

/// By square of the attacker's king: squares of the defender's.
pub(super) type KingSets = [Bits; 64];

/// Sets with the files exchanged, if these are to be.
pub(super) fn mirrored_if(is_mirrored: bool, sets: &KingSets) -> KingSets {
    match is_mirrored {
        true => std::array::from_fn(|king| mirrored(sets[king ^ 7])),
        false => *sets,
    }
}

/// Rows without the kings on some squares.
pub(super) fn off(free: Bits, king: usize, row: Bits) -> Bits {
    if bit(king) & free == 0 { row & !free } else { 0 }
}

/// Where kings may stand beside pawns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    pub(super) pawns: Pawns,
    /// What the attacker's pawns attack, and the defender's.
    pub(super) own_attacks: Bits,
    pub(super) other_attacks: Bits,
}

impl Ground {
    pub(super) fn new(pawns: Pawns) -> Self {
        let own_attacks = attacks_upwards(pawns.own);
        Ground { pawns, own_attacks, other_attacks: attacks_downwards(pawns.other) }
    }

    /// Where the defender's king may stand beside the attacker's, the defender to move.
    pub(super) fn defender_to_move(&self, king: usize) -> Bits {
        let may_stand = bit(king) & (self.pawns.all() | self.other_attacks) == 0;
        let apart = !(NEIGHBOURS[king] | bit(king) | self.pawns.all());
        if may_stand { apart } else { 0 }
    }

    /// Like [`Self::defender_to_move`], the attacker to move.
    pub(super) fn attacker_to_move(&self, king: usize) -> Bits {
        let may_stand = bit(king) & self.pawns.all() == 0;
        let apart = !(NEIGHBOURS[king] | bit(king) | self.pawns.all() | self.own_attacks);
        if may_stand { apart } else { 0 }
    }
}
