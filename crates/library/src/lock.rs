//! Locks a folder against a second writer and removes what a killed one has left half written.

use crate::LibraryError;
use fs4::TryLockError;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The file that a writer holds locked; the system lets go of it when the process ends, however that is.
const LOCK: &str = ".lock";

/// A folder that nobody else writes to.
#[derive(Debug)]
pub struct FolderLock {
    folder: PathBuf,
    /// The locked file, or why nothing can be written to the folder.
    file: Result<File, io::ErrorKind>,
}

impl FolderLock {
    /// Makes the folder if need be, locks it, and removes temporary files.
    ///
    /// A folder that is there and cannot be written to (a disk that is mounted read-only) is no error yet:
    /// its tables may all be done. [`FolderLock::check_writable`] tells.
    ///
    /// # Errors
    /// There is no folder and none can be made, or another writer has locked it.
    pub fn new(folder: &Path) -> Result<Self, LibraryError> {
        fs::create_dir_all(folder).map_err(|error| match folder.is_file() {
            true => LibraryError::NotAFolder { path: folder.into() },
            false => LibraryError::io("make the folder", folder)(error),
        })?;
        let file = match create(&folder.join(LOCK)) {
            Ok(file) => file,
            Err(error) => return Ok(FolderLock { folder: folder.into(), file: Err(error.kind()) }),
        };
        // A file system without locks is used without.
        if let Err(TryLockError::WouldBlock) = fs4::FileExt::try_lock(&file) {
            return Err(LibraryError::FolderBusy { folder: folder.into() });
        }
        for entry in fs::read_dir(folder).map_err(LibraryError::io("read the folder", folder))? {
            let entry = entry.map_err(LibraryError::io("read the folder", folder))?;
            if entry.file_name().to_str().is_some_and(format::is_temporary) {
                fs::remove_file(entry.path()).map_err(LibraryError::io("clean the folder", folder))?;
            }
        }
        Ok(FolderLock { folder: folder.into(), file: Ok(file) })
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

/// Makes the file of the lock. What stands in its place and is no file (a pipe would never open) is not
/// opened.
fn create(path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => Err(io::ErrorKind::AlreadyExists.into()),
        _ => File::create(path),
    }
}
