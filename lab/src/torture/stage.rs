//! Makes what is attacked: runs of `solve` and `export`, and folders of files of every format.

use super::command::Program;
use super::damage::Set;
use super::disk::Room;
use super::files::Files;
use super::job::Job;
use proof::Dice;
use std::fs;
use std::path::{Path, PathBuf};

/// Runs of `solve`: the game, the options, and the metric that positions are asked for.
type Solve = (&'static str, &'static str, Option<&'static str>);

/// Every metric and packing, one side to move and both, small boards and large ones, other rules; first
/// those of a short run.
const SOLVES: &[Solve] = &[
    ("fide", "--men 3", None),
    ("fide", "--men 3 --metric wdl,dtz50", Some("dtz50")),
    ("fide", "--men 3 --strategy log --metric dtc", Some("dtc")),
    ("fide", "--men 3 --small", None),
    ("fide", "--men 3 --metric dtm,dtc,dtz --both-sides", Some("dtc")),
    ("atomic", "--men 3 --metric wdl,dtz50", Some("wdl")),
    ("antichess", "--men 2 --metric wdl,dtz50", Some("dtz50")),
    ("gardner", "--men 4", None),
    ("gardner", "--table KRBvKR --metric dtm,wdl,dtz50", None),
    ("capablanca", "--men 3", None),
    ("fide", "--table KRvKN --small", None),
    ("gardner", "--table KRPvKP --strategy log --metric dtz50", Some("dtz50")),
    ("atomic", "--men 3 --strategy disk", None),
];
const N_SHORT_SOLVES: usize = 3;

/// Runs of `export`: the number of the run of `solve`, the options, and the metric.
type Export = (usize, &'static str, Option<&'static str>);

/// Every format; first those of a short run.
const EXPORTS: &[Export] = &[
    (1, "--format syzygy", Some("dtz50")),
    (0, "--format tbl --table KQvK --table KPvK", None),
    (0, "--format tbc --gz --table KQvK --table KPvK", Some("wdl")),
    (1, "--format syzygy --rounded", Some("dtz50")),
    (0, "--format tbc --table KRvK --table KPvK", Some("wdl")),
    (0, "--format tbl --gz --table KRvK --table KPvK", None),
    (1, "--format tbl --metric dtz50 --wide --table KRvK --table KPvK", Some("dtz50")),
    (0, "--format tbl --one-file --table KRvK --table KPvK", None),
    (5, "--format syzygy", Some("dtz50")),
    (6, "--format syzygy", Some("dtz50")),
];
const N_SHORT_EXPORTS: usize = 3;

/// The folders of `tests/cases/files` with files of `.tsm` that are kept, and the run of `solve` whose
/// tables stand beside them; first those of a short run.
const KEPT: &[(&str, usize)] = &[("small", 0), ("metrics", 1), ("quick", 0), ("one_side", 0)];
const N_SHORT_KEPT: usize = 2;

/// What is attacked.
#[derive(Debug)]
pub(super) struct Stage {
    jobs: Vec<Job>,
    sets: Vec<Set>,
    /// The way to a full disk, if there is one.
    pub(super) room: Option<Room>,
}

impl Stage {
    /// Makes it below `root`.
    pub(super) fn new(
        program: &Program,
        root: &Path,
        room: Option<Room>,
        is_short: bool,
    ) -> Result<Self, String> {
        let n_solves = if is_short { N_SHORT_SOLVES } else { SOLVES.len() };
        let n_exports = if is_short { N_SHORT_EXPORTS } else { EXPORTS.len() };
        let n_kept = if is_short { N_SHORT_KEPT } else { KEPT.len() };
        let whole = root.join("whole");
        let (mut jobs, mut sets) = (Vec::new(), Vec::new());
        let set = |folder: &Path, rules: &Path, metric, materials: &Path| {
            Set::new(program, &whole, folder, rules, metric, &Set::materials_in(materials)?)
        };
        for &(game, options, metric) in &SOLVES[..n_solves] {
            let job = Job::solve(program, &whole, game, options)?;
            sets.push(set(&job.whole, &job.rules, metric, &job.whole)?);
            jobs.push(job);
        }
        for &(of, options, metric) in &EXPORTS[..n_exports] {
            let job = Job::export(program, &whole, &jobs[of], options)?;
            sets.push(set(&job.whole, &job.rules, metric, &jobs[of].whole)?);
            jobs.push(job);
        }
        let cases = xtask::root().join("tests/cases");
        let fide = &jobs[0].rules;
        for &(kept, of) in &KEPT[..n_kept] {
            let folder = completed(&cases.join("files").join(kept), &jobs[of].whole, &whole)?;
            sets.push(set(&folder, fide, SOLVES[of].2, &folder)?);
        }
        if !is_short {
            let genuine = cases.join("syzygy_genuine");
            sets.push(set(&genuine, fide, Some("dtz50"), &genuine)?);
        }
        Ok(Stage { jobs, sets, room })
    }

    /// One of the runs.
    pub(super) fn job(&self, dice: &mut Dice) -> &Job {
        &self.jobs[dice.below(self.jobs.len())]
    }

    /// One of the folders.
    pub(super) fn set(&self, dice: &mut Dice) -> &Set {
        &self.sets[dice.below(self.sets.len())]
    }

    /// A run and the tables that it makes.
    pub(super) fn read_beside(&self) -> (&Job, &Set) {
        (&self.jobs[0], &self.sets[0])
    }

    /// How much there is.
    pub(super) fn text(&self) -> String {
        format!("{} runs of solve and export, {} folders of files", self.jobs.len(), self.sets.len())
    }
}

/// A copy of a folder below `root`, with the tables that it has not from another one.
fn completed(folder: &Path, others: &Path, root: &Path) -> Result<PathBuf, String> {
    let copy = root.join(folder.file_name().unwrap_or_default());
    let fail = |error| format!("cannot write to {}: {error}", copy.display());
    fs::create_dir_all(&copy).map_err(fail)?;
    for from in [others, folder] {
        let files = Files::of(from)?;
        if files.names().next().is_none() {
            return Err(format!("{} has no files", from.display()));
        }
        for (name, bytes) in files.iter() {
            fs::write(copy.join(name), bytes).map_err(fail)?;
        }
    }
    Ok(copy)
}
