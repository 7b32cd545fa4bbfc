//! Cuts a side to move off a file, and adds it again for as long as tables are made that need it.

use crate::head::{Header, Summary, VERSION_OF_METRICS, VERSION_OF_ONE_SIDE, VERSION_OF_WHOLE};
use crate::pack::codes::{Profile, Selection, SideCodes};
use crate::pack::packer::{BlockEntry, Spool};
use crate::pack::side::{Output, PackedSide, SidePacker};
use crate::read::TableFile;
use crate::read::stream::Scratch;
use crate::tile::TileId;
use crate::write::{Written, content, is_to_narrow, spool_bytes, write};
use crate::{BlockCache, FormatError, Metadata};
use rayon::prelude::*;
use std::io;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use table::{Code, CodeSource, Codes, WithoutDistances};
use variant::{Side, Variant};

/// What became of a file that was to have both sides to move.
///
/// The caller has solved the table again and has the codes of both sides, in memory or by runs. The side
/// that the file keeps stays as it is, block for block: it was packed with patience. The other is packed in
/// haste, because [`drop_interim_side`](crate::drop_interim_side) takes it away again, and then the file is
/// the one that it was, byte for byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grown {
    /// It has both for now.
    Both(Written),
    /// It had both before.
    Already,
    /// What it keeps is not what the table holds; the file is as it was.
    Different,
    /// Files of its version have no such form; the file is as it was.
    Unsuited,
}

/// Adds the side to move that a file has left out, from the table that the file is of. A file of `wdl` takes
/// a table of any metric.
///
/// The file is replaced when the new one is complete and on the disk.
///
/// # Errors
/// The file cannot be read, is damaged in what it keeps, or the disk refuses.
pub fn add_interim_side(
    path: &Path,
    variant: &Variant,
    source: &dyn CodeSource,
) -> Result<Grown, FormatError> {
    let summary = Summary::read(path)?;
    let metric = summary.metric.parse().unwrap_or(variant.default_metric);
    let file = TableFile::open_of(path, variant, metric, Arc::new(BlockCache::new(0)))?;
    let Some(left_out) = file.left_out() else { return Ok(Grown::Already) };
    let profile = Profile::new(metric, source.layout());
    let head = file.header();
    let profile = if head.has_methods() { profile.to_small(source.layout()) } else { profile };
    let sizes = (head.tile_codes as usize, head.block_codes as usize);
    let has_form = matches!(head.version, VERSION_OF_ONE_SIDE | VERSION_OF_METRICS) || head.has_methods();
    if !has_form || sizes != (profile.tile_codes, profile.block_codes) {
        return Ok(Grown::Unsuited);
    }
    let narrowed = WithoutDistances(source);
    let source: &dyn CodeSource = if is_to_narrow(source, &profile) { &narrowed } else { source };
    let selection = Selection::new(source.layout());
    let packer = SidePacker { variant, source, selection: &selection, profile: &profile };
    let (Some(kept), Some(added)) = (packer.arrange_plainly(!left_out), packer.arrange_plainly(left_out))
    else {
        return Ok(Grown::Different);
    };
    if !file.has_codes(kept.codes)? {
        return Ok(Grown::Different);
    }
    let mut spool = Spool::new(path, spool_bytes(source));
    let added = packer.pack(&added, Output::Interim, &|_| (), &mut spool)?;
    // No model packs it, so of each frame that files of the version have there is a length of 0.
    let n_frames = if head.has_methods() { 2 } else { 0 };
    let added = PackedSide { learned: vec![0; n_frames * size_of::<u32>()].into(), ..added };
    let mut sides = [file.packed_side(!left_out)?, added];
    sides.sort_by_key(|side| side.side.index());
    let version = if head.version == VERSION_OF_ONE_SIDE { VERSION_OF_WHOLE } else { head.version };
    let head = Header { version, ..head.clone() };
    let (name, stays) = (summary.table_content(), Some(!left_out));
    let stays_content = Some(summary.content);
    let metadata = Metadata { table: Some(name), stays, stays_content, ..summary.metadata };
    let blocks = &sides;
    // The file is closed before it is replaced.
    let copy = move |to: &mut dyn Write| {
        let (file, mut spool) = (file, Some(spool));
        blocks.iter().try_for_each(|side| match spool.take_if(|_| side.side == left_out) {
            Some(spool) => spool.copy(side.blocks.iter(), to),
            None => file.copy_blocks(side.side, to),
        })
    };
    let content = content(&head, &sides);
    write(path, head, content, &metadata, &sides, copy).map(Grown::Both)
}

impl TableFile {
    /// Whether the file holds these values, with every side to move that it keeps; every checksum is
    /// compared. A file of `wdl` is compared with a table of any metric.
    ///
    /// # Errors
    /// The file cannot be read or is damaged, or the source does not give its codes.
    pub fn holds(&self, variant: &Variant, source: &dyn CodeSource) -> Result<bool, FormatError> {
        let metric = self.header().metric.parse().unwrap_or(variant.default_metric);
        let profile = Profile::new(metric, source.layout());
        let narrowed = WithoutDistances(source);
        let source: &dyn CodeSource = if is_to_narrow(source, &profile) { &narrowed } else { source };
        let selection = Selection::new(source.layout());
        let packer = SidePacker { variant, source, selection: &selection, profile: &profile };
        for side in self.sides() {
            let Some(kept) = packer.arrange_plainly(side) else { return Ok(false) };
            if !self.has_codes(kept.codes)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the file has these codes of a side to move wherever it keeps something; every checksum of the
    /// side is compared.
    fn has_codes(&self, codes: SideCodes<'_>) -> Result<bool, FormatError> {
        match (codes.coding.is_wide(), self.is_wide(codes.side)) {
            (false, false) => self.has_codes_of::<u8>(codes),
            (true, true) => self.has_codes_of::<u16>(codes),
            _ => Ok(false),
        }
    }

    fn has_codes_of<C: Code>(&self, codes: SideCodes<'_>) -> Result<bool, FormatError> {
        let (tiling, side, selection) = (self.tiling(codes.side), codes.side, codes.selection);
        let (mut room, mut next) = (Codes::Narrow(Vec::new()), TileId::FIRST);
        while next.index() < tiling.len() {
            let tiles = codes.run(tiling, next);
            let run = codes.read::<C>(tiling, tiles.clone(), &mut room);
            let run = run.map_err(FormatError::io(self.path(), "compare"))?;
            let is_same = |(scratch, kept, stored): &mut (Scratch<C>, Vec<C>, Vec<C>), tile: usize| {
                let tile = TileId::from_index(tile);
                selection.select(run.tile(tiling, tile).codes, tiling.range(tile).start, kept);
                self.payload().translate(codes.coding, kept);
                stored.resize(kept.len(), C::ILLEGAL);
                self.read_tile(side, tile, scratch, stored)?;
                Ok(kept.iter().zip(&*stored).all(|(kept, stored)| *kept == C::ILLEGAL || kept == stored))
            };
            let scratch = || (Scratch::new(), Vec::new(), Vec::new());
            let all = tiles.clone().into_par_iter().map_init(scratch, is_same);
            if !all.try_reduce(|| true, |a, b| Ok::<_, FormatError>(a && b))? {
                return Ok(false);
            }
            next = TileId::from_index(tiles.end);
        }
        Ok(true)
    }
}

/// Leaves out the side to move that an interim file keeps for a while; none if the file is not an interim
/// one.
///
/// The file is replaced when the new one is complete and on the disk.
///
/// # Errors
/// The file cannot be read, is damaged in what is to stay, or the disk refuses.
///
/// While a set of tables is made, some of them are asked for both sides to move; afterwards one is enough,
/// because a value of the other is the best of what its moves lead to. The blocks of the side that stays are
/// read, compared with their checksums, and copied to a file of their own, which is the very file that
/// [`Keep::Smaller`](crate::Keep::Smaller) makes of the table. Nothing is decompressed: the file says which
/// values that one holds. Files written before they said so are decompressed once. No more is in memory than
/// a block for each thread.
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

    /// Packs the side again, with the hash of each block before compression.
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
