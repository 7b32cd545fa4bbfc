//! A table file open for reading: single values. Everything is read in `stream.rs`.

use crate::checksum::rules_hash;
use crate::checksum::{Checksum, Short, short};
use crate::design::tile_codes_of;
use crate::header::{ENTRY_BYTES, Header, field};
use crate::meaning::Meaning;
use crate::method::Method;
use crate::modelled::{Learned, Men, Model, Outlook};
use crate::name::material_of;
use crate::order::Order;
use crate::source::Source;
use crate::summary::{open, section};
use crate::tile::{Tiles, can_turn, n_axes};
use crate::{BlockCache, Distance, FormatError};
use index::{Layout, MAX_MEN};
use std::cell::RefCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Code, Ply, Value};
use variant::{Material, Metric, Side, Variant};
use zstd::bulk::Decompressor;

/// How many bytes of blocks a file keeps that has been given no cache to share.
const OWN_CACHE_BYTES: usize = 16 << 20;

/// A table file open for reading, by any number of threads.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    source: Source,
    header: Header,
    meaning: Meaning,
    layout: Arc<Layout>,
    index: Vec<Entry>,
    /// How the codes of each side kept stand.
    tiles: [Option<Tiles>; 2],
    /// What the model of each side kept knows beforehand.
    learned: [Option<Learned>; 2],
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
    /// Opens a file that must hold the material of its name under this variant's rules and its own metric.
    ///
    /// # Errors
    /// Anything in the file's header or index that is not as it should be; blocks are checked when they are
    /// read.
    pub fn open(path: &Path, variant: &Variant) -> Result<Self, FormatError> {
        let cache = Arc::new(BlockCache::new(OWN_CACHE_BYTES));
        TableFile::open_of(path, variant, variant.default_metric, cache)
    }

    /// Opens a file of any metric that shares a cache with others.
    ///
    /// # Errors
    /// As [`TableFile::open`].
    pub fn open_of(
        path: &Path,
        variant: &Variant,
        metric: Metric,
        cache: Arc<BlockCache>,
    ) -> Result<Self, FormatError> {
        let (header, source) = open(path)?;
        // Nobody reads the metadata here, but a file that is damaged anywhere is not to be trusted.
        let (offset, n_bytes) = (Header::METADATA_OFFSET, header.metadata_bytes);
        section(path, &source, "metadata", offset, n_bytes, header.metadata_checksum)?;
        let material = check_material(path, variant, metric, &header)?;
        let damaged = |section| FormatError::SectionDamaged { path: path.to_path_buf(), section };
        let meaning = header.meaning().ok_or_else(|| damaged("header"))?;
        if material.n_men() > MAX_MEN {
            return Err(FormatError::Inconsistent {
                path: path.to_path_buf(),
                what: "the number of men",
                got: material.n_men() as u64,
                expected: u64::from(header.n_men).min(MAX_MEN as u64),
            });
        }
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
        let is_right = match layout.is_one_sided() {
            true => !is_black_kept && header.widths[0] != 0,
            false => is_black_kept || header.may_lack_side(),
        };
        check("whether Black to move is kept", is_black_kept.into(), (is_black_kept == is_right).into())?;
        let (offset, n_bytes) = (header.index_offset(), header.index_bytes());
        let bytes = section(path, &source, "index", offset, n_bytes, header.index_checksum)?;
        let (entries, learned) = bytes.split_at(header.entries_bytes() as usize);
        let index = read_index(entries, &header).ok_or_else(|| damaged("index"))?;
        let learned = read_learned(learned, &header, &layout).ok_or_else(|| damaged("index"))?;
        let tiles = tiles_of(path, &header, &layout)?;
        let key = cache.register();
        let path = path.to_path_buf();
        Ok(TableFile { path, source, header, meaning, layout, index, tiles, learned, cache, key })
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

    /// Whether the file keeps this side to move. A symmetric material has White only; of any other material
    /// one of the two may have been left out.
    #[must_use]
    pub fn keeps(&self, stm: Side) -> bool {
        self.header.widths[stm.index()] != 0
    }

    /// The side to move that has been left out, if one has: its values are the best of what its moves lead
    /// to.
    #[must_use]
    pub fn left_out(&self) -> Option<Side> {
        let has_both = !self.layout.is_one_sided();
        Side::BOTH.into_iter().find(|&side| has_both && !self.keeps(side))
    }

    /// Whether the file holds distances alone: under `dtc`, `dtz` and `dtz50`, whose files are read beside
    /// those of `wdl`.
    #[must_use]
    pub fn holds_distances(&self) -> bool {
        self.meaning == Meaning::Distances
    }

    /// What the codes say.
    pub(crate) fn meaning(&self) -> Meaning {
        self.meaning
    }

    /// Which values the file holds.
    #[must_use]
    pub fn content(&self) -> Checksum {
        self.header.content
    }

    /// The value of the placement with this number, which must be canonical and legal: other places hold
    /// anything.
    ///
    /// Complexity: one block is decompressed if it is not in the cache.
    ///
    /// # Errors
    /// The block is damaged or cannot be read.
    ///
    /// # Panics
    /// If the file does not keep this side to move, has no such number or holds distances alone.
    pub fn value(&self, stm: Side, index: usize) -> Result<Value, FormatError> {
        assert!(!self.holds_distances(), "{} does not say who wins", self.path.display());
        let code = self.code(stm, index)?;
        // Results are values of one byte, however many codes of the file a byte has.
        Ok(if self.header.widths[stm.index()] == 1 { (code as u8).value() } else { code.value() })
    }

    /// The distance of the placement with this number, which must be canonical and legal and decided: other
    /// places hold anything. Who wins stands in the file of `wdl`.
    ///
    /// Complexity: as [`TableFile::value`]; a block may be a whole table of a few million placements.
    ///
    /// # Errors
    /// The block is damaged or cannot be read.
    ///
    /// # Panics
    /// If the file does not keep this side to move, has no such number or holds values.
    pub fn distance(&self, stm: Side, index: usize) -> Result<Distance, FormatError> {
        assert!(self.holds_distances(), "{} holds values", self.path.display());
        Ok(Distance(Ply(self.code(stm, index)?.saturating_sub(1))))
    }

    /// The code of a placement.
    fn code(&self, stm: Side, index: usize) -> Result<u16, FormatError> {
        assert!(self.keeps(stm), "{} does not keep {stm} to move", self.path.display());
        assert!(index < self.layout.len(), "placement {index} of {}", self.layout.len());
        let (tile, place) = self.tiles(stm).place(index);
        let codes = self.header.block_codes as usize;
        let (block, place) = (self.blocks(stm, tile).start + place / codes, place % codes);
        let n_bytes = self.block_bytes(stm, tile, block);
        let load = || {
            let mut bytes = vec![0; n_bytes];
            self.read_block(block, &mut bytes).map(|()| bytes.into_boxed_slice())
        };
        let width = self.header.widths[stm.index()];
        self.cache.read(self.key, block, n_bytes, load, |bytes| self.meaning.code_at(bytes, place, width))
    }

    /// How the codes of a side stand, which the file must keep.
    pub(crate) fn tiles(&self, side: Side) -> &Tiles {
        self.tiles[side.index()].as_ref().expect("a side that the file keeps")
    }

    /// What the model of a side knows beforehand.
    pub(crate) fn learned(&self, side: Side) -> Option<&Learned> {
        self.learned[side.index()].as_ref()
    }

    /// The numbers of the blocks of a tile.
    pub(crate) fn blocks(&self, side: Side, tile: usize) -> Range<usize> {
        let is_first = side == Side::White || !self.keeps(Side::White);
        let first = if is_first { 0 } else { self.header.blocks_per_side() as usize };
        let start = first + tile * self.header.blocks_per_tile() as usize;
        start..start + self.tiles(side).range(tile).len().div_ceil(self.header.block_codes as usize)
    }

    /// How many bytes a block of a tile has before compression.
    pub(crate) fn block_bytes(&self, side: Side, tile: usize, block: usize) -> usize {
        let codes = self.header.block_codes as usize;
        let rest = self.tiles(side).range(tile).len() - (block - self.blocks(side, tile).start) * codes;
        self.meaning.n_bytes(codes.min(rest), self.header.widths[side.index()] as usize)
    }

    /// The header.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Reads a block and decompresses it into `bytes`, which must be as many as it has.
    pub(crate) fn read_block(&self, block: usize, bytes: &mut [u8]) -> Result<(), FormatError> {
        thread_local! {
            static PACKED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        PACKED.with_borrow_mut(|packed| {
            self.read_packed(block, packed)?;
            self.decompress(block, packed, bytes)
        })
    }

    /// Reads a block as it is in the file.
    pub(crate) fn read_packed(&self, block: usize, packed: &mut Vec<u8>) -> Result<(), FormatError> {
        let entry = self.index[block];
        packed.resize(entry.n_bytes as usize, 0);
        self.source.read_exact_at(packed, entry.offset).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.damaged(block),
            _ => FormatError::io(&self.path, "read")(error),
        })?;
        if short(packed) == entry.checksum { Ok(()) } else { Err(self.damaged(block)) }
    }

    /// Decompresses what has been read of a block.
    pub(crate) fn decompress(
        &self,
        block: usize,
        packed: &[u8],
        bytes: &mut [u8],
    ) -> Result<(), FormatError> {
        let (method, packed) = match self.header.has_packings() {
            true => Method::split(packed).ok_or_else(|| self.damaged(block))?,
            false => (Method::Zstandard, packed),
        };
        match method {
            Method::Zstandard => self.unzstd(block, packed, bytes),
            Method::Modelled => self.unmodel(block, packed, bytes),
        }
    }

    /// The bytes of a block that is a Zstandard frame.
    fn unzstd(&self, block: usize, packed: &[u8], bytes: &mut [u8]) -> Result<(), FormatError> {
        thread_local! {
            /// Making a decompressor costs more than a block.
            static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
        }
        DECOMPRESSOR.with_borrow_mut(|slot| {
            let decompressor = match slot {
                Some(decompressor) => decompressor,
                None => slot.insert(Decompressor::new().map_err(FormatError::io(&self.path, "decompress"))?),
            };
            match decompressor.decompress_to_buffer(packed, bytes) {
                Ok(n_bytes) if n_bytes == bytes.len() => Ok(()),
                _ => Err(self.damaged(block)),
            }
        })
    }

    /// The codes of a block that is packed by a model.
    fn unmodel(&self, block: usize, packed: &[u8], bytes: &mut [u8]) -> Result<(), FormatError> {
        thread_local! {
            static MODEL: RefCell<(Option<Model>, Vec<u16>)> = const { RefCell::new((None, Vec::new())) };
        }
        let is_first = self.keeps(Side::White) && block < self.header.blocks_per_side() as usize;
        let side = if is_first { Side::White } else { Side::Black };
        let per_tile = self.header.blocks_per_tile() as usize;
        let in_side = block - self.blocks(side, 0).start;
        let (tiles, tile, width) = (self.tiles(side), in_side / per_tile, self.header.widths[side.index()]);
        let men = Men::new(&self.layout, tiles, tile);
        let outlook = self.learned(side).map(|learned| Outlook { men, learned });
        let scene = (&tiles.grid(tile), outlook);
        let start = in_side % per_tile * self.header.block_codes as usize;
        MODEL.with_borrow_mut(|(model, codes)| {
            codes.resize(bytes.len() / usize::from(width), 0);
            let model = model.get_or_insert_with(Model::new);
            if !model.decode(scene, start, packed, u32::from(width) * 8, codes) {
                return Err(self.damaged(block));
            }
            match width {
                1 => bytes.iter_mut().zip(codes).for_each(|(byte, code)| *byte = *code as u8),
                _ => bytes
                    .chunks_exact_mut(2)
                    .zip(codes)
                    .for_each(|(pair, code)| pair.copy_from_slice(&code.to_le_bytes())),
            }
            Ok(())
        })
    }

    fn damaged(&self, block: usize) -> FormatError {
        FormatError::BlockDamaged { path: self.path.clone(), block, n_blocks: self.index.len() }
    }
}

/// How the codes of each side kept stand.
fn tiles_of(path: &Path, header: &Header, layout: &Layout) -> Result<[Option<Tiles>; 2], FormatError> {
    let mut all = [None, None];
    let tile_codes = header.tile_codes as usize;
    let (got, expected) = (u64::from(header.tile_codes), tile_codes_of(header.version, layout) as u64);
    if header.has_order() && got != expected {
        let (path, what) = (path.to_path_buf(), "the codes of a tile");
        return Err(FormatError::Inconsistent { path, what, got, expected });
    }
    let may_turn = header.has_packed_metadata() && can_turn(layout, tile_codes);
    for side in Side::BOTH {
        let (is_kept, bits) = (header.widths[side.index()] != 0, header.orders[side.index()]);
        let inconsistent = |what, got, expected| {
            let path = path.to_path_buf();
            Err(FormatError::Inconsistent { path, what, got, expected })
        };
        all[side.index()] = match Order::decode(bits, may_turn) {
            _ if !header.has_order() => is_kept.then(|| Tiles::natural(layout, tile_codes)),
            _ if !is_kept && bits == 0 => None,
            Some(order) if is_kept && order.axes().len() == n_axes(layout) => {
                Tiles::new(layout, order, tile_codes)
            }
            _ => {
                return inconsistent(
                    "the order of the codes",
                    bits.into(),
                    Order::all(n_axes(layout), 0)[0].encode().into(),
                );
            }
        };
    }
    Ok(all)
}

/// The material of a file, which must be that of its name, with this metric and the variant's rules.
fn check_material(
    path: &Path,
    variant: &Variant,
    metric: Metric,
    header: &Header,
) -> Result<Material, FormatError> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let expected = material_of(&file);
    let path = || path.to_path_buf();
    let got = header.material.clone();
    if got != expected {
        return Err(FormatError::OtherMaterial { path: path(), got, expected: expected.into() });
    }
    if header.metric != metric.name() {
        let got = header.metric.clone();
        return Err(FormatError::OtherMetric { path: path(), got, expected: metric.to_string() });
    }
    let material = Material::parse(variant, &got).map_err(|source| FormatError::UnknownMaterial {
        path: path(),
        variant: variant.name.clone(),
        source: Box::new(source),
    })?;
    let expected = rules_hash(variant, &material, metric);
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

/// What the models of the sides kept have learned; none if it is not what it should be.
fn read_learned(mut bytes: &[u8], header: &Header, layout: &Layout) -> Option<[Option<Learned>; 2]> {
    let mut all = [None, None];
    if header.has_learned() {
        for (learned, _) in all.iter_mut().zip(header.widths).filter(|(_, width)| *width != 0) {
            let (length, rest) = bytes.split_first_chunk()?;
            let (frame, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            *learned = if frame.is_empty() { None } else { Some(Learned::decode(layout, frame)?) };
            bytes = rest;
        }
    }
    bytes.is_empty().then_some(all)
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
