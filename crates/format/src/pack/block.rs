//! Holds a packed block, with its checksum and the hash of what it was packed from.

use crate::checksum::{Short, short};

/// A block as it is written.
pub(crate) struct PackedBlock {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) entry: BlockEntry,
}

/// What is known of a block whose bytes are elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct BlockEntry {
    /// How many bytes it has in the file; none if only the hash is known.
    pub(crate) n_bytes: u32,
    pub(crate) checksum: Short,
    /// The hash of its bytes before compression; nothing where it is not known.
    pub(crate) content: [u8; 32],
}

impl PackedBlock {
    /// A block that has been packed.
    pub(super) fn new(packed: &[u8], block: &[u8]) -> Self {
        PackedBlock { bytes: packed.into(), entry: BlockEntry::new(packed, block) }
    }

    /// A block of which only the hash is known.
    pub(super) fn of_hash(content: [u8; 32]) -> Self {
        let entry = BlockEntry { n_bytes: 0, checksum: Short::default(), content };
        PackedBlock { bytes: Box::default(), entry }
    }
}

impl BlockEntry {
    /// That of a block which is copied as it stands in a file, and not decompressed.
    pub(crate) fn of_stored(n_bytes: u32, checksum: Short) -> Self {
        BlockEntry { n_bytes, checksum, content: Default::default() }
    }

    /// That of a packed block.
    pub(crate) fn new(packed: &[u8], block: &[u8]) -> Self {
        let n_bytes = u32::try_from(packed.len()).expect("a block is no larger than a tile");
        BlockEntry { n_bytes, checksum: short(packed), content: *blake3::hash(block).as_bytes() }
    }
}
