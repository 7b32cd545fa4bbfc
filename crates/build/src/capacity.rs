//! Compares memory and disk with what tables take.

use crate::BuildFootprint;
use crate::FileOptions;
use format::Packing;
use library::Fitting;
use library::{LibraryError, MemoryLimit};
use plan::{Job, Plan, Request};
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
    let needed = jobs.map(|job| (footprint.total_of(job), job));
    let largest = needed.filter(|(bytes, _)| *bytes > limit.bytes).max_by_key(|(bytes, _)| *bytes);
    largest.map_or(Ok(()), |(_, job)| Err(memory_short(limit, job, footprint)))
}

/// Fails if the largest of the tables that are wanted takes more memory than there may be; `is_there` says
/// which tables have files already. Nothing is planned for it, so it takes no time to speak of where a plan
/// of thousands of tables takes minutes.
///
/// # Errors
/// That of the largest table.
pub fn check_largest(
    limit: MemoryLimit,
    request: &Request,
    footprint: &BuildFootprint<'_>,
    is_there: impl Fn(&Job) -> bool,
) -> Result<(), LibraryError> {
    let variant = footprint.edition.variant();
    let largest = match request {
        &Request::UpTo(n_men) if n_men <= index::MAX_MEN => plan::largest(variant, n_men),
        _ => {
            let named = request.named(variant).into_iter().filter(|named| named.n_men() <= index::MAX_MEN);
            named.map(|material| Job::alone(variant, material)).max_by_key(|job| footprint.total_of(job))
        }
    };
    match largest {
        Some(job) if footprint.total_of(&job) > limit.bytes && !is_there(&job) => {
            Err(memory_short(limit, &job, footprint))
        }
        _ => Ok(()),
    }
}

/// The error of a job that takes more memory than there may be.
pub(crate) fn memory_short(limit: MemoryLimit, job: &Job, footprint: &BuildFootprint<'_>) -> LibraryError {
    let BuildFootprint { n_threads, files, .. } = *footprint;
    let needed = |n_threads| BuildFootprint { n_threads, ..*footprint }.total_of(job);
    let quick = FileOptions { packing: Packing::Quick, ..files };
    LibraryError::MemoryShort {
        material: job.name.clone(),
        needed_bytes: needed(n_threads),
        limit,
        n_threads,
        fitting: Fitting {
            n_threads: (1..n_threads).rev().find(|&n| needed(n) <= limit.bytes),
            n_men: fitting_men(limit, job.material.n_men(), footprint),
            is_quick: files.packing == Packing::Small
                && BuildFootprint { files: quick, ..*footprint }.total_of(job) <= limit.bytes,
        },
    }
}

/// How many men, fewer than so many, all tables can have that fit; none if not even the smallest do.
fn fitting_men(limit: MemoryLimit, n_men: usize, footprint: &BuildFootprint<'_>) -> Option<usize> {
    let variant = footprint.edition.variant();
    let fits = |job: &Job| footprint.total_of(job) <= limit.bytes;
    let fitting = |&n_men: &usize| {
        plan::largest(variant, n_men).is_some_and(|job| fits(&job))
            && Plan::new(variant, &Request::UpTo(n_men)).is_ok_and(|plan| plan.jobs().all(fits))
    };
    (2..n_men).rev().find(fitting)
}

/// Fails if the disk of this folder has less than `needed_bytes` free; the folder need not exist yet.
///
/// # Errors
/// How much is free and how much is needed.
pub fn check_disk(folder: &Path, needed_bytes: u64) -> Result<(), LibraryError> {
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
    use library::{LibraryError, Remedy};
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
