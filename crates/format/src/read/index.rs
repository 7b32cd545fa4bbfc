//! Reads the index of a file: its blocks, and what its models begin with.

use crate::checksum::Short;
use crate::head::header::{ENTRY_BYTES, Header, field};
use crate::model::{LiteralTree, Prior};
use index::Layout;

/// Where a block is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) offset: u64,
    pub(super) n_bytes: u32,
    pub(super) checksum: Short,
}

/// What the models of a side begin with.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    pub(crate) prior: Option<Prior>,
    /// None if no block of the side is modelled.
    pub(crate) tree: Option<LiteralTree>,
    /// The same as it stands in the file.
    pub(crate) bytes: Box<[u8]>,
}

/// What the models of the sides kept begin with, which stands behind the entries; none if it is not what it
/// should be.
pub(super) fn read_learned(mut bytes: &[u8], header: &Header, layout: &Layout) -> Option<[Learned; 2]> {
    let mut all = [Learned::default(), Learned::default()];
    for (learned, width) in all.iter_mut().zip(header.widths).filter(|(_, width)| *width != 0) {
        let start = bytes;
        if header.has_methods() {
            let frame = split_frame(&mut bytes)?;
            learned.prior = if frame.is_empty() { None } else { Some(Prior::decode(layout, frame)?) };
            let (frame, n_bits) = (split_frame(&mut bytes)?, u32::from(width) * u8::BITS);
            learned.tree = if frame.is_empty() { None } else { Some(LiteralTree::decode(frame, n_bits)?) };
        }
        learned.bytes = start[..start.len() - bytes.len()].into();
    }
    bytes.is_empty().then_some(all)
}

/// Takes a frame and its length off the bytes; none if they do not hold that.
fn split_frame<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (frame, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *bytes = rest;
    Some(frame)
}

/// The entries of the index; none if they do not fill the place of the blocks one after the other.
pub(super) fn read_entries(bytes: &[u8], header: &Header) -> Option<Vec<Entry>> {
    let mut next = header.blocks_offset();
    let mut index = Vec::with_capacity(bytes.len() / ENTRY_BYTES);
    for entry in bytes.chunks_exact(ENTRY_BYTES) {
        let offset = u64::from_le_bytes(field(entry, 0));
        let n_bytes = u32::from_le_bytes(field(entry, 8));
        if offset != next {
            return None;
        }
        next = next.checked_add(u64::from(n_bytes))?;
        index.push(Entry { offset, n_bytes, checksum: field(entry, 12) });
    }
    (next == header.file_bytes()).then_some(index)
}
