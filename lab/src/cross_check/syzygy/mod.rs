//! Runs `cross-check syzygy`: other programs read the files that we write and must find our values in them.
//!
//! ```text
//!   solve ─► tables ─ export ─► .rtbw, .rtbz ─► python-chess, stockfish ─┐
//!               └─ probe: positions with their values ──────────────────► compared
//! ```
//!
//! The other programs are python-chess from the package index and, for chess, Stockfish if it is installed;
//! they are run and nothing else. All positions of all games take hours of processor time, a third of that
//! with PyPy; `--positions 10000` takes minutes once the tables are there.

mod engine;
mod game;
mod option;
mod sample;

pub(super) use option::Options;

use game::Game;
use option::Set;
use proof::Dice;
use sample::Sampler;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use xtask::interpreter::Python;
use xtask::root;

/// The program that has python-chess read the files.
const SCRIPT: &str = include_str!("../../../cross_check/syzygy.py");

/// The engine is asked for every so-many-th.
const ENGINE_SHARE: usize = 50;

/// Runs the check in a folder of its own; returns whether there was no difference.
///
/// # Errors
/// Something could not be run.
pub(super) fn run(
    python: &Python,
    folder: &Path,
    options: &Options,
    report: &mut dyn FnMut(&str),
) -> Result<bool, String> {
    let mut is_well = true;
    for game in options.games()? {
        is_well &= run_game(python, folder, options, game, report)?;
    }
    Ok(is_well)
}

/// Compares the files of one game.
fn run_game(
    python: &Python,
    folder: &Path,
    options: &Options,
    game: &Game,
    report: &mut dyn FnMut(&str),
) -> Result<bool, String> {
    let rules = root().join("variants").join(game.name).with_extension("toml");
    let Set { tables, files } = match options.set() {
        Some(set) => set,
        None => make(&rules, folder, options, game)?,
    };
    let own_folder = folder.join(game.name);
    std::fs::create_dir_all(&own_folder)
        .map_err(|error| format!("cannot make {}: {error}", own_folder.display()))?;
    let script = folder.join("probe.py");
    write(&script, SCRIPT)?;
    let sampler = Sampler::open(&rules, &tables)?;
    let (mut dice, mut for_engine, mut is_well) = (Dice::new(0x5EED), Vec::new(), true);
    let kinds = sampler.wanted(options, game)?;
    for (number, wanted) in kinds.iter().enumerate() {
        let sampled = sampler.sample(wanted, &mut dice)?;
        let positions = own_folder.join(format!("positions-{number}.tsv"));
        write(&positions, &sampled.iter().map(|expected| expected.line()).collect::<String>())?;
        report(&format!("{}, {wanted}: {} positions", game.family.name(), sampled.len()));
        let mut command = python.command();
        command.args([&script, &files, &positions]).arg(game.name);
        if options.rounded {
            command.arg("--rounded");
        }
        is_well &= status(&mut command)?;
        for_engine.extend(sampled.into_iter().step_by(ENGINE_SHARE));
    }
    if game.has_engine {
        is_well &= engine::check(&files, &for_engine, !options.rounded, report)?;
    }
    Ok(is_well)
}

/// Solves the tables that are compared and exports them.
fn make(rules: &Path, folder: &Path, options: &Options, game: &Game) -> Result<Set, String> {
    let form = if options.rounded { "rounded" } else { "exact" };
    let [tables, files] = ["tables", form].map(|part| folder.join(game.name).join(part));
    let rules = rules.as_os_str();
    let solve = |more: [&OsStr; 2]| {
        let out = tables.as_os_str();
        let metric = ["--metric", "wdl,dtz50", "--both-sides", "--out"].map(OsStr::new);
        own(&[&[OsStr::new("solve"), rules], &more[..], &metric, &[out]].concat())
    };
    let n_men = options.n_men.unwrap_or(game.n_men);
    solve(["--men", &n_men.to_string()].map(OsStr::new))?;
    let named = options.tables.iter().map(String::as_str);
    let more: Vec<&str> = if options.tables.is_empty() { game.more.to_vec() } else { named.collect() };
    for &table in &more {
        solve(["--table", table].map(OsStr::new))?;
    }
    let mut export = vec![OsStr::new("export"), tables.as_os_str()];
    export.extend(["--format", "syzygy", "--out"].map(OsStr::new));
    export.extend([files.as_os_str(), OsStr::new("--variant"), rules]);
    if options.rounded {
        export.push(OsStr::new("--rounded"));
    }
    own(&export)?;
    Ok(Set { files, tables })
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Runs a command of the workbench.
fn own(args: &[&OsStr]) -> Result<(), String> {
    let program = crate::process::own_program()?;
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
