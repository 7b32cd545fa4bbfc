//! Locks a folder against writers that would be in each other's way, and removes what a killed one has left
//! half written.

use crate::lease::{is_leased_under_any_metric, remove_abandoned};
use fs4::TryLockError;
use library::LibraryError;
use std::fs::{self, DirEntry, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

    /// The same with others that share it too: each table is leased to one of them (see
    /// [`TableLease`](crate::TableLease)). Whoever comes first removes the temporary files of this machine:
    /// on some file systems each machine has locks of its own, so those of others may be at work. What
    /// these have left is removed when it is old and nobody has leased its table.
    ///
    /// # Errors
    /// As [`FolderLock::new`], if a writer has locked it against all others for so long (`patience`):
    /// whoever cleans up does that for a moment.
    pub fn shared(folder: &Path, patience: Duration) -> Result<Self, LibraryError> {
        let lock = FolderLock::open(folder)?;
        let Ok(file) = &lock.file else { return Ok(lock) };
        let begin = Instant::now();
        loop {
            match fs4::FileExt::try_lock(file) {
                Ok(()) => {
                    clean(folder, &is_abandoned)?;
                    // In between somebody may lock it alone, who then finds nothing to clean.
                    let _ = fs4::FileExt::unlock(file);
                }
                Err(TryLockError::WouldBlock) => {}
                // Of a file system without locks nobody can say who else is there: nothing is removed.
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

/// How long a temporary file of another machine has not been written to before it is one that nobody writes
/// any more; clocks may differ by minutes.
const OLD: Duration = Duration::from_secs(3600);

/// Whether nobody writes a temporary file any more, while no process of this machine writes any.
fn is_abandoned(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let modified = || entry.metadata().and_then(|there| there.modified());
    let is_old = || modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > OLD));
    format::is_own_temporary(&name) || is_old() && !is_leased_under_any_metric(&entry.path())
}

/// Removes temporary files of this kind, and drafts.
fn clean(folder: &Path, is_to_go: &dyn Fn(&DirEntry) -> bool) -> Result<(), LibraryError> {
    for entry in fs::read_dir(folder).map_err(LibraryError::io("read the folder", folder))? {
        let entry = entry.map_err(LibraryError::io("read the folder", folder))?;
        if entry.file_name().to_str().is_some_and(format::is_temporary) && is_to_go(&entry) {
            match fs::remove_file(entry.path()) {
                // Its writer has renamed it, or somebody else has removed it.
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

#[cfg(test)]
mod tests {
    use super::FolderLock;
    use crate::{TableLease, lease_path};
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    /// Writes files of so many hours ago, shares their folder, and returns which are left.
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
            [("KQvK.tsm.tmp-00c0ffee-1-0", 0), ("KRvK.wdl.tsm.tmp-00c0ffee-1-1", 5), ("KBvK.tsm.tmp-1-0", 0)];
        let _lease =
            TableLease::try_new(&folder.join("KRvK.dtz50.tsm")).expect("a lease").expect("nobody has it");
        assert_eq!(left_of(folder, &others), others.map(|(name, _)| name.to_owned()));
        assert!(lease_path(&folder.join("KRvK.dtz50.tsm")).exists());
        // Old, and of nobody who is at work; and names of tables that begin like a leased one.
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
