//! Verifies the tables of one metric.

use super::sample::{MAX_MEN_IN_FULL, N_PLACEMENTS};
use super::verdict::Verdict;
use crate::Failure;
use crate::args::VerifyArgs;
use crate::game::Game;
use crate::progress::Watch;
use crate::remedy::solve_command;
use ::plan::Job;
use build::Verifier;
use format::winner_name;
use library::figure::plural;
use library::{Edition, LibraryError};
use proof::{Report, Sample};
use rayon::ThreadPool;
use std::path::{Path, PathBuf};
use std::time::Instant;
use variant::Material;

/// Verifies the tables of a folder under one metric that somebody asks for.
pub(super) struct EditionVerifier<'a> {
    pub(super) game: &'a Game,
    /// How the program is called.
    pub(super) program: &'a str,
    pub(super) pool: &'a ThreadPool,
    pub(super) verifier: Verifier,
    pub(super) args: &'a VerifyArgs,
}

impl EditionVerifier<'_> {
    pub(super) fn edition(&self) -> &Edition {
        self.verifier.files().edition()
    }

    /// The tables that are asked for, and what is wrong with the names of other files.
    pub(super) fn jobs(&self, files: &[PathBuf]) -> Result<(Vec<Job>, Vec<Verdict>), Failure> {
        let only = match &self.args.wanted.table {
            Some(name) => Some(self.game.material(name)?),
            None => None,
        };
        let is_asked = |material: &Material| self.args.wanted.has(material, only.as_ref());
        let (jobs, strays) = self.verifier.jobs(files, &is_asked)?;
        if self.args.wanted.men.is_some() || only.is_some() {
            if jobs.is_empty() {
                let path = self.args.path.display();
                return Err(Failure::new(format!("{path} has no table that is asked for")));
            }
            // Somebody who asks for certain tables does not ask for the rest.
            return Ok((jobs, Vec::new()));
        }
        Ok((jobs, strays.iter().map(Verdict::of_stray).collect()))
    }

    pub(super) fn verdict(&self, job: &Job, watch: &Watch<'_>) -> Verdict {
        let begin = Instant::now();
        let watching = watch.begin(&job.name, self.n_to_check(job));
        let progress = |done, total| watching.show(done as u64, total as u64);
        let result = self.pool.install(|| self.verifier.verify(job, self.sample(job), &progress));
        watching.finish_silently();
        let (report, message) = match result {
            Ok(report) if report.is_clean() => (report, None),
            Ok(report) => {
                let first = report.differences.first().map_or_else(String::new, ToString::to_string);
                let n_wrong = plural(report.n_differences, "wrong value");
                (report, Some(format!("{n_wrong}, the first at {first}")))
            }
            Err(error) => (Report::default(), Some(self.message(error))),
        };
        Verdict {
            table: self.name(job),
            ok: message.is_none(),
            message,
            note: None,
            values: report.n_values,
            positions: report.n_positions,
            successors: report.n_successors,
            time: begin.elapsed(),
        }
    }

    /// The table with what tells its file from others of it.
    fn name(&self, job: &Job) -> String {
        let winner = self.edition().winner_of(&job.name);
        let winner = winner.map(|winner| format!(".{}", winner_name(winner)));
        let metric = (!self.edition().is_default()).then(|| format!(".{}", self.edition().metric()));
        std::iter::once(job.name.clone()).chain(winner).chain(metric).collect()
    }

    /// Which of a table's values are checked.
    fn sample(&self, job: &Job) -> Sample {
        match self.args.sample {
            Some(n_placements) => Sample::Placements(n_placements),
            None if self.args.all || job.material.n_men() <= MAX_MEN_IN_FULL => Sample::All,
            None => Sample::Placements(N_PLACEMENTS),
        }
    }

    /// How many values that are, roughly: the time that is left is estimated by it.
    pub(super) fn n_to_check(&self, job: &Job) -> u64 {
        match self.sample(job) {
            Sample::Placements(n_placements) => job.n_values().min(n_placements),
            _ => job.n_values(),
        }
    }

    /// What stands in the way of verifying a table, and what to do about it.
    fn message(&self, error: LibraryError) -> String {
        match error {
            LibraryError::SuccessorsNotBuilt { material, needed, .. } => self.not_built(&material, &needed),
            LibraryError::Missing { material } => format!("{material} is not there"),
            LibraryError::Unreadable { .. } => "cannot be read".into(),
            LibraryError::Probe(error) => error.to_string(),
            error => Failure::from(error).to_string(),
        }
    }

    fn not_built(&self, table: &str, needed: &[String]) -> String {
        let verb = if needed.len() == 1 { "is" } else { "are" };
        let metric = Some(self.edition().metric()).filter(|_| !self.edition().is_default());
        let folder = self.verifier.files().folder();
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let winner = self.edition().winner_of(table).map(winner_name);
        let table = winner.map_or_else(|| table.to_owned(), |winner| format!("{table} --wins {winner}"));
        let command =
            solve_command(self.program, &self.game.path, Some(&table), metric.as_slice(), Some(folder));
        format!("needs {}, which {verb} not built: run {command}", needed.join(", "))
    }
}
