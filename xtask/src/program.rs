//! Finds the programs that checks run: the installed one, built beside this one, and those of others.

use crate::root;
use std::path::PathBuf;
use std::process::Command;

/// The first of these programs that is installed.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}

/// Builds `tablesmith` beside this program.
///
/// # Errors
/// It cannot be built.
pub(crate) fn build() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("cannot find myself: {error}"))?;
    let folder = own.parent().ok_or("this program lies in no folder")?;
    let mut command = cargo();
    command.args(["build", "--quiet", "--bin", "tablesmith"]).current_dir(root());
    // Each profile as it is built otherwise, `quick` by `cargo xtask serve` and `dev` by the tests, so that
    // nothing is compiled with other features once more.
    command.args(if folder.ends_with("quick") {
        &["--profile", "quick", "--package", "tablesmith-cli"][..]
    } else {
        &["--workspace"][..]
    });
    match command.status() {
        Ok(status) if status.success() => {
            Ok(folder.join("tablesmith").with_extension(std::env::consts::EXE_EXTENSION))
        }
        Ok(_) => Err("the program cannot be built".into()),
        Err(error) => Err(format!("cannot run cargo: {error}")),
    }
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
    let name = command.get_program().display().to_string();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            let args: Vec<String> = command.get_args().map(|arg| arg.display().to_string()).collect();
            Err(format!("{name} {} failed ({status})", args.join(" ")))
        }
        Err(error) => Err(format!("cannot run {name}: {error}")),
    }
}
