//! Writes tables to columns of files on the disk, from memory or as their codes are made, each whole or not
//! at all.

mod column;
mod comparison;
mod file;

use crate::code::{Method, Payload};
use crate::container::{PackedPage, PageEntry, PageKey, Sealer};
use crate::head::{AboutColumn, Header};
use crate::name::{Checksum, Column, column_rules};
use crate::pack::codes::{Profile, Selection};
use crate::pack::side::{ArrangedSide, Output, PackedSide, SidePacker};
use crate::{FormatError, Metadata, Trimmed};
pub use column::{copy_column, put_column, remove_column, trim, write_rights};
pub use file::Written;
use file::{TableOf, write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fmt, io};
use table::{CodeSource, Table, WithoutDistances};
use variant::{Side, Variant};

/// Which sides to move a file keeps of a table that has both. One that is left out is found from its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Both.
    Both,
    /// Both for now, one of them packed in haste: [`trim`] leaves out the one that [`Keep::Smaller`] would.
    UntilTrimmed,
    /// The one that takes less room, as far as a sample shows.
    Smaller,
}

/// How small a file is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Written and read as fast as a solver works.
    Quick,
    /// Two fifths smaller, and up to ten times as slow to write; of `dtm` to read as a whole, too. The table
    /// has the same name.
    Small,
}

/// Writes tables to columns of files: which one, which sides to move it keeps, and how hard it is packed.
#[derive(Clone, Copy)]
pub struct TableWriter<'a> {
    variant: &'a Variant,
    column: Column,
    keep: Keep,
    packing: Packing,
    /// The name of the values with both sides to move, if a source has but one of them.
    whole: Option<Checksum>,
    progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl fmt::Debug for TableWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TableWriter { column, keep, packing, .. } = self;
        f.debug_struct("TableWriter")
            .field("column", column)
            .field("keep", keep)
            .field("packing", packing)
            .finish_non_exhaustive()
    }
}

impl<'a> TableWriter<'a> {
    /// A writer of the variant's own metric, with both sides to move, packed quickly.
    #[must_use]
    pub fn new(variant: &'a Variant) -> Self {
        TableWriter {
            variant,
            column: variant.default_metric.into(),
            keep: Keep::Both,
            packing: Packing::Quick,
            whole: None,
            progress: &|_, _| {},
        }
    }

    /// Writes this column instead of that of the variant's own metric. One of `wdl` is made from a table of
    /// any metric, because all of them say who wins.
    ///
    /// A column of `dtc`, `dtz` or `dtz50` holds distances alone and is to be read beside one of `wdl`.
    #[must_use]
    pub fn column(self, column: impl Into<Column>) -> Self {
        TableWriter { column: column.into(), ..self }
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

    /// Writes files of tables of which only one of two sides to move is there: this names their values with
    /// both.
    #[must_use]
    pub fn one_side_of(self, whole: Checksum) -> Self {
        TableWriter { whole: Some(whole), ..self }
    }

    /// Reports how much of the packing is done, of how much; nothing at the beginning.
    #[must_use]
    pub fn progress(self, progress: &'a (dyn Fn(u64, u64) + Sync)) -> Self {
        TableWriter { progress, ..self }
    }

    /// Writes a table, compressing its blocks on all threads of the current pool; the bytes do not depend on
    /// how many.
    ///
    /// The file appears under its name when it is complete and on the disk, not before. Other columns of a
    /// file that is there under the same rules go with it as they are; a file that is damaged, or is of
    /// other rules, is replaced. No two processes may write to one file at a time.
    ///
    /// # Errors
    /// The disk refuses, or the material's name is longer than 32 letters.
    pub fn write(&self, path: &Path, table: &Table, metadata: &Metadata) -> Result<Written, FormatError> {
        self.write_source(path, table, metadata)
    }

    /// Like [`Self::write`], of a table that may be larger than memory; the bytes of the file do not depend
    /// on how many units of codes are there at once.
    ///
    /// The codes of each side to move are asked for once to be packed, once more if the file is to be small,
    /// and those of a few units to choose their order. Packed blocks go to the file at once.
    ///
    /// # Errors
    /// As [`TableWriter::write`], and if the source does not give its codes.
    pub fn write_source(
        &self,
        path: &Path,
        source: &dyn CodeSource,
        metadata: &Metadata,
    ) -> Result<Written, FormatError> {
        let TableWriter { variant, column, keep, packing, whole, progress } = *self;
        let quick = Profile::new(column, source.layout());
        let profile = if packing == Packing::Small { quick.to_small(source.layout()) } else { quick };
        let (mut table, rules) = head(path, variant, source, &profile)?;
        let narrowed = WithoutDistances(source);
        let source: &dyn CodeSource = if is_to_narrow(source, &profile) { &narrowed } else { source };
        let selection = Selection::new(source.layout());
        let packer = SidePacker { variant, source, selection: &selection, profile: &profile };
        let namer = SidePacker { profile: &quick, ..packer };
        let has_name = packing == Packing::Small && whole.is_none();
        let naming = if has_name { namer.arranging_work() } else { 0 };
        let arranging = packer.arranging_work();
        // At first as if everything were to stay.
        let total = AtomicU64::new(arranging + naming + packer.most_work());
        let done = AtomicU64::new(0);
        let tell = |work: u64| {
            // Tiles may be others than those that were counted.
            let total = total.load(Ordering::Relaxed);
            progress((done.fetch_add(work, Ordering::Relaxed) + work).min(total), total);
        };
        tell(0);
        let not_packed = |error| io::Error::other(FormatError::io(path, "compress")(error));
        let sides = packer.arrange(&tell).map_err(FormatError::io(path, "compress"))?;
        let smaller = sides.iter().min_by_key(|arranged| arranged.arrangement.sample_bytes);
        let smaller = smaller.filter(|_| sides.len() == 2).map(ArrangedSide::side);
        let output = |side| match keep {
            Keep::Smaller if smaller.is_some_and(|smaller| smaller != side) => Output::HashOnly,
            Keep::UntilTrimmed if smaller.is_some_and(|smaller| smaller != side) => Output::Passing,
            _ => Output::Final,
        };
        let work = |arranged: &ArrangedSide<'_>| {
            let naming = if has_name { packer.work(arranged, Output::HashOnly) } else { 0 };
            naming + packer.work(arranged, output(arranged.side()))
        };
        total.store(arranging + naming + sides.iter().map(work).sum::<u64>(), Ordering::Relaxed);
        let mut made = Metadata { is_small: profile.is_small, winner: column.winner, ..metadata.clone() };
        let material = table.material.clone();
        let identity = Checksum(variant.rules_hash(source.layout().material()));
        let of = TableOf { rules: identity, material: &material, replaces: true };
        write(path, &of, column, |sealer| {
            let mut packed = Vec::with_capacity(sides.len());
            for arranged in &sides {
                let mut is_put = true;
                let put = &mut |page: PackedPage| {
                    let put = sealer.put(page.entry, &page.bytes);
                    is_put = put.is_ok();
                    put
                };
                let side = packer.pack(arranged, output(arranged.side()), &tell, put);
                packed.push(side.map_err(|error| if is_put { not_packed(error) } else { error })?);
            }
            // A small file stands in an order of its own, and a model fills the places that nothing is kept
            // of in its own way; the table's name is that of its other files.
            let name = match has_name {
                true => Some(name(&namer, &table, rules, &tell).map_err(not_packed)?),
                false => None,
            };
            match (whole, smaller) {
                (Some(whole), _) => made = made.of_table(whole),
                (None, Some(stays)) if keep == Keep::Smaller => {
                    made = made.of_table(name.unwrap_or_else(|| content(&table, rules, &packed)));
                    packed.retain(|side| side.side == stays);
                }
                _ => {
                    let stays = smaller.filter(|_| keep == Keep::UntilTrimmed);
                    let of_it = packed.iter().find(|side| Some(side.side) == stays);
                    made.trims_to = of_it.map(|of_it| Trimmed {
                        side: of_it.side,
                        content: content(&table, rules, std::slice::from_ref(of_it)),
                    });
                    made.table = name.or(made.table);
                }
            }
            for side in packed.iter().filter(|side| !side.learned.is_empty()) {
                put_learned(sealer, column.learned_page(side.side), &side.learned)?;
            }
            for page in packed.iter().filter_map(|side| side.steps.as_ref()).flat_map(|(_, pages)| pages) {
                sealer.put(page.entry, &page.bytes)?;
            }
            set_sides(&mut table, &packed);
            table.content = content(&table, rules, &packed);
            Ok(AboutColumn { table, made })
        })
    }
}

impl TableWriter<'_> {
    /// The checksum that names the values of a table: that of a file with all sides to move. Nothing is
    /// written.
    ///
    /// # Errors
    /// As [`TableWriter::write_source`].
    pub fn name_of(&self, source: &dyn CodeSource) -> Result<Checksum, FormatError> {
        let (variant, path) = (self.variant, Path::new(source.layout().name()));
        let profile = Profile::new(self.column, source.layout());
        let (table, rules) = head(path, variant, source, &profile)?;
        let narrowed = WithoutDistances(source);
        let source: &dyn CodeSource = if is_to_narrow(source, &profile) { &narrowed } else { source };
        let selection = Selection::new(source.layout());
        let namer = SidePacker { variant, source, selection: &selection, profile: &profile };
        name(&namer, &table, rules, &|_| ()).map_err(FormatError::io(path, "compress"))
    }
}

/// The content checksum of a quick file with all sides to move, given what any file of the table says of its
/// codes: the tile has as many in all of them.
fn name(
    namer: &SidePacker<'_>,
    table: &Header,
    rules: Checksum,
    tell: &(dyn Fn(u64) + Sync),
) -> io::Result<Checksum> {
    let sides = namer.arrange(tell)?;
    let hash = |arranged| namer.pack(arranged, Output::HashOnly, tell, &mut |_| Ok(()));
    let hashed: Vec<PackedSide> = sides.iter().map(hash).collect::<io::Result<_>>()?;
    let table = Header { block_codes: namer.profile.block_codes as u32, ..table.clone() };
    Ok(content(&table, rules, &hashed))
}

/// Whether a table is to lose its distances before it is packed: a file that says no more than who wins has
/// one byte for a code.
fn is_to_narrow(source: &dyn CodeSource, profile: &Profile) -> bool {
    let is_wide = |side| source.coding(side).is_some_and(|coding| coding.is_wide());
    profile.payload == Payload::Wdl && Side::BOTH.into_iter().any(is_wide)
}

/// What a column says of its codes but for what follows from the packed sides, and the hash of its rules.
fn head(
    path: &Path,
    variant: &Variant,
    source: &dyn CodeSource,
    profile: &Profile,
) -> Result<(Header, Checksum), FormatError> {
    let layout = source.layout();
    let material = layout.material();
    let name = material.name(variant);
    let Column { metric, winner, .. } = profile.column;
    let metric_name = metric.to_string();
    if name.len() > 32 || metric_name.len() > 8 || !name.is_ascii() {
        let what = format!("no room for the name of {name} or {metric_name}");
        return Err(FormatError::Unwritable { path: path.to_path_buf(), what });
    }
    let is_split = |side| source.coding(side).is_some_and(|coding| coding.is_split());
    if profile.payload == Payload::Values && Side::BOTH.into_iter().any(is_split) {
        let what = format!("codes of {metric_name} that tell wins from losses by their parity are needed");
        return Err(FormatError::Unwritable { path: path.to_path_buf(), what });
    }
    let table = Header {
        placements: layout.len() as u64,
        block_codes: profile.block_codes as u32,
        tile_codes: profile.tile_codes as u32,
        ..Header::new(variant, material, metric)
    };
    let rules = column_rules(Checksum(variant.rules_hash(material)), table.rule_plies, winner, None);
    Ok((table, rules))
}

/// Puts what the models of a side begin with.
fn put_learned(sealer: &mut Sealer<'_>, key: PageKey, bytes: &[u8]) -> io::Result<()> {
    sealer.put(PageEntry::new(key, Method::Modelled.coding(), 0, bytes), bytes)
}

/// The content checksum of a file of these sides.
fn content(table: &Header, rules: Checksum, sides: &[PackedSide]) -> Checksum {
    let mut table = table.clone();
    set_sides(&mut table, sides);
    table.content_of(rules, sides.iter().flat_map(|side| &side.hashes))
}

fn set_sides(table: &mut Header, sides: &[PackedSide]) {
    table.set_sides(sides.iter().map(|side| (side.side, side.width, side.order)));
    table.steps = [None, None];
    for side in sides {
        table.steps[side.side.index()] = side.steps.as_ref().map(|(steps, _)| *steps);
    }
}
