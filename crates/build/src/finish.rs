//! Trims the tables of a plan: drops the side to move that takes more room as soon as every table that reads
//! it is there.
//!
//! While tables are made, files have both sides to move, so that all that is made from them can be. What a
//! process was killed over is trimmed by the next one: a file says what it becomes. A table that was trimmed
//! and is read once more is solved again into scratch, which goes here, too.

use crate::{FileOptions, FolderLock, TableLease};
use format::{FormatError, trim};
use library::{AGAIN, Edition, LibraryError, TableFiles};
use plan::{Job, JobId, Plan};
use std::fs;
use std::path::Path;

/// Trims the tables of a set of which all readers are there, as the indexes of their files say; how many
/// there were. For a set that is made by jobs, of which none knows the others.
///
/// # Errors
/// A file is damaged, or cannot be written.
pub fn trim_set(
    plan: &Plan,
    lock: &FolderLock,
    edition: &Edition,
    options: FileOptions,
) -> Result<usize, LibraryError> {
    let files = TableFiles::new(edition.clone(), lock.folder());
    let is_there = |job: &Job| {
        edition.metrics().iter().all(|&metric| {
            let summary = files.summary(&job.name, metric);
            summary.is_ok_and(|summary| edition.is_current(&job.material, metric, &summary))
        })
    };
    let there: Vec<bool> = plan.jobs().map(is_there).collect();
    let is_read = |id: &JobId| plan.in_need_of(*id).iter().all(|reader| there[reader.0]);
    let mut n_trimmed = 0;
    for id in plan.ids().filter(is_read) {
        let finished = finish(lock, &files, plan.job(id), options, None)?;
        n_trimmed += usize::from(matches!(finished, Finished::Trimmed { .. }));
    }
    remove_again_folder(lock.folder());
    Ok(n_trimmed)
}

/// What has become of a table that no table will read any more.
pub(super) enum Finished {
    /// There was nothing to trim.
    AsItWas,
    /// Its columns have this size together, now that one is trimmed.
    Trimmed { size_bytes: u64 },
    /// Another process has leased it: it may be trimming it, or adding a column.
    Leased,
}

/// Trims the columns of a table that no table will read any more, and removes what was solved again of it.
pub(super) fn finish(
    lock: &FolderLock,
    files: &TableFiles,
    job: &Job,
    options: FileOptions,
    lease: Option<&TableLease>,
) -> Result<Finished, LibraryError> {
    let (edition, path) = (files.edition(), |metric| files.path(&job.name, metric));
    let is_untrimmed = |metric| {
        options.is_one_sided(job, metric)
            && files.summary(&job.name, metric).is_ok_and(|summary| summary.metadata.trims_to.is_some())
    };
    let untrimmed: Vec<_> =
        edition.metrics().iter().copied().filter(|&metric| is_untrimmed(metric)).collect();
    let again = edition.metrics().iter().map(|&metric| files.again_path(&job.name, metric));
    let again: Vec<_> = again.filter(|path| path.exists()).collect();
    if untrimmed.is_empty() && again.is_empty() || !lock.is_writable() {
        return Ok(Finished::AsItWas);
    }
    let own = match lease {
        Some(_) => None,
        None => match TableLease::try_new(&files.main_path(&job.name))? {
            Ok(lease) => Some(lease),
            Err(_) => return Ok(Finished::Leased),
        },
    };
    again.iter().for_each(|path| remove_again(path));
    for &metric in &untrimmed {
        trim(&path(metric), edition.variant(), edition.column(&job.name, metric))?;
    }
    drop(own);
    if untrimmed.is_empty() {
        return Ok(Finished::AsItWas);
    }
    let size = |&metric| Ok(files.summary(&job.name, metric)?.size_bytes);
    let sizes = edition.metrics().iter().map(size).collect::<Result<Vec<u64>, FormatError>>()?;
    Ok(Finished::Trimmed { size_bytes: sizes.iter().sum() })
}

/// Removes a table that was solved again.
pub(super) fn remove_again(path: &Path) {
    // Another process may have removed it; what stays is removed when its table is finished again.
    let _ = fs::remove_file(path);
}

/// Removes the folder of tables that were solved again, if none is left there; at the end of a run, since
/// jobs of the same run write into it.
pub(super) fn remove_again_folder(tables: &Path) {
    let _ = fs::remove_dir(tables.join(AGAIN));
}
