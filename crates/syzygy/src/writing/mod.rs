//! Writes the two files of a material.
//!
//! ```text
//!   tables that moves lead to ─ input ─┐
//!   the table, sheet by sheet ─────────┴─► slots ─► for each file of the leading pawn and each side to move:
//!                                                     arrangements tried ─ the best packed ─► bytes
//! ```

mod assembly;
mod attack;
mod behind;
mod distance_map;
mod filler;
pub(crate) mod finder;
mod gathering;
mod input;
mod packing;
mod pawn_step;
mod position_filler;
mod promotion;
mod row;
mod row_filler;
mod sheet;
mod side;
mod slot;
mod slots;
pub(crate) mod trial;

#[cfg(test)]
mod tests;

use crate::error::SyzygyError;
use crate::family::{Family, FileKind};
use crate::material::name::name_of_codes;
use assembly::bytes;
use behind::find;
use format::{FormatError, rules_hash, write_atomically};
use input::Input;
use packing::PackedFiles;
use sheet::SheetSource;
use std::path::Path;
use table::Lookup;
use variant::{Material, Metric, Variant};

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
    let canonical = material.canonical(variant);
    // What is missing is named in the order in which somebody asks for it: the table, then those below it.
    let own = lookup.slices(&canonical).is_none().then(|| find(variant, lookup, &canonical)).transpose()?;
    let input = Input::new(family, variant, material, lookup)?;
    if trial::arrangements(family, input.codes(), 0).is_empty() {
        return Err(SyzygyError::Like { material: material.name(variant) });
    }
    let source = SheetSource::new(&input, &canonical, lookup, own)?;
    // A game of its own may have another rule than that of fifty moves, so its distances are not rounded.
    let is_rounded = options.rounded && family != Family::Other;
    let packed = match packing::pack(&input, &source, is_rounded)? {
        Some(packed) => packed,
        // A sheet that was packed late shows that distances cannot be rounded.
        None => packing::pack(&input, &source, false)?.expect("exact distances can always be packed"),
    };
    let men = (n_men as u8, !material.is_one_sided(variant));
    let (name, rules) = match family {
        Family::Other => (material.name(variant), Some(rules_hash(variant, material, Metric::Dtz50))),
        _ => (name_of_codes(input.codes()).0, None),
    };
    let PackedFiles { wdl, n_wdl_sides, dtz, n_dtz_sides } = packed;
    let wdl = bytes((family, FileKind::Wdl), men, wdl, n_wdl_sides, rules);
    let dtz = bytes((family, FileKind::Dtz), men, dtz, n_dtz_sides, rules);
    Ok(Files { family, name, wdl, dtz })
}
