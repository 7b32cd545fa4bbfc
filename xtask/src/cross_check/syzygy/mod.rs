//! `cross-check syzygy`: other programs read the files that we write, and have to say what our tables say.
//!
//! ```text
//!   solve ─► tables ─ export ─► .rtbw, .rtbz ─► python-chess, stockfish ─┐
//!               └─ probe: positions with their values ──────────────────► compared
//! ```
//!
//! The other programs are run and nothing else: python-chess from the package index and, for chess, Stockfish
//! if it is installed. With all positions of all games it takes hours of processor time, a third of that with
//! PyPy; `--positions 10000` is a matter of minutes once the tables are there.

mod engine;
mod game;
mod sample;

use super::python::Python;
use crate::root;
use game::{GAMES, Game};
use sample::{Random, Sampler};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

/// The program that has python-chess read the files.
const SCRIPT: &str = include_str!("../../../cross_check/syzygy.py");

/// How many random positions are compared, unless something else is said.
const N_POSITIONS: usize = 1_000_000;

/// The engine is asked for every so-many-th.
const ENGINE_SHARE: usize = 50;

/// What is asked for of this check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ask {
    games: Vec<Game>,
    /// Tables by name; those of the game if none are named.
    tables: Vec<String>,
    n_positions: usize,
    rounded: bool,
}

impl Default for Ask {
    fn default() -> Self {
        Ask { games: GAMES.to_vec(), tables: Vec::new(), n_positions: N_POSITIONS, rounded: false }
    }
}

impl Ask {
    /// What these arguments ask for: `[--game NAME]… [--table MATERIAL]… [--positions N] [--rounded]`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn parse(args: &[OsString]) -> Result<Self, String> {
        let mut ask = Ask::default();
        let mut games = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || {
                args.next().and_then(|value| value.to_str()).ok_or(format!("{} wants a value", arg.display()))
            };
            match arg.to_str() {
                Some("--game") => games.push(Game::named(value()?)?),
                Some("--table") => ask.tables.push(value()?.to_owned()),
                Some("--positions") => {
                    let text = value()?;
                    ask.n_positions =
                        text.parse().map_err(|_| format!("{text} is no number of positions"))?;
                }
                Some("--rounded") => ask.rounded = true,
                _ => {
                    return Err(format!(
                        "{}: cross-check syzygy takes --game NAME and --table MATERIAL (several times), --positions N and \
                         --rounded",
                        arg.display()
                    ));
                }
            }
        }
        if !games.is_empty() {
            ask.games = games;
        }
        match ask.games.len() > 1 && !ask.tables.is_empty() {
            true => Err("--table needs the game that has it: --game fide, say".into()),
            false => Ok(ask),
        }
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
    let mut is_well = true;
    for game in &ask.games {
        is_well &= run_game(python, folder, ask, game, tell)?;
    }
    Ok(is_well)
}

/// The same for one game.
fn run_game(
    python: &Python,
    folder: &Path,
    ask: &Ask,
    game: &Game,
    tell: &mut dyn FnMut(&str),
) -> Result<bool, String> {
    let form = if ask.rounded { "rounded" } else { "exact" };
    let [tables, files] = ["tables", form].map(|part| folder.join(game.name).join(part));
    let rules = root().join("variants").join(game.name).with_extension("toml");
    let rules = rules.as_os_str();
    let solve = |more: [&OsStr; 2]| {
        let out = tables.as_os_str();
        let metric = ["--metric", "wdl,dtz50", "--both-sides", "--out"].map(OsStr::new);
        own(&[&[OsStr::new("solve"), rules], &more[..], &metric, &[out]].concat())
    };
    solve(["--men", &game.n_men.to_string()].map(OsStr::new))?;
    let named = ask.tables.iter().map(String::as_str);
    let more: Vec<&str> = if ask.tables.is_empty() { game.more.to_vec() } else { named.collect() };
    for &table in &more {
        solve(["--table", table].map(OsStr::new))?;
    }
    let mut export = vec![OsStr::new("export"), tables.as_os_str()];
    export.extend(["--format", "syzygy", "--out"].map(OsStr::new));
    export.extend([files.as_os_str(), OsStr::new("--variant"), rules]);
    if ask.rounded {
        export.push(OsStr::new("--rounded"));
    }
    own(&export)?;
    let script = folder.join("probe.py");
    write(&script, SCRIPT)?;
    let sampler = Sampler::open(Path::new(rules), &tables)?;
    let (mut random, mut for_engine, mut is_well) = (Random::new(), Vec::new(), true);
    let kinds = sampler.wanted(ask, game)?;
    for (number, wanted) in kinds.iter().enumerate() {
        let sampled = sampler.sample(wanted, &mut random)?;
        let positions = folder.join(game.name).join(format!("positions-{number}.tsv"));
        write(&positions, &sampled.iter().map(|expected| expected.line()).collect::<String>())?;
        tell(&format!("{}, {wanted}: {} positions", game.family.name(), sampled.len()));
        let mut command = python.command();
        command.args([&script, &files, &positions]).arg(game.name);
        if ask.rounded {
            command.arg("--rounded");
        }
        is_well &= status(&mut command)?;
        for_engine.extend(sampled.into_iter().step_by(ENGINE_SHARE));
    }
    if game.has_engine {
        is_well &= engine::check(&files, &for_engine, !ask.rounded, tell)?;
    }
    Ok(is_well)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
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
                let tables: Vec<String> = tables.iter().map(|&table| table.to_owned()).collect();
                assert_eq!((ask.tables, ask.n_positions, ask.rounded), (tables, n_positions, rounded));
            }
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn arguments_are_read() {
        check_ask(&[], Ok((&[], 1_000_000, false)));
        check_ask(&["--rounded", "--positions", "10"], Ok((&[], 10, true)));
        let named = ["--game", "fide", "--table", "KBBvKN", "--table", "KQRvKQ"];
        check_ask(&named, Ok((&["KBBvKN", "KQRvKQ"], 1_000_000, false)));
        check_ask(&["--table", "KBBvKN"], Err("--table needs the game"));
        check_ask(
            &["--game", "checkers"],
            Err("there is no game checkers to compare; there are fide, atomic"),
        );
        check_ask(&["--table"], Err("--table wants a value"));
        check_ask(&["--positions", "many"], Err("many is no number of positions"));
        check_ask(&["--fast"], Err("--fast: cross-check syzygy takes"));
    }
}
