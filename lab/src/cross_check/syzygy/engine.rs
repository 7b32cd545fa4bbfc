//! Asks Stockfish for the values of positions, if it is installed.
//!
//! The engine prints, beside a board, what it reads in its files.

use super::sample::Expected;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use syzygy::Score;

/// The folder in which Debian puts games; it need not be in `PATH`.
const GAMES: &str = "/usr/games";

/// The engine's word for each WDL value.
const OUTCOMES: [(&str, i32); 5] =
    [("Win", 2), ("Cursed win", 1), ("Draw", 0), ("Blessed loss", -1), ("Loss", -2)];

/// The most differences that are listed.
const MAX_LISTED: usize = 5;

/// Compares the engine's values with those expected; returns whether there is no difference. Without the
/// engine there is none.
pub(super) fn check(
    files: &Path,
    expected: &[Expected],
    counts_plies: bool,
    report: &mut dyn FnMut(&str),
) -> Result<bool, String> {
    let Some(engine) = find() else {
        report("stockfish is not installed, so it was not asked; on Debian: apt-get install stockfish");
        return Ok(true);
    };
    let fail = |error| format!("cannot run {}: {error}", engine.display());
    let mut child =
        Command::new(&engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(fail)?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the engine has no streams".into());
    };
    let commands: String = std::iter::once(format!("setoption name SyzygyPath value {}\n", files.display()))
        .chain(expected.iter().map(|one| format!("position fen {}\nd\n", one.fen)))
        .chain(std::iter::once("quit\n".to_owned()))
        .collect();
    // The engine answers while it is still being asked.
    let writer = std::thread::spawn(move || input.write_all(commands.as_bytes()));
    let mut read = Vec::new();
    let mut wdl = None;
    for line in BufReader::new(output).lines() {
        let line = line.map_err(fail)?;
        let number = |rest: &str| rest.split_whitespace().next().and_then(|word| word.parse::<i32>().ok());
        if let Some(rest) = line.strip_prefix("Tablebases WDL:") {
            wdl = wdl_of(rest);
        } else if let Some(rest) = line.strip_prefix("Tablebases DTZ:") {
            read.push(wdl.take().zip(number(rest)).map(|(wdl, dtz)| Score { wdl, dtz }));
        }
    }
    let is_asked = writer.join().is_ok_and(|written| written.is_ok());
    child.wait().map_err(fail)?;
    if !is_asked || read.len() != expected.len() {
        return Err(format!("stockfish answered for {} of {} positions", read.len(), expected.len()));
    }
    let mut n_different = 0;
    for (expected, read) in expected.iter().zip(read) {
        if read.is_some_and(|read| expected.score.allows(read, counts_plies)) {
            continue;
        }
        n_different += 1;
        if n_different <= MAX_LISTED {
            report(&format!("{}: {read:?}, expected {:?}", expected.fen, expected.score));
        }
    }
    report(&format!("stockfish: {} positions, {n_different} differences", expected.len()));
    Ok(n_different == 0)
}

/// The WDL value that an engine's word stands for.
fn wdl_of(text: &str) -> Option<i32> {
    OUTCOMES.iter().find(|(name, _)| text.trim_start().starts_with(name)).map(|&(_, wdl)| wdl)
}

/// The engine's program.
fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from(GAMES)]);
    folders.map(|folder| folder.join("stockfish")).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::wdl_of;

    #[test]
    fn outcomes_are_words() {
        let said = [
            " Win (Success)",
            " Cursed win (Success)",
            " Draw (Success)",
            " Blessed loss (Success)",
            " Loss (Success)",
        ];
        assert_eq!(said.map(wdl_of), [Some(2), Some(1), Some(0), Some(-1), Some(-2)]);
        assert_eq!(wdl_of(" (failed)"), None);
    }
}
