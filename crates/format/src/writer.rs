//! From a table in memory to a file on the disk.

use crate::checksum::{Checksum, Short, short};
use crate::header::{ENTRY_BYTES, Header};
use crate::kept::Kept;
use crate::temporary::write_atomically;
use crate::{FormatError, Metadata};
use rayon::prelude::*;
use std::io;
use std::ops::Range;
use std::path::Path;
use table::{CodesRef, Table};
use variant::{Side, Variant};
use zstd::bulk::Compressor;

/// Codes in a block: one probe decompresses as many.
pub(crate) const BLOCK_CODES: u32 = 1 << 15;

/// How hard the compressor tries. Over the five tables KQvK, KQvKR, KRBvK, KPvK and KPvKP, level 3 takes a third of
/// the time for files 6 % larger, level 9 almost twice the time for files 3 % smaller.
const LEVEL: i32 = 6;

/// A file that has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// The checksum that names the values it holds.
    pub content: Checksum,
    /// Its size.
    pub size_bytes: u64,
}

/// One block, ready to be written.
struct Packed {
    bytes: Box<[u8]>,
    checksum: Short,
    content: [u8; 32],
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
    let packed = pack(table, BLOCK_CODES).map_err(FormatError::io(path, "compress"))?;

    let mut header = Header {
        widths: Side::BOTH.map(|side| table.codes(side).map_or(0, |codes| width(codes.as_ref()))),
        n_men: material.n_men() as u8,
        block_codes: BLOCK_CODES,
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
    Ok(Written { content: header.content, size_bytes: header.file_bytes() })
}

/// The bytes of a code.
fn width(codes: CodesRef<'_>) -> u8 {
    match codes {
        CodesRef::Narrow(_) => 1,
        CodesRef::Wide(_) => 2,
    }
}

/// All blocks of all sides kept, compressed, in order.
fn pack(table: &Table, block_codes: u32) -> io::Result<Vec<Packed>> {
    let layout = table.layout();
    let kept = Kept::new(layout);
    let ranges = |side: Side| {
        let starts = (0..layout.len()).step_by(block_codes as usize);
        starts.map(move |start| (side, start..layout.len().min(start + block_codes as usize)))
    };
    let blocks: Vec<(Side, Range<usize>)> = table.sides().flat_map(ranges).collect();
    blocks
        .into_par_iter()
        .map_init(
            || (Compressor::new(LEVEL), Scratch::default()),
            |(compressor, scratch), (side, range)| {
                let codes = table.codes(side).map(table::Codes::as_ref);
                // A compressor that could not be made is told for every block of its thread; one of them is seen.
                let compressor = compressor.as_mut().map_err(|e| io::Error::new(e.kind(), e.to_string()))?;
                scratch.pack(&kept, codes, range, compressor)
            },
        )
        .collect()
}

/// Memory that is used again from block to block.
#[derive(Default)]
struct Scratch {
    narrow: Vec<u8>,
    wide: Vec<u16>,
    compressed: Vec<u8>,
}

impl Scratch {
    fn pack(
        &mut self,
        kept: &Kept<'_>,
        codes: Option<CodesRef<'_>>,
        range: Range<usize>,
        compressor: &mut Compressor<'_>,
    ) -> io::Result<Packed> {
        match codes {
            Some(CodesRef::Narrow(codes)) => kept.fill(codes, range, &mut self.narrow),
            Some(CodesRef::Wide(codes)) => {
                kept.fill(codes, range, &mut self.wide);
                self.narrow.clear();
                self.narrow.extend(self.wide.iter().flat_map(|code| code.to_le_bytes()));
            }
            None => self.narrow.clear(),
        }
        self.compressed.clear();
        self.compressed.reserve(zstd::zstd_safe::compress_bound(self.narrow.len()));
        compressor.compress_to_buffer(&self.narrow, &mut self.compressed)?;
        Ok(Packed {
            bytes: self.compressed.as_slice().into(),
            checksum: short(&self.compressed),
            content: *blake3::hash(&self.narrow).as_bytes(),
        })
    }
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
