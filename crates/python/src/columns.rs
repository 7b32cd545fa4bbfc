//! Lists the positions of a table column by column, as frames take them; the names are those of
//! `tablesmith export --format parquet`.

use geometry::Square;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use variant::Side;

/// A row for each legal position that stands for its like, White to move first, in the order of the
/// placements' numbers.
pub(crate) struct Columns {
    to_move: Vec<u8>,
    /// For each man of the table the number of his square.
    squares: Vec<Vec<u8>>,
    wdl: Vec<i8>,
    plies: Vec<i16>,
    weight: Vec<u32>,
    /// None if no FENs are asked for.
    fens: Option<Vec<String>>,
}

impl Columns {
    /// Columns without rows, of a table with `n_men` men.
    pub(crate) fn new(n_men: usize, has_fens: bool) -> Self {
        Columns {
            to_move: Vec::new(),
            squares: vec![Vec::new(); n_men],
            wdl: Vec::new(),
            plies: Vec::new(),
            weight: Vec::new(),
            fens: has_fens.then(Vec::new),
        }
    }

    /// Adds a position with its result and plies; `fen` is asked for if FENs are wanted.
    pub(crate) fn push(
        &mut self,
        stm: Side,
        squares: &[Square],
        weight: u32,
        wdl: i8,
        plies: i16,
        fen: impl FnOnce() -> String,
    ) {
        self.to_move.push(stm.index() as u8);
        self.squares.iter_mut().zip(squares).for_each(|(own, square)| own.push(square.index() as u8));
        self.wdl.push(wdl);
        self.plies.push(plies);
        self.weight.push(weight);
        if let Some(fens) = &mut self.fens {
            fens.push(fen());
        }
    }

    /// Adds the rows of another.
    pub(crate) fn append(&mut self, mut other: Columns) {
        self.to_move.append(&mut other.to_move);
        self.squares.iter_mut().zip(&mut other.squares).for_each(|(own, other)| own.append(other));
        self.wdl.append(&mut other.wdl);
        self.plies.append(&mut other.plies);
        self.weight.append(&mut other.weight);
        self.fens.iter_mut().zip(other.fens).for_each(|(own, mut other)| own.append(&mut other));
    }

    /// An array for each column, and a list of FENs, by name; `men` are the letters of the table's men.
    pub(crate) fn into_dictionary<'py>(self, py: Python<'py>, men: &[char]) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        columns.set_item("to_move", self.to_move.into_pyarray(py))?;
        for (place, squares) in self.squares.into_iter().enumerate() {
            columns.set_item(name_of(men, place), squares.into_pyarray(py))?;
        }
        columns.set_item("wdl", self.wdl.into_pyarray(py))?;
        columns.set_item("plies", self.plies.into_pyarray(py))?;
        columns.set_item("weight", self.weight.into_pyarray(py))?;
        if let Some(fens) = self.fens {
            columns.set_item("fen", fens)?;
        }
        Ok(columns)
    }
}

/// The name of a man's column: his letter, numbered where there are several like him.
fn name_of(men: &[char], place: usize) -> String {
    let like = |men: &[char], letter| men.iter().filter(|&&other| other == letter).count();
    let letter = men[place];
    match like(men, letter) {
        1 => letter.to_string(),
        _ => format!("{letter}{}", 1 + like(&men[..place], letter)),
    }
}
