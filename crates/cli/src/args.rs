//! Declares arguments that several commands take, and makes of them what they mean: sizes, times, formats of
//! files, sides, threads.

use crate::{Failure, Outcome};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use geometry::Board;
use library::{SolveBound, available_bytes};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use variant::{Material, Side, Variant};

/// Which tables are wanted.
#[derive(clap::Args, Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Wanted {
    /// All tables of up to N men, kings included [default: the limit of the variant]; with a pattern,
    /// those that fit it
    #[arg(long, value_name = "N")]
    pub(crate) men: Option<usize>,
    /// A table, such as KQvKR, with what it needs, or all that fit a pattern, such as 'KR*vK*'; may be given
    /// several times
    #[arg(long, value_name = "MATERIAL")]
    #[serde(default)]
    pub(crate) table: Vec<String>,
}

/// Which tables of those that are there.
#[derive(clap::Args, Debug)]
pub(crate) struct Chosen {
    /// Only tables of up to N men, kings included; together with --table that one too
    #[arg(long, value_name = "N")]
    pub(crate) men: Option<usize>,
    /// Only this table, such as KQvKR
    #[arg(long, value_name = "MATERIAL")]
    pub(crate) table: Option<String>,
}

impl Chosen {
    /// The table that `table` names.
    pub(crate) fn only(&self, variant: &Variant) -> Outcome<Option<Material>> {
        let only = self.table.as_deref().map(|name| Material::from_typed(variant, name));
        only.transpose().map_err(Failure::new)
    }

    /// Whether a table is among those that are asked for; `only` is what `table` names.
    pub(crate) fn has(&self, material: &Material, only: Option<&Material>) -> bool {
        match (self.men, only) {
            (None, None) => true,
            (men, only) => men.is_some_and(|n_men| material.n_men() <= n_men) || only == Some(material),
        }
    }
}

/// The files that a run writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, clap::ValueEnum)]
pub(crate) enum WriteFormat {
    /// Our own: small, checked, of any metric
    Tsm,
    /// .rtbw and .rtbz for chess programs, or those of the game
    Syzygy,
    /// Flat files of distances
    Tbl,
    /// Flat files of who wins
    Tbc,
}

/// The forms of a plan that other programs read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum PlanFormat {
    /// A script of the shell: `bash FILE` submits a job for each table to Slurm
    Slurm,
    /// A makefile: `make -j 8 -f FILE` makes what is missing
    Make,
    /// A Snakefile, with memory, disk and time of each table
    Snakemake,
    /// JSON, as with --json
    Json,
    /// The DOT language, as with --dot
    Dot,
}

/// Reads a side by its name.
pub(crate) fn side() -> impl TypedValueParser<Value = Side> {
    let side = |name: String| if name == "white" { Side::White } else { Side::Black };
    PossibleValuesParser::new(["white", "black"]).map(side)
}

/// Decompressed blocks take at most one of this number of parts of the memory that is available, unless the
/// user asks for more.
const CACHE_SHARE: u64 = 4;

/// And no more than this.
const MAX_CACHE_BYTES: u64 = 4 << 30;

/// Tables that are solved for a question take at most one of this number of parts, too.
const SOLVED_SHARE: u64 = 4;

/// How positions are answered.
#[derive(clap::Args, Debug)]
pub(crate) struct Asking {
    /// Do not solve small tables that are missing, nor positions with castling rights that no file has
    #[arg(long)]
    no_solve: bool,
    /// How much memory decompressed blocks may take, such as 4G or 800M [default: a quarter of what the
    /// machine has left, at most 4G]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    cache: Option<u64>,
    /// How much memory tables may take that are solved because a position asks for them [default: a quarter
    /// of what the machine has left, at most 1G]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    solved: Option<u64>,
}

impl Asking {
    /// What may be solved for a question, unless that is not wanted.
    pub(crate) fn bound(&self) -> Option<SolveBound> {
        let bound = SolveBound::default();
        let most = || (available_bytes() / SOLVED_SHARE).min(bound.kept_bytes);
        (!self.no_solve).then(|| SolveBound { kept_bytes: self.solved.unwrap_or_else(most), ..bound })
    }

    /// How much memory decompressed blocks may take: what is asked for, or a part of what is available.
    pub(crate) fn cache_bytes(&self) -> usize {
        let bytes = self.cache.unwrap_or_else(|| (available_bytes() / CACHE_SHARE).min(MAX_CACHE_BYTES));
        bytes.try_into().unwrap_or(usize::MAX)
    }
}

/// A size such as `4G`, `800M` or `1.5GiB`.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    parse_size::parse_size(text).map_err(|_| format!("`{text}` is no size such as 4G, 800M or 1.5GiB"))
}

/// A time such as `90s`, `5m` or `1h 30m`; a number alone is of seconds.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map(Duration::from_secs);
    let time = seconds.or_else(|_| humantime::parse_duration(text));
    time.map_err(|_| format!("`{text}` is no time such as 90s, 5m or 1h"))
}

/// A board's size as people type it, `10x8`.
pub(crate) fn parse_board(text: &str) -> Result<Board, String> {
    let sizes: Option<Vec<usize>> =
        text.split(['x', 'X', '×']).map(|size| size.trim().parse().ok()).collect();
    match sizes.as_deref() {
        Some(&[files, ranks]) => Board::new(files, ranks).map_err(|error| error.to_string()),
        _ => Err("write files and ranks, as in 10x8".into()),
    }
}

/// How many threads there are to be: those that are given, or else one for each core.
pub(crate) fn count_threads(wanted: Option<u16>) -> usize {
    wanted.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Starts the given number of threads, or else one for each core.
pub(crate) fn pool(n_threads: Option<u16>) -> Outcome<ThreadPool> {
    let builder = ThreadPoolBuilder::new().num_threads(n_threads.map_or(0, usize::from));
    builder.build().map_err(|error| Failure::new(format!("cannot start the threads: {error}")))
}

#[cfg(test)]
mod tests {
    use super::{parse_size, parse_time};

    #[track_caller]
    fn check_size(text: &str, expected: Option<u64>) {
        assert_eq!(parse_size(text).ok(), expected, "{text}");
    }

    #[test]
    fn times_are_read() {
        for (text, seconds) in [("90s", 90), ("90", 90), ("5m", 300), ("1h 30m", 5_400), ("2min", 120)] {
            assert_eq!(parse_time(text).map(|time| time.as_secs()), Ok(seconds), "{text}");
        }
        for wrong in ["", "s", "-1s", "1,5m", "soon"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_read() {
        check_size("4G", Some(4_000_000_000));
        check_size("800M", Some(800_000_000));
        check_size("1.5GiB", Some(3 << 29));
        check_size("12", Some(12));
        check_size("12 kB", Some(12_000));
        for wrong in ["", "G", "-1G", "1,5G", "many", "99999999999T"] {
            check_size(wrong, None);
        }
    }
}
