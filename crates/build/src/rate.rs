//! Measures how fast this machine builds the tables of a game, by building small ones for a few seconds.
//!
//! The tables are built as a run builds them, solved, packed, written and read again, into a folder for
//! temporary files. Values a second differ from table to table by a factor of two or three, so what comes of
//! it is a rough time and no promise.

use super::{Build, BuildOptions, Unwatched};
use crate::FolderLock;
use library::{Edition, LibraryError};
use plan::{Job, Plan, Request};
use rayon::ThreadPool;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Tables of more values take longer than anybody likes to wait for an estimate.
const MOST_VALUES: u64 = 30_000_000;

/// No tables of more men are built.
const MOST_MEN: usize = 4;

/// How many values a second a build makes on this machine, with the threads of this pool; none if the game
/// has no small tables. No table is begun once `budget` is over.
///
/// # Errors
/// The tables cannot be built.
pub fn values_per_second(
    edition: &Edition,
    pool: &ThreadPool,
    options: BuildOptions,
    budget: Duration,
) -> Result<Option<u64>, LibraryError> {
    let variant = edition.variant();
    let is_small = |n_men: &usize| {
        let largest = plan::largest(variant, *n_men);
        largest.is_some_and(|job| job.n_values() <= MOST_VALUES)
    };
    let Some(n_men) = (2..=MOST_MEN).rev().find(is_small) else { return Ok(None) };
    let plan = Plan::new(variant, &Request::UpTo(n_men))?;
    let folder = TemporaryFolder::new();
    let lock = FolderLock::new(&folder.0)?;
    let is_over = AtomicBool::new(false);
    let begin = Instant::now();
    let built = std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<()>();
        // Without this thread, which the system may refuse, it takes as long as it takes.
        let clock = Builder::new().spawn_scoped(scope, || {
            // Nothing is ever sent: the wait ends when the time is over, or with the sender.
            let receiver = receiver;
            let _ = receiver.recv_timeout(budget);
            is_over.store(true, Ordering::Relaxed);
        });
        drop(clock);
        let build = Build::new(&plan, &lock, pool, options).with_interrupt(&is_over);
        let built = build.run(edition, &Unwatched);
        drop(sender);
        built
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    let is_built = |job: &&Job| built.tables.iter().any(|table| table.name == job.name);
    let n_values: u64 = plan.jobs().filter(is_built).map(Job::n_values).sum();
    match built.error {
        Some(error) if !matches!(error, LibraryError::Interrupted) => Err(error),
        _ => Ok(Some((n_values as f64 / seconds) as u64).filter(|&rate| rate > 0)),
    }
}

/// A folder that is gone when the measurement is over.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn new() -> Self {
        TemporaryFolder(std::env::temp_dir().join(format!("tablesmith-rate-{}", std::process::id())))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // What stays behind there is cleared away by the system.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::{TemporaryFolder, values_per_second};
    use crate::BuildOptions;
    use library::Edition;
    use std::time::Duration;
    use variant::{Metric, Variant};

    #[test]
    fn rate_is_measured_and_nothing_stays_behind() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
        let edition = Edition::new(&Variant::chess(), Metric::Dtm);
        let rate = values_per_second(&edition, &pool, BuildOptions::default(), Duration::from_millis(50));
        assert!(rate.expect("tables are built").expect("chess has small tables") > 1000);
        assert!(!TemporaryFolder::new().0.exists());
    }
}
