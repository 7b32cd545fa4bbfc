//! Hands jobs to Slurm by its commands `sbatch`, `squeue` and `scancel`.

use crate::command::quoted;
use crate::state::begun;
use crate::{Bundle, JobCommand, TableSet};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What a job asks the engine for, beside what its tables take.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct JobOptions {
    /// The cores of a job.
    pub n_threads: usize,
    /// The partition, if not the usual one.
    pub partition: Option<String>,
    /// The account, if not the usual one.
    pub account: Option<String>,
    /// The memory that a job asks for in hundredths of what its tables are thought to take: more where jobs
    /// were killed.
    pub memory_percent: u64,
    /// The same of its time.
    pub time_percent: u64,
    /// The most memory that a job may ask for, if there is a limit. Units: bytes.
    pub most_memory_bytes: Option<u64>,
    /// The longest time that a job may ask for, if the site has a limit. Units: minutes.
    pub most_minutes: Option<u64>,
    /// Further options of `sbatch`, such as `--qos=long`.
    pub words: Vec<String>,
    /// Lines with which a script begins, for the shell: `module load gcc`.
    pub prologue: Vec<String>,
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
    /// If one of the others fails, the job is cancelled and not left waiting for ever. A controller that
    /// does not answer is asked again for half a minute.
    ///
    /// # Errors
    /// There is no Slurm, or it refuses.
    pub fn submit(self, script: &Path, after: &Dependency<'_>) -> Result<String, SlurmError> {
        let mut command = Command::new("sbatch");
        command.arg("--parsable").args(after.words()).arg(script);
        let mut pauses = PAUSES.iter();
        let answer = loop {
            match (output("sbatch", &mut command), pauses.next()) {
                (Err(SlurmError::Refused { message, .. }), Some(&pause)) if is_passing(&message) => {
                    std::thread::sleep(pause);
                }
                (answer, _) => break answer?,
            }
        };
        // Of a federation the cluster's name follows.
        let number = answer.trim().split(';').next().unwrap_or_default().to_owned();
        if number.is_empty() {
            return Err(SlurmError::Refused { command: "sbatch", message: "it names no job".into() });
        }
        Ok(number)
    }

    /// How many jobs of this user wait or run.
    ///
    /// # Errors
    /// There is no Slurm, or it refuses.
    pub fn n_own(self) -> Result<usize, SlurmError> {
        Ok(queue("--me")?.len())
    }

    /// Those of these jobs that wait or run, whoever has submitted them, with their states. Jobs that have
    /// ended are forgotten after a while, so that nothing can be said of others.
    ///
    /// # Errors
    /// There is no Slurm, or it refuses.
    pub fn living<'a>(self, jobs: impl IntoIterator<Item = &'a String>) -> Result<Living, SlurmError> {
        let mut jobs: Vec<&str> = jobs.into_iter().map(String::as_str).collect();
        jobs.sort_unstable();
        jobs.dedup();
        let mut living = Living::new();
        for some in jobs.chunks(MOST_NAMED) {
            match queue(&format!("--jobs={}", some.join(","))) {
                // It was forgotten.
                Err(SlurmError::Refused { message, .. }) if message.contains("Invalid job id") => {}
                answer => living.extend(answer?),
            }
        }
        Ok(living)
    }

    /// The job that this process is, if it is one.
    #[must_use]
    pub fn own_job(self) -> Option<String> {
        std::env::var("SLURM_JOB_ID").ok()
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

/// How long the controller is given before it is asked again.
const PAUSES: [Duration; 3] = [Duration::from_secs(2), Duration::from_secs(8), Duration::from_secs(20)];

/// Whether a controller that refuses so may do better when it is asked again.
fn is_passing(message: &str) -> bool {
    let passing = ["Socket timed out", "Unable to contact", "Zero Bytes", "temporarily", "try again"];
    passing.iter().any(|words| message.contains(words))
}

/// So many jobs are named in one command.
const MOST_NAMED: usize = 5000;

/// The jobs that wait or run and that this option selects.
fn queue(selection: &str) -> Result<Living, SlurmError> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", selection]);
    command.args(["--states=PENDING,CONFIGURING,RUNNING,SUSPENDED,COMPLETING", "--format=%i %T %r"]);
    let answer = output("squeue", &mut command)?;
    let job = |line: &str| {
        let (number, state) = line.trim().split_once(' ')?;
        Some((number.to_owned(), state.trim().to_owned()))
    };
    Ok(answer.lines().filter_map(job).collect())
}

/// What has to happen before a job begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependency<'a> {
    /// These jobs have ended, all of them well.
    AllWell(&'a [String]),
    /// These jobs have ended, however.
    AllEnded(&'a [String]),
    /// So much time has passed. Units: minutes.
    Minutes(u64),
}

impl Dependency<'_> {
    /// The options of `sbatch`.
    fn words(&self) -> Vec<String> {
        let (kind, jobs) = match self {
            Dependency::AllWell(jobs) => ("afterok", jobs),
            Dependency::AllEnded(jobs) => ("afterany", jobs),
            Dependency::Minutes(minutes) => return vec![format!("--begin=now+{minutes}minutes")],
        };
        if jobs.is_empty() {
            return Vec::new();
        }
        vec![format!("--dependency={kind}:{}", jobs.join(":")), "--kill-on-invalid-dep=yes".into()]
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

/// The memory that a job asks for whose tables are thought to take so much: an estimate may be a seventh
/// too low.
///
/// Units: bytes.
#[must_use]
pub fn asked_bytes(memory_bytes: u64) -> u64 {
    memory_bytes + memory_bytes / 7 + LEAST_BYTES
}

/// What tables may be thought to take so that a job asks for no more than so much.
///
/// Units: bytes.
#[must_use]
pub fn planned_bytes(most_bytes: u64) -> u64 {
    most_bytes.saturating_sub(LEAST_BYTES) / 8 * 7
}

/// The memory that a bundle asks for.
///
/// Units: bytes.
#[must_use]
pub fn memory_bytes(set: &TableSet, bundle: &Bundle, options: &JobOptions) -> u64 {
    let (memory_bytes, _) = bundle.most_bytes(set);
    options.memory(asked_bytes(memory_bytes))
}

impl JobOptions {
    /// So much memory, or more if more is asked for, up to the limit; in whole megabytes, as Slurm has it.
    fn memory(&self, bytes: u64) -> u64 {
        let megabytes = (bytes.saturating_mul(self.memory_percent.max(100)) / 100).div_ceil(1 << 20);
        megabytes.min(self.most_memory_bytes.unwrap_or(u64::MAX) >> 20) << 20
    }

    /// The same of time, whatever the limit is.
    fn minutes(&self, minutes: u64) -> u64 {
        minutes.max(LEAST_MINUTES).saturating_mul(self.time_percent.max(100)) / 100
    }
}

/// The time that a bundle would ask for if the site had no limit, where it is above the limit.
///
/// Units: minutes.
#[must_use]
pub fn cut_minutes(set: &TableSet, bundle: &Bundle, options: &JobOptions) -> Option<u64> {
    let minutes = options.minutes(bundle_minutes(set, bundle));
    options.most_minutes.is_some_and(|most| minutes > most).then_some(minutes)
}

fn bundle_minutes(set: &TableSet, bundle: &Bundle) -> u64 {
    (bundle.seconds(set) * TIME_FACTOR / 60.0).ceil() as u64
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
    let (table_bytes, scratch_bytes) = bundle.most_bytes(set);
    // Without folders of the node's own all of it lies beside the tables.
    let scratch_bytes = command.scratch.as_ref().map_or(0, |_| scratch_bytes);
    let input_bytes = command.stage.as_ref().map_or(0, |_| bundle.input_bytes(set));
    let asked = JobResources {
        memory_bytes: memory_bytes(set, bundle, options),
        disk_bytes: scratch_bytes + input_bytes,
        minutes: options.minutes(bundle_minutes(set, bundle)),
        n_threads: options.n_threads,
    };
    let mut text = asked.head(&bundle.name(set), options, log);
    let (last, others) =
        bundle.tables.split_last().map_or((None, &[][..]), |(last, others)| (Some(*last), others));
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|&at| set.tables[at].name.as_str()).collect();
        let one = command.of_table("\"$table\"", table_bytes);
        text += &format!("for table in {}; do\n  {one}\ndone\n", names.join(" "));
    }
    if let Some(last) = last {
        text += &format!("exec {}\n", command.of_table(&quoted(&set.tables[last].name), table_bytes));
    }
    text
}

/// The script of a job that makes no table: these commands, one after the other.
#[must_use]
pub fn plain_script(
    name: &str,
    commands: &[String],
    (memory_bytes, minutes, n_threads): (u64, u64, usize),
    options: &JobOptions,
    log: &Path,
) -> String {
    let (memory_bytes, minutes) = (options.memory(memory_bytes), options.minutes(minutes));
    let asked = JobResources { memory_bytes, disk_bytes: 0, minutes, n_threads };
    asked.head(name, options, log)
        + &commands.iter().map(|command| format!("{command}\n")).collect::<String>()
}

/// What a job asks the engine for.
struct JobResources {
    memory_bytes: u64,
    /// On a disk of the node.
    disk_bytes: u64,
    minutes: u64,
    n_threads: usize,
}

impl JobResources {
    /// What a script begins with.
    fn head(&self, name: &str, options: &JobOptions, log: &Path) -> String {
        let minutes = self.minutes.min(options.most_minutes.unwrap_or(u64::MAX));
        let mut asked = vec![
            format!("--job-name=ts-{name}"),
            // What follows a percent sign is filled in.
            format!("--output={}", log.display().to_string().replace('%', "%%")),
            "--open-mode=append".into(),
            "--requeue".into(),
            "--nodes=1".into(),
            "--ntasks=1".into(),
            format!("--cpus-per-task={}", self.n_threads.max(1)),
            format!("--mem={}M", self.memory_bytes >> 20),
            format!("--time={minutes}"),
        ];
        if self.disk_bytes > 0 {
            asked.push(format!("--tmp={}M", self.disk_bytes.div_ceil(1 << 20)));
        }
        asked.extend(options.partition.iter().map(|partition| format!("--partition={partition}")));
        asked.extend(options.account.iter().map(|account| format!("--account={account}")));
        asked.extend(options.words.iter().cloned());
        let asked: String = asked.iter().map(|asked| format!("#SBATCH {}\n", quoted(asked))).collect();
        let prologue: String = options.prologue.iter().map(|line| format!("{line}\n")).collect();
        let begun = begun("${SLURM_JOB_ID:-none}");
        format!(
            "#!/bin/bash\n{asked}\
             echo \"$(date '+%F %T') $(hostname){begun}${{SLURM_RESTART_COUNT:-0}}\"\n{prologue}set -eu\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Dependency, JobOptions, asked_bytes, cut_minutes, memory_bytes, plain_script, planned_bytes, script,
    };
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
        let last = r#"exec tablesmith solve fide.toml --table KRvK --job --memory 104857600 --scratch "$SLURM_TMPDIR""#;
        assert_eq!(first.lines().last(), Some(last));
        let second = of(&bundled[1]);
        assert!(second.contains("#SBATCH --time=200\n#SBATCH --tmp=5120M\n"), "{second}");
        assert!(!second.contains("for table"), "{second}");
        let more = JobOptions { memory_percent: 200, ..options };
        assert_eq!(memory_bytes(&tables, &bundled[1], &more) >> 20, 357);
    }

    #[test]
    fn node_needs_a_disk_for_what_goes_there() {
        let mut tables = set(&[("KQvK", 1.0, &[]), ("KRvK", 1.0, &[]), ("KQvKR", 4000.0, &[0, 1])]);
        tables.tables[2].scratch_bytes = 5 << 30;
        let job = &bundles(&tables, 0.0)[2];
        let folder = |name: &str| Some(name.to_owned());
        for (scratch, stage, asked) in [
            (None, None, None),
            (folder("$TMP"), None, Some("--tmp=5120M")),
            (None, folder("$TMP"), Some("--tmp=6M")),
            (folder("$TMP"), folder("$TMP"), Some("--tmp=5126M")),
        ] {
            let command = JobCommand { scratch, stage, ..command() };
            let text = script(&tables, job, &command, &JobOptions::default(), Path::new("/t/x.log"));
            let tmp =
                text.lines().find_map(|line| line.strip_prefix("#SBATCH ").filter(|l| l.contains("tmp")));
            assert_eq!(tmp, asked, "{text}");
        }
    }

    #[test]
    fn limits_of_the_site_are_kept() {
        let tables = set(&[("KQvK", 9000.0, &[])]);
        let job = &bundles(&tables, 0.0)[0];
        let asks = |options: &JobOptions| {
            let text = script(&tables, job, &command(), options, Path::new("/t/50%.log"));
            let of =
                |name: &str| text.lines().find_map(|line| line.split_once(name)).expect(name).1.to_owned();
            (of("--mem="), of("--time="), of("--output="))
        };
        let free = JobOptions { memory_percent: 300, time_percent: 200, ..JobOptions::default() };
        assert_eq!(asks(&free), ("535M".into(), "900".into(), "/t/50%%.log".into()));
        assert_eq!(cut_minutes(&tables, job, &free), None);
        let bound =
            JobOptions { most_memory_bytes: Some(200 << 20), most_minutes: Some(600), ..free.clone() };
        assert_eq!(asks(&bound), ("200M".into(), "600".into(), "/t/50%%.log".into()));
        assert_eq!(cut_minutes(&tables, job, &bound), Some(900));
        for most_bytes in [65 << 20, 1 << 30, 60 << 30, 12_345_678_901] {
            assert!(asked_bytes(planned_bytes(most_bytes)) <= most_bytes);
            assert!(asked_bytes(planned_bytes(most_bytes)) + 100 > most_bytes);
        }
    }

    #[test]
    fn scripts_have_the_words_of_the_site() {
        let options = JobOptions {
            words: vec!["--qos=long".into(), "--constraint=a b".into()],
            prologue: vec!["module load gcc".into()],
            ..JobOptions::default()
        };
        let commands = ["one".to_owned(), "two".to_owned()];
        let text = plain_script("finish", &commands, (1 << 30, 5, 3), &options, Path::new("/t/x.log"));
        assert!(text.contains("#SBATCH --qos=long\n#SBATCH '--constraint=a b'\n"), "{text}");
        assert!(
            text.contains("#SBATCH --cpus-per-task=3\n#SBATCH --mem=1024M\n#SBATCH --time=20\n"),
            "{text}"
        );
        assert!(text.ends_with("\nmodule load gcc\nset -eu\none\ntwo\n"), "{text}");
    }

    #[test]
    fn jobs_wait_for_others() {
        let jobs = ["3".to_owned(), "4".to_owned()];
        let kill = "--kill-on-invalid-dep=yes";
        assert_eq!(Dependency::AllWell(&jobs).words(), ["--dependency=afterok:3:4", kill]);
        assert_eq!(Dependency::AllEnded(&jobs).words(), ["--dependency=afterany:3:4", kill]);
        assert!(Dependency::AllWell(&[]).words().is_empty());
        assert_eq!(Dependency::Minutes(10).words(), ["--begin=now+10minutes"]);
    }
}
