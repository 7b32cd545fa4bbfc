//! Runs `cargo xtask lab memory`: compares what runs take of memory with what is estimated before.
//!
//! Each run solves one table in a process of its own, with every table that it needs there already, and may
//! take no more than the estimate (`--memory`). Its peak is what the system counts as resident at most
//! (`VmHWM` of `/proc/PID/status`), asked for every two milliseconds until the process has ended.

use crate::process::solve;
use anyhow::{Context, Result, bail, ensure};
use build::{BuildFootprint, FileOptions, Strategy};
use library::figure::bytes;
use library::{Edition, TableFiles};
use plan::Job;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use variant::{Material, Metric, Variant};

/// Below this the peak may lie so far above the estimate, above it by so much in a hundred.
const SMALL_BYTES: u64 = 100_000_000;
const SLACK_BYTES: u64 = 30_000_000;
const SLACK_PERCENT: u64 = 15;

/// How often the system is asked.
const PAUSE: Duration = Duration::from_millis(2);

/// All runs, in some minutes together; the large ones take minutes each.
const CASES: &str = include_str!("../data/memory.txt");
const LARGE_CASES: &str = include_str!("../data/memory-large.txt");

/// A run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// The rules, by the name of their file.
    pub variant: &'static str,
    /// The table.
    pub table: &'static str,
    /// The metrics, with commas between them.
    pub metric: &'static str,
    /// The threads.
    pub n_threads: usize,
    /// More options: `--small`, `--both-sides`, `--strategy disk`.
    pub options: &'static str,
}

/// All runs, or the large ones instead.
///
/// # Panics
/// A line of the list is no run.
pub fn cases(is_large: bool) -> impl Iterator<Item = Case> {
    let case = |line: &'static str| {
        let mut words = line.splitn(5, ' ');
        let mut next = || words.next().unwrap_or_default();
        let (variant, table, metric, n_threads) = (next(), next(), next(), next());
        let n_threads = n_threads.parse().expect("a number of threads");
        Case { variant, table, metric, n_threads, options: next() }
    };
    let list = if is_large { LARGE_CASES } else { CASES };
    list.lines().filter(|line| !line.starts_with('#')).map(case)
}

/// Which runs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Only runs in whose names this stands
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The runs of five men instead, which take minutes each
    #[arg(long = "large")]
    is_large: bool,
}

/// Runs all cases and prints a row for each; returns whether all estimates hold.
///
/// # Errors
/// A run fails, or the system does not say how much memory a process takes.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let (program, folder) = (std::env::current_exe()?, tempfile::tempdir()?);
    let is_wanted = |case: &Case| options.only.as_ref().is_none_or(|only| case.to_string().contains(only));
    println!("| run | estimate | peak | ratio | | disk estimate | disk | ratio |");
    println!("| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |");
    let mut is_well = true;
    for case in cases(options.is_large).filter(is_wanted) {
        let measured = case.measure(&program, folder.path()).with_context(|| case.to_string())?;
        println!("| {case} | {} |", measured.row());
        is_well &= measured.holds();
    }
    Ok(is_well)
}

/// What was estimated for a run and what it took.
///
/// Units: bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measured {
    /// Before.
    pub estimate: u64,
    /// At its peak.
    pub peak: u64,
    /// The files, estimated.
    pub disk_estimate: u64,
    /// The files.
    pub disk: u64,
}

impl Measured {
    /// Whether the run took no more than is promised.
    #[must_use]
    pub fn holds(&self) -> bool {
        let most = match self.estimate {
            0..SMALL_BYTES => self.estimate + SLACK_BYTES,
            _ => self.estimate + self.estimate / 100 * SLACK_PERCENT,
        };
        self.peak <= most
    }

    fn row(&self) -> String {
        let pair = |estimate: u64, taken: u64| {
            format!("{} | {} | {:.2}", bytes(estimate), bytes(taken), taken as f64 / estimate as f64)
        };
        let word = if self.holds() { "holds" } else { "TOO MUCH" };
        format!("{} | {word} | {}", pair(self.estimate, self.peak), pair(self.disk_estimate, self.disk))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { variant, table, metric, n_threads, options } = self;
        write!(f, "{variant} {table} {metric} {n_threads} threads")?;
        if options.is_empty() { Ok(()) } else { write!(f, " {options}") }
    }
}

impl Case {
    /// Runs the case by this program, with its tables in a folder below this one.
    ///
    /// # Errors
    /// The run fails, or the system does not say how much memory it takes.
    pub fn measure(&self, program: &Path, root: &Path) -> Result<Measured> {
        let rules = xtask::root().join("variants").join(self.variant).with_extension("toml");
        let variant = Variant::load(&rules)?;
        let material = Material::parse(&variant, self.table)?.canonical(&variant);
        let metrics: Vec<Metric> = self.metric.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let editions = Edition::of_metrics(&variant, &metrics);
        let edition = editions.first().context("no metric")?;
        let words: Vec<&str> = self.options.split_whitespace().collect();
        let files = FileOptions::new(words.contains(&"--both-sides"), words.contains(&"--small"));
        let strategy = match words.iter().skip_while(|&&word| word != "--strategy").nth(1) {
            None => None,
            Some(&"log") => Some(Strategy::LogOnDisk),
            Some(&"disk") => Some(Strategy::PlanesOnDisk),
            Some(&"blocks") => Some(Strategy::BlockByBlock),
            Some(other) => bail!("{other} is no strategy"),
        };
        let job = Job::alone(&variant, material);
        let footprint = BuildFootprint::new(edition, files, self.n_threads).with_strategy(strategy);
        let (estimate, name) = (footprint.total_of(&job), job.name.clone());

        let folder = root.join(format!("{}-{}", self.variant, self.metric));
        fs_err::create_dir_all(&folder)?;
        let wanted = ["--table", self.table, "--metric", self.metric, "--threads"];
        // The tables that it needs keep both sides to move, so that they are not solved again.
        watch(&mut solve(program, &rules, &[&wanted[..], &["2", "--both-sides"]].concat(), &folder))?;
        let tables = TableFiles::new(edition.clone(), &folder);
        let path = tables.main_path(&name);
        fs_err::remove_file(&path)?;
        let (n_threads, memory) = (self.n_threads.to_string(), estimate.to_string());
        let limits = [&wanted[..], &[&n_threads, "--memory", &memory], &words].concat();
        let peak = watch(&mut solve(program, &rules, &limits, &folder))?;
        let disk = fs_err::metadata(&path).map_or(0, |data| data.len());
        let disk_estimate = files.disk_bytes(&job, edition.metrics());
        Ok(Measured { estimate, peak, disk_estimate, disk })
    }
}

/// Runs a process to its end; the most memory that was resident.
fn watch(command: &mut Command) -> Result<u64> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        peak = peak.max(resident_bytes(&status).unwrap_or(0));
        std::thread::sleep(PAUSE);
    }
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    ensure!(peak > 0, "the system does not say how much memory a process takes");
    Ok(peak)
}

/// The peak in a file of `/proc`.
fn resident_bytes(status: &Path) -> Option<u64> {
    let text = fs_err::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|n| n * 1024)
}

#[cfg(test)]
mod tests {
    use super::Measured;

    #[test]
    fn promise_is_15_percent_or_30_megabytes() {
        let holds = |estimate, peak| Measured { estimate, peak, disk_estimate: 1, disk: 1 }.holds();
        assert!(holds(50_000_000, 80_000_000) && !holds(50_000_000, 80_000_001));
        assert!(holds(200_000_000, 230_000_000) && !holds(200_000_000, 231_000_000));
    }
}
