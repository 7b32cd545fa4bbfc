//! Runs `cargo xtask lab fuzz-rules`: solves random games and compares them with the naive oracle, value for
//! value, until it is stopped or a value is wrong.
//!
//! Each seed is a game and a material; it is compared by plies to mate and by one other metric. A case that
//! is wrong is shown with its seed and all of its rules. With `--structures` a seed is a game and a position
//! with several pawns, and all that it leads to is compared, exact values and bounds.

mod added;
mod case;
mod structure_case;
pub(crate) mod variant_file;

pub use case::{Case, Verdict};
pub use structure_case::StructureCase;

use geometry::Board;
use proof::{Rule, random_plain_variant, random_ruled_variant, random_variant, random_variant_on};
use rayon::prelude::*;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use variant::{Metric, Variant};

/// The most values of a structure that is compared.
const MOST_VALUES: u64 = 120_000;

/// How many seeds are compared between two looks at the clock.
const BATCH: u64 = 64;

/// The games to compare.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Options {
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The number of seeds; until Ctrl-C by default
    #[arg(long = "cases", value_name = "N")]
    n_cases: Option<u64>,
    /// The men of every case
    #[arg(long = "men", value_name = "N", value_parser = clap::value_parser!(u8).range(2..=4))]
    n_men: Option<u8>,
    /// The seconds after which no seed begins
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// Leaps and rides on whole rectangles only
    #[arg(long = "plain")]
    is_plain: bool,
    /// Every game with one or two rules more: regions, several royal men, goals that ask for more
    #[arg(long = "added", conflicts_with = "structures")]
    has_added: bool,
    /// Positions with several pawns, solved as structures, instead of materials
    #[arg(long)]
    structures: bool,
}

/// Compares case after case; returns whether all is well.
///
/// # Errors
/// Ctrl-C cannot be listened to.
pub(crate) fn run(options: &Options) -> anyhow::Result<bool> {
    let is_stopped = crate::process::stopped_by_ctrl_c()?;
    // A panic is reported as a difference, in one place.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let end = options.n_cases.map_or(u64::MAX, |n| options.seed.saturating_add(n));
    let time = Duration::from_secs(options.seconds.unwrap_or(u64::MAX));
    let (mut seed, mut n_values, mut reported) = (options.seed, 0, Instant::now());
    let compare = |seed| {
        let compare = if options.structures { structure } else { material };
        match Verdict::of(|| compare(options, seed)) {
            Verdict::Equal(n) => Ok(n),
            Verdict::Different(wrong) => Err(format!("seed {seed} is wrong:\n{wrong}")),
        }
    };
    while seed < end && start.elapsed() < time && !is_stopped.load(Ordering::Relaxed) {
        let next = seed.saturating_add(BATCH).min(end);
        match (seed..next).into_par_iter().map(compare).try_reduce(|| 0, |a, b| Ok(a + b)) {
            Ok(n) => n_values += n,
            Err(found) => {
                eprintln!("{found}");
                return Ok(false);
            }
        }
        seed = next;
        if reported.elapsed() > Duration::from_secs(5) {
            reported = Instant::now();
            eprintln!("{}", progress(options.seed, seed, n_values, start.elapsed()));
        }
    }
    eprintln!("{}", progress(options.seed, seed, n_values, start.elapsed()));
    Ok(true)
}

/// Compares the material of a seed under two metrics.
fn material(options: &Options, seed: u64) -> Verdict {
    let game = game(seed, options.is_plain);
    let game = if options.has_added { added::with_added_rules(&game, seed) } else { game };
    let mut n_values = 0;
    // Of games that count checks the oracle knows no more.
    let counts_checks = game.rules.check_counting.is_some();
    let other = if counts_checks { Metric::Wdl } else { Case::other_metric(seed) };
    for metric in [Metric::Dtm, other] {
        let case = Case::random(seed, &game, options.n_men.map(usize::from), metric);
        match case.check() {
            Verdict::Equal(n) => n_values += n,
            Verdict::Different(wrong) => return Verdict::Different(format!("{wrong}\n{}", case.text())),
        }
    }
    Verdict::Equal(n_values)
}

/// Compares the structure of the position of a seed, if there is one.
fn structure(options: &Options, seed: u64) -> Verdict {
    let metric = Metric::OF_CONTEST[(seed / 2) as usize % Metric::OF_CONTEST.len()];
    let case = StructureCase::random(seed, game(seed, options.is_plain), metric, MOST_VALUES);
    let Some(case) = case else { return Verdict::Equal(0) };
    match case.check() {
        Verdict::Different(wrong) => Verdict::Different(format!("{wrong}\n{}", case.text())),
        equal => equal,
    }
}

/// Files and ranks of boards of more than 64 squares.
const LARGE: &[(usize, usize)] = &[(13, 5), (11, 6), (10, 7), (6, 11), (5, 14), (10, 8), (16, 8), (11, 11)];

/// The game of a seed: one in three with the rules of chess, one with one rule more, one with any choice of
/// rules; now and then one on a board that needs two words.
pub(crate) fn game(seed: u64, is_plain: bool) -> Variant {
    let &(files, ranks) = &LARGE[(seed / 100) as usize % LARGE.len()];
    match Board::new(files, ranks) {
        _ if is_plain => random_plain_variant(seed),
        Ok(board) if seed % 100 == 99 => {
            let is_cylinder = (seed / 100).is_multiple_of(3);
            random_variant_on(if is_cylinder { board.with_joined_files() } else { board }, seed)
        }
        _ => match (seed / 3) as usize % Rule::ALL.len() {
            _ if seed.is_multiple_of(3) => random_variant(seed),
            kind if seed % 3 == 1 => random_ruled_variant(seed, &Rule::ALL[kind..=kind]),
            _ => random_ruled_variant(seed, &Rule::ALL),
        },
    }
}

fn progress(first: u64, next: u64, n_values: usize, time: Duration) -> String {
    let n_games = next - first;
    format!(
        "seeds {first} to {}: {n_games} games under two metrics each, {n_values} values, all equal, {:.0} s",
        next.saturating_sub(1).max(first),
        time.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::{Case, Verdict, progress};
    use proof::random_plain_variant;
    use std::time::Duration;
    use variant::Metric;

    #[test]
    fn a_case_is_shown_with_all_its_rules() {
        let case = Case::random(5, &random_plain_variant(5), Some(2), Metric::Dtc);
        let text = case.text();
        for part in ["# seed 5, ", "by dtc", "[board]\nfiles = ", "letter = \"K\"", "royal = true"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(matches!(case.check(), Verdict::Equal(n) if n > 0));
        assert_eq!(
            progress(10, 74, 5, Duration::from_secs(3)),
            "seeds 10 to 73: 64 games under two metrics each, 5 values, all equal, 3 s"
        );
    }
}
