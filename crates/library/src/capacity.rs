//! Compares memory and disk with what tables take.

use crate::build::BuildFootprint;
use crate::{LibraryError, MemoryLimit};
use plan::Job;
use std::path::Path;

/// Fails if one of these jobs takes more memory by itself than there may be.
///
/// # Errors
/// That of the job which takes most.
pub fn check_memory<'j>(
    limit: MemoryLimit,
    jobs: impl Iterator<Item = &'j Job>,
    footprint: &BuildFootprint<'_>,
) -> Result<(), LibraryError> {
    let needed = |job: &Job| footprint.total_of(job);
    let largest = jobs.filter(|job| needed(job) > limit.bytes).max_by_key(|job| needed(job));
    largest.map_or(Ok(()), |job| Err(memory_short(limit, job, footprint)))
}

/// The error of a job that takes more memory than there may be.
pub(crate) fn memory_short(limit: MemoryLimit, job: &Job, footprint: &BuildFootprint<'_>) -> LibraryError {
    let BuildFootprint { n_threads, .. } = *footprint;
    let needed = |n_threads| BuildFootprint { n_threads, ..*footprint }.total_of(job);
    LibraryError::MemoryShort {
        material: job.name.clone(),
        needed_bytes: needed(n_threads),
        limit,
        n_threads,
        fitting_threads: (1..n_threads).rev().find(|&n| needed(n) <= limit.bytes),
    }
}

/// Fails if the disk of this folder has less than `needed_bytes` free; the folder need not exist yet.
pub(crate) fn check_disk(folder: &Path, needed_bytes: u64) -> Result<(), LibraryError> {
    let existing = folder.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
    let existing = if existing.as_os_str().is_empty() { Path::new(".") } else { existing };
    // A file system that does not say is no reason not to start.
    let Ok(free_bytes) = fs4::available_space(existing) else { return Ok(()) };
    compare(folder, needed_bytes, free_bytes)
}

fn compare(folder: &Path, needed_bytes: u64, free_bytes: u64) -> Result<(), LibraryError> {
    if needed_bytes <= free_bytes {
        return Ok(());
    }
    Err(LibraryError::DiskFull { folder: folder.into(), free_bytes, needed_bytes })
}

#[cfg(test)]
mod tests {
    use super::{check_disk, compare};
    use crate::{LibraryError, Remedy};
    use std::path::Path;

    #[test]
    fn too_little_room_is_said() {
        assert!(compare(Path::new("tables"), 10, 10).is_ok());
        let error: LibraryError =
            compare(Path::new("tables"), 2_000_000, 1_000).expect_err("there is too little room");
        let message = error.to_string();
        assert!(message.contains("1.0 kB free") && message.contains("2.0 MB"), "{message}");
        assert_eq!(error.remedy(), Some(Remedy::MakeRoom));
    }

    #[test]
    fn folder_need_not_exist() {
        assert!(check_disk(Path::new("no/such/folder"), 1).is_ok());
        assert!(check_disk(Path::new("no/such/folder"), u64::MAX).is_err());
    }
}
