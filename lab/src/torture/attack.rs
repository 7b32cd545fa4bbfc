//! Disturbs runs and damages files, each kind of attack in its own way, and looks at what is left.

use super::command::Ended;
use super::disk::{Mount, Room, fill};
use super::files::Files;
use super::job::Job;
use super::set::{Set, kind, promises};
use super::stage::Stage;
use super::tally::{Attack, Harm};
use crate::fuzz::{flip, mutate, small, splice};
use anyhow::Result;
use proof::Dice;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

/// A kind of attack.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The rounds of eight that it has.
    pub(super) rounds: Range<u64>,
    pub(super) attack: fn(&mut Attack<'_>, &Stage) -> Result<()>,
}

/// All kinds.
pub(super) const KINDS: [Kind; 4] = [
    Kind { name: "kills", rounds: 0..3, attack: kill },
    Kind { name: "damaged files", rounds: 3..6, attack: damage_files },
    Kind { name: "full disks", rounds: 6..7, attack: fill_disk },
    Kind { name: "two at once", rounds: 7..8, attack: start_two },
];

/// The most kills of one folder before it is finished.
const MOST_KILLS: usize = 3;

/// How many files a round damages.
const FILES_A_ROUND: usize = 10;

/// Bytes of a file system besides those of files.
const MARGIN: u64 = 16 << 20;

/// The sentence of the writer that comes second.
const BUSY: &str = "another run is writing to";

/// The ways of damage.
const WAYS: [&str; 5] = ["flipped", "cut", "spliced", "mixed", "exchanged"];

/// Makes an empty folder for one attack.
pub(super) fn empty(folder: &Path) -> Result<()> {
    drop(fs_err::remove_dir_all(folder));
    Ok(fs_err::create_dir_all(folder)?)
}

/// Kills a job up to three times, damages what is left of tables that were being solved, and lets it end.
fn kill(attack: &mut Attack<'_>, stage: &Stage) -> Result<()> {
    let jobs: Vec<&Job> = stage.jobs.iter().chain(&stage.adding).collect();
    let job = *attack.dice.pick(&jobs);
    job.base.write_to(attack.folder)?;
    let mut files = Files::default();
    for _ in 0..1 + attack.dice.below(MOST_KILLS) {
        let mut run = job.start(attack)?;
        let begun = Instant::now();
        job.wait_a_moment(attack);
        // Files are written in a small part of the time; so half of the kills wait for one.
        let waits = attack.dice.below(2) == 0;
        while waits
            && begun.elapsed() < job.time.get()
            && !run.has_ended()?
            && Files::n_rests_in(attack.folder) == 0
        {
            std::thread::sleep(Duration::from_micros(50));
        }
        let (is_killed, ended) = run.kill()?;
        files = job.look(attack, &files, &ended)?;
        job.learn(is_killed);
        if !is_killed {
            attack.note("ended before the kill", true);
            attack.has_fault(&ended);
            break;
        }
        attack.note("attacks", true);
        attack.note("in the middle of a file", files.n_rests() > 0);
        attack.note("in the middle of a table by a log", files.scratch().next().is_some());
        if attack.dice.below(2) == 0 {
            damage_scratch(attack, &files)?;
        }
    }
    job.finish(attack, &files)
}

/// Runs a job without enough room, and again with room.
fn fill_disk(attack: &mut Attack<'_>, stage: &Stage) -> Result<()> {
    let Some(room) = stage.room else { return Ok(()) };
    let job = attack.dice.pick(&stage.jobs);
    attack.note("attacks", true);
    let way = if room == Room::Limited { 2 } else { attack.dice.below(3) };
    // Files take whole pages.
    let all_bytes = job.files.sizes_bytes().map(|n_bytes| n_bytes + 4096).sum::<u64>() + 8 * 4096;
    let room_bytes = 2 * all_bytes + MARGIN;
    let below = |dice: &mut Dice, most: u64| dice.below(usize::try_from(most).unwrap_or(usize::MAX)) as u64;
    let mut mount = None;
    let ended = match way {
        0 => {
            attack.note("tmpfs too small", true);
            mount = Some(Mount::new(attack.folder, (16 << 10) + below(&mut attack.dice, all_bytes))?);
            job.start(attack)?.wait()?
        }
        1 => {
            attack.note("tmpfs filled up", true);
            mount = Some(Mount::new(attack.folder, room_bytes)?);
            let run = job.start(attack)?;
            job.wait_a_moment(attack);
            let filler = attack.folder.join("filler");
            fill(&filler);
            let ended = run.wait()?;
            drop(fs_err::remove_file(filler));
            ended
        }
        _ => {
            attack.note("ulimit", true);
            let most_bytes = 4096 + below(&mut attack.dice, job.files.sizes_bytes().max().unwrap_or(0));
            attack.program.start_limited(&job.args_into(attack.folder, 2), most_bytes)?.wait()?
        }
    };
    attack.note("run refused", ended.code == Some(2));
    attack.has_fault(&ended);
    if ended.code == Some(1) {
        attack.harm(Harm::Lost, format!("it ends with 1: {}", ended.last_words()));
    }
    let files = job.look(attack, &Files::default(), &ended)?;
    mount.as_ref().map_or(Ok(()), |mount| mount.resize(room_bytes))?;
    job.finish(attack, &files)?;
    if mount.is_some() && !attack.findings.is_empty() {
        // The file system is gone afterwards.
        let now = Files::of(attack.folder)?;
        drop(mount);
        now.write_to(attack.folder)?;
        files.write_to(&attack.folder.join("without-room"))?;
    }
    Ok(())
}

/// Starts two processes at once on one folder: the same run twice, or a reader beside a writer.
fn start_two(attack: &mut Attack<'_>, stage: &Stage) -> Result<()> {
    attack.note("attacks", true);
    if attack.dice.below(4) == 0 {
        return read_beside(attack, &stage.jobs[0], &stage.sets[0]);
    }
    let job = attack.dice.pick(&stage.jobs);
    let first = job.start(attack)?;
    if attack.dice.below(2) == 0 {
        job.wait_a_moment(attack);
    }
    let second = job.start(attack)?;
    let mut ends: Vec<Ended> = Vec::new();
    if attack.dice.below(3) == 0 {
        job.wait_a_moment(attack);
        let (is_killed, ended) = first.kill()?;
        attack.note("one killed", is_killed);
        ends.extend((!is_killed).then_some(ended));
    } else {
        ends.push(first.wait()?);
    }
    ends.push(second.wait()?);
    let mut files = Files::default();
    for ended in &ends {
        attack.has_fault(ended);
        let is_busy = ended.err.contains(BUSY);
        attack.note("one refused", is_busy);
        if ended.code != Some(0) && !is_busy {
            attack.harm(Harm::Lost, format!("it fails: {}", ended.last_words()));
        }
        files = job.look(attack, &files, ended)?;
    }
    job.finish(attack, &files)
}

/// Asks for positions again and again while a job makes the tables of a set; what is answered is right.
fn read_beside(attack: &mut Attack<'_>, job: &Job, set: &Set) -> Result<()> {
    let mut run = job.start(attack)?;
    while !run.has_ended()? {
        set.ask(attack, true)?;
        attack.note("reading beside", true);
    }
    attack.has_fault(&run.wait()?);
    job.finish(attack, &Files::of(attack.folder)?)
}

/// Damages file after file of sets, and has `probe` and `verify` read them.
fn damage_files(attack: &mut Attack<'_>, stage: &Stage) -> Result<()> {
    for _ in 0..FILES_A_ROUND {
        let set = attack.dice.pick(&stage.sets);
        damage_file(attack, set)?;
        if !attack.findings.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Damages one file of a set, in a copy of it in this folder, and reads it.
fn damage_file(attack: &mut Attack<'_>, set: &Set) -> Result<()> {
    empty(attack.folder)?;
    let tables: Vec<_> =
        set.files.iter().filter_map(|(name, bytes)| Some((name, bytes, kind(name)?))).collect();
    let &(name, whole, kind) = attack.dice.pick(&tables);
    let alike = tables.iter().filter(|table| table.2 == kind);
    let others: Vec<Vec<u8>> = alike.map(|table| table.1.to_vec()).take(20).collect();
    let way = attack.dice.below(WAYS.len());
    let Some(damaged) = damage(whole, &others, way, &mut attack.dice) else { return Ok(()) };
    set.files.write_to(attack.folder)?;
    fs_err::write(attack.folder.join(name), &damaged)?;
    attack.note("attacks", true);
    attack.note(kind, true);
    attack.note(WAYS[way], true);
    let [by_probe, by_verify] = promises(kind, whole, &damaged);
    let n_refused = set.ask(attack, by_probe)?;
    attack.note("refused by probe", n_refused > 0);
    let ended = set.verify(attack.program, &attack.folder.join(name))?;
    attack.has_fault(&ended);
    match ended.code {
        Some(0) if by_verify => attack.harm(Harm::Unnoticed, ended.out.trim().to_owned()),
        Some(0) => attack.note("all right to verify, as documented", true),
        _ => attack.note("refused by verify", true),
    }
    let place = format!("{}: {name} {}", set.name, WAYS[way]);
    attack.findings.iter_mut().for_each(|(_, text)| *text = format!("{place}: {text}"));
    Ok(())
}

/// Damages logs and slices that a run has left in a folder, some of them, before another run goes on with
/// them.
fn damage_scratch(attack: &mut Attack<'_>, files: &Files) -> Result<()> {
    let others: Vec<Vec<u8>> = files.scratch().map(|(_, bytes)| bytes.to_vec()).collect();
    for (name, whole) in files.scratch() {
        let way = attack.dice.below(WAYS.len());
        if attack.dice.below(3) == 0 {
            continue;
        }
        let Some(damaged) = damage(whole, &others, way, &mut attack.dice) else { continue };
        fs_err::write(attack.folder.join(name), damaged)?;
        attack.note("scratch damaged before the next run", true);
    }
    Ok(())
}

/// Damages bytes in one way; none if they have stayed as they were.
fn damage(whole: &[u8], others: &[Vec<u8>], way: usize, dice: &mut Dice) -> Option<Vec<u8>> {
    let mut bytes = whole.to_vec();
    match way {
        0 => (0..1 + small(8, dice)).for_each(|_| flip(&mut bytes, dice.below(whole.len()), dice)),
        1 => bytes.truncate(dice.below(whole.len())),
        2 => splice(&mut bytes, dice.below(whole.len()), others, dice),
        3 => mutate(&mut bytes, others, dice),
        _ => bytes = others.get(dice.below(others.len()))?.clone(),
    }
    (bytes != whole).then_some(bytes)
}
