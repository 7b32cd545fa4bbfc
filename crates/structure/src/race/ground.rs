//! Says where two kings may stand beside pawns, and stores where they do: sets of pairs of squares.

use super::bitboard::{Bits, NEIGHBOURS, attacks_downwards, attacks_upwards, bit, mirrored, squares};
use super::ways::Pawns;

/// By square of the attacker's king: squares of the defender's.
pub(super) type KingSets = [Bits; 64];

/// Where the attacker wins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wins {
    /// With the attacker to move.
    pub(super) to_move: KingSets,
    /// With the defender to move.
    pub(super) waits: KingSets,
}

impl Wins {
    /// No wins.
    pub(super) const NONE: Wins = Wins { to_move: [0; 64], waits: [0; 64] };
}

/// Sets with the files exchanged, if these are to be.
pub(super) fn mirrored_if(is_mirrored: bool, sets: &KingSets) -> KingSets {
    match is_mirrored {
        true => std::array::from_fn(|king| mirrored(sets[king ^ 7])),
        false => *sets,
    }
}

/// Pairs of squares as the other side sees them, which has the board the other way up.
pub(super) fn turned(sets: &KingSets) -> KingSets {
    let mut turned = [0; 64];
    for (king, row) in sets.iter().enumerate() {
        squares(row.swap_bytes()).for_each(|other| turned[other] |= bit(king ^ 56));
    }
    turned
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

    /// Where the defender's king stands apart from the attacker's and from the pawns, in check or not.
    pub(super) fn apart(&self, king: usize) -> Bits {
        let stands = bit(king) & self.pawns.all() == 0;
        if stands { !(NEIGHBOURS[king] | bit(king) | self.pawns.all()) } else { 0 }
    }

    /// Where the defender's king may stand beside the attacker's, the defender to move.
    pub(super) fn defender_to_move(&self, king: usize) -> Bits {
        if bit(king) & self.other_attacks == 0 { self.apart(king) } else { 0 }
    }

    /// Like [`Self::defender_to_move`], the attacker to move.
    pub(super) fn attacker_to_move(&self, king: usize) -> Bits {
        self.apart(king) & !self.own_attacks
    }
}
