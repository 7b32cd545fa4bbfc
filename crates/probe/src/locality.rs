//! Locates the block that a position's value is read from, so that whoever asks for many positions can put
//! those of a block side by side.

use crate::Tablebase;
use crate::sorted_men::SortedMen;
use crate::tablebase::Entry;
use format::BlockAddress;
use position::Position;

impl Tablebase {
    /// The block that the value of a position is read from; none if it is not in a `.tsm`. Where the file has
    /// left out the side to move it is the block of the same men with the other side to move: those that its
    /// moves lead to are near it.
    ///
    /// No block is read. What is wrong with a position or its file shows when its value is asked for.
    #[must_use]
    pub fn block_of(&self, position: &Position) -> Option<BlockAddress> {
        let sorted = SortedMen::new(position)?;
        let entry = self.entry(&sorted, position).ok()?;
        let Entry::File(file) = &*entry else { return None };
        let (file, mapping) = &**file;
        let own = position.stm();
        let stm = if mapping.has(own) { own } else { !own };
        let (stm, index) = mapping.locate(file.layout(), stm, sorted.squares())?;
        Some(file.block_address(stm, index))
    }
}
