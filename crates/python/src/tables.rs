//! Answers for positions, from a folder or from tables that were solved in memory.

use crate::answer::{Answer, Helpmates, UNKNOWN};
use crate::error::{failed, refused, refused_as};
use crate::source::{Counted, Opening, Origin, Source};
use crate::table::Table;
use crate::variant::Variant;
use crate::{input, work};
use find::Query;
use library::{Edition, HoldingError, Refusal, SolvedTables, TableFigures, answer_many, holding, shown};
use numpy::{IntoPyArray, PyArray1};
use position::Position;
use pyo3::exceptions::{PyFileNotFoundError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use variant::Material;

/// Tables of one game: open folders, or tables in memory.
///
/// Made by `open` or `solve`. Any number of threads may use it, and processes that were forked. `len`, `in`
/// and iteration are about `names()`, `tables[name]` is `table(name)`, and a `with` statement closes them.
#[pyclass(frozen, module = "tablesmith")]
pub(crate) struct Tables {
    variant: Arc<variant::Variant>,
    /// None if they are in memory.
    folders: Vec<PathBuf>,
    /// None when they are closed. Locked for a moment, and under the interpreter's lock, so that a process
    /// that is forked never gets it locked.
    source: Mutex<Option<Arc<Source>>>,
}

/// How many positions of many are read before they are answered, in the order of the files.
const AT_ONCE: usize = 1 << 16;

/// Opens a folder of tables, or a list of folders: a file is then read from the first that has it.
///
/// Each folder holds the tables of one game, or a folder for each game; `variant` (a name, the path of a
/// TOML file or a `Variant`) says which game is meant if there are several, or if its rules are not found.
/// With `solve`, tables that are missing and small (up to four men) are solved in memory when a position
/// needs them. `cache` is the most bytes of decompressed blocks that are kept.
///
/// Raises FileNotFoundError if a folder is not there, and ValueError if it is not clear which game is meant.
#[pyfunction]
#[pyo3(signature = (folder, variant=None, *, solve=true, cache=268_435_456))]
pub(crate) fn open(
    py: Python<'_>,
    folder: &Bound<'_, PyAny>,
    variant: Option<&Bound<'_, PyAny>>,
    solve: bool,
    cache: usize,
) -> PyResult<Tables> {
    work::prepare(py)?;
    let folders = folder.extract::<PathBuf>().map(|one| vec![one]).or_else(|_| folder.extract())?;
    if folders.is_empty() {
        return Err(PyValueError::new_err("the list of folders is empty"));
    }
    if let Some(absent) = folders.iter().find(|folder| !folder.is_dir()) {
        let folder = absent.display();
        return Err(PyFileNotFoundError::new_err(format!(
            "there is no folder {folder}; give a folder of tables, as `tablesmith solve` makes them"
        )));
    }
    // A name may be that of a game whose rules lie beside its tables.
    let name = variant.and_then(|variant| variant.extract::<String>().ok());
    let given = match variant.map(Variant::meant) {
        Some(Ok(given)) => Some(given),
        Some(Err(error)) if name.is_none() || error.is_instance_of::<PyValueError>(py) => return Err(error),
        _ => None,
    };
    let found = py.detach(|| holding(&folders, given.as_deref(), name.as_deref()));
    let holding = found.map_err(|error| unclear(py, error))?;
    let (variant, folders) = (Arc::new(holding.variant.clone()), holding.folders.clone());
    let opening = Opening { holding, solve, cache };
    let source = py.detach(|| Source::open(&variant, opening)).map_err(|error| failed(py, error))?;
    Ok(Tables::new(variant, folders, source))
}

/// The exception of folders that do not tell which game is meant.
fn unclear(py: Python<'_>, error: HoldingError) -> PyErr {
    match error {
        HoldingError::Library(error) => failed(py, error),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// Solves a material such as `"KQvKR"` in memory, with all tables that it leads to.
///
/// `variant` is a name (`"fide"` is chess), the path of a TOML file or a `Variant`; `metric` is the game's
/// own unless it is named. Tables of four men of chess take tenths of a second and some megabytes, those of
/// five men minutes and gigabytes.
///
/// Raises ValueError if the game has no such material, or no table can hold it.
#[pyfunction]
#[pyo3(signature = (variant, material, *, metric=None))]
pub(crate) fn solve(
    py: Python<'_>,
    variant: &Bound<'_, PyAny>,
    material: &str,
    metric: Option<&str>,
) -> PyResult<Tables> {
    work::prepare(py)?;
    let variant = Variant::meant(variant)?;
    let metric = input::metric(metric)?.unwrap_or(variant.default_metric);
    let (material, rules) = (material.to_owned(), variant.clone());
    let tables = work::run(py, move |stop| {
        let material = Material::from_typed(&rules.for_metric(metric), &material)?;
        let solved = SolvedTables::of_metric((*rules).clone(), metric).with_interrupt(stop.clone());
        solved.solved(&material).map(|_| solved.tables())
    })?;
    let tables = tables.map_err(|error| failed(py, error))?;
    let source = Source::solved(&variant, metric, tables);
    Ok(Tables::new(variant, Vec::new(), source))
}

impl Tables {
    fn new(variant: Arc<variant::Variant>, folders: Vec<PathBuf>, source: Source) -> Self {
        Tables { variant, folders, source: Mutex::new(Some(Arc::new(source))) }
    }

    /// The tables, unless they are closed; those of this process, if it was forked.
    fn source(&self, py: Python<'_>) -> PyResult<Arc<Source>> {
        let mut open = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let source = open.clone().ok_or_else(|| PyValueError::new_err("these tables are closed"))?;
        if source.process == std::process::id() {
            return Ok(source);
        }
        let own = match &source.origin {
            Origin::Asked(_, opening) => Source::open(&self.variant, (**opening).clone()),
            Origin::Solved(metric, tables, _) => Ok(Source::solved(&self.variant, *metric, tables.clone())),
        };
        let own = Arc::new(own.map_err(|error| failed(py, error))?);
        *open = Some(own.clone());
        Ok(own)
    }
}

#[pymethods]
impl Tables {
    /// The rules of the game.
    #[getter]
    fn variant(&self) -> Variant {
        Variant::new(self.variant.clone())
    }

    /// The folder of the tables, the first of several; None if they are in memory only.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        self.folders.first().cloned()
    }

    /// The folders of the tables, in the order in which they are asked; none if they are in memory only.
    #[getter]
    fn folders(&self) -> Vec<PathBuf> {
        self.folders.clone()
    }

    /// The metrics of which there are tables; the game's own comes first.
    #[getter]
    fn metrics(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        Ok(match &self.source(py)?.origin {
            Origin::Asked(asked, _) => asked.metrics().iter().map(|metric| metric.name()).collect(),
            Origin::Solved(metric, ..) => vec![metric.name()],
        })
    }

    /// The names of the tables that are there under a metric, the smallest first: files of our own format,
    /// or tables in memory. Syzygy and flat files answer positions and are not listed.
    #[pyo3(signature = (metric=None))]
    fn names(&self, py: Python<'_>, metric: Option<&str>) -> PyResult<Vec<String>> {
        let source = self.source(py)?;
        let metric = source.metric(metric)?;
        let mut names: Vec<String> = match &source.origin {
            Origin::Solved(own, tables, _) => {
                let tables = tables.iter().filter(|_| *own == metric);
                tables.map(|table| table.layout().name().to_owned()).collect()
            }
            Origin::Asked(_, opening) => {
                let edition = Edition::new(&self.variant, metric);
                let found = opening.holding.materials(&edition).map_err(|error| failed(py, error))?;
                found.into_iter().map(|material| material.name(&self.variant)).collect()
            }
        };
        names.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        Ok(names)
    }

    /// How many tables `names()` lists.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.names(py, None)?.len())
    }

    /// Whether `names()` lists a table; its name may have either colours.
    fn __contains__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        let source = self.source(py)?;
        let name = name.extract::<PyBackedStr>().ok();
        let metric = source.default_metric();
        let material = name.and_then(|name| source.material(&name, metric).ok());
        Ok(material.is_some_and(|material| source.has(&material, metric)))
    }

    /// Goes through `names()`.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.names(py, None)?)?.try_iter()
    }

    /// A whole table, as `table` has it.
    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        self.table(py, name, None)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, _raised: &Bound<'_, PyTuple>) {
        self.close();
    }

    /// Lets go of files and memory, once no call uses them any more. Whole tables that were handed out stay;
    /// every question after it is a ValueError.
    fn close(&self) {
        *self.source.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What is known of a position: its value, every move with its value, the main line.
    ///
    /// `position` is a FEN, or a board with a method `fen()` as those of python-chess. Under `metric` if it
    /// is named, otherwise under the one that tells most. The line ends where the metric stops counting,
    /// or, with `to_the_end`, with the game.
    ///
    /// Raises ValueError if the text is no FEN or the position illegal, MissingTable if there is no table
    /// for it, and DamagedTable if one cannot be read.
    #[pyo3(signature = (position, *, metric=None, to_the_end=false))]
    fn probe(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        metric: Option<&str>,
        to_the_end: bool,
    ) -> PyResult<Answer> {
        let (source, metric) = (self.source(py)?, input::metric(metric)?);
        let fen = String::from(&*input::fen(position, &self.variant.name)?);
        let answer = work::run(py, move |_| source.answer(&fen, metric, to_the_end))?;
        answer.map_err(|refusal| refused(py, &refusal))
    }

    /// How soon either side can be mated if both help, or that it never can.
    ///
    /// `position` is as for `probe`. Tables of `help` in the folder answer, or such as are solved for it.
    ///
    /// Raises as `probe` does.
    fn helpmates(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<Helpmates> {
        let source = self.source(py)?;
        let fen = String::from(&*input::fen(position, &self.variant.name)?);
        work::run(py, move |_| source.helpmates(&fen))?.map_err(|refusal| refused(py, &refusal))
    }

    /// The values of many positions, as two arrays as long as the list: `wdl` (int8: 1 for a win of the
    /// side to move, 0 for a draw, -1 for a loss) and `plies` (int16; -1 if neither side wins).
    ///
    /// `positions` is a list or a numpy array of FENs or boards. All cores take part. With `errors="raise"`
    /// the first position without a value raises what `probe` would, with its place in the list; with
    /// `errors="mark"` such positions have `UNKNOWN` (-128) for `wdl`. A table that cannot be read raises
    /// DamagedTable in either case.
    #[pyo3(signature = (positions, *, metric=None, errors="raise"))]
    #[allow(clippy::type_complexity)]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        metric: Option<&str>,
        errors: &str,
    ) -> PyResult<(Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<i16>>)> {
        let raises = match errors {
            "raise" => true,
            "mark" => false,
            other => {
                return Err(PyValueError::new_err(format!(
                    "errors is \"raise\" or \"mark\", and not {other:?}"
                )));
            }
        };
        let source = self.source(py)?;
        let metric = source.metric(metric)?;
        let fens = input::fens(positions, &self.variant.name)?;
        let (fens, counted, first) = work::run(py, move |stop| {
            // The first of the positions that are refused, as far as any thread knows; those behind it are
            // of no interest any more.
            let first = Mutex::new(None::<(usize, Refusal)>);
            let end = AtomicUsize::new(usize::MAX);
            let is_over = |at| at > end.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed);
            let mut counted: Vec<Counted> = Vec::with_capacity(fens.len());
            for fens in fens.chunks(AT_ONCE) {
                let begin = counted.len();
                let read =
                    |(at, fen): (usize, &PyBackedStr)| (!is_over(begin + at)).then(|| source.position(fen));
                let positions: Vec<Option<Result<Position, Refusal>>> =
                    fens.par_iter().enumerate().map(read).collect();
                let block = |at: usize| source.block_of(positions[at].as_ref()?.as_ref().ok()?, metric);
                counted.extend(answer_many(fens.len(), block, |at| {
                    let Some(position) = positions[at].as_ref().filter(|_| !is_over(begin + at)) else {
                        return (UNKNOWN, -1);
                    };
                    let answered = position.as_ref().map_err(Clone::clone);
                    let refusal = match answered.and_then(|position| source.counted(position, metric)) {
                        Ok(counted) => return counted,
                        Err(refusal) => refusal,
                    };
                    if raises || matches!(refusal, Refusal::Damaged(_)) {
                        let (at, mut first) =
                            (begin + at, first.lock().unwrap_or_else(PoisonError::into_inner));
                        if first.as_ref().is_none_or(|&(other, _)| at < other) {
                            *first = Some((at, refusal));
                            end.store(at, Ordering::Relaxed);
                        }
                    }
                    (UNKNOWN, -1)
                }));
            }
            (fens, counted, first.into_inner().unwrap_or_else(PoisonError::into_inner))
        })?;
        if let Some((at, refusal)) = first {
            return Err(refused_as(py, &refusal, format!("position {at}, {:?}: {refusal}", &*fens[at])));
        }
        let (wdl, plies): (Vec<i8>, Vec<i16>) = counted.into_iter().unzip();
        Ok((wdl.into_pyarray(py), plies.into_pyarray(py)))
    }

    /// A whole table in memory, by its name: `"KQvKR"`, in either colours.
    ///
    /// It is read from the folder, or solved if it is missing and small. Most files keep one side to move;
    /// the other is solved again from the tables that the moves lead to. Under `metric` if it is named,
    /// otherwise under the first of `metrics`.
    ///
    /// Raises ValueError if the game has no such material, MissingTable if the table is not there, or one
    /// that its other side is solved from, and DamagedTable if its file is damaged.
    #[pyo3(signature = (name, *, metric=None))]
    fn table(&self, py: Python<'_>, name: &str, metric: Option<&str>) -> PyResult<Table> {
        let source = self.source(py)?;
        let (metric, material) = source.meant(name, metric)?;
        let (source, material, found) = work::run(py, move |_| {
            let found = source.table(&material, metric);
            (source, material, found)
        })?;
        match found {
            Ok(Some(table)) => Ok(Table::new(self.variant.clone(), metric, table)),
            Ok(None) => Err(source.absent(py, &material, metric)),
            Err(error) => Err(failed(py, error)),
        }
    }

    /// The FENs of the positions of a table of which a condition holds, such as
    /// `"wtm win and moves.winning == 1"`, White to move first; at most `limit` of them.
    ///
    /// `docs/find.md` has the language. Of positions that a symmetry maps onto each other there is one. Words
    /// without a metric are about `metric`, or about the first of `metrics`.
    ///
    /// Raises ValueError if the condition cannot be read, and otherwise as `table` does; tables that are
    /// missing are not solved.
    #[pyo3(signature = (name, condition, *, metric=None, limit=None))]
    fn find(
        &self,
        py: Python<'_>,
        name: &str,
        condition: &str,
        metric: Option<&str>,
        limit: Option<usize>,
    ) -> PyResult<Vec<String>> {
        let source = self.source(py)?;
        let (metric, material) = source.meant(name, metric)?;
        let query = Query::parse(&self.variant, metric, condition);
        let query = query.map_err(|fault| PyValueError::new_err(fault.to_string()))?;
        if let Some(&absent) = query.metrics().iter().find(|&&metric| !source.has(&material, metric)) {
            return Err(source.absent(py, &material, absent));
        }
        let limit = limit.unwrap_or(usize::MAX);
        let found = work::run(py, move |stop| source.find(&material, &query, limit, stop))?;
        found.map_err(|error| failed(py, error))
    }

    /// What was counted in a table: the statistics in its file, which is not read further, or counted now.
    ///
    /// Raises as `table` does.
    #[pyo3(signature = (name, *, metric=None))]
    fn statistics<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        metric: Option<&str>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let source = self.source(py)?;
        let (wanted, material) = source.meant(name, metric)?;
        if let Some(holding) = source.holding().filter(|_| source.has(&material, wanted)) {
            let path = holding.files(wanted).main_path(&material.name(&self.variant));
            let figures = TableFigures::read(&path, wanted).map_err(|error| failed(py, error))?;
            return crate::table::dictionary(py, &figures.statistics);
        }
        self.table(py, name, metric)?.statistics(py)
    }

    fn __repr__(&self) -> String {
        let place = if self.folders.is_empty() { "memory".into() } else { shown(&self.folders) };
        format!("<Tables of {} in {place}>", self.variant.name)
    }
}
