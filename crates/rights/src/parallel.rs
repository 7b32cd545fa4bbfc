//! Shares ranges of numbers among threads of its own.
//!
//! Threads of a pool would take up other work while they wait, such as another question that waits for what
//! is being solved here, and both would wait for ever.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `work` makes of each range of so many numbers, in order.
pub(crate) fn in_chunks<T: Send>(
    n_numbers: usize,
    chunk: usize,
    n_threads: usize,
    work: &(dyn Fn(Range<usize>) -> T + Sync),
) -> Vec<T> {
    let n_chunks = n_numbers.div_ceil(chunk);
    let range = |number: usize| number * chunk..n_numbers.min((number + 1) * chunk);
    if n_threads < 2 || n_chunks < 2 {
        return (0..n_chunks).map(|number| work(range(number))).collect();
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(n_chunks)));
    let run = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= n_chunks {
                return;
            }
            let made = work(range(number));
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, made));
        }
    };
    std::thread::scope(|scope| {
        // The system may refuse threads where memory is short; this one works in any case.
        let spawn = || std::thread::Builder::new().spawn_scoped(scope, run);
        (1..n_threads.min(n_chunks)).map_while(|_| spawn().ok()).for_each(drop);
        run();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, made)| made).collect()
}
