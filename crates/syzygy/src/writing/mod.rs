//! Writes the two files of a material.
//!
//! ```text
//!   tables that moves lead to ─ input ─┐
//!   the table, sheet by sheet ─────────┴─► slots ─► for each file of the leading pawn and each side to move:
//!                                                     arrangements tried ─ the best packed ─► bytes
//! ```

mod filler;
pub(crate) mod finder;
mod input;
mod sheet;
mod side;
mod slots;
pub(crate) mod trial;

use crate::checksum::own_sum;
use crate::error::SyzygyError;
use crate::material::{
    ALIGNMENT, BLACK_TO_MOVE, Family, FileKind, LOSS_PLIES, MAPPED, RULES_BYTES, WIDE, WIN_PLIES,
    has_pawns_on_both_sides, leading_pawn, name_of_codes,
};
use crate::numbering::Arrangement;
use crate::packing::packed_side::{Blocks, Packed};
use filler::fill;
use finder::Numbering;
use format::{Checksum, FormatError, rules_hash, write_atomically};
use input::{Input, find};
use sheet::{Sheet, SheetSource};
use side::{Counting, DistanceMap, TableSide};
use slots::{Filled, Slots};
use std::path::Path;
use std::sync::Arc;
use table::{Lookup, threads};
use trial::{BestArrangement, best};
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
    let canonical = material.canonical(variant);
    // What is missing is named in the order in which a caller asks for it: the table, then those below it.
    let own =
        lookup.slices(&canonical).is_none().then(|| find(variant, lookup, &canonical, None)).transpose()?;
    let input = Input::new(family, variant, material, lookup)?;
    if trial::arrangements(family, &input.codes, 0).is_empty() {
        return Err(SyzygyError::Like { material: material.name(variant) });
    }
    let source = SheetSource::new(&input, &canonical, lookup, own)?;
    // A game of its own may have another rule than that of fifty moves, so its distances are not rounded.
    let is_rounded = options.rounded && family != Family::Other;
    let packed = match pack(&input, &source, is_rounded)? {
        Some(packed) => packed,
        // A sheet that was packed late shows that distances cannot be rounded.
        None => pack(&input, &source, false)?.expect("exact distances can always be packed"),
    };
    let men = (n_men as u8, !material.is_one_sided(variant));
    let (name, rules) = match family {
        Family::Other => (material.name(variant), Some(rules_hash(variant, material, Metric::Dtz50))),
        _ => (name_of_codes(&input.codes).0, None),
    };
    let PackedFiles { wdl, n_wdl_sides, dtz, n_dtz_sides } = packed;
    let wdl = bytes((family, FileKind::Wdl), men, wdl, n_wdl_sides, rules);
    let dtz = bytes((family, FileKind::Dtz), men, dtz, n_dtz_sides, rules);
    Ok(Files { family, name, wdl, dtz })
}

/// A sheet of more codes is a large one.
const MANY_CODES: usize = 1 << 23;

/// What both files have: their sides file by file of the leading pawn.
///
/// Three things are the same for all sheets: the order of the men, which side to move has distances, and
/// whether these are rounded. The first two are found out from the first sheet. No file is rounded in which
/// a win or a loss is just in time for the fifty-move rule, and any sheet may have one. As a rule the first
/// has one then. If only a later one has, all are packed again: to look for it beforehand would have each
/// table read twice.
pub(crate) struct PackedFiles {
    pub(crate) wdl: Vec<PackedSide>,
    pub(crate) n_wdl_sides: usize,
    pub(crate) dtz: Vec<PackedSide>,
    pub(crate) n_dtz_sides: usize,
}

/// What is the same for all sheets.
struct Choices {
    counting: Counting,
    /// Whether one side of a file is packed after the other: each takes up to a hundred megabytes, and a
    /// large table that is read slice by slice is to take little.
    in_turns: bool,
    /// What files have: the WDL values of each side to move, then the distances of those that are kept.
    units: Vec<Unit>,
}

/// The values of a side to move in a file, and the order of the men in which they stand.
struct Unit {
    side: usize,
    /// How distances are counted; none of WDL values.
    counting: Option<Counting>,
    best: BestArrangement,
}

/// The units of one file of the leading pawn.
struct PackedFile {
    file: usize,
    sides: Vec<PackedSide>,
}

/// Packs all sheets; none if distances were to be rounded and a sheet that is not the first has one that
/// must not be.
///
/// # Errors
/// The table cannot be read, or has a distance that has no room.
pub(crate) fn pack(
    input: &Input,
    source: &SheetSource,
    is_rounded: bool,
) -> Result<Option<PackedFiles>, SyzygyError> {
    let sides = input.layout.sides();
    let mut choices: Option<Choices> = None;
    let mut files: Vec<PackedFile> = Vec::new();
    for number in 0..source.n_sheets() {
        let sheet = source.sheet(input, number)?;
        let in_turns = source.is_read() && sheet.table.layout().len() > MANY_CODES;
        let filled = sides.iter().map(|&side| fill(input, &sheet, side));
        let filled = filled.collect::<Result<Vec<Filled>, SyzygyError>>()?;
        let is_tight = filled.iter().any(Filled::is_tight);
        let counting =
            Counting { plies: !is_rounded || is_tight, takes_single_for_one: input.family.must_capture() };
        if choices.as_ref().is_some_and(|choices| choices.counting.plies != counting.plies && is_tight) {
            return Ok(None);
        }
        let Sheet { table, numbering, files: own_files, .. } = sheet;
        let lent;
        let slots: Vec<Slots<'_>> = match Arc::try_unwrap(table) {
            Ok(mut own) => {
                let mut taken = |&side: &Side| {
                    let codes = own.codes_mut(side).expect("a side to move that the table keeps");
                    std::mem::take(codes)
                };
                let codes = sides.iter().map(&mut taken).zip(filled);
                codes.map(|(codes, filled)| Slots::of_own(codes, filled, input.rule_plies)).collect()
            }
            Err(table) => {
                lent = table;
                let codes = lent.codes_by_side().zip(filled);
                codes.map(|((_, codes), filled)| Slots::new(codes, filled, input.rule_plies)).collect()
            }
        };
        let choices =
            choices.get_or_insert_with(|| Choices::new(input, &numbering, &slots, counting, in_turns));
        let packed = threads::map(own_files, |file| choices.pack(&numbering, sides, &slots, file));
        files.extend(packed.into_iter().flatten());
    }
    files.sort_by_key(|packed| packed.file);
    let n_dtz_sides = choices.map_or(0, |choices| choices.units.len() - sides.len());
    let (mut wdl, mut dtz) = (Vec::new(), Vec::new());
    for mut file in files {
        dtz.extend(file.sides.split_off(sides.len()));
        wdl.extend(file.sides);
    }
    Ok(Some(PackedFiles { wdl, n_wdl_sides: sides.len(), dtz, n_dtz_sides }))
}

impl Choices {
    fn new(
        input: &Input,
        numbering: &Numbering,
        slots: &[Slots<'_>],
        counting: Counting,
        in_turns: bool,
    ) -> Self {
        let sides = |counting| slots.iter().map(move |slots| TableSide { numbering, slots, counting });
        let all: Vec<TableSide<'_>> = sides(None).chain(sides(Some(counting))).collect();
        let looks_at_moves = input.family.looks_at_moves();
        let rivals = if looks_at_moves { slots.len()..2 * slots.len() } else { 0..0 };
        let mut wdl = best(input, numbering, &all, rivals);
        let mut dtz: Vec<(usize, BestArrangement)> =
            wdl.split_off(slots.len()).into_iter().enumerate().collect();
        if looks_at_moves {
            // Of the distances one side to move is kept: the one that takes less room.
            dtz = dtz.into_iter().min_by_key(|(_, best)| best.size_bytes).into_iter().collect();
        }
        let unit = |counting| move |(side, best)| Unit { side, counting, best };
        let wdl = wdl.into_iter().enumerate().map(unit(None));
        Choices { counting, in_turns, units: wdl.chain(dtz.into_iter().map(unit(Some(counting)))).collect() }
    }

    /// The units of a file; none if the men cannot stand so that the leading pawn is on it.
    fn pack(
        &self,
        numbering: &Numbering,
        sides: &[Side],
        slots: &[Slots<'_>],
        file: usize,
    ) -> Option<PackedFile> {
        let units = self.units.iter().map(|unit| Some((unit, unit.best.of_file(file)?)));
        let units = units.collect::<Option<Vec<(&Unit, Arrangement)>>>()?;
        let packed = |(unit, arrangement): (&Unit, Arrangement)| {
            let &Unit { side, counting, .. } = unit;
            let (packed, map) = TableSide { numbering, slots: &slots[side], counting }.pack(&arrangement);
            let mut flags = if counting.is_some() && sides[side] == Side::Black { BLACK_TO_MOVE } else { 0 };
            if map.is_some() {
                flags |= MAPPED;
            }
            if counting.is_some_and(|counting| counting.plies) {
                flags |= WIN_PLIES | LOSS_PLIES;
            }
            PackedSide { arrangement, packed, flags, map }
        };
        let sides = match self.in_turns {
            true => units.into_iter().map(packed).collect(),
            false => threads::map(units, packed),
        };
        Some(PackedFile { file, sides })
    }
}

/// One side of one sub-table, ready to be written.
pub(crate) struct PackedSide {
    pub(crate) arrangement: Arrangement,
    pub(crate) packed: Packed,
    pub(crate) flags: u8,
    pub(crate) map: Option<DistanceMap>,
}

/// The bytes of a file: its sides file by file of the leading pawn, of each White to move first.
pub(crate) fn bytes(
    (family, kind): (Family, FileKind),
    (n_men, is_split): (u8, bool),
    mut packed: Vec<PackedSide>,
    n_sides: usize,
    rules: Option<Checksum>,
) -> Vec<u8> {
    let mut bytes = family.magic(kind).to_vec();
    let men = packed[0].arrangement.men();
    let (has_pawns, both) = (leading_pawn(men).is_some(), has_pawns_on_both_sides(men));
    bytes.push(u8::from(is_split) | u8::from(has_pawns) << 1 | n_men << 4);
    for sides in packed.chunks(n_sides) {
        let first = &sides[0].arrangement;
        // A symmetric WDL file has its one side twice; a file of distances has one, if readers look at
        // moves.
        let second = match kind {
            FileKind::Dtz if family.looks_at_moves() => None,
            _ => Some(&sides.last().unwrap_or(&sides[0]).arrangement),
        };
        let orders =
            (0..1 + usize::from(both)).map(|i| (first.orders()[i], second.map_or(0, |s| s.orders()[i])));
        let men = (0..first.men().len()).map(|i| (first.men()[i], second.map_or(0, |s| s.men()[i])));
        bytes.extend(orders.chain(men).map(|(low, high)| low | high << 4));
    }
    pad(&mut bytes, 2);
    let is_wide = packed.iter().filter_map(|side| side.map.as_ref()).any(DistanceMap::is_wide);
    for side in &mut packed {
        // All maps of a file are as wide as its widest: one reader does not find a wide one behind a narrow
        // one.
        if is_wide && side.map.is_some() {
            side.flags |= WIDE;
        }
        bytes.extend(side.packed.header(side.flags));
    }
    packed.iter().filter_map(|side| side.map.as_ref()).for_each(|map| map.write(is_wide, &mut bytes));
    pad(&mut bytes, 2);
    let blocks: Vec<&Blocks> = packed.iter().filter_map(|side| side.packed.blocks()).collect();
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
        pad(&mut bytes, RULES_BYTES);
    }
    let sum = own_sum(&bytes);
    bytes.extend(sum);
    bytes
}

fn pad(bytes: &mut Vec<u8>, alignment: usize) {
    bytes.resize(bytes.len().next_multiple_of(alignment), 0);
}

#[cfg(test)]
mod tests;
