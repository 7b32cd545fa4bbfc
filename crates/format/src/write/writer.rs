//! Writes tables in memory to files on the disk.

use super::assembly::{content, write};
use super::written::Written;
use crate::checksum::{Checksum, rules_hash};
use crate::code::payload::Payload;
use crate::head::header::{Header, VERSION_OF_ONE_SIDE};
use crate::pack::profile::Profile;
use crate::pack::selection::Selection;
use crate::pack::side::{ArrangedSide, Output, PackedSide, SidePacker};
use crate::{FormatError, Metadata};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fmt, io};
use table::{Codes, Table};
use variant::{Metric, Variant};

/// Which sides to move a file keeps of a table that has both. One that is left out is found from its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Both.
    Both,
    /// Both for now; the one that [`Keep::Smaller`] would leave out is left out later by
    /// [`drop_interim_side`](crate::drop_interim_side).
    Interim,
    /// The one that takes less room, as far as a sample shows.
    Smaller,
}

/// How small a file of `dtm` is to be. Files of other metrics are as small as they can be in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Written and read as fast as a solver works.
    Quick,
    /// Two fifths smaller, and some ten times as slow to write and to read as a whole. The table has the same
    /// name.
    Small,
}

/// Writes tables to files: which metric they hold, which sides to move they keep, and how hard they are
/// packed.
#[derive(Clone, Copy)]
pub struct TableWriter<'a> {
    variant: &'a Variant,
    metric: Metric,
    keep: Keep,
    packing: Packing,
    progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl fmt::Debug for TableWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TableWriter { metric, keep, packing, .. } = self;
        f.debug_struct("TableWriter")
            .field("metric", metric)
            .field("keep", keep)
            .field("packing", packing)
            .finish_non_exhaustive()
    }
}

impl<'a> TableWriter<'a> {
    /// A writer of files of the variant's own metric, with both sides to move, packed quickly.
    #[must_use]
    pub fn new(variant: &'a Variant) -> Self {
        TableWriter {
            variant,
            metric: variant.default_metric,
            keep: Keep::Both,
            packing: Packing::Quick,
            progress: &|_, _| {},
        }
    }

    /// Writes files of this metric instead of the variant's own. A file of `wdl` is made from a table of any
    /// metric, because all of them say who wins.
    ///
    /// A file of `dtc`, `dtz` or `dtz50` holds distances alone and is to be read beside one of `wdl`.
    #[must_use]
    pub fn metric(self, metric: Metric) -> Self {
        TableWriter { metric, ..self }
    }

    /// Keeps these sides to move.
    #[must_use]
    pub fn keep(self, keep: Keep) -> Self {
        TableWriter { keep, ..self }
    }

    /// Packs files in this way.
    #[must_use]
    pub fn packing(self, packing: Packing) -> Self {
        TableWriter { packing, ..self }
    }

    /// Reports how much of the packing is done, of how much; nothing at the beginning.
    #[must_use]
    pub fn progress(self, progress: &'a (dyn Fn(u64, u64) + Sync)) -> Self {
        TableWriter { progress, ..self }
    }

    /// Writes a table, compressing its blocks on all threads of the current pool; the bytes do not depend on
    /// how many.
    ///
    /// The file appears under its name when it is complete and on the disk, not before.
    ///
    /// # Errors
    /// The disk refuses, or the material's name does not fit into a header.
    pub fn write(&self, path: &Path, table: &Table, metadata: &Metadata) -> Result<Written, FormatError> {
        let TableWriter { variant, metric, keep, packing, progress } = *self;
        let profile = Profile::new(metric, table.layout());
        let profile = if packing == Packing::Small { profile.to_small() } else { profile };
        let mut head = head(path, variant, metric, table, &profile)?;
        let is_wide = |side| table.codes(side).is_some_and(Codes::is_wide);
        let narrowed =
            (profile.payload == Payload::Wdl && table.sides().any(is_wide)).then(|| table.to_wdl());
        let table = narrowed.as_ref().unwrap_or(table);
        let selection = Selection::new(table.layout());
        let packer = SidePacker { variant, layout: table.layout(), selection: &selection, profile: &profile };
        progress(0, 1);
        let pack = || {
            let sides: Vec<ArrangedSide<'_>> = table
                .codes_by_side()
                .map(|(side, codes)| packer.arrange(side, codes))
                .collect::<io::Result<_>>()?;
            let smaller = sides.iter().min_by_key(|arranged| arranged.arrangement.sample_bytes);
            let smaller = smaller.filter(|_| sides.len() == 2).map(|arranged| arranged.side);
            let output = |side| match keep {
                Keep::Smaller if smaller.is_some_and(|smaller| smaller != side) => Output::HashOnly,
                Keep::Interim if smaller.is_some_and(|smaller| smaller != side) => Output::Interim,
                _ => Output::Final,
            };
            let work = |arranged: &ArrangedSide<'_>| {
                let hashing = if profile.has_methods() { packer.work(arranged, Output::HashOnly) } else { 0 };
                hashing + packer.work(arranged, output(arranged.side))
            };
            let (total, done) = (sides.iter().map(work).sum::<u64>(), AtomicU64::new(0));
            let tell = |work: u64| {
                // Tiles may be others than those that were counted.
                progress((done.fetch_add(work, Ordering::Relaxed) + work).min(total), total);
            };
            let packed: Vec<PackedSide> = sides
                .iter()
                .map(|arranged| packer.pack(arranged, output(arranged.side), &tell))
                .collect::<io::Result<_>>()?;
            // A model fills the places that nothing is kept of in its own way; the table's name is that of
            // its other files.
            let hash = |arranged: &ArrangedSide<'_>| packer.pack(arranged, Output::HashOnly, &tell);
            let hashed = match profile.has_methods() {
                true => Some(sides.iter().map(hash).collect::<io::Result<Vec<PackedSide>>>()?),
                false => None,
            };
            Ok((packed, hashed, smaller))
        };
        let (mut sides, hashed, smaller) = pack().map_err(FormatError::io(path, "compress"))?;
        let name = hashed.map(|hashed| content(&head, &hashed));
        match smaller {
            Some(stays) if keep == Keep::Smaller => {
                let name = name.unwrap_or_else(|| content(&head, &sides));
                sides.retain(|side| side.side == stays);
                head.version = head.version.max(VERSION_OF_ONE_SIDE);
                write(path, head, &metadata.of_table(name), &sides)
            }
            _ => {
                let stays = smaller.filter(|_| keep == Keep::Interim);
                write(
                    path,
                    head,
                    &Metadata { table: name.or(metadata.table), stays, ..metadata.clone() },
                    &sides,
                )
            }
        }
    }
}

impl TableWriter<'_> {
    /// The checksum that names the values of a table: that of a file with all sides to move. Nothing is
    /// written.
    ///
    /// # Errors
    /// As [`TableWriter::write`].
    pub fn name_of(&self, table: &Table) -> Result<Checksum, FormatError> {
        let path = Path::new(table.layout().name());
        let profile = Profile::new(self.metric, table.layout());
        let head = head(path, self.variant, self.metric, table, &profile)?;
        // What says no more than who wins has one byte.
        let narrowed = (profile.payload == Payload::Wdl).then(|| table.to_wdl());
        let table = narrowed.as_ref().unwrap_or(table);
        let selection = Selection::new(table.layout());
        let (variant, layout) = (self.variant, &**table.layout());
        let packer = SidePacker { variant, layout, selection: &selection, profile: &profile };
        let hashed = table
            .codes_by_side()
            .map(|(side, codes)| packer.pack(&packer.arrange(side, codes)?, Output::HashOnly, &|_| ()));
        let hashed = hashed.collect::<io::Result<Vec<PackedSide>>>();
        Ok(content(&head, &hashed.map_err(FormatError::io(path, "compress"))?))
    }
}

/// A header without what follows from the packed sides, which [`write`] adds.
fn head(
    path: &Path,
    variant: &Variant,
    metric: Metric,
    table: &Table,
    profile: &Profile,
) -> Result<Header, FormatError> {
    let layout = table.layout();
    let material = layout.material();
    let name = material.name(variant);
    let metric_name = metric.to_string();
    if name.len() > 32 || metric_name.len() > 8 || !name.is_ascii() {
        let what = format!("no room for the name of {name} or {metric_name}");
        return Err(FormatError::Unwritable { path: path.to_path_buf(), what });
    }
    let is_split = |side| matches!(table.codes(side), Some(table::Codes::Split(..)));
    if profile.payload == Payload::Values && table.sides().any(is_split) {
        let what = format!("codes of {metric_name} that tell wins from losses by their parity are needed");
        return Err(FormatError::Unwritable { path: path.to_path_buf(), what });
    }
    Ok(Header {
        version: profile.version,
        widths: [0; 2],
        n_men: material.n_men() as u8,
        block_codes: profile.block_codes as u32,
        tile_codes: profile.tile_codes as u32,
        orders: [0; 2],
        placements: layout.len() as u64,
        n_blocks: 0,
        prior_bytes: 0,
        metadata_bytes: 0,
        blocks_bytes: 0,
        metric: metric_name,
        material: name,
        rules_hash: rules_hash(variant, material, metric),
        content: Checksum([0; 32]),
        metadata_checksum: [0; 16],
        index_checksum: [0; 16],
    })
}
