//! Locks a folder against writers that would be in each other's way, and removes what a killed one has left
//! half written.

use crate::file_log::LOG_EXTENSION;
use crate::lease::{is_leased, remove_abandoned};
use crate::slice_file::SLICES_EXTENSION;
use format::{Checksum, Summary, winner_name};
use fs4::TryLockError;
use library::{AGAIN, Edition, LibraryError, TableFiles};
use plan::{Job, Plan, Request};
use std::fs::{DirEntry, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};
use variant::{Material, Metric, Side, Variant};

/// The file that a writer holds locked; the system lets go of it when the process ends, however that is.
const LOCK: &str = ".lock";

/// The folder in a folder of tables in which files wait that are to take the place of others.
pub(crate) const DRAFTS: &str = ".drafts";

/// A folder that is written to, alone or together with others that lease its tables one by one.
#[derive(Debug)]
pub struct FolderLock {
    folder: PathBuf,
    /// The locked file, or why nothing can be written to the folder.
    file: Result<File, io::ErrorKind>,
}

impl FolderLock {
    /// Makes the folder if need be, locks it against all others, and removes temporary files.
    ///
    /// A folder that is there and cannot be written to (a disk that is mounted read-only) is no error yet:
    /// its tables may all be done. [`FolderLock::check_writable`] tells.
    ///
    /// # Errors
    /// There is no folder and none can be made, or another writer has locked it.
    pub fn new(folder: &Path) -> Result<Self, LibraryError> {
        let lock = FolderLock::open(folder)?;
        if let Ok(file) = &lock.file {
            // A file system without locks is used without.
            if let Err(TryLockError::WouldBlock) = fs4::FileExt::try_lock(file) {
                return Err(LibraryError::FolderBusy { folder: folder.into() });
            }
            clean(folder, &|_| true)?;
        }
        Ok(lock)
    }

    /// Like [`Self::new`], with other processes that share the folder: each table is leased to one of them
    /// (see [`TableLease`](crate::TableLease)). The process that comes first removes the temporary files of
    /// this machine: on some file systems each machine has locks of its own, so those of others may be at
    /// work. What these have left is removed when it is old and no process has leased its table.
    ///
    /// # Errors
    /// As [`FolderLock::new`], if a writer has locked it against all others for so long (`patience`):
    /// a process that cleans up does that for a moment.
    pub fn shared(folder: &Path, patience: Duration) -> Result<Self, LibraryError> {
        let lock = FolderLock::open(folder)?;
        let Ok(file) = &lock.file else { return Ok(lock) };
        let begin = Instant::now();
        loop {
            match fs4::FileExt::try_lock(file) {
                Ok(()) => {
                    clean(folder, &is_abandoned)?;
                    // In between a process may lock it alone, which then finds nothing to clean.
                    let _ = fs4::FileExt::unlock(file);
                }
                Err(TryLockError::WouldBlock) => {}
                // A file system without locks does not tell which other runs are there: nothing is removed.
                Err(TryLockError::Error(_)) => return Ok(lock),
            }
            match fs4::FileExt::try_lock_shared(file) {
                Err(TryLockError::WouldBlock) if begin.elapsed() < patience => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LibraryError::FolderBusy { folder: folder.into() });
                }
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(lock),
            }
        }
    }

    /// The folder, made if need be, and the file to be locked.
    fn open(folder: &Path) -> Result<Self, LibraryError> {
        fs::create_dir_all(folder).map_err(|error| match folder.is_file() {
            true => LibraryError::NotAFolder { path: folder.into() },
            false => LibraryError::io("make the folder", folder)(error),
        })?;
        let file = create(&folder.join(LOCK)).map_err(|error| error.kind());
        Ok(FolderLock { folder: folder.into(), file })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether files can be written to the folder.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.file.is_ok()
    }

    /// Fails if no file can be written to the folder.
    ///
    /// # Errors
    /// What the system says.
    pub fn check_writable(&self) -> Result<(), LibraryError> {
        match &self.file {
            Ok(_) => Ok(()),
            Err(kind) => Err(LibraryError::io("write to the folder", &self.folder)((*kind).into())),
        }
    }
}

/// How long a temporary file of another machine has not been written to before it is one that no process
/// writes any more; clocks may differ by minutes.
const OLD: Duration = Duration::from_secs(3600);

/// Whether no process writes a temporary file any more, while no process of this machine writes any.
fn is_abandoned(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let modified = || entry.metadata().and_then(|there| there.modified());
    let is_old = || modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > OLD));
    format::is_own_temporary(&name) || is_old() && !is_leased(&entry.path())
}

/// Removes temporary files of this kind, and drafts.
fn clean(folder: &Path, is_to_go: &dyn Fn(&DirEntry) -> bool) -> Result<(), LibraryError> {
    let entries = fs::read_dir(folder).map_err(LibraryError::io("read the folder", folder))?;
    let again = fs::read_dir(folder.join(AGAIN)).into_iter().flatten();
    for entry in entries.chain(again) {
        let entry = entry.map_err(LibraryError::io("read the folder", folder))?;
        if entry.file_name().to_str().is_some_and(format::is_temporary) && is_to_go(&entry) {
            match fs::remove_file(entry.path()) {
                // Its writer has renamed it, or another process has removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.map_err(LibraryError::io("clean the folder", folder))?,
            }
        }
    }
    match fs::remove_dir_all(folder.join(DRAFTS)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(LibraryError::io("clean the folder", folder)(error));
        }
        _ => {}
    }
    remove_abandoned(folder).map_err(LibraryError::io("clean the folder", folder))
}

/// Makes the file of the lock. What stands in its place and is no file (a pipe would never open) is not
/// opened.
fn create(path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => Err(io::ErrorKind::AlreadyExists.into()),
        _ => File::create(path),
    }
}

/// What is known of a file of scratch.
///
/// ```text
///   fide.KRBvKNN.dtc.tslog        the log of a table without pawns          (file_log.rs)
///   fide.KRPvKR.dtc.tsslices      the finished slices of one with pawns     (slice_file.rs)
///   fide.KRPvKR.dtc.tslog         the log of the slice that was being solved
///   fide.KRBvKNN.white.dtc.tslog  the log of a table with White's wins alone
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScratchUse {
    /// The next run that solves its table goes on with it.
    Awaited,
    /// Its table is there.
    Done,
    /// It is of other rules, another version, other tables below, or of nothing at all.
    Outdated,
    /// Its use is not known: a table that its table is made from is not there.
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
    /// Removes the file. `tables` is the folder of its tables, in which no process is solving meanwhile.
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
    // Tables that were solved again, for a run that was killed.
    for entry in fs::read_dir(tables.join(AGAIN)).into_iter().flatten().flatten() {
        let (path, size_bytes) = (entry.path(), entry.metadata().map_or(0, |there| there.len()));
        files.push(ScratchFile { path, size_bytes, usage: ScratchUse::Awaited });
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
            // Which slice it is of is known to the file of the finished ones.
            let slices = path.with_extension(SLICES_EXTENSION);
            let is_alone = !slices.exists();
            let of_slices = ScratchName { is_log: false, material: self.material.clone(), ..*self };
            return if is_alone { ScratchUse::Outdated } else { of_slices.usage(variant, tables, &slices) };
        }
        // A file that has left out a side to move may be about to get it back.
        let content = |job: &Job| -> Option<Summary> {
            let summary = files.main_summary(&job.name).ok()?;
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
        match format::container_identity(path) {
            Some(stored) if stored == identity(files.edition(), job, dependencies) => ScratchUse::Awaited,
            _ => ScratchUse::Outdated,
        }
    }
}

/// Names all that the scratch of a table depends on: the rules, the solver, the metric, and what the tables
/// below hold, by their names.
pub(crate) fn identity<'n>(
    edition: &Edition,
    job: &Job,
    dependencies: impl IntoIterator<Item = (&'n str, Checksum)>,
) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let column = edition.column(&job.name, edition.metric());
    let rules = format::rules_hash(edition.variant(), &job.material, column);
    hasher.update(&rules.0);
    hasher.update(&solve::VERSION.to_le_bytes());
    hasher.update(edition.metric().name().as_bytes());
    hasher.update(job.name.as_bytes());
    for (material, content) in dependencies {
        hasher.update(material.as_bytes()).update(&content.0);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use crate::lock::FolderLock;
    use crate::{TableLease, lease_path};
    use std::fs;
    use std::fs::File;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    /// Writes files of this many hours ago, shares their folder, and returns which are left.
    #[track_caller]
    fn left_of(folder: &Path, files: &[(&str, u64)]) -> Vec<String> {
        for (name, hours) in files {
            let file = File::create(folder.join(name)).expect("a file");
            let written = SystemTime::now() - Duration::from_secs(hours * 3600);
            file.set_modified(written).expect("a time");
        }
        drop(FolderLock::shared(folder, Duration::ZERO).expect("a lock"));
        files.iter().map(|(name, _)| (*name).to_owned()).filter(|name| folder.join(name).exists()).collect()
    }

    #[test]
    fn what_other_machines_write_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let others =
            [("KQvK.tsm.tmp-00c0ffee-1-0", 0), ("KRvK.tsm.tmp-00c0ffee-1-1", 5), ("KBvK.tsm.tmp-1-0", 0)];
        let _lease =
            TableLease::try_new(&folder.join("KRvK.tsm")).expect("a lease").expect("no other holder");
        assert_eq!(left_of(folder, &others), others.map(|(name, _)| name.to_owned()));
        assert!(lease_path(&folder.join("KRvK.tsm")).exists());
        // Old, and of no process that is at work; and names of tables that begin like a leased one.
        let old =
            [("KQvK.tsm.tmp-00c0ffee-1-0", 2), ("KRvKR.tsm.tmp-00c0ffee-1-0", 2), ("KBvK.tsm.tmp-1-0", 2)];
        assert!(left_of(folder, &old).is_empty());
        let error = format::write_atomically(&folder.join("nowhere/KQvK.tsm"), &[]).expect_err("no folder");
        let text = error.to_string();
        let own = text.split(['/', ' ', ':']).find(|word| format::is_own_temporary(word)).expect("a name");
        assert!(left_of(folder, &[(own, 0)]).is_empty(), "{own}");
        drop(fs::remove_dir_all(folder));
    }
}
