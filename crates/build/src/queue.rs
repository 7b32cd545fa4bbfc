//! Runs the jobs of a schedule on several threads: each as soon as what it needs is done and there is memory
//! for it.
//!
//! These threads are not those that compute: one of them waits for files and locks, and a thread of a pool
//! that waits inside one job may be given a second one, which would then hold memory for nothing.

use super::ledger::Ledger;
use crate::ledger::{HoldingId, Schedule};
use plan::JobId;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread::Builder;

/// Does jobs one by one.
pub(super) trait Worker<T, E>: Sync {
    /// Returns what a job gives if it is done already; all that it needs is done. Takes no memory to speak
    /// of.
    fn look(&self, job: JobId) -> Result<Option<T>, E>;

    /// Does a job, which asks for room (`grow`) before it takes more memory than was estimated.
    fn make(&self, job: JobId, grow: &Grow<'_>) -> Result<T, E>;

    /// The error of a job that takes more memory than there may be.
    fn refuse(&self, job: JobId) -> E;

    /// Drops a table that jobs read from memory.
    fn forget(&self, holding: HoldingId);

    /// Whether no more jobs are to be begun; asked before each.
    fn is_interrupted(&self) -> bool;
}

/// Asks for this many bytes beyond what was estimated for a job; false if there is no room.
pub(super) type Grow<'a> = dyn Fn(u64) -> bool + Sync + 'a;

struct State<'a, R> {
    ledger: Ledger<'a>,
    is_stopped: bool,
    results: Vec<Option<R>>,
}

/// Does all jobs on this many threads; once a job fails no other is begun. What each job has given, none for
/// jobs that were not begun.
pub(super) fn run<T: Send, E: Send>(
    schedule: &Schedule,
    n_threads: usize,
    worker: &impl Worker<T, E>,
) -> Vec<Option<Result<T, E>>> {
    let results = schedule.jobs.iter().map(|_| None).collect();
    let queue = Queue {
        state: Mutex::new(State { ledger: Ledger::new(schedule), is_stopped: false, results }),
        changed: Condvar::new(),
        worker,
    };
    std::thread::scope(|scope| {
        // The system may refuse threads where memory is short; this one works in any case.
        let spawn = || Builder::new().spawn_scoped(scope, || queue.work());
        (1..n_threads).map_while(|_| spawn().ok()).for_each(drop);
        queue.work();
    });
    queue.state.into_inner().expect(UNPOISONED).results
}

const UNPOISONED: &str = "no thread panics while it holds the state";

struct Queue<'a, T, E, W> {
    state: Mutex<State<'a, Result<T, E>>>,
    changed: Condvar,
    worker: &'a W,
}

type Guard<'g, 'a, T, E> = MutexGuard<'g, State<'a, Result<T, E>>>;

impl<'a, T: Send, E: Send, W: Worker<T, E>> Queue<'a, T, E, W> {
    /// What one thread does.
    fn work(&self) {
        let mut now = self.state.lock().expect(UNPOISONED);
        while !now.is_stopped {
            if self.worker.is_interrupted() {
                now.is_stopped = true;
                self.changed.notify_all();
            } else if let Some(job) = now.ledger.next_to_look() {
                now = self.look(now, job);
            } else if let Some((job, evicted)) = now.ledger.next_to_make() {
                // No other thread may ask for them in between, so the state stays locked.
                evicted.into_iter().for_each(|holding| self.worker.forget(holding));
                now = self.make(now, job);
            } else if !now.ledger.is_idle() {
                now = self.changed.wait(now).expect(UNPOISONED);
            } else {
                if let Some(job) = now.ledger.stuck() {
                    now.results[job.0] = Some(Err(self.worker.refuse(job)));
                }
                now.is_stopped = true;
                self.changed.notify_all();
            }
        }
    }

    fn look<'g>(&'g self, now: Guard<'g, 'a, T, E>, job: JobId) -> Guard<'g, 'a, T, E> {
        let (mut now, found) = self.unlocked(now, || self.worker.look(job));
        match found {
            Ok(Some(found)) => self.finish(&mut now, job, false, found),
            Ok(None) => now.ledger.must_make(job),
            Err(error) => {
                now.is_stopped = true;
                now.results[job.0] = Some(Err(error));
            }
        }
        self.changed.notify_all();
        now
    }

    fn make<'g>(&'g self, now: Guard<'g, 'a, T, E>, job: JobId) -> Guard<'g, 'a, T, E> {
        let grow = |n_bytes: u64| {
            let mut now = self.state.lock().expect(UNPOISONED);
            let evicted = now.ledger.grow(job, n_bytes);
            evicted.iter().flatten().for_each(|&holding| self.worker.forget(holding));
            evicted.is_some()
        };
        let (mut now, made) = self.unlocked(now, || self.worker.make(job, &grow));
        match made {
            Ok(made) => self.finish(&mut now, job, true, made),
            Err(error) => {
                now.is_stopped = true;
                now.results[job.0] = Some(Err(error));
            }
        }
        self.changed.notify_all();
        now
    }

    fn finish(&self, now: &mut State<'_, Result<T, E>>, job: JobId, is_made: bool, result: T) {
        let unneeded = now.ledger.finish(job, is_made);
        unneeded.into_iter().for_each(|holding| self.worker.forget(holding));
        now.results[job.0] = Some(Ok(result));
    }

    /// Does something with the state unlocked; a panic ends all threads.
    fn unlocked<'g, R>(
        &'g self,
        now: Guard<'g, 'a, T, E>,
        act: impl FnOnce() -> R,
    ) -> (Guard<'g, 'a, T, E>, R) {
        drop(now);
        let result = catch_unwind(AssertUnwindSafe(act));
        let mut now = self.state.lock().expect(UNPOISONED);
        match result {
            Ok(result) => (now, result),
            Err(panic) => {
                now.is_stopped = true;
                self.changed.notify_all();
                drop(now);
                resume_unwind(panic);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Grow, Worker};
    use crate::ledger::{HoldingId, Schedule, ScheduledJob};
    use plan::JobId;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Jobs that are never done already.
    struct Making<F>(F);

    impl<T, E: From<&'static str>, F: Fn(usize) -> Result<T, E> + Sync> Worker<T, E> for Making<F> {
        fn look(&self, _: JobId) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn make(&self, job: JobId, _: &Grow<'_>) -> Result<T, E> {
            (self.0)(job.0)
        }

        fn refuse(&self, _: JobId) -> E {
            "too much memory".into()
        }

        fn forget(&self, _: HoldingId) {}

        fn is_interrupted(&self) -> bool {
            false
        }
    }

    fn run<T: Send, E: Send + From<&'static str>>(
        schedule: &Schedule,
        n_workers: usize,
        work: impl Fn(usize) -> Result<T, E> + Sync,
    ) -> Vec<Option<Result<T, E>>> {
        super::run(schedule, n_workers, &Making(work))
    }

    /// Jobs that take no memory.
    fn schedule(needs: &[&[usize]], urgency: &[u64]) -> Schedule {
        let job = |(needs, &urgency): (&&[usize], &u64)| ScheduledJob {
            needs: needs.iter().copied().map(JobId).collect(),
            urgency,
            ..ScheduledJob::default()
        };
        Schedule { jobs: needs.iter().zip(urgency).map(job).collect(), ..Schedule::default() }
    }

    #[track_caller]
    fn check_order(schedule: &Schedule, expected: &[usize]) {
        let order = Mutex::new(Vec::new());
        let results = run(schedule, 1, |job| {
            order.lock().expect("the order").push(job);
            Ok::<usize, &str>(job * 10)
        });
        assert_eq!(order.into_inner().expect("the order"), expected);
        let expected: Vec<_> = (0..expected.len()).map(|job| Some(Ok(job * 10))).collect();
        assert_eq!(results, expected);
    }

    #[test]
    fn urgent_jobs_come_first_but_not_before_what_they_need() {
        check_order(&schedule(&[], &[]), &[]);
        check_order(&schedule(&[&[], &[], &[]], &[1, 3, 2]), &[1, 2, 0]);
        check_order(&schedule(&[&[], &[], &[]], &[1, 1, 1]), &[0, 1, 2]);
        check_order(&schedule(&[&[], &[0], &[], &[1, 2]], &[5, 9, 7, 100]), &[2, 0, 1, 3]);
    }

    #[track_caller]
    fn check_needs(n_workers: usize) {
        // Each job needs the two before it, and every third job starts anew.
        let needed: Vec<Vec<usize>> =
            (0..60usize).map(|i| if i % 3 == 0 { Vec::new() } else { (i - i % 3..i).collect() }).collect();
        let needs: Vec<&[usize]> = needed.iter().map(Vec::as_slice).collect();
        let schedule = schedule(&needs, &(0..60).map(|i| i * 7 % 11).collect::<Vec<u64>>());
        let done = Mutex::new(Vec::new());
        let results = run(&schedule, n_workers, |job| {
            let missing = {
                let done = done.lock().expect("the list");
                needed[job].iter().any(|before| !done.contains(before))
            };
            std::thread::yield_now();
            done.lock().expect("the list").push(job);
            if missing { Err("too early") } else { Ok(job) }
        });
        assert!(results.iter().enumerate().all(|(job, result)| *result == Some(Ok(job))), "{results:?}");
    }

    #[test]
    fn what_is_needed_is_done_for_any_number_of_workers() {
        [0, 1, 2, 7].into_iter().for_each(check_needs);
    }

    #[test]
    fn nothing_is_begun_after_a_failure() {
        let schedule = schedule(&[&[], &[0], &[1], &[]], &[9, 8, 7, 1]);
        let results = run(&schedule, 1, |job| if job == 1 { Err("disk full") } else { Ok(job) });
        assert_eq!(results, [Some(Ok(0)), Some(Err("disk full")), None, None]);
    }

    /// Jobs that are interrupted after this many.
    struct Interrupted(usize, AtomicUsize);

    impl Worker<usize, &'static str> for Interrupted {
        fn look(&self, _: JobId) -> Result<Option<usize>, &'static str> {
            Ok(None)
        }

        fn make(&self, job: JobId, _: &Grow<'_>) -> Result<usize, &'static str> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Ok(job.0)
        }

        fn refuse(&self, _: JobId) -> &'static str {
            "too much memory"
        }

        fn forget(&self, _: HoldingId) {}

        fn is_interrupted(&self) -> bool {
            self.1.load(Ordering::Relaxed) >= self.0
        }
    }

    #[test]
    fn nothing_is_begun_after_an_interrupt() {
        let schedule = schedule(&[&[], &[0], &[1]], &[1, 1, 1]);
        let results = super::run(&schedule, 1, &Interrupted(2, AtomicUsize::new(0)));
        assert_eq!(results, [Some(Ok(0)), Some(Ok(1)), None]);
    }

    #[test]
    fn a_panic_ends_all_threads() {
        let schedule = schedule(&[&[], &[], &[0, 1]], &[1, 1, 1]);
        let outcome = std::panic::catch_unwind(|| {
            run(&schedule, 3, |job| if job == 0 { panic!("on purpose") } else { Ok::<_, &str>(job) })
        });
        assert!(outcome.is_err());
    }

    #[test]
    fn what_takes_too_much_memory_is_refused_when_its_turn_comes() {
        let mut schedule = schedule(&[&[], &[0]], &[1, 1]);
        schedule.jobs[0].working_bytes = 3;
        schedule.jobs[1].working_bytes = 4;
        schedule.limit_bytes = 3;
        assert_eq!(run(&schedule, 2, Ok), [Some(Ok(0)), Some(Err("too much memory"))]);
    }

    #[test]
    fn memory_in_use_never_exceeds_the_limit() {
        let n_jobs = 40;
        let mut schedule = schedule(&vec![&[][..]; n_jobs], &vec![0; n_jobs]);
        (0..).zip(&mut schedule.jobs).for_each(|(i, job)| job.working_bytes = 1 + i % 5);
        schedule.limit_bytes = 8;
        let in_use = Mutex::new(0);
        let results = run(&schedule, 7, |job| {
            let bytes = schedule.jobs[job].working_bytes;
            let now = {
                let mut in_use = in_use.lock().expect("the sum");
                *in_use += bytes;
                *in_use
            };
            std::thread::yield_now();
            *in_use.lock().expect("the sum") -= bytes;
            if now > 8 { Err("too much") } else { Ok(()) }
        });
        assert!(results.iter().all(|result| *result == Some(Ok(()))));
    }
}
