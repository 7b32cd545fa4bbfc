//! Writes tables to files on the disk, from memory or as their codes are made, each whole or not at all.

mod comparison;
mod trim;

use crate::code::Payload;
use crate::disk::write_atomically_with;
use crate::head::{ENTRY_BYTES, Header, VERSION_OF_ONE_SIDE};
use crate::name::{Checksum, rules_hash_with_winner, short, winner_of};
use crate::pack::codes::{Profile, Selection};
use crate::pack::packer::{LEAST_BYTES, MOST_BYTES, Spool};
use crate::pack::side::{ArrangedSide, Output, PackedSide, SidePacker};
use crate::{FormatError, Metadata, Trimmed};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fmt, io};
use table::{CodeSource, Table, WithoutDistances};
pub use trim::trim;
use variant::{Metric, Side, Variant};

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

/// Writes tables to files: which metric they hold, which sides to move they keep, and how hard they are
/// packed.
#[derive(Clone, Copy)]
pub struct TableWriter<'a> {
    variant: &'a Variant,
    metric: Metric,
    keep: Keep,
    packing: Packing,
    table: Option<Checksum>,
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
            table: None,
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

    /// Writes files of tables of which only one of two sides to move is there: this names their values with
    /// both.
    #[must_use]
    pub fn one_side_of(self, table: Checksum) -> Self {
        TableWriter { table: Some(table), ..self }
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
        self.write_source(path, table, metadata)
    }

    /// Like [`Self::write`], of a table that may be larger than memory; the bytes of the file do not depend
    /// on how many units of codes are there at once.
    ///
    /// The codes of each side to move are asked for once to be packed, once more if the file is to be small,
    /// and those of a few units to choose their order. Packed blocks that have no room in memory wait in a
    /// temporary file beside the target.
    ///
    /// # Errors
    /// As [`TableWriter::write`], and if the source does not give its codes.
    pub fn write_source(
        &self,
        path: &Path,
        source: &dyn CodeSource,
        metadata: &Metadata,
    ) -> Result<Written, FormatError> {
        let TableWriter { variant, metric, keep, packing, table, progress } = *self;
        let quick = Profile::new(metric, source.layout());
        let profile = if packing == Packing::Small { quick.to_small(source.layout()) } else { quick };
        let mut head = head(path, variant, metric, source, &profile)?;
        let narrowed = WithoutDistances(source);
        let source: &dyn CodeSource = if is_to_narrow(source, &profile) { &narrowed } else { source };
        let selection = Selection::new(source.layout());
        let packer = SidePacker { variant, source, selection: &selection, profile: &profile };
        let namer = SidePacker { profile: &quick, ..packer };
        let mut spool = Spool::new(path, spool_bytes(source));
        let has_name = packing == Packing::Small && table.is_none();
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
        let sides = packer.arrange(&tell).map_err(spool.failure())?;
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
        let mut pack =
            |arranged: &ArrangedSide<'_>| packer.pack(arranged, output(arranged.side()), &tell, &mut spool);
        let mut packed: Vec<PackedSide> = sides.iter().map(&mut pack).collect::<Result<_, FormatError>>()?;
        // A small file stands in an order of its own, and a model fills the places that nothing is kept of
        // in its own way; the table's name is that of its other files.
        let name = match has_name {
            true => Some(name(&namer, &head, &tell, &mut spool)?),
            false => None,
        };
        // Of plies to mate the version says so.
        let is_small = profile.is_small && profile.payload != Payload::Values;
        let metadata = Metadata { is_small, ..metadata.clone() };
        let metadata = match (table, smaller) {
            (Some(table), _) => {
                head.version = head.version.max(VERSION_OF_ONE_SIDE);
                metadata.of_table(table)
            }
            (None, Some(stays)) if keep == Keep::Smaller => {
                let name = name.unwrap_or_else(|| content(&head, &packed));
                packed.retain(|side| side.side == stays);
                head.version = head.version.max(VERSION_OF_ONE_SIDE);
                metadata.of_table(name)
            }
            _ => {
                let stays = smaller.filter(|_| keep == Keep::UntilTrimmed);
                let of_it = packed.iter().find(|side| Some(side.side) == stays);
                let trims_to = of_it.map(|of_it| Trimmed {
                    side: of_it.side,
                    content: content(&head, std::slice::from_ref(of_it)),
                });
                Metadata { table: name.or(metadata.table), trims_to, ..metadata.clone() }
            }
        };
        let blocks = || packed.iter().flat_map(|side| &side.blocks);
        let content = content(&head, &packed);
        write(path, head, content, &metadata, &packed, |to| spool.copy(blocks(), to))
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
        let profile = Profile::new(self.metric, source.layout());
        let head = head(path, variant, self.metric, source, &profile)?;
        let narrowed = WithoutDistances(source);
        let source: &dyn CodeSource = if is_to_narrow(source, &profile) { &narrowed } else { source };
        let selection = Selection::new(source.layout());
        let namer = SidePacker { variant, source, selection: &selection, profile: &profile };
        // No block is packed, so nothing goes to the disk.
        name(&namer, &head, &|_| (), &mut Spool::new(path, 0))
    }
}

/// The content checksum of a quick file with all sides to move, given the head of any file of the table: the
/// tile has as many codes in all of them.
fn name(
    namer: &SidePacker<'_>,
    head: &Header,
    tell: &(dyn Fn(u64) + Sync),
    spool: &mut Spool,
) -> Result<Checksum, FormatError> {
    let sides = namer.arrange(tell).map_err(spool.failure())?;
    let hash = |arranged| namer.pack(arranged, Output::HashOnly, tell, spool);
    let hashed: Vec<PackedSide> = sides.iter().map(hash).collect::<Result<_, FormatError>>()?;
    let head = Header { block_codes: namer.profile.block_codes as u32, ..head.clone() };
    Ok(content(&head, &hashed))
}

/// Whether a table is to lose its distances before it is packed: a file that says no more than who wins has
/// one byte for a code.
fn is_to_narrow(source: &dyn CodeSource, profile: &Profile) -> bool {
    let is_wide = |side| source.coding(side).is_some_and(|coding| coding.is_wide());
    profile.payload == Payload::Wdl && Side::BOTH.into_iter().any(is_wide)
}

/// How many bytes of packed blocks may wait in memory: as many as a run of codes has.
fn spool_bytes(source: &dyn CodeSource) -> usize {
    let layout = source.layout();
    let n_codes = source.units_at_once().saturating_mul(layout.block_len()).min(layout.len());
    n_codes.clamp(LEAST_BYTES, MOST_BYTES)
}

/// A header without what follows from the packed sides, which [`write`] adds.
fn head(
    path: &Path,
    variant: &Variant,
    metric: Metric,
    source: &dyn CodeSource,
    profile: &Profile,
) -> Result<Header, FormatError> {
    let layout = source.layout();
    let material = layout.material();
    let winner = path.file_name().and_then(|name| winner_of(name.to_str()?));
    let name = material.name(variant);
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
    Ok(Header {
        version: profile.version,
        widths: [0; 2],
        n_men: material.n_men() as u8,
        block_codes: profile.block_codes as u32,
        tile_codes: profile.tile_codes as u32,
        orders: [0; 2],
        placements: layout.len() as u64,
        n_blocks: 0,
        learned_bytes: 0,
        metadata_bytes: 0,
        blocks_bytes: 0,
        metric: metric_name,
        material: name,
        rules_hash: rules_hash_with_winner(variant, material, metric, winner),
        content: Checksum([0; 32]),
        metadata_checksum: [0; 16],
        index_checksum: [0; 16],
    })
}

/// Writes a file of these sides to move, whose values `content` names; `head` has what does not follow from
/// them, and `copy` writes all blocks one after the other.
fn write(
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
fn content(head: &Header, sides: &[PackedSide]) -> Checksum {
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

/// A file that has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// The checksum that names the values it holds.
    pub content: Checksum,
    /// The one that names all values of the table, those of a side to move that has been left out too.
    pub table: Checksum,
    /// Its size.
    pub size_bytes: u64,
    /// The hash of all its bytes.
    file: Checksum,
}

impl Written {
    /// Reads the file again and compares it with what was written, byte for byte as far as a hash can.
    ///
    /// Nothing is decompressed: [`TableWriter::write`](crate::TableWriter::write) has checked every block
    /// against the codes that it was made of (of blocks that a model packs all bits, and one block of 31 as
    /// a reader decodes it), so that a file of the same bytes holds the same values.
    ///
    /// # Errors
    /// The file cannot be read or is not what was written.
    pub fn check(&self, path: &Path) -> Result<(), FormatError> {
        let file = File::open(path).map_err(FormatError::io(path, "open"))?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file).map_err(FormatError::io(path, "read"))?;
        let (got, expected) = (Checksum(*hasher.finalize().as_bytes()), self.file);
        if got == expected {
            return Ok(());
        }
        Err(FormatError::NotAsWritten { path: path.to_path_buf(), got, expected })
    }
}
