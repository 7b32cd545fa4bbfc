//! Starts three nodes of a real Slurm on this machine, and kills what a test wants killed.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Starts and stops the nodes.
const TESTBED: &str = include_str!("testbed.sh");

/// The longest time that jobs may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(600);

/// Three nodes; they are stopped when this is dropped.
pub(super) struct Testbed<'a> {
    folder: &'a Path,
}

impl<'a> Testbed<'a> {
    pub(super) fn start(folder: &'a Path) -> Result<Self, String> {
        fs::write(folder.join("testbed.sh"), TESTBED).map_err(|error| error.to_string())?;
        let testbed = Testbed { folder };
        succeed(testbed.command("bash").arg(folder.join("testbed.sh")).arg("start").arg(folder))?;
        Ok(testbed)
    }

    /// A command that sees these nodes.
    pub(super) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("SLURM_CONF", self.folder.join("slurm.conf"));
        command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
        command
    }

    /// A command of the workbench.
    pub(super) fn workbench(&self, args: &[&str]) -> Result<String, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let output = succeed(self.command(program).args(args).current_dir(crate::root()))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What a command of the workbench prints, which may fail.
    pub(super) fn answer(&self, args: &[&str]) -> Result<String, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let output = self.command(program).args(args).current_dir(crate::root()).output();
        let output = output.map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Waits until no job waits or runs; `look` sees the time between.
    pub(super) fn wait(&self, look: &mut dyn FnMut() -> Result<(), String>) -> Result<(), String> {
        let begin = Instant::now();
        loop {
            look()?;
            let queue = succeed(self.command("squeue").arg("--noheader"))?;
            if queue.stdout.trim_ascii().is_empty() {
                return Ok(());
            }
            if begin.elapsed() > PATIENCE {
                let queue = String::from_utf8_lossy(&queue.stdout).into_owned();
                return Err(format!("jobs have not ended after {} s:\n{queue}", PATIENCE.as_secs()));
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Lets the nodes begin no more jobs, or begin jobs again.
    pub(super) fn set_nodes(&self, state: &str) -> Result<(), String> {
        let mut command = self.command("scontrol");
        let state = format!("State={state}");
        succeed(command.args(["update", "NodeName=n1,n2,n3", &state, "Reason=test"])).map(drop)
    }

    /// Starts the daemon of a node again.
    pub(super) fn start_node(&self, node: &str) -> Result<(), String> {
        succeed(self.command("slurmd").args(["-N", node])).map(drop)
    }

    /// Kills a node with its job as soon as it has one; the number of the job.
    pub(super) fn kill_node(&self, node: &str, begin: Instant) -> Result<String, String> {
        loop {
            let queue = succeed(self.command("squeue").args([
                "--noheader",
                "--states=RUNNING",
                "--nodelist",
                node,
                // Of an array's job the number that its processes have.
                "--format=%A",
            ]))?;
            let job = String::from_utf8_lossy(&queue.stdout).trim().to_owned();
            if !job.is_empty() {
                let pid = fs::read_to_string(self.folder.join(format!("{node}.pid")))
                    .map_err(|error| error.to_string())?;
                succeed(Command::new("kill").args(["-9", pid.trim()]))?;
                // Those of the job may have ended just now.
                let _ = Command::new("kill").arg("-9").args(processes_of(&job)).output();
                return Ok(job);
            }
            if begin.elapsed() > PATIENCE {
                return Err(format!("no job has come to {node}"));
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Drop for Testbed<'_> {
    fn drop(&mut self) {
        let mut stop = self.command("bash");
        let _ = stop.arg(self.folder.join("testbed.sh")).arg("stop").arg(self.folder).status();
    }
}

/// The processes that a job has begun, which have its number in their environment, and the one that watches
/// them.
fn processes_of(job: &str) -> Vec<String> {
    let mark = format!("SLURM_JOB_ID={job}");
    let title = format!("slurmstepd: [{job}.");
    let is_of_job = |pid: &str| {
        let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let has_mark = read("environ").split(|&byte| byte == 0).any(|word| word == mark.as_bytes());
        has_mark || read("cmdline").starts_with(title.as_bytes())
    };
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    pids.filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()) && is_of_job(pid)).collect()
}

pub(super) fn succeed(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if output.status.success() {
        return Ok(output);
    }
    let err = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} fails: {}", command.get_program().display(), err.trim()))
}
