//! Reads the index of a file: its blocks, and the priors of its models.

use crate::checksum::Short;
use crate::head::header::{ENTRY_BYTES, Header, field};
use crate::model::Prior;
use index::Layout;

/// Where a block is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) offset: u64,
    pub(super) n_bytes: u32,
    pub(super) checksum: Short,
}

/// The priors of the sides kept, which stand behind the entries; none if they are not what they should be.
pub(super) fn read_priors(mut bytes: &[u8], header: &Header, layout: &Layout) -> Option<[Option<Prior>; 2]> {
    let mut all = [None, None];
    if header.has_priors() {
        for (prior, _) in all.iter_mut().zip(header.widths).filter(|(_, width)| *width != 0) {
            let (length, rest) = bytes.split_first_chunk()?;
            let (frame, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            *prior = if frame.is_empty() { None } else { Some(Prior::decode(layout, frame)?) };
            bytes = rest;
        }
    }
    bytes.is_empty().then_some(all)
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
