//! Verifies flat and Syzygy files: checksums and blocks, then values against those that moves lead to.
//!
//! A flat file is asked by the squares of the men, and a Syzygy file gives a value after the captures were
//! made, half of its distances after every move was. So a sample is derived again at any number of men. Its
//! successors must be in the same folder; without them the checksum is all that can be compared, and the
//! verdict says so.

use super::sample::{N_DISTANCES, N_EXCHANGE};
use super::verdict::Verdict;
use crate::Failure;
use crate::args::VerifyArgs;
use crate::exchange::missing_text;
use crate::game::Game;
use crate::progress::Watch;
use ::probe::{CheckedExchange, ExchangeFile, ExchangeKind, ProbeError};
use library::figure::plural;
use library::{ExchangeTables, LibraryError};
use proof::{Report, Sample};
use rayon::ThreadPool;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use variant::Metric;

/// The files of a table in one format: one, or of flat files one for each way in which pawns can stand.
pub(super) struct ExchangeJob {
    name: String,
    files: Vec<ExchangeFile>,
    /// How many files of the table are not among them.
    n_absent: usize,
}

/// Verifies flat and Syzygy files of a folder.
pub(super) struct ExchangeVerifier<'a> {
    pub(super) game: &'a Game,
    pub(super) pool: &'a ThreadPool,
    pub(super) args: &'a VerifyArgs,
}

impl ExchangeVerifier<'_> {
    /// The tables that files hold and that are asked for, and what is wrong with the names of other files.
    pub(super) fn jobs(&self, paths: &[PathBuf]) -> Result<(Vec<ExchangeJob>, Vec<Verdict>), Failure> {
        let variant = &self.game.variant;
        let only = self.args.wanted.table.as_ref().map(|name| self.game.material(name)).transpose()?;
        let (mut tables, mut strays) = (BTreeMap::<_, Vec<ExchangeFile>>::new(), Vec::new());
        for path in paths {
            match ExchangeFile::new(path, variant) {
                Ok(file) => {
                    let key = (file.material().clone(), file.kind(), file.metric());
                    tables.entry(key).or_default().push(file);
                }
                Err(error) => strays.push(Verdict::of_stray(path, format!("not verified: {error}"))),
            }
        }
        tables.retain(|(material, _, _), _| self.args.wanted.has(material, only.as_ref()));
        if self.args.wanted.men.is_some() || only.is_some() {
            // Somebody who asks for certain tables does not ask for the rest.
            strays.clear();
        }
        let job = |files: Vec<ExchangeFile>| {
            let n_absent = files[0].n_files(variant).saturating_sub(files.len());
            let name = match &files[..] {
                [file] => file.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
                [first, ..] => {
                    let (table, metric) = (first.material().name(variant), first.metric());
                    format!("{table} ({} flat files of {metric})", files.len())
                }
                [] => String::new(),
            };
            ExchangeJob { name, files, n_absent }
        };
        Ok((tables.into_values().map(job).collect(), strays))
    }

    /// How many values are derived again, roughly.
    pub(super) fn n_to_check(&self, job: &ExchangeJob) -> u64 {
        match self.sample(&job.files[0]) {
            Sample::Placements(n_placements) | Sample::Random { n_placements, .. } => n_placements,
            Sample::All => 64_u64.saturating_pow(job.files[0].material().n_men() as u32 - 1),
        }
    }

    pub(super) fn verdict(&self, job: &ExchangeJob, watch: &Watch<'_>) -> Verdict {
        let begin = Instant::now();
        let watching = watch.begin(&job.name, self.n_to_check(job));
        let checked = self.check_files(job);
        let (mut values, mut report, mut note) = (0, Report::default(), None);
        let message = match checked {
            Err(message) => Some(message),
            Ok(checked) => {
                values = checked.n_values;
                let progress = |done, total| watching.show(done as u64, total as u64);
                let derived = self.pool.install(|| self.derive(job, checked.counts_plies, &progress));
                if !checked.has_checksum {
                    note = Some("it has no checksum".into());
                }
                match derived {
                    Ok(derived) => {
                        report = derived;
                        let first = report.differences.first().map_or_else(String::new, ToString::to_string);
                        let n_wrong = plural(report.n_differences, "wrong value");
                        (!report.is_clean()).then(|| format!("{n_wrong}, the first at {first}"))
                    }
                    Err(Underived::Because(reason)) => {
                        let reason = format!("values not derived again: {reason}");
                        note = Some(note.map_or(reason.clone(), |note: String| format!("{note}, {reason}")));
                        None
                    }
                    Err(Underived::Failed(message)) => Some(message),
                }
            }
        };
        watching.finish_silently();
        Verdict {
            table: job.name.clone(),
            ok: message.is_none(),
            message,
            note,
            values,
            positions: report.n_positions,
            successors: report.n_successors,
            time: begin.elapsed(),
        }
    }

    /// Compares the checksums of all files; what is wrong with the first that is damaged.
    fn check_files(&self, job: &ExchangeJob) -> Result<CheckedExchange, String> {
        let mut all = CheckedExchange { n_values: 0, has_checksum: true, counts_plies: true };
        let mut errors = Vec::new();
        for file in &job.files {
            match file.check(&self.game.variant) {
                Ok(own) => {
                    all.n_values += own.n_values;
                    all.has_checksum &= own.has_checksum;
                    all.counts_plies &= own.counts_plies;
                }
                Err(error) => errors.push(error.to_string()),
            }
        }
        match &errors[..] {
            [] => Ok(all),
            [error] => Err(error.clone()),
            [first, ..] => Err(format!("{} files are damaged, the first: {first}", errors.len())),
        }
    }

    /// Derives the values of a table again, if all of its files are there.
    fn derive(
        &self,
        job: &ExchangeJob,
        counts_plies: bool,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Report, Underived> {
        let (variant, first) = (&self.game.variant, &job.files[0]);
        if job.n_absent > 0 {
            let (n, table) = (plural(job.n_absent as u64, "other file"), first.material().name(variant));
            return Err(Underived::Because(format!("{n} of {table} would be needed too")));
        }
        let folder = first.path().parent().unwrap_or(Path::new(""));
        let tables = ExchangeTables::open(folder, variant, first.metric(), first.kind());
        let tables = tables.map_err(|error| Underived::Failed(error.to_string()))?;
        let verified = tables.verify(first.material(), counts_plies, self.sample(first), progress);
        verified.map_err(|error| match error {
            LibraryError::Probe(ProbeError::Missing(missing)) => {
                Underived::Because(missing_text(first.kind(), &missing))
            }
            LibraryError::Unreadable { .. } => Underived::Failed(
                "not verified: a move leads to a position that the files call illegal; one of them is damaged".into(),
            ),
            error => Underived::Failed(error.to_string()),
        })
    }

    /// Which of a table's values are derived again.
    fn sample(&self, file: &ExchangeFile) -> Sample {
        match (self.args.sample, file.kind(), file.metric()) {
            (Some(n_placements), _, _) => Sample::Placements(n_placements),
            _ if self.args.all => Sample::All,
            (None, ExchangeKind::Syzygy, Metric::Dtz50) => Sample::Placements(N_DISTANCES),
            _ => Sample::Placements(N_EXCHANGE),
        }
    }
}

/// Why values were not derived again.
enum Underived {
    /// Something is not there, and that is no fault of the file.
    Because(String),
    /// Something is wrong.
    Failed(String),
}
