//! Runs the job of a cluster: one table from those that are there, and what became of it beside the tables.
//!
//! Where the machine does not see the folder of the set, the job brings its inputs and takes its files away
//! by commands that the user gives.

use super::args::SolveArgs;
use super::run::JOB_PATIENCE;
use crate::interrupt;
use crate::{Console, DEFAULT_VARIANT, Failure, Game, Outcome, Planning};
use ::plan::Plan;
use build::cluster::{Record, Slurm, StateFolder, quoted};
use build::{FolderLock, LeaseHolder, TableLease};
use format::{BlockCache, TableFile, put_column};
use library::TableFiles;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::SystemTime;

/// What stands for the name of a file in a command, and for where it is or is to be.
const NAME: &str = "{file}";
const PLACE: &str = "{path}";

/// Lets `solve` make the one table that is asked for; its inputs are fetched before, and its files delivered
/// afterwards.
pub(super) fn run<'a>(
    console: &mut Console<'a>,
    args: &SolveArgs,
    solve: impl FnOnce(&mut Console<'a>) -> Outcome<Vec<Vec<String>>>,
) -> Outcome<()> {
    let [table] = &args.wanted.table[..] else {
        return Err(Failure::new("--job makes one table; name it with --table"));
    };
    let game = Game::find(args.variant.as_deref(), DEFAULT_VARIANT, &[])?;
    let name = game.material(table)?.name(&game.variant);
    let started = SystemTime::now();
    let folder = game.tables(console, args.out.as_deref());
    let editions = game.editions(&args.metric);
    let files = || editions.iter().map(|edition| TableFiles::new(edition.clone(), &folder));
    let fetched = args.fetch.as_ref().map_or(Ok(()), |template| {
        check_template("--fetch", template)?;
        fs::create_dir_all(&folder).map_err(Failure::new)?;
        let plan = game.plan(&game.request(&args.wanted)?, &mut Planning::new(false))?;
        // Runs that begin meanwhile clean up no file of this process.
        let _lock = FolderLock::shared(&folder, JOB_PATIENCE)?;
        files().try_for_each(|files| fetch(&files, &plan, template))
    });
    let outcome = fetched.and_then(|()| solve(console));
    let state = StateFolder::new(&folder);
    for (at, files) in files().enumerate() {
        match &outcome {
            Ok(made) if made.get(at).is_some_and(|made| made.contains(&name)) => {
                let record = Record::new(&files, &name, Some(started))?;
                state.write_record(&record).map_err(Failure::new)?;
            }
            // One that was there before, or that another process has made, keeps the record of the job that
            // made it.
            Ok(_) => state.forget_failure(&name).map_err(Failure::new)?,
            Err(failure) => {
                let (host, job) = (LeaseHolder::own().host, Slurm.own_job());
                let (table, message) = (name.clone(), failure.to_string());
                // The job's log has it too.
                let _ = state.write_failure(&build::cluster::Failure { table, host, job, message });
            }
        }
    }
    outcome?;
    let Some(template) = &args.store else { return Ok(()) };
    check_template("--store", template)?;
    // All columns are in one file.
    let mut paths: Vec<PathBuf> = files().map(|files| files.main_path(&name)).collect();
    paths.dedup();
    paths.iter().try_for_each(|path| command("--store", template, path))
}

/// Fails if a command does not say which file it is about.
fn check_template(option: &str, template: &str) -> Outcome<()> {
    if template.contains(NAME) && template.contains(PLACE) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{option} needs {NAME} (the file's name) and {PLACE} (where it is here) in its command, as in \
         'cp /elsewhere/{NAME} {PLACE}'"
    )))
}

/// Fetches the files of the tables that the last table of a plan needs, where they have not these columns
/// here yet.
fn fetch(files: &TableFiles, plan: &Plan, template: &str) -> Outcome<()> {
    // What is always drawn has no file that a job reads.
    let needed = plan.ids().last().map(|last| plan.needed_by(last)).unwrap_or_default();
    let mut names = needed.iter().map(|id| &plan.job(*id).name).filter(|name| !files.are_there(name));
    names.try_for_each(|name| fetch_file(files, name, template))
}

/// Fetches a file under another name, which it keeps until every checksum in it has been compared: what was
/// half fetched is fetched again.
fn fetch_file(files: &TableFiles, name: &str, template: &str) -> Outcome<()> {
    let (path, edition) = (files.main_path(name), files.edition());
    // Another job may be fetching it.
    let lease = TableLease::wait(&path, &mut |_| !interrupt::is_asked_for())?;
    let Some(_lease) = lease.filter(|_| !files.are_there(name)) else { return Ok(()) };
    // The file of a draft needs the name of a table to be read as one.
    let folder = path.with_file_name(format!(".fetching-{}", std::process::id()));
    let draft = folder.join(path.file_name().unwrap_or_default());
    let failed = |error: std::io::Error| Failure::new(format!("{}: {error}", draft.display()));
    let fetched = || {
        fs::create_dir_all(&folder).map_err(failed)?;
        command("--fetch", template, &draft)?;
        if !draft.exists() {
            return Err(Failure::new(format!("--fetch `{template}` brings no file {}", draft.display())));
        }
        let no_good = |error| Failure::new(format!("what --fetch has brought is no good: {error}"));
        let columns = || edition.metrics().iter().map(|&metric| edition.column(name, metric));
        for column in columns() {
            let file = TableFile::open_of(&draft, edition.variant(), column, Arc::new(BlockCache::new(0)));
            file.and_then(|file| file.verify_checksums()).map_err(no_good)?;
        }
        // Other columns that are here stay.
        Ok(columns().try_for_each(|column| put_column(&draft, &path, column).map(drop))?)
    };
    let result = fetched();
    let _ = fs::remove_dir_all(&folder);
    result
}

/// Runs the command of an option for a file.
fn command(option: &str, template: &str, path: &Path) -> Outcome<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let command = template.replace(NAME, &quoted(&name)).replace(PLACE, &quoted(&path.display().to_string()));
    let failed = |what: String| Failure::new(format!("{option} `{command}` {what}"));
    let status = Command::new("sh").args(["-c", &command]).status();
    let status = status.map_err(|error| failed(format!("cannot be run: {error}")))?;
    if status.success() { Ok(()) } else { Err(failed(format!("fails: {status}"))) }
}
