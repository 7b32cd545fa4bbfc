//! Fills the slots of a side to move: by rows in chess, and by positions in other games.

use super::input::Input;
use super::position_filler::PositionFiller;
use super::row_filler::RowFiller;
use super::sheet::Sheet;
use super::slot::Slot;
use super::slots::Filled;
use crate::error::SyzygyError;
use crate::family::Family;
use variant::Side;

/// What moves leave of the values of a sheet with a side to move, which it keeps.
///
/// Complexity: a row of the table and one of every table that captures lead to, for each 64 placements; pawn
/// moves only where one may decide.
pub(crate) fn fill(input: &Input, sheet: &Sheet, stm: Side) -> Result<Filled, SyzygyError> {
    let n = sheet.layout().len();
    let filled = if input.family == Family::Chess {
        let filler = RowFiller::new(input, sheet, stm);
        Filled::new(n, |row| filler.fill(row))
    } else {
        let filler = PositionFiller::new(input, sheet, stm);
        Filled::new(n, |row| filler.fill(row))
    };
    let too_deep =
        || SyzygyError::TooDeep { material: input.layout.name().to_owned(), plies: Slot::MAX_PLIES };
    filled.ok_or_else(too_deep)
}
