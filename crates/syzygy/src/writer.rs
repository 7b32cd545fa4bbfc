//! Writing the two files of a material.
//!
//! ```text
//!   tables ─ slots ─► for each file of the leading pawn and each side to move:
//!                       arrangements tried ─ the best packed ─► layout of the file ─► bytes
//! ```

use crate::arrangement::{Arrangement, has_pawns_on_both_sides, lead_of};
use crate::chess::name_of_men;
use crate::choice::{self, Chosen};
use crate::error::SyzygyError;
use crate::ground::Ground;
use crate::map::{Counting, DistanceMap};
use crate::packed::{Blocks, Packed};
use crate::slot::Slot;
use crate::table_side::{DtzSide, TableSide, WdlSide};
use crate::{ALIGNMENT, Family, Kind};

use format::{Checksum, FormatError, rules_hash, write_atomically};
use rayon::prelude::*;
use std::path::Path;
use table::Lookup;
use variant::{Material, Metric, Side, Variant};

/// How files are written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Distances are rounded to moves where the fifty-move rule allows it: smaller, and a ply too low now and
    /// then.
    pub rounded: bool,
}

/// The two files of a material.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Files {
    /// Whose rules they have.
    pub family: Family,
    /// The material's name, as files have it.
    pub name: String,
    /// Who wins: `.rtbw`, or what the game has.
    pub wdl: Vec<u8>,
    /// Plies to the next capture or pawn move: `.rtbz`.
    pub dtz: Vec<u8>,
}

impl Files {
    /// Puts both files into a folder, each whole or not at all.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn save(&self, folder: &Path) -> Result<(), FormatError> {
        for (kind, bytes) in [(Kind::Wdl, &self.wdl), (Kind::Dtz, &self.dtz)] {
            write_atomically(&folder.join(self.family.file_name(kind, &self.name)), &[bytes])?;
        }
        Ok(())
    }
}

/// One side of one sub-table, ready to be written.
struct Part {
    arrangement: Arrangement,
    packed: Packed,
    flags: u8,
    map: Option<DistanceMap>,
}

/// The files of a canonical material under the rules of a game, which the variant must have. `lookup` has the
/// tables of the metric `dtz50`: the material's own, those that captures and promotions lead to, and in chess
/// that of the bare kings.
///
/// # Errors
/// A table is missing, there are too many men or too many like ones, or the men are not those of the game.
pub fn write(
    family: Family,
    variant: &Variant,
    material: &Material,
    lookup: &dyn Lookup,
    options: Options,
) -> Result<Files, SyzygyError> {
    let n_men = material.n_men();
    let range = family.n_men();
    if !range.contains(&n_men) {
        return Err(SyzygyError::Men {
            material: material.name(variant),
            n_men,
            game: family.name(),
            least: *range.start(),
            most: *range.end(),
        });
    }
    let ground = Ground::new(family, variant, material, lookup)?;
    if choice::arrangements(family, ground.men(), 0).is_empty() {
        return Err(SyzygyError::Like { material: material.name(variant) });
    }
    let sides = ground.sides();
    let slots = sides.iter().map(|&side| ground.slots(side)).collect::<Result<Vec<Vec<Slot>>, _>>()?;
    let is_tight = slots.iter().any(|slots| slots.par_iter().any(|slot| slot.is_tight()));
    let takes_single_for_one = family.must_capture();
    // A game of its own may have another rule than that of fifty moves, so its distances are not rounded.
    let plies = !options.rounded || is_tight || family == Family::Own;
    let counting = Counting { plies, takes_single_for_one };
    let wdl: Vec<WdlSide<'_>> = slots.iter().map(|slots| WdlSide { ground: &ground, slots }).collect();
    let dtz: Vec<DtzSide<'_>> =
        slots.iter().map(|slots| DtzSide { ground: &ground, slots, counting }).collect();
    let all =
        wdl.iter().map(|side| side as &dyn TableSide).chain(dtz.iter().map(|side| side as &dyn TableSide));
    let chosen = choice::best(&ground, &all.collect::<Vec<_>>());
    let (for_wdl, for_dtz) = chosen.split_at(sides.len());
    // Of the distances one side to move is kept: the one that takes less room.
    let kept = (0..for_dtz.len()).min_by_key(|&side| for_dtz[side].size_bytes).unwrap_or(0);
    let wdl = wdl_parts(&wdl, for_wdl);
    let all: Vec<usize> = (0..sides.len()).collect();
    let kept = if family.looks_at_moves() { &all[kept..=kept] } else { &all[..] };
    let by_side: Vec<Vec<Part>> =
        kept.iter().map(|&side| dtz_parts(&dtz[side], sides[side], &for_dtz[side])).collect();
    let dtz = file_by_file(by_side);
    let men = (n_men as u8, !material.is_one_sided(variant));
    let (name, rules) = match family {
        Family::Own => (material.name(variant), Some(rules_hash(variant, material, Metric::Dtz50))),
        _ => (name_of_men(ground.men().iter().copied()).0, None),
    };
    let wdl = bytes((family, Kind::Wdl), men, wdl, sides.len(), rules);
    let dtz = bytes((family, Kind::Dtz), men, dtz, kept.len(), rules);
    Ok(Files { family, name, wdl, dtz })
}

/// The parts of each side, file by file, as parts of each file, side by side.
fn file_by_file(by_side: Vec<Vec<Part>>) -> Vec<Part> {
    let mut sides: Vec<_> = by_side.into_iter().map(Vec::into_iter).collect();
    let mut parts = Vec::new();
    while let Some(first) = sides.first_mut().and_then(Iterator::next) {
        parts.push(first);
        parts.extend(sides.iter_mut().skip(1).filter_map(Iterator::next));
    }
    parts
}

/// The WDL values, file by file, of each the sides.
fn wdl_parts(sides: &[WdlSide<'_>], chosen: &[Chosen]) -> Vec<Part> {
    let n_files = chosen.iter().map(|chosen| chosen.arrangements.len()).min().unwrap_or(0);
    let units: Vec<(usize, usize)> =
        (0..n_files).flat_map(|file| (0..sides.len()).map(move |side| (file, side))).collect();
    let part = |&(file, side): &(usize, usize)| {
        let arrangement = chosen[side].arrangements[file].clone();
        let packed = sides[side].pack(&arrangement);
        Part { arrangement, packed, flags: 0, map: None }
    };
    units.par_iter().map(part).collect()
}

/// The distances of a side to move, file by file.
fn dtz_parts(side: &DtzSide<'_>, stm: Side, chosen: &Chosen) -> Vec<Part> {
    let part = |arrangement: &Arrangement| {
        let (packed, map) = side.pack(arrangement);
        let mut flags = if stm == Side::Black { crate::BLACK_TO_MOVE } else { 0 };
        if map.is_some() {
            flags |= crate::MAPPED;
        }
        if side.counting.plies {
            flags |= crate::WIN_PLIES | crate::LOSS_PLIES;
        }
        Part { arrangement: arrangement.clone(), packed, flags, map }
    };
    chosen.arrangements.par_iter().map(part).collect()
}

/// The bytes of a file: parts file by file, of each White to move first.
fn bytes(
    (family, kind): (Family, Kind),
    (n_men, is_split): (u8, bool),
    mut parts: Vec<Part>,
    n_sides: usize,
    rules: Option<Checksum>,
) -> Vec<u8> {
    let mut bytes = family.magic(kind).to_vec();
    let men = parts[0].arrangement.men();
    let (has_pawns, both) = (lead_of(men).is_some(), has_pawns_on_both_sides(men));
    bytes.push(u8::from(is_split) | u8::from(has_pawns) << 1 | n_men << 4);
    for sides in parts.chunks(n_sides) {
        let first = &sides[0].arrangement;
        // A symmetric WDL file has its one side twice; a file of distances has one, if readers look at moves.
        let second = match kind {
            Kind::Dtz if family.looks_at_moves() => None,
            _ => Some(&sides.last().unwrap_or(&sides[0]).arrangement),
        };
        let orders =
            (0..1 + usize::from(both)).map(|i| (first.orders()[i], second.map_or(0, |s| s.orders()[i])));
        let men = (0..first.men().len()).map(|i| (first.men()[i], second.map_or(0, |s| s.men()[i])));
        bytes.extend(orders.chain(men).map(|(low, high)| low | high << 4));
    }
    pad(&mut bytes, 2);
    let is_wide = parts.iter().filter_map(|part| part.map.as_ref()).any(DistanceMap::is_wide);
    for part in &mut parts {
        // All maps of a file are as wide as its widest: one reader does not find a wide one behind a narrow
        // one.
        if is_wide && part.map.is_some() {
            part.flags |= crate::WIDE;
        }
        bytes.extend(part.packed.header(part.flags));
    }
    parts.iter().filter_map(|part| part.map.as_ref()).for_each(|map| map.write(is_wide, &mut bytes));
    pad(&mut bytes, 2);
    let blocks: Vec<&Blocks> = parts.iter().filter_map(|part| part.packed.blocks()).collect();
    for (block, offset) in blocks.iter().flat_map(|blocks| &blocks.places) {
        bytes.extend(block.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
    }
    blocks.iter().flat_map(|blocks| &blocks.n_values).for_each(|n| bytes.extend(n.to_le_bytes()));
    for blocks in &blocks {
        pad(&mut bytes, ALIGNMENT);
        bytes.extend(&blocks.data);
    }
    pad(&mut bytes, ALIGNMENT);
    if let Some(rules) = rules {
        bytes.extend(rules.0);
        pad(&mut bytes, crate::RULES_BYTES);
    }
    let sum = crate::checksum(&bytes);
    bytes.extend(sum);
    bytes
}

fn pad(bytes: &mut Vec<u8>, alignment: usize) {
    bytes.resize(bytes.len().next_multiple_of(alignment), 0);
}
