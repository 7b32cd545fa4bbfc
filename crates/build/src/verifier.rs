//! Verifies the tables of a folder: checksums, then values against those that moves lead to.

use crate::clock_identities;
use format::parse_file_name;
use library::{
    CheckedTables, ExchangeTables, LibraryError, TableColumn, TableFiles, columns_of_table, misnamed,
};
use plan::{Job, Plan, Request};
use probe::{CheckedExchange, ExchangeFile, ExchangeKind, ProbeError};
use proof::{Find, Report, Sample, Values, VerifyOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variant::{Material, Metric, Side, Variant};

/// Verifies the tables of an edition.
///
/// Alone a table of `wdl` shows no more than that it is consistent, so it is compared with the plies to mate
/// where their file is there.
#[derive(Debug)]
pub struct Verifier {
    tables: CheckedTables,
    /// Plies to mate, for what holds no distance.
    counted: CheckedTables,
}

impl Verifier {
    /// A verifier of these files, which reads tables of up to this many men whole.
    #[must_use]
    pub fn new(files: TableFiles, max_men_whole: usize) -> Self {
        let mate = files.edition().under(Metric::Dtm);
        let counted = CheckedTables::new(TableFiles::new(mate, files.folder()), max_men_whole);
        Verifier { tables: CheckedTables::new(files, max_men_whole), counted }
    }

    /// The files.
    #[must_use]
    pub fn files(&self) -> &TableFiles {
        self.tables.files()
    }

    /// Verifies a table, on the caller's threads; `progress` gets how many placements of how many are done.
    ///
    /// # Errors
    /// A file is missing or damaged; that values are wrong is no error, but in the report.
    pub fn verify(
        &self,
        job: &Job,
        sample: Sample,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Report, LibraryError> {
        let edition = self.files().edition();
        let (variant, metric) = (edition.variant(), edition.metric());
        let values = self.tables.checked(&job.material)?;
        if let Some(counted) = self.counted(job, &*values) {
            let checked = proof::verify_wdl(variant, &*values, &*counted, sample, progress);
            return checked.map_err(|error| self.counted.explain(&job.material, error));
        }
        self.check_needs(job)?;
        let winner = edition.winner_of(&job.name);
        // Other tables of these men know the same games at some of the clocks. Of a sample all
        // values are compared for which the others have the side to move: that takes seconds.
        let is_compared = metric == Metric::Dtm50 && clock_identities::has_others(self.files(), &job.name);
        let n_passes = 1 + usize::from(is_compared);
        let first = |done: usize, all: usize| progress(done, n_passes * all);
        let options = VerifyOptions { sample, progress: &first, winner, ..VerifyOptions::new(metric) };
        let checked = proof::verify(variant, &*values, &self.tables, &options);
        let report = checked.map_err(|error| self.tables.explain(&job.material, error))?;
        if !is_compared {
            return Ok(report);
        }
        let derives = sample == Sample::All;
        let second = |done: usize, all: usize| progress(all + done, n_passes * all);
        Ok(report.joined(clock_identities::compare(self.files(), &job.name, derives, &second)?))
    }

    /// A table with distances, which alone prove who wins, to compare one without with.
    fn counted(&self, job: &Job, values: &dyn Values) -> Option<Arc<dyn Values>> {
        let is_needed = self.files().edition().metric() == Metric::Wdl;
        if !is_needed || !self.counted.files().are_there(&job.name) {
            return None;
        }
        let counted = self.counted.find(&job.material)?;
        Side::BOTH.into_iter().all(|stm| !values.keeps(stm) || counted.keeps(stm)).then_some(counted)
    }

    /// Fails if tables that a table needs have no file.
    fn check_needs(&self, job: &Job) -> Result<(), LibraryError> {
        let (files, metric) = (self.files(), self.files().edition().metric());
        let is_missing = |name: &str| !files.is_there(name, metric);
        let missing = job.needs.iter().filter(|need| !need.is_drawn && is_missing(&need.name));
        let needed: Vec<String> = missing.map(|need| need.name.clone()).collect();
        if needed.is_empty() {
            return Ok(());
        }
        Err(LibraryError::SuccessorsNotBuilt { material: job.name.clone(), needed, metric })
    }
}

/// The files of a table in one format: one, or of flat files one for each way in which pawns can
/// stand, or its mirror image. The one flat file of all squares of the pawns is a set of its own.
///
/// A flat file is asked by the squares of the men, and a Syzygy file gives a value after the captures were
/// made, half of its distances after every move was. So a sample is derived again at any number of men. Its
/// successors must be in the same folder; without them the checksum is all that can be compared.
#[derive(Clone, Debug)]
pub struct ExchangeSet {
    /// At least one.
    files: Vec<ExchangeFile>,
    /// How many files of the table are not among them.
    n_absent: usize,
}

/// Why the values of a table were not derived again, and that is no fault of its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotDerived {
    /// Results under the n-move rule follow from distances, which such files do not have.
    ResultsOnly,
    /// This many other files of the table would be needed too.
    Absent(usize),
    /// A table that moves lead to is not in the folder.
    Missing(probe::MissingTable),
}

/// Files of a table that are damaged: what is wrong with the first, and how many there are.
#[derive(Debug)]
pub struct DamagedFiles {
    /// What is wrong with the first of them.
    pub first: ProbeError,
    /// How many are damaged.
    pub n_files: usize,
}

impl ExchangeSet {
    /// The tables of these files that are asked for, and what is wrong with the names of other files.
    #[must_use]
    pub fn of_files(
        variant: &Variant,
        paths: &[PathBuf],
        is_asked: &dyn Fn(&Material) -> bool,
    ) -> (Vec<Self>, Vec<StrayFile>) {
        let (mut tables, mut strays) = (BTreeMap::<_, Vec<ExchangeFile>>::new(), Vec::new());
        for path in paths {
            match ExchangeFile::new(path, variant) {
                Ok(file) => {
                    let is = (file.has_results_only(), file.has_all_squares());
                    let key = (file.material().clone(), file.kind(), file.metric(), is);
                    tables.entry(key).or_default().push(file);
                }
                Err(error) => {
                    let reason = misspelt(variant, path).unwrap_or(error);
                    strays.push(StrayFile { path: path.clone(), reason });
                }
            }
        }
        tables.retain(|(material, ..), _| is_asked(material));
        let set = |files: Vec<ExchangeFile>| {
            let n_absent = files.first()?.n_absent(variant, &files);
            Some(ExchangeSet { files, n_absent })
        };
        (tables.into_values().filter_map(set).collect(), strays)
    }

    /// The files, at least one.
    #[must_use]
    pub fn files(&self) -> &[ExchangeFile] {
        &self.files
    }

    /// The table.
    #[must_use]
    pub fn material(&self) -> &Material {
        self.files[0].material()
    }

    /// Their format.
    #[must_use]
    pub fn kind(&self) -> ExchangeKind {
        self.files[0].kind()
    }

    /// What they hold.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.files[0].metric()
    }

    /// Compares the checksums of all files, and decodes every block.
    ///
    /// # Errors
    /// Some of them are damaged.
    pub fn check(&self, variant: &Variant) -> Result<CheckedExchange, DamagedFiles> {
        let mut all = CheckedExchange { n_values: 0, has_checksum: true, counts_plies: true };
        let (mut first, mut n_files) = (None, 0);
        for file in &self.files {
            match file.check(variant) {
                Ok(own) => {
                    all.n_values += own.n_values;
                    all.has_checksum &= own.has_checksum;
                    all.counts_plies &= own.counts_plies;
                }
                Err(error) => {
                    n_files += 1;
                    first.get_or_insert(error);
                }
            }
        }
        first.map_or(Ok(all), |first| Err(DamagedFiles { first, n_files }))
    }

    /// Derives the values of the table again, on the caller's threads, if all that it takes is there.
    /// `counts_plies` and `progress` are those of [`ExchangeTables::verify`].
    ///
    /// # Errors
    /// A file that is needed is damaged; that values are wrong is no error, but in the report.
    pub fn derive(
        &self,
        variant: &Variant,
        counts_plies: bool,
        sample: Sample,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Result<Report, NotDerived>, LibraryError> {
        if self.files[0].has_results_only() {
            return Ok(Err(NotDerived::ResultsOnly));
        }
        if self.n_absent > 0 {
            return Ok(Err(NotDerived::Absent(self.n_absent)));
        }
        let tables = ExchangeTables::open(variant, &self.files[0])?;
        match tables.verify(self.material(), counts_plies, sample, progress) {
            Ok(report) => Ok(Ok(report)),
            Err(LibraryError::Probe(ProbeError::Missing(missing))) => Ok(Err(NotDerived::Missing(missing))),
            Err(error) => Err(error),
        }
    }
}

/// A file whose name is that of no table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrayFile {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with its name.
    pub reason: String,
}

impl Verifier {
    /// The jobs of these tables, in the order of a plan, so that tables that are needed again are close to
    /// each other.
    ///
    /// # Errors
    /// There is no plan for this many men.
    pub fn jobs(&self, materials: &BTreeSet<Material>) -> Result<Vec<Job>, LibraryError> {
        let n_men = materials.iter().map(Material::n_men).max().unwrap_or(2);
        let plan = Plan::new(self.files().edition().variant(), &Request::UpTo(n_men))?;
        Ok(plan.jobs().filter(|job| materials.contains(&job.material)).cloned().collect())
    }
}

/// The columns of these files by the materials of their names; and what is wrong with the names of other
/// files. A file that cannot be read is listed with the game's own metric: a verification of that says what
/// is wrong.
#[must_use]
pub fn tables_of(variant: &Variant, files: &[PathBuf]) -> (Vec<TableColumn>, Vec<StrayFile>) {
    let (mut columns, mut strays) = (Vec::new(), Vec::new());
    for path in files {
        let name = path.file_name().and_then(|name| parse_file_name(name.to_str()?));
        let material = name.map(|name| Material::parse(variant, name).map_err(|error| error.to_string()));
        let no_name = || Err("a table's file is called after its men alone, such as KQvK.tsm".into());
        let reason = match material.unwrap_or_else(no_name) {
            Ok(material) if material.n_men() > index::MAX_MEN => {
                format!("{} men, at most {}", material.n_men(), index::MAX_MEN)
            }
            Ok(material) => match columns_of_table(path, &material, variant) {
                own if own.is_empty() => "no table has this name".into(),
                own => {
                    let of = |column| TableColumn { path: path.clone(), material: material.clone(), column };
                    columns.extend(own.into_iter().map(of));
                    continue;
                }
            },
            // The other tables are checked all the same.
            Err(error) => misspelt(variant, path).unwrap_or(error),
        };
        strays.push(StrayFile { path: path.clone(), reason });
    }
    (columns, strays)
}

/// What is wrong with a file whose name is that of a table in other letters.
fn misspelt(variant: &Variant, file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?.split('.').next()?;
    let material = Material::from_typed(variant, name).ok()?.name(variant);
    let proper = misnamed(file, &material)?;
    Some(format!("names of tables are exact; rename it to {proper}"))
}

#[cfg(test)]
mod tests {
    use crate::{Verifier, tables_of};
    use library::{Edition, TableFiles};
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};
    use variant::{Metric, Variant};

    #[test]
    fn tables_come_in_the_order_of_a_plan_and_other_files_with_what_is_wrong() {
        let chess = Variant::chess();
        let name = |name: &str| PathBuf::from(name);
        let files = ["KRvK.tsm", "KQvKR.tsm", "KQvK.wdl.tsm", "KXvK.tsm", "KvKQ.tsm", "kbvk.tsm", "KNvK.TSM"];
        let files = files.map(name);
        let (columns, strays) = tables_of(&chess, &files);
        // What cannot be read is listed with the game's own metric.
        assert!(columns.iter().all(|own| own.column == Metric::Dtm.into()));
        let materials: BTreeSet<_> = columns.into_iter().map(|own| own.material).collect();
        let verifier =
            Verifier::new(TableFiles::new(Edition::new(&chess, Metric::Dtm), Path::new("nowhere")), 4);
        let jobs = verifier.jobs(&materials).expect("a plan");
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["KRvK", "KQvKR"]);
        for (path, name) in [(&files[5], "KBvK.tsm"), (&files[6], "KNvK.tsm")] {
            let stray = strays.iter().find(|stray| stray.path == *path).expect("it is a stray file");
            assert_eq!(stray.reason, format!("names of tables are exact; rename it to {name}"));
        }
        let strays: Vec<&Path> = strays.iter().map(|stray| stray.path.as_path()).collect();
        assert_eq!(strays, [&files[2], &files[3], &files[4], &files[5], &files[6]]);
    }
}
