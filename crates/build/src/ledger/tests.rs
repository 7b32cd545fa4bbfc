//! Checks which jobs the ledger lets begin, and which holdings it lets go.

use crate::ledger::{HoldingId, Ledger, Schedule, ScheduledJob, peak_of};
use plan::JobId;

/// Four jobs: the first two are small and read by the others, which work with 50 bytes each.
fn schedule(limit_bytes: u64) -> Schedule {
    let job =
        |needs: &[usize], urgency, working_bytes, reads: &[usize], leaves: Option<usize>| ScheduledJob {
            needs: needs.iter().copied().map(JobId).collect(),
            urgency,
            working_bytes,
            reads: reads.iter().copied().map(HoldingId).collect(),
            leaves: leaves.map(HoldingId),
        };
    let jobs = vec![
        job(&[], 9, 10, &[], Some(0)),
        job(&[], 5, 20, &[], Some(1)),
        job(&[0], 7, 50, &[0], None),
        job(&[0, 1], 1, 50, &[0, 1], None),
    ];
    Schedule { jobs, holding_bytes: vec![10, 20], limit_bytes, ..Schedule::default() }
}

/// What happens if all begin that can, and then the one that began first is done: `+job`, `-holding`, `=job`.
fn story(schedule: &Schedule, n_workers: usize) -> String {
    let mut ledger = Ledger::new(schedule);
    let (mut story, mut running) = (String::new(), Vec::new());
    loop {
        while let Some(job) = ledger.next_to_look() {
            ledger.must_make(job);
        }
        while running.len() < n_workers
            && let Some((job, evicted)) = ledger.next_to_make()
        {
            evicted.iter().for_each(|holding| story += &format!("-{} ", holding.0));
            story += &format!("+{} ", job.0);
            running.push(job);
        }
        assert!(ledger.used_bytes <= schedule.limit_bytes, "{story}");
        if running.is_empty() {
            assert!(ledger.is_idle());
            return story;
        }
        let first = running.remove(0);
        story += &format!("={} ", first.0);
        ledger.finish(first, true).iter().for_each(|holding| story += &format!("-{} ", holding.0));
    }
}

#[track_caller]
fn check_story(limit_bytes: u64, n_workers: usize, expected: &str) {
    assert_eq!(story(&schedule(limit_bytes), n_workers).trim(), expected);
}

/// A job that takes more than was estimated has what no job uses, and gives it back.
#[test]
fn a_running_job_grows_as_far_as_there_is_room() {
    let schedule = schedule(100);
    let mut ledger = Ledger::new(&schedule);
    let begin = |ledger: &mut Ledger<'_>| {
        while let Some(job) = ledger.next_to_look() {
            ledger.must_make(job);
        }
        ledger.next_to_make().expect("one fits").0
    };
    let [first, second] = [begin(&mut ledger), begin(&mut ledger)];
    assert_eq!((first, second, ledger.used_bytes), (JobId(0), JobId(1), 30));
    ledger.finish(first, true);
    // What the first has left is read by jobs to come, and can be read again.
    assert_eq!((ledger.used_bytes, ledger.grow(second, 81)), (30, None));
    assert_eq!(ledger.grow(second, 71), Some(vec![HoldingId(0)]));
    assert_eq!(ledger.grow(second, 10), None);
    ledger.finish(second, true);
    assert_eq!(ledger.used_bytes, 20);
}

#[test]
fn jobs_run_together_as_far_as_memory_goes() {
    // The third job adds nothing to what stays in memory, so it comes before the second, which does.
    check_story(1000, 1, "+0 =0 +2 =2 +1 =1 +3 =3 -0 -1");
    check_story(1000, 3, "+0 +1 =0 +2 =1 +3 =2 =3 -0 -1");
    check_story(129, 3, "+0 +1 =0 +2 =1 =2 +3 =3 -0 -1");
    check_story(130, 3, "+0 +1 =0 +2 =1 +3 =2 =3 -0 -1");
    // Both holdings of the last job are in memory, and nothing else is.
    check_story(80, 3, "+0 +1 =0 +2 =1 =2 +3 =3 -0 -1");
}

#[test]
fn holdings_leave_for_a_job_that_does_not_read_them() {
    let mut schedule = schedule(65);
    schedule.jobs[3].reads = vec![HoldingId(1)];
    schedule.jobs[3].working_bytes = 45;
    schedule.jobs[2].needs = vec![JobId(0), JobId(3)];
    // The first holding waits for the last job, and has to be read again for it.
    check(&schedule, "+0 +1 =0 =1 -0 +3 =3 -1 +2 =2 -0");
}

#[track_caller]
fn check(schedule: &Schedule, expected: &str) {
    assert_eq!(story(schedule, 2).trim(), expected);
}

#[test]
fn job_that_does_not_fit_alone_is_found() {
    let schedule = schedule(79);
    assert_eq!(schedule.alone_bytes(JobId(3)), 80);
    let mut ledger = Ledger::new(&schedule);
    for job in [0, 1, 2] {
        while let Some(job) = ledger.next_to_look() {
            ledger.must_make(job);
        }
        assert_eq!(ledger.stuck(), None);
        let begun = ledger.next_to_make().map(|(job, _)| job);
        assert!(begun.is_some(), "{job}");
        begun.into_iter().for_each(|job| drop(ledger.finish(job, true)));
    }
    let last = ledger.next_to_look().expect("the last job");
    ledger.must_make(last);
    assert_eq!((ledger.next_to_make(), ledger.stuck(), ledger.is_idle()), (None, Some(JobId(3)), true));
}

#[test]
fn what_is_done_already_takes_no_memory() {
    let schedule = schedule(80);
    let mut ledger = Ledger::new(&schedule);
    for _ in 0..3 {
        let job = ledger.next_to_look().expect("a job");
        assert!(ledger.finish(job, false).is_empty());
    }
    assert_eq!(ledger.used_bytes, 0);
    let last = ledger.next_to_look().expect("the last job");
    ledger.must_make(last);
    assert_eq!(ledger.next_to_make(), Some((JobId(3), vec![])));
    assert_eq!(ledger.used_bytes, 80);
}

#[test]
fn peak_is_predicted() {
    let work = [1, 1, 10, 10];
    assert_eq!(peak_of(&schedule(1000), 1, &work), 80);
    assert_eq!(peak_of(&schedule(1000), 2, &work), 130);
    assert_eq!(peak_of(&schedule(100), 2, &work), 80);
    assert_eq!(peak_of(&Schedule::default(), 2, &[]), 0);
}
