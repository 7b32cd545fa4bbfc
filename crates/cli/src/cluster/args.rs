//! Declares the arguments of `cluster`, which are also what is kept of a submission.

use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Build a set on a cluster: one job a table, run by the engine that is there
#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    pub(crate) command: ClusterCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum ClusterCommand {
    /// Plan a set and submit a job for each table that is not there; again after anything: what is missing
    Submit(Box<SubmitArgs>),
    /// List which tables are done, running, waiting and failed, with the last lines of the failed ones'
    /// logs
    Status(StatusArgs),
    /// Submit again what has failed or was killed, with the options of the last submission
    Resubmit(ResubmitArgs),
    /// Cancel the jobs that wait or run; finished tables and checkpoints stay
    Cancel(FolderArgs),
    /// Take tables that others have delivered into the set, when their checksums, what they were made from
    /// and a sample of their values have been proved; others are put aside
    Accept(AcceptArgs),
    /// Compare every checksum, and the content of every table with what the tables made from it have
    /// recorded, and derive a sample of its values again
    Audit(AuditArgs),
}

/// The folder of a set.
#[derive(Args, Debug)]
pub(crate) struct FolderArgs {
    /// The folder of the tables
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: PathBuf,
}

/// A set, whoever has made it.
#[derive(Args, Debug)]
pub(crate) struct SetArgs {
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
    /// The rules of the game, of a set that was not submitted here [default: those of the submission]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// All tables of up to so many men of these rules [default: the limit of the variant]
    #[arg(long, value_name = "N", requires = "variant", conflicts_with = "table")]
    pub(crate) men: Option<usize>,
    /// One table of these rules with what it needs; may be given several times
    #[arg(long, value_name = "MATERIAL", requires = "variant")]
    pub(crate) table: Vec<String>,
    /// What the tables of these rules hold
    #[arg(long, value_name = "METRIC", value_delimiter = ',', requires = "variant")]
    pub(crate) metric: Vec<String>,
}

impl SetArgs {
    /// The options that name the set, but for its folder.
    pub(super) fn words(&self) -> Vec<String> {
        let Some(variant) = &self.variant else { return Vec::new() };
        let mut words = vec!["--variant".into(), whole_path(variant).display().to_string()];
        words.extend(self.men.iter().flat_map(|men| ["--men".into(), men.to_string()]));
        words.extend(self.table.iter().flat_map(|table| ["--table".into(), table.clone()]));
        words.extend(self.metric.iter().flat_map(|metric| ["--metric".into(), metric.clone()]));
        words
    }
}

/// A path that means the same from any folder. Links stay: what one leads to may be of this machine only.
pub(crate) fn whole_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

#[derive(Args, Debug)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct AcceptArgs {
    /// The folder with what was delivered
    pub(crate) from: PathBuf,
    #[command(flatten)]
    pub(crate) set: SetArgs,
    /// How many placements of a table are derived again from those that their moves lead to, with each side
    /// to move
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) sample: u64,
}

#[derive(Args, Debug)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    pub(crate) set: SetArgs,
    /// How many placements of each table are derived again from those that their moves lead to, with each
    /// side to move
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) sample: u64,
    /// Let so many jobs of the engine do it; `cluster status` says what they find
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,
    /// Take one part of so many, such as 2/4, and leave what it finds beside the tables
    #[arg(long, value_name = "K/N", conflicts_with = "jobs")]
    pub(crate) part: Option<AuditPart>,
    /// How many threads compute [default: as many as there are cores; of a job as many as it has]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// One of the parts of an audit, counted from 1: `2/4`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AuditPart {
    pub(crate) part: u64,
    pub(crate) n_parts: u64,
}

impl AuditPart {
    /// The name of its job among those of tables; no table is called so.
    pub(super) fn job_name(self) -> String {
        format!("(audit {self})")
    }

    /// The part whose job has this name.
    pub(super) fn of_job(name: &str) -> Option<Self> {
        name.strip_prefix("(audit ")?.strip_suffix(')')?.parse().ok()
    }
}

impl fmt::Display for AuditPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.n_parts)
    }
}

impl FromStr for AuditPart {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').map(|(part, n_parts)| (part.parse(), n_parts.parse()));
        match numbers {
            Some((Ok(part), Ok(n_parts))) if (1..=n_parts).contains(&part) => Ok(AuditPart { part, n_parts }),
            _ => Err("a part is a number from 1 and how many there are, such as 2/4".into()),
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct ResubmitArgs {
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
    /// Ask for so many times the memory that was asked for first, such as 1.5, where jobs were killed
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(crate) more_memory: f64,
    /// The same of time
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(crate) more_time: f64,
    /// Submit the next wave: tables whose jobs have failed twice are left alone
    #[arg(long, hide = true)]
    pub(crate) wave: bool,
    /// Print the scripts and submit nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// An engine that runs jobs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Engine {
    /// Slurm, by sbatch and squeue
    #[default]
    Slurm,
}

#[derive(Args, Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct SubmitArgs {
    /// The rules of the game, such as variants/fide.toml
    pub(crate) variant: PathBuf,
    /// All tables of up to so many men, kings included [default: the limit of the variant]
    #[arg(long, value_name = "N", conflicts_with = "table")]
    pub(crate) men: Option<usize>,
    /// One table, such as KQvKR, with what it needs; may be given several times, as for `solve`
    #[arg(long, value_name = "MATERIAL")]
    #[serde(default)]
    pub(crate) table: Vec<String>,
    /// The folder of the tables, which all nodes see
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: PathBuf,
    /// What runs the jobs
    #[arg(long, value_enum, default_value_t)]
    pub(crate) engine: Engine,
    /// What the tables hold, as for `solve`
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    pub(crate) metric: Vec<String>,
    /// Pack the files smaller, as for `solve`
    #[arg(long)]
    pub(crate) small: bool,
    /// Keep both sides to move, as for `solve`
    #[arg(long)]
    pub(crate) both_sides: bool,
    /// How many cores a job has
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// The most memory that a job may ask for, such as 60G [default: any]
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse_size)]
    pub(crate) max_memory: Option<u64>,
    /// A folder for what is needed while a table is solved, as the node's shell expands it: '$SLURM_TMPDIR'
    /// [default: beside the tables, where another node can go on]
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<String>,
    /// A folder of the node's own, into which a job copies the tables that it reads, as the node's shell
    /// expands it: '$SLURM_TMPDIR/tables' [default: they are read where they are]
    #[arg(long, value_name = "DIR")]
    #[serde(default)]
    pub(crate) stage: Option<String>,
    /// The partition
    #[arg(long)]
    pub(crate) partition: Option<String>,
    /// The account
    #[arg(long)]
    pub(crate) account: Option<String>,
    /// A further option of sbatch, such as --sbatch=--qos=long; may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    #[serde(default)]
    pub(crate) sbatch: Vec<String>,
    /// A line of shell that jobs begin with, such as 'module load gcc'; may be given several times
    #[arg(long, value_name = "LINE")]
    #[serde(default)]
    pub(crate) prologue: Vec<String>,
    /// How many jobs of yours may wait or run at once; the rest is submitted by a job of its own when these
    /// have ended
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..))]
    pub(crate) max_jobs: Option<u32>,
    /// The longest time that a job may ask for
    #[arg(long, value_name = "MINUTES")]
    pub(crate) max_time: Option<u64>,
    /// Tables that take less are put together into jobs of about so long
    #[arg(long, value_name = "MINUTES", default_value_t = 5.0)]
    pub(crate) bundle: f64,
    /// How many placements a second a node makes [default: measured here for some seconds, and kept]
    #[arg(long, value_name = "PLACEMENTS")]
    pub(crate) rate: Option<u64>,
    /// The program on the nodes [default: this one]
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
    /// Print the scripts and submit nothing
    #[arg(long)]
    #[serde(skip)]
    pub(crate) dry_run: bool,
}

#[cfg(test)]
mod tests {
    use super::AuditPart;

    #[test]
    fn parts_are_numbers_of_a_number() {
        let part = |text: &str| text.parse::<AuditPart>().ok().map(|part| (part.part, part.n_parts));
        assert_eq!([part("1/1"), part("2/4")], [Some((1, 1)), Some((2, 4))]);
        for text in ["", "2", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/2/3"] {
            assert_eq!(part(text), None, "{text}");
        }
        let own = AuditPart { part: 2, n_parts: 4 };
        assert_eq!(AuditPart::of_job(&own.job_name()), Some(own));
        assert_eq!(AuditPart::of_job("KQvK"), None);
    }
}
