//! Runs `cargo xtask lab torture`: disturbs runs and damages files, and counts what is lost or wrong
//! afterwards.
//!
//! ```text
//!   kills          solve, export, SIGKILL at any moment ┐   (and logs and slices damaged)
//!   full disks     the same without room                ├► what is left ─ the same run again ─►
//!   two at once    the same twice, or probe beside it   ┘   the bytes of an undisturbed run?
//!   damaged files  bits flipped, ends cut, splices ─► probe, verify ─► right answers or refusals?
//! ```
//!
//! A round is one attack, or some damaged files; what it does depends on the seed and its number alone, and
//! on how fast the machine is. `--first N --rounds 1` does round N once more.

mod attack;
mod command;
mod disk;
mod files;
mod job;
mod set;
mod stage;
mod tally;

use anyhow::Result;
use attack::{KINDS, empty};
use clap::builder::ArgPredicate;
use command::Program;
pub use disk::Room;
use proof::Dice;
use stage::Stage;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tally::{Attack, Tally};
pub use tally::{Counts, Harm};

/// How often the counts are printed.
const SILENCE: Duration = Duration::from_secs(30);

/// How long, and what.
#[derive(Clone, Debug, clap::Parser)]
pub struct Options {
    /// The seconds of the attacks; what is attacked is made before
    #[arg(
        long,
        value_name = "N",
        default_value_t = 600,
        default_value_if("rounds", ArgPredicate::IsPresent, "18446744073709551615"),
        hide_default_value = true
    )]
    pub seconds: u64,
    /// The number of rounds
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    pub rounds: u64,
    /// The number of the first round
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first: u64,
    /// What the rounds depend on
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Where; what was found is kept there
    #[arg(long = "dir", value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The way to a full disk, if not the best that there is
    #[arg(long = "disk")]
    pub room: Option<Room>,
    /// Few games, metrics and formats
    #[arg(long = "short")]
    pub is_short: bool,
}

/// Attacks this program with the commands until time or rounds are over or `is_stopped`; returns what was
/// counted.
///
/// # Errors
/// Something fails before it is attacked, or the disk refuses what the attack itself needs.
pub fn run(
    options: &Options,
    program: &Path,
    is_stopped: &AtomicBool,
    report: &mut dyn FnMut(&str),
) -> Result<Counts> {
    let own = || std::env::temp_dir().join(format!("tablesmith-torture-{}", std::process::id()));
    let root = options.folder.clone().unwrap_or_else(own);
    fs_err::create_dir_all(&root)?;
    // Runs start in another folder.
    let root = fs_err::canonicalize(root)?;
    let [folder, whole] = ["round", "whole"].map(|name| root.join(name));
    let program = Program(program.to_path_buf());
    empty(&folder)?;
    let room = options.room.or_else(|| Room::best(&folder));
    report(&format!("full disks: {}", Room::text(room)));
    empty(&whole)?;
    let stage = Stage::new(&program, &whole, room, options.is_short)?;
    let (n_jobs, n_sets, seed) = (stage.jobs.len(), stage.sets.len(), options.seed);
    report(&format!("{n_jobs} runs, {n_sets} folders of files; seed {seed}, in {}", root.display()));
    let (begun, mut reported) = (Instant::now(), Instant::now());
    let mut counts = Counts(KINDS.iter().map(|kind| (kind.name, Tally::default())).collect());
    let mut round = options.first;
    while round - options.first < options.rounds && begun.elapsed() < Duration::from_secs(options.seconds) {
        let of_round = KINDS.iter().find(|kind| kind.rounds.contains(&(round % 8)));
        let kind = of_round.expect("every round has its kind");
        let dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ round);
        let (program, folder) = (&program, folder.as_path());
        let tally = counts.0[kind.name].clone();
        let mut attack = Attack { program, folder, dice, tally, findings: Vec::new() };
        empty(folder)?;
        (kind.attack)(&mut attack, &stage)?;
        // Ctrl-C reaches the runs too, and they end as they are asked to.
        if is_stopped.load(Ordering::Relaxed) {
            break;
        }
        if !attack.findings.is_empty() {
            let kept = root.join(format!("kept-{round}"));
            drop(fs_err::rename(folder, &kept));
            let place = format!("round {round} of seed {seed} ({})", kept.display());
            attack.findings.iter().for_each(|(harm, text)| report(&format!("{place}: {harm:?}: {text}")));
        }
        counts.0.insert(kind.name, attack.tally);
        round += 1;
        if reported.elapsed() > SILENCE {
            reported = Instant::now();
            report(&format!("{round} rounds, {} s\n{counts}", begun.elapsed().as_secs()));
        }
    }
    let n_rounds = round - options.first;
    report(&format!("{n_rounds} rounds of seed {seed} in {} s\n{counts}", begun.elapsed().as_secs()));
    // What was found stays.
    let is_done = counts.is_well() && options.folder.is_none();
    drop(fs_err::remove_dir_all(if is_done { &root } else { &folder }));
    Ok(counts)
}
