//! `cross-check syzygy`: other programs read the files that we write, and have to say what our tables say.
//!
//! ```text
//!   solve ─► tables ─ export ─► .rtbw, .rtbz ─► python-chess, stockfish ─┐
//!               └─ probe: positions with their values ──────────────────► compared
//! ```
//!
//! The other programs are run and nothing else: python-chess from the package index, Stockfish if it is installed. It
//! takes minutes.

mod engine;
mod sample;

use super::python::Python;
use crate::root;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

/// The program that has python-chess read the files.
const SCRIPT: &str = include_str!("../../../cross_check/syzygy.py");

/// How many random positions are compared, unless something else is said.
const N_POSITIONS: usize = 1_000_000;

/// How many positions the engine is asked for.
const N_FOR_ENGINE: usize = 20_000;

/// What is asked for of this check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ask {
    /// Tables by name; all of three and four men if none are named.
    tables: Vec<String>,
    n_positions: usize,
    rounded: bool,
}

impl Default for Ask {
    fn default() -> Self {
        Ask { tables: Vec::new(), n_positions: N_POSITIONS, rounded: false }
    }
}

impl Ask {
    /// What these arguments ask for: `[--table MATERIAL]… [--positions N] [--rounded]`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn parse(args: &[OsString]) -> Result<Self, String> {
        let mut ask = Ask::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || {
                args.next().and_then(|value| value.to_str()).ok_or(format!("{} wants a value", arg.display()))
            };
            match arg.to_str() {
                Some("--table") => ask.tables.push(value()?.to_owned()),
                Some("--positions") => {
                    let text = value()?;
                    ask.n_positions =
                        text.parse().map_err(|_| format!("{text} is no number of positions"))?;
                }
                Some("--rounded") => ask.rounded = true,
                _ => {
                    return Err(format!(
                        "{}: cross-check syzygy takes --table MATERIAL (several times), --positions N and --rounded",
                        arg.display()
                    ));
                }
            }
        }
        Ok(ask)
    }
}

/// Runs the check in a folder of its own; whether no difference was found.
///
/// # Errors
/// Something could not be run.
pub(super) fn run(
    python: &Python,
    folder: &Path,
    ask: &Ask,
    tell: &mut dyn FnMut(&str),
) -> Result<bool, String> {
    let [tables, files] =
        ["tables", if ask.rounded { "rounded" } else { "exact" }].map(|name| folder.join(name));
    let rules = root().join("variants/fide.toml");
    let rules = rules.as_os_str();
    let solve = |more: [&OsStr; 2]| {
        let out = tables.as_os_str();
        let metric = ["--metric", "wdl,dtz50", "--both-sides", "--out"].map(OsStr::new);
        own(&[&[OsStr::new("solve"), rules], &more[..], &metric, &[out]].concat())
    };
    solve(["--men", "4"].map(OsStr::new))?;
    for table in &ask.tables {
        solve([OsStr::new("--table"), OsStr::new(table)])?;
    }
    let mut export = vec![OsStr::new("export"), tables.as_os_str()];
    export.extend(["--format", "syzygy", "--out"].map(OsStr::new));
    export.push(files.as_os_str());
    if ask.rounded {
        export.push(OsStr::new("--rounded"));
    }
    own(&export)?;
    let sampled = sample::sample(Path::new(rules), &tables, ask)?;
    let positions = folder.join("positions.tsv");
    let text: String = sampled.iter().map(|expected| expected.line()).collect();
    std::fs::write(&positions, text)
        .map_err(|error| format!("cannot write {}: {error}", positions.display()))?;
    tell(&format!("{} positions are in {}", sampled.len(), positions.display()));
    let script = folder.join("probe.py");
    std::fs::write(&script, SCRIPT).map_err(|error| format!("cannot write {}: {error}", script.display()))?;
    let mut command = python.command();
    command.args([&script, &files, &positions]);
    if ask.rounded {
        command.arg("--rounded");
    }
    let is_well = status(&mut command)?;
    Ok(engine::check(&files, &every(&sampled, N_FOR_ENGINE), !ask.rounded, tell)? && is_well)
}

/// So many of some positions, evenly spread.
fn every(all: &[sample::Expected], n: usize) -> Vec<sample::Expected> {
    all.iter().step_by(all.len().div_ceil(n.max(1)).max(1)).cloned().collect()
}

/// Runs a command of the workbench.
fn own(args: &[&OsStr]) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut command = Command::new(program);
    match status(command.args(args))? {
        true => Ok(()),
        false => Err("a command of the workbench failed; see above".into()),
    }
}

/// Runs a program; whether it says yes.
fn status(command: &mut Command) -> Result<bool, String> {
    eprintln!("+ {}", command.get_program().display());
    let status = command
        .status()
        .map_err(|error| format!("cannot run {}: {error}", command.get_program().display()))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::Ask;
    use std::ffi::OsString;

    #[track_caller]
    fn check_ask(args: &[&str], expected: Result<(&[&str], usize, bool), &str>) {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        match (Ask::parse(&args), expected) {
            (Ok(ask), Ok((tables, n_positions, rounded))) => {
                let tables = tables.iter().map(|&table| table.to_owned()).collect();
                assert_eq!(ask, Ask { tables, n_positions, rounded });
            }
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn arguments_are_read() {
        check_ask(&[], Ok((&[], 1_000_000, false)));
        check_ask(&["--rounded", "--positions", "10"], Ok((&[], 10, true)));
        check_ask(&["--table", "KBBvKN", "--table", "KQRvKQ"], Ok((&["KBBvKN", "KQRvKQ"], 1_000_000, false)));
        check_ask(&["--table"], Err("--table wants a value"));
        check_ask(&["--positions", "many"], Err("many is no number of positions"));
        check_ask(&["--fast"], Err("--fast: cross-check syzygy takes"));
    }
}
