//! Trims files: leaves out the side to move that was kept only until the tables that read it were there.

use crate::head::{Header, Summary, VERSION_OF_ONE_SIDE};
use crate::pack::packer::BlockEntry;
use crate::pack::side::PackedSide;
use crate::read::TableFile;
use crate::write::{Written, write};
use crate::{BlockCache, FormatError};
use std::io;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use variant::{Side, Variant};

/// Leaves out the larger side to move of a file that was written to be trimmed; none of any other file.
///
/// The file is replaced when the new one is complete and on the disk.
///
/// # Errors
/// The file cannot be read, is damaged in what is to stay, or the disk refuses.
///
/// While a set of tables is made, some of them are read with both sides to move; afterwards one is enough,
/// because a value of the other is the best of what its moves lead to. The blocks of the side that stays are
/// read, compared with their checksums, and copied to a file of their own, which is the very file that
/// [`Keep::Smaller`](crate::Keep::Smaller) makes of the table. Nothing is decompressed: the file says which
/// values that one holds. No more is in memory than a block.
pub fn trim(path: &Path, variant: &Variant) -> Result<Option<Written>, FormatError> {
    let summary = Summary::read(path)?;
    let Some(left) = summary.metadata.trims_to else { return Ok(None) };
    let metric = summary.metric.parse().unwrap_or(variant.default_metric);
    let file = TableFile::open_of(path, variant, metric, Arc::new(BlockCache::new(0)))?;
    if file.sides().len() < 2 {
        return Err(FormatError::SectionDamaged { path: path.to_path_buf(), section: "metadata" });
    }
    let version = file.header().version.max(VERSION_OF_ONE_SIDE);
    let head = Header { version, ..file.header().clone() };
    let metadata = summary.metadata.of_table(summary.table_content());
    let kept = file.stored_side(left.side);
    // The file is closed before it is replaced.
    let copy = move |to: &mut dyn Write| file.copy_blocks(left.side, to);
    write(path, head, left.content, &metadata, &[kept], copy).map(Some)
}

impl TableFile {
    /// A side to move as the file has it, of which no block is read.
    fn stored_side(&self, side: Side) -> PackedSide {
        let blocks = self.tiling(side).tiles().flat_map(|tile| self.blocks(side, tile));
        let blocks = blocks.map(|block| {
            let (n_bytes, checksum) = self.stored(block);
            BlockEntry::of_stored(n_bytes, checksum)
        });
        let (width, order) = (self.header().widths[side.index()], self.header().orders[side.index()]);
        PackedSide { side, width, order, learned: self.learned(side).bytes.clone(), blocks: blocks.collect() }
    }

    /// Copies the blocks of a side to move as they are.
    fn copy_blocks(&self, side: Side, to: &mut dyn Write) -> io::Result<()> {
        let mut packed = Vec::new();
        self.tiling(side).tiles().flat_map(|tile| self.blocks(side, tile)).try_for_each(|block| {
            self.read_packed(block, &mut packed).map_err(io::Error::other)?;
            to.write_all(&packed)
        })
    }
}
