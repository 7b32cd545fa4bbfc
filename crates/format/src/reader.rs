//! A table file open for reading: single values, or everything.

use crate::checksum::{Checksum, Short, short};
use crate::header::{ENTRY_BYTES, Header, field};
use crate::source::Source;
use crate::summary::{open, section};
use crate::{BlockCache, FormatError};
use index::Layout;
use rayon::prelude::*;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Code, Codes, Table, Value};
use variant::{Material, Side, Variant};
use zstd::bulk::Decompressor;

/// How many bytes of blocks a file keeps that has been given no cache to share.
const OWN_CACHE_BYTES: usize = 16 << 20;

/// A table file open for reading, by any number of threads.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    source: Source,
    header: Header,
    layout: Arc<Layout>,
    index: Vec<Entry>,
    cache: Arc<BlockCache>,
    /// The file's number in the cache.
    key: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    offset: u64,
    n_bytes: u32,
    checksum: Short,
}

impl TableFile {
    /// Opens a file that must hold the material of its name under this variant's rules.
    ///
    /// # Errors
    /// Anything in the file's header or index that is not as it should be; blocks are checked when they are read.
    pub fn open(path: &Path, variant: &Variant) -> Result<Self, FormatError> {
        TableFile::open_with_cache(path, variant, Arc::new(BlockCache::new(OWN_CACHE_BYTES)))
    }

    /// Opens a file that shares a cache with others.
    ///
    /// # Errors
    /// As [`TableFile::open`].
    pub fn open_with_cache(
        path: &Path,
        variant: &Variant,
        cache: Arc<BlockCache>,
    ) -> Result<Self, FormatError> {
        let (header, source) = open(path)?;
        // Nobody reads the metadata here, but a file that is damaged anywhere is not to be trusted.
        let (offset, n_bytes) = (Header::METADATA_OFFSET, header.metadata_bytes);
        section(path, &source, "metadata", offset, n_bytes, header.metadata_checksum)?;
        let material = check_material(path, variant, &header)?;
        let layout = Arc::new(Layout::new(variant, &material));
        let check = |what: &'static str, got: u64, expected: u64| {
            let path = path.to_path_buf();
            if got == expected {
                Ok(())
            } else {
                Err(FormatError::Inconsistent { path, what, got, expected })
            }
        };
        check("the number of placements", header.placements, layout.len() as u64)?;
        check("the number of men", u64::from(header.n_men), material.n_men() as u64)?;
        let is_black_kept = header.widths[1] != 0;
        check("whether Black to move is kept", is_black_kept.into(), (!material.is_symmetric()).into())?;
        let (offset, n_bytes) = (header.index_offset(), header.index_bytes());
        let bytes = section(path, &source, "index", offset, n_bytes, header.index_checksum)?;
        let index = read_index(&bytes, &header)
            .ok_or(FormatError::SectionDamaged { path: path.to_path_buf(), section: "index" })?;
        let key = cache.register();
        Ok(TableFile { path: path.to_path_buf(), source, header, layout, index, cache, key })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The numbering of the placements.
    #[must_use]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Whether the file keeps this side to move: White always, Black unless the material is symmetric.
    #[must_use]
    pub fn keeps(&self, stm: Side) -> bool {
        self.header.widths[stm.index()] != 0
    }

    /// Which values the file holds.
    #[must_use]
    pub fn content(&self) -> Checksum {
        self.header.content
    }

    /// The value of the placement with this number, which must be canonical and legal: other places hold anything.
    ///
    /// Complexity: one block is decompressed if it is not in the cache.
    ///
    /// # Errors
    /// The block is damaged or cannot be read.
    ///
    /// # Panics
    /// If the file does not keep this side to move or has no such number.
    pub fn value(&self, stm: Side, index: usize) -> Result<Value, FormatError> {
        assert!(self.keeps(stm), "{} does not keep {stm} to move", self.path.display());
        assert!(index < self.layout.len(), "placement {index} of {}", self.layout.len());
        let codes = self.header.block_codes as usize;
        let block = stm.index() * self.header.blocks_per_side() as usize + index / codes;
        let place = index % codes;
        let is_narrow = self.header.widths[stm.index()] == 1;
        let load = || {
            let mut bytes = Vec::new();
            self.read_block(block, &mut bytes).map(|()| bytes.into_boxed_slice())
        };
        self.cache.read(self.key, block, load, |bytes| match is_narrow {
            true => bytes[place].value(),
            false => u16::from_le_bytes(field(bytes, 2 * place)).value(),
        })
    }

    /// The whole table, with whatever stands in the places that files do not keep; every checksum is compared.
    ///
    /// # Errors
    /// A block is damaged or cannot be read, or the values are not those that the header names.
    pub fn read_table(&self) -> Result<Table, FormatError> {
        let mut hashes = Vec::with_capacity(self.index.len());
        let white = self.read_side(Side::White, &mut hashes)?;
        let black =
            if self.keeps(Side::Black) { Some(self.read_side(Side::Black, &mut hashes)?) } else { None };
        self.check_content(&hashes)?;
        Ok(Table::new(self.layout.clone(), white, black))
    }

    /// Reads everything and compares every checksum.
    ///
    /// # Errors
    /// As [`TableFile::read_table`].
    pub fn verify_checksums(&self) -> Result<(), FormatError> {
        let hash = |bytes: &mut Vec<u8>, block| {
            self.read_block(block, bytes).map(|()| *blake3::hash(bytes).as_bytes())
        };
        let hashes: Vec<[u8; 32]> =
            (0..self.index.len()).into_par_iter().map_init(Vec::new, hash).collect::<Result<_, _>>()?;
        self.check_content(&hashes)
    }

    fn check_content(&self, hashes: &[[u8; 32]]) -> Result<(), FormatError> {
        let (got, expected) = (self.header.content_of(hashes), self.header.content);
        if got == expected {
            return Ok(());
        }
        Err(FormatError::ContentDamaged { path: self.path.clone(), got, expected })
    }

    /// All codes of a side; the hash of each block goes to `hashes`.
    fn read_side(&self, side: Side, hashes: &mut Vec<[u8; 32]>) -> Result<Codes, FormatError> {
        let first = side.index() * self.header.blocks_per_side() as usize;
        match self.header.widths[side.index()] {
            1 => self
                .read_codes(first, hashes, |bytes, codes: &mut [u8]| codes.copy_from_slice(bytes))
                .map(Codes::Narrow),
            _ => self
                .read_codes(first, hashes, |bytes, codes: &mut [u16]| {
                    for (code, pair) in codes.iter_mut().zip(bytes.chunks_exact(2)) {
                        *code = u16::from_le_bytes(field(pair, 0));
                    }
                })
                .map(Codes::Wide),
        }
    }

    fn read_codes<C: Code>(
        &self,
        first: usize,
        hashes: &mut Vec<[u8; 32]>,
        copy: impl Fn(&[u8], &mut [C]) + Sync,
    ) -> Result<Vec<C>, FormatError> {
        let mut codes = vec![C::ILLEGAL; self.layout.len()];
        let blocks = codes.par_chunks_mut(self.header.block_codes as usize).enumerate();
        let read: Vec<[u8; 32]> = blocks
            .map_init(Vec::new, |bytes, (block, codes)| {
                self.read_block(first + block, bytes)?;
                copy(bytes, codes);
                Ok(*blake3::hash(bytes).as_bytes())
            })
            .collect::<Result<_, FormatError>>()?;
        hashes.extend(read);
        Ok(codes)
    }

    /// Reads a block and decompresses it into `bytes`.
    fn read_block(&self, block: usize, bytes: &mut Vec<u8>) -> Result<(), FormatError> {
        thread_local! {
            /// Making a decompressor costs more than a block.
            static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
        }
        let entry = self.index[block];
        let mut packed = vec![0; entry.n_bytes as usize];
        let reading = self.source.read_exact_at(&mut packed, entry.offset);
        let n_blocks = self.index.len();
        let damaged = || FormatError::BlockDamaged { path: self.path.clone(), block, n_blocks };
        reading.map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => damaged(),
            _ => FormatError::io(&self.path, "read")(error),
        })?;
        if short(&packed) != entry.checksum {
            return Err(damaged());
        }
        let expected = self.block_bytes(block);
        bytes.clear();
        bytes.reserve(expected);
        let n_bytes = DECOMPRESSOR.with_borrow_mut(|slot| {
            let decompressor = match slot {
                Some(decompressor) => decompressor,
                None => slot.insert(Decompressor::new().map_err(FormatError::io(&self.path, "decompress"))?),
            };
            decompressor.decompress_to_buffer(&packed, bytes).map_err(|_| damaged())
        })?;
        if n_bytes == expected { Ok(()) } else { Err(damaged()) }
    }

    /// How many bytes a block has before compression.
    fn block_bytes(&self, block: usize) -> usize {
        let per_side = self.header.blocks_per_side() as usize;
        let codes = self.header.block_codes as usize;
        let n_codes = codes.min(self.layout.len() - block % per_side * codes);
        n_codes * self.header.widths[block / per_side] as usize
    }
}

/// The material of a file, which must be that of its name, with the variant's metric and rules.
fn check_material(path: &Path, variant: &Variant, header: &Header) -> Result<Material, FormatError> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let expected = file.split('.').next().unwrap_or_default();
    let path = || path.to_path_buf();
    let got = header.material.clone();
    if got != expected {
        return Err(FormatError::OtherMaterial { path: path(), got, expected: expected.into() });
    }
    let metric = variant.metric.to_string();
    if header.metric != metric {
        let got = header.metric.clone();
        return Err(FormatError::OtherMetric { path: path(), got, expected: metric });
    }
    let material = Material::parse(variant, &got).map_err(|source| FormatError::UnknownMaterial {
        path: path(),
        variant: variant.name.clone(),
        source: Box::new(source),
    })?;
    let expected = Checksum(variant.rules_hash(&material));
    if header.rules_hash != expected {
        return Err(FormatError::OtherRules {
            path: path(),
            material: got,
            variant: variant.name.clone(),
            got: Box::new(header.rules_hash),
            expected: Box::new(expected),
        });
    }
    Ok(material)
}

/// The entries of the index; none if they do not fill the place of the blocks one after the other.
fn read_index(bytes: &[u8], header: &Header) -> Option<Vec<Entry>> {
    let mut next = header.blocks_offset();
    let mut index = Vec::with_capacity(bytes.len() / ENTRY_BYTES);
    for entry in bytes.chunks_exact(ENTRY_BYTES) {
        let offset = u64::from_le_bytes(field(entry, 0));
        let n_bytes = u32::from_le_bytes(field(entry, 8));
        if offset != next {
            return None;
        }
        next = next.checked_add(u64::from(n_bytes))?;
        index.push(Entry { offset, n_bytes, checksum: field(entry, 12) });
    }
    (next == header.file_bytes()).then_some(index)
}
