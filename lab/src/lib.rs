//! Runs the experiments of the laboratory, behind `cargo xtask lab`.
//!
//! They compare the rules, the solver and its files with their judges for as long as one likes, disturb runs
//! and damage files to see that nothing is lost, and measure. README.md says what each of them proves and
//! how long it takes. This is a library so that tests run the experiments too, with little of each.

mod architectures;
mod cross_check;
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

use anyhow::Result;
use clap::{CommandFactory, Parser};
use std::ffi::OsString;
use std::process::ExitCode;
use xtask::root;

/// Runs the experiment that these arguments ask for, or the command of the workbench: 0 if all is well, 1 if
/// something is not, 2 if it could not be found out.
#[must_use]
pub fn run(args: Vec<OsString>) -> ExitCode {
    let is_experiment =
        |name: &str| name.starts_with('-') || Experiment::command().find_subcommand(name).is_some();
    if args.get(1).and_then(|name| name.to_str()).is_some_and(|name| !is_experiment(name)) {
        return ExitCode::from(cli::run(args.into_iter().skip(1)));
    }
    match Experiment::parse_from(args).run() {
        Ok(is_well) => ExitCode::from(u8::from(!is_well)),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// An experiment with its options.
#[derive(Debug, clap::Parser)]
#[command(
    name = "cargo xtask lab",
    about = "Judges the program, disturbs it and measures it: see lab/README.md"
)]
enum Experiment {
    /// Readers of files and FENs against inputs that are nearly right
    Fuzz(fuzz::Options),
    /// Random games against the naive oracle until Ctrl-C
    FuzzRules(fuzz_rules::Options),
    /// Runs killed at any moment, out of disk space and two at once, and damaged files read
    Torture(torture::Options),
    /// Tables solved in memory, by logs, from files, block by block: the same bytes
    Strategies(strategies::Options),
    /// Known positions with many men, solved as structures, whose files go to target/studies
    Studies {
        /// Positions by their names, such as reti or saavedra; all if none is named
        names: Vec<String>,
    },
    /// Structures against whole tables, position by position
    Whole(whole_table::Options),
    /// Moves and files judged by other programs, which are installed under target/
    #[command(subcommand)]
    CrossCheck(cross_check::Comparison),
    /// Values and speed of this source tree against those of an older one
    OldNew(old_new::Options),
    /// The longest wins of solved tables, and hashes of their values, against snapshots
    Longest(longest::Options),
    /// The results and longest wins of solved tables of chess against published ones
    Published(published::Options),
    /// What runs take of memory and disk against what is estimated
    Memory(memory::Options),
    /// Kernels and tables with each set of instructions that the processor has
    Architectures(architectures::Options),
}

impl Experiment {
    /// Runs the experiment; whether all is well.
    ///
    /// # Errors
    /// What stands in the way of finding out.
    fn run(self) -> Result<bool> {
        let report = &mut |line: &str| eprintln!("{line}");
        match self {
            Experiment::Fuzz(options) => fuzz::run(&options, report),
            Experiment::FuzzRules(options) => fuzz_rules::run(&options),
            Experiment::Torture(options) => {
                let is_stopped = process::stopped_by_ctrl_c()?;
                Ok(torture::run(&options, &std::env::current_exe()?, &is_stopped, report)?.is_well())
            }
            Experiment::Strategies(options) => strategies::run(&options),
            Experiment::Studies { names } => studies::run(&names, &root().join("target/studies")),
            Experiment::Whole(options) => whole_table::run(&options),
            Experiment::CrossCheck(comparison) => cross_check::run(&comparison),
            Experiment::OldNew(options) => old_new::run(&options),
            Experiment::Longest(options) => longest::run(&options),
            Experiment::Published(options) => published::run(&options),
            Experiment::Memory(options) => memory::run(&options),
            Experiment::Architectures(options) => architectures::run(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Experiment;
    use clap::{CommandFactory, Parser};

    #[track_caller]
    fn check(line: &str, is_right: bool) {
        let args = std::iter::once("lab").chain(line.split_whitespace());
        let read = Experiment::try_parse_from(args);
        assert_eq!(read.is_ok(), is_right, "{line}: {read:?}");
    }

    #[test]
    fn arguments_are_read() {
        Experiment::command().debug_assert();
        for line in [
            "fuzz tbl fen --seconds 5 --seed 3 --inputs 9",
            "fuzz-rules --seed 7 --cases 9 --men 4 --plain --structures",
            "torture --rounds 3 --first 7 --seed 9 --dir x --short --disk ulimit",
            "strategies --variant my.toml --table KQvK --table KRvK --metric dtc,dtm",
            "studies reti saavedra",
            "whole KQPvKQ --tables x --metric wdl --roots 1 --one-in 9",
            "cross-check moves --positions 5 rose NN atomic",
            "cross-check syzygy --game fide --table KQvKR --rounded",
            "cross-check syzygy --game fide --files a --values b",
            "old-new --men 4 --rules 5 --rounds 0 --old HEAD",
            "longest --men 5 --tables x --write",
            "published --tables x",
            "memory --large --only KPvKP",
            "architectures --rounds 7",
        ] {
            check(line, true);
        }
        for line in [
            "fuzz pgn",
            "fuzz-rules --men 5",
            "torture --disk floppy",
            "strategies --table KQvK",
            "strategies --variant my.toml",
            "whole",
            "cross-check draughts",
            "cross-check",
            "cross-check syzygy --game draughts",
            "cross-check syzygy --files a",
            "longest",
            "longest --men 99",
            "old-new --men 9",
            "architectures --rounds 0",
        ] {
            check(line, false);
        }
    }
}
