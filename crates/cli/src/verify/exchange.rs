//! Verifies flat and Syzygy files, and says what came of it.

use super::sample::{N_DISTANCES, N_EXCHANGE};
use super::verdict::Verdict;
use crate::Failure;
use crate::args::VerifyArgs;
use crate::exchange::missing_text;
use crate::game::Game;
use crate::progress::Watch;
use ::probe::ExchangeKind;
use build::{DamagedFiles, ExchangeSet, NotDerived};
use library::LibraryError;
use library::figure::plural;
use proof::{Report, Sample};
use rayon::ThreadPool;
use std::path::PathBuf;
use std::time::Instant;
use variant::{Material, Metric};

/// Verifies flat and Syzygy files of a folder.
pub(super) struct ExchangeVerifier<'a> {
    pub(super) game: &'a Game,
    pub(super) pool: &'a ThreadPool,
    pub(super) args: &'a VerifyArgs,
}

impl ExchangeVerifier<'_> {
    /// The tables that files hold and that are asked for, and what is wrong with the names of other files.
    pub(super) fn jobs(&self, paths: &[PathBuf]) -> Result<(Vec<ExchangeSet>, Vec<Verdict>), Failure> {
        let only = self.args.wanted.table.as_ref().map(|name| self.game.material(name)).transpose()?;
        let is_asked = |material: &Material| self.args.wanted.has(material, only.as_ref());
        let (tables, strays) = ExchangeSet::of_files(&self.game.variant, paths, &is_asked);
        // Somebody who asks for certain tables does not ask for the rest.
        let is_asked_for_all = self.args.wanted.men.is_none() && only.is_none();
        let strays = strays.iter().filter(|_| is_asked_for_all).map(Verdict::of_stray);
        Ok((tables, strays.collect()))
    }

    /// How many values are derived again, roughly.
    pub(super) fn n_to_check(&self, files: &ExchangeSet) -> u64 {
        match self.sample(files) {
            Sample::Placements(n_placements) | Sample::Random { n_placements, .. } => n_placements,
            Sample::All => 64_u64.saturating_pow(files.material().n_men() as u32 - 1),
        }
    }

    pub(super) fn verdict(&self, files: &ExchangeSet, watch: &Watch<'_>) -> Verdict {
        let begin = Instant::now();
        let name = self.name(files);
        let watching = watch.begin(&name, self.n_to_check(files));
        let (mut values, mut report, mut note) = (0, Report::default(), None);
        let message = match files.check(&self.game.variant) {
            Err(DamagedFiles { first, n_files: 1 }) => Some(first.to_string()),
            Err(DamagedFiles { first, n_files }) => {
                Some(format!("{n_files} files are damaged, the first: {first}"))
            }
            Ok(checked) => {
                values = checked.n_values;
                let progress = |done, total| watching.show(done as u64, total as u64);
                let (variant, sample) = (&self.game.variant, self.sample(files));
                let derived =
                    self.pool.install(|| files.derive(variant, checked.counts_plies, sample, &progress));
                if !checked.has_checksum {
                    note = Some("it has no checksum".into());
                }
                match derived {
                    Ok(Ok(derived)) => {
                        report = derived;
                        let first = report.differences.first().map_or_else(String::new, ToString::to_string);
                        let n_wrong = plural(report.n_differences, "wrong value");
                        (!report.is_clean()).then(|| format!("{n_wrong}, the first at {first}"))
                    }
                    Ok(Err(not_derived)) => {
                        let reason = self.reason(files, &not_derived);
                        note = Some(note.map_or(reason.clone(), |note: String| format!("{note}, {reason}")));
                        None
                    }
                    Err(LibraryError::Unreadable { .. }) => Some(
                        "not verified: a move leads to a position that the files call illegal; one of them is damaged"
                            .into(),
                    ),
                    Err(error) => Some(error.to_string()),
                }
            }
        };
        watching.finish_silently();
        Verdict {
            table: name,
            ok: message.is_none(),
            message,
            note,
            values,
            positions: report.n_positions,
            successors: report.n_successors,
            time: begin.elapsed(),
        }
    }

    /// The files in a line.
    fn name(&self, files: &ExchangeSet) -> String {
        let paths: Vec<_> = files.files().map(::probe::ExchangeFile::path).collect();
        match &paths[..] {
            [path] => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            paths => {
                let (table, metric) = (files.material().name(&self.game.variant), files.metric());
                format!("{table} ({} flat files of {metric})", paths.len())
            }
        }
    }

    /// Why the values of a table were not derived again.
    fn reason(&self, files: &ExchangeSet, not_derived: &NotDerived) -> String {
        let reason = match not_derived {
            NotDerived::ResultsOnly => {
                "results under the n-move rule follow from distances; compare them with tables by --against"
                    .into()
            }
            NotDerived::Absent(n_absent) => {
                let n = plural(*n_absent as u64, "other file");
                format!("{n} of {} would be needed too", files.material().name(&self.game.variant))
            }
            NotDerived::Missing(missing) => missing_text(files.kind(), missing),
        };
        format!("values not derived again: {reason}")
    }

    /// Which of a table's values are derived again.
    fn sample(&self, files: &ExchangeSet) -> Sample {
        match (self.args.sample, files.kind(), files.metric()) {
            (Some(n_placements), _, _) => Sample::Placements(n_placements),
            _ if self.args.all => Sample::All,
            (None, ExchangeKind::Syzygy, Metric::Dtz50) => Sample::Placements(N_DISTANCES),
            _ => Sample::Placements(N_EXCHANGE),
        }
    }
}
