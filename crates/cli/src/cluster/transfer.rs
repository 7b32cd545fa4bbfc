//! Brings a job's inputs from elsewhere and takes its files there, by commands that the user gives.

use crate::Failure;
use ::plan::{JobId, Plan};
use cluster::quoted;
use library::TableFiles;
use std::path::Path;
use std::process::Command;

/// What stands for the name of a file in a command, and for where it is or is to be.
const NAME: &str = "{file}";
const PLACE: &str = "{path}";

/// Fails if a command does not say which file it is about.
pub(crate) fn check_template(option: &str, template: &str) -> Result<(), Failure> {
    if template.contains(NAME) && template.contains(PLACE) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{option} needs {NAME} (the file's name) and {PLACE} (where it is here) in its command, as in \
         'cp /elsewhere/{NAME} {PLACE}'"
    )))
}

/// Fetches the files of the tables that the last table of a plan needs, where they are not here yet.
pub(crate) fn fetch(files: &TableFiles, plan: &Plan, template: &str) -> Result<(), Failure> {
    let Some(last) = plan.ids().last() else { return Ok(()) };
    // What is always drawn has no file that anybody reads.
    let needed: Vec<JobId> = plan.needed_by(last);
    for id in needed {
        for &metric in files.edition().metrics() {
            let path = files.path(&plan.job(id).name, metric);
            if !path.exists() {
                run("--fetch", template, &path)?;
            }
        }
    }
    Ok(())
}

/// Takes the files of a table elsewhere.
pub(crate) fn store(files: &TableFiles, table: &str, template: &str) -> Result<(), Failure> {
    let metrics = files.edition().metrics().iter();
    metrics.map(|&metric| files.path(table, metric)).try_for_each(|path| run("--store", template, &path))
}

fn run(option: &str, template: &str, path: &Path) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let command = template.replace(NAME, &quoted(&name)).replace(PLACE, &quoted(&path.display().to_string()));
    let failed = |what: String| Failure::new(format!("{option} `{command}` {what}"));
    let status = Command::new("sh").args(["-c", &command]).status();
    let status = status.map_err(|error| failed(format!("cannot be run: {error}")))?;
    if !status.success() {
        return Err(failed(format!("fails: {status}")));
    }
    if option == "--fetch" && !path.exists() {
        return Err(failed("brings no file".into()));
    }
    Ok(())
}
