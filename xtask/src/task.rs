//! Runs the developers' tasks: chains of cargo commands, the same at the desk and in continuous integration.

use crate::{
    architectures, browser, c, cross_check, fuzz, fuzz_rules, longest, memory, oracle, perft, published_list,
    published_number, python, root, slurm, strategies, studies, tidy, torture,
};
use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The tasks in the help text.
pub const HELP: &str = "\
Commands that are compiled when they are first asked for:
  serve    Serve tables over HTTP: as Lichess's tablebase does, and by an interface of our own
  explore  Show tables in a browser
  uci      Play as a chess engine, from tables; `xboard` does so by XBoard's protocol

Developers' tasks:
  ci     Formatting, lints, all tests, documentation, packages, tidy
  tidy   Which crates and modules may use each other, and how files are written
  house  How large the program is; with --write into docs/house.md, whose numbers `tidy` lets nothing exceed
  bench  The benchmarks, or one of them: `bench five_men -- KBBvKN`; `bench memory` compares what
         runs take of memory and disk with what is estimated (--only TEXT, --large);
         `bench architectures` times kernels and tables with each set of instructions that the
         processor has (--rounds N, 3 by default)
  snap   Write the snapshots of statistics anew; with --men N compare the longest wins of
         solved tables with their snapshot (--tables DIR, --write); with --published compare
         the results of six-man tables (--tables DIR), with --published --csv FILE those of three
         to five men that `stats DIR --csv` has listed
  fuzz   Readers of files and FENs against inputs that are nearly right: `fuzz [TARGET]` with
         tsm, tbl, tbc, gz, rtbw, rtbz or fen (--seconds N each, 60 by default; --inputs N, --seed N)
  fuzz-rules   Random games against the naive oracle until Ctrl-C (--seed N, --cases N, --men N,
         --seconds N, --plain); with --structures positions of several pawns, solved as structures
  torture  Runs of solve and export killed at any moment, out of disk space and two at once, and
         damaged files of all formats read (--seconds N, 600 by default; --rounds N, --first N,
         --seed N, --dir DIR, --short, --disk tmpfs or ulimit); 1 if anything is lost or wrong
  oracle  Whole tables against the naive oracle: `oracle [NAME …]`, minutes for each of four men
         (--metric METRIC, --variant FILE); `oracle --snapshots [GAME …]`: the snapshots of
         statistics of games other than chess, or of these games
  strategies  Tables solved in memory, by logs, from files, killed and gone on with: the same bytes
         (--variant FILE with --table MATERIAL, as often as wanted; --metric METRIC,…)
  perft  Counts of legal games, castling among them, against the numbers of others: tests/cases/perft.csv,
         all of them or those of a game, or of so many games at most: `perft [GAME …] [--games N]`
  studies  Known positions with many men (Réti, Saavedra, Lasker and Reichhelm, …) solved as structures:
         `studies [NAME …]`; files go to target/studies, 1 if one comes out otherwise;
         `studies --whole KQPvKQ …`: structures against whole tables (--tables DIR, --metric METRIC,
         --roots N, --seed N, --one-in N)
  browser  The explorer in a headless Chromium, if it is installed; pictures go to target/browser
  c      A program in C with the header and both libraries (says so without a C compiler);
         `c --header` writes the header anew
  python  The package for Python, tested in a virtual environment under target/python; with --games N
         only the engine, which plays N games each against a mover at random and against Stockfish
         (says so if Python or a package is missing)
  slurm  A set on three nodes of a real Slurm on this machine, one of which is killed (as root; says so
         if Slurm is not installed)
  cross-check  Other programs judge; without a kind, all of them do:
         moves   Legal moves compared with Fairy-Stockfish's, which is installed under target/
                 (--positions N, --piece NAME); with --awkward of positions made to be awkward,
                 compared with python-chess too, in legality, ends and what moves lead to
         syzygy  Tables of chess, atomic chess, antichess and suicide are exported, and
                 python-chess and, of chess, Stockfish read them (--game NAME, --table MATERIAL,
                 --positions N, --rounded)";

/// A developers' task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// Everything that must hold before a change is shared.
    Ci,
    /// The rules of the house that no other tool knows.
    Tidy,
    /// The counts of the source tree.
    House,
    /// The benchmarks.
    Bench,
    /// The snapshots, written anew; those of tables that are too large for tests compared with solved ones.
    Snap,
    /// Readers of files and FENs against damaged inputs.
    Fuzz,
    /// Random games, solved and compared with the oracle.
    FuzzRules,
    /// Runs disturbed and files damaged.
    Torture,
    /// Whole tables compared with the oracle.
    Oracle,
    /// Tables solved in every way and compared.
    Strategies,
    /// Our rules and files against other people's programs.
    CrossCheck,
    /// Counts of legal games compared with published ones.
    Perft,
    /// Known positions with many men.
    Studies,
    /// A set as the jobs of a real engine.
    Slurm,
    /// The explorer in a real browser.
    Browser,
    /// The libraries for C.
    C,
    /// The package for Python.
    Python,
    /// A command of the installed program that this one is compiled without.
    Program,
}

/// A cargo command and the environment that it needs.
type Step = (&'static [&'static str], Option<(&'static str, &'static str)>);

/// What `ci` runs, quickest first.
const CI: &[Step] = &[
    (&["fmt", "--all", "--check"], None),
    (&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], None),
    (&["test", "--workspace"], None),
    (&["doc", "--workspace", "--no-deps"], Some(("RUSTDOCFLAGS", "-D warnings"))),
    // Packages may have changes that are not committed yet.
    (&["package", "--workspace", "--no-verify", "--allow-dirty", "--exclude-lockfile", "--quiet"], None),
];
const BENCH: Step = (&["bench", "--package", "tablesmith-bench"], None);
const SNAP: Step = (&["test", "--package", "tablesmith-tests"], Some(("INSTA_UPDATE", "always")));

impl Task {
    /// The task of this name.
    #[must_use]
    pub fn named(name: &OsStr) -> Option<Self> {
        match name.to_str()? {
            "ci" => Some(Task::Ci),
            "tidy" => Some(Task::Tidy),
            "house" => Some(Task::House),
            "bench" => Some(Task::Bench),
            "snap" => Some(Task::Snap),
            "cross-check" => Some(Task::CrossCheck),
            "fuzz" => Some(Task::Fuzz),
            "fuzz-rules" => Some(Task::FuzzRules),
            "torture" => Some(Task::Torture),
            "oracle" => Some(Task::Oracle),
            "strategies" => Some(Task::Strategies),
            "perft" => Some(Task::Perft),
            "studies" => Some(Task::Studies),
            "slurm" => Some(Task::Slurm),
            "browser" => Some(Task::Browser),
            "c" => Some(Task::C),
            "python" => Some(Task::Python),
            "serve" | "explore" | "uci" | "xboard" => Some(Task::Program),
            _ => None,
        }
    }

    /// Runs the task: 0 if all is well, 1 if something is not, 2 if it could not be found out.
    #[must_use]
    pub fn run(self, args: &[OsString]) -> ExitCode {
        if matches!(self, Task::Ci | Task::Tidy | Task::Browser | Task::Slurm) && !args.is_empty() {
            eprintln!("error: this task takes no arguments");
            return ExitCode::from(2);
        }
        let code = match self {
            Task::Ci => {
                CI.iter().map(|step| cargo(step, &[])).find(|&code| code != 0).unwrap_or_else(run_tidy)
            }
            Task::Tidy => run_tidy(),
            Task::House => exit_code(run_house(args)),
            Task::Bench if args.first().is_some_and(|name| name == "memory") => exit_code(
                memory::Options::parse(&args[1..])
                    .and_then(|options| memory::run(&options, &mut |line| println!("{line}"))),
            ),
            Task::Bench if args.first().is_some_and(|name| name == "architectures") => exit_code(
                architectures::Options::parse(&args[1..])
                    .and_then(|options| architectures::run(options, &mut |line| println!("{line}"))),
            ),
            Task::Bench => cargo(&BENCH, &bench_args(args)),
            Task::Snap if args.is_empty() => cargo(&SNAP, args),
            Task::Snap => run_longest(args),
            Task::CrossCheck => exit_code(
                cross_check::Options::parse(args)
                    .and_then(|options| cross_check::run(&options, &mut |line| eprintln!("{line}"))),
            ),
            Task::Fuzz => exit_code(
                fuzz::Options::parse(args)
                    .and_then(|options| fuzz::run(&options, &mut |line| eprintln!("{line}"))),
            ),
            Task::FuzzRules => exit_code(
                fuzz_rules::Options::parse(args)
                    .and_then(|options| fuzz_rules::run(&options, &mut |line| eprintln!("{line}"))),
            ),
            Task::Torture => {
                exit_code(torture::Options::parse(args).and_then(|options| run_torture(&options)))
            }
            Task::Strategies => exit_code(
                strategies::Options::parse(args)
                    .and_then(|options| strategies::run(&options, &mut |line| println!("{line}"))),
            ),
            Task::Perft => exit_code(perft::run(args, &mut |line| println!("{line}"))),
            Task::Studies => exit_code(studies::run(args, &root().join("target/studies"))),
            Task::Slurm => exit_code(slurm::run(&mut |line| println!("{line}"))),
            Task::Browser => exit_code(browser::run(&mut |line| println!("{line}"))),
            Task::C => exit_code(c::run(args, &mut |line| println!("{line}"))),
            Task::Python => exit_code(
                python::Options::parse(args)
                    .and_then(|options| python::run(options, &mut |line| eprintln!("{line}"))),
            ),
            Task::Program => run_program(args),
            Task::Oracle => exit_code(
                oracle::Options::parse(args)
                    .and_then(|options| oracle::run(&options, &mut |line| eprintln!("{line}"))),
            ),
        };
        ExitCode::from(code)
    }
}

/// The arguments for cargo: the name of a benchmark is an option there, everything else is passed on.
fn bench_args(args: &[OsString]) -> Vec<OsString> {
    let is_name = |arg: &OsString| {
        let file = root().join("crates/bench/benches").join(arg).with_extension("rs");
        arg.to_str().is_some_and(|arg| !arg.starts_with('-')) && file.exists()
    };
    let option = args.first().filter(|arg| is_name(arg)).map(|_| OsString::from("--bench"));
    option.into_iter().chain(args.iter().cloned()).collect()
}

fn cargo((args, variable): &Step, more: &[OsString]) -> u8 {
    let shown = variable.map_or_else(String::new, |(name, value)| format!("{name}='{value}' "));
    eprintln!("+ {shown}cargo {}", args.join(" "));
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(*args).args(more).envs(*variable).current_dir(root());
    match command.status() {
        Ok(status) if status.success() => 0,
        Ok(_) => 1,
        Err(error) => {
            eprintln!("error: cannot run cargo: {error}");
            2
        }
    }
}

/// Runs a command of the installed program, which has what `cargo xtask solve` is compiled without; `args`
/// begin with its name.
fn run_program(args: &[OsString]) -> u8 {
    let manifest = root().join("Cargo.toml");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--quiet", "--profile", "quick", "--package", "tablesmith-cli", "--manifest-path"]);
    command.arg(manifest).arg("--").args(args);
    match command.status() {
        // A program that was killed has no code.
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2),
        Err(error) => {
            eprintln!("error: cannot run cargo: {error}");
            2
        }
    }
}

fn run_tidy() -> u8 {
    eprintln!("+ tidy");
    match tidy::check(root()) {
        Ok(complaints) if complaints.is_empty() => 0,
        Ok(complaints) => {
            complaints.iter().for_each(|complaint| eprintln!("{complaint}"));
            eprintln!("tidy: {} to put right", complaints.len());
            1
        }
        Err(error) => {
            eprintln!("error: {error}");
            2
        }
    }
}

/// Prints the counts of the source tree, or writes them into their page.
fn run_house(args: &[OsString]) -> Result<bool, String> {
    let is_written = match args {
        [] => false,
        [arg] if arg == "--write" => true,
        _ => return Err("house takes --write and nothing else".into()),
    };
    if is_written {
        tidy::house::write(root()).map_err(|error| error.to_string())?;
    }
    for (name, n) in tidy::house::measures(root()).map_err(|error| error.to_string())? {
        println!("{n:>7}  {name}");
    }
    Ok(true)
}

fn run_longest(args: &[OsString]) -> u8 {
    let compared = match (args, published_number::folder(args)) {
        ([first, second, list], _) if first == "--published" && second == "--csv" => {
            published_list::run(list.as_ref())
        }
        (_, Some(folder)) => published_number::run(&folder),
        _ => longest::Options::parse(args).and_then(|options| longest::run(root(), &options)),
    };
    exit_code(compared.map(|(lines, is_well)| {
        lines.iter().for_each(|line| eprintln!("{line}"));
        is_well
    }))
}

fn run_torture(options: &torture::Options) -> Result<bool, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find myself: {error}"))?;
    let is_stopped = Arc::new(AtomicBool::new(false));
    let flag = is_stopped.clone();
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .map_err(|error| format!("cannot listen to Ctrl-C: {error}"))?;
    let counts = torture::run(options, &program, &is_stopped, &mut |line| eprintln!("{line}"))?;
    Ok(counts.is_well())
}

/// 0 if all is well, 1 if something is not, 2 with what stands in the way of finding out.
fn exit_code(outcome: Result<bool, String>) -> u8 {
    match outcome {
        Ok(is_well) => u8::from(!is_well),
        Err(error) => {
            eprintln!("error: {error}");
            2
        }
    }
}
