//! Adds to a file the side to move that it has left out, for as long as tables are made that need it.
//!
//! Somebody has solved the table again and has the codes of both sides, in memory or by runs. The side that
//! the file keeps stays as it is, block for block: it was packed with patience. The other is packed in
//! haste, because [`drop_interim_side`](crate::drop_interim_side) takes it away again, and then the file is
//! the one that it was, byte for byte.

use super::assembly::{content, write};
use super::writer::{is_to_narrow, spool_bytes};
use super::written_file::Written;
use crate::head::header::{Header, VERSION_OF_METRICS, VERSION_OF_ONE_SIDE, VERSION_OF_WHOLE};
use crate::head::summary::Summary;
use crate::pack::codes::SideCodes;
use crate::pack::profile::Profile;
use crate::pack::selection::Selection;
use crate::pack::side::{Output, PackedSide, SidePacker};
use crate::pack::spool::Spool;
use crate::read::file::TableFile;
use crate::read::stream::Scratch;
use crate::tile::tiling::TileId;
use crate::{BlockCache, FormatError, Metadata};
use rayon::prelude::*;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use table::{Code, CodeSource, Codes, WithoutDistances};
use variant::Variant;

/// What became of a file that was to have both sides to move.
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
