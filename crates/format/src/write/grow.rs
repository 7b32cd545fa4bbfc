//! Adds to a file the side to move that it has left out, for as long as tables are made that need it.
//!
//! Somebody has solved the table again and has both sides in memory. The side that the file keeps stays as it
//! is, block for block: it was packed with patience. The other is packed in haste, because
//! [`drop_interim_side`](crate::drop_interim_side) takes it away again, and then the file is the one that it
//! was, byte for byte.

use super::assembly::write;
use super::written::Written;
use crate::head::header::{Header, VERSION_OF_METRICS, VERSION_OF_ONE_SIDE, VERSION_OF_WHOLE};
use crate::head::summary::Summary;
use crate::pack::profile::Profile;
use crate::pack::selection::Selection;
use crate::pack::side::{Output, SidePacker};
use crate::read::file::TableFile;
use crate::read::stream::Scratch;
use crate::{BlockCache, FormatError, Metadata};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use table::{Code, CodesRef, Coding, Table};
use variant::{Side, Variant};

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
pub fn add_interim_side(path: &Path, variant: &Variant, table: &Table) -> Result<Grown, FormatError> {
    let summary = Summary::read(path)?;
    let metric = summary.metric.parse().unwrap_or(variant.default_metric);
    let file = TableFile::open_of(path, variant, metric, Arc::new(BlockCache::new(0)))?;
    let Some(left_out) = file.left_out() else { return Ok(Grown::Already) };
    let profile = Profile::new(metric, table.layout());
    let profile = if file.header().has_methods() { profile.to_small() } else { profile };
    let head = file.header();
    let sizes = (head.tile_codes as usize, head.block_codes as usize);
    let has_form = matches!(head.version, VERSION_OF_ONE_SIDE | VERSION_OF_METRICS) || head.has_methods();
    if !has_form || sizes != (profile.tile_codes, profile.block_codes) {
        return Ok(Grown::Unsuited);
    }
    let narrowed = (summary.metric == "wdl").then(|| table.to_wdl());
    let table = narrowed.as_ref().unwrap_or(table);
    let (Some(kept), Some(other)) = (table.codes(!left_out), table.codes(left_out)) else {
        return Ok(Grown::Different);
    };
    let selection = Selection::new(table.layout());
    if !file.has_codes(!left_out, kept.as_ref(), &selection)? {
        return Ok(Grown::Different);
    }
    let packer = SidePacker { variant, layout: table.layout(), selection: &selection, profile: &profile };
    let arranged = packer.arrange_plainly(left_out, other.as_ref());
    let added = packer.pack(&arranged, Output::Interim, &|_| ());
    let mut sides = vec![file.packed_side(!left_out)?, added.map_err(FormatError::io(path, "compress"))?];
    sides.sort_by_key(|side| side.side.index());
    let version = if head.version == VERSION_OF_ONE_SIDE { VERSION_OF_WHOLE } else { head.version };
    let head = Header { version, ..head.clone() };
    let (name, stays) = (summary.table_content(), Some(!left_out));
    drop(file);
    let metadata = Metadata { table: Some(name), stays, ..summary.metadata };
    write(path, head, &metadata, &sides).map(Grown::Both)
}

impl TableFile {
    /// Whether the file has these codes of a side to move wherever it keeps something; every checksum of the
    /// side is compared.
    fn has_codes(
        &self,
        side: Side,
        codes: CodesRef<'_>,
        selection: &Selection<'_>,
    ) -> Result<bool, FormatError> {
        if codes.is_wide() != self.is_wide(side) {
            return Ok(false);
        }
        match codes {
            CodesRef::Narrow(bytes) | CodesRef::Split(bytes, _) => {
                self.has_codes_of(side, bytes, codes.coding(), selection)
            }
            CodesRef::Wide(pairs) => self.has_codes_of(side, pairs, codes.coding(), selection),
        }
    }

    fn has_codes_of<C: Code>(
        &self,
        side: Side,
        codes: &[C],
        coding: Coding,
        selection: &Selection<'_>,
    ) -> Result<bool, FormatError> {
        let tiling = self.tiling(side);
        let is_same = |(scratch, kept, stored): &mut (Scratch<C>, Vec<C>, Vec<C>), tile: usize| {
            selection.select(codes, tiling.range(tile), kept);
            self.payload().translate(coding, kept);
            stored.resize(kept.len(), C::ILLEGAL);
            self.read_tile(side, tile, scratch, stored)?;
            Ok(kept.iter().zip(&*stored).all(|(kept, stored)| *kept == C::ILLEGAL || kept == stored))
        };
        let scratch = || (Scratch::new(), Vec::new(), Vec::new());
        let tiles = (0..tiling.len()).into_par_iter().map_init(scratch, is_same);
        tiles.try_reduce(|| true, |a, b| Ok(a && b))
    }
}
