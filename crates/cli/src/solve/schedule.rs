//! Which job is worked on when: each as soon as what it needs is done, the most urgent first.
//!
//! The workers are threads of their own, not those that compute: a worker waits for files and locks, and a thread of
//! a pool that waits inside one job may be given a second one, which would then hold memory for nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex};

/// What is to be done: for each job the jobs that it needs, and how urgent it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Agenda {
    pub(crate) needed_by: Vec<Vec<usize>>,
    pub(crate) urgency: Vec<u64>,
}

struct State<R> {
    /// By urgency, then the job that was planned first.
    ready: BinaryHeap<(u64, Reverse<usize>)>,
    /// How many jobs each job still waits for.
    n_open: Vec<usize>,
    n_running: usize,
    is_stopped: bool,
    results: Vec<Option<R>>,
}

/// Works on all jobs with so many workers; once a job fails no other is begun. What each job has given, none for
/// jobs that were not begun.
pub(crate) fn run<T: Send, E: Send>(
    agenda: &Agenda,
    n_workers: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Vec<Option<Result<T, E>>> {
    let n_jobs = agenda.needed_by.len();
    let n_open: Vec<usize> = agenda.needed_by.iter().map(Vec::len).collect();
    let mut in_need_of = vec![Vec::new(); n_jobs];
    for (job, needed) in agenda.needed_by.iter().enumerate() {
        needed.iter().for_each(|&before: &usize| in_need_of[before].push(job));
    }
    let entry = |job: usize| (agenda.urgency[job], Reverse(job));
    let ready = (0..n_jobs).filter(|&job| n_open[job] == 0).map(entry).collect();
    let results = (0..n_jobs).map(|_| None).collect();
    let state = Mutex::new(State { ready, n_open, n_running: 0, is_stopped: false, results });
    let changed = Condvar::new();
    let worker = || {
        let mut now = state.lock().expect("no worker panics while it holds the state");
        loop {
            if now.is_stopped || (now.ready.is_empty() && now.n_running == 0) {
                return;
            }
            let Some((_, Reverse(job))) = now.ready.pop() else {
                now = changed.wait(now).expect("no worker panics while it holds the state");
                continue;
            };
            now.n_running += 1;
            drop(now);
            let result = catch_unwind(AssertUnwindSafe(|| work(job)));
            now = state.lock().expect("no worker panics while it holds the state");
            now.n_running -= 1;
            match &result {
                Ok(Ok(_)) => {
                    for &after in &in_need_of[job] {
                        now.n_open[after] -= 1;
                        if now.n_open[after] == 0 {
                            now.ready.push(entry(after));
                        }
                    }
                }
                Ok(Err(_)) | Err(_) => now.is_stopped = true,
            }
            changed.notify_all();
            match result {
                Ok(result) => now.results[job] = Some(result),
                Err(panic) => {
                    drop(now);
                    resume_unwind(panic);
                }
            }
        }
    };
    std::thread::scope(|scope| (0..n_workers.max(1)).for_each(|_| drop(scope.spawn(worker))));
    state.into_inner().expect("no worker panics while it holds the state").results
}

#[cfg(test)]
mod tests {
    use super::{Agenda, run};
    use std::sync::Mutex;

    fn agenda(needed_by: &[&[usize]], urgency: &[u64]) -> Agenda {
        Agenda { needed_by: needed_by.iter().map(|n| n.to_vec()).collect(), urgency: urgency.to_vec() }
    }

    #[track_caller]
    fn check_order(agenda: &Agenda, expected: &[usize]) {
        let order = Mutex::new(Vec::new());
        let results = run(agenda, 1, |job| {
            order.lock().expect("the order").push(job);
            Ok::<usize, ()>(job * 10)
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
        let agenda = Agenda { urgency: (0..60).map(|i| i * 7 % 11).collect(), needed_by };
        let done = Mutex::new(Vec::new());
        let results = run(&agenda, n_workers, |job| {
            let missing = {
                let done = done.lock().expect("the list");
                agenda.needed_by[job].iter().any(|before| !done.contains(before))
            };
            std::thread::yield_now();
            done.lock().expect("the list").push(job);
            if missing { Err(job) } else { Ok(job) }
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
            run(&agenda, 3, |job| if job == 0 { panic!("on purpose") } else { Ok::<_, ()>(job) })
        });
        assert!(outcome.is_err());
    }
}
