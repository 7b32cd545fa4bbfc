//! Hands jobs to Slurm by its commands `sbatch`, `squeue` and `scancel`.
//!
//! All jobs are in arrays: one has the number `17_3`, which is that of its array and its place there. What
//! comes of a job is read from files, as Slurm forgets jobs some minutes after their end.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

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
    /// A file beside the tables cannot be read or written.
    #[error(transparent)]
    State(#[from] io::Error),
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
    /// Submits a script behind other jobs; the number of the new array.
    ///
    /// If one of the others fails, the array is cancelled and not left waiting for ever. A controller that
    /// does not answer is asked again for half a minute.
    ///
    /// # Errors
    /// There is no Slurm, or it refuses.
    pub fn submit(self, script: &Path, after: &[String]) -> Result<String, SlurmError> {
        let mut command = Command::new("sbatch");
        command.arg("--parsable").args(dependency(after)).arg(script);
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

    /// Those of these jobs that wait or run, also if another user has submitted them, with their states.
    /// Jobs that have ended are forgotten after a while, so that nothing can be said of others.
    ///
    /// # Errors
    /// There is no Slurm, or it refuses.
    pub fn living<'a>(self, jobs: impl IntoIterator<Item = &'a String>) -> Result<Living, SlurmError> {
        let jobs: BTreeSet<&str> = jobs.into_iter().map(String::as_str).collect();
        let arrays: BTreeSet<&str> = jobs.iter().filter_map(|job| job.split('_').next()).collect();
        // Asked in any case: where there is no engine this says so before anything is written.
        let selection = match arrays.is_empty() {
            true => "--me".to_owned(),
            false => format!("--jobs={}", arrays.into_iter().collect::<Vec<_>>().join(",")),
        };
        let mut command = Command::new("squeue");
        command.args(["--noheader", "--array", &selection]);
        command.args(["--states=PENDING,CONFIGURING,RUNNING,SUSPENDED,COMPLETING", "--format=%i %T %r"]);
        let answer = match output("squeue", &mut command) {
            // It was forgotten.
            Err(SlurmError::Refused { message, .. }) if message.contains("Invalid job id") => String::new(),
            answer => answer?,
        };
        let job = |line: &str| {
            let (number, state) = line.trim().split_once(' ')?;
            jobs.contains(number).then(|| (number.to_owned(), state.trim().to_owned()))
        };
        Ok(answer.lines().filter_map(job).collect())
    }

    /// The job that this process is, if it is one.
    #[must_use]
    pub fn own_job(self) -> Option<String> {
        let variable = |name: &str| std::env::var(name).ok();
        let of_array = variable("SLURM_ARRAY_JOB_ID").zip(variable("SLURM_ARRAY_TASK_ID"));
        of_array.map(|(array, place)| format!("{array}_{place}")).or_else(|| variable("SLURM_JOB_ID"))
    }

    /// Cancels jobs.
    ///
    /// # Errors
    /// There is no Slurm, or it refuses.
    pub fn cancel<'a>(self, jobs: impl IntoIterator<Item = &'a String>) -> Result<(), SlurmError> {
        let jobs: Vec<&String> = jobs.into_iter().collect();
        if jobs.is_empty() {
            return Ok(());
        }
        output("scancel", Command::new("scancel").args(jobs)).map(drop)
    }
}

/// The options of `sbatch` that let jobs wait until all of these have ended well.
fn dependency(after: &[String]) -> Vec<String> {
    if after.is_empty() {
        return Vec::new();
    }
    vec![format!("--dependency=afterok:{}", after.join(":")), "--kill-on-invalid-dep=yes".into()]
}

/// How long the controller is given before it is asked again.
const PAUSES: [Duration; 3] = [Duration::from_secs(2), Duration::from_secs(8), Duration::from_secs(20)];

/// Whether a controller that refuses so may do better when it is asked again.
fn is_passing(message: &str) -> bool {
    let passing = ["Socket timed out", "Unable to contact", "Zero Bytes", "temporarily", "try again"];
    passing.iter().any(|words| message.contains(words))
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

#[cfg(test)]
mod tests {
    use super::dependency;

    #[test]
    fn jobs_wait_for_others() {
        let jobs = ["3".to_owned(), "4_1".to_owned()];
        assert_eq!(dependency(&jobs), ["--dependency=afterok:3:4_1", "--kill-on-invalid-dep=yes"]);
        assert!(dependency(&[]).is_empty());
    }
}
