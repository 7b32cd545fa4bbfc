//! Answers for positions, from a folder or from tables that were solved in memory.

use crate::answer::{Answer, UNKNOWN, counted};
use crate::error::{failed, missing, refused};
use crate::input;
use crate::table::Table;
use crate::variant::Variant;
use library::{
    AskedTables, Finding, Folder, Holding, HoldingError, Refusal, SolveBound, SolvedTables, TableFigures,
    holding,
};
use numpy::{IntoPyArray, PyArray1};
use position::{Position, RuleBook};
use probe::{MissingTable, ProbeError, Tablebase};
use pyo3::exceptions::{PyFileNotFoundError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use variant::{Material, Metric};

/// Tables of one game: an open folder, or tables in memory.
///
/// Made by `open` or `solve`. Any number of threads may use it.
#[pyclass(frozen, module = "tablesmith")]
pub(crate) struct Tables {
    variant: Arc<variant::Variant>,
    folder: Option<Folder>,
    source: AnswerSource,
}

/// Where answers come from.
enum AnswerSource {
    /// A folder, and what is solved because somebody asks.
    Asked(Box<AskedTables>),
    /// Tables in memory under one metric.
    Solved(Box<(SolvedTables, Tablebase)>),
}

/// A result and its plies; −1 if there are none.
type Counted = (i8, i16);

/// Opens a folder of tables.
///
/// `folder` holds the tables of one game, or a folder for each game; `variant` (a name, the path of a TOML
/// file or a `Variant`) says which game is meant if there are several, or if its rules are not found. With
/// `solve`, tables that are missing and small (up to four men) are solved in memory when a position needs
/// them. `cache` is the most bytes of decompressed blocks that are kept.
///
/// Raises FileNotFoundError if there is no such folder, and ValueError if it is not clear which game is
/// meant.
#[pyfunction]
#[pyo3(signature = (folder, variant=None, *, solve=true, cache=268_435_456))]
pub(crate) fn open(
    py: Python<'_>,
    folder: PathBuf,
    variant: Option<&Bound<'_, PyAny>>,
    solve: bool,
    cache: usize,
) -> PyResult<Tables> {
    if !folder.is_dir() {
        let folder = folder.display();
        return Err(PyFileNotFoundError::new_err(format!("there is no folder of tables {folder}")));
    }
    // A name may be that of a game whose rules lie beside its tables.
    let name = variant.and_then(|variant| variant.extract::<String>().ok());
    let given = match variant.map(Variant::meant) {
        Some(Ok(given)) => Some(given),
        Some(Err(error)) if name.is_none() || error.is_instance_of::<PyValueError>(py) => return Err(error),
        _ => None,
    };
    let found = py.detach(|| holding(&folder, given.as_deref(), name.as_deref()));
    let Holding { variant, folder: own } = found.map_err(|error| unclear(py, error))?;
    let (folder, bound) = (own.unwrap_or(folder), solve.then(SolveBound::default));
    let asked = py.detach(|| AskedTables::new(&variant, Some(&folder), cache, bound));
    let asked = asked.map_err(|error| failed(py, error))?;
    let folder = Some(Folder::new(&folder, variant.clone()));
    let variant = Arc::new(variant);
    Ok(Tables { variant, folder, source: AnswerSource::Asked(Box::new(asked)) })
}

/// The exception of a folder that does not tell which game is meant.
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
    let variant = Variant::meant(variant)?;
    let metric = input::metric(metric)?.unwrap_or(variant.default_metric);
    let solved = py.detach(|| {
        let material = Material::from_typed(&variant, material)?;
        let solved = SolvedTables::of_metric((*variant).clone(), metric);
        solved.solved(&material).map(|_| solved)
    });
    let solved = solved.map_err(|error| failed(py, error))?;
    let base = Tablebase::from_tables(&variant, metric, solved.tables());
    Ok(Tables { variant, folder: None, source: AnswerSource::Solved(Box::new((solved, base))) })
}

impl Tables {
    fn book(&self) -> &RuleBook {
        match &self.source {
            AnswerSource::Asked(asked) => asked.book(),
            AnswerSource::Solved(solved) => solved.1.book(),
        }
    }

    /// Puts a question about a position to the tables of a metric, or of the first that answers in full;
    /// whether tables were solved for it.
    fn ask<T>(
        &self,
        position: &Position,
        metric: Option<Metric>,
        question: impl Fn(&Tablebase) -> Result<(T, Option<MissingTable>), ProbeError>,
    ) -> Result<(T, bool), Refusal> {
        match &self.source {
            AnswerSource::Asked(asked) => {
                let answered = asked.ask(position, metric, question)?;
                Ok((answered.answer, answered.is_solved))
            }
            AnswerSource::Solved(solved) if metric.is_none_or(|metric| metric == solved.0.metric()) => {
                Ok((question(&solved.1)?.0, false))
            }
            AnswerSource::Solved(..) => {
                let own = self.variant.default_metric;
                let material = Material::from_men(position.men().map(|(man, _)| man));
                let material = material.canonical(&self.variant).name(&self.variant);
                let metric = metric.unwrap_or(own);
                let file = format!("{material}.{metric}").into();
                Err(Refusal::NotBuilt(MissingTable::new(material, metric, file)))
            }
        }
    }

    /// The legal position of a FEN.
    fn position(&self, fen: &str) -> Result<Position, Refusal> {
        let position = Position::from_fen_with_castling(self.book(), fen)?;
        match position.is_legal(self.book()) {
            true => Ok(position),
            false => Err(Refusal::illegal_under(self.book(), &position)),
        }
    }

    fn answer(&self, fen: &str, metric: Option<Metric>, to_the_end: bool) -> Result<Answer, Refusal> {
        let position = self.position(fen)?;
        let (answer, solved) = self.ask(&position, metric, |tables| {
            match Finding::of_moves(tables, position.clone(), to_the_end) {
                Ok(finding) => Ok((Ok(Answer::new(tables, &finding)), finding.missing)),
                Err(Refusal::NotBuilt(missing)) => Err(ProbeError::Missing(missing)),
                Err(refusal) => Ok((Err(refusal), None)),
            }
        })?;
        Ok(answer?.with_solved(solved))
    }

    fn counted(&self, fen: &str, metric: Metric) -> Result<Counted, Refusal> {
        let position = self.position(fen)?;
        let (counted, _) = self.ask(&position, Some(metric), |tables| {
            let value = tables.value_of_legal(&position)?;
            let is_cursed = tables.scale().is_cursed_at(value, position.halfmove_clock());
            let (wdl, plies) = counted(metric, value, is_cursed);
            let plies = plies.and_then(|plies| i16::try_from(plies).ok());
            Ok(((wdl.unwrap_or(UNKNOWN), plies.unwrap_or(-1)), None))
        })?;
        Ok(counted)
    }

    /// The metric that is meant if none is named: the first of which there are tables.
    fn default_metric(&self) -> Metric {
        match &self.source {
            AnswerSource::Asked(asked) => {
                asked.metrics().first().copied().unwrap_or(self.variant.default_metric)
            }
            AnswerSource::Solved(solved) => solved.0.metric(),
        }
    }

    /// The material that is meant by a name, its colours as tables have them.
    fn material(&self, name: &str) -> PyResult<Material> {
        let material = Material::from_typed(&self.variant, name);
        material
            .map(|material| material.canonical(&self.variant))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

#[pymethods]
impl Tables {
    /// The rules of the game.
    #[getter]
    fn variant(&self) -> Variant {
        Variant::new(self.variant.clone())
    }

    /// The folder of the tables; None if they are in memory only.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.path().to_path_buf())
    }

    /// The metrics of which there are tables; the game's own comes first.
    #[getter]
    fn metrics(&self) -> Vec<&'static str> {
        match &self.source {
            AnswerSource::Asked(asked) => asked.metrics().iter().map(|metric| metric.name()).collect(),
            AnswerSource::Solved(solved) => vec![solved.0.metric().name()],
        }
    }

    /// The names of the tables that are there under a metric, the smallest first: files of our own format,
    /// or tables in memory. Syzygy and flat files answer positions and are not listed.
    #[pyo3(signature = (metric=None))]
    fn names(&self, py: Python<'_>, metric: Option<&str>) -> PyResult<Vec<String>> {
        let metric = input::metric(metric)?.unwrap_or_else(|| self.default_metric());
        let mut names: Vec<String> = match (&self.source, &self.folder) {
            (AnswerSource::Solved(solved), _) => {
                let is_own = metric == solved.0.metric();
                let tables = solved.0.tables().into_iter().filter(|_| is_own);
                tables.map(|table| table.layout().name().to_owned()).collect()
            }
            (_, Some(folder)) => {
                let edition = library::Edition::new(&self.variant, metric);
                let found = folder.materials(&edition).map_err(|error| failed(py, error))?;
                found.into_iter().map(|material| material.name(&self.variant)).collect()
            }
            _ => Vec::new(),
        };
        names.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        Ok(names)
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
        let fen = input::fen(position, &self.variant.name)?;
        let metric = input::metric(metric)?;
        let answer = py.detach(|| self.answer(&fen, metric, to_the_end));
        answer.map_err(|refusal| refused(py, &refusal))
    }

    /// The values of many positions, as two arrays as long as the list: `wdl` (int8: 1 for a win of the
    /// side to move, 0 for a draw, -1 for a loss) and `plies` (int16; -1 if nobody wins).
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
        let metric = input::metric(metric)?.unwrap_or_else(|| self.default_metric());
        let fens = input::fens(positions, &self.variant.name)?;
        let (counted, first) = py.detach(|| {
            // The first of the positions that are refused, as far as any thread knows; those behind it are
            // of no interest any more.
            let first = Mutex::new(None::<(usize, Refusal)>);
            let end = AtomicUsize::new(usize::MAX);
            let one = |(at, fen): (usize, &PyBackedStr)| {
                if at > end.load(Ordering::Relaxed) {
                    return (UNKNOWN, -1);
                }
                let refusal = match self.counted(fen, metric) {
                    Ok(counted) => return counted,
                    Err(refusal) => refusal,
                };
                if raises || matches!(refusal, Refusal::Damaged(_)) {
                    let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                    if first.as_ref().is_none_or(|&(other, _)| at < other) {
                        *first = Some((at, refusal));
                        end.store(at, Ordering::Relaxed);
                    }
                }
                (UNKNOWN, -1)
            };
            let counted: Vec<Counted> = fens.par_iter().enumerate().with_min_len(64).map(one).collect();
            (counted, first.into_inner().unwrap_or_else(PoisonError::into_inner))
        });
        if let Some((at, refusal)) = first {
            return Err(at_place(py, at, &fens[at], &refusal));
        }
        let (wdl, plies): (Vec<i8>, Vec<i16>) = counted.into_iter().unzip();
        Ok((wdl.into_pyarray(py), plies.into_pyarray(py)))
    }

    /// A whole table in memory, by its name: `"KQvKR"`, in either colours.
    ///
    /// It is read from the folder, or solved if it is missing and small. Under `metric` if it is named,
    /// otherwise under the first of `metrics`.
    ///
    /// Raises ValueError if the game has no such material, MissingTable if the table is not there, and
    /// DamagedTable if it cannot be read, or its file keeps one side to move only.
    #[pyo3(signature = (name, *, metric=None))]
    fn table(&self, py: Python<'_>, name: &str, metric: Option<&str>) -> PyResult<Table> {
        let metric = input::metric(metric)?.unwrap_or_else(|| self.default_metric());
        let material = self.material(name)?;
        let name = material.name(&self.variant);
        let found = match (&self.source, &self.folder) {
            (AnswerSource::Solved(solved), _) if metric == solved.0.metric() => {
                solved.0.tables().into_iter().find(|table| *table.layout().material() == material)
            }
            (AnswerSource::Asked(asked), Some(folder)) => {
                let files = folder.files(metric);
                match py.detach(|| files.are_there(&name).then(|| files.read(&name))) {
                    Some(table) => Some(Arc::new(table.map_err(|error| failed(py, error.into()))?)),
                    None => py.detach(|| asked.table(&material, metric)),
                }
            }
            _ => None,
        };
        match found {
            Some(table) => Ok(Table::new(self.variant.clone(), metric, table)),
            None => {
                let file = format!("{name}.{metric}").into();
                let text = format!("{name} of {metric} is not here; {}", self.remedy(&name, metric));
                Err(missing(py, &MissingTable::new(name, metric, file), text))
            }
        }
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
        let wanted = input::metric(metric)?.unwrap_or_else(|| self.default_metric());
        let material = self.material(name)?.name(&self.variant);
        if let Some(folder) = &self.folder {
            let files = folder.files(wanted);
            if files.are_there(&material) {
                let figures = TableFigures::read(&files.main_path(&material));
                let figures = figures.map_err(|error| failed(py, error))?;
                return crate::table::dictionary(py, &figures.statistics);
            }
        }
        self.table(py, name, metric)?.statistics(py)
    }

    fn __repr__(&self) -> String {
        match &self.folder {
            Some(folder) => format!("<Tables of {} in {}>", self.variant.name, folder.path().display()),
            None => format!("<Tables of {} in memory>", self.variant.name),
        }
    }
}

impl Tables {
    /// What a person does to have a table.
    fn remedy(&self, name: &str, metric: Metric) -> String {
        match &self.folder {
            Some(folder) => format!(
                "run `tablesmith solve` with --table {name} --metric {metric} --out {}",
                folder.path().display()
            ),
            None => format!("call solve(variant, {name:?}, metric={:?})", metric.name()),
        }
    }
}

/// The exception of one of many positions.
fn at_place(py: Python<'_>, at: usize, fen: &str, refusal: &Refusal) -> PyErr {
    let text = format!("position {at}, {fen:?}: {refusal}");
    match refusal {
        Refusal::NotBuilt(table) | Refusal::Castling(table) => missing(py, table, text),
        Refusal::Damaged(_) => crate::error::DamagedTable::new_err(text),
        _ => PyValueError::new_err(text),
    }
}
