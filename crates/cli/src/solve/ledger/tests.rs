//! What the ledger lets begin, and what it lets go.

use super::{Agenda, Ledger};

/// Four jobs: the first two are small and read by the others, which work with 50 bytes each.
fn agenda(limit_bytes: u64) -> Agenda {
    Agenda {
        needed_by: vec![vec![], vec![], vec![0], vec![0, 1]],
        urgency: vec![9, 5, 7, 1],
        working_bytes: vec![10, 20, 50, 50],
        uses: vec![vec![], vec![], vec![0], vec![0, 1]],
        gives: vec![Some(0), Some(1), None, None],
        holding_bytes: vec![10, 20],
        limit_bytes,
    }
}

/// What happens if all begin that can, and then the one that began first is done: `+job`, `-holding`, `=job`.
fn story(agenda: &Agenda, n_workers: usize) -> String {
    let mut ledger = Ledger::new(agenda);
    let (mut story, mut running) = (String::new(), Vec::new());
    loop {
        while let Some(job) = ledger.next_to_look() {
            ledger.must_make(job);
        }
        while running.len() < n_workers
            && let Some((job, evicted)) = ledger.next_to_make()
        {
            evicted.iter().for_each(|holding| story += &format!("-{holding} "));
            story += &format!("+{job} ");
            running.push(job);
        }
        assert!(ledger.used_bytes <= agenda.limit_bytes, "{story}");
        if running.is_empty() {
            assert!(ledger.is_idle());
            return story;
        }
        let first = running.remove(0);
        story += &format!("={first} ");
        ledger.finish(first, true).iter().for_each(|holding| story += &format!("-{holding} "));
    }
}

#[track_caller]
fn check_story(limit_bytes: u64, n_workers: usize, expected: &str) {
    assert_eq!(story(&agenda(limit_bytes), n_workers).trim(), expected);
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
    let mut agenda = agenda(65);
    agenda.uses[3] = vec![1];
    agenda.working_bytes[3] = 45;
    agenda.needed_by[2] = vec![0, 3];
    // The first holding waits for the last job, and has to be read again for it.
    check(&agenda, "+0 +1 =0 =1 -0 +3 =3 -1 +2 =2 -0");
}

#[track_caller]
fn check(agenda: &Agenda, expected: &str) {
    assert_eq!(story(agenda, 2).trim(), expected);
}

#[test]
fn job_that_does_not_fit_alone_is_found() {
    let agenda = agenda(79);
    assert_eq!(agenda.alone_bytes(3), 80);
    let mut ledger = Ledger::new(&agenda);
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
    assert_eq!((ledger.next_to_make(), ledger.stuck(), ledger.is_idle()), (None, Some(3), true));
}

#[test]
fn what_is_done_already_takes_no_memory() {
    let agenda = agenda(80);
    let mut ledger = Ledger::new(&agenda);
    for _ in 0..3 {
        let job = ledger.next_to_look().expect("a job");
        assert!(ledger.finish(job, false).is_empty());
    }
    assert_eq!(ledger.used_bytes, 0);
    let last = ledger.next_to_look().expect("the last job");
    ledger.must_make(last);
    assert_eq!(ledger.next_to_make(), Some((3, vec![])));
    assert_eq!(ledger.used_bytes, 80);
}

#[test]
fn peak_is_foretold() {
    let work = [1, 1, 10, 10];
    assert_eq!(agenda(1000).peak_bytes(1, &work), 80);
    assert_eq!(agenda(1000).peak_bytes(2, &work), 130);
    assert_eq!(agenda(100).peak_bytes(2, &work), 80);
    assert_eq!(Agenda::default().peak_bytes(2, &[]), 0);
}
