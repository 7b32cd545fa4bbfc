//! Runs a command that fills a folder: once undisturbed, and as often as wanted with somebody in its way.

use super::command::{Ended, Program, args};
use super::files::Files;
use super::tally::{Finding, Harm, Tally};
use format::{BlockCache, TableFile};
use proof::Dice;
use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use variant::{Metric, Variant};

/// Where an attack takes place, and what is counted.
pub(super) struct Attack<'a> {
    pub(super) program: &'a Program,
    pub(super) folder: &'a Path,
    pub(super) dice: &'a mut Dice,
    pub(super) tally: &'a mut Tally,
}

/// A command, and the folder that it fills if nobody disturbs it.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) name: String,
    /// Without folder and threads.
    args: Vec<OsString>,
    /// The rules of its game.
    pub(super) rules: PathBuf,
    /// The folder of the undisturbed run.
    pub(super) whole: PathBuf,
    pub(super) files: Files,
    /// How long an undisturbed run takes.
    pub(super) time: Cell<Duration>,
}

impl Job {
    /// `solve` with these options, run once into a folder below `root`.
    pub(super) fn solve(program: &Program, root: &Path, game: &str, options: &str) -> Result<Self, String> {
        let rules = xtask::root().join("variants").join(game).with_extension("toml");
        let mut command = args([OsString::from("solve"), rules.clone().into()]);
        command.extend(args(options.split_whitespace()));
        Job::new(program, root, format!("solve {game} {options}"), rules, command)
    }

    /// `export` of another job's folder with these options, run once into a folder below `root`.
    pub(super) fn export(program: &Program, root: &Path, of: &Job, options: &str) -> Result<Self, String> {
        let mut command = args([OsString::from("export"), of.whole.clone().into()]);
        command.extend(args(["--variant".into(), OsString::from(&of.rules)]));
        command.extend(args(options.split_whitespace()));
        Job::new(program, root, format!("export {options} of {}", of.name), of.rules.clone(), command)
    }

    fn new(
        program: &Program,
        root: &Path,
        name: String,
        rules: PathBuf,
        args: Vec<OsString>,
    ) -> Result<Self, String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric();
        let whole = root.join(name.replace(|c: char| !is_plain(c), "-"));
        let (files, time) = (Files::default(), Cell::new(Duration::ZERO));
        let mut job = Job { name, args, rules, whole, files, time };
        let begun = Instant::now();
        let ended = program.run(&job.args_into(&job.whole, 1))?;
        job.time.set(begun.elapsed());
        job.files = Files::of(&job.whole)?;
        match ended.code {
            Some(0) => Ok(job),
            _ => Err(format!("{}: fails without being disturbed: {}", job.name, ended.err)),
        }
    }

    /// The arguments that fill this folder.
    pub(super) fn args_into(&self, folder: &Path, n_threads: usize) -> Vec<OsString> {
        let threads = n_threads.to_string();
        let place = [OsString::from("--threads"), threads.into(), "--out".into(), folder.into()];
        self.args.iter().cloned().chain(place).collect()
    }

    const fn is_tsm(name: &str) -> bool {
        matches!(name.as_bytes(), [.., b'.', b't', b's', b'm'])
    }

    /// Looks at what a run has left: every table that it has printed is there, every file is whole, and what
    /// was `before` has stayed.
    pub(super) fn look(
        &self,
        folder: &Path,
        before: &Files,
        ended: &Ended,
    ) -> Result<(Files, Vec<Finding>), String> {
        let files = Files::of(folder)?;
        let mut findings = Vec::new();
        for line in ended.out.lines() {
            let start = line.split([' ', ':']).next().unwrap_or_default().to_owned() + ".";
            let has = |files: &Files| files.names().any(|name| name.starts_with(&start));
            if has(&self.files) && !has(&files) {
                findings.push(Finding::new(Harm::Lost, format!("{line}: printed, and no file is there")));
            }
        }
        for name in files.not_kept(before, &self.files) {
            // `export` writes its files again.
            if Job::is_tsm(name) || !files.names().any(|now| now == name) {
                findings.push(Finding::new(Harm::Lost, format!("{name} was there and has not stayed")));
            }
        }
        for name in files.others_than(&self.files) {
            // A table that others still need keeps both sides to move, in a file of its own right.
            let fault = match Job::is_tsm(name) {
                true => self.fault_of(folder, name)?,
                false => Some("other bytes".to_owned()),
            };
            if let Some(fault) = fault {
                findings.push(Finding::new(Harm::Half, format!("{name} is not whole: {fault}")));
            }
        }
        Ok((files, findings))
    }

    /// What is wrong with the checksums of a table file.
    fn fault_of(&self, folder: &Path, name: &str) -> Result<Option<String>, String> {
        let variant = Variant::load(&self.rules).map_err(|error| error.to_string())?;
        let metric = match name.split('.').collect::<Vec<&str>>()[..] {
            [_, metric, _] => metric.parse::<Metric>().map_err(|_| format!("{name} has no metric"))?,
            _ => variant.default_metric,
        };
        let file = TableFile::open_of(&folder.join(name), &variant, metric, Arc::new(BlockCache::new(0)));
        Ok(file.and_then(|file| file.verify_checksums()).err().map(|error| error.to_string()))
    }

    /// How long a run is waited for before it is disturbed: a part of its time by chance.
    pub(super) fn moment(&self, dice: &mut Dice) -> Duration {
        self.time.get().mul_f64(dice.below(1000) as f64 / 1000.0)
    }

    /// Learns how fast the machine is now: whether a run was still at work when it was to be disturbed.
    pub(super) fn learn(&self, was_at_work: bool) {
        self.time.set(self.time.get().mul_f64(if was_at_work { 1.05 } else { 0.7 }));
    }

    /// Runs undisturbed over what is there, and compares the folder with that of the undisturbed run; what
    /// was `before` is not made again.
    pub(super) fn finish(
        &self,
        program: &Program,
        folder: &Path,
        n_threads: usize,
        before: &Files,
    ) -> Result<Vec<Finding>, String> {
        let ended = program.run(&self.args_into(folder, n_threads))?;
        let mut findings: Vec<Finding> = panics(&ended).into_iter().collect();
        if ended.code != Some(0) && findings.is_empty() {
            findings.push(Finding::new(Harm::Lost, format!("the next run fails: {}", ended.last_words())));
        }
        let files = Files::of(folder)?;
        for name in files.not_kept(before, &self.files).filter(|name| Job::is_tsm(name)) {
            let table = name.split('.').next().unwrap_or_default();
            // A run may need more than the file holds; then it says so.
            if !ended.err.contains(&format!("{table} is solved again")) {
                findings.push(Finding::new(Harm::Lost, format!("{name} was done and is made again")));
            }
        }
        let differences = files.differences(&self.files);
        findings.extend(differences.into_iter().map(|text| Finding::new(Harm::Different, text)));
        Ok(findings)
    }
}

/// What no command may do.
pub(super) fn panics(ended: &Ended) -> Option<Finding> {
    ended.fault().map(|fault| Finding::new(Harm::Panic, fault))
}

/// Makes an empty folder for one attack.
pub(super) fn empty(folder: &Path) -> Result<(), String> {
    drop(fs::remove_dir_all(folder));
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))
}
