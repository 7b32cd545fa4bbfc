//! Brings a job's inputs from elsewhere and takes its files there, by commands that the user gives.

use crate::Failure;
use ::plan::{JobId, Plan};
use cluster::quoted;
use format::{BlockCache, TableFile};
use library::{Edition, TableFiles};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use variant::Metric;

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
                fetch_file(files.edition(), metric, &path, template)?;
            }
        }
    }
    Ok(())
}

/// Fetches a file under another name, which it keeps until every checksum in it has been compared: what was
/// half fetched is fetched again.
fn fetch_file(edition: &Edition, metric: Metric, path: &Path, template: &str) -> Result<(), Failure> {
    // The file of a draft needs the name of a table to be read as one.
    let folder = path.with_file_name(format!(".fetching-{}", std::process::id()));
    let draft = folder.join(path.file_name().unwrap_or_default());
    let failed = |error: std::io::Error| Failure::new(format!("{}: {error}", draft.display()));
    let fetched = || {
        fs::create_dir_all(&folder).map_err(failed)?;
        run("--fetch", template, &draft)?;
        if !draft.exists() {
            return Err(Failure::new(format!("--fetch `{template}` brings no file {}", draft.display())));
        }
        let file = TableFile::open_of(&draft, edition.variant(), metric, Arc::new(BlockCache::new(0)));
        let checked = file.and_then(|file| file.verify_checksums());
        checked.map_err(|error| Failure::new(format!("what --fetch has brought is no good: {error}")))?;
        fs::rename(&draft, path).map_err(failed)
    };
    let result = fetched();
    let _ = fs::remove_dir_all(&folder);
    result
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
    if status.success() { Ok(()) } else { Err(failed(format!("fails: {status}"))) }
}
