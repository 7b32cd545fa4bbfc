//! Chooses the arrangement of a side's codes: their order, the fill, and what a model begins with.
//!
//! Which order suits a table shows only when it is packed, so a sample of its tiles, or an excerpt of the
//! only one, is packed in each.

use super::arrangement::Arrangement;
use super::codes::{SampleTile, SideCodes, TileCodes};
use super::excerpt::Excerpt;
use super::fill::Fill;
use super::packer::{Packer, Packers};
use crate::code::payload::Payload;
use crate::model::Sample;
use crate::tile::order::Order;
use crate::tile::tiling::{TileId, Tiling, can_turn, n_axes};
use index::Layout;
use rayon::prelude::*;
use std::sync::Arc;
use std::{io, slice};
use table::{Code, Codes};
use variant::Variant;

/// How many codes are compressed in every order to choose one, where a table has many times as many.
const SAMPLE_CODES: usize = 3 << 19;

/// The same where a model packs them, which takes longer and gains less.
const SMALL_SAMPLE_CODES: usize = 3 << 18;

/// How many blocks a prior is trained on, and how many others say what it is worth.
pub(crate) const N_SAMPLES: usize = 512;
const N_TRIALS: usize = 48;

/// At most one in so many tiles is sampled.
const SAMPLE_PART: usize = 12;

/// So many codes of tiles far from each other are in memory at once.
const BATCH_CODES: usize = 1 << 22;

/// How many tiles are packed to choose an arrangement of a side's codes; an excerpt counts as a tile.
pub(crate) fn n_trials(variant: &Variant, side: SideCodes<'_>) -> u64 {
    let arrangements = arrangements(variant, side);
    let n_sampled = match side.profile.has_excerpts(side.layout()) {
        true => 1,
        false => sampled(&arrangements[0].tiling, SAMPLE_CODES).len(),
    };
    // The best order is tried with another fill; a single one with both.
    ((arrangements.len() + 1) * n_sampled) as u64
}

/// The same of a model, and how many blocks it is trained on and tried with after that.
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
        let mut room = Codes::Narrow(Vec::new());
        let tile = side.read::<C>(tiling, TileId::FIRST.alone(), &mut room)?;
        let excerpt = Excerpt::new(side, tiling, tile.tile(tiling, TileId::FIRST).codes);
        let packers = Packers::<C>::new(side.profile.choosing);
        let size = |arrangement: &Arrangement| {
            let size = packers.with(|packer| packer.measure_excerpt(side, arrangement, &excerpt));
            tell();
            size
        };
        let sizes = |arrangements: &[Arrangement]| arrangements.par_iter().map(size).collect();
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

/// The same arrangement with the tree of the literals of a sample, and with a prior trained on it if that
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
        all.extend(batch.par_iter().zip(&tiles).map(one).collect::<io::Result<Vec<T>>>()?);
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
    let sizes: Vec<usize> = trials
        .into_par_iter()
        .map(|(arrangement, (tile, codes))| {
            let tile = TileCodes { tile: *tile, codes };
            let size = packers.with(|packer| measure(packer, side, arrangement, tile));
            tell();
            size
        })
        .collect::<io::Result<_>>()?;
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
