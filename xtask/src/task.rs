//! Runs the developers' tasks, at the desk as in continuous integration.

use crate::program::{cargo, is_yes, succeed};
use crate::{browser, c, oracle, perft, python, root, slurm, tidy};
use anyhow::Result;
use clap::{CommandFactory, Parser};
use std::ffi::OsString;
use std::process::ExitCode;

/// A developers' task.
#[derive(Debug, clap::Parser)]
#[command(name = "cargo xtask")]
enum Task {
    /// Formatting, lints, all tests, documentation, packages, tidy
    Ci,
    /// Who uses whom, module cycles, links, headers, comments, and counts that have grown
    Tidy,
    /// How large the program is
    House {
        /// Write the counts into docs/house.md, whose numbers `tidy` lets nothing exceed
        #[arg(long)]
        write: bool,
        /// Count what two runs enter instead: from TOML to a table, from a FEN to an answer; takes minutes
        #[arg(long)]
        walk: bool,
    },
    /// The snapshots of statistics, written anew
    Snap,
    /// Whole tables, or with --snapshots the snapshots of statistics, against the naive oracle
    Oracle(oracle::Options),
    /// Counts of legal games, castling among them, against the numbers of others
    Perft(perft::Options),
    /// The explorer in a headless Chromium, if it is installed; pictures go to target/browser
    Browser,
    /// A program in C with the header and both libraries, if a C compiler is installed
    C {
        /// Write the header anew instead
        #[arg(long)]
        header: bool,
    },
    /// The package for Python, tested in a virtual environment under target/python
    Python {
        /// Only the engine, which plays N games each at random and against Stockfish
        #[arg(long = "games", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        n_games: Option<u32>,
    },
    /// What a release still needs from its owner
    Release {
        /// List the owner's blanks of Cargo.toml that are empty, and what contradicts them
        #[arg(long, required = true)]
        check: bool,
    },
    /// A set on three nodes of a real Slurm on this machine, one of which is killed
    Slurm,
    /// The benchmarks, or one of them: `bench five_men -- KBBvKN`
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// An experiment of the laboratory: `lab --help` lists them
    #[command(disable_help_flag = true)]
    Lab {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
}

/// The commands of the installed program that this one is compiled without, and what they do.
const PROGRAMS: [(&str, &str); 4] = [
    ("serve", "Serve tables over HTTP: as Lichess's tablebase does, and by an interface of our own"),
    ("explore", "Show tables in a browser"),
    ("uci", "Play as a chess engine, from tables"),
    ("xboard", "The engine by XBoard's protocol"),
];

/// How cargo is told to take the laboratory, compiled into the folder of this workspace.
const LAB: [&str; 4] = ["--manifest-path", "lab/Cargo.toml", "--target-dir", "target"];

/// What `ci` runs, quickest first; packages may have changes that are not committed yet.
const CI: &[&[&[&str]]] = &[
    &[&["fmt", "--all", "--check"]],
    &[&["fmt", "--check"], &["--manifest-path", "lab/Cargo.toml"]],
    &[&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]],
    &[&["test", "--workspace"]],
    &[&["clippy"], &LAB, &["--all-targets", "--", "-D", "warnings"]],
    &[&["test"], &LAB],
    &[&["doc", "--workspace", "--no-deps"]],
    &[&["doc", "--no-deps"], &LAB],
    &[&["package", "--workspace", "--no-verify", "--allow-dirty", "--exclude-lockfile", "--quiet"]],
];

/// The tasks for the help text of the workbench.
#[must_use]
pub fn help() -> String {
    let mut text = "Commands that are compiled when they are first asked for:\n".to_owned();
    PROGRAMS.iter().for_each(|(name, about)| text += &format!("  {name:<8}{about}\n"));
    text += "\nDevelopers' tasks, which `--help` behind their names explains:";
    for task in Task::command().get_subcommands() {
        let about = task.get_about().map(ToString::to_string).unwrap_or_default();
        text += &format!("\n  {:<8}{about}", task.get_name());
    }
    text
}

/// Runs the task that these arguments, the program's name first, ask for: 0 if all is well, 1 if something
/// is not, 2 if it could not be found out. None if they ask for no task.
#[must_use]
pub fn run(args: &[OsString]) -> Option<ExitCode> {
    let name = args.get(1)?.to_str()?;
    let outcome = if PROGRAMS.iter().any(|(program, _)| *program == name) {
        let manifest = root().join("Cargo.toml").into();
        let package = ["--manifest-path".into(), manifest, "--package".into(), "tablesmith-cli".into()];
        run_binary(&package, &args[1..])
    } else {
        Task::command().find_subcommand(name)?;
        Task::parse_from(args).run()
    };
    Some(match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    })
}

impl Task {
    /// Runs the task; its exit code.
    fn run(self) -> Result<u8> {
        let is_well = match self {
            Task::Ci => {
                for step in CI {
                    let args = step.concat();
                    eprintln!("+ cargo {}", args.join(" "));
                    if !is_yes(cargo().args(args).env("RUSTDOCFLAGS", "-D warnings"))? {
                        return Ok(1);
                    }
                }
                run_tidy()?
            }
            Task::Tidy => run_tidy()?,
            Task::House { write, walk } => {
                let measures =
                    if walk { tidy::walk::measures(root())? } else { tidy::house::measures(root())? };
                if write {
                    tidy::house::write(root(), &measures)?;
                }
                measures.iter().for_each(|(name, n)| println!("{n:>7}  {name}"));
                true
            }
            Task::Snap => {
                let tests = ["test", "--package", "tablesmith-tests"];
                is_yes(cargo().args(tests).env("INSTA_UPDATE", "always"))?
            }
            Task::Oracle(options) => oracle::run(&options)?,
            Task::Perft(options) => perft::run(&options)?,
            Task::Browser => browser::run()?,
            Task::C { header: true } => c::write_header().map(|()| true)?,
            Task::C { header: false } => c::run()?,
            Task::Python { n_games } => python::run(n_games)?,
            Task::Release { .. } => {
                let file = |name: &str| fs_err::read_to_string(root().join(name));
                let blanks = blanks(&file("Cargo.toml")?, &file("LICENSE-MIT")?);
                blanks.iter().for_each(|blank| println!("{blank}"));
                blanks.is_empty()
            }
            Task::Slurm => slurm::run()?,
            Task::Bench { args } => {
                succeed(cargo().args(["bench", "--package", "tablesmith-bench"]).args(bench_args(&args)))?;
                true
            }
            Task::Lab { args } => {
                let [manifest, path, target, folder] = LAB;
                let [path, folder] = [path, folder].map(|path| root().join(path).into());
                return run_binary(&[manifest.into(), path, target.into(), folder], &args);
            }
        };
        Ok(u8::from(!is_well))
    }
}

/// The owner's blanks: values of this manifest that are empty, and a holder whom the licence does not name.
fn blanks(manifest: &str, licence: &str) -> Vec<String> {
    let empty = manifest.lines().filter(|line| line.ends_with(" = \"\""));
    let empty = empty.map(|line| format!("Cargo.toml has a blank: {line}"));
    let holder = manifest.lines().find_map(|line| line.strip_prefix("holder = \"")?.split(['<', '"']).next());
    let unnamed = holder.map(str::trim).filter(|holder| !licence.contains(holder));
    empty.chain(unnamed.map(|holder| format!("LICENSE-MIT does not name {holder}"))).collect()
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

/// Compiles a binary as this one is compiled by `cargo xtask` and runs it in its place, in the folder of the
/// caller, whose arguments name files from there; its exit code.
fn run_binary(package: &[OsString], args: &[OsString]) -> Result<u8> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--profile", "quick"]).args(package).arg("--").args(args);
    let status = command.current_dir(".").status()?;
    // A program that was killed has no code.
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2))
}

/// Checks the source tree; whether nothing is to be put right.
fn run_tidy() -> Result<bool> {
    eprintln!("+ tidy");
    let complaints = tidy::check(root())?;
    complaints.iter().for_each(|complaint| eprintln!("{complaint}"));
    if !complaints.is_empty() {
        eprintln!("tidy: {} to put right", complaints.len());
    }
    Ok(complaints.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Task, blanks, help};
    use clap::{CommandFactory, Parser};

    #[track_caller]
    fn check(line: &str, is_right: bool) {
        let read = Task::try_parse_from(std::iter::once("xtask").chain(line.split(' ')));
        assert_eq!(read.is_ok(), is_right, "{line}: {read:?}");
    }

    #[test]
    fn arguments_are_read() {
        Task::command().debug_assert();
        assert!(help().contains("\n  serve   Serve tables") && help().contains("\n  tidy    Who uses whom"));
        for line in [
            "ci",
            "release --check",
            "house --walk --write",
            "c --header",
            "python --games 9",
            "perft fide --games 9",
        ] {
            check(line, true);
        }
        check("oracle KBNvK --metric dtz50 --variant my.toml", true);
        check("bench five_men -- KBBvKN", true);
        check("lab --help", true);
        check("oracle --snapshots gardner", true);
        for line in ["ci now", "python --games no", "oracle --snapshots --metric dtc", "perft --games many"] {
            check(line, false);
        }
    }

    #[test]
    fn a_release_needs_the_owner() {
        let licence = "Copyright (c) 2026 A. Writer\n";
        for (holder, name, expected) in [
            ("A. Writer <a@example.org>", "a", &[][..]),
            ("", "", &["Cargo.toml has a blank: holder = \"\"", "Cargo.toml has a blank: pypi = \"\""]),
            ("B. Writer <b@example.org>", "b", &["LICENSE-MIT does not name B. Writer"]),
        ] {
            let manifest = format!("version = \"1\"\nholder = \"{holder}\"\npypi = \"{name}\"\n");
            assert_eq!(blanks(&manifest, licence), expected, "{holder}");
        }
        // Scripts read these lines, too.
        let manifest = include_str!("../../Cargo.toml");
        for key in ["version", "repository", "holder", "crates-io", "pypi"] {
            let n = manifest.lines().filter(|line| line.starts_with(&format!("{key} = \""))).count();
            assert_eq!(n, 1, "packaging/manifest.sh reads {key}");
        }
    }
}
