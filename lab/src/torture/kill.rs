//! Kills runs at any moment, damages what is left of tables that were being solved, and runs the same
//! command again.

use super::damage::attack_scratch;
use super::files::Files;
use super::job::{Attack, Job, empty, panics};
use super::tally::Finding;
use std::time::{Duration, Instant};

/// The most kills of one folder before it is finished.
const MOST_KILLS: usize = 3;

/// Kills a job in this folder up to three times, and lets it end.
pub(super) fn attack(attack: &mut Attack<'_>, job: &Job) -> Result<Vec<Finding>, String> {
    let Attack { program, folder, dice, tally } = attack;
    empty(folder)?;
    let mut files = Files::default();
    let mut findings = Vec::new();
    for _ in 0..1 + dice.below(MOST_KILLS) {
        let before = files;
        let mut run = program.start(&job.args_into(folder, 1 + dice.below(3)))?;
        let delay = job.moment(dice);
        match dice.below(2) {
            0 => std::thread::sleep(delay),
            // Files are written in a small part of the time; so half of the kills wait for one.
            _ => {
                let begun = Instant::now();
                std::thread::sleep(delay.mul_f64(0.8));
                while begun.elapsed() < job.time.get() && !run.has_ended()? && Files::n_rests_in(folder) == 0
                {
                    std::thread::sleep(Duration::from_micros(50));
                }
            }
        }
        let (is_killed, ended) = run.kill()?;
        let (now, seen) = job.look(folder, &before, &ended)?;
        findings.extend(seen);
        files = now;
        job.learn(is_killed);
        if !is_killed {
            tally.note("ended before the kill", 1);
            findings.extend(panics(&ended));
            break;
        }
        tally.n_attacks += 1;
        tally.note("in the middle of a file", u64::from(files.n_rests() > 0));
        tally.note("in the middle of a table by a log", u64::from(files.scratch().next().is_some()));
        if dice.below(2) == 0 {
            attack_scratch(&mut Attack { program, folder, dice, tally }, &files)?;
        }
    }
    findings.extend(job.finish(program, folder, 1 + dice.below(3), &files)?);
    Ok(findings)
}
