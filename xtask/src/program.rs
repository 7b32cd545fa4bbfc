//! Finds, builds and runs the programs of tasks and experiments: cargo, our own, and those of others.

use crate::root;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The first of these programs that is installed; Debian has daemons and games in folders of their own.
#[must_use]
pub fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let more = ["/usr/sbin", "/sbin", "/usr/games"].map(PathBuf::from);
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(more).collect();
    let files = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    files.into_iter().find(|file| file.is_file())
}

/// Builds `tablesmith`, or libraries, beside this program; the folder in which they are.
///
/// Each profile is built as it is otherwise, `quick` by the package and `dev` by the tests, so that nothing
/// is compiled with other features once more.
///
/// # Errors
/// They cannot be built.
pub(crate) fn build(what: &[&str], packages: &[&str]) -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().context("this program lies in no folder")?;
    let mut command = cargo();
    command.args(["build", "--quiet"]).args(what);
    match folder.ends_with("quick") {
        true => {
            let packages = packages.iter().flat_map(|package| ["--package", package]);
            command.args(["--profile", "quick"]).args(packages);
        }
        false => drop(command.arg("--workspace")),
    }
    succeed(&mut command).map(|()| folder.into())
}

/// Builds the program `tablesmith`.
///
/// # Errors
/// It cannot be built.
pub(crate) fn tablesmith() -> Result<PathBuf> {
    let folder = build(&["--bin", "tablesmith"], &["tablesmith-cli"])?;
    Ok(folder.join("tablesmith").with_extension(std::env::consts::EXE_EXTENSION))
}

/// The cargo that runs this program, in the root of the source tree.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// A command of the workbench, which this program has too.
///
/// # Errors
/// The system does not say where this program is.
pub fn workbench<T: AsRef<OsStr>>(args: impl IntoIterator<Item = T>) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(args).stdin(Stdio::null());
    Ok(command)
}

/// Runs a command and lets it print; what is wrong if it fails.
///
/// # Errors
/// It cannot be run, or ends with another code than 0.
pub fn succeed(command: &mut Command) -> Result<()> {
    match is_yes(command)? {
        true => Ok(()),
        false => bail!("{} failed", shown(command)),
    }
}

/// Runs a command and lets it print; whether its exit code is 0.
///
/// # Errors
/// It cannot be run.
pub fn is_yes(command: &mut Command) -> Result<bool> {
    let status = command.status().with_context(|| format!("cannot run {}", shown(command)))?;
    Ok(status.success())
}

/// Runs a command; what it prints.
///
/// # Errors
/// It cannot be run, or ends with another code than 0, with what it says.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {}", shown(command)))?;
    let [text, said] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    match output.status.success() {
        true => Ok(text),
        false => bail!("{} failed ({}): {}", shown(command), output.status, said.trim()),
    }
}

/// A command as it is typed.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.display().to_string()).collect::<Vec<_>>().join(" ")
}
