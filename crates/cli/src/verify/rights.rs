//! Verifies files of positions with rights to castle.

use super::sample::{MAX_MEN_IN_FULL, N_PLACEMENTS};
use super::verdict::Verdict;
use crate::Failure;
use crate::args::VerifyArgs;
use crate::game::Game;
use crate::progress::Watch;
use ::probe::Tablebase;
use ::proof::{Difference, Report};
use build::{StrayFile, verify_rights};
use library::LibraryError;
use library::figure::plural;
use rayon::ThreadPool;
use rights::{RightsFile, RightsKey, parse_rights_file_name};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use variant::{Material, Metric};

/// How many bytes of decompressed blocks are kept.
const CACHE_BYTES: usize = 512 << 20;

/// Verifies the files of a folder that somebody asks for.
pub(super) struct RightsVerifier<'a> {
    pub(super) game: &'a Game,
    pub(super) pool: &'a ThreadPool,
    pub(super) args: &'a VerifyArgs,
}

/// One file.
pub(super) struct RightsJob {
    path: PathBuf,
    material: Material,
    metric: Metric,
}

impl RightsVerifier<'_> {
    /// The files that are asked for, and what is wrong with the names of the others.
    pub(super) fn jobs(&self, files: &[PathBuf]) -> Result<(Vec<RightsJob>, Vec<Verdict>), Failure> {
        let variant = &self.game.variant;
        let only = self.args.wanted.table.as_deref().map(|name| self.game.material(name)).transpose()?;
        let (mut jobs, mut strays) = (Vec::new(), Vec::new());
        let mut stray = |path: &PathBuf, reason: String| {
            strays.push(Verdict::of_stray(&StrayFile { path: path.clone(), reason }));
        };
        for path in files {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let (name, metric) = parse_rights_file_name(name, variant.default_metric)
                .unwrap_or((name, Ok(variant.default_metric)));
            let material = Material::parse(variant, name);
            match (material, metric) {
                (Ok(material), Ok(metric)) => {
                    if self.args.wanted.has(&material, only.as_ref()) {
                        jobs.push(RightsJob { path: path.clone(), material, metric });
                    }
                }
                (Err(error), _) => stray(path, error.to_string()),
                (_, Err(error)) => stray(path, error.to_string()),
            }
        }
        if self.args.wanted.men.is_some() || only.is_some() {
            // Somebody who asks for certain tables does not ask for the rest.
            strays.clear();
        }
        Ok((jobs, strays))
    }

    /// How many values are checked, roughly.
    pub(super) fn n_to_check(&self, job: &RightsJob) -> u64 {
        let keys = RightsKey::all(&self.game.variant, &job.material);
        let n_all: u64 = keys.iter().map(|key| key.n_numbers(&self.game.variant)).sum();
        n_all.min(self.most(job).saturating_mul(2))
    }

    pub(super) fn verdict(&self, job: &RightsJob, watch: &Watch<'_>) -> Verdict {
        let begin = Instant::now();
        let name = job.path.file_name().unwrap_or(job.path.as_os_str()).to_string_lossy().into_owned();
        let n_to_check = self.n_to_check(job);
        let watching = watch.begin(&name, n_to_check);
        let n_done = AtomicU64::new(0);
        let progress = |n_values: u64| {
            let done = n_done.fetch_add(n_values, Ordering::Relaxed) + n_values;
            watching.show(done.min(n_to_check), n_to_check);
        };
        let result = self.verify(job, &progress);
        watching.finish_silently();
        let (report, message) = match result {
            Ok(report) if report.n_differences == 0 => (report, None),
            Ok(report) => {
                let n_wrong = plural(report.n_differences, "wrong value");
                let first = report.differences.first().map_or_else(String::new, |difference| {
                    let Difference { fen, stored, expected, .. } = difference;
                    format!(", the first at {fen}: {stored}, its moves lead to {expected}")
                });
                (report, Some(format!("{n_wrong}{first}")))
            }
            Err(error) => (Report::default(), Some(error.to_string())),
        };
        let no_proof = || "wins without distances show no more than that they agree".to_owned();
        Verdict {
            table: name,
            ok: message.is_none(),
            message,
            note: (job.metric == Metric::Wdl).then(no_proof),
            values: report.n_values,
            positions: report.n_positions,
            successors: report.n_successors,
            time: begin.elapsed(),
        }
    }

    fn verify(&self, job: &RightsJob, progress: &(dyn Fn(u64) + Sync)) -> Result<Report, LibraryError> {
        let variant = &self.game.variant;
        let file = RightsFile::open(&job.path, variant, &job.material, job.metric)?;
        let folder = job.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let tables =
            Tablebase::open_with(folder.unwrap_or(Path::new(".")), variant, job.metric, CACHE_BYTES)?;
        let tables = tables.with_threads(self.pool.current_num_threads());
        Ok(self.pool.install(|| verify_rights(&tables, &file, self.most(job), progress))?)
    }

    /// How many placements are checked at most.
    fn most(&self, job: &RightsJob) -> u64 {
        match self.args.sample {
            Some(n_placements) => n_placements,
            None if self.args.all || job.material.n_men() <= MAX_MEN_IN_FULL => u64::MAX,
            None => N_PLACEMENTS,
        }
    }
}
