//! Runs a command that fills a folder: once undisturbed, and as often as wanted with something in its way.

use super::command::{Ended, Program, Running};
use super::files::Files;
use super::tally::{Attack, Harm};
use anyhow::{Result, ensure};
use format::{BlockCache, Column, TableFile, columns_of, open_rights};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use variant::Variant;

/// A command, and the folder that it fills if nothing disturbs it.
#[derive(Debug)]
pub(super) struct Job {
    /// Without folder and threads.
    args: Vec<String>,
    /// The files that are there when it begins, and the columns of each table among them.
    pub(super) base: Files,
    columns: BTreeMap<String, Vec<Column>>,
    /// The rules of its game.
    pub(super) rules: PathBuf,
    /// The folder of the undisturbed run.
    pub(super) whole: PathBuf,
    pub(super) files: Files,
    /// How long an undisturbed run takes.
    pub(super) time: Cell<Duration>,
}

impl Job {
    /// A command under some rules, run once into the folder `whole`, which begins with the files of the
    /// folder `base`, if there is one.
    pub(super) fn new(
        program: &Program,
        rules: PathBuf,
        args: Vec<String>,
        whole: PathBuf,
        base: Option<&Path>,
    ) -> Result<Self> {
        let (files, time) = (Files::default(), Cell::new(Duration::ZERO));
        let base = base.map_or(Ok(Files::default()), Files::of)?;
        base.write_to(&whole)?;
        let tables = base.names().filter(|name| name.ends_with(".tsm"));
        let columns = tables.map(|name| Ok((name.to_owned(), columns_of(&whole.join(name))?)));
        let columns = columns.collect::<Result<_>>()?;
        let mut job = Job { args, base, columns, rules, whole, files, time };
        let begun = Instant::now();
        let ended = program.start(&job.args_into(&job.whole, 1))?.wait()?;
        job.time.set(begun.elapsed());
        job.files = Files::of(&job.whole)?;
        ensure!(ended.code == Some(0), "{:?}: fails without being disturbed: {}", job.args, ended.err);
        Ok(job)
    }

    /// The arguments that fill this folder.
    pub(super) fn args_into(&self, folder: &Path, n_threads: usize) -> Vec<String> {
        let (threads, folder) = (n_threads.to_string(), folder.display().to_string());
        let place = ["--threads".into(), threads, "--out".into(), folder];
        self.args.iter().cloned().chain(place).collect()
    }

    /// Starts it in the folder of an attack, with any number of threads.
    pub(super) fn start(&self, attack: &mut Attack<'_>) -> Result<Running> {
        attack.program.start(&self.args_into(attack.folder, 1 + attack.dice.below(3)))
    }

    /// Waits for a part of the time of a run by chance, up to four fifths, before the run is disturbed.
    pub(super) fn wait_a_moment(&self, attack: &mut Attack<'_>) {
        std::thread::sleep(self.time.get().mul_f64(attack.dice.below(800) as f64 / 1000.0));
    }

    /// Looks at what a run has left: every table that it has printed is there, every file is whole, and what
    /// was `before` has stayed.
    pub(super) fn look(&self, attack: &mut Attack<'_>, before: &Files, ended: &Ended) -> Result<Files> {
        let files = Files::of(attack.folder)?;
        for (name, columns) in &self.columns {
            let now = columns_of(&attack.folder.join(name)).unwrap_or_default();
            if let Some(lost) = columns.iter().find(|column| !now.contains(column)) {
                attack.harm(Harm::Lost, format!("{name} had {} before the run, which is gone", lost.metric));
            }
        }
        for line in ended.out.lines() {
            let start = line.split([' ', ':']).next().unwrap_or_default().to_owned() + ".";
            let has = |files: &Files| files.names().any(|name| name.starts_with(&start));
            if has(&self.files) && !has(&files) {
                attack.harm(Harm::Lost, format!("{line}: printed, and no file is there"));
            }
        }
        for name in files.not_kept(before, &self.files) {
            // `export` writes its files again.
            if name.ends_with(".tsm") || !files.names().any(|now| now == name) {
                attack.harm(Harm::Lost, format!("{name} was there and has not stayed"));
            }
        }
        for name in files.others_than(&self.files) {
            // A table that others still need keeps both sides to move, in a file of its own right.
            let fault = match name.ends_with(".tsm") {
                true => self.fault_of(attack.folder, name)?,
                false => Some("other bytes".to_owned()),
            };
            if let Some(fault) = fault {
                attack.harm(Harm::Half, format!("{name} is not whole: {fault}"));
            }
        }
        Ok(files)
    }

    /// What is wrong with the checksums of a table file.
    fn fault_of(&self, folder: &Path, name: &str) -> Result<Option<String>> {
        let variant = Variant::load(&self.rules)?;
        let path = folder.join(name);
        let check = |column: Column| match column.has_rights {
            true => open_rights(&path, &variant, column.metric).map(drop),
            false => {
                TableFile::open_of(&path, &variant, column, Arc::new(BlockCache::new(0)))?.verify_checksums()
            }
        };
        let checked = columns_of(&path).and_then(|columns| columns.into_iter().try_for_each(check));
        Ok(checked.err().map(|error| error.to_string()))
    }

    /// Learns how fast the machine is now: whether a run was still at work when it was to be disturbed.
    pub(super) fn learn(&self, was_at_work: bool) {
        self.time.set(self.time.get().mul_f64(if was_at_work { 1.05 } else { 0.7 }));
    }

    /// Runs undisturbed over what is there, and compares the folder with that of the undisturbed run; what
    /// was `before` is not made again.
    pub(super) fn finish(&self, attack: &mut Attack<'_>, before: &Files) -> Result<()> {
        let ended = self.start(attack)?.wait()?;
        if !attack.has_fault(&ended) && ended.code != Some(0) {
            attack.harm(Harm::Lost, format!("the next run fails: {}", ended.last_words()));
        }
        let files = Files::of(attack.folder)?;
        for name in files.not_kept(before, &self.files).filter(|name| name.ends_with(".tsm")) {
            let table = name.split('.').next().unwrap_or_default();
            // A run may need more than the file holds; then it says so.
            if !ended.err.contains(&format!("{table} is solved again")) {
                attack.harm(Harm::Lost, format!("{name} was done and is made again"));
            }
        }
        files.differences(&self.files).into_iter().for_each(|text| attack.harm(Harm::Different, text));
        Ok(())
    }
}
