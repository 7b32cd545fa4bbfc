//! Compares what the file of a table keeps with the table once it was solved again.

use crate::LibraryError;
use format::TableFile;
use table::{Table, Value};
use variant::{Metric, Side};

/// How many placements of a side that is kept are compared with those of a table that was solved again.
const N_COMPARED: usize = 1 << 16;

/// Compares a sample of it.
///
/// # Errors
/// The file holds other values than the table, or is damaged.
pub(super) fn compare(table: &Table, file: &TableFile, metric: Metric) -> Result<(), LibraryError> {
    let layout = file.layout();
    let step = (layout.len() / N_COMPARED).max(1);
    for side in Side::BOTH.into_iter().filter(|&side| file.keeps(side)) {
        for index in (0..layout.len()).step_by(step) {
            let value = table.value(side, index);
            if value == Value::Illegal || !layout.is_canonical(index, &layout.decode(index)) {
                continue;
            }
            let is_same = match file.holds_distances() {
                true => value.ply().is_none() || value.ply() == Some(file.distance(side, index)?.0),
                false if metric == Metric::Dtm => value == file.value(side, index)?,
                false => value.wdl() == file.value(side, index)?.wdl(),
            };
            if !is_same {
                return Err(LibraryError::Contradicted { path: file.path().to_path_buf() });
            }
        }
    }
    Ok(())
}
