//! Makes what is attacked: runs of `solve` and `export`, and folders of files of every format.

use super::command::Program;
use super::disk::Room;
use super::files::Files;
use super::job::Job;
use super::set::Set;
use anyhow::{Result, bail, ensure};
use std::path::{Path, PathBuf};
use xtask::root;

/// The runs and folders, in the form that the file explains.
const LIST: &str = include_str!("../../data/torture.txt");

/// What is attacked.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) jobs: Vec<Job>,
    /// Runs that add columns to the tables that are there.
    pub(super) adding: Vec<Job>,
    pub(super) sets: Vec<Set>,
    /// The way to a full disk, if there is one.
    pub(super) room: Option<Room>,
}

impl Stage {
    /// Makes it in this folder.
    pub(super) fn new(program: &Program, folder: &Path, room: Option<Room>, is_short: bool) -> Result<Self> {
        let mut stage = Stage { jobs: Vec::new(), adding: Vec::new(), sets: Vec::new(), room };
        for line in LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            let [when, command, of, metric, ref options @ ..] = words[..] else {
                bail!("`{line}` is no line")
            };
            if is_short && when != "short" {
                continue;
            }
            let metric = Some(metric).filter(|&metric| metric != "-");
            let own = folder.join(line.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
            let (rules, named) = match (command, of.parse::<usize>().map(|of| &stage.jobs[of])) {
                ("solve", _) => {
                    let rules = root().join("variants").join(of).with_extension("toml");
                    let args = ["solve".to_owned(), rules.display().to_string()];
                    stage.jobs.push(job(program, &rules, &args, options, &own, None)?);
                    (rules, Files::of(&own)?)
                }
                ("add", Ok(of)) => {
                    let rules = of.rules.clone();
                    let args = ["solve".to_owned(), rules.display().to_string()];
                    let adding = job(program, &rules, &args, options, &own, Some(&of.whole))?;
                    stage.adding.push(adding);
                    (rules, Files::of(&own)?)
                }
                ("export", Ok(of)) => {
                    let (rules, named) = (of.rules.clone(), Files::of(&of.whole)?);
                    let [tables, game] = [&of.whole, &rules].map(|path| path.display().to_string());
                    let args = ["export".to_owned(), tables, "--variant".to_owned(), game];
                    stage.jobs.push(job(program, &rules, &args, options, &own, None)?);
                    (rules, named)
                }
                ("kept" | "alone", Ok(of)) => {
                    let files = Files::of(&root().join("tests/cases").join(options[0]))?;
                    ensure!(files.names().next().is_some(), "{line}: there are no files");
                    if command == "kept" {
                        of.files.write_to(&own)?;
                    }
                    files.write_to(&own)?;
                    (of.rules.clone(), Files::of(&own)?)
                }
                _ => bail!("`{line}` is of no run"),
            };
            stage.sets.push(Set::new(program, &own, &rules, metric, &named)?);
        }
        Ok(stage)
    }
}

/// A run that fills the folder `own`, which begins with the files of another one if that is named.
fn job(
    program: &Program,
    rules: &Path,
    args: &[String],
    options: &[&str],
    own: &Path,
    base: Option<&Path>,
) -> Result<Job> {
    let options = options.iter().map(|&word| word.to_owned());
    let args = args.iter().cloned().chain(options).collect();
    Job::new(program, PathBuf::from(rules), args, own.into(), base)
}
