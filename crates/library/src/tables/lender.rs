//! Lends a build tables from folders of others: our own files, flat files and Syzygy files. Nothing is
//! written there.
//!
//! A table serves if it holds what the metric reads of it: who wins for `wdl`, the very distances otherwise.
//! It gets the name, a checksum, that our file of it would have, so that a table that is made from it has
//! the same bytes as one that is made from ours.

use super::exchange::ExchangeTables;
use crate::files::is_current;
use crate::folder::exchange_files;
use crate::scope::scope_of;
use crate::{Edition, LibraryError, TableFiles};
use format::{Checksum, FormatError, Summary, TableWriter};
use plan::{Job, Need};
use probe::{ExchangeFile, ExchangeKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use table::{Code, Codes, Coding, Ply, Table, Value};
use variant::exit::{Reason, TablePart};
use variant::{Material, Metric, Side, Variant};

/// A folder whose tables may be used.
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
    form: Form,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Our own files.
    Own,
    /// Flat or Syzygy files.
    Exchange(Vec<ExchangeFile>),
}

/// Whether a folder lends a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lent {
    /// It lends it so.
    Yes(Loan),
    /// It has the table in a form that does not serve: why.
    Unfit(String),
    /// It has no such table.
    No,
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

    /// The table of a job, if the folder has it with these sides to move in a form that serves an edition.
    pub fn lend(&self, edition: &Edition, job: &Job, asks_for: impl Fn(Side) -> bool) -> Lent {
        let mut unfit = None;
        let mut keep = |lent: Lent| match lent {
            Lent::Yes(_) => Some(lent),
            Lent::Unfit(why) => {
                unfit.get_or_insert(why);
                None
            }
            Lent::No => None,
        };
        let metrics = || serving(edition.metric());
        let own = metrics().find_map(|metric| keep(self.own(edition, job, metric, &asks_for)));
        let found = own.or_else(|| metrics().find_map(|metric| keep(self.flat(job, metric))));
        let found = found.or_else(|| keep(self.syzygy(edition.metric(), job)));
        found.unwrap_or_else(|| unfit.map_or(Lent::No, Lent::Unfit))
    }

    fn own(&self, edition: &Edition, job: &Job, metric: Metric, asks_for: &impl Fn(Side) -> bool) -> Lent {
        let files = TableFiles::new(Edition::new(&self.variant, metric), &self.folder);
        if !files.are_there(&job.name) {
            return Lent::No;
        }
        let shown = files.main_path(&job.name).display().to_string();
        let mut has_both = true;
        for &metric in files.edition().metrics() {
            let Ok(summary) = Summary::read(&files.path(&job.name, metric)) else {
                return Lent::Unfit(format!("{shown} cannot be read"));
            };
            let is_of_metric = summary.metric == metric.name();
            if !is_of_metric || !is_current(&self.variant, &job.material, metric, &summary) {
                return Lent::Unfit(format!("{shown} is of other rules or another version"));
            }
            if let Some(left_out) = summary.left_out(job.is_one_sided()) {
                has_both = false;
                if asks_for(left_out) {
                    return Lent::Unfit(format!("{shown} has not {left_out} to move"));
                }
            }
        }
        let loan = Loan { folder: self.folder.clone(), metric, form: Form::Own };
        // The name of a table that has no file of its own is made of both sides.
        if !has_both && loan.written_names(edition, &job.name).is_none() {
            return Lent::Unfit(format!(
                "{shown} has one side to move, and no file of every metric is beside it"
            ));
        }
        Lent::Yes(loan)
    }

    fn flat(&self, job: &Job, metric: Metric) -> Lent {
        let Some(files) = self.exchange.get(&(job.name.clone(), metric, ExchangeKind::Flat)) else {
            return Lent::No;
        };
        // The one file of all squares of the pawns is enough.
        let of_all_squares = files.iter().filter(|file| file.has_all_squares()).cloned();
        let of_all_squares: Vec<ExchangeFile> = of_all_squares.collect();
        let files = if of_all_squares.is_empty() { files } else { &of_all_squares };
        let n_absent = files[0].n_absent(&self.variant, files);
        if n_absent > 0 {
            let (folder, n_files) = (self.folder.display(), files[0].n_files(&self.variant));
            let n_there = n_files - n_absent;
            return Lent::Unfit(format!("{folder} has {n_there} of its {n_files} flat files"));
        }
        Lent::Yes(Loan { folder: self.folder.clone(), metric, form: Form::Exchange(files.clone()) })
    }

    fn syzygy(&self, metric: Metric, job: &Job) -> Lent {
        if !matches!(metric, Metric::Wdl | Metric::Dtz50) {
            return Lent::No;
        }
        let Some(files) = self.syzygy_files(metric, &job.name) else { return Lent::No };
        if let Some(missing) = self.missing_beside(metric, job) {
            return Lent::Unfit(format!(
                "{} is read with that of {missing}, which is not there",
                shown(&files)
            ));
        }
        let rounded = files.iter().find(|file| !file.counts_plies().is_ok_and(|counts| counts));
        if let Some(rounded) = rounded {
            let file = rounded.path().display();
            return Lent::Unfit(format!("{file} cannot be read or rounds distances to moves"));
        }
        let form = Form::Exchange(files);
        Lent::Yes(Loan { folder: self.folder.clone(), metric, form })
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

    /// What its files are.
    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// How its files end: `.tsm`, `.tbl` or `.rtbw`.
    #[must_use]
    pub fn ending(&self) -> String {
        let ending = match &self.form {
            Form::Own => Some(format::EXTENSION),
            Form::Exchange(files) => {
                files.first().and_then(|file| file.path().extension()).and_then(|ending| ending.to_str())
            }
        };
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
        let table = match &self.form {
            Form::Own => {
                let files = TableFiles::new(Edition::new(variant, self.metric), &self.folder);
                let name = material.name(variant);
                let kept = files.kept_sides(&name)?;
                let read: Vec<Side> = kept.into_iter().filter(|side| sides.contains(side)).collect();
                files.read_sides(&name, &read)?
            }
            Form::Exchange(files) => {
                // Damage to a flat file is seen by its checksum alone.
                files.iter().try_for_each(|file| file.check(variant).map(drop))?;
                let Some(first) = files.first() else {
                    return Err(LibraryError::Missing { material: material.name(variant) });
                };
                let tables = ExchangeTables::open(variant, first)?;
                compact(&tables.read(material, &|_, _| ())?, self.metric)
            }
        };
        Ok(if edition.metric() == Metric::Wdl { table.to_wdl() } else { table })
    }

    /// The part of it that a job reads.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_part(
        &self,
        edition: &Edition,
        material: &Material,
        part: &TablePart,
    ) -> Result<Table, LibraryError> {
        let whole = self.read(edition, material, &[Table::side_of_part_with(part.man)])?;
        Ok(scope_of(whole.layout(), part).and_then(|scope| whole.part(&scope)).unwrap_or(whole))
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
        if let Some(names) = self.written_names(edition, &material.name(edition.variant())) {
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
        let name = |&metric: &Metric| TableWriter::new(edition.variant()).metric(metric).name_of(table);
        Ok(edition.metrics().iter().map(name).collect::<Result<_, FormatError>>()?)
    }

    /// The same as its files say, if there is one for every metric of the edition.
    fn written_names(&self, edition: &Edition, name: &str) -> Option<Vec<Checksum>> {
        if self.form != Form::Own || self.metric != edition.metric() {
            return None;
        }
        let files = TableFiles::new(edition.clone(), &self.folder);
        let material = Material::parse(edition.variant(), name).ok()?;
        let content = |&metric: &Metric| {
            let summary = Summary::read(&files.path(name, metric)).ok()?;
            let is_current = is_current(edition.variant(), &material, metric, &summary);
            is_current.then(|| summary.table_content())
        };
        edition.metrics().iter().map(content).collect()
    }
}

/// The same table in codes of one byte, where a solver gives it such codes.
fn compact(table: &Table, metric: Metric) -> Table {
    let narrow = |codes: &Codes| {
        let values = || (0..codes.len()).map(|index| codes.value(index));
        let longest = |is_of: fn(&Value) -> bool| values().filter(is_of).filter_map(Value::ply).max();
        let win = longest(|value| matches!(value, Value::Win(_))).unwrap_or(Ply(0));
        let loss = longest(|value| matches!(value, Value::Loss(_))).unwrap_or(Ply(0));
        let coding = Coding::of_one_byte(metric, win, loss)?;
        let codes = values().map(|value| u8::from_value_under(metric, value)).collect::<Option<Vec<u8>>>()?;
        Some(match coding {
            Coding::Split((), split) => Codes::Split(codes, split),
            _ => Codes::Narrow(codes),
        })
    };
    let sides = Side::BOTH.map(|stm| table.codes(stm));
    let narrowed = sides.map(|codes| codes.map(narrow));
    // Both sides have codes of the same width.
    match narrowed.iter().flatten().all(Option::is_some) {
        true => Table::with_sides(table.layout().clone(), narrowed.map(Option::flatten)),
        false => table.clone(),
    }
}
