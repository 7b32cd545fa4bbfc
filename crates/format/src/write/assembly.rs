//! Assembles a file from a header, metadata and packed sides, and writes it whole or not at all.

use super::written::Written;
use crate::checksum::{Checksum, short};
use crate::head::header::{ENTRY_BYTES, Header, VERSION_OF_PRIORS, VERSION_OF_SMALL};
use crate::pack::side::PackedSide;
use crate::temporary::write_atomically;
use crate::{FormatError, Metadata};
use std::path::Path;

/// Writes a file of these sides to move; `head` has what does not follow from them.
pub(super) fn write(
    path: &Path,
    mut head: Header,
    metadata: &Metadata,
    sides: &[PackedSide],
) -> Result<Written, FormatError> {
    let unwritable = |what: String| FormatError::Unwritable { path: path.to_path_buf(), what };
    let packed = match head.has_packed_metadata() {
        true => metadata.to_packed().map_err(|e| unwritable(e.to_string()))?,
        false => metadata.to_text().map_err(|e| unwritable(e.to_string()))?.into_bytes(),
    };
    set_sides(&mut head, sides);
    let has_priors = sides.iter().any(|side| !side.prior.is_empty());
    if head.has_methods() {
        head.version = if has_priors { VERSION_OF_PRIORS } else { VERSION_OF_SMALL };
    }
    let priors = if has_priors { priors_of(sides) } else { Vec::new() };
    head.prior_bytes = priors.len() as u64;
    head.n_blocks = sides.iter().map(|side| side.blocks.len() as u64).sum();
    head.blocks_bytes = sides.iter().map(PackedSide::size_bytes).sum();
    head.metadata_bytes = packed.len() as u64;
    head.metadata_checksum = short(&packed);
    head.content = content(&head, sides);
    let mut index = index_of(sides, head.blocks_offset());
    index.extend(priors);
    head.index_checksum = short(&index);

    let bytes = head.encode();
    let mut parts: Vec<&[u8]> = vec![&bytes, &packed, &index];
    parts.extend(sides.iter().flat_map(|side| &side.blocks).map(|block| &block.bytes[..]));
    write_atomically(path, &parts)?;
    let mut hasher = blake3::Hasher::new();
    parts.iter().for_each(|part| _ = hasher.update(part));
    let file = Checksum(*hasher.finalize().as_bytes());
    Ok(Written {
        content: head.content,
        table: metadata.table.unwrap_or(head.content),
        size_bytes: head.file_bytes(),
        file,
    })
}

/// The content checksum of a file of these sides.
pub(super) fn content(head: &Header, sides: &[PackedSide]) -> Checksum {
    let mut head = head.clone();
    set_sides(&mut head, sides);
    head.content_of(sides.iter().flat_map(|side| &side.blocks).map(|block| &block.content))
}

fn set_sides(head: &mut Header, sides: &[PackedSide]) {
    head.set_sides(sides.iter().map(|side| (side.side, side.width, side.order)));
}

/// The priors of the sides kept: for each its length and itself.
fn priors_of(sides: &[PackedSide]) -> Vec<u8> {
    let one = |side: &PackedSide| [&(side.prior.len() as u32).to_le_bytes(), &*side.prior].concat();
    sides.iter().flat_map(one).collect()
}

/// The index: offset, length and checksum of every block.
fn index_of(sides: &[PackedSide], blocks_offset: u64) -> Vec<u8> {
    let n_blocks = sides.iter().map(|side| side.blocks.len()).sum::<usize>();
    let mut index = Vec::with_capacity(n_blocks * ENTRY_BYTES);
    let mut offset = blocks_offset;
    for block in sides.iter().flat_map(|side| &side.blocks) {
        index.extend(offset.to_le_bytes());
        index.extend((block.bytes.len() as u32).to_le_bytes());
        index.extend(block.checksum);
        offset += block.bytes.len() as u64;
    }
    index
}
