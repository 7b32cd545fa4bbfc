//! Holds a packed block with its checksum and the hash of what it was packed from.

use crate::checksum::{Short, short};

/// A block as it is written.
pub(crate) struct PackedBlock {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) checksum: Short,
    /// The hash of its bytes before compression.
    pub(crate) content: [u8; 32],
}

impl PackedBlock {
    /// A block that has been packed.
    pub(super) fn new(packed: &[u8], block: &[u8]) -> Self {
        PackedBlock {
            bytes: packed.into(),
            checksum: short(packed),
            content: *blake3::hash(block).as_bytes(),
        }
    }

    /// A block of which only the hash is known.
    pub(crate) fn of_hash(content: [u8; 32]) -> Self {
        PackedBlock { bytes: Box::default(), checksum: Short::default(), content }
    }
}
