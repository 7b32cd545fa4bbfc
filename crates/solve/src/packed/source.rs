//! Names what a window takes its blocks from.

use index::BlockId;

/// Blocks of placements that are not at hand as words.
pub(crate) trait BlockSource<W> {
    /// No other source has this number, and this one has another after it has changed.
    fn id(&self) -> u64;

    fn n_blocks(&self) -> usize;

    fn words_per_block(&self) -> usize;

    fn rows_per_block(&self) -> usize;

    /// How many of the blocks a window keeps.
    fn n_slots(&self) -> usize;

    /// Whether a block may hold anything.
    fn has(&self, block: BlockId) -> bool;

    /// Writes a block over these words, of which rows that are not live hold nothing; `live` says by row
    /// whether it may hold something.
    fn unpack(&self, block: BlockId, words: &mut [W], live: &mut [bool]);
}
