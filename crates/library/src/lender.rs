//! Lends tables of other folders to a build and to structures: our own files, flat files and, of who wins
//! and under the n-move rule, Syzygy files. Nothing is written there.

use crate::checked_tables::ExchangeTables;
use crate::folder::exchange_files;
use crate::{Edition, LibraryError, TableFiles};
use format::{Checksum, FormatError, TableWriter};
use parking_lot::Mutex;
use plan::{Job, Need};
use position::Position;
use probe::{ExchangeFile, ExchangeKind, PositionValues, ProbeError, Tablebase};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use structure::TableSource;
use table::{Codes, Coding, SliceSource, Table, Value};
use variant::exit::Reason;
use variant::{Material, Metric, Side, Variant};

/// A folder whose tables may be used.
///
/// A table serves if it holds what the metric reads of it: who wins for `wdl`, the very distances otherwise.
/// It gets the name, a checksum, that our file of it would have, so that a table that is made from it has
/// the same bytes as one that is made from ours.
#[derive(Debug)]
pub struct Lender {
    folder: PathBuf,
    variant: Variant,
    exchange: BTreeMap<(String, Metric, ExchangeKind), Vec<ExchangeFile>>,
}

/// A table that a folder lends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loan {
    folder: PathBuf,
    /// The metric of its files.
    metric: Metric,
    /// Its flat or Syzygy files; none if it has our own files.
    exchange: Vec<ExchangeFile>,
}

/// A table that is lent, or none if it is not there; or why it does not serve in the form in which it is
/// there.
pub type Lent = Result<Option<Loan>, String>;

/// The first table that serves; else the first reason why one does not.
fn first(lent: impl Iterator<Item = Lent>) -> Lent {
    let mut unfit = None;
    for lent in lent {
        match lent {
            Ok(None) => {}
            Ok(loan) => return Ok(loan),
            Err(why) => drop(unfit.get_or_insert(why)),
        }
    }
    unfit.map_or(Ok(None), Err)
}

impl Lender {
    /// The tables of a folder.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn new(folder: &Path, variant: &Variant) -> Result<Self, LibraryError> {
        let mut exchange: BTreeMap<_, Vec<ExchangeFile>> = BTreeMap::new();
        for path in exchange_files(folder)? {
            // Files of other games are none of ours to complain of; results under the n-move rule tell
            // neither distances nor who wins without it.
            if let Ok(file) = ExchangeFile::new(&path, variant)
                && !file.has_results_only()
            {
                let key = (file.material().name(variant), file.metric(), file.kind());
                exchange.entry(key).or_default().push(file);
            }
        }
        Ok(Lender { folder: folder.to_path_buf(), variant: variant.clone(), exchange })
    }

    /// The table of a job, from the first folder that has it with these sides to move in a form that serves
    /// an edition.
    pub fn lend(lenders: &[Lender], edition: &Edition, job: &Job, asks_for: impl Fn(Side) -> bool) -> Lent {
        first(lenders.iter().map(|lender| lender.lent(edition, job, &asks_for)))
    }

    fn lent(&self, edition: &Edition, job: &Job, asks_for: &impl Fn(Side) -> bool) -> Lent {
        let metrics = || serving(edition.metric());
        let own = metrics().map(|metric| self.own(edition, job, metric, asks_for));
        let flat = metrics().map(|metric| self.flat(job, metric));
        let syzygy = std::iter::once_with(|| self.syzygy(edition.metric(), job));
        first(own.chain(flat).chain(syzygy))
    }

    fn own(&self, edition: &Edition, job: &Job, metric: Metric, asks_for: &impl Fn(Side) -> bool) -> Lent {
        let files = TableFiles::new(Edition::new(&self.variant, metric), &self.folder);
        if !files.are_there(&job.name) {
            return Ok(None);
        }
        let shown = files.main_path(&job.name).display().to_string();
        let mut has_both = true;
        for &metric in files.edition().metrics() {
            let Ok(summary) = files.summary(&job.name, metric) else {
                return Err(format!("{shown} cannot be read"));
            };
            if !files.edition().is_current(&job.material, metric, &summary) {
                return Err(format!("{shown} is of other rules or another version"));
            }
            if let Some(left_out) = summary.left_out(job.is_one_sided()) {
                has_both = false;
                if asks_for(left_out) {
                    return Err(format!("{shown} has not {left_out} to move"));
                }
            }
        }
        let loan = self.loan(metric, Vec::new());
        // The name of a table that has no column of its own is made of both sides.
        if !has_both && loan.written_names(edition, &job.material).is_none() {
            return Err(format!(
                "{shown} has one side to move, and not the columns of all metrics beside it"
            ));
        }
        Ok(Some(loan))
    }

    fn loan(&self, metric: Metric, exchange: Vec<ExchangeFile>) -> Loan {
        Loan { folder: self.folder.clone(), metric, exchange }
    }

    fn flat(&self, job: &Job, metric: Metric) -> Lent {
        let Some(files) = self.exchange.get(&(job.name.clone(), metric, ExchangeKind::Flat)) else {
            return Ok(None);
        };
        // The one file of all squares of the pawns is enough.
        let of_all_squares = files.iter().filter(|file| file.has_all_squares()).cloned();
        let of_all_squares: Vec<ExchangeFile> = of_all_squares.collect();
        let files = if of_all_squares.is_empty() { files } else { &of_all_squares };
        let n_absent = files[0].n_absent(&self.variant, files);
        if n_absent > 0 {
            let (folder, n_files) = (self.folder.display(), files[0].n_files(&self.variant));
            let n_there = n_files - n_absent;
            return Err(format!("{folder} has {n_there} of its {n_files} flat files"));
        }
        Ok(Some(self.loan(metric, files.clone())))
    }

    fn syzygy(&self, metric: Metric, job: &Job) -> Lent {
        if !matches!(metric, Metric::Wdl | Metric::Dtz50) {
            return Ok(None);
        }
        let Some(files) = self.syzygy_files(metric, &job.name) else { return Ok(None) };
        if let Some(missing) = self.missing_beside(metric, job) {
            return Err(format!("{} is read with that of {missing}, which is not there", shown(&files)));
        }
        let rounded = files.iter().find(|file| !file.counts_plies().is_ok_and(|counts| counts));
        if let Some(rounded) = rounded {
            let file = rounded.path().display();
            return Err(format!("{file} cannot be read or rounds distances to moves"));
        }
        Ok(Some(self.loan(metric, files)))
    }

    /// The files that hold a table: who wins, and where distances are asked for those too.
    fn syzygy_files(&self, metric: Metric, name: &str) -> Option<Vec<ExchangeFile>> {
        let file = |metric| {
            let files = self.exchange.get(&(name.to_owned(), metric, ExchangeKind::Syzygy))?;
            files.first().cloned()
        };
        let mut files = vec![file(Metric::Wdl)?];
        if metric == Metric::Dtz50 {
            files.insert(0, file(Metric::Dtz50)?);
        }
        Some(files)
    }

    /// A table whose files are not there, and which a reader of Syzygy files asks when it is asked for a
    /// job's table: who wins is read with captures, distances with all moves.
    fn missing_beside(&self, metric: Metric, job: &Job) -> Option<String> {
        let is_read = |need: &&Need| {
            let is_capture = |reason: &Reason| !matches!(reason, Reason::Promotion { .. });
            !need.is_drawn && (metric != Metric::Wdl || need.reasons.iter().any(is_capture))
        };
        job.needs.iter().filter(is_read).find_map(|need| match self.syzygy_files(metric, &need.name) {
            None => Some(need.name.clone()),
            Some(_) => self.missing_beside(metric, &Job::alone(&self.variant, need.material.clone())),
        })
    }
}

/// The metrics whose tables hold what solving for a metric reads, the best first: who wins is in all of
/// them.
fn serving(metric: Metric) -> impl Iterator<Item = Metric> {
    let others = [Metric::Dtm, Metric::Dtz50, Metric::Dtz, Metric::Dtc].into_iter();
    std::iter::once(metric).chain(others.filter(move |_| metric == Metric::Wdl))
}

/// The first of some files, as people read it.
fn shown(files: &[ExchangeFile]) -> String {
    files.first().map_or_else(String::new, |file| file.path().display().to_string())
}

impl Loan {
    /// The folder that lends it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The metric of its files.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// How its files end: `.tsm`, `.tbl` or `.rtbw`.
    #[must_use]
    pub fn ending(&self) -> String {
        let Some(file) = self.exchange.first() else { return format!(".{}", format::EXTENSION) };
        let ending = file.path().extension().and_then(|ending| ending.to_str());
        format!(".{}", ending.unwrap_or_default())
    }

    /// The table with at least these sides to move, as solving a table of the edition reads it.
    ///
    /// # Errors
    /// A file is damaged or cannot be read.
    pub fn read(
        &self,
        edition: &Edition,
        material: &Material,
        sides: &[Side],
    ) -> Result<Table, LibraryError> {
        let variant = edition.variant();
        let table = match self.exchange.first() {
            None => {
                let files = TableFiles::new(Edition::new(variant, self.metric), &self.folder);
                let name = material.name(variant);
                let kept = files.kept_sides(&name)?;
                let read: Vec<Side> = kept.into_iter().filter(|side| sides.contains(side)).collect();
                files.read_sides(&name, &read)?
            }
            Some(first) => {
                // Damage to a flat file is seen by its checksum alone.
                self.exchange.iter().try_for_each(|file| file.check(variant).map(drop))?;
                let tables = ExchangeTables::open(variant, first)?;
                compact(&tables.read(material, &|_, _| ())?, self.metric)
            }
        };
        Ok(if edition.metric() == Metric::Wdl { table.to_wdl() } else { table })
    }

    /// Which values the table has, under the names that its files have in an edition.
    ///
    /// # Errors
    /// A file is damaged or cannot be read.
    pub fn names(
        &self,
        edition: &Edition,
        material: &Material,
        table: &Table,
    ) -> Result<Vec<Checksum>, LibraryError> {
        if let Some(names) = self.written_names(edition, material) {
            return Ok(names);
        }
        let both;
        let table = match table.sides().count() == table.layout().sides().len() {
            true => table,
            false => {
                both = self.read(edition, material, &Side::BOTH)?;
                &both
            }
        };
        let name = |&metric: &Metric| TableWriter::new(edition.variant()).column(metric).name_of(table);
        Ok(edition.metrics().iter().map(name).collect::<Result<_, FormatError>>()?)
    }

    /// The names as its files say them, if there is one for every metric of the edition.
    fn written_names(&self, edition: &Edition, material: &Material) -> Option<Vec<Checksum>> {
        if !self.exchange.is_empty() || self.metric != edition.metric() {
            return None;
        }
        let files = TableFiles::new(edition.clone(), &self.folder);
        let name = material.name(edition.variant());
        let content = |&metric: &Metric| {
            let summary = files.summary(&name, metric).ok()?;
            edition.is_current(material, metric, &summary).then(|| summary.table_content())
        };
        edition.metrics().iter().map(content).collect()
    }
}

/// A table in codes of one byte, where a solver gives it such codes.
fn compact(table: &Table, metric: Metric) -> Table {
    let narrow = |codes: &Codes| {
        let [win, loss] = codes.as_ref().longest();
        codes.as_ref().recoded(Coding::of(metric, win, loss)).filter(|codes| !codes.is_wide())
    };
    let sides = Side::BOTH.map(|stm| table.codes(stm));
    let narrowed = sides.map(|codes| codes.map(narrow));
    // Both sides have codes of the same width.
    match narrowed.iter().flatten().all(Option::is_some) {
        true => Table::with_sides(table.layout().clone(), narrowed.map(Option::flatten)),
        false => table.clone(),
    }
}

/// The tables of some folders, as structures of one metric read them.
///
/// To a structure a table serves if it has both sides to move, because a structure's men may have either
/// colours. Our own files are read slice by slice, others as a whole. A caller who asks for positions alone
/// takes files of one side to move, too.
#[derive(Debug)]
pub struct LentTables {
    edition: Edition,
    lenders: Vec<Lender>,
    /// Whether tables with one side to move serve, too.
    is_one_side_enough: bool,
    /// By canonical material: the table, if it serves.
    loans: Mutex<HashMap<Material, Option<Loan>>>,
    /// Those that were read as a whole.
    whole: Mutex<HashMap<Material, Arc<Table>>>,
    /// By folder and metric of its files.
    tablebases: Mutex<HashMap<(PathBuf, Metric), Arc<Tablebase>>>,
    /// Which tables are there and do not serve, and why not.
    unfit: Mutex<Vec<String>>,
}

/// How many bytes of decompressed blocks each folder keeps.
const CACHE_BYTES: usize = 256 << 20;

impl LentTables {
    /// The tables of these folders, the first one asked first, as structures need them.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn new(variant: &Variant, metric: Metric, folders: &[PathBuf]) -> Result<Self, LibraryError> {
        let lenders = folders.iter().map(|folder| Lender::new(folder, variant));
        Ok(LentTables {
            edition: Edition::new(variant, metric),
            lenders: lenders.collect::<Result<_, _>>()?,
            is_one_side_enough: false,
            loans: Mutex::default(),
            whole: Mutex::default(),
            tablebases: Mutex::default(),
            unfit: Mutex::default(),
        })
    }

    /// Like [`Self::new`], for a caller who asks for the values of positions alone.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn for_positions(
        variant: &Variant,
        metric: Metric,
        folders: &[PathBuf],
    ) -> Result<Self, LibraryError> {
        Ok(LentTables { is_one_side_enough: true, ..LentTables::new(variant, metric, folders)? })
    }

    /// Whether the table of a canonical material is there in a form that serves.
    #[must_use]
    pub fn has_table(&self, material: &Material) -> bool {
        self.loan(material).is_some()
    }

    /// The tables that were asked for, are there, and do not serve, each with the reason.
    #[must_use]
    pub fn unfit(&self) -> Vec<String> {
        self.unfit.lock().clone()
    }

    /// The table of a canonical material, from the first folder that has it in a form that serves.
    fn loan(&self, material: &Material) -> Option<Loan> {
        if let Some(loan) = self.loans.lock().get(material) {
            return loan.clone();
        }
        let job = Job::alone(self.edition.variant(), material.clone());
        let lent = Lender::lend(&self.lenders, &self.edition, &job, |_| !self.is_one_side_enough);
        let loan = lent.unwrap_or_else(|why| {
            self.unfit.lock().push(why);
            None
        });
        self.loans.lock().insert(material.clone(), loan.clone());
        loan
    }

    fn tablebase(&self, loan: &Loan) -> Result<Arc<Tablebase>, ProbeError> {
        let key = (loan.folder().to_path_buf(), loan.metric());
        if let Some(tables) = self.tablebases.lock().get(&key) {
            return Ok(tables.clone());
        }
        let variant = self.edition.variant();
        let tables =
            Arc::new(Tablebase::open_with(&[loan.folder().into()], variant, loan.metric(), CACHE_BYTES)?);
        self.tablebases.lock().insert(key, tables.clone());
        Ok(tables)
    }
}

impl TableSource for LentTables {
    fn has(&self, material: &Material) -> bool {
        self.has_table(material)
    }

    fn slices(&self, material: &Material) -> io::Result<Arc<dyn SliceSource>> {
        let name = material.name(self.edition.variant());
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("{name} is not there"));
        let loan = self.loan(material).ok_or_else(missing)?;
        if loan.exchange.is_empty() {
            let files = TableFiles::new(Edition::new(self.edition.variant(), loan.metric()), loan.folder());
            return Ok(Arc::new(files.slices(&name).map_err(io::Error::other)?));
        }
        if let Some(table) = self.whole.lock().get(material) {
            return Ok(table.clone());
        }
        let table = loan.read(&self.edition, material, &Side::BOTH).map_err(io::Error::other)?;
        let table = Arc::new(table);
        self.whole.lock().insert(material.clone(), table.clone());
        Ok(table)
    }
}

impl PositionValues for LentTables {
    fn value(&self, position: &Position) -> io::Result<Option<Value>> {
        let variant = self.edition.variant();
        let material = position.material().canonical(variant);
        let Some(loan) = self.loan(&material) else { return Ok(None) };
        let tables = self.tablebase(&loan).map_err(io::Error::other)?;
        let value = match tables.table_value(position) {
            Err(ProbeError::Missing(_)) => return Ok(None),
            value => value.map_err(io::Error::other)?,
        };
        Ok(Some(if self.edition.metric() == Metric::Wdl { value.without_distance() } else { value }))
    }

    fn files(&self, name: &str) -> Vec<PathBuf> {
        self.lenders.iter().map(|lender| lender.folder.join(name)).filter(|path| path.is_file()).collect()
    }
}
