//! Starts the threads that compute.

use crate::Failure;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How many threads there are to be: those that are given, or else one for each core.
pub(crate) fn count_threads(wanted: Option<u16>) -> usize {
    wanted.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Starts the given number of threads, or else one for each core.
pub(crate) fn pool(n_threads: Option<u16>) -> Result<ThreadPool, Failure> {
    let builder = ThreadPoolBuilder::new().num_threads(n_threads.map_or(0, usize::from));
    builder.build().map_err(|error| Failure::new(format!("cannot start the threads: {error}")))
}
