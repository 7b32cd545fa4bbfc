//! Packs the codes of a tile: selects, puts in order, fills and compresses them.

use crate::code::Method;
use crate::container::{PackedPage, PageEntry};
use crate::model::{Block, GuessPredictor, LiteralTree, Model, Prior, Sample, TileMen};
use crate::pack::codes::{Effort, Excerpt, SideCodes, TileCodes};
use crate::pack::fill::Fill;
use crate::tile::{Grid, Order, TileId, Tiling, WHOLE_CODES};
use index::Layout;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use table::Code;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

/// The logarithm of the bytes in which long repetitions are looked for: the largest table that is one block,
/// in codes of one byte.
const FAR_WINDOW_LOG: u32 = WHOLE_CODES.ilog2();

/// Of this many modelled blocks of a side one is decoded as a reader does it. A tile of five men has sixteen
/// blocks, with pawns four: an odd number takes each block of a tile in turn.
const DECODED_EVERY: usize = 31;

/// A compressor, and memory that is used again from tile to tile.
pub(crate) struct Packer<C> {
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
    /// Made when they are first asked for.
    model: Option<Model>,
    even_tree: Option<Arc<LiteralTree>>,
    numbered: Vec<C>,
    placed: Vec<C>,
    bytes: Vec<u8>,
    compressed: Vec<u8>,
    again: Vec<u8>,
    /// The codes of a block as they are read.
    wide: Vec<u16>,
}

impl<C: Code> Packer<C> {
    pub(crate) fn new(effort: Effort) -> io::Result<Self> {
        let mut compressor = Compressor::new(effort.level)?;
        if let Some(min_match) = effort.min_match {
            compressor.set_parameter(CParameter::MinMatch(min_match))?;
        }
        if effort.is_far {
            compressor.set_parameter(CParameter::WindowLog(FAR_WINDOW_LOG))?;
            compressor.set_parameter(CParameter::EnableLongDistanceMatching(true))?;
        }
        Ok(Packer {
            compressor,
            decompressor: Decompressor::new()?,
            model: None,
            even_tree: None,
            numbered: Vec::new(),
            placed: Vec::new(),
            bytes: Vec::new(),
            compressed: Vec::new(),
            again: Vec::new(),
            wide: Vec::new(),
        })
    }

    /// The blocks of a tile.
    pub(crate) fn pack(
        &mut self,
        side: SideCodes<'_>,
        arrangement: &Arrangement,
        tile: TileCodes<'_, C>,
    ) -> io::Result<Vec<PackedBlock>> {
        self.place(side, arrangement, tile);
        let (block_bytes, block_codes) = (side.block_bytes::<C>(), side.profile.block_codes);
        let mut packed = Vec::with_capacity(self.bytes.len().div_ceil(block_bytes));
        for (number, block) in self.bytes.chunks(block_bytes).enumerate() {
            self.compressed.clear();
            compress(&mut self.compressor, block, &mut self.compressed)?;
            // What the checksums stand for is what was compressed, so what comes out again has to be that.
            self.again.clear();
            self.again.reserve(block.len());
            self.decompressor.decompress_to_buffer(&self.compressed[..], &mut self.again)?;
            if self.again != block {
                return Err(io::Error::other("a compressed block does not give back what went into it"));
            }
            let n_codes = block_codes.min(tile.codes.len() - number * block_codes);
            let key = side.page(tile.tile, number);
            let page = PageEntry::new(key, Method::Zstandard.coding(), n_codes as u32, &self.compressed);
            packed.push(PackedBlock::new(page, block, &self.compressed));
        }
        Ok(packed)
    }

    /// The blocks of a tile as a model packs them, which also says what stands where nothing is kept.
    pub(crate) fn pack_small(
        &mut self,
        side: SideCodes<'_>,
        arrangement: &Arrangement,
        tile: TileCodes<'_, C>,
    ) -> io::Result<Vec<PackedBlock>> {
        let grid = arrangement.tiling.grid(tile.tile);
        let block_codes = side.profile.block_codes;
        let blocks_per_tile = arrangement.tiling.tile_codes().div_ceil(block_codes);
        let mut codes = self.arrange_wide(side, arrangement, tile);
        let (tree, n_bits) = (self.tree(arrangement), Self::N_BITS);
        let model = self.model.get_or_insert_with(Model::new);
        let mut packed = Vec::new();
        for (codes, start) in codes.chunks_mut(block_codes).zip((0..).step_by(block_codes)) {
            self.compressed.clear();
            let block = arrangement.block(side.layout(), (tile.tile, &grid), start);
            model.encode(block, &tree, n_bits, codes, &mut self.compressed);
            let bytes = &self.compressed[..];
            let mut is_whole = model.has_written(bytes);
            if (tile.tile.index() * blocks_per_tile + start / block_codes).is_multiple_of(DECODED_EVERY) {
                self.wide.resize(codes.len(), 0);
                is_whole &= model.decode(block, &tree, n_bits, bytes, &mut self.wide) && self.wide == codes;
            }
            if !is_whole {
                return Err(io::Error::other("a packed block does not give back what went into it"));
            }
            self.bytes.clear();
            self.bytes
                .extend(codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(size_of::<C>())));
            let key = side.page(tile.tile, start / block_codes);
            let page = PageEntry::new(key, Method::Modelled.coding(), codes.len() as u32, &self.compressed);
            packed.push(PackedBlock::new(page, &self.bytes, &self.compressed));
        }
        Ok(packed)
    }

    /// How many bytes the blocks of a tile would have if a model packed them.
    pub(crate) fn measure_small(
        &mut self,
        side: SideCodes<'_>,
        arrangement: &Arrangement,
        tile: TileCodes<'_, C>,
    ) -> usize {
        let (grid, block_codes) = (arrangement.tiling.grid(tile.tile), side.profile.block_codes);
        let mut codes = self.arrange_wide(side, arrangement, tile);
        let blocks = codes.chunks_mut(block_codes).zip((0..).step_by(block_codes));
        let tree = self.tree(arrangement);
        let block = |start| Block { grid: &grid, start, predictor: None };
        blocks.map(|(codes, start)| self.measure_codes(block(start), &tree, codes)).sum()
    }

    /// How many bytes a block of these codes would have if a model packed them; their gaps are filled.
    fn measure_codes(&mut self, block: Block<'_>, tree: &LiteralTree, codes: &mut [u16]) -> usize {
        self.compressed.clear();
        let model = self.model.get_or_insert_with(Model::new);
        model.encode(block, tree, Self::N_BITS, codes, &mut self.compressed);
        self.compressed.len()
    }

    /// The bits of a code.
    const N_BITS: u32 = u8::BITS * size_of::<C>() as u32;

    /// The tree of an arrangement, or one whose codes all weigh the same.
    fn tree(&mut self, arrangement: &Arrangement) -> Arc<LiteralTree> {
        let even = || Arc::new(LiteralTree::even(size_of::<C>()));
        arrangement.tree.clone().unwrap_or_else(|| self.even_tree.get_or_insert_with(even).clone())
    }

    /// One block of a tile: where it begins, and its codes, illegal where nothing is kept.
    fn block_wide(
        &mut self,
        side: SideCodes<'_>,
        arrangement: &Arrangement,
        (tile, block): (TileCodes<'_, C>, usize),
    ) -> (usize, Vec<u16>) {
        let start = block * side.profile.block_codes;
        let mut codes = self.arrange_wide(side, arrangement, tile);
        codes.truncate(start + side.profile.block_codes);
        (start, codes.split_off(start))
    }

    /// The examples that one block gives to train a prior.
    pub(crate) fn sample(
        &mut self,
        side: SideCodes<'_>,
        arrangement: &Arrangement,
        (tile, block): (TileCodes<'_, C>, usize),
    ) -> Sample {
        let grid = arrangement.tiling.grid(tile.tile);
        let (start, mut codes) = self.block_wide(side, arrangement, (tile, block));
        // It fills the gaps, whatever it takes.
        let tree = self.tree(arrangement);
        self.measure_codes(Block { grid: &grid, start, predictor: None }, &tree, &mut codes);
        Sample::new(&TileMen::new(side.layout(), &arrangement.tiling, tile.tile), &grid, start, &codes)
    }

    /// How many bytes a block has.
    pub(crate) fn measure_block(
        &mut self,
        side: SideCodes<'_>,
        arrangement: &Arrangement,
        (tile, block): (TileCodes<'_, C>, usize),
    ) -> usize {
        let grid = arrangement.tiling.grid(tile.tile);
        let (start, mut codes) = self.block_wide(side, arrangement, (tile, block));
        let tree = self.tree(arrangement);
        self.measure_codes(arrangement.block(side.layout(), (tile.tile, &grid), start), &tree, &mut codes)
    }

    /// The codes of a tile in their order, illegal where nothing is kept, in two bytes each.
    fn arrange_wide(
        &mut self,
        side: SideCodes<'_>,
        arrangement: &Arrangement,
        tile: TileCodes<'_, C>,
    ) -> Vec<u16> {
        let is_placed = self.arrange(side, arrangement, tile);
        let codes = if is_placed { &self.placed } else { &self.numbered };
        codes.iter().map(|&code| code.into()).collect()
    }

    /// The hashes of the blocks of a tile before compression.
    pub(crate) fn hash(
        &mut self,
        side: SideCodes<'_>,
        arrangement: &Arrangement,
        tile: TileCodes<'_, C>,
    ) -> Vec<[u8; 32]> {
        self.place(side, arrangement, tile);
        let blocks = self.bytes.chunks(side.block_bytes::<C>());
        blocks.map(|block| *blake3::hash(block).as_bytes()).collect()
    }

    /// How many bytes the blocks of a tile would have.
    pub(crate) fn measure(
        &mut self,
        side: SideCodes<'_>,
        arrangement: &Arrangement,
        tile: TileCodes<'_, C>,
    ) -> io::Result<usize> {
        self.place(side, arrangement, tile);
        self.measure_placed(side)
    }

    /// Measures an excerpt of a tile.
    pub(crate) fn measure_excerpt(
        &mut self,
        side: SideCodes<'_>,
        arrangement: &Arrangement,
        excerpt: &Excerpt<C>,
    ) -> io::Result<usize> {
        excerpt.arrange(&arrangement.tiling, &mut self.placed);
        arrangement.fill.apply(&mut self.placed);
        side.profile.payload.write(&self.placed, &mut self.bytes);
        self.measure_placed(side)
    }

    /// How many bytes make the blocks of what is to be compressed.
    fn measure_placed(&mut self, side: SideCodes<'_>) -> io::Result<usize> {
        let blocks = self.bytes.chunks(side.block_bytes::<C>());
        let mut n_bytes = 0;
        for block in blocks {
            self.compressed.clear();
            n_bytes += compress(&mut self.compressor, block, &mut self.compressed)?;
        }
        Ok(n_bytes)
    }

    /// Leaves the bytes of a tile as they are to be compressed.
    fn place(&mut self, side: SideCodes<'_>, arrangement: &Arrangement, tile: TileCodes<'_, C>) {
        let codes = match self.arrange(side, arrangement, tile) {
            true => &mut self.placed,
            false => &mut self.numbered,
        };
        arrangement.fill.apply(codes);
        side.profile.payload.write(codes, &mut self.bytes);
    }

    /// Leaves the codes of a tile in their order, illegal where nothing is kept: in `placed` if the answer is
    /// yes, else in `numbered`.
    #[must_use]
    fn arrange(&mut self, side: SideCodes<'_>, arrangement: &Arrangement, tile: TileCodes<'_, C>) -> bool {
        let TileCodes { tile, codes } = tile;
        side.selection.select(codes, arrangement.tiling.range(tile).start, &mut self.numbered);
        side.profile.payload.translate(side.coding, &mut self.numbered);
        let walk = arrangement.tiling.to_file(tile);
        if let Some(walk) = &walk {
            self.placed.resize(self.numbered.len(), C::ILLEGAL);
            walk.gather(&self.numbered, &mut self.placed);
        }
        walk.is_some()
    }
}

/// Compresses a block and puts it behind what `compressed` holds; answers how many bytes that makes.
fn compress(compressor: &mut Compressor<'_>, block: &[u8], compressed: &mut Vec<u8>) -> io::Result<usize> {
    let start = compressed.len();
    compressed.resize(start + zstd::zstd_safe::compress_bound(block.len()), 0);
    let n_bytes = compressor.compress_to_buffer(block, &mut compressed[start..])?;
    compressed.truncate(start + n_bytes);
    Ok(n_bytes)
}

/// Packers that are used again by whichever thread needs one next.
pub(crate) struct Packers<C> {
    effort: Effort,
    idle: Mutex<Vec<Packer<C>>>,
}

impl<C: Code> Packers<C> {
    pub(crate) fn new(effort: Effort) -> Self {
        Packers { effort, idle: Mutex::new(Vec::new()) }
    }

    /// Does some work with a packer of its own.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Packer<C>) -> io::Result<T>) -> io::Result<T> {
        let idle = || self.idle.lock();
        let waiting = idle().pop();
        let mut packer = match waiting {
            Some(packer) => packer,
            None => Packer::new(self.effort)?,
        };
        let result = work(&mut packer);
        idle().push(packer);
        result
    }
}

/// How a side's codes are arranged before they are compressed.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    pub(crate) order: Order,
    pub(crate) tiling: Tiling,
    pub(crate) fill: Fill,
    /// What a sample of the tiles takes, in bytes.
    pub(crate) sample_bytes: usize,
    /// What a model begins with; without a tree one whose codes all weigh the same.
    pub(crate) prior: Option<Arc<Prior>>,
    pub(crate) tree: Option<Arc<LiteralTree>>,
}

impl Arrangement {
    /// An order of which nothing else is known.
    pub(super) fn new(order: Order, tiling: Tiling) -> Self {
        Arrangement { order, tiling, fill: Fill::Last, sample_bytes: 0, prior: None, tree: None }
    }

    /// A block of a tile, given the tile's grid and the place of the block's first code.
    pub(super) fn block<'a>(
        &'a self,
        layout: &'a Layout,
        (tile, grid): (TileId, &'a Grid),
        start: usize,
    ) -> Block<'a> {
        let men = TileMen::new(layout, &self.tiling, tile);
        let predictor = self.prior.as_deref().map(|prior| GuessPredictor { men, prior });
        Block { grid, start, predictor }
    }

    /// What a model begins with, as it stands in a file.
    pub(super) fn learned_bytes(&self) -> io::Result<Box<[u8]>> {
        let tree = self.tree.as_ref().map(|tree| tree.frame()).transpose()?;
        Ok(learned_bytes(self.prior.as_ref().map(|prior| prior.frame()), tree.as_deref()))
    }
}

/// The frames of a prior and of a tree as they stand in a file: each behind its length, which is 0 if there
/// is none.
pub(super) fn learned_bytes(prior: Option<&[u8]>, tree: Option<&[u8]>) -> Box<[u8]> {
    let frames = [prior, tree].map(Option::unwrap_or_default);
    frames.iter().flat_map(|frame| [&(frame.len() as u32).to_le_bytes(), *frame].concat()).collect()
}

/// A block as it is written.
pub(crate) struct PackedBlock {
    /// Its page; none if only the hash is known.
    pub(crate) page: Option<PackedPage>,
    /// The hash of its bytes before compression.
    pub(crate) content: [u8; 32],
}

impl PackedBlock {
    /// The block of a page, which is packed to `packed`.
    fn new(entry: PageEntry, block: &[u8], packed: &[u8]) -> Self {
        let page = PackedPage { entry, bytes: packed.into() };
        PackedBlock { page: Some(page), content: *blake3::hash(block).as_bytes() }
    }

    /// A block of which only the hash is known.
    pub(super) fn of_hash(content: [u8; 32]) -> Self {
        PackedBlock { page: None, content }
    }
}
