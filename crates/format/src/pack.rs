//! A tile of codes compressed: select, put in order, fill, compress; and the choice of the order.

use crate::checksum::{Short, short};
use crate::kept::{Kept, fill};
use crate::order::Order;
use crate::tile::{Tiles, n_axes, tile_codes};
use crate::width::FileCode;
use index::Layout;
use rayon::prelude::*;
use std::io;
use variant::Variant;
use zstd::bulk::{Compressor, Decompressor};

/// Codes in a block: one probe decompresses as many.
pub(crate) const BLOCK_CODES: usize = 1 << 15;

/// How hard the compressor tries; measured in docs/decisions/0006-order-in-tiles.md.
const LEVEL: i32 = 3;

/// How many codes are compressed in every order to choose one, where a table has many times as many.
const SAMPLE_CODES: usize = 3 << 19;

/// At most this part of the tiles is sampled.
const SAMPLE_PART: usize = 12;

/// One block, ready to be written.
pub(crate) struct Packed {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) checksum: Short,
    /// The hash of its bytes before compression.
    pub(crate) content: [u8; 32],
}

/// All codes of a side, and which of them a file keeps.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a, C> {
    pub(crate) kept: &'a Kept<'a>,
    pub(crate) codes: &'a [C],
}

/// A compressor, and memory that is used again from tile to tile.
pub(crate) struct Packer<C> {
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
    numbered: Vec<C>,
    placed: Vec<C>,
    bytes: Vec<u8>,
    compressed: Vec<u8>,
    again: Vec<u8>,
}

impl<C: FileCode> Packer<C> {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Packer {
            compressor: Compressor::new(LEVEL)?,
            decompressor: Decompressor::new()?,
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
        tiles: &Tiles,
        tile: usize,
    ) -> io::Result<Vec<Packed>> {
        self.place(source, tiles, tile);
        let mut packed = Vec::with_capacity(self.bytes.len().div_ceil(BLOCK_CODES * C::BYTES));
        for block in self.bytes.chunks(BLOCK_CODES * C::BYTES) {
            compress(&mut self.compressor, block, &mut self.compressed)?;
            // What the checksums stand for is what was compressed, so what comes out again has to be that.
            self.again.clear();
            self.again.reserve(block.len());
            self.decompressor.decompress_to_buffer(&self.compressed, &mut self.again)?;
            if self.again != block {
                return Err(io::Error::other("a compressed block does not give back what went into it"));
            }
            packed.push(Packed {
                bytes: self.compressed.as_slice().into(),
                checksum: short(&self.compressed),
                content: *blake3::hash(block).as_bytes(),
            });
        }
        Ok(packed)
    }

    /// How many bytes the blocks of a tile would have.
    fn measure(&mut self, source: Source<'_, C>, tiles: &Tiles, tile: usize) -> io::Result<usize> {
        self.place(source, tiles, tile);
        let blocks = self.bytes.chunks(BLOCK_CODES * C::BYTES);
        blocks.map(|block| compress(&mut self.compressor, block, &mut self.compressed)).sum()
    }

    /// Leaves the bytes of a tile as they are to be compressed.
    fn place(&mut self, source: Source<'_, C>, tiles: &Tiles, tile: usize) {
        source.kept.select(source.codes, tiles.range(tile), &mut self.numbered);
        let codes = match tiles.walk(tile) {
            Some(walk) => {
                walk.to_file(&self.numbered, &mut self.placed);
                &mut self.placed
            }
            None => &mut self.numbered,
        };
        fill(codes);
        C::write(codes, &mut self.bytes);
    }
}

/// Compresses a block in place of what `compressed` held; answers how many bytes that makes.
fn compress(compressor: &mut Compressor<'_>, block: &[u8], compressed: &mut Vec<u8>) -> io::Result<usize> {
    compressed.clear();
    compressed.reserve(zstd::zstd_safe::compress_bound(block.len()));
    compressor.compress_to_buffer(block, compressed)
}

/// The order in which these codes make the smallest file, as far as a sample of the tiles tells.
pub(crate) fn choose<C: FileCode>(
    variant: &Variant,
    layout: &Layout,
    source: Source<'_, C>,
) -> io::Result<Order> {
    let n_axes = n_axes(layout);
    let is_one_outer = tile_codes(layout) == layout.n_squares().pow(n_axes as u32 - 1);
    let mut orders = Order::all(n_axes, colour_bound(variant, layout));
    // An axis of one value may stand anywhere.
    orders.retain(|order| !is_one_outer || order.axes()[0] == 0);
    let tiles: Vec<Tiles> = orders.iter().filter_map(|&order| Tiles::new(layout, order)).collect();
    let n_tiles = tiles[0].len();
    let n_sampled = (SAMPLE_CODES / tiles[0].tile_codes()).min(n_tiles / SAMPLE_PART).max(1);
    if orders.len() == 1 {
        return Ok(orders[0]);
    }
    let trials: Vec<(usize, usize)> =
        (0..orders.len()).flat_map(|order| (0..n_sampled).map(move |i| (order, i))).collect();
    let sizes: Vec<usize> = trials
        .into_par_iter()
        .map_init(Packer::new, |packer, (order, i)| {
            let tile = (2 * i + 1) * n_tiles / (2 * n_sampled);
            of_thread(packer)?.measure(source, &tiles[order], tile)
        })
        .collect::<io::Result<_>>()?;
    let sums = sizes.chunks(n_sampled).map(|sizes| sizes.iter().sum::<usize>());
    let best = sums.enumerate().min_by_key(|&(order, size)| (size, order));
    Ok(best.map_or(orders[0], |(order, _)| orders[order]))
}

/// A thread's packer. One that could not be made is told for every tile of its thread; one of these is seen.
pub(crate) fn of_thread<C>(packer: &mut io::Result<Packer<C>>) -> io::Result<&mut Packer<C>> {
    packer.as_mut().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}

/// The axes whose men stay on squares of one colour, as bits.
fn colour_bound(variant: &Variant, layout: &Layout) -> u8 {
    let free = layout.free();
    let men = &free[free.len() + 1 - n_axes(layout)..];
    let is_bound = |man: usize| {
        let movement = variant.movement(layout.men()[man]);
        movement.rays().iter().all(|ray| (ray.step.files + ray.step.ranks) % 2 == 0)
    };
    (1..).zip(men).fold(0, |bits, (axis, &man)| bits | u8::from(is_bound(man)) << axis)
}
