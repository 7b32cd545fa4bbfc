//! Runs the developers' tasks: chains of cargo commands, the same at the desk and in continuous integration.

use crate::{browser, c, oracle, perft, python, root, slurm, tidy};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitCode};

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
  bench  The benchmarks, or one of them: `bench five_men -- KBBvKN`
  snap   Write the snapshots of statistics anew
  lab    The laboratory: what goes on for as long as one likes; `lab --help` lists the experiments
  oracle  Whole tables against the naive oracle: `oracle [NAME …]`, minutes for each of four men
         (--metric METRIC, --variant FILE); `oracle --snapshots [GAME …]`: the snapshots of
         statistics of games other than chess, or of these games
  perft  Counts of legal games, castling among them, against the numbers of others: tests/cases/perft.csv,
         all of them or those of a game, or of so many games at most: `perft [GAME …] [--games N]`
  browser  The explorer in a headless Chromium, if it is installed; pictures go to target/browser
  c      A program in C with the header and both libraries (says so without a C compiler);
         `c --header` writes the header anew
  python  The package for Python, tested in a virtual environment under target/python; with --games N
         only the engine, which plays N games each against a mover at random and against Stockfish
         (says so if Python or a package is missing)
  slurm  A set on three nodes of a real Slurm on this machine, one of which is killed (as root; says so
         if Slurm is not installed)";

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
    /// The snapshots, written anew.
    Snap,
    /// Whole tables compared with the oracle.
    Oracle,
    /// The laboratory, a workspace of its own.
    Lab,
    /// Counts of legal games compared with published ones.
    Perft,
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

/// How cargo is told to take the laboratory, compiled into the folder of this workspace.
const LAB: [&str; 4] = ["--manifest-path", "lab/Cargo.toml", "--target-dir", "target"];

/// What `ci` runs, quickest first.
const CI: &[Step] = &[
    (&["fmt", "--all", "--check"], None),
    (&["fmt", "--all", "--check", "--manifest-path", "lab/Cargo.toml"], None),
    (&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], None),
    (&["test", "--workspace"], None),
    (&["clippy", LAB[0], LAB[1], LAB[2], LAB[3], "--all-targets", "--", "-D", "warnings"], None),
    (&["test", LAB[0], LAB[1], LAB[2], LAB[3]], None),
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
            "lab" => Some(Task::Lab),
            "oracle" => Some(Task::Oracle),
            "perft" => Some(Task::Perft),
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
        if matches!(self, Task::Ci | Task::Tidy | Task::Snap | Task::Browser | Task::Slurm)
            && !args.is_empty()
        {
            eprintln!("error: this task takes no arguments");
            return ExitCode::from(2);
        }
        let code = match self {
            Task::Ci => {
                CI.iter().map(|step| cargo(step, &[])).find(|&code| code != 0).unwrap_or_else(run_tidy)
            }
            Task::Tidy => run_tidy(),
            Task::House => exit_code(run_house(args)),
            Task::Bench => cargo(&BENCH, &bench_args(args)),
            Task::Snap => cargo(&SNAP, args),
            Task::Lab => run_lab(args),
            Task::Perft => exit_code(perft::run(args, &mut |line| println!("{line}"))),
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
    let mut command = Command::new(cargo_path());
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
    run_binary(Command::new(cargo_path()).args(["run", "--package", "tablesmith-cli"]), &manifest, args)
}

/// Runs an experiment of the laboratory, which is compiled into the folder of this workspace.
fn run_lab(args: &[OsString]) -> u8 {
    let (manifest, target) = (root().join("lab/Cargo.toml"), root().join("target"));
    run_binary(Command::new(cargo_path()).arg("run").arg("--target-dir").arg(target), &manifest, args)
}

/// Runs the binary of a package as this one is compiled; its exit code.
fn run_binary(command: &mut Command, manifest: &Path, args: &[OsString]) -> u8 {
    command.args(["--quiet", "--profile", "quick", "--manifest-path"]).arg(manifest).arg("--").args(args);
    match command.status() {
        // A program that was killed has no code.
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2),
        Err(error) => {
            eprintln!("error: cannot run cargo: {error}");
            2
        }
    }
}

fn cargo_path() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
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
