//! Starts two processes at once on one folder: the same run twice, or a reader beside a writer.

use super::command::Ended;
use super::damage::Set;
use super::files::Files;
use super::job::{Attack, Job, empty, panics};
use super::tally::{Finding, Harm};

/// The sentence of the writer that comes second.
const BUSY: &str = "another run is writing to";

/// Runs a job twice at once, one of them killed now and then, and lets it end.
pub(super) fn writers(attack: &mut Attack<'_>, job: &Job) -> Result<Vec<Finding>, String> {
    let Attack { program, folder, dice, tally } = attack;
    empty(folder)?;
    tally.n_attacks += 1;
    let first = program.start(&job.args_into(folder, 1 + dice.below(2)))?;
    std::thread::sleep(job.moment(dice).mul_f64(if dice.below(2) == 0 { 0.0 } else { 0.5 }));
    let second = program.start(&job.args_into(folder, 1 + dice.below(2)))?;
    let mut ends: Vec<Ended> = Vec::new();
    if dice.below(3) == 0 {
        std::thread::sleep(job.moment(dice));
        let (is_killed, ended) = first.kill()?;
        tally.note("one killed", u64::from(is_killed));
        ends.extend((!is_killed).then_some(ended));
    } else {
        ends.push(first.wait()?);
    }
    ends.push(second.wait()?);
    let mut findings: Vec<Finding> = ends.iter().filter_map(panics).collect();
    for ended in &ends {
        let is_busy = ended.err.contains(BUSY);
        tally.note("one refused", u64::from(is_busy));
        if ended.code != Some(0) && !is_busy {
            findings.push(Finding::new(Harm::Lost, format!("it fails: {}", ended.last_words())));
        }
    }
    let mut files = Files::default();
    for ended in &ends {
        let (now, seen) = job.look(folder, &files, ended)?;
        findings.extend(seen);
        files = now;
    }
    findings.extend(job.finish(program, folder, 1, &files)?);
    Ok(findings)
}

/// Asks for positions again and again while a job makes the tables of a set; what is answered is right.
pub(super) fn reader(attack: &mut Attack<'_>, job: &Job, set: &Set) -> Result<Vec<Finding>, String> {
    let Attack { program, folder, dice, tally } = attack;
    empty(folder)?;
    tally.n_attacks += 1;
    let mut run = program.start(&job.args_into(folder, 1 + dice.below(2)))?;
    let mut findings = Vec::new();
    while !run.has_ended()? {
        let asked = set.ask(program, folder)?;
        findings.extend(asked.findings());
        tally.note("reading beside", 1);
    }
    let ended = run.wait()?;
    findings.extend(panics(&ended));
    findings.extend(job.finish(program, folder, 1, &Files::of(folder)?)?);
    Ok(findings)
}
