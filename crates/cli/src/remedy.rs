//! Says in a sentence what is wrong and what to type about it.
//!
//! What the crates below report is data: which table, how much memory, which limit. Here it becomes words of
//! this command line, once for all commands.

use crate::probe::ProbeArgs;
use crate::{Game, Rate, bytes, count_threads, seconds};
use ::plan::{Job, Plan, Request};
use ::probe::{Answer, Gap, MissingTable};
use build::{BuildFootprint, FileOptions, check_disk, check_largest};
use index::MAX_MEN;
use library::{
    Edition, LibraryError, MemoryLimit, Refusal, TableFiles, exchange_files, having, misnamed_for,
    table_files,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use variant::{Material, Metric};

/// Whether a folder has tables that other programs read, and none of ours: nothing is to be built into it.
pub(crate) fn is_foreign(folder: &Path) -> bool {
    let has_own = table_files(folder).is_ok_and(|files| !files.is_empty());
    !has_own && exchange_files(folder).is_ok_and(|files| !files.is_empty())
}

/// The folder among some that tables are built into: the first that is not foreign, if there is one.
pub(crate) fn own_of(folders: &[PathBuf]) -> Option<&PathBuf> {
    folders.iter().find(|folder| !is_foreign(folder))
}

/// Like [`own_of`]; if there is none, the first.
pub(crate) fn own_or_first(folders: &[PathBuf]) -> &Path {
    own_of(folders).unwrap_or(&folders[0])
}

/// What to do about tables that a folder does not have: the command that builds them, into the folder if it
/// is one of ours.
pub(crate) fn solve_for(
    program: &str,
    game: &Game,
    table: Option<&str>,
    metrics: &[Metric],
    folder: &Path,
) -> String {
    let is_foreign = is_foreign(folder);
    let command = game.solve_words(program, table, metrics, Some(folder).filter(|_| !is_foreign));
    let folder = folder.display();
    match is_foreign {
        false => format!("run `{command}`"),
        true => format!(
            "{folder} has flat or Syzygy files only; run `{command}`, and name the folder that it fills"
        ),
    }
}

/// Metrics as words: "metric dtm", "metrics wdl and dtz50".
pub(crate) fn metric_names(metrics: &[Metric]) -> String {
    let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
    let many = if names.len() == 1 { "metric" } else { "metrics" };
    let and = if names.len() > 2 { ", " } else { " and " };
    format!("{many} {}", names.join(and))
}

/// What to do about a table that folders of other programs' files do not have.
fn add_to(folders: &[PathBuf]) -> String {
    let having = having(folders);
    format!("{having} flat or Syzygy files only: add its files, or name a folder of our tables with --tables")
}

/// What is said of building a table: `: run …`, or why this machine is too small for it.
pub(crate) type Offer = Result<String, String>;

/// How to build what a probe misses.
pub(crate) struct Remedy<'a> {
    pub(crate) program: &'a str,
    pub(crate) game: &'a Game,
    pub(crate) args: &'a ProbeArgs,
    /// The folders that are asked.
    pub(crate) folders: &'a [PathBuf],
    /// The one to build into, if there is one, found out when something is missing.
    pub(crate) own: OnceLock<Option<PathBuf>>,
    /// Where it is kept how fast this machine is.
    pub(crate) cache: Option<PathBuf>,
    /// What is said of the tables that were missing so far.
    pub(crate) known: Mutex<BTreeMap<String, Offer>>,
}

impl Remedy<'_> {
    /// The command that builds a table, or all.
    pub(crate) fn command(&self, material: Option<&str>) -> String {
        let metric = self.args.metric.filter(|&metric| metric != self.game.variant.default_metric);
        let out = (!self.args.tables.is_empty()).then(|| self.own());
        self.game.solve_words(self.program, material, metric.as_slice(), out)
    }

    /// The command that solves positions with rights to castle.
    fn rights_command(&self, missing: &MissingTable) -> String {
        self.command(Some(&format!("{} --rights", missing.material)))
    }

    /// The command that makes a missing table with what it takes, or why it cannot be made here: `: run …`.
    /// The position alone is to be solved where the table is too large and that may help.
    fn offer(&self, missing: &MissingTable) -> String {
        let mut known = self.known.lock();
        let name = &missing.material;
        match (known.entry(name.clone()).or_insert_with(|| self.new_offer(name)), &missing.position) {
            (Err(_), Some(fen)) => self.alone(fen),
            (Ok(offer) | Err(offer), _) => offer.clone(),
        }
    }

    /// The command that solves a position alone.
    pub(crate) fn alone(&self, fen: &str) -> String {
        let solve = self.command(None);
        format!(
            ": run `{solve} --position \"{fen}\"`, which may take long (plan with --position says how long)"
        )
    }

    fn new_offer(&self, name: &str) -> Offer {
        let variant = &self.game.variant;
        let metric = self.args.metric.unwrap_or(variant.default_metric);
        let edition = Edition::new(variant, metric);
        let limit = MemoryLimit::new(None);
        let files = FileOptions::new(false, false);
        let n_threads = count_threads(None);
        let footprint = BuildFootprint::new(&edition, files, n_threads).within(limit.bytes);
        let too_small = |job: &Job| {
            let (name, needed, spare) = (&job.name, bytes(footprint.total_of(job)), bytes(limit.bytes));
            let why = ", and this machine is too small for it:";
            Err(format!("{why} {name} takes about {needed} of memory, and {spare} are to spare"))
        };
        let Ok(material) = Material::parse(variant, name) else { return Ok(String::new()) };
        let request = Request::Table(material.canonical(variant));
        // A plan of many men takes its time, and is not needed where the table itself is too large.
        if check_largest(limit, &request, &footprint, |_| false).is_err() {
            return too_small(&Job::alone(variant, material.canonical(variant)));
        }
        let Ok(plan) = Plan::new(variant, &request) else { return Ok(String::new()) };
        let tables = TableFiles::new(edition.clone(), self.own());
        let missing: Vec<&Job> = plan.jobs().filter(|job| !tables.are_there(&job.name)).collect();
        let largest = missing.iter().copied().max_by_key(|job| footprint.total_of(job));
        let command = self.command(Some(name));
        let Some(largest) = largest else { return Ok(format!(": run `{command}`")) };
        let memory_bytes = footprint.total_of(largest);
        if memory_bytes > limit.bytes {
            return too_small(largest);
        }
        let disk_bytes: u64 = missing.iter().map(|job| files.disk_bytes(job, edition.metrics())).sum();
        if let Err(error) = check_disk(self.own(), disk_bytes) {
            return Err(format!(", and cannot be: {error}"));
        }
        let time =
            Rate::kept(self.cache.as_deref(), &edition, files, n_threads).map_or_else(String::new, |rate| {
                let n_values: u64 = missing.iter().map(|job| job.n_values()).sum();
                format!(", {}", seconds(rate.time(n_values)))
            });
        let (memory, disk) = (bytes(memory_bytes), bytes(disk_bytes));
        Ok(format!(": run `{command}` (about {memory} of memory, {disk} on disk{time})"))
    }

    /// A refusal with what mends it.
    pub(crate) fn message(&self, refusal: &Refusal) -> String {
        let file = refusal.missing().and_then(|missing| missing.file.file_name());
        let misnamed = |file| self.folders.iter().find_map(|folder| misnamed_for(&folder.join(file)));
        if let Some((file, found)) = file.and_then(|file| Some((file, misnamed(file)?))) {
            let name = file.display().to_string();
            let misnamed = LibraryError::Misnamed { path: found, name: name.clone() };
            return format!("not here: {name}; {misnamed}");
        }
        match refusal.missing() {
            Some(missing) => match self.foreign() {
                Some(folders) => format!("not here: a file of {}; {}", missing.material, add_to(folders)),
                None if missing.column.has_rights => {
                    format!("{refusal}: run `{}`", self.rights_command(missing))
                }
                None => format!("{}{}", refusal.reason(), self.offer(missing)),
            },
            None => match refusal {
                Refusal::NotBuilt(MissingTable { position: Some(fen), .. }) => {
                    format!("{}{}", refusal.reason(), self.alone(fen))
                }
                _ => refusal.to_string(),
            },
        }
    }

    /// What cannot be said of a position, and what mends it.
    pub(crate) fn gap(&self, answer: &Answer) -> Option<String> {
        let (gap, missing) = answer.gap()?;
        let lacking = match gap {
            Gap::Value => "no more is known",
            Gap::SomeMoves => "not all moves can be rated",
            Gap::AllMoves => "the moves cannot be rated",
            Gap::RestOfLine => "the main line cannot be continued",
            Gap::WholeLine => "the main line cannot be played",
        };
        let name = &missing.material;
        // No file can have it.
        if answer.position.n_men() > MAX_MEN {
            return Some(format!("{lacking}: {}", self.message(&Refusal::NotBuilt(missing.clone()))));
        }
        Some(match self.foreign() {
            Some(folders) => format!("{lacking} because no file has {name}; {}", add_to(folders)),
            None if missing.column.has_rights => {
                format!("{lacking} because {missing}: run `{}`", self.rights_command(missing))
            }
            None => format!("{lacking} because {name} is not built{}", self.offer(missing)),
        })
    }

    /// The folder to build into; if there is none, the first.
    fn own(&self) -> &Path {
        self.own_folder().unwrap_or(&self.folders[0])
    }

    /// The folders, if there is none to build into.
    fn foreign(&self) -> Option<&[PathBuf]> {
        self.own_folder().is_none().then_some(self.folders)
    }

    fn own_folder(&self) -> Option<&Path> {
        self.own.get_or_init(|| own_of(self.folders).cloned()).as_deref()
    }
}

#[cfg(test)]
mod tests {
    use crate::Failure;
    use ::plan::{Plan, Request};
    use build::{BuildFootprint, FileOptions, check_largest, check_memory};
    use library::{Edition, MemoryLimit};
    use variant::{Material, Variant};

    #[track_caller]
    fn check_refused(limit: MemoryLimit, n_threads: usize, expected: Option<&str>) {
        let variant = Variant::chess();
        let material = Material::parse(&variant, "KPPvK").expect("a material");
        let plan = Plan::new(&variant, &Request::Table(material)).expect("a plan");
        let edition = Edition::new(&variant, variant.default_metric);
        let files = FileOptions::new(false, false);
        let footprint = BuildFootprint::new(&edition, files, n_threads);
        match (check_memory(limit, plan.jobs(), &footprint).map_err(Failure::from), expected) {
            (Ok(()), None) => {}
            (Err(Failure::Message(message)), Some(expected)) => {
                assert!(message.contains(expected), "{message}");
            }
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_a_remedy() {
        const GB: u64 = 1_000_000_000;
        let asked = |bytes: u64, spare_bytes: u64| {
            let machine_bytes = spare_bytes.max(10 * GB);
            MemoryLimit { bytes, is_asked: true, spare_bytes, machine_bytes, is_bound: false }
        };
        check_refused(asked(GB, 8 * GB), 2, None);
        check_refused(asked(1 << 20, GB), 2, Some("the limit of --memory is 1.0 MB; give it --memory "));
        check_refused(asked(1 << 20, GB), 2, Some("KPPvK needs about "));
        check_refused(asked(200_000_000, 100 * GB), 2000, Some("M, or give it --threads "));
        check_refused(
            asked(15_000_000, GB),
            2,
            Some("or choose tables of up to 3 men, which fit, with --men 3"),
        );
        // What the machine has not left is never advised, and what it has not at all is said to be missing.
        check_refused(asked(1 << 20, 1), 2, Some("; end other programs, which leave 1 B now"));
        let none =
            MemoryLimit { bytes: 1, is_asked: false, spare_bytes: 1, machine_bytes: 1, is_bound: false };
        check_refused(
            none,
            2,
            Some("the machine has 1 B to spare; use a machine with 1 GB of memory to spare"),
        );
        check_refused(MemoryLimit { machine_bytes: GB, ..none }, 2, Some("to spare; end other programs"));
        check_refused(
            MemoryLimit { is_bound: true, ..none },
            2,
            Some("may take 1 B more; raise the limit of"),
        );
    }

    /// A request for tables that no machine here can hold is refused before a plan is made.
    #[test]
    fn what_is_far_too_large_is_refused_at_once() {
        let variant = Variant::chess();
        let edition = Edition::new(&variant, variant.default_metric);
        let footprint = BuildFootprint::new(&edition, FileOptions::new(false, false), 2);
        let limit = MemoryLimit {
            bytes: 24_000_000_000,
            is_asked: false,
            spare_bytes: 24_000_000_000,
            machine_bytes: 24_000_000_000,
            is_bound: false,
        };
        let check = |request: &Request, is_there| check_largest(limit, request, &footprint, |_| is_there);
        let refused = check(&Request::UpTo(7), false).map_err(Failure::from);
        let Err(Failure::Message(message)) = refused else { panic!("{refused:?}") };
        assert!(
            message.contains("tables of up to 5 men") && message.contains("this one gives 24.0 GB at most")
        );
        assert!(!message.contains("--memory"), "{message}");
        // What is there already needs no memory, and what fits is not refused.
        assert!(check(&Request::UpTo(7), true).is_ok() && check(&Request::UpTo(5), false).is_ok());
    }
}
