//! The jobs of a run on several threads: each as soon as what it needs is done and there is memory for it.
//!
//! The workers are threads of their own, not those that compute: a worker waits for files and locks, and a
//! thread of a pool that waits inside one job may be given a second one, which would then hold memory for
//! nothing.

use super::ledger::{Agenda, Ledger};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard};

/// How jobs are done.
pub(crate) trait Labour<T, E>: Sync {
    /// What a job gives if it is done already; all that it needs is done. Takes no memory to speak of.
    fn look(&self, job: usize) -> Result<Option<T>, E>;

    /// Does a job.
    fn make(&self, job: usize) -> Result<T, E>;

    /// Why a job that takes more memory than there may be is not done.
    fn refuse(&self, job: usize) -> E;

    /// A table that jobs read leaves memory.
    fn forget(&self, holding: usize);
}

struct State<'a, R> {
    ledger: Ledger<'a>,
    is_stopped: bool,
    results: Vec<Option<R>>,
}

/// Does all jobs with so many workers; once a job fails no other is begun. What each job has given, none for
/// jobs that were not begun.
pub(crate) fn run<T: Send, E: Send>(
    agenda: &Agenda,
    n_workers: usize,
    labour: &impl Labour<T, E>,
) -> Vec<Option<Result<T, E>>> {
    let results = (0..agenda.needed_by.len()).map(|_| None).collect();
    let crew = Crew {
        state: Mutex::new(State { ledger: Ledger::new(agenda), is_stopped: false, results }),
        changed: Condvar::new(),
        labour,
    };
    std::thread::scope(|scope| {
        (0..n_workers.max(1)).for_each(|_| drop(scope.spawn(|| crew.work())));
    });
    crew.state.into_inner().expect(UNPOISONED).results
}

const UNPOISONED: &str = "no worker panics while it holds the state";

struct Crew<'a, T, E, L> {
    state: Mutex<State<'a, Result<T, E>>>,
    changed: Condvar,
    labour: &'a L,
}

type Guard<'g, 'a, T, E> = MutexGuard<'g, State<'a, Result<T, E>>>;

impl<'a, T: Send, E: Send, L: Labour<T, E>> Crew<'a, T, E, L> {
    /// What one worker does.
    fn work(&self) {
        let mut now = self.state.lock().expect(UNPOISONED);
        while !now.is_stopped {
            if let Some(job) = now.ledger.next_to_look() {
                now = self.look(now, job);
            } else if let Some((job, evicted)) = now.ledger.next_to_make() {
                // Nobody may ask for them in between, so the state stays locked.
                evicted.into_iter().for_each(|holding| self.labour.forget(holding));
                now = self.make(now, job);
            } else if !now.ledger.is_idle() {
                now = self.changed.wait(now).expect(UNPOISONED);
            } else {
                if let Some(job) = now.ledger.stuck() {
                    now.results[job] = Some(Err(self.labour.refuse(job)));
                }
                now.is_stopped = true;
                self.changed.notify_all();
            }
        }
    }

    fn look<'g>(&'g self, now: Guard<'g, 'a, T, E>, job: usize) -> Guard<'g, 'a, T, E> {
        let (mut now, found) = self.unlocked(now, || self.labour.look(job));
        match found {
            Ok(Some(found)) => self.finish(&mut now, job, false, found),
            Ok(None) => now.ledger.must_make(job),
            Err(error) => {
                now.is_stopped = true;
                now.results[job] = Some(Err(error));
            }
        }
        self.changed.notify_all();
        now
    }

    fn make<'g>(&'g self, now: Guard<'g, 'a, T, E>, job: usize) -> Guard<'g, 'a, T, E> {
        let (mut now, made) = self.unlocked(now, || self.labour.make(job));
        match made {
            Ok(made) => self.finish(&mut now, job, true, made),
            Err(error) => {
                now.is_stopped = true;
                now.results[job] = Some(Err(error));
            }
        }
        self.changed.notify_all();
        now
    }

    fn finish(&self, now: &mut State<'_, Result<T, E>>, job: usize, is_made: bool, result: T) {
        let unneeded = now.ledger.finish(job, is_made);
        unneeded.into_iter().for_each(|holding| self.labour.forget(holding));
        now.results[job] = Some(Ok(result));
    }

    /// Does something with the state unlocked; a panic ends all workers.
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
    use super::{Agenda, Labour};
    use std::sync::Mutex;

    /// Jobs that are never done already.
    struct Making<F>(F);

    impl<T, E: From<&'static str>, F: Fn(usize) -> Result<T, E> + Sync> Labour<T, E> for Making<F> {
        fn look(&self, _: usize) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn make(&self, job: usize) -> Result<T, E> {
            (self.0)(job)
        }

        fn refuse(&self, _: usize) -> E {
            "too much memory".into()
        }

        fn forget(&self, _: usize) {}
    }

    fn run<T: Send, E: Send + From<&'static str>>(
        agenda: &Agenda,
        n_workers: usize,
        work: impl Fn(usize) -> Result<T, E> + Sync,
    ) -> Vec<Option<Result<T, E>>> {
        super::run(agenda, n_workers, &Making(work))
    }

    /// Jobs that take no memory.
    fn agenda(needed_by: &[&[usize]], urgency: &[u64]) -> Agenda {
        let n_jobs = needed_by.len();
        Agenda {
            needed_by: needed_by.iter().map(|n| n.to_vec()).collect(),
            urgency: urgency.to_vec(),
            working_bytes: vec![0; n_jobs],
            uses: vec![Vec::new(); n_jobs],
            gives: vec![None; n_jobs],
            holding_bytes: Vec::new(),
            limit_bytes: 0,
        }
    }

    #[track_caller]
    fn check_order(agenda: &Agenda, expected: &[usize]) {
        let order = Mutex::new(Vec::new());
        let results = run(agenda, 1, |job| {
            order.lock().expect("the order").push(job);
            Ok::<usize, &str>(job * 10)
        });
        assert_eq!(order.into_inner().expect("the order"), expected);
        let expected: Vec<_> = (0..expected.len()).map(|job| Some(Ok(job * 10))).collect();
        assert_eq!(results, expected);
    }

    #[test]
    fn urgent_jobs_come_first_but_not_before_what_they_need() {
        check_order(&agenda(&[], &[]), &[]);
        check_order(&agenda(&[&[], &[], &[]], &[1, 3, 2]), &[1, 2, 0]);
        check_order(&agenda(&[&[], &[], &[]], &[1, 1, 1]), &[0, 1, 2]);
        check_order(&agenda(&[&[], &[0], &[], &[1, 2]], &[5, 9, 7, 100]), &[2, 0, 1, 3]);
    }

    #[track_caller]
    fn check_needs(n_workers: usize) {
        // Each job needs the two before it, and every third job starts anew.
        let needed_by: Vec<Vec<usize>> =
            (0..60usize).map(|i| if i % 3 == 0 { Vec::new() } else { (i - i % 3..i).collect() }).collect();
        let needs: Vec<&[usize]> = needed_by.iter().map(Vec::as_slice).collect();
        let agenda = agenda(&needs, &(0..60).map(|i| i * 7 % 11).collect::<Vec<u64>>());
        let done = Mutex::new(Vec::new());
        let results = run(&agenda, n_workers, |job| {
            let missing = {
                let done = done.lock().expect("the list");
                agenda.needed_by[job].iter().any(|before| !done.contains(before))
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
        let agenda = agenda(&[&[], &[0], &[1], &[]], &[9, 8, 7, 1]);
        let results = run(&agenda, 1, |job| if job == 1 { Err("disk full") } else { Ok(job) });
        assert_eq!(results, [Some(Ok(0)), Some(Err("disk full")), None, None]);
    }

    #[test]
    fn a_panic_ends_all_workers() {
        let agenda = agenda(&[&[], &[], &[0, 1]], &[1, 1, 1]);
        let outcome = std::panic::catch_unwind(|| {
            run(&agenda, 3, |job| if job == 0 { panic!("on purpose") } else { Ok::<_, &str>(job) })
        });
        assert!(outcome.is_err());
    }

    #[test]
    fn what_takes_too_much_memory_is_refused_when_its_turn_comes() {
        let mut agenda = agenda(&[&[], &[0]], &[1, 1]);
        agenda.working_bytes = vec![3, 4];
        agenda.limit_bytes = 3;
        assert_eq!(run(&agenda, 2, Ok), [Some(Ok(0)), Some(Err("too much memory"))]);
    }

    #[test]
    fn memory_in_use_never_exceeds_the_limit() {
        let n_jobs = 40;
        let mut agenda = agenda(&vec![&[][..]; n_jobs], &vec![0; n_jobs]);
        agenda.working_bytes = (0..n_jobs as u64).map(|i| 1 + i % 5).collect();
        agenda.limit_bytes = 8;
        let in_use = Mutex::new(0);
        let results = run(&agenda, 7, |job| {
            let bytes = agenda.working_bytes[job];
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
