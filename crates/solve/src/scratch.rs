//! Holds the scratch memory of one block: the squares taken in each row, and intermediate rows.

use crate::packed::Window;
use crate::pool::Room;
use kernel::Word;

/// Room to work on one block of a slice.
#[derive(Default, Debug)]
pub(crate) struct Scratch<W> {
    /// By row: the squares of all men but the two that make up the row.
    pub(crate) taken: Vec<W>,
    /// By row: whether two of those men share a square.
    pub(crate) shared: Vec<bool>,
    /// By row: whether the square of one outer man is free of all men but the row's two.
    pub(crate) passable: Vec<bool>,
    /// Targets that suit one kind of walk, or the image of another block.
    pub(crate) targets: Vec<W>,
    /// Flags of rows that nobody reads.
    pub(crate) ignored: Vec<bool>,
    /// Moves, or what is kept from them, under compulsory capture.
    pub(crate) quiet: Vec<W>,
    /// What is found, where frontiers are packed; empty between two blocks.
    pub(crate) found: Vec<W>,
    /// By row of that: whether it has anything.
    pub(crate) found_live: Vec<bool>,
    /// The open set of a block, where that is on the disk.
    pub(crate) open: Vec<W>,
    /// The blocks of the escapes that moves lead into, where these are on the disk.
    pub(crate) escapes: Window<W>,
    /// The words that hold something of a thin block, or of what is packed, each with its number.
    pub(crate) full: Vec<(u32, W)>,
    /// The blocks of a packed frontier that moves lead into.
    pub(crate) window: Window<W>,
}

impl<W: Word> Room for Scratch<W> {
    /// Everybody prepares a scratch for his own block.
    fn tidy(&mut self) -> bool {
        true
    }
}
