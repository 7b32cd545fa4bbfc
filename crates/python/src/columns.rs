//! Lists the positions of a table column by column, as frames take them; the names are those of
//! `tablesmith export --format parquet`.

use export::{Batch, Rows};
use geometry::Square;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::convert::Infallible;
use table::Table;
use variant::{Metric, Variant};

/// A row for each legal position that stands for its like, White to move first, in the order of the
/// placements' numbers.
pub(crate) struct Columns {
    names_of_men: Vec<String>,
    rows: Batch,
    /// For each row how many positions it stands for.
    weights: Vec<u32>,
    has_fens: bool,
}

impl Columns {
    /// The rows of a table, with FENs if they are wanted.
    pub(crate) fn new(variant: &Variant, metric: Metric, table: &Table, has_fens: bool) -> Self {
        let source = Rows::new(variant, metric, table, has_fens);
        let mut rows = source.empty();
        let Ok(()) = source.for_each_batch(|batch| {
            rows.append(batch);
            Ok::<_, Infallible>(())
        });
        let square = |column: &Vec<u8>, row: usize| Square::from_index(column[row].into());
        let weight = |row: usize| {
            let squares: Vec<Square> = rows.squares.iter().map(|column| square(column, row)).collect();
            table.layout().weights(&squares).unreduced
        };
        let weights = (0..rows.to_move.len()).into_par_iter().map(weight).collect();
        Columns { names_of_men: source.names_of_men(), rows, weights, has_fens }
    }

    /// An array for each column, and a list of FENs, by name.
    pub(crate) fn into_dictionary(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let Columns { names_of_men, rows, weights, has_fens } = self;
        // A win that the n-move rule spoils is a draw here, as in all arrays.
        let wdl: Vec<i8> = rows.wdl.iter().map(|wdl| wdl / 2).collect();
        let plies: Vec<i16> = rows.plies.iter().map(|&plies| i16::try_from(plies).unwrap_or(-1)).collect();
        let columns = PyDict::new(py);
        columns.set_item("to_move", rows.to_move.into_pyarray(py))?;
        for (name, squares) in names_of_men.into_iter().zip(rows.squares) {
            columns.set_item(name, squares.into_pyarray(py))?;
        }
        columns.set_item("wdl", wdl.into_pyarray(py))?;
        columns.set_item("plies", plies.into_pyarray(py))?;
        columns.set_item("weight", weights.into_pyarray(py))?;
        if has_fens {
            columns.set_item("fen", rows.fens)?;
        }
        Ok(columns)
    }
}
