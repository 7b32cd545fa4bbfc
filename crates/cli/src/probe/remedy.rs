//! Says what to type about a table that is not there.

use crate::args::ProbeArgs;
use crate::game::Game;
use crate::pool::count_threads;
use crate::rate::Rate;
use crate::remedy::{is_foreign, solve_command};
use ::plan::{Job, Plan, Request};
use ::probe::MissingTable;
use build::{BuildFootprint, FileOptions, check_disk, check_largest};
use index::MAX_MEN;
use library::figure::{bytes, seconds};
use library::{Edition, Finding, Gap, LibraryError, MemoryLimit, Refusal, TableFiles, misnamed_for};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use variant::Material;

/// What to do about a table that a folder of other programs' files does not have.
fn add_to(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "{folder} has flat or Syzygy files only: add its files, or name a folder of our tables with --tables"
    )
}

/// How to build what a probe misses.
pub(super) struct Remedy<'a> {
    program: &'a str,
    game: &'a Game,
    args: &'a ProbeArgs,
    /// The folder that is asked.
    folder: &'a Path,
    /// Whether it has files of other programs only, found out when something is missing.
    is_foreign: OnceLock<bool>,
    /// Where it is kept how fast this machine is.
    cache: Option<&'a Path>,
    /// What is said of the tables that were missing so far.
    known: Mutex<BTreeMap<String, String>>,
}

impl<'a> Remedy<'a> {
    pub(super) fn new(
        program: &'a str,
        game: &'a Game,
        args: &'a ProbeArgs,
        folder: &'a Path,
        cache: Option<&'a Path>,
    ) -> Self {
        Remedy { program, game, args, folder, is_foreign: OnceLock::new(), cache, known: Mutex::default() }
    }

    /// The command that builds a table, or all.
    pub(super) fn command(&self, material: Option<&str>) -> String {
        let metric = self.args.metric.filter(|&metric| metric != self.game.variant.default_metric);
        let out = self.args.tables.as_deref();
        solve_command(self.program, &self.game.path, material, metric.as_slice(), out)
    }

    /// The command that solves positions with rights to castle.
    fn rights_command(&self, missing: &MissingTable) -> String {
        self.command(Some(&format!("{} --rights", missing.material)))
    }

    /// The command that builds a table with what it takes, or why it cannot be built here: `: run …`.
    fn offer(&self, name: &str) -> String {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(name.to_owned()).or_insert_with(|| self.new_offer(name)).clone()
    }

    fn new_offer(&self, name: &str) -> String {
        let variant = &self.game.variant;
        let metric = self.args.metric.unwrap_or(variant.default_metric);
        let edition = Edition::new(variant, metric);
        let limit = MemoryLimit::new(None);
        let files = FileOptions::new(false, false);
        let n_threads = count_threads(None);
        let footprint = BuildFootprint::new(&edition, files, n_threads).within(limit.bytes);
        let too_small = |job: &Job| {
            format!(
                ", and this machine is too small for it: {} takes about {} of memory, and {} are to spare",
                job.name,
                bytes(footprint.total_of(job)),
                bytes(limit.bytes)
            )
        };
        let Ok(material) = Material::parse(variant, name) else { return String::new() };
        let request = Request::Table(material.canonical(variant));
        // A plan of many men takes its time, and is not needed where the table itself is too large.
        if check_largest(limit, &request, &footprint, |_| false).is_err() {
            return too_small(&Job::alone(variant, material.canonical(variant)));
        }
        let Ok(plan) = Plan::new(variant, &request) else { return String::new() };
        let tables = TableFiles::new(edition.clone(), self.folder);
        let missing: Vec<&Job> = plan.jobs().filter(|job| !tables.are_there(&job.name)).collect();
        let largest = missing.iter().copied().max_by_key(|job| footprint.total_of(job));
        let Some(largest) = largest else { return format!(": run {}", self.command(Some(name))) };
        let memory_bytes = footprint.total_of(largest);
        if memory_bytes > limit.bytes {
            return too_small(largest);
        }
        let disk_bytes: u64 = missing.iter().map(|job| files.disk_bytes(job, edition.metrics())).sum();
        if let Err(error) = check_disk(self.folder, disk_bytes) {
            return format!(", and cannot be: {error}");
        }
        let time = Rate::kept(self.cache, &edition, files, n_threads).map_or_else(String::new, |rate| {
            let n_values: u64 = missing.iter().map(|job| job.n_values()).sum();
            format!(", {}", seconds(rate.time(n_values)))
        });
        format!(
            ": run {} (about {} of memory, {} on disk{time})",
            self.command(Some(name)),
            bytes(memory_bytes),
            bytes(disk_bytes)
        )
    }

    /// A refusal with what mends it.
    pub(super) fn message(&self, refusal: &Refusal) -> String {
        let file = refusal.missing().and_then(|missing| missing.file.file_name());
        if let Some((file, found)) =
            file.and_then(|file| Some((file, misnamed_for(&self.folder.join(file))?)))
        {
            let name = file.display().to_string();
            return format!(
                "not here: {name}; {}",
                LibraryError::Misnamed { path: found, name: name.clone() }
            );
        }
        match refusal.missing() {
            Some(missing) => match self.foreign() {
                Some(folder) => format!("not here: a file of {}; {}", missing.material, add_to(folder)),
                None if missing.is_of_rights() => format!("{refusal}: run {}", self.rights_command(missing)),
                None => format!("{refusal}{}", self.offer(&missing.material)),
            },
            None => refusal.to_string(),
        }
    }

    /// What cannot be said of a position, and what mends it.
    pub(super) fn gap(&self, finding: &Finding) -> Option<String> {
        let (gap, missing) = finding.gap()?;
        let lacking = match gap {
            Gap::SomeMoves => "not all moves can be rated",
            Gap::AllMoves => "the moves cannot be rated",
            Gap::RestOfLine => "the main line cannot be continued",
            Gap::WholeLine => "the main line cannot be played",
        };
        let name = &missing.material;
        // No file can have it.
        if finding.position.n_men() > MAX_MEN {
            return Some(format!("{lacking}: {}", Refusal::NotBuilt(missing.clone())));
        }
        Some(match self.foreign() {
            Some(folder) => format!("{lacking} because no file has {name}; {}", add_to(folder)),
            None if missing.is_of_rights() => {
                format!("{lacking} because {missing}: run {}", self.rights_command(missing))
            }
            None => format!("{lacking} because {name} is not built{}", self.offer(name)),
        })
    }

    /// The folder, if it is none to build into.
    fn foreign(&self) -> Option<&Path> {
        let is_foreign = self.is_foreign.get_or_init(|| is_foreign(self.folder));
        is_foreign.then_some(self.folder)
    }
}
