//! Answers where royal men are attacked: from planes, or block by block where planes would be too large.

use super::Ground;
use super::attack::{AttackRoom, Attacks};
use crate::pool::Pool;
use index::BlockId;
use kernel::Word;
use variant::Side;

/// Where the royal man of either side is attacked in a slice.
#[derive(Debug)]
pub(crate) struct Attacked<'a, W> {
    /// By side; none if blocks are computed whenever they are asked for.
    planes: Option<&'a [Vec<W>; 2]>,
    /// By side.
    attacks: [Attacks<'a, W>; 2],
    rooms: &'a Pool<AttackRoom<W>>,
}

impl<'a, W: Word> Attacked<'a, W> {
    /// What these planes say, if there are any.
    pub(crate) fn new(
        ground: &'a Ground<'a, W>,
        planes: Option<&'a [Vec<W>; 2]>,
        rooms: &'a Pool<AttackRoom<W>>,
    ) -> Self {
        Attacked { planes, attacks: Side::BOTH.map(|side| Attacks::new(ground, side)), rooms }
    }

    /// The planes, by side.
    ///
    /// # Panics
    /// If there are none: only slices of plain chess without pawns can do without.
    pub(crate) fn planes(&self) -> &'a [Vec<W>; 2] {
        self.planes.expect("rules beside the pieces and pawns ask for planes")
    }

    pub(crate) fn words_per_block(&self) -> usize {
        self.attacks[0].ground().words_per_block()
    }

    /// Calls `read` with the words of a block: where `side`'s royal man is attacked.
    pub(crate) fn with_block<R>(&self, side: Side, block: BlockId, read: impl FnOnce(&[W]) -> R) -> R {
        let attacks = &self.attacks[side.index()];
        let n = self.words_per_block();
        if let Some(planes) = self.planes {
            return read(&planes[side.index()][block.span(n)]);
        }
        let mut room = self.rooms.lend();
        let mut words = std::mem::take(&mut room.words);
        words.resize(n, W::ZERO);
        attacks.fill(&mut room, block, &mut words);
        let answer = read(&words);
        room.words = words;
        answer
    }
}
