//! Locks a folder against a second build and removes what a killed one has left half written.

use crate::LibraryError;
use fs4::TryLockError;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The file that a build holds locked; the system lets go of it when the process ends, however that is.
const LOCK: &str = ".lock";

/// A folder that nobody else writes to.
#[derive(Debug)]
pub struct FolderLock {
    folder: PathBuf,
    _file: File,
}

impl FolderLock {
    /// Makes the folder if need be, locks it, and removes temporary files.
    ///
    /// # Errors
    /// The system refuses, or another build has locked the folder.
    pub fn new(folder: &Path) -> Result<Self, LibraryError> {
        fs::create_dir_all(folder).map_err(|error| match folder.is_file() {
            true => LibraryError::NotAFolder { path: folder.into() },
            false => LibraryError::io("make the folder", folder)(error),
        })?;
        let file =
            File::create(folder.join(LOCK)).map_err(LibraryError::io("write to the folder", folder))?;
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
        Ok(FolderLock { folder: folder.into(), _file: file })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
