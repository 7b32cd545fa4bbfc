//! Declares the arguments of `verify`, and how much is checked without them.

use crate::args::Chosen;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The most men of a table whose every position is checked.
pub(super) const MAX_MEN_IN_FULL: usize = 4;

/// How many placements are checked of larger tables, with each side to move.
pub(super) const N_PLACEMENTS: u64 = 1_000_000;

/// Check tables: checksums, then values against their successors: every one up to four men, a sample above
#[derive(clap::Args, Debug)]
pub(crate) struct VerifyArgs {
    /// A table, or a folder of tables; flat, Syzygy and one-bit files are checked too
    pub(crate) path: PathBuf,
    /// The rules of the game [default: those of the game of the tables, from variants/, beside the tables,
    /// or built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) wanted: Chosen,
    /// Check N placements (men on squares) of each table, with each side to move, spread evenly [default:
    /// all up to four men, 1000000 above]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "all")]
    pub(crate) sample: Option<u64>,
    /// Check every placement of every table
    #[arg(long)]
    pub(crate) all: bool,
    /// Check one part of the tables, such as 2/4: parts cost about alike, and together they are all
    #[arg(long, value_name = "I/N", conflicts_with = "against")]
    pub(crate) part: Option<Part>,
    /// Compare tables, position by position, with the files of this folder instead: .tbl and .tbc, or tables
    /// of dtz50 with Syzygy files (.rtbw and .rtbz, or those of the game); a one-bit file with its table
    #[arg(long, value_name = "DIR", conflicts_with = "json")]
    pub(crate) against: Option<PathBuf>,
    /// Where the tables are that a structure was solved with [default: where the structure is]
    #[arg(long, value_name = "DIR")]
    pub(crate) using: Vec<PathBuf>,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// One of the parts of the work, counted from 1: `2/4`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    part: usize,
    n_parts: usize,
}

impl Part {
    /// Whether it is the one that does what is done once.
    pub(super) fn is_first(self) -> bool {
        self.part == 1
    }

    /// The work of this part, in its order. Parts cost about alike: what costs most is given out first, each
    /// to the part that has least so far.
    pub(super) fn of<T>(self, work: Vec<T>, cost: impl Fn(&T) -> u64) -> Vec<T> {
        let mut order: Vec<(u64, usize)> = work.iter().map(&cost).zip(0..).collect();
        order.sort_by_key(|&(cost, at)| (std::cmp::Reverse(cost), at));
        // More parts than that stay empty.
        let n_parts = self.n_parts.min(work.len());
        let (mut sums, mut part_of) = (vec![0u64; n_parts], vec![0; work.len()]);
        for (cost, at) in order {
            let least = (0..n_parts).min_by_key(|&part| sums[part]).unwrap_or(0);
            sums[least] = sums[least].saturating_add(cost.max(1));
            part_of[at] = least;
        }
        let own = work.into_iter().zip(part_of).filter(|&(_, part)| part == self.part - 1);
        own.map(|(work, _)| work).collect()
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.n_parts)
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').map(|(part, n_parts)| (part.parse(), n_parts.parse()));
        match numbers {
            Some((Ok(part), Ok(n_parts))) if (1..=n_parts).contains(&part) => Ok(Part { part, n_parts }),
            _ => Err("a part is a number from 1 and how many there are, such as 2/4".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn parts_are_numbers_of_a_number() {
        for text in ["1/1", "2/4"] {
            assert_eq!(text.parse::<Part>().map(|part| part.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "2", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/2/3"] {
            assert!(text.parse::<Part>().is_err(), "{text}");
        }
    }

    #[test]
    fn parts_together_are_all_and_cost_alike() {
        let costs = vec![3, 9, 1, 5, 4, 2];
        let parts: Vec<Vec<u64>> =
            (1..=2).map(|part| Part { part, n_parts: 2 }.of(costs.clone(), |&cost| cost)).collect();
        assert_eq!(parts, [vec![3, 9], vec![1, 5, 4, 2]]);
        for n_parts in [3, usize::MAX] {
            assert_eq!(Part { part: 1, n_parts }.of(vec![7], |&cost| cost), [7]);
            assert_eq!(Part { part: 3, n_parts }.of(vec![7], |&cost| cost), Vec::<u64>::new());
        }
    }
}
