//! From a table in memory to a file on the disk.

use crate::checksum::{Checksum, rules_hash, short};
use crate::choice;
use crate::design::Design;
use crate::header::{ENTRY_BYTES, Header, VERSION_OF_LEARNED, VERSION_OF_ONE_SIDE, VERSION_OF_SMALL};
use crate::kept::Kept;
use crate::meaning::Meaning;
use crate::pack::{self, Arrangement, Packed, Packer, Source};
use crate::temporary::write_atomically;
use crate::{FormatError, Metadata};
use index::Layout;
use rayon::prelude::*;
use std::fs::File;
use std::io;
use std::path::Path;
use table::{Code, Codes, CodesRef, Coding, Table};
use variant::{Metric, Side, Variant};

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
    /// Reads the file again and compares it with what was written, byte for byte as far as a hash can tell.
    ///
    /// Nothing is decompressed: [`TableWriter::write`] has decompressed every block and compared it with the
    /// codes that it was made of, so that a file of the same bytes holds the same values.
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

/// Which sides to move a file keeps of a table that has both. One that is left out is found from its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Both.
    Both,
    /// Both for now; the one that [`Keep::Smaller`] would leave out is left out later by
    /// [`drop_interim_side`](crate::drop_interim_side).
    Interim,
    /// The one that takes less room, as far as a sample tells.
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
#[derive(Clone, Copy, Debug)]
pub struct TableWriter<'a> {
    variant: &'a Variant,
    metric: Metric,
    keep: Keep,
    packing: Packing,
}

impl<'a> TableWriter<'a> {
    /// A writer of files of the variant's own metric, with both sides to move, packed quickly.
    #[must_use]
    pub fn new(variant: &'a Variant) -> Self {
        TableWriter { variant, metric: variant.default_metric, keep: Keep::Both, packing: Packing::Quick }
    }

    /// Writes files of this metric instead of the variant's own. A file of `wdl` is made from a table of any
    /// metric, because all of them tell who wins.
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

    /// Writes a table, compressing its blocks on all threads of the current pool; the bytes do not depend on
    /// how many.
    ///
    /// The file appears under its name when it is complete and on the disk, not before.
    ///
    /// # Errors
    /// The disk refuses, or the material's name does not fit into a header.
    pub fn write(&self, path: &Path, table: &Table, metadata: &Metadata) -> Result<Written, FormatError> {
        let TableWriter { variant, metric, keep, packing } = *self;
        let design = Design::new(metric, table.layout());
        let design = if packing == Packing::Small { design.to_small() } else { design };
        let mut head = head(path, variant, metric, table, &design)?;
        let is_wide = |side| table.codes(side).is_some_and(Codes::is_wide);
        let narrowed =
            (design.meaning == Meaning::Results && table.sides().any(is_wide)).then(|| table.to_wdl());
        let table = narrowed.as_ref().unwrap_or(table);
        let kept = Kept::new(table.layout());
        let packer = SidePacker { variant, layout: table.layout(), kept: &kept, design: &design };
        let pack = || {
            let sides: Vec<Arranged<'_>> = table
                .codes_by_side()
                .map(|(side, codes)| packer.arrange(side, codes))
                .collect::<io::Result<_>>()?;
            let smaller = sides.iter().min_by_key(|arranged| arranged.arrangement.sample_bytes);
            let smaller = smaller.filter(|_| sides.len() == 2).map(|arranged| arranged.side);
            let fate = |side| match keep {
                Keep::Smaller if smaller.is_some_and(|smaller| smaller != side) => Fate::LeftOut,
                Keep::Interim if smaller.is_some_and(|smaller| smaller != side) => Fate::Passes,
                _ => Fate::Stays,
            };
            let packed: Vec<PackedSide> = sides
                .iter()
                .map(|arranged| packer.pack(arranged, fate(arranged.side)))
                .collect::<io::Result<_>>()?;
            // A model fills the places that nothing is kept of in its own way; the table's name is that of
            // its other files.
            let hash = |arranged: &Arranged<'_>| packer.pack(arranged, Fate::LeftOut);
            let hashed = match design.has_packings() {
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

/// The blocks of a side to move, compressed, in order.
pub(crate) struct PackedSide {
    pub(crate) side: Side,
    /// Bytes of a code.
    pub(crate) width: u8,
    pub(crate) order: u16,
    /// What a model has learned, as it stands in the file; nothing if no model has.
    pub(crate) learned: Box<[u8]>,
    /// Of a side that is left out no more than the hashes are known.
    pub(crate) blocks: Vec<Packed>,
}

impl PackedSide {
    pub(crate) fn size_bytes(&self) -> u64 {
        self.blocks.iter().map(|block| block.bytes.len() as u64).sum()
    }
}

/// A header of which [`write`] knows the rest.
fn head(
    path: &Path,
    variant: &Variant,
    metric: Metric,
    table: &Table,
    design: &Design,
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
    if design.meaning == Meaning::Values && table.sides().any(is_split) {
        let what = format!("codes of {metric_name} that tell wins from losses by their parity are needed");
        return Err(FormatError::Unwritable { path: path.to_path_buf(), what });
    }
    Ok(Header {
        version: design.version,
        widths: [0; 2],
        n_men: material.n_men() as u8,
        block_codes: design.block_codes as u32,
        tile_codes: design.tile_codes as u32,
        orders: [0; 2],
        placements: layout.len() as u64,
        n_blocks: 0,
        learned_bytes: 0,
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

/// Writes a file of these sides to move; `head` has what does not follow from them.
pub(crate) fn write(
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
    head.keep(sides);
    let has_learned = sides.iter().any(|side| !side.learned.is_empty());
    if head.has_packings() {
        head.version = if has_learned { VERSION_OF_LEARNED } else { VERSION_OF_SMALL };
    }
    let learned = if has_learned { learned_of(sides) } else { Vec::new() };
    head.learned_bytes = learned.len() as u64;
    head.n_blocks = sides.iter().map(|side| side.blocks.len() as u64).sum();
    head.blocks_bytes = sides.iter().map(PackedSide::size_bytes).sum();
    head.metadata_bytes = packed.len() as u64;
    head.metadata_checksum = short(&packed);
    head.content = content(&head, sides);
    let mut index = index_of(sides, head.blocks_offset());
    index.extend(learned);
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
fn content(head: &Header, sides: &[PackedSide]) -> Checksum {
    let mut head = head.clone();
    head.keep(sides);
    head.content_of(sides.iter().flat_map(|side| &side.blocks).map(|block| &block.content))
}

/// What becomes of a side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Stays,
    /// It is kept for a while, and not worth much work.
    Passes,
    LeftOut,
}

/// A side to move, and how its codes are to stand.
struct Arranged<'a> {
    side: Side,
    codes: CodesRef<'a>,
    arrangement: Arrangement,
}

/// Packs the sides of a table.
struct SidePacker<'a> {
    variant: &'a Variant,
    layout: &'a Layout,
    kept: &'a Kept<'a>,
    design: &'a Design,
}

impl SidePacker<'_> {
    fn arrange<'c>(&self, side: Side, codes: CodesRef<'c>) -> io::Result<Arranged<'c>> {
        let (variant, layout, coding) = (self.variant, self.layout, codes.coding());
        let arrangement = match codes {
            CodesRef::Narrow(codes) | CodesRef::Split(codes, _) => {
                choice::choose(variant, layout, self.source(codes, coding))?
            }
            CodesRef::Wide(codes) => choice::choose(variant, layout, self.source(codes, coding))?,
        };
        Ok(Arranged { side, codes, arrangement })
    }

    /// How the codes of a side stand where a model packs them.
    fn arrange_small(&self, codes: CodesRef<'_>) -> io::Result<Arrangement> {
        let (variant, layout, coding) = (self.variant, self.layout, codes.coding());
        match codes {
            CodesRef::Narrow(codes) | CodesRef::Split(codes, _) => {
                choice::choose_small(variant, layout, self.source(codes, coding))
            }
            CodesRef::Wide(codes) => choice::choose_small(variant, layout, self.source(codes, coding)),
        }
    }

    fn source<'c, C>(&'c self, codes: &'c [C], coding: Coding) -> Source<'c, C> {
        Source { kept: self.kept, codes, coding, design: self.design }
    }

    fn pack(&self, arranged: &Arranged<'_>, fate: Fate) -> io::Result<PackedSide> {
        let coding = arranged.codes.coding();
        let small = match fate == Fate::Stays && self.design.has_packings() {
            true => Some(self.arrange_small(arranged.codes)?),
            false => None,
        };
        let arrangement = small.as_ref().unwrap_or(&arranged.arrangement);
        let blocks = match arranged.codes {
            CodesRef::Narrow(codes) | CodesRef::Split(codes, _) => {
                pack_tiles(self.source(codes, coding), arrangement, fate)?
            }
            CodesRef::Wide(codes) => pack_tiles(self.source(codes, coding), arrangement, fate)?,
        };
        let (side, width) = (arranged.side, if arranged.codes.is_wide() { 2 } else { 1 });
        let learned = arrangement.learned.as_ref().map(|learned| learned.frame().into()).unwrap_or_default();
        Ok(PackedSide { side, width, order: arrangement.order.encode(), learned, blocks })
    }
}

/// All blocks of a side; only their hashes if it is left out.
fn pack_tiles<C: Code>(
    source: Source<'_, C>,
    arrangement: &Arrangement,
    fate: Fate,
) -> io::Result<Vec<Packed>> {
    let effort = if fate == Fate::Passes { source.design.passing } else { source.design.writing };
    let pack = |packer: &mut io::Result<Packer<C>>, tile| {
        let packer = pack::of_thread(packer)?;
        match fate {
            Fate::Stays if source.design.has_packings() => packer.pack_small(source, arrangement, tile),
            Fate::LeftOut => {
                Ok(packer.hash(source, arrangement, tile).into_iter().map(Packed::of_hash).collect())
            }
            Fate::Stays | Fate::Passes => packer.pack(source, arrangement, tile),
        }
    };
    let packed = (0..arrangement.tiles.len())
        .into_par_iter()
        .map_init(|| Packer::new(effort), pack)
        .collect::<io::Result<Vec<Vec<Packed>>>>()?;
    Ok(packed.into_iter().flatten().collect())
}

/// What the models of the sides kept have learned: for each its length and itself.
fn learned_of(sides: &[PackedSide]) -> Vec<u8> {
    let one = |side: &PackedSide| [&(side.learned.len() as u32).to_le_bytes(), &*side.learned].concat();
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
