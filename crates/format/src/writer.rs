//! From a table in memory to a file on the disk.

use crate::checksum::{Checksum, short};
use crate::header::{ENTRY_BYTES, Header, VERSION};
use crate::kept::Kept;
use crate::order::Order;
use crate::pack::{self, BLOCK_CODES, Packed, Packer, Source};
use crate::temporary::write_atomically;
use crate::tile::tile_codes;
use crate::width::{FileCode, width};
use crate::{FormatError, Metadata};
use index::Layout;
use rayon::prelude::*;
use std::fs::File;
use std::io;
use std::path::Path;
use table::{CodesRef, Table};
use variant::{Side, Variant};

/// A file that has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// The checksum that names the values it holds.
    pub content: Checksum,
    /// Its size.
    pub size_bytes: u64,
    /// The hash of all its bytes.
    file: Checksum,
}

impl Written {
    /// Reads the file again and compares it with what was written, byte for byte as far as a hash can tell.
    ///
    /// Nothing is decompressed: [`write_table`] has decompressed every block and compared it with the codes that it
    /// was made of, so that a file of the same bytes holds the same values.
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

/// Writes a table, compressing its blocks on all threads of the current pool; the bytes do not depend on how many.
///
/// The file appears under its name when it is complete and on the disk, not before.
///
/// # Errors
/// The disk refuses, or the material's name does not fit into a header.
pub fn write_table(
    path: &Path,
    variant: &Variant,
    table: &Table,
    metadata: &Metadata,
) -> Result<Written, FormatError> {
    let layout = table.layout();
    let material = layout.material();
    let name = material.name(variant);
    let metric = variant.metric.to_string();
    let unwritable = |what: String| FormatError::Unwritable { path: path.to_path_buf(), what };
    if name.len() > 32 || metric.len() > 8 || !name.is_ascii() {
        return Err(unwritable(format!("no room for the name of {name} or {metric}")));
    }
    let text = metadata.to_text().map_err(|e| unwritable(e.to_string()))?;
    let (packed, orders) = pack(variant, table).map_err(FormatError::io(path, "compress"))?;

    let mut header = Header {
        version: VERSION,
        widths: Side::BOTH.map(|side| table.codes(side).map_or(0, |codes| width(codes.as_ref()))),
        n_men: material.n_men() as u8,
        block_codes: BLOCK_CODES as u32,
        tile_codes: tile_codes(layout) as u32,
        orders,
        placements: layout.len() as u64,
        n_blocks: packed.len() as u64,
        metadata_bytes: text.len() as u64,
        blocks_bytes: packed.iter().map(|block| block.bytes.len() as u64).sum(),
        metric,
        material: name,
        rules_hash: Checksum(variant.rules_hash(material)),
        content: Checksum([0; 32]),
        metadata_checksum: short(text.as_bytes()),
        index_checksum: [0; 16],
    };
    let index = index_of(&packed, header.blocks_offset());
    header.index_checksum = short(&index);
    header.content = header.content_of(packed.iter().map(|block| &block.content));

    let head = header.encode();
    let mut parts: Vec<&[u8]> = vec![&head, text.as_bytes(), &index];
    parts.extend(packed.iter().map(|block| &block.bytes[..]));
    write_atomically(path, &parts)?;
    let mut hasher = blake3::Hasher::new();
    parts.iter().for_each(|part| _ = hasher.update(part));
    let file = Checksum(*hasher.finalize().as_bytes());
    Ok(Written { content: header.content, size_bytes: header.file_bytes(), file })
}

/// The blocks of all sides kept, compressed, in order; and the order of each side's codes.
fn pack(variant: &Variant, table: &Table) -> io::Result<(Vec<Packed>, [u16; 2])> {
    let kept = Kept::new(table.layout());
    let (mut packed, mut orders) = (Vec::new(), [0; 2]);
    for side in table.sides() {
        let (blocks, order) = match table.codes(side).map(table::Codes::as_ref) {
            Some(CodesRef::Narrow(codes)) => {
                pack_side(variant, table.layout(), Source { kept: &kept, codes })?
            }
            Some(CodesRef::Wide(codes)) => pack_side(variant, table.layout(), Source { kept: &kept, codes })?,
            None => continue,
        };
        packed.extend(blocks);
        orders[side.index()] = order.encode();
    }
    Ok((packed, orders))
}

fn pack_side<C: FileCode>(
    variant: &Variant,
    layout: &Layout,
    source: Source<'_, C>,
) -> io::Result<(Vec<Packed>, Order)> {
    let arrangement = pack::choose(variant, layout, source)?;
    let packed = (0..arrangement.tiles.len())
        .into_par_iter()
        .map_init(Packer::new, |packer, tile| pack::of_thread(packer)?.pack(source, &arrangement, tile))
        .collect::<io::Result<Vec<_>>>()?;
    Ok((packed.into_iter().flatten().collect(), arrangement.order))
}

/// The index: offset, length and checksum of every block.
fn index_of(packed: &[Packed], blocks_offset: u64) -> Vec<u8> {
    let mut index = Vec::with_capacity(packed.len() * ENTRY_BYTES);
    let mut offset = blocks_offset;
    for block in packed {
        index.extend(offset.to_le_bytes());
        index.extend((block.bytes.len() as u32).to_le_bytes());
        index.extend(block.checksum);
        offset += block.bytes.len() as u64;
    }
    index
}
