//! A tile of codes compressed: select, put in order, fill, compress.

use crate::checksum::{Short, short};
use crate::design::{Design, Effort};
use crate::fill::Fill;
use crate::kept::Kept;
use crate::method::Method;
use crate::modelled::{Learned, Lesson, Men, Model, Outlook, Scene};
use crate::order::Order;
use crate::tile::Tiles;
use index::Layout;
use std::io;
use std::sync::Arc;
use table::{Code, Coding};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

/// One block, ready to be written.
pub(crate) struct Packed {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) checksum: Short,
    /// The hash of its bytes before compression.
    pub(crate) content: [u8; 32],
}

impl Packed {
    /// A block that has been packed.
    fn new(packed: &[u8], block: &[u8]) -> Self {
        Packed { bytes: packed.into(), checksum: short(packed), content: *blake3::hash(block).as_bytes() }
    }

    /// A block of which only the hash is known.
    pub(crate) fn of_hash(content: [u8; 32]) -> Self {
        Packed { bytes: Box::default(), checksum: Short::default(), content }
    }
}

/// How a side's codes are arranged before they are compressed.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    pub(crate) order: Order,
    pub(crate) tiles: Tiles,
    pub(crate) fill: Fill,
    /// What a sample of the tiles takes, in bytes.
    pub(crate) sample_bytes: usize,
    /// What a model knows beforehand.
    pub(crate) learned: Option<Arc<Learned>>,
}

impl Arrangement {
    /// What a model knows of a tile.
    fn outlook<'a>(&'a self, layout: &'a Layout, tile: usize) -> Option<Outlook<'a>> {
        let learned = self.learned.as_deref()?;
        Some(Outlook { men: Men::new(layout, &self.tiles, tile), learned })
    }
}

/// All codes of a side, and which of them a file keeps.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a, C> {
    pub(crate) kept: &'a Kept<'a>,
    pub(crate) codes: &'a [C],
    pub(crate) coding: Coding,
    pub(crate) design: &'a Design,
}

impl<C> Source<'_, C> {
    /// Bytes of a block before compression, the last of a tile excepted.
    fn block_bytes(&self) -> usize {
        self.design.meaning.n_bytes(self.design.block_codes, size_of::<C>())
    }
}

/// A compressor, and memory that is used again from tile to tile.
pub(crate) struct Packer<C> {
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
    /// Made when it is first asked for.
    model: Option<Model>,
    numbered: Vec<C>,
    placed: Vec<C>,
    bytes: Vec<u8>,
    compressed: Vec<u8>,
    again: Vec<u8>,
}

impl<C: Code> Packer<C> {
    pub(crate) fn new(effort: Effort) -> io::Result<Self> {
        let mut compressor = Compressor::new(effort.level)?;
        if let Some(min_match) = effort.min_match {
            compressor.set_parameter(CParameter::MinMatch(min_match))?;
        }
        Ok(Packer {
            compressor,
            decompressor: Decompressor::new()?,
            model: None,
            numbered: Vec::new(),
            placed: Vec::new(),
            bytes: Vec::new(),
            compressed: Vec::new(),
            again: Vec::new(),
        })
    }

    /// The blocks of a tile.
    pub(crate) fn pack(
        &mut self,
        source: Source<'_, C>,
        arrangement: &Arrangement,
        tile: usize,
    ) -> io::Result<Vec<Packed>> {
        self.place(source, arrangement, tile);
        let block_bytes = source.block_bytes();
        let mut packed = Vec::with_capacity(self.bytes.len().div_ceil(block_bytes));
        for block in self.bytes.chunks(block_bytes) {
            self.compressed.clear();
            if source.design.has_packings() {
                self.compressed.push(Method::Zstandard.byte());
            }
            let start = self.compressed.len();
            compress(&mut self.compressor, block, &mut self.compressed)?;
            // What the checksums stand for is what was compressed, so what comes out again has to be that.
            self.again.clear();
            self.again.reserve(block.len());
            self.decompressor.decompress_to_buffer(&self.compressed[start..], &mut self.again)?;
            if self.again != block {
                return Err(io::Error::other("a compressed block does not give back what went into it"));
            }
            packed.push(Packed::new(&self.compressed, block));
        }
        Ok(packed)
    }

    /// The blocks of a tile as a model packs them, which also says what stands where nothing is kept.
    pub(crate) fn pack_small(
        &mut self,
        source: Source<'_, C>,
        arrangement: &Arrangement,
        tile: usize,
    ) -> io::Result<Vec<Packed>> {
        let grid = arrangement.tiles.grid(tile);
        let block_codes = source.design.block_codes;
        let mut codes = self.arrange_wide(source, arrangement, tile);
        let model = self.model.get_or_insert_with(Model::new);
        let scene = (&grid, arrangement.outlook(source.kept.layout(), tile));
        let (mut packed, mut again) = (Vec::new(), Vec::new());
        for (codes, start) in codes.chunks_mut(block_codes).zip((0..).step_by(block_codes)) {
            self.compressed.clear();
            self.compressed.push(Method::Modelled.byte());
            model.encode(scene, start, codes, &mut self.compressed);
            again.resize(codes.len(), 0);
            let most_bits = u8::BITS * size_of::<C>() as u32;
            if !model.decode(scene, start, &self.compressed[1..], most_bits, &mut again) || again != codes {
                return Err(io::Error::other("a packed block does not give back what went into it"));
            }
            self.bytes.clear();
            self.bytes
                .extend(codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(size_of::<C>())));
            packed.push(Packed::new(&self.compressed, &self.bytes));
        }
        Ok(packed)
    }

    /// How many bytes the blocks of a tile would have if a model packed them.
    pub(crate) fn measure_small(
        &mut self,
        source: Source<'_, C>,
        arrangement: &Arrangement,
        tile: usize,
    ) -> usize {
        let (grid, block_codes) = (arrangement.tiles.grid(tile), source.design.block_codes);
        let mut codes = self.arrange_wide(source, arrangement, tile);
        let blocks = codes.chunks_mut(block_codes).zip((0..).step_by(block_codes));
        blocks.map(|(codes, start)| self.measure_codes((&grid, None), start, codes)).sum()
    }

    /// How many bytes a block of these codes would have if a model packed them; their gaps are filled.
    fn measure_codes(&mut self, scene: Scene<'_>, start: usize, codes: &mut [u16]) -> usize {
        self.compressed.clear();
        self.model.get_or_insert_with(Model::new).encode(scene, start, codes, &mut self.compressed);
        self.compressed.len()
    }

    /// One block of a tile: where it begins, and its codes, illegal where nothing is kept.
    fn block_wide(
        &mut self,
        source: Source<'_, C>,
        arrangement: &Arrangement,
        (tile, block): (usize, usize),
    ) -> (usize, Vec<u16>) {
        let start = block * source.design.block_codes;
        let mut codes = self.arrange_wide(source, arrangement, tile);
        codes.truncate(start + source.design.block_codes);
        (start, codes.split_off(start))
    }

    /// What one block teaches a model.
    pub(crate) fn lesson(
        &mut self,
        source: Source<'_, C>,
        arrangement: &Arrangement,
        block: (usize, usize),
    ) -> Lesson {
        let (grid, layout) = (arrangement.tiles.grid(block.0), source.kept.layout());
        let (start, mut codes) = self.block_wide(source, arrangement, block);
        // It fills the gaps, whatever it takes.
        self.measure_codes((&grid, None), start, &mut codes);
        Lesson::new(&Men::new(layout, &arrangement.tiles, block.0), &grid, start, &codes)
    }

    /// How many bytes a block has.
    pub(crate) fn measure_block(
        &mut self,
        source: Source<'_, C>,
        arrangement: &Arrangement,
        block: (usize, usize),
    ) -> usize {
        let grid = arrangement.tiles.grid(block.0);
        let (start, mut codes) = self.block_wide(source, arrangement, block);
        self.measure_codes((&grid, arrangement.outlook(source.kept.layout(), block.0)), start, &mut codes)
    }

    /// The codes of a tile in their order, illegal where nothing is kept, in two bytes each.
    fn arrange_wide(&mut self, source: Source<'_, C>, arrangement: &Arrangement, tile: usize) -> Vec<u16> {
        let is_placed = self.arrange(source, arrangement, tile);
        let codes = if is_placed { &self.placed } else { &self.numbered };
        codes.iter().map(|&code| code.into()).collect()
    }

    /// The hashes of the blocks of a tile before compression.
    pub(crate) fn hash(
        &mut self,
        source: Source<'_, C>,
        arrangement: &Arrangement,
        tile: usize,
    ) -> Vec<[u8; 32]> {
        self.place(source, arrangement, tile);
        let blocks = self.bytes.chunks(source.block_bytes());
        blocks.map(|block| *blake3::hash(block).as_bytes()).collect()
    }

    /// How many bytes the blocks of a tile would have.
    pub(crate) fn measure(
        &mut self,
        source: Source<'_, C>,
        arrangement: &Arrangement,
        tile: usize,
    ) -> io::Result<usize> {
        self.place(source, arrangement, tile);
        let blocks = self.bytes.chunks(source.block_bytes());
        let mut n_bytes = 0;
        for block in blocks {
            self.compressed.clear();
            n_bytes += compress(&mut self.compressor, block, &mut self.compressed)?;
        }
        Ok(n_bytes)
    }

    /// Leaves the bytes of a tile as they are to be compressed.
    fn place(&mut self, source: Source<'_, C>, arrangement: &Arrangement, tile: usize) {
        let codes = match self.arrange(source, arrangement, tile) {
            true => &mut self.placed,
            false => &mut self.numbered,
        };
        arrangement.fill.apply(codes);
        source.design.meaning.write(codes, &mut self.bytes);
    }

    /// Leaves the codes of a tile in their order, illegal where nothing is kept: in `placed` if the answer is
    /// yes, else in `numbered`.
    #[must_use]
    fn arrange(&mut self, source: Source<'_, C>, arrangement: &Arrangement, tile: usize) -> bool {
        source.kept.select(source.codes, arrangement.tiles.range(tile), &mut self.numbered);
        source.design.meaning.translate(source.coding, &mut self.numbered);
        let walk = arrangement.tiles.to_file(tile);
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

/// A thread's packer. One that could not be made is told for every tile of its thread; one of these is seen.
pub(crate) fn of_thread<C>(packer: &mut io::Result<Packer<C>>) -> io::Result<&mut Packer<C>> {
    packer.as_mut().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}
