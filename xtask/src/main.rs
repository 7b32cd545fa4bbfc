//! Runs `cargo xtask`: the commands of the workbench and the developers' tasks.

use std::ffi::OsString;
use std::process::ExitCode;
use xtask::task;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    task::run(&args).unwrap_or_else(|| {
        let program = cli::Program { name: "cargo xtask", more_help: task::help().leak(), path: None };
        ExitCode::from(cli::run_as(&program, args.into_iter().skip(1)))
    })
}
