//! Finds an experiment by its name and runs it.

use crate::{
    architectures, cross_check, fuzz, fuzz_rules, longest, memory, published_list, published_number,
    strategies, studies, torture,
};
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use xtask::root;

/// The experiments in the help text.
pub const HELP: &str = "\
Experiments:
  fuzz   Readers of files and FENs against inputs that are nearly right: `fuzz [TARGET]` with
         tsm, tbl, tbc, gz, rtbw, rtbz or fen (--seconds N each, 60 by default; --inputs N, --seed N)
  fuzz-rules   Random games against the naive oracle until Ctrl-C (--seed N, --cases N, --men N,
         --seconds N, --plain); with --structures positions of several pawns, solved as structures
  torture  Runs of solve and export killed at any moment, out of disk space and two at once, and
         damaged files of all formats read (--seconds N, 600 by default; --rounds N, --first N,
         --seed N, --dir DIR, --short, --disk tmpfs or ulimit); 1 if anything is lost or wrong
  strategies  Tables solved in memory, by logs, from files, killed and gone on with: the same bytes
         (--variant FILE with --table MATERIAL, as often as wanted; --metric METRIC,…)
  studies  Known positions with many men (Réti, Saavedra, Lasker and Reichhelm, …) solved as structures:
         `studies [NAME …]`; files go to target/studies, 1 if one comes out otherwise;
         `studies --whole KQPvKQ …`: structures against whole tables (--tables DIR, --metric METRIC,
         --roots N, --seed N, --one-in N)
  cross-check  Other programs judge; without a kind, all of them do:
         moves   Legal moves compared with Fairy-Stockfish's, which is installed under target/
                 (--positions N, --piece NAME); with --awkward of positions made to be awkward,
                 compared with python-chess too, in legality, ends and what moves lead to
         syzygy  Tables of chess, atomic chess, antichess and suicide are exported, and
                 python-chess and, of chess, Stockfish read them (--game NAME, --table MATERIAL,
                 --positions N, --rounded)
  longest  The longest wins of solved tables against their snapshot: --men N (--tables DIR, --write)
  published  The results of six-man tables against published numbers (--tables DIR), or with --csv FILE
         those of three to five men that `stats DIR --csv` has listed
  memory  What runs take of memory and disk against what is estimated (--only TEXT, --large)
  architectures  Kernels and tables with each set of instructions that the processor has
         (--rounds N, 3 by default)";

/// An experiment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Experiment {
    /// Kernels and tables with each set of instructions.
    Architectures,
    /// Our rules and files against other people's programs.
    CrossCheck,
    /// Readers of files and FENs against damaged inputs.
    Fuzz,
    /// Random games, solved and compared with the oracle.
    FuzzRules,
    /// Longest wins of tables that are too large for tests.
    Longest,
    /// What runs take of memory.
    Memory,
    /// Results of tables against those of others.
    Published,
    /// Tables solved in every way and compared.
    Strategies,
    /// Known positions with many men.
    Studies,
    /// Runs disturbed and files damaged.
    Torture,
}

impl Experiment {
    /// The experiment of this name.
    #[must_use]
    pub fn named(name: &OsStr) -> Option<Self> {
        match name.to_str()? {
            "architectures" => Some(Experiment::Architectures),
            "cross-check" => Some(Experiment::CrossCheck),
            "fuzz" => Some(Experiment::Fuzz),
            "fuzz-rules" => Some(Experiment::FuzzRules),
            "longest" => Some(Experiment::Longest),
            "memory" => Some(Experiment::Memory),
            "published" => Some(Experiment::Published),
            "strategies" => Some(Experiment::Strategies),
            "studies" => Some(Experiment::Studies),
            "torture" => Some(Experiment::Torture),
            _ => None,
        }
    }

    /// Runs the experiment: 0 if all is well, 1 if something is not, 2 if it could not be found out.
    #[must_use]
    pub fn run(self, args: &[OsString]) -> ExitCode {
        let say = &mut |line: &str| println!("{line}");
        let report = &mut |line: &str| eprintln!("{line}");
        let outcome = match self {
            Experiment::Architectures => {
                architectures::Options::parse(args).and_then(|options| architectures::run(options, say))
            }
            Experiment::CrossCheck => {
                cross_check::Options::parse(args).and_then(|options| cross_check::run(&options, report))
            }
            Experiment::Fuzz => fuzz::Options::parse(args).and_then(|options| fuzz::run(&options, report)),
            Experiment::FuzzRules => {
                fuzz_rules::Options::parse(args).and_then(|options| fuzz_rules::run(&options, report))
            }
            Experiment::Longest => {
                longest::Options::parse(args).and_then(|options| longest::run(root(), &options)).map(listed)
            }
            Experiment::Memory => memory::Options::parse(args).and_then(|options| memory::run(&options, say)),
            Experiment::Published => run_published(args).map(listed),
            Experiment::Strategies => {
                strategies::Options::parse(args).and_then(|options| strategies::run(&options, say))
            }
            Experiment::Studies => studies::run(args, &root().join("target/studies")),
            Experiment::Torture => {
                torture::Options::parse(args).and_then(|options| run_torture(&options, report))
            }
        };
        match outcome {
            Ok(is_well) => ExitCode::from(u8::from(!is_well)),
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::from(2)
            }
        }
    }
}

/// Prints the lines of an outcome; whether all is well.
fn listed((lines, is_well): (Vec<String>, bool)) -> bool {
    lines.iter().for_each(|line| eprintln!("{line}"));
    is_well
}

fn run_published(args: &[OsString]) -> Result<(Vec<String>, bool), String> {
    match args {
        [] => published_number::run("tables/fide".as_ref()),
        [tables, folder] if tables == "--tables" => published_number::run(folder.as_ref()),
        [csv, list] if csv == "--csv" => published_list::run(list.as_ref()),
        _ => Err("published takes --tables DIR or --csv FILE".into()),
    }
}

fn run_torture(options: &torture::Options, report: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find myself: {error}"))?;
    let is_stopped = Arc::new(AtomicBool::new(false));
    let flag = is_stopped.clone();
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .map_err(|error| format!("cannot listen to Ctrl-C: {error}"))?;
    Ok(torture::run(options, &program, &is_stopped, report)?.is_well())
}
