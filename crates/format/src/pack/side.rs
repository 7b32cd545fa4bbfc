//! Packs a side to move of a table: chooses an arrangement, then packs tile after tile on all threads.

use crate::code::Payload;
use crate::container::PackedPage;
use crate::model::Sample;
use crate::name::Checksum;
use crate::pack::codes::{Excerpt, Profile, SampleTile, Selection, SideCodes, TileCodes};
use crate::pack::fill::Fill;
use crate::pack::packer::{Arrangement, PackedBlock, Packer, Packers};
use crate::tile::{Order, TileId, Tiling, can_turn, n_axes};
use index::Layout;
use std::sync::Arc;
use std::{io, slice};
use table::{Code, CodeSource, Codes, threads};
use variant::{Side, Variant};

/// A side to move, packed; the bytes of its blocks are in the file.
pub(crate) struct PackedSide {
    pub(crate) side: Side,
    /// Bytes of a code.
    pub(crate) width: u8,
    pub(crate) order: u16,
    /// What the side's models begin with, as it stands in the file; nothing without a model.
    pub(crate) learned: Box<[u8]>,
    /// The hashes of its blocks before compression, in order.
    pub(crate) hashes: Vec<[u8; 32]>,
    /// What changes with the clock, if anything does: which steps these are, and their pages.
    pub(crate) steps: Option<(Checksum, Vec<PackedPage>)>,
}

/// What gets the blocks of a side in their order.
pub(crate) type Sink<'a> = dyn FnMut(PackedPage) -> io::Result<()> + 'a;

/// What is made of a side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// Blocks that stay.
    Final,
    /// Blocks that are kept for a while, and not worth much work.
    Passing,
    /// Hashes of blocks before compression: the side is left out.
    HashOnly,
}

/// A side to move, and how its codes are to stand.
pub(crate) struct ArrangedSide<'a> {
    pub(crate) codes: SideCodes<'a>,
    pub(crate) arrangement: Arrangement,
}

impl ArrangedSide<'_> {
    /// Which side to move it is.
    pub(crate) fn side(&self) -> Side {
        self.codes.side
    }
}

/// The work of packing a tile to see how small it becomes.
const WORK_A_TRIAL: u64 = 4;

/// Packs the sides of a table.
#[derive(Clone, Copy)]
pub(crate) struct SidePacker<'a> {
    pub(crate) variant: &'a Variant,
    pub(crate) source: &'a dyn CodeSource,
    pub(crate) selection: &'a Selection<'a>,
    pub(crate) profile: &'a Profile,
}

impl<'a> SidePacker<'a> {
    /// Chooses how the codes of each side stand; `tell` gets the work of each trial that is done.
    pub(crate) fn arrange(&self, tell: &(dyn Fn(u64) + Sync)) -> io::Result<Vec<ArrangedSide<'a>>> {
        let tell = || tell(WORK_A_TRIAL);
        let one = |codes: SideCodes<'a>| {
            let arrangement = match codes.coding.is_wide() {
                false => choose::<u8>(self.variant, codes, &tell),
                true => choose::<u16>(self.variant, codes, &tell),
            };
            arrangement.map(|arrangement| ArrangedSide { codes, arrangement })
        };
        self.sides().map(one).collect()
    }

    /// The sides that the table keeps.
    fn sides(&self) -> impl Iterator<Item = SideCodes<'a>> {
        let SidePacker { source, selection, profile, .. } = *self;
        let one =
            move |side| Some(SideCodes { source, side, coding: source.coding(side)?, selection, profile });
        Side::BOTH.into_iter().filter_map(one)
    }

    /// How much work it is to arrange the sides, in the units of [`SidePacker::work`].
    pub(crate) fn arranging_work(&self) -> u64 {
        self.sides().map(|codes| n_trials(self.variant, codes) * WORK_A_TRIAL).sum()
    }

    /// How much work it is at most to pack the sides, however they are arranged.
    pub(crate) fn most_work(&self) -> u64 {
        let tiles = |codes| natural(codes).tiling.len() as u64 * self.work_a_tile(Output::Final);
        self.sides().map(|codes| tiles(codes) + self.small_work(codes, Output::Final)).sum()
    }

    /// Leaves the codes of a side as they are numbered; none if the table does not keep the side.
    pub(crate) fn arrange_plainly(&self, side: Side) -> Option<ArrangedSide<'a>> {
        let SidePacker { source, selection, profile, .. } = *self;
        let codes = SideCodes { source, side, coding: source.coding(side)?, selection, profile };
        Some(ArrangedSide { codes, arrangement: natural(codes) })
    }

    /// How much work packing a side is, roughly, in units of its own.
    pub(crate) fn work(&self, arranged: &ArrangedSide<'_>, output: Output) -> u64 {
        let tiles = arranged.arrangement.tiling.len() as u64 * self.work_a_tile(output);
        tiles + self.small_work(arranged.codes, output)
    }

    /// How much of that goes into what a model learns beforehand.
    fn small_work(&self, codes: SideCodes<'_>, output: Output) -> u64 {
        if output != Output::Final || !self.profile.is_modelled() {
            return 0;
        }
        let (n_tiles, n_blocks) = n_small_trials(self.variant, codes);
        n_tiles * self.work_a_tile(output) + n_blocks * self.work_a_block(output)
    }

    fn work_a_block(&self, output: Output) -> u64 {
        let per_tile = self.profile.tile_codes.div_ceil(self.profile.block_codes).max(1);
        (self.work_a_tile(output) / per_tile as u64).max(1)
    }

    fn work_a_tile(&self, output: Output) -> u64 {
        match output {
            Output::HashOnly => 1,
            Output::Passing => 3,
            Output::Final if self.profile.is_modelled() => 60,
            Output::Final => 4,
        }
    }

    /// Packs a side, whose blocks go to `sink`, but for one that is left out; `tell` gets the work of each
    /// tile that is done.
    pub(crate) fn pack(
        &self,
        arranged: &ArrangedSide<'_>,
        output: Output,
        tell: &(dyn Fn(u64) + Sync),
        sink: &mut Sink<'_>,
    ) -> io::Result<PackedSide> {
        let (tile, block) = (self.work_a_tile(output), self.work_a_block(output));
        let (tell, tell_block) = (|| tell(tile), || tell(block));
        let (variant, codes) = (self.variant, arranged.codes);
        let is_wide = codes.coding.is_wide();
        let tells: [&(dyn Fn() + Sync); 2] = [&tell, &tell_block];
        let small = match (output == Output::Final && self.profile.is_modelled(), is_wide) {
            (false, _) => None,
            (true, false) => Some(choose_small::<u8>(variant, codes, tells)),
            (true, true) => Some(choose_small::<u16>(variant, codes, tells)),
        };
        let small = small.transpose()?;
        let arrangement = small.as_ref().unwrap_or(&arranged.arrangement);
        let hashes = match is_wide {
            false => pack_tiles::<u8>(codes, arrangement, output, &tell, sink)?,
            true => pack_tiles::<u16>(codes, arrangement, output, &tell, sink)?,
        };
        let learned = small.as_ref().map(Arrangement::learned_bytes).transpose()?.unwrap_or_default();
        let (side, width, order) = (codes.side, if is_wide { 2 } else { 1 }, arrangement.order.encode());
        let steps = pack_steps(codes, output)?;
        Ok(PackedSide { side, width, order, learned, hashes, steps })
    }
}

/// Packs what changes with the clock, page by page; of a side that is left out there are no pages.
fn pack_steps(side: SideCodes<'_>, output: Output) -> io::Result<Option<(Checksum, Vec<PackedPage>)>> {
    let Some(clocked) = side.source.clocked(side.side) else { return Ok(None) };
    let page = |number: usize| -> io::Result<([u8; 32], Option<PackedPage>)> {
        let (bytes, key) = (&clocked.pages[number], side.profile.column.step_page(side.side, number));
        let packed = (output != Output::HashOnly).then(|| PackedPage::of_bytes(key, bytes, STEP_LEVEL));
        Ok((*blake3::hash(bytes).as_bytes(), packed.transpose()?))
    };
    let (mut hasher, mut pages) = (blake3::Hasher::new(), Vec::new());
    for (hash, packed) in threads::try_map(0..clocked.pages.len(), page)? {
        hasher.update(&hash);
        pages.extend(packed);
    }
    Ok(Some((Checksum(*hasher.finalize().as_bytes()), pages)))
}

/// How hard pages of steps are packed: a tenth smaller than with level 5, in twice the time.
const STEP_LEVEL: i32 = 9;

/// Packs all tiles of a side, a run of codes at a time; only their hashes are computed if it is left out.
/// Returns the hashes of all blocks.
fn pack_tiles<C: Code>(
    side: SideCodes<'_>,
    arrangement: &Arrangement,
    output: Output,
    tell: &(dyn Fn() + Sync),
    sink: &mut Sink<'_>,
) -> io::Result<Vec<[u8; 32]>> {
    let effort = if output == Output::Passing { side.profile.passing } else { side.profile.writing };
    let packers = Packers::<C>::new(effort);
    let (tiling, mut room) = (&arrangement.tiling, Codes::default());
    let (mut hashes, mut next) = (Vec::new(), TileId::FIRST);
    while next.index() < tiling.len() {
        let tiles = side.run(tiling, next);
        let run = side.read::<C>(tiling, tiles.clone(), &mut room)?;
        let pack = |tile| {
            let tile = run.tile(tiling, TileId::from_index(tile));
            let blocks = packers.with(|packer| match output {
                Output::Final if side.profile.is_modelled() => packer.pack_small(side, arrangement, tile),
                Output::HashOnly => {
                    Ok(packer.hash(side, arrangement, tile).into_iter().map(PackedBlock::of_hash).collect())
                }
                Output::Final | Output::Passing => packer.pack(side, arrangement, tile),
            });
            tell();
            blocks
        };
        let packed: Vec<Vec<PackedBlock>> = threads::try_map(tiles.clone(), pack)?;
        for block in packed.into_iter().flatten() {
            hashes.push(block.content);
            if let Some(page) = block.page {
                sink(page)?;
            }
        }
        next = TileId::from_index(tiles.end);
    }
    Ok(hashes)
}

/// How many codes are compressed in every order to choose one, where a table has many times as many.
const SAMPLE_CODES: usize = 3 << 19;

/// Codes of a sample where a model packs them, which takes longer and gains less.
const SMALL_SAMPLE_CODES: usize = 3 << 18;

/// How many blocks a prior is trained on, and how many others say what it is worth.
pub(crate) const N_SAMPLES: usize = 512;
const N_TRIALS: usize = 48;

/// At most one in this many tiles is sampled.
const SAMPLE_PART: usize = 12;

/// This many codes of tiles far from each other are in memory at once.
const BATCH_CODES: usize = 1 << 22;

/// How many tiles are packed to choose an arrangement of a side's codes; an excerpt counts as a tile.
///
/// Which order suits a table shows only when it is packed, so a sample of its tiles, or an excerpt of the
/// only one, is packed in each.
pub(crate) fn n_trials(variant: &Variant, side: SideCodes<'_>) -> u64 {
    let arrangements = arrangements(variant, side);
    let n_sampled = match side.profile.has_excerpts(side.layout()) {
        true => 1,
        false => sampled(&arrangements[0].tiling, SAMPLE_CODES).len(),
    };
    // The best order is tried with another fill; a single one with both.
    ((arrangements.len() + 1) * n_sampled) as u64
}

/// Counts the trials of a model, and how many blocks it is trained on and tried with after that.
pub(crate) fn n_small_trials(variant: &Variant, side: SideCodes<'_>) -> (u64, u64) {
    let arrangements = arrangements(variant, side);
    let tiling = &arrangements[0].tiling;
    let n_sampled = sampled(tiling, SMALL_SAMPLE_CODES).len();
    let n_trials = if arrangements.len() > 1 { arrangements.len() * n_sampled } else { 0 };
    let n_blocks = tiling.len() * tiling.tile_codes().div_ceil(side.profile.block_codes);
    (n_trials as u64, (N_SAMPLES.min(n_blocks) + N_TRIALS.min(n_blocks)) as u64)
}

/// The arrangement in which the codes of a side, of this width, make the smallest file, as far as a sample
/// of the tiles shows, or an excerpt of the only one: first the order, then the fill. `tell` is called for
/// each of the trials ([`n_trials`]).
pub(crate) fn choose<C: Code>(
    variant: &Variant,
    side: SideCodes<'_>,
    tell: &(dyn Fn() + Sync),
) -> io::Result<Arrangement> {
    let arrangements = arrangements(variant, side);
    let (mut rooms, tiling) = (Vec::new(), &arrangements[0].tiling);
    if side.profile.has_excerpts(side.layout()) {
        let mut room = Codes::default();
        let tile = side.read::<C>(tiling, TileId::FIRST.alone(), &mut room)?;
        let excerpt = Excerpt::new(side, tiling, tile.tile(tiling, TileId::FIRST).codes);
        let packers = Packers::<C>::new(side.profile.choosing);
        let size = |arrangement: &Arrangement| {
            let size = packers.with(|packer| packer.measure_excerpt(side, arrangement, &excerpt));
            tell();
            size
        };
        let sizes = |arrangements: &[Arrangement]| threads::try_map(arrangements, size);
        return best(arrangements, Some(excerpt.n_values()), sizes);
    }
    let sample = side.sample::<C>(tiling, sampled(tiling, SAMPLE_CODES), &mut rooms)?;
    best(arrangements, None, |arrangements| sizes(side, arrangements, &sample, Packer::measure, tell))
}

/// The best of some arrangements, and of the two ways to fill its gaps the better one; `sizes` measures
/// them. Of an excerpt the number of its values of axis 0 is given.
fn best(
    mut arrangements: Vec<Arrangement>,
    n_axis_0: Option<usize>,
    sizes: impl Fn(&[Arrangement]) -> io::Result<Vec<usize>>,
) -> io::Result<Arrangement> {
    let measured = if arrangements.len() == 1 { Vec::new() } else { sizes(&arrangements)? };
    let best = smallest(&measured);
    let last = arrangements.swap_remove(best);
    let row = |n_axis_0| Arrangement { fill: Fill::Row(last.tiling.row_codes(n_axis_0)), ..last.clone() };
    let (last_bytes, row_bytes) = match measured.get(best) {
        Some(&last_bytes) => (last_bytes, sizes(slice::from_ref(&row(n_axis_0)))?[0]),
        None => {
            let both = sizes(&[last.clone(), row(n_axis_0)])?;
            (both[0], both[1])
        }
    };
    Ok(if row_bytes < last_bytes {
        Arrangement { sample_bytes: row_bytes, ..row(None) }
    } else {
        Arrangement { sample_bytes: last_bytes, ..last }
    })
}

/// The arrangement in which a model makes the least of these codes, as far as a sample shows. It fills gaps
/// by itself. `tell` is called for each trial of a tile, `tell_block` for each of a block
/// ([`n_small_trials`]).
pub(crate) fn choose_small<C: Code>(
    variant: &Variant,
    side: SideCodes<'_>,
    [tell, tell_block]: [&(dyn Fn() + Sync); 2],
) -> io::Result<Arrangement> {
    let mut arrangements = arrangements(variant, side);
    let measure =
        |packer: &mut Packer<C>, side: SideCodes<'_>, arrangement: &Arrangement, tile: TileCodes<'_, C>| {
            Ok(packer.measure_small(side, arrangement, tile))
        };
    if arrangements.len() > 1 {
        let (mut rooms, tiling) = (Vec::new(), &arrangements[0].tiling);
        let sample = side.sample::<C>(tiling, sampled(tiling, SMALL_SAMPLE_CODES), &mut rooms)?;
        let sizes = sizes(side, &arrangements, &sample, measure, tell)?;
        arrangements.swap(0, smallest(&sizes));
    }
    with_learned::<C>(side, arrangements.swap_remove(0), tell_block)
}

/// An arrangement with the tree of the literals of a sample, and with a prior trained on it if that
/// takes less room in the file than it saves.
fn with_learned<C: Code>(
    side: SideCodes<'_>,
    mut plain: Arrangement,
    tell: &(dyn Fn() + Sync),
) -> io::Result<Arrangement> {
    let tiling = &plain.tiling.clone();
    let per_tile = tiling.tile_codes().div_ceil(side.profile.block_codes);
    let n_blocks = tiling.len() * per_tile;
    // Blocks far from each other, of all parts of a tile in turn; the last tile may have fewer.
    let block = |at: usize| {
        let (tile, block) = (TileId::from_index(at / per_tile), at % per_tile);
        (tile, block.min(tiling.range(tile).len().div_ceil(side.profile.block_codes) - 1))
    };
    let spread = |n: usize, part: usize| -> Vec<(TileId, usize)> {
        let n = n.min(n_blocks);
        (0..n).map(|i| block((4 * i + part) * n_blocks / (4 * n))).collect()
    };
    let packers = Packers::<C>::new(side.profile.choosing);
    let samples: Vec<Sample> = map_blocks(side, tiling, &spread(N_SAMPLES, 1), |block| {
        let sample = packers.with(|packer| Ok(packer.sample(side, &plain, block)));
        tell();
        sample
    })?;
    plain.tree = Some(Arc::new(Sample::tree(&samples)));
    let Some(prior) = Sample::train(&samples)? else { return Ok(plain) };
    drop(samples);
    let frame_bytes = prior.frame().len();
    let trained = Arrangement { prior: Some(Arc::new(prior)), ..plain.clone() };
    let trials = spread(N_TRIALS, 3);
    let saved: i64 = map_blocks(side, tiling, &trials, |block| {
        packers.with(|packer| {
            let without = packer.measure_block(side, &plain, block);
            let saved = without as i64 - packer.measure_block(side, &trained, block) as i64;
            tell();
            Ok(saved)
        })
    })?
    .iter()
    .sum();
    let is_worth_it = saved * n_blocks as i64 > (frame_bytes * trials.len()) as i64;
    Ok(if is_worth_it { trained } else { plain })
}

/// The arrangement of codes that stand as they are numbered.
pub(crate) fn natural(side: SideCodes<'_>) -> Arrangement {
    let layout = side.layout();
    let order = Order::all(n_axes(layout), 0)[0];
    let tiling =
        Tiling::new(layout, order, side.profile.tile_codes).expect("the natural order suits every layout");
    Arrangement::new(order, tiling)
}

/// What `work` makes of some blocks (tile, and block in it) far from each other, with the codes of their
/// tiles; no more tiles are in memory than are worth a thread's while.
fn map_blocks<C: Code, T: Send>(
    side: SideCodes<'_>,
    tiling: &Tiling,
    blocks: &[(TileId, usize)],
    work: impl Fn((TileCodes<'_, C>, usize)) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    let mut all = Vec::with_capacity(blocks.len());
    for batch in blocks.chunks((BATCH_CODES / tiling.tile_codes()).max(1)) {
        let mut rooms = Vec::new();
        let tiles = side.sample::<C>(tiling, batch.iter().map(|&(tile, _)| tile), &mut rooms)?;
        let one = |(&(tile, block), (_, codes)): (&(TileId, usize), &SampleTile<'_, C>)| {
            work((TileCodes { tile, codes }, block))
        };
        all.extend(threads::try_map(batch.iter().zip(&tiles), one)?);
    }
    Ok(all)
}

/// All arrangements that are tried.
fn arrangements(variant: &Variant, side: SideCodes<'_>) -> Vec<Arrangement> {
    let layout = side.layout();
    let n_axes = n_axes(layout);
    let tile_codes = side.profile.tile_codes;
    let has_one_value = tile_codes == layout.n_squares().pow(n_axes as u32 - 1);
    let apart = colour_bound(variant, layout);
    let can_turn = can_turn(layout, tile_codes) && side.profile.payload != Payload::Values;
    // Excerpts of both would not be of the same codes, and all sizes together are less if all are turned.
    let turns: &[u8] = match (can_turn, side.profile.has_excerpts(layout)) {
        (true, true) => &[1],
        (true, false) => &[0, 1],
        (false, _) => &[0],
    };
    let orders: Vec<Order> = turns.iter().flat_map(|turn| Order::all(n_axes, apart | turn)).collect();
    let arrangement = |order| {
        let tiling = Tiling::new(layout, order, tile_codes)?;
        Some(Arrangement::new(order, tiling))
    };
    // An axis of one value may stand anywhere.
    let orders = orders.into_iter().filter(|order| !has_one_value || order.axes()[0] == 0);
    orders.filter_map(arrangement).collect()
}

/// The tiles that are packed in every order to choose one.
fn sampled(tiling: &Tiling, sample_codes: usize) -> impl ExactSizeIterator<Item = TileId> {
    let n_tiles = tiling.len();
    let n_sampled = (sample_codes / tiling.tile_codes()).min(n_tiles / SAMPLE_PART).max(1);
    (0..n_sampled).map(move |i| TileId::from_index((2 * i + 1) * n_tiles / (2 * n_sampled)))
}

/// How many bytes each arrangement makes of these tiles.
fn sizes<C: Code>(
    side: SideCodes<'_>,
    arrangements: &[Arrangement],
    sample: &[SampleTile<'_, C>],
    measure: impl Fn(&mut Packer<C>, SideCodes<'_>, &Arrangement, TileCodes<'_, C>) -> io::Result<usize> + Sync,
    tell: &(dyn Fn() + Sync),
) -> io::Result<Vec<usize>> {
    let trials: Vec<(&Arrangement, &SampleTile<'_, C>)> = arrangements
        .iter()
        .flat_map(|arrangement| sample.iter().map(move |tile| (arrangement, tile)))
        .collect();
    let packers = Packers::new(side.profile.choosing);
    let sizes: Vec<usize> = threads::try_map(trials, |(arrangement, (tile, codes))| {
        let tile = TileCodes { tile: *tile, codes };
        let size = packers.with(|packer| measure(packer, side, arrangement, tile));
        tell();
        size
    })?;
    Ok(sizes.chunks(sample.len()).map(|sizes| sizes.iter().sum()).collect())
}

/// The place of the smallest size, the first among equals.
fn smallest(sizes: &[usize]) -> usize {
    let places = sizes.iter().enumerate();
    places.min_by_key(|&(place, size)| (size, place)).map_or(0, |(place, _)| place)
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
