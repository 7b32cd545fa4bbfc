//! Lets runs meet a full disk, and runs the same command again with room.

use super::files::Files;
use super::job::{Attack, Job, empty, panics};
use super::tally::{Finding, Harm};
use proof::Dice;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The ways to a full disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Room {
    /// A small file system in memory: too small from the start, or filled up by somebody else during the
    /// run. It takes the rights of root on Linux.
    #[value(name = "tmpfs")]
    Mounted,
    /// A limit for the size of a file (`ulimit -f`), which every Unix has.
    #[value(name = "ulimit")]
    Limited,
}

/// Bytes of a file system besides those of files.
const MARGIN: u64 = 64 << 10;

impl Room {
    /// The better way of those that this machine has.
    pub(super) fn best(folder: &Path) -> Option<Self> {
        let mounted = empty(folder).and_then(|()| Mount::new(folder, 1 << 20));
        match mounted {
            Ok(_) => Some(Room::Mounted),
            Err(_) if cfg!(unix) => Some(Room::Limited),
            Err(_) => None,
        }
    }

    /// In words.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Room::Mounted => "a tmpfs that is small or is filled up during the run, and `ulimit -f`",
            Room::Limited => "`ulimit -f`, since no file system can be mounted here",
        }
    }
}

/// A file system of limited size; it is gone when it is dropped.
struct Mount(PathBuf);

impl Mount {
    fn new(folder: &Path, size_bytes: u64) -> Result<Self, String> {
        mount(&["-t", "tmpfs", "-o", &format!("size={size_bytes}"), "tmpfs"], folder)?;
        Ok(Mount(folder.into()))
    }

    fn resize(&self, size_bytes: u64) -> Result<(), String> {
        mount(&["-o", &format!("remount,size={size_bytes}")], &self.0)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).stderr(Stdio::null()).status());
    }
}

fn mount(args: &[&str], folder: &Path) -> Result<(), String> {
    let output = Command::new("mount").args(args).arg(folder).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("cannot mount: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(format!("cannot mount: {error}")),
    }
}

/// Runs a job without enough room, and again with room.
pub(super) fn attack(attack: &mut Attack<'_>, job: &Job, room: Room) -> Result<Vec<Finding>, String> {
    let Attack { program, folder, dice, tally } = attack;
    empty(folder)?;
    tally.n_attacks += 1;
    let way = if room == Room::Limited { 2 } else { dice.below(3) };
    let n_threads = 1 + dice.below(2);
    // Files take whole pages.
    let all_bytes = job.files.size_bytes() + 4096 * (job.files.names().count() as u64 + 8);
    let some_bytes =
        |dice: &mut Dice, most: u64| dice.below(usize::try_from(most).unwrap_or(usize::MAX)) as u64;
    let (mount, inside) = match way {
        0 => (Some(Mount::new(folder, MARGIN / 4 + some_bytes(dice, all_bytes))?), folder.join("out")),
        1 => (Some(Mount::new(folder, 2 * all_bytes + (16 << 20))?), folder.join("out")),
        _ => (None, folder.join("out")),
    };
    let ended = match way {
        0 => {
            tally.note("tmpfs too small", 1);
            program.run(&job.args_into(&inside, n_threads))?
        }
        1 => {
            tally.note("tmpfs filled up", 1);
            let run = program.start(&job.args_into(&inside, n_threads))?;
            std::thread::sleep(job.moment(dice));
            fill(&folder.join("filler"));
            run.wait()?
        }
        _ => {
            tally.note("ulimit", 1);
            let most = 4096 + some_bytes(dice, job.files.largest_bytes());
            program.start_limited(&job.args_into(&inside, n_threads), most)?.wait()?
        }
    };
    tally.note("run refused", u64::from(ended.code == Some(2)));
    let mut findings: Vec<Finding> = panics(&ended).into_iter().collect();
    if ended.code == Some(1) {
        findings.push(Finding::new(Harm::Lost, format!("it ends with 1: {}", ended.last_words())));
    }
    let (files, seen) = job.look(&inside, &Files::default(), &ended)?;
    findings.extend(seen);
    drop(fs::remove_file(folder.join("filler")));
    if let Some(mount) = &mount {
        mount.resize(2 * all_bytes + (16 << 20))?;
    }
    findings.extend(job.finish(program, &inside, n_threads, &files)?);
    if mount.is_some() && !findings.is_empty() {
        // The file system is gone afterwards.
        let now = Files::of(&inside)?;
        drop(mount);
        files.write_to(&folder.join("without-room"));
        now.write_to(&inside);
    }
    Ok(findings)
}

/// Takes all the room that there is.
fn fill(path: &Path) {
    let Ok(mut file) = File::create(path) else { return };
    let mut n_bytes = 1 << 20;
    while n_bytes >= 4096 {
        if file.write_all(&vec![0; n_bytes]).is_err() {
            n_bytes /= 2;
        }
    }
}
