//! Runs `cargo xtask lab memory`: compares what runs take of memory with what is estimated before.
//!
//! Each run solves one table in a process of its own, with every table that it needs there already, and may
//! take no more than the estimate (`--memory`). Its peak is what the system counts as resident at most
//! (`VmHWM` of `/proc/PID/status`), asked for every two milliseconds until the process has ended.

use build::{BuildFootprint, FileOptions, Strategy};
use library::figure::bytes;
use library::{Edition, TableFiles};
use plan::Job;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use variant::{Material, Metric, Variant};

/// Below this the peak may lie so far above the estimate, above it by so much in a hundred.
const SMALL_BYTES: u64 = 100_000_000;
const SLACK_BYTES: u64 = 30_000_000;
const SLACK_PERCENT: u64 = 15;

/// How often the system is asked.
const PAUSE: Duration = Duration::from_millis(2);

/// A run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// The rules, by the name of their file.
    pub variant: &'static str,
    /// The table.
    pub table: &'static str,
    /// The metrics, with commas between them.
    pub metric: &'static str,
    /// More options: `--small`, `--both-sides`, `--strategy disk`.
    pub options: &'static str,
    /// The threads.
    pub n_threads: usize,
}

const fn case(
    variant: &'static str,
    table: &'static str,
    metric: &'static str,
    options: &'static str,
    n_threads: usize,
) -> Case {
    Case { variant, table, metric, options, n_threads }
}

/// Every metric by every strategy, without pawns and with them: codes of one byte, as they are and split.
const METRICS: [&str; 5] = ["dtm", "wdl", "dtc", "dtz", "wdl,dtz50"];
const STRATEGIES: [&str; 3] = ["--strategy log", "--strategy disk", "--strategy blocks"];
const TABLES: [&str; 2] = ["KQvKR", "KRvKP"];

/// All runs, in some minutes together; the large ones take minutes each.
pub fn cases(is_large: bool) -> impl Iterator<Item = Case> {
    let by_strategy = STRATEGIES.into_iter().flat_map(|options| {
        let of_metric = move |metric| TABLES.map(|table| case("fide", table, metric, options, 2));
        METRICS.into_iter().flat_map(of_metric)
    });
    let small = CASES.iter().copied().chain(by_strategy).filter(move |_| !is_large);
    small.chain(LARGE_CASES.iter().copied().filter(move |_| is_large))
}

/// The runs of each game, metric, packing and number of threads.
const CASES: &[Case] = &[
    case("fide", "KRvKN", "dtm", "", 1),
    case("fide", "KRvKN", "dtm", "", 2),
    case("fide", "KRvKN", "dtm", "", 16),
    case("fide", "KQvKP", "dtm", "", 2),
    case("fide", "KQvKP", "dtm", "", 16),
    case("fide", "KQvKP", "dtm", "--small", 2),
    case("fide", "KQvKP", "dtm", "--small", 16),
    case("fide", "KBNvK", "dtm", "--small", 1),
    case("fide", "KPvKP", "dtm", "--both-sides", 2),
    case("fide", "KRPvK", "wdl,dtz50", "", 2),
    case("fide", "KRPvK", "wdl,dtz50", "", 16),
    case("fide", "KRPvK", "wdl,dtz50", "--both-sides", 1),
    case("fide", "KQvKR", "wdl", "", 1),
    case("fide", "KQvKR", "wdl", "", 16),
    case("fide", "KRvKP", "dtc", "", 2),
    case("fide", "KRvKP", "dtz", "", 1),
    case("fide", "KPPvK", "dtc", "--both-sides", 16),
    case("atomic", "KQvKP", "dtm", "", 2),
    case("atomic", "KRvKP", "wdl,dtz50", "", 2),
    case("antichess", "QvRP", "dtm", "", 2),
    case("antichess", "RvNP", "wdl,dtz50", "", 16),
    case("capablanca", "KAvKC", "dtm", "", 2),
    case("capablanca", "KCvKN", "wdl", "--both-sides", 16),
    case("cylinder", "KRvKP", "dtm", "", 1),
    case("cylinder", "KQvKR", "dtc", "", 2),
    case("racing-kings", "KRvKN", "dtm", "", 2),
    case("racing-kings", "KQvKR", "dtm", "--small", 2),
    case("grasshopper", "KGvKP", "dtm", "", 2),
    case("losers", "KQvKP", "dtm", "", 2),
];

/// Runs of five men. Wins and losses of KNNvKP have more plies together than one byte says, so it needs two,
/// and the estimate has no room for them.
const LARGE_CASES: &[Case] = &[
    case("fide", "KRPvKR", "wdl,dtz50", "", 2),
    case("fide", "KRPvKR", "dtm", "", 2),
    case("fide", "KBBvKN", "dtm", "", 2),
    case("fide", "KNNvKQ", "wdl", "", 16),
    case("fide", "KNNvKP", "wdl,dtz50", "", 1),
    case("fide", "KNNvKP", "wdl,dtz50", "--strategy log", 2),
    case("fide", "KNNvKP", "wdl,dtz50", "--strategy disk", 2),
];

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
pub(crate) fn run(options: &Options, report: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let program = crate::process::own_program()?;
    let folder = std::env::temp_dir().join(format!("tablesmith-memory-{}", std::process::id()));
    let is_wanted = |case: &Case| options.only.as_ref().is_none_or(|only| case.to_string().contains(only));
    report("| run | estimate | peak | ratio | | disk estimate | disk | ratio |");
    report("| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |");
    let mut is_well = true;
    for case in cases(options.is_large).filter(is_wanted) {
        match case.measure(&program, &folder) {
            Ok(measured) => {
                report(&format!("| {case} {}", measured.row()));
                is_well &= measured.holds();
            }
            Err(error) => {
                drop(fs::remove_dir_all(&folder));
                return Err(format!("{case}: {error}"));
            }
        }
    }
    drop(fs::remove_dir_all(&folder));
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
        let ratio = |peak: u64, estimate: u64| peak as f64 / estimate as f64;
        format!(
            "| {} | {} | {:.2} | {} | {} | {} | {:.2} |",
            bytes(self.estimate),
            bytes(self.peak),
            ratio(self.peak, self.estimate),
            if self.holds() { "holds" } else { "TOO MUCH" },
            bytes(self.disk_estimate),
            bytes(self.disk),
            ratio(self.disk, self.disk_estimate),
        )
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Case { variant, table, metric, options, n_threads } = self;
        write!(f, "{variant} {table} {metric} {n_threads} threads")?;
        if options.is_empty() { Ok(()) } else { write!(f, " {options}") }
    }
}

impl Case {
    /// Runs the case by this program, with its tables in a folder below this one.
    ///
    /// # Errors
    /// The run fails, or the system does not say how much memory it takes.
    pub fn measure(&self, program: &Path, root: &Path) -> Result<Measured, String> {
        let rules = xtask::root().join("variants").join(self.variant).with_extension("toml");
        let variant = Variant::load(&rules).map_err(|error| error.to_string())?;
        let material = Material::parse(&variant, self.table).map_err(|error| error.to_string())?;
        let material = material.canonical(&variant);
        let metrics: Vec<Metric> = self
            .metric
            .split(',')
            .map(|name| name.parse().map_err(|_| format!("{name} is no metric")))
            .collect::<Result<_, String>>()?;
        let editions = Edition::of_metrics(&variant, &metrics);
        let edition = editions.first().ok_or("no metric")?;
        let has = |option: &str| self.options.split(' ').any(|given| given == option);
        let files = FileOptions::new(has("--both-sides"), has("--small"));
        let job = Job::alone(&variant, material);
        let strategy = self.options.split(' ').skip_while(|&word| word != "--strategy").nth(1);
        let strategy = strategy.map(|name| match name {
            "log" => Ok(Strategy::LogOnDisk),
            "disk" => Ok(Strategy::PlanesOnDisk),
            "blocks" => Ok(Strategy::BlockByBlock),
            other => Err(format!("{other} is no strategy")),
        });
        let footprint = BuildFootprint::new(edition, files, self.n_threads);
        let footprint = footprint.with_strategy(strategy.transpose()?);
        let (estimate, name) = (footprint.total_of(&job), job.name.clone());

        let folder = root.join(format!("{}-{}", self.variant, self.metric));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let solve = || {
            let mut command = Command::new(program);
            command.arg("solve").arg(&rules).args(["--table", self.table, "--metric", self.metric]);
            command.arg("--out").arg(&folder);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            command
        };
        // The tables that it needs keep both sides to move, so that they are not solved again.
        let child = solve().args(["--both-sides", "--threads", "2"]).spawn();
        watch(child.map_err(|error| error.to_string())?)?;
        let tables = TableFiles::new(edition.clone(), &folder);
        let paths: Vec<PathBuf> =
            edition.metrics().iter().map(|&metric| tables.path(&name, metric)).collect();
        for path in &paths {
            fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let mut measured = solve();
        measured.args(["--threads", &self.n_threads.to_string(), "--memory", &estimate.to_string()]);
        measured.args(self.options.split_whitespace());
        let peak = watch(measured.spawn().map_err(|error| error.to_string())?)?;
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |data| data.len());
        let disk = paths.iter().map(size).sum();
        let disk_estimate = files.disk_bytes(&job, edition.metrics());
        Ok(Measured { estimate, peak, disk_estimate, disk })
    }
}

/// Waits for a process; the most memory that was resident.
fn watch(mut child: Child) -> Result<u64, String> {
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = 0;
    loop {
        peak = peak.max(resident_bytes(&status).unwrap_or(0));
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() && peak > 0 => return Ok(peak),
            Some(status) if status.success() => {
                return Err("the system does not say how much memory a process takes".into());
            }
            Some(_) => {
                let output = child.wait_with_output().map_err(|error| error.to_string())?;
                return Err(String::from_utf8_lossy(&output.stderr).into_owned());
            }
            None => std::thread::sleep(PAUSE),
        }
    }
}

/// The peak in a file of `/proc`.
fn resident_bytes(status: &Path) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
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
