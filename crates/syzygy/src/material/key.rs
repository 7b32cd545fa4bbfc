//! Makes a number of the men of a position, to look up what belongs to their material.

use super::code::MAX_MEN;
use position::Position;
use variant::Man;

/// A number for a choice of men, whatever their order: equal if and only if the men are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct MaterialKey(u64);

impl MaterialKey {
    /// The key of these men; none if they are more than a file can have.
    pub(crate) fn new(men: impl Iterator<Item = Man>) -> Option<Self> {
        let mut bytes = [0; 8];
        for (place, man) in men.enumerate() {
            if place == MAX_MEN {
                return None;
            }
            // A piece is one of at most 26 letters, and no man is 0.
            bytes[place] = 1 + 2 * man.piece.0 + man.side.index() as u8;
        }
        bytes.sort_unstable();
        Some(MaterialKey(u64::from_le_bytes(bytes)))
    }

    /// The key of a position's men.
    pub(crate) fn of(position: &Position) -> Option<Self> {
        MaterialKey::new(position.men().map(|(man, _)| man))
    }
}
