//! Lists what runs have left behind that solved tables too large for memory, and says which of it a run
//! will use.
//!
//! ```text
//!   fide.KRBvKNN.dtc.tslog        the log of a table without pawns          (file_log.rs)
//!   fide.KRPvKR.dtc.tsslices      the finished slices of one with pawns     (slice_file.rs)
//!   fide.KRPvKR.dtc.tslog         the log of the slice that was being solved
//!   fide.KRBvKNN.white.dtc.tslog  the log of a table with White's wins alone
//! ```

use crate::FolderLock;
use crate::file_log::LOG_EXTENSION;
use crate::slice_file::SLICES_EXTENSION;
use format::{Checksum, Summary, winner_name};
use library::{Edition, LibraryError, TableFiles};
use plan::{Job, Plan, Request};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use variant::{Material, Metric, Side, Variant};

/// Before the identity both kinds of files have a magic of so many bytes.
const MAGIC_BYTES: usize = 8;

/// What is known of a file of scratch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScratchUse {
    /// The next run that solves its table goes on with it.
    Awaited,
    /// Its table is there.
    Done,
    /// It is of other rules, another version, other tables below, or of nothing at all.
    Outdated,
    /// Nobody can say: a table that its table is made from is not there.
    Unknown,
}

impl ScratchUse {
    /// Whether no run will use it.
    #[must_use]
    pub fn is_none(self) -> bool {
        matches!(self, ScratchUse::Done | ScratchUse::Outdated)
    }
}

/// A file that a run has left behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScratchFile {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub size_bytes: u64,
    /// What becomes of it.
    pub usage: ScratchUse,
}

impl ScratchFile {
    /// Removes the file. `tables` is the folder of its tables, in which nobody is solving meanwhile.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove(&self, tables: &FolderLock) -> Result<(), LibraryError> {
        tables.check_writable()?;
        fs::remove_file(&self.path).map_err(LibraryError::io("remove", &self.path))
    }
}

/// The scratch of a game in a folder, sorted by name, whose tables go to `tables`.
///
/// # Errors
/// The folder cannot be read.
pub fn scratch_files(
    variant: &Variant,
    tables: &Path,
    folder: &Path,
) -> Result<Vec<ScratchFile>, LibraryError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(LibraryError::io("read", folder))? {
        let path = entry.map_err(LibraryError::io("read", folder))?.path();
        if let Some(name) = ScratchName::new(&path, variant) {
            let usage = name.usage(variant, tables, &path);
            let size_bytes = fs::metadata(&path).map_or(0, |there| there.len());
            files.push(ScratchFile { path, size_bytes, usage });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// What the name of a file of scratch says.
struct ScratchName {
    material: Option<Material>,
    metric: Option<Metric>,
    /// The side whose wins alone are solved.
    winner: Option<Side>,
    is_log: bool,
}

impl ScratchName {
    /// None if the file is no scratch of this game.
    fn new(path: &Path, variant: &Variant) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let (game, material, winner, metric, ending) = match name.split('.').collect::<Vec<&str>>()[..] {
            [game, material, metric, ending] => (game, material, None, metric, ending),
            [game, material, winner, metric, ending] => {
                let winner = Side::BOTH.into_iter().find(|&side| winner_name(side) == winner)?;
                (game, material, Some(winner), metric, ending)
            }
            _ => return None,
        };
        if game != variant.name || ![LOG_EXTENSION, SLICES_EXTENSION].contains(&ending) {
            return None;
        }
        let material = Material::parse(variant, material).ok().filter(|m| m.is_canonical(variant));
        Some(ScratchName { material, metric: metric.parse().ok(), winner, is_log: ending == LOG_EXTENSION })
    }

    fn usage(&self, variant: &Variant, tables: &Path, path: &Path) -> ScratchUse {
        let Some((material, metric)) = self.material.as_ref().zip(self.metric) else {
            return ScratchUse::Outdated;
        };
        let Ok(plan) = Plan::new(variant, &Request::Table(material.clone())) else {
            return ScratchUse::Outdated;
        };
        let edition = Edition::new(variant, metric);
        let edition = match self.winner {
            Some(winner) => edition.with_winner(material, winner),
            None => Ok(edition),
        };
        let Ok(edition) = edition else { return ScratchUse::Outdated };
        let files = TableFiles::new(edition, tables);
        let Some((id, job)) = plan.ids().zip(plan.jobs()).find(|(_, job)| job.material == *material) else {
            return ScratchUse::Outdated;
        };
        if self.is_log && job.size().n_pawns > 0 {
            // Which slice it is of is known to whoever has the finished ones.
            let slices = path.with_extension(SLICES_EXTENSION);
            let is_alone = !slices.exists();
            let of_slices = ScratchName { is_log: false, material: self.material.clone(), ..*self };
            return if is_alone { ScratchUse::Outdated } else { of_slices.usage(variant, tables, &slices) };
        }
        // A file that has left out a side to move may be about to get it back.
        let content = |job: &Job| -> Option<Summary> {
            let summary = Summary::read(&files.main_path(&job.name)).ok()?;
            files.edition().is_current(&job.material, metric, &summary).then_some(summary)
        };
        let is_whole = |summary: &Summary| summary.left_out(job.is_one_sided()).is_none();
        if files.are_there(&job.name) && content(job).as_ref().is_some_and(is_whole) {
            return ScratchUse::Done;
        }
        let mut dependencies = Vec::new();
        for needed in plan.needed_by(id) {
            let needed = plan.job(needed);
            match content(needed) {
                Some(summary) => dependencies.push((needed.name.as_str(), summary.table_content())),
                None => return ScratchUse::Unknown,
            }
        }
        match stored_identity(path) {
            Some(stored) if stored == identity(files.edition(), job, dependencies) => ScratchUse::Awaited,
            _ => ScratchUse::Outdated,
        }
    }
}

/// The identity that a file of scratch has; none if it is too short for one.
fn stored_identity(path: &Path) -> Option<[u8; 32]> {
    let mut head = [0; MAGIC_BYTES + 32];
    File::open(path).ok()?.read_exact(&mut head).ok()?;
    head[MAGIC_BYTES..].try_into().ok()
}

/// Names all that the scratch of a table depends on: the rules, the solver, the metric, and what the tables
/// below hold, by their names.
pub(crate) fn identity<'n>(
    edition: &Edition,
    job: &Job,
    dependencies: impl IntoIterator<Item = (&'n str, Checksum)>,
) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let winner = edition.winner_of(&job.name);
    let rules = format::rules_hash_with_winner(edition.variant(), &job.material, edition.metric(), winner);
    hasher.update(&rules.0);
    hasher.update(&solve::VERSION.to_le_bytes());
    hasher.update(edition.metric().name().as_bytes());
    hasher.update(job.name.as_bytes());
    for (material, content) in dependencies {
        hasher.update(material.as_bytes()).update(&content.0);
    }
    *hasher.finalize().as_bytes()
}
