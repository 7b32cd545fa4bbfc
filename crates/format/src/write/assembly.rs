//! Assembles a file from a header, metadata and packed sides, and writes it whole or not at all.

use super::written_file::Written;
use crate::checksum::{Checksum, short};
use crate::head::header::{ENTRY_BYTES, Header};
use crate::pack::side::PackedSide;
use crate::temporary::write_atomically_with;
use crate::{FormatError, Metadata};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file of these sides to move, whose values `content` names; `head` has what does not follow from
/// them, and `copy` writes all blocks one after the other.
pub(super) fn write(
    path: &Path,
    mut head: Header,
    content: Checksum,
    metadata: &Metadata,
    sides: &[PackedSide],
    copy: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Written, FormatError> {
    let unwritable = |what: String| FormatError::Unwritable { path: path.to_path_buf(), what };
    let packed = match head.has_packed_metadata() {
        true => metadata.to_packed().map_err(|e| unwritable(e.to_string()))?,
        false => metadata.to_text().map_err(|e| unwritable(e.to_string()))?.into_bytes(),
    };
    set_sides(&mut head, sides);
    head.learned_bytes = sides.iter().map(|side| side.learned.len() as u64).sum();
    head.n_blocks = sides.iter().map(|side| side.blocks.len() as u64).sum();
    head.blocks_bytes = sides.iter().map(PackedSide::size_bytes).sum();
    head.metadata_bytes = packed.len() as u64;
    head.metadata_checksum = short(&packed);
    head.content = content;
    let mut index = index_of(sides, head.blocks_offset());
    index.extend(sides.iter().flat_map(|side| &side.learned));
    head.index_checksum = short(&index);

    let bytes = head.encode();
    let mut hasher = blake3::Hasher::new();
    write_atomically_with(path, |file| {
        let mut file = HashingWriter { file, hasher: &mut hasher };
        [&bytes[..], &packed, &index].into_iter().try_for_each(|part| file.write_all(part))?;
        copy(&mut file)
    })?;
    let file = Checksum(*hasher.finalize().as_bytes());
    Ok(Written {
        content: head.content,
        table: metadata.table.unwrap_or(head.content),
        size_bytes: head.file_bytes(),
        file,
    })
}

/// Hashes what it passes on.
struct HashingWriter<'a> {
    file: &'a mut dyn Write,
    hasher: &'a mut blake3::Hasher,
}

impl Write for HashingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.file.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
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

/// The index: offset, length and checksum of every block.
fn index_of(sides: &[PackedSide], blocks_offset: u64) -> Vec<u8> {
    let n_blocks = sides.iter().map(|side| side.blocks.len()).sum::<usize>();
    let mut index = Vec::with_capacity(n_blocks * ENTRY_BYTES);
    let mut offset = blocks_offset;
    for block in sides.iter().flat_map(|side| &side.blocks) {
        index.extend(offset.to_le_bytes());
        index.extend(block.n_bytes.to_le_bytes());
        index.extend(block.checksum);
        offset += u64::from(block.n_bytes);
    }
    index
}
