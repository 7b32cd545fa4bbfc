//! Packs the sides of both files, sheet by sheet.
//!
//! Three things are the same for all sheets: the order of the men, which side to move has distances, and
//! whether these are rounded. The first two are found out from the first sheet. No file is rounded in which
//! a win or a loss is just in time for the fifty-move rule, and any sheet may have one. As a rule the first
//! has one then. If only a later one has, all are packed again: to look for it beforehand would have each
//! table read twice.

use super::assembly::PackedSide;
use super::distance_map::Counting;
use super::filler;
use super::finder::Numbering;
use super::input::Input;
use super::sheet::SheetSource;
use super::side::{DtzSide, TableSide, WdlSide};
use super::slots::{Filled, Slots};
use super::trial::{BestArrangement, best};
use crate::container::{BLACK_TO_MOVE, LOSS_PLIES, MAPPED, WIN_PLIES};
use crate::error::SyzygyError;
use crate::numbering::arrangement::Arrangement;
use rayon::prelude::*;
use std::sync::Arc;
use table::Codes;
use variant::Side;

/// A sheet of more codes is a large one.
const MANY_CODES: usize = 1 << 23;

/// What both files have: their sides file by file of the leading pawn.
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
    /// By side to move.
    for_wdl: Vec<BestArrangement>,
    for_dtz: Vec<BestArrangement>,
    /// The sides to move of which distances are kept.
    kept: Vec<usize>,
}

/// The sides of one file of the leading pawn.
struct PackedFile {
    file: usize,
    wdl: Vec<PackedSide>,
    dtz: Vec<PackedSide>,
}

/// A side to move of a file, to be packed.
struct Unit {
    side: usize,
    arrangement: Arrangement,
    has_distances: bool,
}

/// Packs all sheets; none if distances were to be rounded and a sheet that is not the first has one that must
/// not be.
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
        let own_files = sheet.files().to_vec();
        let in_turns = source.is_read() && sheet.layout().len() > MANY_CODES;
        let filled = sides.iter().map(|&side| filler::fill(input, &sheet, side));
        let filled = filled.collect::<Result<Vec<Filled>, SyzygyError>>()?;
        let is_tight = filled.iter().any(Filled::is_tight);
        let counting =
            Counting { plies: !is_rounded || is_tight, takes_single_for_one: input.family.must_capture() };
        if choices.as_ref().is_some_and(|choices| choices.counting.plies != counting.plies && is_tight) {
            return Ok(None);
        }
        let (table, numbering) = sheet.into_parts();
        let lent;
        let slots: Vec<Slots<'_>> = match Arc::try_unwrap(table) {
            Ok(mut own) => {
                let mut taken = |&side: &Side| {
                    let codes = own.codes_mut(side).expect("a side to move that the table keeps");
                    std::mem::replace(codes, Codes::Narrow(Vec::new()))
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
        let packed =
            own_files.into_par_iter().filter_map(|file| choices.pack(&numbering, sides, &slots, file));
        files.par_extend(packed);
    }
    files.sort_by_key(|packed| packed.file);
    let n_dtz_sides = choices.map_or(0, |choices| choices.kept.len());
    let (mut wdl, mut dtz) = (Vec::new(), Vec::new());
    for file in files {
        wdl.extend(file.wdl);
        dtz.extend(file.dtz);
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
        let wdl: Vec<WdlSide<'_>> = slots.iter().map(|slots| WdlSide { numbering, slots }).collect();
        let dtz: Vec<DtzSide<'_>> =
            slots.iter().map(|slots| DtzSide { numbering, slots, counting }).collect();
        let all = wdl
            .iter()
            .map(|side| side as &dyn TableSide)
            .chain(dtz.iter().map(|side| side as &dyn TableSide));
        // Of the distances one side to move is kept: the one that takes less room.
        let rivals = if input.family.looks_at_moves() { slots.len()..2 * slots.len() } else { 0..0 };
        let mut for_wdl = best(input, numbering, &all.collect::<Vec<_>>(), rivals);
        let for_dtz = for_wdl.split_off(slots.len());
        let least = (0..for_dtz.len()).min_by_key(|&side| for_dtz[side].size_bytes).unwrap_or(0);
        let kept = if input.family.looks_at_moves() { vec![least] } else { (0..slots.len()).collect() };
        Choices { counting, in_turns, for_wdl, for_dtz, kept }
    }

    /// The sides of a file; none if the men cannot stand so that the leading pawn is on it.
    fn pack(
        &self,
        numbering: &Numbering,
        sides: &[Side],
        slots: &[Slots<'_>],
        file: usize,
    ) -> Option<PackedFile> {
        let unit = |side: usize, has_distances: bool| {
            let best = if has_distances { &self.for_dtz[side] } else { &self.for_wdl[side] };
            best.of_file(file).map(|arrangement| Unit { side, arrangement, has_distances })
        };
        let wdl = (0..sides.len()).map(|side| unit(side, false));
        let units =
            wdl.chain(self.kept.iter().map(|&side| unit(side, true))).collect::<Option<Vec<Unit>>>()?;
        let packed = |unit: Unit| self.packed(numbering, sides, slots, unit);
        let mut wdl: Vec<PackedSide> = match self.in_turns {
            true => units.into_iter().map(packed).collect(),
            false => units.into_par_iter().map(packed).collect(),
        };
        let dtz = wdl.split_off(sides.len());
        Some(PackedFile { file, wdl, dtz })
    }

    fn packed(&self, numbering: &Numbering, sides: &[Side], slots: &[Slots<'_>], unit: Unit) -> PackedSide {
        let Unit { side, arrangement, has_distances } = unit;
        let slots = &slots[side];
        if !has_distances {
            let packed = WdlSide { numbering, slots }.pack(&arrangement);
            return PackedSide { arrangement, packed, flags: 0, map: None };
        }
        let (packed, map) = DtzSide { numbering, slots, counting: self.counting }.pack(&arrangement);
        let mut flags = if sides[side] == Side::Black { BLACK_TO_MOVE } else { 0 };
        if map.is_some() {
            flags |= MAPPED;
        }
        if self.counting.plies {
            flags |= WIN_PLIES | LOSS_PLIES;
        }
        PackedSide { arrangement, packed, flags, map }
    }
}
