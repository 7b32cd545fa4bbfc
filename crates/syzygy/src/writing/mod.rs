//! Writes the two files of a material.
//!
//! ```text
//!   tables ─ slots ─► for each file of the leading pawn and each side to move:
//!                       arrangements tried ─ the best packed ─► layout of the file ─► bytes
//! ```

mod assembly;
mod attack;
mod distance_map;
mod filler;
pub(crate) mod finder;
mod input;
mod position_filler;
mod row_filler;
mod side;
mod slot;
mod slots;
pub(crate) mod trial;

#[cfg(test)]
mod tests;

use crate::container::{BLACK_TO_MOVE, LOSS_PLIES, MAPPED, WIN_PLIES};
use crate::error::SyzygyError;
use crate::family::{Family, FileKind};
use crate::material::name::name_of_codes;
use crate::numbering::arrangement::Arrangement;
use assembly::{PackedSide, bytes};
use distance_map::Counting;
use format::{FormatError, rules_hash, write_atomically};
use input::Input;
use rayon::prelude::*;
use side::{DtzSide, TableSide, WdlSide};
use slots::Slots;
use std::path::Path;
use table::Lookup;
use trial::BestArrangement;
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
        for (kind, bytes) in [(FileKind::Wdl, &self.wdl), (FileKind::Dtz, &self.dtz)] {
            write_atomically(&folder.join(self.family.file_name(kind, &self.name)), &[bytes])?;
        }
        Ok(())
    }
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
    let input = Input::new(family, variant, material, lookup)?;
    if trial::arrangements(family, input.codes(), 0).is_empty() {
        return Err(SyzygyError::Like { material: material.name(variant) });
    }
    let sides = input.sides();
    let slots =
        sides.iter().map(|&side| filler::slots(&input, side)).collect::<Result<Vec<Slots<'_>>, _>>()?;
    let is_tight = slots.iter().any(Slots::is_tight);
    let takes_single_for_one = family.must_capture();
    // A game of its own may have another rule than that of fifty moves, so its distances are not rounded.
    let plies = !options.rounded || is_tight || family == Family::Other;
    let counting = Counting { plies, takes_single_for_one };
    let wdl: Vec<WdlSide<'_>> = slots.iter().map(|slots| WdlSide { input: &input, slots }).collect();
    let dtz: Vec<DtzSide<'_>> =
        slots.iter().map(|slots| DtzSide { input: &input, slots, counting }).collect();
    let all =
        wdl.iter().map(|side| side as &dyn TableSide).chain(dtz.iter().map(|side| side as &dyn TableSide));
    let chosen = trial::best(&input, &all.collect::<Vec<_>>());
    let (for_wdl, for_dtz) = chosen.split_at(sides.len());
    // Of the distances one side to move is kept: the one that takes less room.
    let kept = (0..for_dtz.len()).min_by_key(|&side| for_dtz[side].size_bytes).unwrap_or(0);
    let all: Vec<usize> = (0..sides.len()).collect();
    let kept = if family.looks_at_moves() { &all[kept..=kept] } else { &all[..] };
    let dtz_by_side =
        || kept.iter().map(|&side| dtz_sides(&dtz[side], sides[side], &for_dtz[side])).collect();
    let (wdl, by_side) = rayon::join(|| wdl_sides(&wdl, for_wdl), dtz_by_side);
    let dtz = file_by_file(by_side);
    let men = (n_men as u8, !material.is_one_sided(variant));
    let (name, rules) = match family {
        Family::Other => (material.name(variant), Some(rules_hash(variant, material, Metric::Dtz50))),
        _ => (name_of_codes(input.codes()).0, None),
    };
    let wdl = bytes((family, FileKind::Wdl), men, wdl, sides.len(), rules);
    let dtz = bytes((family, FileKind::Dtz), men, dtz, kept.len(), rules);
    Ok(Files { family, name, wdl, dtz })
}

/// The sub-tables of each side, file by file, as sides of each file, one after the other.
fn file_by_file(by_side: Vec<Vec<PackedSide>>) -> Vec<PackedSide> {
    let mut sides: Vec<_> = by_side.into_iter().map(Vec::into_iter).collect();
    let mut packed = Vec::new();
    while let Some(first) = sides.first_mut().and_then(Iterator::next) {
        packed.push(first);
        packed.extend(sides.iter_mut().skip(1).filter_map(Iterator::next));
    }
    packed
}

/// The WDL values, file by file, of each the sides.
fn wdl_sides(sides: &[WdlSide<'_>], chosen: &[BestArrangement]) -> Vec<PackedSide> {
    let n_files = chosen.iter().map(|chosen| chosen.arrangements.len()).min().unwrap_or(0);
    let units: Vec<(usize, usize)> =
        (0..n_files).flat_map(|file| (0..sides.len()).map(move |side| (file, side))).collect();
    let pack = |&(file, side): &(usize, usize)| {
        let arrangement = chosen[side].arrangements[file].clone();
        let packed = sides[side].pack(&arrangement);
        PackedSide { arrangement, packed, flags: 0, map: None }
    };
    units.par_iter().map(pack).collect()
}

/// The distances of a side to move, file by file.
fn dtz_sides(side: &DtzSide<'_>, stm: Side, chosen: &BestArrangement) -> Vec<PackedSide> {
    let pack = |arrangement: &Arrangement| {
        let (packed, map) = side.pack(arrangement);
        let mut flags = if stm == Side::Black { BLACK_TO_MOVE } else { 0 };
        if map.is_some() {
            flags |= MAPPED;
        }
        if side.counting.plies {
            flags |= WIN_PLIES | LOSS_PLIES;
        }
        PackedSide { arrangement: arrangement.clone(), packed, flags, map }
    };
    chosen.arrangements.par_iter().map(pack).collect()
}
