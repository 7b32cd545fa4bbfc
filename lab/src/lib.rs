//! Runs the experiments of the laboratory, behind `cargo xtask lab`.
//!
//! They compare the rules, the solver and its files with their judges for as long as one likes, disturb runs
//! and damage files to see that nothing is lost, and measure. README.md says what each of them proves and
//! how long it takes. This is a library so that tests run the experiments too, with little of each.

mod architectures;
mod cross_check;
mod experiment;
pub mod fuzz;
pub mod fuzz_rules;
mod longest;
pub mod memory;
mod old_new;
mod placement;
mod process;
mod published;
mod strategies;
mod studies;
pub mod torture;
mod whole_table;

use clap::{CommandFactory, Parser};
use experiment::Experiment;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the experiment that these arguments ask for, or the command of the workbench: 0 if all is well, 1 if
/// something is not, 2 if it could not be found out.
#[must_use]
pub fn run(args: Vec<OsString>) -> ExitCode {
    let is_experiment =
        |name: &str| name.starts_with('-') || Experiment::command().find_subcommand(name).is_some();
    if args.get(1).and_then(|name| name.to_str()).is_some_and(|name| !is_experiment(name)) {
        return cli::run(args.into_iter().skip(1));
    }
    match Experiment::parse_from(args).run() {
        Ok(is_well) => ExitCode::from(u8::from(!is_well)),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
