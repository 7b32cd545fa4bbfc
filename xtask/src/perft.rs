//! Runs `cargo xtask perft`: counts legal games and compares them with the numbers of tests/cases/perft.csv.
//!
//! The tests take the quick ones of these numbers; here are all of them, millions of games a position.

use crate::root;
use anyhow::{Context, Result, bail, ensure};
use position::{Position, RuleBook};
use std::time::Instant;
use variant::Variant;

/// Which numbers.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Games by their names, such as fide or chess960; all if none is named
    games: Vec<String>,
    /// The most games that a count may have
    #[arg(long = "games", value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    most_games: u64,
}

/// Counts and compares; whether every number agrees.
///
/// # Errors
/// The arguments or the file of numbers are wrong.
pub(crate) fn run(Options { games, most_games }: &Options) -> Result<bool> {
    let path = root().join("tests/cases/perft.csv");
    let text = fs_err::read_to_string(&path)?;
    let (mut n_counts, mut n_wrong, mut n_games) = (0_u32, 0_u32, 0_u64);
    let start = Instant::now();
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let wrong_line = || format!("{}: `{line}` is no position with its numbers", path.display());
        let [game, fen, quick, heavy] = line.split(';').collect::<Vec<_>>()[..] else {
            bail!(wrong_line());
        };
        if !games.is_empty() && !games.iter().any(|name| name == game) {
            continue;
        }
        let book = book(game)?;
        let position = Position::from_fen_with_castling(&book, fen).with_context(|| fen.to_owned())?;
        for number in quick.split_whitespace().chain(heavy.split_whitespace()) {
            let (plies, expected) = number.split_once(':').with_context(wrong_line)?;
            let plies: u32 = plies.parse().with_context(wrong_line)?;
            let expected: u64 = expected.parse().with_context(wrong_line)?;
            if expected > *most_games {
                continue;
            }
            let since = Instant::now();
            let got = position.perft(&book, plies);
            let verdict = if got == expected { "ok".into() } else { format!("expected {expected}") };
            let seconds = since.elapsed().as_secs_f64();
            println!("{game} {fen}: {plies} plies {got}, {seconds:.1} s: {verdict}");
            n_counts += 1;
            n_wrong += u32::from(got != expected);
            n_games += got;
        }
    }
    ensure!(n_counts > 0, "no numbers to compare with");
    let seconds = start.elapsed().as_secs_f64();
    println!("{n_counts} counts, {n_wrong} of them wrong; {n_games} games in {seconds:.1} s");
    Ok(n_wrong == 0)
}

fn book(game: &str) -> Result<RuleBook> {
    let path = root().join("variants").join(game).with_extension("toml");
    Ok(RuleBook::new(&Variant::load(path)?))
}
