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

mod command;
mod damage;
mod disk;
mod files;
mod job;
mod kill;
mod race;
mod stage;
mod tally;

use clap::builder::ArgPredicate;
use command::Program;
pub use disk::Room;
use job::Attack;
use proof::Dice;
use stage::Stage;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tally::Finding;
pub use tally::{Counts, Harm, Tally};

/// How many files a round damages.
const FILES_A_ROUND: usize = 10;

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
) -> Result<Counts, String> {
    let root = Root::new(options.folder.as_deref())?;
    let program = Program::new(program, &root.path.join("said"))?;
    let room = options.room.or_else(|| Room::best(&root.path.join("round")));
    report(&match room {
        Some(room) => format!("full disks: {}", room.text()),
        None => "full disks: NOT TESTED, this system has no way to one".to_owned(),
    });
    let stage = Stage::new(&program, &root.path, room, options.is_short)?;
    report(&format!("{}; seed {}, in {}", stage.text(), options.seed, root.path.display()));
    let none = Counts(KINDS.iter().map(|kind| (kind.name, kind.harms, Tally::default())).collect());
    let (begun, mut reported) = (Instant::now(), Instant::now());
    let (mut counts, mut round) = (none, options.first);
    let is_over = |round| {
        begun.elapsed() >= Duration::from_secs(options.seconds) || round - options.first >= options.rounds
    };
    while !is_stopped.load(Ordering::Relaxed) && !is_over(round) {
        let mut dice = Dice::new(options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ round);
        let folder = root.path.join("round");
        let mut after = counts.clone();
        let kinds = KINDS.iter().zip(&mut after.0);
        let of_round = kinds.into_iter().find(|(kind, _)| kind.rounds.contains(&(round % 8)));
        let (kind, (.., tally)) = of_round.expect("every round has its kind");
        let mut attack = Attack { program: &program, folder: &folder, dice: &mut dice, tally };
        let findings = (kind.attack)(&mut attack, &stage)?;
        findings.iter().for_each(|finding| attack.tally.add(finding.harm));
        // Ctrl-C reaches the runs too, and they end as they are asked to.
        if is_stopped.load(Ordering::Relaxed) {
            break;
        }
        counts = after;
        if !findings.is_empty() {
            let kept = root.path.join(format!("kept-{round}"));
            drop(fs::rename(&folder, &kept));
            for Finding { harm, text } in &findings {
                report(&format!(
                    "round {round} of seed {}: {harm:?}: {text} ({})",
                    options.seed,
                    kept.display()
                ));
            }
        }
        round += 1;
        if reported.elapsed() > SILENCE {
            reported = Instant::now();
            report(&format!("{round} rounds, {} s\n{counts}", begun.elapsed().as_secs()));
        }
    }
    let n_rounds = round - options.first;
    report(&format!(
        "{n_rounds} rounds of seed {} in {} s\n{counts}",
        options.seed,
        begun.elapsed().as_secs()
    ));
    root.close(counts.is_well());
    Ok(counts)
}

/// The folder of everything.
struct Root {
    path: PathBuf,
    is_own: bool,
}

impl Root {
    fn new(given: Option<&Path>) -> Result<Self, String> {
        let own = || std::env::temp_dir().join(format!("tablesmith-torture-{}", std::process::id()));
        let path = given.map_or_else(own, Path::to_path_buf);
        let fail = |error| format!("cannot make the folder {}: {error}", path.display());
        fs::create_dir_all(&path).map_err(fail)?;
        // Runs start in another folder.
        let path = path.canonicalize().map_err(fail)?;
        Ok(Root { path, is_own: given.is_none() })
    }

    /// Takes away what nobody needs to look at.
    fn close(&self, is_well: bool) {
        drop(fs::remove_dir_all(self.path.join("round")));
        drop(fs::remove_dir_all(self.path.join("said")));
        if is_well && self.is_own {
            drop(fs::remove_dir_all(&self.path));
        }
    }
}

/// A kind of attack.
struct Kind {
    name: &'static str,
    /// The rounds of eight that it has.
    rounds: Range<u64>,
    /// The harm that it can do.
    harms: &'static [Harm],
    attack: fn(&mut Attack<'_>, &Stage) -> Result<Vec<Finding>, String>,
}

/// The harm that a disturbed run can do.
const OF_RUNS: &[Harm] = &[Harm::Lost, Harm::Half, Harm::Different, Harm::Panic];

/// All kinds.
const KINDS: [Kind; 4] = [
    Kind {
        name: "kills",
        rounds: 0..3,
        harms: OF_RUNS,
        attack: |attack, stage| {
            let job = stage.job(attack.dice);
            kill::attack(attack, job)
        },
    },
    Kind {
        name: "damaged files",
        rounds: 3..6,
        harms: &[Harm::Wrong, Harm::Unnoticed, Harm::Panic],
        attack: |attack, stage| {
            for _ in 0..FILES_A_ROUND {
                let set = stage.set(attack.dice);
                let findings = damage::attack(attack, set)?;
                if !findings.is_empty() {
                    return Ok(findings);
                }
            }
            Ok(Vec::new())
        },
    },
    Kind {
        name: "full disks",
        rounds: 6..7,
        harms: OF_RUNS,
        attack: |attack, stage| match stage.room {
            Some(room) => {
                let job = stage.job(attack.dice);
                disk::attack(attack, job, room)
            }
            None => Ok(Vec::new()),
        },
    },
    Kind {
        name: "two at once",
        rounds: 7..8,
        harms: OF_RUNS,
        attack: |attack, stage| match attack.dice.below(4) {
            0 => {
                let (job, set) = stage.read_beside();
                race::reader(attack, job, set)
            }
            _ => {
                let job = stage.job(attack.dice);
                race::writers(attack, job)
            }
        },
    },
];
