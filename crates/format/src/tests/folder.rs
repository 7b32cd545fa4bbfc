//! Holds the files of a test.

use std::fs;
use std::path::PathBuf;

/// A folder that is gone when the test is over.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tablesmith-format-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(super) fn file(&self, material: &str) -> PathBuf {
        self.0.join(crate::file_name(material))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
