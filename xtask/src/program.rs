//! Finds and builds the programs that checks run: our own beside this one, and those of others.

use crate::root;
use std::path::PathBuf;
use std::process::Command;

/// The first of these programs that is installed.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
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
pub(crate) fn build(what: &[&str], packages: &[&str]) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("cannot find myself: {error}"))?;
    let folder = own.parent().ok_or("this program lies in no folder")?;
    let mut command = cargo();
    command.args(["build", "--quiet"]).args(what).current_dir(root());
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
pub(crate) fn tablesmith() -> Result<PathBuf, String> {
    let folder = build(&["--bin", "tablesmith"], &["tablesmith-cli"])?;
    Ok(folder.join("tablesmith").with_extension(std::env::consts::EXE_EXTENSION))
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command and lets it print; what is wrong if it fails.
///
/// # Errors
/// It cannot be run, or ends with another code than 0.
pub(crate) fn succeed(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{} failed ({status})", shown(command))),
        Err(error) => Err(format!("cannot run {}: {error}", shown(command))),
    }
}

/// A command as it is typed.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.display().to_string()).collect::<Vec<_>>().join(" ")
}
