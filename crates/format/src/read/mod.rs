//! Opens a column of a table file, compares what it says of itself with the rules, and reads single values
//! and single blocks; [`stream`] reads ranges and whole tables.

pub(crate) mod cache;
#[cfg(feature = "parallel")]
pub(crate) mod stream;

use crate::code::{Distance, Method, Payload};
#[cfg(feature = "parallel")]
use crate::container::PageEntry;
use crate::container::{PageKey, SealedFile};
use crate::error::FormatError;
use crate::head::{AboutColumn, Header, Summary, columns_of, open_column};
use crate::model::{Block, GuessPredictor, LiteralTree, Model, Prior, TileMen};
use crate::name::{Checksum, Column, material_of, rules_hash};
use crate::tile::{Order, TileId, Tiling, can_turn, n_axes, tile_codes_of};
use cache::BlockCache;
use index::{Layout, MAX_MEN};
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Code, Ply, StepPage, Value, step_page_of, step_page_range, step_pages_per_slice};
use variant::{Material, Metric, Side, Variant};
use zstd::bulk::Decompressor;

/// How many bytes of blocks a file keeps that has been given no cache to share.
const OWN_CACHE_BYTES: usize = 16 << 20;

/// Where the code of a placement stands. Addresses that are equal are decompressed together, and those of a
/// file are in the order in which it is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BlockAddress {
    /// The file's number in its cache.
    file: u64,
    block: usize,
}

/// A column of a table file open for reading, by any number of threads.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    file: SealedFile,
    column: Column,
    /// The place of the column's first page among all pages of the file. Pages below count from it.
    first: usize,
    header: Header,
    payload: Payload,
    layout: Arc<Layout>,
    /// How the codes of each side kept stand.
    tilings: [Option<Tiling>; 2],
    /// What the models of each side kept begin with.
    learned: [Learned; 2],
    cache: Arc<BlockCache>,
    /// The file's number in the cache.
    key: u64,
}

impl TableFile {
    /// Opens the column of the variant's own metric. The file must hold the material of its name under this
    /// variant's rules.
    ///
    /// # Errors
    /// Anything in the file's index that is not as it should be; blocks are checked when they are read.
    pub fn open(path: &Path, variant: &Variant) -> Result<Self, FormatError> {
        let cache = Arc::new(BlockCache::new(OWN_CACHE_BYTES));
        TableFile::open_of(path, variant, variant.default_metric, cache)
    }

    /// Opens any column of a file, with a cache that others share.
    ///
    /// # Errors
    /// As [`TableFile::open`].
    pub fn open_of(
        path: &Path,
        variant: &Variant,
        column: impl Into<Column>,
        cache: Arc<BlockCache>,
    ) -> Result<Self, FormatError> {
        let column = column.into();
        let (own, file) = open_column(path, column)?;
        let variant = &variant.for_metric(column.metric);
        let material = check_material(path, variant, column, &own, &file)?;
        let header = own.table;
        let payload = header.payload().ok_or_else(|| FormatError::index_damaged(path))?;
        let (n_men, own_men) = (material.n_men() as u64, u64::from(header.n_men));
        let (what, most) = ("the number of men", MAX_MEN as u64);
        FormatError::check(path, what, n_men <= most, n_men, own_men.min(most))?;
        let layout = Arc::new(Layout::new(variant, &material));
        let check = |what, got, expected| FormatError::check(path, what, got == expected, got, expected);
        check("the number of placements", header.placements, layout.len() as u64)?;
        check(what, own_men, n_men)?;
        let is_black_kept = header.widths[1] != 0;
        let is_right = !layout.is_one_sided() || !is_black_kept;
        check("whether Black to move is kept", is_black_kept.into(), (is_black_kept == is_right).into())?;
        let mut learned = [Learned::default(), Learned::default()];
        for side in header.sides() {
            learned[side.index()] = read_learned(path, column.learned_page(side), &header, &layout, &file)?;
        }
        for side in header.sides().filter(|side| header.steps[side.index()].is_some()) {
            let expected = layout.n_slices() * step_pages_per_slice(&layout);
            let n_pages = file.n_pages(column.steps(), side);
            check("the number of pages of steps", n_pages as u64, expected as u64)?;
        }
        let tilings = tilings_of(path, &header, payload, &layout)?;
        let key = cache.register();
        let path = path.to_path_buf();
        let first = file.places_of(column.tables()).start;
        Ok(TableFile { path, file, column, first, header, payload, layout, tilings, learned, cache, key })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which column of the file it is.
    #[must_use]
    pub fn column(&self) -> Column {
        self.column
    }

    /// The numbering of the placements.
    #[must_use]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Whether the column keeps this side to move. A symmetric material has White only; of any other one of
    /// the two may have been left out.
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

    /// The side whose wins alone the column has; where the other one wins it says that neither does.
    #[must_use]
    pub fn winner(&self) -> Option<Side> {
        self.column.winner
    }

    /// Whether the column holds distances alone: one of `dtc`, `dtz` or `dtz50`, which is read beside `wdl`.
    #[must_use]
    pub fn holds_distances(&self) -> bool {
        self.payload == Payload::Distances
    }

    /// What the codes say.
    #[cfg(feature = "parallel")]
    pub(crate) fn payload(&self) -> Payload {
        self.payload
    }

    /// Which values the column holds.
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

    /// The value of such a placement with the clock of the n-move rule at these plies. If values do not
    /// change with the clock, it is that of any clock.
    ///
    /// Complexity: as [`TableFile::value`], and a page of steps is decompressed if it is not in the cache.
    ///
    /// # Errors
    /// As [`TableFile::value`].
    ///
    /// # Panics
    /// As [`TableFile::value`].
    pub fn value_at(&self, stm: Side, index: usize, clock: u32) -> Result<Value, FormatError> {
        let at_zero = self.value(stm, index)?;
        if clock == 0 || self.header.steps[stm.index()].is_none() || at_zero.ply().is_none() {
            return Ok(at_zero);
        }
        let (page, place) = step_page_of(&self.layout, index);
        self.with_step_page(stm, page, |steps| {
            Some(steps.staircase(place.into(), at_zero)?.value(at_zero, clock))
        })
    }

    /// The clocks from which the value of such a placement is another one than before, in order.
    ///
    /// # Errors
    /// As [`TableFile::value_at`].
    ///
    /// # Panics
    /// As [`TableFile::value`].
    pub fn changes(&self, stm: Side, index: usize) -> Result<Vec<u32>, FormatError> {
        let at_zero = self.value(stm, index)?;
        if self.header.steps[stm.index()].is_none() || at_zero.ply().is_none() {
            return Ok(Vec::new());
        }
        let (page, place) = step_page_of(&self.layout, index);
        self.with_step_page(stm, page, |steps| Some(steps.staircase(place.into(), at_zero)?.changes()))
    }

    /// Shows a page of steps to `read`.
    pub(crate) fn with_step_page<T>(
        &self,
        stm: Side,
        page: usize,
        read: impl FnOnce(StepPage<'_>) -> Option<T>,
    ) -> Result<T, FormatError> {
        let (n, rule_plies) =
            (step_page_range(&self.layout, page).len(), self.header.rule_plies.unwrap_or(0));
        let at = self.file.place(self.column.step_page(stm, page)).map(|at| at - self.first);
        let at = at.ok_or_else(|| self.damaged(0))?;
        let n_bytes = self.file.page(self.first + at).n_codes as usize;
        // A position has no more steps than a byte can count.
        let most = 1 + n * (2 + 2 * usize::from(u8::MAX));
        let load = || {
            let (mut packed, mut bytes) = (Vec::new(), vec![0; n_bytes.min(most)]);
            self.read_packed(at, &mut packed)?;
            let is_whole =
                unpack_frame(&packed, &mut bytes).map_err(FormatError::io(&self.path, "decompress"))?;
            match is_whole && StepPage::new(&bytes, n, rule_plies).is_whole() {
                true => Ok(bytes.into_boxed_slice()),
                false => Err(self.damaged(at)),
            }
        };
        let got = self
            .cache
            .read(self.key, at, n_bytes, load, |bytes| read(StepPage::new(bytes, n, rule_plies)))?;
        got.ok_or_else(|| self.damaged(at))
    }

    /// The distance of the placement with this number, which must be canonical and legal and decided: other
    /// places hold anything. Who wins stands in the column `wdl`.
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
        let (tile, block, place) = self.place(stm, index);
        let n_bytes = self.block_bytes(stm, tile, block);
        let load = || {
            let mut bytes = vec![0; n_bytes];
            self.read_block(block, &mut bytes).map(|()| bytes.into_boxed_slice())
        };
        let width = self.header.widths[stm.index()];
        self.cache.read(self.key, block, n_bytes, load, |bytes| self.payload.code_at(bytes, place, width))
    }

    /// Where the code of a placement stands.
    ///
    /// # Panics
    /// If the file does not keep this side to move or has no such number.
    #[must_use]
    pub fn block_address(&self, stm: Side, index: usize) -> BlockAddress {
        BlockAddress { file: self.key, block: self.place(stm, index).1 }
    }

    /// The tile of a placement, the block, and the place of its code in the block.
    fn place(&self, stm: Side, index: usize) -> (TileId, usize, usize) {
        assert!(self.keeps(stm), "{} does not keep {stm} to move", self.path.display());
        assert!(index < self.layout.len(), "placement {index} of {}", self.layout.len());
        let (tile, place) = self.tiling(stm).place(index);
        let codes = self.header.block_codes as usize;
        (tile, self.blocks(stm, tile).start + place / codes, place % codes)
    }

    /// How the codes of a side stand, which the file must keep.
    pub(crate) fn tiling(&self, side: Side) -> &Tiling {
        self.tilings[side.index()].as_ref().expect("a side that the file keeps")
    }

    /// What the models of a side begin with.
    pub(crate) fn learned(&self, side: Side) -> &Learned {
        &self.learned[side.index()]
    }

    /// The numbers of the blocks of a tile.
    pub(crate) fn blocks(&self, side: Side, tile: TileId) -> Range<usize> {
        let is_first = side == Side::White || !self.keeps(Side::White);
        let first = if is_first { 0 } else { self.header.blocks_per_side() as usize };
        let start = first + tile.index() * self.header.blocks_per_tile() as usize;
        start..start + self.tiling(side).range(tile).len().div_ceil(self.header.block_codes as usize)
    }

    /// How many bytes a block of a tile has before compression.
    pub(crate) fn block_bytes(&self, side: Side, tile: TileId, block: usize) -> usize {
        let codes = self.header.block_codes as usize;
        let rest = self.tiling(side).range(tile).len() - (block - self.blocks(side, tile).start) * codes;
        self.payload.n_bytes(codes.min(rest), self.header.widths[side.index()] as usize)
    }

    /// What the file says of its codes.
    #[cfg(feature = "parallel")]
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

    /// The pages of the column.
    #[cfg(feature = "parallel")]
    pub(crate) fn pages(&self) -> impl ExactSizeIterator<Item = &PageEntry> {
        self.file.pages_of(self.column.tables())
    }

    /// The hash of the rules of the column.
    #[cfg(feature = "parallel")]
    pub(crate) fn rules(&self) -> Checksum {
        let (identity, plies) = (Checksum(self.file.identity()), self.header.rule_plies);
        crate::name::column_rules(identity, plies, self.column.winner, None)
    }

    /// Reads a page as it is in the file; blocks are the first ones.
    pub(crate) fn read_packed(&self, page: usize, packed: &mut Vec<u8>) -> Result<(), FormatError> {
        let read = self.file.read_packed(self.first + page, packed);
        read.map_err(FormatError::of_page(&self.path, || self.damaged(page)))
    }

    /// Decompresses what has been read of a block.
    fn decompress(&self, block: usize, packed: &[u8], bytes: &mut [u8]) -> Result<(), FormatError> {
        let is_whole = match Method::of_page(self.file.page(self.first + block).coding) {
            Some(Method::Modelled) => self.unpack_modelled(block, packed, bytes),
            _ => unpack_frame(packed, bytes).map_err(FormatError::io(&self.path, "decompress"))?,
        };
        if is_whole { Ok(()) } else { Err(self.damaged(block)) }
    }

    /// The codes of a block that a model has packed.
    fn unpack_modelled(&self, block: usize, packed: &[u8], bytes: &mut [u8]) -> bool {
        let key = self.file.page(self.first + block).key;
        let (side, tile) = (key.stm, TileId::from_index(key.unit as usize));
        let tiling = self.tiling(side);
        let men = TileMen::new(&self.layout, tiling, tile);
        let start = key.page as usize * self.header.block_codes as usize;
        let (learned, width) = (self.learned(side), self.header.widths[side.index()]);
        let predictor = learned.prior.as_ref().map(|prior| GuessPredictor { men, prior });
        let block = Block { grid: &tiling.grid(tile), start, predictor };
        let tree = learned.tree.as_ref();
        tree.is_some_and(|tree| unpack_modelled(block, tree, packed, width, bytes))
    }

    fn damaged(&self, block: usize) -> FormatError {
        let n_blocks = self.header.sides().count() * self.header.blocks_per_side() as usize;
        FormatError::BlockDamaged { path: self.path.clone(), block, n_blocks }
    }
}

/// Opens a column of positions with rights to castle: what it says of itself, and its pages, one for each
/// choice of men and rights ([`Column::choice_page`]). The rules of castling are the variant's as well.
///
/// # Errors
/// The file has no such column, or anything in its index is not as it should be.
pub fn open_rights(
    path: &Path,
    variant: &Variant,
    metric: Metric,
) -> Result<(Summary, SealedFile), FormatError> {
    let column = Column::with_rights(metric);
    let has = columns_of(path)?;
    // Most files have none, and a whole index may be large.
    if !has.contains(&column) {
        return Err(FormatError::NoColumn { path: path.into(), column, has });
    }
    let (own, file) = open_column(path, column)?;
    check_material(path, variant, column, &own, &file)?;
    Ok((Summary::new(own, &file), file))
}

/// How the codes of each side kept stand.
fn tilings_of(
    path: &Path,
    header: &Header,
    payload: Payload,
    layout: &Layout,
) -> Result<[Option<Tiling>; 2], FormatError> {
    let mut all = [None, None];
    let tile_codes = header.tile_codes as usize;
    let (got, expected) = (u64::from(header.tile_codes), tile_codes_of(payload, layout) as u64);
    FormatError::check(path, "the codes of a tile", got == expected, got, expected)?;
    let may_turn = payload != Payload::Values && can_turn(layout, tile_codes);
    for side in Side::BOTH {
        let (is_kept, bits) = (header.widths[side.index()] != 0, header.orders[side.index()]);
        all[side.index()] = match Order::decode(bits, may_turn) {
            _ if !is_kept && bits == 0 => None,
            Some(order) if is_kept && order.axes().len() == n_axes(layout) => {
                Tiling::new(layout, order, tile_codes)
            }
            _ => {
                let (path, what) = (path.to_path_buf(), "the order of the codes");
                let (got, expected) = (bits.into(), Order::all(n_axes(layout), 0)[0].encode().into());
                return Err(FormatError::Inconsistent { path, what, got, expected });
            }
        };
    }
    Ok(all)
}

/// The material of a file, which must be that of its name; the rules of the column must be the variant's.
fn check_material(
    path: &Path,
    variant: &Variant,
    column: Column,
    own: &AboutColumn,
    file: &SealedFile,
) -> Result<Material, FormatError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let expected = material_of(&name);
    let path = || path.to_path_buf();
    let got = own.table.material.clone();
    if got != expected {
        return Err(FormatError::OtherMaterial { path: path(), got, expected: expected.into() });
    }
    let material = Material::parse(variant, &got).map_err(|source| FormatError::UnknownMaterial {
        path: path(),
        variant: variant.name.clone(),
        source: Box::new(source),
    })?;
    let (rules, expected) = (own.rules(file), rules_hash(variant, &material, column));
    if rules != expected {
        return Err(FormatError::OtherRules {
            path: path(),
            material: got,
            variant: variant.name.clone(),
            got: Box::new(rules),
            expected: Box::new(expected),
        });
    }
    Ok(material)
}

/// What the models of a side begin with.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    pub(crate) prior: Option<Prior>,
    /// None if no block of the side is modelled.
    pub(crate) tree: Option<LiteralTree>,
}

/// Reads what the models of a side begin with, which is a page of its own.
fn read_learned(
    path: &Path,
    key: PageKey,
    header: &Header,
    layout: &Layout,
    file: &SealedFile,
) -> Result<Learned, FormatError> {
    let Some(at) = file.place(key) else { return Ok(Learned::default()) };
    let mut bytes = Vec::new();
    let damaged = || FormatError::SectionDamaged { path: path.to_path_buf(), section: "page of a model" };
    file.read_packed(at, &mut bytes).map_err(FormatError::of_page(path, damaged))?;
    let learned = || {
        let mut rest = &bytes[..];
        let (prior, tree) = (split_frame(&mut rest)?, split_frame(&mut rest)?);
        let n_bits = u32::from(header.widths[key.stm.index()]) * u8::BITS;
        let prior = if prior.is_empty() { None } else { Some(Prior::decode(layout, prior)?) };
        let tree = if tree.is_empty() { None } else { Some(LiteralTree::decode(tree, n_bits)?) };
        rest.is_empty().then_some(Learned { prior, tree })
    };
    learned().ok_or_else(damaged)
}

/// Takes a frame and its length off the bytes; none if they do not hold that.
fn split_frame<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (frame, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *bytes = rest;
    Some(frame)
}

/// Fills `bytes` with the block of a Zstandard frame; `false` if the frame does not hold this many bytes.
///
/// # Errors
/// There is no decompressor to be had.
fn unpack_frame(packed: &[u8], bytes: &mut [u8]) -> io::Result<bool> {
    thread_local! {
        /// Making a decompressor costs more than a block.
        static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let decompressor = match slot {
            Some(decompressor) => decompressor,
            None => slot.insert(Decompressor::new()?),
        };
        let unpacked = decompressor.decompress_to_buffer(packed, bytes);
        Ok(unpacked.is_ok_and(|n_bytes| n_bytes == bytes.len()))
    })
}

/// Fills `bytes` with the codes of a block that a model has packed, of this many bytes each; `false` if it
/// is damaged.
fn unpack_modelled(block: Block<'_>, tree: &LiteralTree, packed: &[u8], width: u8, bytes: &mut [u8]) -> bool {
    thread_local! {
        static MODEL: RefCell<(Option<Model>, Vec<u16>)> = const { RefCell::new((None, Vec::new())) };
    }
    MODEL.with_borrow_mut(|(model, codes)| {
        codes.resize(bytes.len() / usize::from(width), 0);
        let model = model.get_or_insert_with(Model::new);
        let is_whole = model.decode(block, tree, u32::from(width) * u8::BITS, packed, codes);
        let of_codes = codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(width.into()));
        bytes.iter_mut().zip(of_codes).for_each(|(byte, own)| *byte = own);
        is_whole
    })
}
