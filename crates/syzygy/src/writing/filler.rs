//! Fills the slots of a side to move: by rows in chess, and by positions in other games.

use super::input::Input;
use super::position_filler::PositionFiller;
use super::row_filler::RowFiller;
use super::slot::Slot;
use super::slots::Slots;
use crate::error::SyzygyError;
use crate::family::Family;
use variant::Side;

/// The slots with a side to move, which the table keeps.
///
/// Complexity: a row of the table and one of every table that captures lead to, for each 64 placements; pawn
/// moves only where one may decide.
pub(crate) fn slots(input: &Input, stm: Side) -> Result<Slots<'_>, SyzygyError> {
    let codes = input.table.codes(stm).expect("a side to move that the table keeps").as_ref();
    let slots = if input.family == Family::Chess {
        let filler = RowFiller::new(input, stm);
        Slots::new(codes, input.rule_plies, |row| filler.fill(row))
    } else {
        let filler = PositionFiller::new(input, stm);
        Slots::new(codes, input.rule_plies, |row| filler.fill(row))
    };
    let too_deep =
        || SyzygyError::TooDeep { material: input.layout.name().to_owned(), plies: Slot::MAX_PLIES };
    slots.ok_or_else(too_deep)
}
