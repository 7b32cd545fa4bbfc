//! Whether the disk has room for what will be written.

use crate::Failure;
use crate::figure::bytes;
use std::path::Path;

/// Fails if the disk of this folder has less than `needed_bytes` free; the folder need not exist yet.
pub(crate) fn check(folder: &Path, needed_bytes: u64) -> Result<(), Failure> {
    let existing = folder.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
    let existing = if existing.as_os_str().is_empty() { Path::new(".") } else { existing };
    // A file system that does not tell is no reason not to start.
    let Ok(free_bytes) = fs4::available_space(existing) else { return Ok(()) };
    compare(folder, needed_bytes, free_bytes)
}

fn compare(folder: &Path, needed_bytes: u64, free_bytes: u64) -> Result<(), Failure> {
    if needed_bytes <= free_bytes {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the disk of {} has {} free, and the tables need about {}; make room, or choose another folder with --out DIR",
        folder.display(),
        bytes(free_bytes),
        bytes(needed_bytes),
    )))
}

#[cfg(test)]
mod tests {
    use super::{check, compare};
    use crate::Failure;
    use std::path::Path;

    #[test]
    fn too_little_room_is_said() {
        assert_eq!(compare(Path::new("tables"), 10, 10), Ok(()));
        let Err(Failure::Message(message)) = compare(Path::new("tables"), 2_000_000, 1_000) else {
            panic!("there is too little room");
        };
        assert!(message.contains("1.0 kB free") && message.contains("2.0 MB"), "{message}");
    }

    #[test]
    fn folder_need_not_exist() {
        assert_eq!(check(Path::new("no/such/folder"), 1), Ok(()));
        assert!(check(Path::new("no/such/folder"), u64::MAX).is_err());
    }
}
