//! Runs the commands as the installed binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(std::env::args_os().skip(1)))
}
