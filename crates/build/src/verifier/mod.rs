//! Verifies the tables of a folder: checksums, then values against those that moves lead to.

mod exchange;
mod stray;

pub use exchange::{DamagedFiles, ExchangeSet, NotDerived};
use library::{CheckedTables, LibraryError, TableFiles};
use plan::Job;
use proof::{Find, Report, Sample, Values, VerifyError, VerifyOptions};
use std::sync::Arc;
pub use stray::{StrayFile, metrics_of};
use variant::{Metric, Side};

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
    /// A verifier of these files, which reads tables of up to so many men whole.
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

    /// Verifies a table, on the threads of whoever calls; `progress` gets how many placements of how many
    /// are done.
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
        let unreadable = || LibraryError::Unreadable { material: job.name.clone() };
        if let Some(counted) = self.counted(job, &*values) {
            let checked = proof::verify_wdl(variant, &*values, &*counted, sample, progress);
            return checked.map_err(|_| self.counted.take_error().unwrap_or_else(unreadable));
        }
        self.check_needs(job)?;
        let winner = edition.winner_of(&job.name);
        let options = VerifyOptions { sample, progress, winner, ..VerifyOptions::new(metric) };
        let checked = proof::verify(variant, &*values, &self.tables, &options);
        checked.map_err(|error| match (self.tables.take_error(), error) {
            (Some(error), _) => error,
            (None, VerifyError::Missing(missing)) => {
                LibraryError::Missing { material: missing.material.name(variant) }
            }
            (None, _) => unreadable(),
        })
    }

    /// A table with distances, which alone prove who wins, to compare one without with.
    fn counted(&self, job: &Job, values: &dyn Values) -> Option<Arc<dyn Values>> {
        let is_needed = self.files().edition().metric() == Metric::Wdl;
        if !is_needed || !self.counted.files().main_path(&job.name).exists() {
            return None;
        }
        let counted = self.counted.find(&job.material)?;
        Side::BOTH.into_iter().all(|stm| !values.keeps(stm) || counted.keeps(stm)).then_some(counted)
    }

    /// Fails if tables that a table needs have no file.
    fn check_needs(&self, job: &Job) -> Result<(), LibraryError> {
        let is_missing = |name: &str| !self.files().main_path(name).exists();
        let missing = job.needs.iter().filter(|need| !need.is_drawn && is_missing(&need.name));
        let needed: Vec<String> = missing.map(|need| need.name.clone()).collect();
        if needed.is_empty() {
            return Ok(());
        }
        let metric = self.files().edition().metric();
        Err(LibraryError::SuccessorsNotBuilt { material: job.name.clone(), needed, metric })
    }
}
