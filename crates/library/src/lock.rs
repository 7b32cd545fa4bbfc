//! Locks a folder against writers that would be in each other's way, and removes what a killed one has left
//! half written.

use crate::LibraryError;
use crate::lease::remove_abandoned;
use fs4::TryLockError;
use std::fs::{self, File};
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

/// How long somebody who shares a folder waits for one who has it alone: as long as that one may take to
/// clean up.
const PATIENCE: Duration = Duration::from_secs(2);

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
            clean(folder)?;
        }
        Ok(lock)
    }

    /// The same with others that share it too: each table is leased to one of them (see
    /// [`TableLease`](crate::TableLease)). Temporary files are removed by whoever comes first.
    ///
    /// # Errors
    /// As [`FolderLock::new`], if a writer has locked it against all others.
    pub fn shared(folder: &Path) -> Result<Self, LibraryError> {
        let lock = FolderLock::open(folder)?;
        let Ok(file) = &lock.file else { return Ok(lock) };
        let begin = Instant::now();
        loop {
            match fs4::FileExt::try_lock(file) {
                Ok(()) => {
                    clean(folder)?;
                    // In between somebody may lock it alone, who then finds nothing to clean.
                    let _ = fs4::FileExt::unlock(file);
                }
                Err(TryLockError::WouldBlock) => {}
                // Of a file system without locks nobody can say who else is there: nothing is removed.
                Err(TryLockError::Error(_)) => return Ok(lock),
            }
            match fs4::FileExt::try_lock_shared(file) {
                Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => {
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

/// Removes temporary files and drafts.
fn clean(folder: &Path) -> Result<(), LibraryError> {
    for entry in fs::read_dir(folder).map_err(LibraryError::io("read the folder", folder))? {
        let entry = entry.map_err(LibraryError::io("read the folder", folder))?;
        if entry.file_name().to_str().is_some_and(format::is_temporary) {
            fs::remove_file(entry.path()).map_err(LibraryError::io("clean the folder", folder))?;
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
