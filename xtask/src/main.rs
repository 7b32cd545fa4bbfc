//! Runs `cargo xtask`: the commands of the workbench and the developers' tasks.

use std::ffi::OsString;
use std::process::ExitCode;
use xtask::task::{self, Task};

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.first().and_then(|name| Task::named(name)) {
        Some(Task::Program) => Task::Program.run(&args),
        Some(task) => task.run(&args[1..]),
        None => cli::run_as(&cli::Program { name: "cargo xtask", more_help: task::HELP }, args),
    }
}
