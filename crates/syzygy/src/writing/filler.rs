//! Fills the slots of a side to move: by rows in chess, and by positions in other games.

use super::cube::ROW;
use super::input::Input;
use super::position_filler::PositionFiller;
use super::row_filler::RowFiller;
use super::slot::Slot;
use crate::error::SyzygyError;
use crate::family::Family;
use rayon::prelude::*;
use variant::Side;

/// How many rows a thread takes at a time.
const N_ROWS: usize = 256;

/// The slots with a side to move, by the place in the cube.
///
/// Complexity: a row of the table and one of every table that captures lead to, for each 64 placements; pawn
/// moves only where one may decide.
pub(crate) fn slots(input: &Input, stm: Side) -> Result<Vec<Slot>, SyzygyError> {
    let mut slots = vec![Slot::FREE; input.cube().len()];
    let fits = if input.family == Family::Chess {
        let filler = RowFiller::new(input, stm);
        fill(&mut slots, |row, slots| filler.fill(row, slots))
    } else {
        let filler = PositionFiller::new(input, stm);
        fill(&mut slots, |row, slots| filler.fill(row, slots))
    };
    match fits {
        true => Ok(slots),
        false => {
            let material = input.layout.name().to_owned();
            Err(SyzygyError::TooDeep { material, plies: Slot::MAX_PLIES })
        }
    }
}

/// Fills all rows; false if one cannot be filled.
fn fill(slots: &mut [Slot], fill_row: impl Fn(usize, &mut [Slot]) -> bool + Sync) -> bool {
    slots.par_chunks_mut(N_ROWS * ROW).enumerate().all(|(stretch, slots)| {
        slots.chunks_mut(ROW).zip(stretch * N_ROWS..).all(|(slots, row)| fill_row(row, slots))
    })
}
