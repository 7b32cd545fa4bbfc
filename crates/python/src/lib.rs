//! Opens endgame tables to Python: positions are probed, materials solved, and whole tables read as numpy
//! arrays. The package brings the command `tablesmith` along.
//!
//! Everything that takes time runs on the threads of the process, without the interpreter's lock, and ends
//! when a signal's handler raises (`work`). What a class holds never changes once it is made, but that tables
//! can be closed, so any number of Python threads may use it.
//!
//! ```text
//!   open, solve ─► Tables ─┬─ probe ─► Answer, Move
//!                          ├─ helpmates ─► Helpmates
//!                          ├─ probe_many ─► two arrays
//!                          ├─ find ─► FENs
//!                          └─ table ─► Table ─► arrays of values, squares and numbers, columns
//! ```
//!
//! `unsafe` is in one place: an array that shows a table's own memory (`table.rs`).

mod answer;
mod columns;
mod command;
mod error;
mod input;
mod source;
mod table;
mod tables;
mod variant;
mod work;

use pyo3::prelude::*;

/// Exact values of positions with few men, in chess and in any chess variant.
///
/// `open` opens a folder of tables, `solve` makes tables in memory; both return `Tables`, which answers for
/// positions (`probe`, `probe_many`) and hands out whole tables as numpy arrays (`table`).
#[pymodule]
mod tablesmith {
    use super::PyResult;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::answer::{Answer, Helpmates, Move};
    #[pymodule_export]
    use super::error::{DamagedTable, MissingTable};
    #[pymodule_export]
    use super::table::{Legend, Table};
    #[pymodule_export]
    use super::tables::{Tables, open, solve};
    #[pymodule_export]
    use super::variant::Piece;
    #[pymodule_export]
    use super::variant::Variant;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Of the package alone, so none of its public names.
        module.setattr("_run_command", wrap_pyfunction!(super::command::_run_command, module)?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("UNKNOWN", super::answer::UNKNOWN)
    }
}
