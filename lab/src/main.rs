//! Runs an experiment, or a command of the workbench, which experiments start as processes of their own.

use std::process::ExitCode;

fn main() -> ExitCode {
    lab::run(std::env::args_os().collect())
}
