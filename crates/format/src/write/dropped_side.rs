//! Cuts interim files down to the side to move that stays.
//!
//! While a set of tables is made, some of them are asked for both sides to move; afterwards one is enough,
//! because a value of the other is the best of what its moves lead to. The blocks of the side that stays are
//! read, compared with their checksums, and copied to a file of their own, which is the very file that
//! [`Keep::Smaller`](crate::Keep::Smaller) makes of the table. Nothing is decompressed: the file says which
//! values that one holds. Files written before they said so are decompressed once. No more is in memory than
//! a block for each thread.

use super::assembly::{content, write};
use super::written_file::Written;
use crate::head::header::{Header, VERSION_OF_ONE_SIDE};
use crate::head::summary::Summary;
use crate::pack::block::BlockEntry;
use crate::pack::side::PackedSide;
use crate::read::file::TableFile;
use crate::tile::tiling::TileId;
use crate::{BlockCache, FormatError};
use rayon::prelude::*;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use variant::{Side, Variant};

/// Leaves out the side to move that an interim file keeps for a while; none if the file is not an interim
/// one.
///
/// The file is replaced when the new one is complete and on the disk.
///
/// # Errors
/// The file cannot be read, is damaged in what is to stay, or the disk refuses.
pub fn drop_interim_side(path: &Path, variant: &Variant) -> Result<Option<Written>, FormatError> {
    let summary = Summary::read(path)?;
    let Some(stays) = summary.metadata.stays else { return Ok(None) };
    let metric = summary.metric.parse().unwrap_or(variant.default_metric);
    let file = TableFile::open_of(path, variant, metric, Arc::new(BlockCache::new(0)))?;
    if file.sides().len() < 2 {
        return Err(FormatError::SectionDamaged { path: path.to_path_buf(), section: "metadata" });
    }
    let version = file.header().version.max(VERSION_OF_ONE_SIDE);
    let head = Header { version, ..file.header().clone() };
    let (kept, content) = match summary.metadata.stays_content {
        Some(content) => (file.stored_side(stays), content),
        None => {
            let kept = file.packed_side(stays)?;
            let content = content(&head, std::slice::from_ref(&kept));
            (kept, content)
        }
    };
    let metadata = summary.metadata.of_table(summary.table_content());
    // The file is closed before it is replaced.
    write(path, head, content, &metadata, &[kept], move |to| file.copy_blocks(stays, to)).map(Some)
}

impl TableFile {
    /// A side to move as the file has it, of which no block is read.
    fn stored_side(&self, side: Side) -> PackedSide {
        let blocks = self.tiling(side).tiles().flat_map(|tile| self.blocks(side, tile));
        let blocks = blocks.map(|block| {
            let (n_bytes, checksum) = self.stored(block);
            BlockEntry::of_stored(n_bytes, checksum)
        });
        self.side_of(side, blocks.collect())
    }

    /// A side to move with these blocks.
    fn side_of(&self, side: Side, blocks: Vec<BlockEntry>) -> PackedSide {
        let (width, order) = (self.header().widths[side.index()], self.header().orders[side.index()]);
        PackedSide { side, width, order, learned: self.learned(side).bytes.clone(), blocks }
    }

    /// The same with the hash of each block before compression.
    pub(super) fn packed_side(&self, side: Side) -> Result<PackedSide, FormatError> {
        let entries = |(packed, bytes): &mut (Vec<u8>, Vec<u8>), tile: TileId| {
            let one = |block: usize| {
                self.read_packed(block, packed)?;
                bytes.resize(self.block_bytes(side, tile, block), 0);
                self.decompress(block, packed, bytes)?;
                Ok(BlockEntry::new(packed, bytes))
            };
            self.blocks(side, tile).map(one).collect::<Result<Vec<BlockEntry>, FormatError>>()
        };
        let tiling: Vec<Vec<BlockEntry>> = (0..self.tiling(side).len())
            .into_par_iter()
            .map(TileId::from_index)
            .map_init(Default::default, entries)
            .collect::<Result<_, FormatError>>()?;
        Ok(self.side_of(side, tiling.into_iter().flatten().collect()))
    }

    /// Copies the blocks of a side to move as they are.
    pub(super) fn copy_blocks(&self, side: Side, to: &mut dyn Write) -> io::Result<()> {
        let mut packed = Vec::new();
        self.tiling(side).tiles().flat_map(|tile| self.blocks(side, tile)).try_for_each(|block| {
            self.read_packed(block, &mut packed).map_err(io::Error::other)?;
            to.write_all(&packed)
        })
    }
}
