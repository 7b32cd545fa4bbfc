//! Hands out a whole table as numpy arrays, with the numbering of its placements.

use crate::columns::Columns;
use crate::variant::Variant;
use crate::{input, work};
use geometry::Square;
use index::{Layout, MAX_MEN};
use numpy::ndarray::ArrayView1;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use position::{Position, RuleBook};
use probe::Between;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rayon::prelude::*;
use stats::Statistics;
use std::sync::{Arc, OnceLock};
use table::{Code, Codes, CodesRef, Mapping, Scale, Value};
use variant::{Man, Metric, Side};

/// How many placements a thread takes at a time.
const CHUNK: usize = 1 << 14;

/// The value of every placement of a material, in memory.
///
/// Placements have numbers from 0 to `len(table) - 1`, the same for both sides to move. Arrays of values
/// are in the order of these numbers; `squares` and `indices` lead from numbers to squares and back.
#[pyclass(frozen, module = "tablesmith")]
pub(crate) struct Table(Arc<Numbered>);

/// A table with the numbering of its placements.
struct Numbered {
    variant: Arc<variant::Variant>,
    book: RuleBook,
    metric: Metric,
    table: Arc<table::Table>,
    /// The codes with Black to move where the table, being the same for both sides, keeps White's only.
    exchanged: OnceLock<Codes>,
}

/// What the codes of `Table.values` mean: arrays that are indexed by code.
#[pyclass(frozen, module = "tablesmith")]
pub(crate) struct Legend {
    wdl: Vec<i8>,
    plies: Vec<i16>,
}

/// What stands for a placement that is no legal position in arrays of results.
const ILLEGAL: i8 = crate::answer::UNKNOWN;

/// The result and the plies of a value, the clock at zero; −1 if there are none.
fn counted(scale: &Scale, value: Value) -> (i8, i16) {
    let value = Between::exactly(value);
    let (wdl, plies) = crate::answer::counted(scale.metric(), value, value.wdl_now(scale, 0));
    (wdl.unwrap_or(ILLEGAL), plies.and_then(|plies| i16::try_from(plies).ok()).unwrap_or(-1))
}

impl Legend {
    /// The legend of codes in a table with values of this scale.
    fn new(scale: &Scale, codes: CodesRef<'_>) -> Self {
        let (wdl, plies) = codes.coding().values().map(|value| counted(scale, value)).unzip();
        Legend { wdl, plies }
    }
}

#[pymethods]
impl Legend {
    /// 1, 0, -1 for the side to move, by code; UNKNOWN (-128) for what is no legal position.
    #[getter]
    fn wdl<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        PyArray1::from_slice(py, &self.wdl)
    }

    /// Plies by code; -1 if neither side wins.
    #[getter]
    fn plies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i16>> {
        PyArray1::from_slice(py, &self.plies)
    }
}

impl Table {
    /// A table of a metric.
    pub(crate) fn new(variant: Arc<variant::Variant>, metric: Metric, table: Arc<table::Table>) -> Self {
        let book = RuleBook::new(&variant);
        Table(Arc::new(Numbered { variant, book, metric, table, exchanged: OnceLock::new() }))
    }

    /// Does work with the table on the threads of the process.
    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Numbered) -> T + Send + 'static,
    ) -> PyResult<T> {
        let table = self.0.clone();
        work::run(py, move |_| work(&table))
    }
}

impl Numbered {
    fn layout(&self) -> &Layout {
        self.table.layout()
    }

    fn scale(&self) -> Scale {
        Scale::new(self.metric, &self.variant.rules)
    }

    /// The codes with this side to move. They stay where they are as long as the table does.
    fn codes(&self, stm: Side) -> CodesRef<'_> {
        match self.table.codes(stm) {
            Some(codes) => codes.as_ref(),
            None => {
                if self.exchanged.get().is_none() {
                    // Made before the lock is taken, which no thread holds while it waits for others.
                    drop(self.exchanged.set(exchanged(&self.table)));
                }
                self.exchanged.get().expect("it was set just now").as_ref()
            }
        }
    }

    /// What `work` makes of each number and its squares, on all threads.
    fn of_placements<T: Send>(&self, work: impl Fn(usize, &[Square]) -> T + Sync) -> Vec<T> {
        let layout = self.layout();
        let all = (0..layout.len()).into_par_iter().with_min_len(CHUNK);
        all.map(|index| work(index, &layout.decode(index))).collect()
    }

    /// What a legend says of the codes of a side to move.
    fn column<T: Copy + Send + Sync>(&self, stm: Side, of: impl Fn(&Legend) -> &[T] + Sync) -> Vec<T> {
        let codes = self.codes(stm);
        let legend = Legend::new(&self.scale(), codes);
        let book = of(&legend);
        let all = (0..codes.len()).into_par_iter().with_min_len(CHUNK);
        all.map(|index| book[usize::from(codes.at(index))]).collect()
    }

    /// The numbers of placements, checked; a mask of booleans has those of its places that are true.
    fn numbers<'py>(&self, indices: &Bound<'py, PyAny>) -> PyResult<Vec<usize>> {
        let len = self.layout().len();
        let (mut indices, kind) = array(indices)?;
        if kind == 'b' {
            if indices.getattr("shape")?.extract::<Vec<usize>>()? != [len] {
                let name = self.layout().name();
                return Err(PyIndexError::new_err(format!("a mask of {name} has {len} places in a row")));
            }
            indices = indices.py().import("numpy")?.call_method1("flatnonzero", (indices,))?;
        }
        let numbers: PyReadonlyArray1<'py, i64> = integers(&indices)?.call_method1("ravel", ())?.extract()?;
        let check = |&number: &i64| match usize::try_from(number) {
            Ok(number) if number < len => Ok(number),
            _ => Err(PyIndexError::new_err(format!(
                "{number} is no placement of {}, which has {len}",
                self.layout().name()
            ))),
        };
        numbers.as_array().iter().map(check).collect()
    }

    /// The FEN of a placement; none if two men stand on a square.
    fn fen_of(&self, stm: Side, index: usize) -> Option<String> {
        let squares = self.layout().decode(index);
        let men = self.layout().men().iter().copied().zip(squares.iter().copied());
        let position = Position::of_material(self.layout().material(), men, stm)?;
        Some(position.to_fen(&self.book))
    }

    fn no_position(&self, index: usize) -> PyErr {
        PyValueError::new_err(format!(
            "placement {index} of {} has two men on a square, which is no position",
            self.layout().name()
        ))
    }
}

#[pymethods]
impl Table {
    /// The name: `"KQvKR"`.
    #[getter]
    fn name(&self) -> &str {
        self.0.layout().name()
    }

    /// The rules of the game.
    #[getter]
    fn variant(&self) -> Variant {
        Variant::new(self.0.variant.clone())
    }

    /// What the table holds of a position: `"dtm"`, `"dtz50"`, …
    #[getter]
    fn metric(&self) -> &'static str {
        self.0.metric.name()
    }

    /// The men, as a FEN writes them, in the order of the columns of `squares`: `["K", "Q", "k", "r"]`.
    #[getter]
    fn men(&self) -> Vec<char> {
        self.0.layout().men().iter().map(|&man| self.0.variant.fen_letter(man)).collect()
    }

    /// How many placements have a number.
    fn __len__(&self) -> usize {
        self.0.layout().len()
    }

    /// A code for each placement with a side to move (`"white"` or `"black"`): uint8, or uint16 in tables
    /// with very long wins. It is the table's own memory, not copied and not to be written; `legend` says
    /// what the codes mean.
    fn values<'py>(slf: &Bound<'py, Self>, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let stm = input::side(side)?;
        let table = &slf.get().0;
        if table.table.codes(stm).is_none() && table.exchanged.get().is_none() {
            slf.get().work(slf.py(), move |table| _ = table.codes(stm))?;
        }
        let codes = table.codes(stm);
        Ok(codes.either(|codes| shown(slf, codes).into_any(), |codes| shown(slf, codes).into_any()))
    }

    /// What the codes of `values` mean with this side to move.
    fn legend(&self, py: Python<'_>, side: &Bound<'_, PyAny>) -> PyResult<Legend> {
        let stm = input::side(side)?;
        self.work(py, move |table| Legend::new(&table.scale(), table.codes(stm)))
    }

    /// The result of each placement with this side to move, for that side: int8, 1, 0, -1; UNKNOWN (-128)
    /// for what is no legal position. Under `dtz50` a cursed win is 0, as `probe` has it, and has plies.
    fn wdl<'py>(&self, py: Python<'py>, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let stm = input::side(side)?;
        Ok(self.work(py, move |table| table.column(stm, |legend| &legend.wdl))?.into_pyarray(py))
    }

    /// The plies of each placement with this side to move: int16, -1 if neither side wins.
    fn plies<'py>(&self, py: Python<'py>, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i16>>> {
        let stm = input::side(side)?;
        Ok(self.work(py, move |table| table.column(stm, |legend| &legend.plies))?.into_pyarray(py))
    }

    /// How many placements on the whole board each one stands for: uint32. Of placements that are the same
    /// but for a symmetry of the board or like men exchanged, one has all of them and the others 0, so that
    /// sums over `weights` are counts on the whole board, like men being distinguishable.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let weights = self.work(py, |table| {
            let layout = table.layout();
            table.of_placements(|index, squares| match layout.is_canonical(index, squares) {
                true => layout.weights(squares).unreduced,
                false => 0,
            })
        })?;
        Ok(weights.into_pyarray(py))
    }

    /// The squares of placements: uint8, a row for each number, a column for each of `men`. Squares count
    /// from 0, by files and then by ranks, as python-chess does: a1 is 0, b1 is 1.
    fn squares<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let numbers = self.0.numbers(indices)?;
        let (n_numbers, n_men) = (numbers.len(), self.0.layout().men().len());
        let squares: Vec<u8> = self.work(py, move |table| {
            let row = |&number: &usize| {
                let placement = table.layout().decode(number);
                let squares: Vec<u8> = placement.iter().map(|square| square.index() as u8).collect();
                squares
            };
            numbers.par_iter().with_min_len(CHUNK).flat_map_iter(row).collect()
        })?;
        squares.into_pyarray(py).reshape([n_numbers, n_men])
    }

    /// The numbers of placements: int64, one for each row of `squares`; -1 where the men cannot stand so.
    /// The number is that of the placement whose weight is not 0, to which a symmetry leads.
    fn indices<'py>(
        &self,
        py: Python<'py>,
        squares: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let n_men = self.0.layout().men().len();
        let rows = integers(squares)?.call_method1("reshape", ((-1, n_men),)).map_err(|_| {
            PyValueError::new_err(format!("squares come in rows of {n_men}, one for each man of `men`"))
        })?;
        let rows: PyReadonlyArray2<'py, i64> = rows.extract()?;
        // A copy, so that no thread changes it while it is read without the lock.
        let squares: Vec<i64> = rows.as_array().iter().copied().collect();
        let n_squares = self.0.layout().n_squares();
        let numbers = self.work(py, move |table| {
            let number = |row: &[i64]| {
                let mut own = [Square::from_index(0); MAX_MEN];
                for (slot, &square) in own.iter_mut().zip(row) {
                    let square = usize::try_from(square).ok().filter(|&square| square < n_squares)?;
                    *slot = Square::from_index(square);
                }
                Some(table.layout().encode(&own[..n_men]).map_or(-1, |number| number as i64))
            };
            squares.par_chunks(n_men).with_min_len(CHUNK).map(number).collect::<Option<Vec<i64>>>()
        })?;
        let numbers = numbers
            .ok_or_else(|| PyValueError::new_err(format!("squares are from 0 to {}", n_squares - 1)))?;
        Ok(numbers.into_pyarray(py))
    }

    /// The FEN of a placement with this side to move.
    fn fen(&self, side: &Bound<'_, PyAny>, index: &Bound<'_, PyAny>) -> PyResult<String> {
        let stm = input::side(side)?;
        match self.0.numbers(index)?[..] {
            [index] => self.0.fen_of(stm, index).ok_or_else(|| self.0.no_position(index)),
            ref several => Err(PyValueError::new_err(format!(
                "{} placements are not one; their FENs come from fens()",
                several.len()
            ))),
        }
    }

    /// The FENs of placements with this side to move. Placements are chosen by their numbers, or by a mask:
    /// a boolean for each placement of the table.
    fn fens(
        &self,
        py: Python<'_>,
        side: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<String>> {
        let stm = input::side(side)?;
        let numbers = self.0.numbers(indices)?;
        let fens = self.work(py, move |table| {
            let fen = |&index: &usize| table.fen_of(stm, index).ok_or(index);
            numbers.par_iter().with_min_len(64).map(fen).collect::<Result<Vec<String>, usize>>()
        })?;
        fens.map_err(|index| self.0.no_position(index))
    }

    /// The legal positions of the table as columns, which frames of pandas and polars take: `to_move` (0
    /// White, 1 Black), a square for each of `men`, `wdl`, `plies`, `weight`, and `fen` if it is asked for.
    /// Of positions that are the same but for a symmetry or like men exchanged there is one, and `weight`
    /// counts them all.
    #[pyo3(signature = (*, fen=false))]
    fn columns<'py>(&self, py: Python<'py>, fen: bool) -> PyResult<Bound<'py, PyDict>> {
        let columns = move |own: &Numbered| Columns::new(&own.variant, own.metric, &own.table, fen);
        self.work(py, columns)?.into_dictionary(py)
    }

    /// What is counted in the table: results and plies for each side to move, the longest wins, mutual
    /// zugzwangs. Counts are modulo symmetry (`orbits`) and on the whole board (`unreduced`).
    pub(crate) fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let statistics =
            self.work(py, |table| Statistics::collect(&table.variant, table.metric, &table.table))?;
        dictionary(py, &statistics)
    }

    fn __repr__(&self) -> String {
        format!("<Table {} of {}, {}>", self.name(), self.0.variant.name, self.0.metric)
    }
}

/// Statistics as a dictionary.
pub(crate) fn dictionary<'py>(py: Python<'py>, statistics: &Statistics) -> PyResult<Bound<'py, PyDict>> {
    let text = serde_json::to_string(statistics).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let loaded = py.import("json")?.call_method1("loads", (PyString::new(py, &text),))?;
    Ok(loaded.cast_into::<PyDict>()?)
}

/// An array of what is given, and the letter of its kind.
fn array<'py>(given: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, char)> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    let kind = array.getattr("dtype")?.getattr("kind")?.extract()?;
    Ok((array, kind))
}

/// Numbers of any kind as an array of integers.
fn integers<'py>(numbers: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (array, kind) = array(numbers)?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    if !matches!(kind, 'i' | 'u') && !is_empty {
        return Err(PyValueError::new_err("numbers and squares are integers"));
    }
    array.call_method1("astype", ("int64",))
}

/// An array that shows codes of a table where they lie.
#[expect(unsafe_code, reason = "an array that shares memory with a table")]
fn shown<'py, C: numpy::Element>(table: &Bound<'py, Table>, codes: &[C]) -> Bound<'py, PyArray1<C>> {
    let view = ArrayView1::from(codes);
    // SAFETY: `codes` come from `Numbered::codes` of this very object, which the array keeps alive as its
    // base. They lie in a `Vec` behind the `Arc<table::Table>` of the object's `Arc<Numbered>`, or in
    // the `OnceLock` beside it. Neither is ever changed or dropped before the object: the class is frozen, so
    // no method has `&mut self`; nothing else can reach into an `Arc` as long as the object holds a reference
    // of its own; and a `OnceLock` is written once, before its codes can be borrowed. The array is made
    // read-only below, before Python sees it.
    let array = unsafe { PyArray1::borrow_from_array(&view, table.clone().into_any()) };
    array.readwrite().make_nonwriteable();
    array
}

/// The codes with Black to move of a table that is the same for both sides and keeps White's.
fn exchanged(table: &table::Table) -> Codes {
    let layout = table.layout();
    let keeps = Side::BOTH.map(|side| table.codes(side).is_some());
    let men: &[Man] = layout.men();
    let mapping = Mapping::new(layout, keeps, men).expect("a table has its own men");
    let place = |index: usize| mapping.locate(layout, Side::Black, &layout.decode(index));
    let all = || (0..layout.len()).into_par_iter().with_min_len(CHUNK);
    fn read<C: Code>(codes: &[C], place: Option<(Side, usize)>) -> C {
        place.map_or(C::ILLEGAL, |(_, index)| codes[index])
    }
    table.codes(Side::White).expect("a table keeps a side").as_ref().map(
        |codes| all().map(|index| read(codes, place(index))).collect(),
        |codes| all().map(|index| read(codes, place(index))).collect(),
    )
}
