//! Chooses the arrangement of a side's codes: their order, the fill, and the prior of a model.
//!
//! Which order suits a table shows only when it is packed, so a sample of its tiles is packed in each.

use super::arrangement::{Arrangement, SideCodes};
use super::fill::Fill;
use super::packer::{Packer, of_thread};
use super::profile::Profile;
use crate::code::payload::Payload;
use crate::model::Sample;
use crate::tile::order::Order;
use crate::tile::tiling::{Tiling, can_turn, n_axes};
use index::Layout;
use rayon::prelude::*;
use std::sync::Arc;
use std::{io, slice};
use table::Code;
use variant::Variant;

/// How many codes are compressed in every order to choose one, where a table has many times as many.
const SAMPLE_CODES: usize = 3 << 19;

/// The same where a model packs them, which takes longer and gains less.
const SMALL_SAMPLE_CODES: usize = 3 << 18;

/// How many blocks a prior is trained on, and how many others say what it is worth.
pub(crate) const N_SAMPLES: usize = 256;
const N_TRIALS: usize = 24;

/// At most one in so many tiles is sampled.
const SAMPLE_PART: usize = 12;

/// The arrangement in which these codes make the smallest file, as far as a sample of the tiles shows: first
/// the order, then the fill.
pub(crate) fn choose<C: Code>(
    variant: &Variant,
    layout: &Layout,
    side: SideCodes<'_, C>,
) -> io::Result<Arrangement> {
    let mut arrangements = arrangements(variant, layout, side);
    let measured = |arrangements: &[Arrangement]| sizes(side, arrangements, SAMPLE_CODES, Packer::measure);
    let sizes = if arrangements.len() == 1 { Vec::new() } else { measured(&arrangements)? };
    let best = smallest(&sizes);
    let last = arrangements.swap_remove(best);
    let row = Arrangement { fill: Fill::Row(last.tiling.row_codes()), ..last.clone() };
    let (last_bytes, row_bytes) = match sizes.get(best) {
        Some(&last_bytes) => (last_bytes, measured(slice::from_ref(&row))?[0]),
        None => {
            let both = measured(&[last.clone(), row.clone()])?;
            (both[0], both[1])
        }
    };
    let (best, sample_bytes) = if row_bytes < last_bytes { (row, row_bytes) } else { (last, last_bytes) };
    Ok(Arrangement { sample_bytes, ..best })
}

/// The arrangement in which a model makes the least of these codes, as far as a sample shows. It fills gaps
/// by itself.
pub(crate) fn choose_small<C: Code>(
    variant: &Variant,
    layout: &Layout,
    side: SideCodes<'_, C>,
) -> io::Result<Arrangement> {
    let mut arrangements = arrangements(variant, layout, side);
    let measure = |packer: &mut Packer<C>, side: SideCodes<'_, C>, arrangement: &Arrangement, tile: usize| {
        Ok(packer.measure_small(side, arrangement, tile))
    };
    if arrangements.len() > 1 {
        let sizes = sizes(side, &arrangements, SMALL_SAMPLE_CODES, measure)?;
        arrangements.swap(0, smallest(&sizes));
    }
    with_prior(side, arrangements.swap_remove(0))
}

/// The same arrangement with a prior trained on a sample, if that takes less room in the file than it saves.
fn with_prior<C: Code>(side: SideCodes<'_, C>, plain: Arrangement) -> io::Result<Arrangement> {
    let tiling = &plain.tiling;
    let per_tile = tiling.tile_codes().div_ceil(side.profile.block_codes);
    let n_blocks = tiling.len() * per_tile;
    // Blocks far from each other, of all parts of a tile in turn; the last tile may have fewer.
    let block = |at: usize| {
        let (tile, block) = (at / per_tile, at % per_tile);
        (tile, block.min(tiling.range(tile).len().div_ceil(side.profile.block_codes) - 1))
    };
    let spread = |n: usize, part: usize| -> Vec<(usize, usize)> {
        let n = n.min(n_blocks);
        (0..n).map(|i| block((4 * i + part) * n_blocks / (4 * n))).collect()
    };
    let packer = || Packer::new(side.profile.choosing);
    let samples: Vec<Sample> = spread(N_SAMPLES, 1)
        .into_par_iter()
        .map_init(packer, |packer, block| Ok(of_thread(packer)?.sample(side, &plain, block)))
        .collect::<io::Result<_>>()?;
    let Some(prior) = Sample::train(&samples)? else { return Ok(plain) };
    let frame_bytes = prior.frame().len();
    let trained = Arrangement { prior: Some(Arc::new(prior)), ..plain.clone() };
    let trials = spread(N_TRIALS, 3);
    let saved = trials.par_iter().map_init(packer, |packer, &block| {
        let packer = of_thread(packer)?;
        let without = packer.measure_block(side, &plain, block);
        Ok(without as i64 - packer.measure_block(side, &trained, block) as i64)
    });
    let saved = saved.collect::<io::Result<Vec<i64>>>()?.iter().sum::<i64>();
    let is_worth_it = saved * n_blocks as i64 > (frame_bytes * trials.len()) as i64;
    Ok(if is_worth_it { trained } else { plain })
}

/// The arrangement of codes that stand as they are numbered.
pub(crate) fn natural(layout: &Layout, profile: &Profile) -> Arrangement {
    let order = Order::all(n_axes(layout), 0)[0];
    let tiling =
        Tiling::new(layout, order, profile.tile_codes).expect("the natural order suits every layout");
    Arrangement { order, tiling, fill: Fill::Last, sample_bytes: 0, prior: None }
}

/// All arrangements that are tried.
fn arrangements<C: Code>(variant: &Variant, layout: &Layout, side: SideCodes<'_, C>) -> Vec<Arrangement> {
    let n_axes = n_axes(layout);
    let tile_codes = side.profile.tile_codes;
    let has_one_value = tile_codes == layout.n_squares().pow(n_axes as u32 - 1);
    let apart = colour_bound(variant, layout);
    let mut orders = Order::all(n_axes, apart);
    if can_turn(layout, tile_codes) && side.profile.payload != Payload::Values {
        orders.extend(Order::all(n_axes, apart | 1));
    }
    let arrangement = |order| {
        let tiling = Tiling::new(layout, order, tile_codes)?;
        Some(Arrangement { order, tiling, fill: Fill::Last, sample_bytes: 0, prior: None })
    };
    // An axis of one value may stand anywhere.
    let orders = orders.into_iter().filter(|order| !has_one_value || order.axes()[0] == 0);
    orders.filter_map(arrangement).collect()
}

/// How many bytes each arrangement makes of a sample of the tiles, the same for all.
fn sizes<C: Code>(
    side: SideCodes<'_, C>,
    arrangements: &[Arrangement],
    sample_codes: usize,
    measure: impl Fn(&mut Packer<C>, SideCodes<'_, C>, &Arrangement, usize) -> io::Result<usize> + Sync,
) -> io::Result<Vec<usize>> {
    let tiling = &arrangements[0].tiling;
    let n_tiles = tiling.len();
    let n_sampled = (sample_codes / tiling.tile_codes()).min(n_tiles / SAMPLE_PART).max(1);
    let trials: Vec<(&Arrangement, usize)> = arrangements
        .iter()
        .flat_map(|arrangement| {
            (0..n_sampled).map(move |i| (arrangement, (2 * i + 1) * n_tiles / (2 * n_sampled)))
        })
        .collect();
    let sizes: Vec<usize> = trials
        .into_par_iter()
        .map_init(
            || Packer::new(side.profile.choosing),
            |packer, (arrangement, tile)| measure(of_thread(packer)?, side, arrangement, tile),
        )
        .collect::<io::Result<_>>()?;
    Ok(sizes.chunks(n_sampled).map(|sizes| sizes.iter().sum()).collect())
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
