//! Hands jobs to Slurm by its commands `sbatch`, `squeue` and `scancel`.

use crate::command::quoted;
use crate::{Bundle, JobCommand, TableSet};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Command;

/// What a job asks the engine for, beside what its tables take.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct JobOptions {
    /// The cores of a job.
    pub n_threads: usize,
    /// The partition, if not the usual one.
    pub partition: Option<String>,
    /// The account, if not the usual one.
    pub account: Option<String>,
    /// What a job asks for in hundredths of what its tables are thought to take: more where jobs were
    /// killed.
    pub memory_percent: u64,
    /// The longest time that a job may ask for, if the site has a limit. Units: minutes.
    pub most_minutes: Option<u64>,
}

/// Why the engine could not be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SlurmError {
    /// Its command is not there.
    #[error("{command} is not here: run this on a machine from which jobs are submitted, or with --dry-run")]
    NoEngine {
        /// The command.
        command: &'static str,
    },
    /// It cannot be run.
    #[error("{command} cannot be run: {error}")]
    Io {
        /// The command.
        command: &'static str,
        /// What the system says.
        error: io::Error,
    },
    /// It refuses.
    #[error("{command} refuses: {message}")]
    Refused {
        /// The command.
        command: &'static str,
        /// What it says.
        message: String,
    },
}

/// What Slurm says of a job that lives: `PENDING` or `RUNNING`, and why it waits.
pub type Living = BTreeMap<String, String>;

/// The engine.
#[derive(Clone, Copy, Default, Debug)]
pub struct Slurm;

impl Slurm {
    /// Submits a script behind other jobs; the number of the new job.
    ///
    /// If one of the others fails, the job is cancelled and not left waiting for ever.
    ///
    /// # Errors
    /// There is no Slurm, or it refuses.
    pub fn submit(self, script: &Path, after: &Dependency<'_>) -> Result<String, SlurmError> {
        let mut command = Command::new("sbatch");
        command.arg("--parsable");
        if let Some(dependency) = after.text() {
            command.arg(format!("--dependency={dependency}"));
            command.arg("--kill-on-invalid-dep=yes");
        }
        let answer = output("sbatch", command.arg(script))?;
        // Of a federation the cluster's name follows.
        let number = answer.trim().split(';').next().unwrap_or_default().to_owned();
        if number.is_empty() {
            return Err(SlurmError::Refused { command: "sbatch", message: "it names no job".into() });
        }
        Ok(number)
    }

    /// The jobs that wait or run, by their numbers, with their states. Jobs that have ended are forgotten
    /// after a while, so that nothing can be said of others.
    ///
    /// # Errors
    /// There is no Slurm, or it refuses.
    pub fn living(self) -> Result<Living, SlurmError> {
        let mut command = Command::new("squeue");
        command.args(["--noheader", "--me", "--states=PENDING,CONFIGURING,RUNNING,SUSPENDED,COMPLETING"]);
        let answer = output("squeue", command.arg("--format=%i %T %r"))?;
        let job = |line: &str| {
            let (number, state) = line.trim().split_once(' ')?;
            Some((number.to_owned(), state.trim().to_owned()))
        };
        Ok(answer.lines().filter_map(job).collect())
    }

    /// Cancels jobs.
    ///
    /// # Errors
    /// There is no Slurm, or it refuses.
    pub fn cancel(self, jobs: &[String]) -> Result<(), SlurmError> {
        if jobs.is_empty() {
            return Ok(());
        }
        output("scancel", Command::new("scancel").args(jobs)).map(drop)
    }
}

/// The jobs that have to end before another one begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependency<'a> {
    /// All well.
    AllWell(&'a [String]),
    /// However they end.
    AllEnded(&'a [String]),
}

impl Dependency<'_> {
    fn text(&self) -> Option<String> {
        let (kind, jobs) = match self {
            Dependency::AllWell(jobs) => ("afterok", jobs),
            Dependency::AllEnded(jobs) => ("afterany", jobs),
        };
        (!jobs.is_empty()).then(|| format!("{kind}:{}", jobs.join(":")))
    }
}

/// What a command prints if it ends well.
fn output(name: &'static str, command: &mut Command) -> Result<String, SlurmError> {
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => SlurmError::NoEngine { command: name },
        _ => SlurmError::Io { command: name, error },
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    Err(SlurmError::Refused { command: name, message })
}

/// The least memory that a job asks for: a program, its threads and its libraries.
const LEAST_BYTES: u64 = 64 << 20;

/// A job's time beside what its tables are thought to take: nodes differ, and so do nights.
const TIME_FACTOR: f64 = 3.0;
const LEAST_MINUTES: u64 = 20;

/// The memory that a bundle asks for.
///
/// Units: bytes.
#[must_use]
pub fn memory_bytes(set: &TableSet, bundle: &Bundle, options: &JobOptions) -> u64 {
    let (memory_bytes, _) = bundle.most_bytes(set);
    // An estimate may be a seventh too low.
    (memory_bytes + memory_bytes / 7 + LEAST_BYTES) * options.memory_percent.max(100) / 100
}

/// The script of a bundle. Its last command is the one that makes the last table, so that the engine sees
/// how it ended.
#[must_use]
pub fn script(
    set: &TableSet,
    bundle: &Bundle,
    command: &JobCommand,
    options: &JobOptions,
    log: &Path,
) -> String {
    let (_, scratch_bytes) = bundle.most_bytes(set);
    let minutes = (bundle.seconds(set) * TIME_FACTOR / 60.0).ceil() as u64;
    let minutes = minutes.max(LEAST_MINUTES).min(options.most_minutes.unwrap_or(u64::MAX));
    let ask = |memory_bytes: u64| Asked { memory_bytes, scratch_bytes, minutes, options, log };
    let name = bundle.name(set);
    let mut text = ask(memory_bytes(set, bundle, options)).head(&name);
    let (last, others) =
        bundle.tables.split_last().map_or((None, &[][..]), |(last, others)| (Some(*last), others));
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|&at| set.tables[at].name.as_str()).collect();
        text +=
            &format!("for table in {}; do\n  {}\ndone\n", names.join(" "), command.of_table("\"$table\""));
    }
    if let Some(last) = last {
        text += &format!("exec {}\n", command.of_table(&quoted(&set.tables[last].name)));
    }
    text
}

/// The script of a job that is one command and takes a gigabyte.
#[must_use]
pub fn small_script(name: &str, command: &str, options: &JobOptions, log: &Path, minutes: u64) -> String {
    let memory_bytes = (1 << 30) * options.memory_percent.max(100) / 100;
    let minutes = minutes.max(LEAST_MINUTES).min(options.most_minutes.unwrap_or(u64::MAX));
    Asked { memory_bytes, scratch_bytes: 0, minutes, options, log }.head(name) + &format!("exec {command}\n")
}

struct Asked<'a> {
    memory_bytes: u64,
    scratch_bytes: u64,
    minutes: u64,
    options: &'a JobOptions,
    log: &'a Path,
}

impl Asked<'_> {
    /// What a script begins with.
    fn head(&self, name: &str) -> String {
        let options = self.options;
        let mut asked = vec![
            format!("--job-name=ts-{name}"),
            format!("--output={}", self.log.display()),
            "--open-mode=append".into(),
            "--requeue".into(),
            "--nodes=1".into(),
            "--ntasks=1".into(),
            format!("--cpus-per-task={}", options.n_threads.max(1)),
            format!("--mem={}M", self.memory_bytes.div_ceil(1 << 20)),
            format!("--time={}", self.minutes),
        ];
        if self.scratch_bytes > 0 {
            asked.push(format!("--tmp={}M", self.scratch_bytes.div_ceil(1 << 20)));
        }
        asked.extend(options.partition.iter().map(|partition| format!("--partition={partition}")));
        asked.extend(options.account.iter().map(|account| format!("--account={account}")));
        let asked: String = asked.iter().map(|asked| format!("#SBATCH {}\n", quoted(asked))).collect();
        format!(
            "#!/bin/bash\n{asked}set -eu\n\
             echo \"$(date '+%F %T') $(hostname): job ${{SLURM_JOB_ID:-none}}, start ${{SLURM_RESTART_COUNT:-0}}\"\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Dependency, JobOptions, memory_bytes, script};
    use crate::set::tests::set;
    use crate::{Bundle, JobCommand, bundles};
    use std::path::Path;

    fn command() -> JobCommand {
        JobCommand {
            start: vec!["tablesmith".into(), "solve".into(), "fide.toml".into()],
            job: vec!["--job".into()],
            whole: vec!["--men".into(), "5".into()],
            scratch: Some("$SLURM_TMPDIR".into()),
            stage: None,
        }
    }

    #[test]
    fn script_asks_for_what_its_tables_take_and_ends_in_the_program() {
        let mut tables = set(&[("KQvK", 1.0, &[]), ("KRvK", 1.0, &[]), ("KQvKR", 4000.0, &[0, 1])]);
        tables.tables[2].scratch_bytes = 5 << 30;
        let options = JobOptions { n_threads: 4, account: Some("chess lab".into()), ..JobOptions::default() };
        let of = |bundle: &Bundle| script(&tables, bundle, &command(), &options, Path::new("/t/x.log"));
        let bundled = bundles(&tables, 60.0);
        let first = of(&bundled[0]);
        assert!(first.starts_with("#!/bin/bash\n#SBATCH --job-name=ts-KRvK+1\n"), "{first}");
        assert!(
            first.contains("#SBATCH --cpus-per-task=4\n#SBATCH --mem=179M\n#SBATCH --time=20\n"),
            "{first}"
        );
        assert!(first.contains("#SBATCH '--account=chess lab'\n") && !first.contains("--tmp"), "{first}");
        assert!(first.contains("set -eu\n") && first.contains("for table in KQvK; do\n"), "{first}");
        let last = r#"exec tablesmith solve fide.toml --table KRvK --job --scratch "$SLURM_TMPDIR""#;
        assert_eq!(first.lines().last(), Some(last));
        let second = of(&bundled[1]);
        assert!(second.contains("#SBATCH --time=200\n#SBATCH --tmp=5120M\n"), "{second}");
        assert!(!second.contains("for table"), "{second}");
        let more = JobOptions { memory_percent: 200, ..options };
        assert_eq!(memory_bytes(&tables, &bundled[1], &more) >> 20, 356);
    }

    #[test]
    fn jobs_wait_for_others() {
        let jobs = ["3".to_owned(), "4".to_owned()];
        assert_eq!(Dependency::AllWell(&jobs).text().as_deref(), Some("afterok:3:4"));
        assert_eq!(Dependency::AllEnded(&jobs).text().as_deref(), Some("afterany:3:4"));
        assert_eq!(Dependency::AllWell(&[]).text(), None);
    }
}
