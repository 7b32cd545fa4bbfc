//! Runs an experiment, or a command of the workbench, which the experiments start as processes of their own.

use lab::experiment::{self, Experiment};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.first().and_then(|name| Experiment::named(name)) {
        Some(experiment) => experiment.run(&args[1..]),
        None => cli::run_as(&cli::Program { name: "cargo xtask lab", more_help: experiment::HELP }, args),
    }
}
