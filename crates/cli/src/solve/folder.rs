//! The folder that tables are written to: made, locked against a second run, and cleaned.

use crate::Failure;
use fs4::TryLockError;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The file that a run holds locked; the system lets go of it when the run ends, however that is.
const LOCK: &str = ".lock";

/// A folder that nobody else writes to.
pub(crate) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder if need be, locks it, and removes what a run that was killed has left half written.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let fail = |action: &str, error: std::io::Error| {
            Failure::new(format!("cannot {action} the folder {}: {error}", path.display()))
        };
        fs::create_dir_all(path).map_err(|error| match path.is_file() {
            true => Failure::new(format!("{} is a file, and --out wants a folder", path.display())),
            false => fail("make", error),
        })?;
        let lock = File::create(path.join(LOCK)).map_err(|error| fail("write to", error))?;
        // A file system without locks is used without.
        if let Err(TryLockError::WouldBlock) = fs4::FileExt::try_lock(&lock) {
            return Err(Failure::new(format!(
                "another run is writing to {}; wait for it, or choose another folder with --out DIR",
                path.display()
            )));
        }
        for entry in fs::read_dir(path).map_err(|error| fail("read", error))? {
            let entry = entry.map_err(|error| fail("read", error))?;
            if entry.file_name().to_str().is_some_and(format::is_temporary) {
                fs::remove_file(entry.path()).map_err(|error| fail("clean", error))?;
            }
        }
        Ok(Folder { path: path.into(), _lock: lock })
    }

    /// The path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
