//! Runs `cargo xtask perft`: counts legal games and compares them with the numbers of tests/cases/perft.csv.
//!
//! The tests take the quick ones of these numbers; here are all of them, millions of games a position.

use crate::root;
use position::{Position, RuleBook};
use std::ffi::OsString;
use std::time::Instant;
use variant::Variant;

/// The usage of the command.
const USAGE: &str =
    "perft takes names of games (as `fide` or `chess960`) and --games N, the most games a count may have";

/// Counts and compares; whether every number agrees.
///
/// # Errors
/// The arguments or the file of numbers are wrong.
pub(crate) fn run(args: &[OsString], say: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let (games, most) = parse(args)?;
    let path = root().join("tests/cases/perft.csv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (mut n_counts, mut n_wrong, mut n_games) = (0_u32, 0_u32, 0_u64);
    let start = Instant::now();
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let wrong_line = || format!("{}: `{line}` is no position with its numbers", path.display());
        let [game, fen, quick, heavy] = line.split(';').collect::<Vec<_>>()[..] else {
            return Err(wrong_line());
        };
        if !games.is_empty() && !games.iter().any(|name| name == game) {
            continue;
        }
        let book = book(game)?;
        let position =
            Position::from_fen_with_castling(&book, fen).map_err(|error| format!("{fen}: {error}"))?;
        for number in quick.split_whitespace().chain(heavy.split_whitespace()) {
            let (plies, expected) = number.split_once(':').ok_or_else(wrong_line)?;
            let plies: u32 = plies.parse().map_err(|_| wrong_line())?;
            let expected: u64 = expected.parse().map_err(|_| wrong_line())?;
            if expected > most {
                continue;
            }
            let since = Instant::now();
            let got = position.perft(&book, plies);
            let verdict = if got == expected { "ok".into() } else { format!("expected {expected}") };
            say(&format!(
                "{game} {fen}: {plies} plies {got}, {:.1} s: {verdict}",
                since.elapsed().as_secs_f64()
            ));
            n_counts += 1;
            n_wrong += u32::from(got != expected);
            n_games += got;
        }
    }
    if n_counts == 0 {
        return Err(format!("no numbers to compare with; {USAGE}"));
    }
    let seconds = start.elapsed().as_secs_f64();
    say(&format!("{n_counts} counts, {n_wrong} of them wrong; {n_games} games in {seconds:.1} s"));
    Ok(n_wrong == 0)
}

fn parse(args: &[OsString]) -> Result<(Vec<String>, u64), String> {
    let (mut games, mut most) = (Vec::new(), u64::MAX);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--games") => {
                let value = args.next().and_then(|value| value.to_str()?.parse().ok());
                most = value.ok_or(USAGE)?;
            }
            Some(name) if !name.starts_with('-') => games.push(name.to_owned()),
            _ => return Err(format!("{}: {USAGE}", arg.display())),
        }
    }
    Ok((games, most))
}

fn book(game: &str) -> Result<RuleBook, String> {
    let path = root().join("variants").join(game).with_extension("toml");
    Variant::load(&path).map(|variant| RuleBook::new(&variant)).map_err(|error| error.to_string())
}
