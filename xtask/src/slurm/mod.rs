//! Runs `cargo xtask slurm`: builds a set on three nodes of a real Slurm on this machine, kills one of them
//! in the middle, and compares the files with those of one machine.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Starts and stops the nodes.
const TESTBED: &str = include_str!("testbed.sh");

/// The programs that have to be here.
const PROGRAMS: [&str; 5] = ["slurmctld", "slurmd", "munged", "sbatch", "squeue"];

/// The longest time that the set may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Builds the set on three nodes, one of which is killed; returns whether all is well. Without Slurm
/// nothing is tested, which is said.
///
/// # Errors
/// Slurm is here and cannot be started, or the set is not finished in time.
pub fn run(report: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let missing: Vec<&str> = PROGRAMS.into_iter().filter(|program| !is_here(program)).collect();
    if !missing.is_empty() {
        report(&format!(
            "slurm: NOT TESTED, {} are not here; Debian has them in slurm-wlm and munge",
            missing.join(", ")
        ));
        return Ok(true);
    }
    let folder = std::env::temp_dir().join(format!("tablesmith-slurm-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let result = Testbed::start(&folder).and_then(|testbed| testbed.compare(report));
    let _ = fs::remove_dir_all(&folder);
    result
}

fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let more = [PathBuf::from("/usr/sbin"), PathBuf::from("/sbin")];
    std::env::split_paths(&path).chain(more).any(|folder| folder.join(program).is_file())
}

/// Three nodes; they are stopped when this is dropped.
struct Testbed<'a> {
    folder: &'a Path,
}

impl<'a> Testbed<'a> {
    fn start(folder: &'a Path) -> Result<Self, String> {
        fs::write(folder.join("testbed.sh"), TESTBED).map_err(|error| error.to_string())?;
        let testbed = Testbed { folder };
        succeed(testbed.command("bash").arg(folder.join("testbed.sh")).arg("start").arg(folder))?;
        Ok(testbed)
    }

    /// A command that sees these nodes.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("SLURM_CONF", self.folder.join("slurm.conf"));
        command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
        command
    }

    /// A command of the workbench.
    fn workbench(&self, args: &[&str]) -> Result<String, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let output = succeed(self.command(program).args(args).current_dir(crate::root()))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn compare(&self, report: &mut dyn FnMut(&str)) -> Result<bool, String> {
        let place = |name: &str| self.folder.join(name).display().to_string();
        let (one, many, rules) = (place("one"), place("many"), "variants/fide.toml");
        let set = ["--men", "4", "--metric", "wdl,dtz50"];
        // Jobs of some seconds, so that there is something to kill.
        let jobs = ["--tables", &many, "--threads", "1", "--rate", "1000000", "--bundle", "0.1"];
        report(self.workbench(&[&["cluster", "submit", rules], &set[..], &jobs].concat())?.trim_end());
        let begin = Instant::now();
        let killed = self.kill_node("n2", begin)?;
        report(&format!("killed node n2 with job {killed} after {} s", begin.elapsed().as_secs()));
        let mut last = String::new();
        loop {
            let status = self.workbench(&["cluster", "status", "--tables", &many])?;
            let first = status.lines().next().unwrap_or_default().to_owned();
            if first != last {
                report(&first);
                last = first;
            }
            let queue = succeed(self.command("squeue").arg("--noheader"))?;
            if last.contains("35 done") && queue.stdout.trim_ascii().is_empty() {
                break;
            }
            if begin.elapsed() > PATIENCE {
                return Err(format!("the set is not finished after {} s: {last}", PATIENCE.as_secs()));
            }
            std::thread::sleep(Duration::from_secs(2));
        }
        report(&format!("done after {} s", begin.elapsed().as_secs()));
        report(self.workbench(&["cluster", "audit", "--tables", &many])?.trim_end());
        self.workbench(&[&["solve", rules, "--out", &one], &set[..]].concat())?;
        let (one, many) = (files(Path::new(&one))?, files(Path::new(&many))?);
        let n_different = one.iter().filter(|(name, bytes)| many.get(*name) != Some(bytes)).count();
        report(&format!("{} files of one machine, {n_different} of them different", one.len()));
        Ok(one.len() == 70 && n_different == 0 && many.len() == one.len())
    }

    /// Kills a node with its job as soon as it has one; the number of the job.
    fn kill_node(&self, node: &str, begin: Instant) -> Result<String, String> {
        loop {
            let queue = succeed(self.command("squeue").args([
                "--noheader",
                "--states=RUNNING",
                "--nodelist",
                node,
                "--format=%i",
            ]))?;
            let job = String::from_utf8_lossy(&queue.stdout).trim().to_owned();
            if !job.is_empty() {
                let pid = fs::read_to_string(self.folder.join(format!("{node}.pid")))
                    .map_err(|error| error.to_string())?;
                let mut victims = vec![pid.trim().to_owned()];
                victims.extend(processes_of(&job));
                succeed(Command::new("kill").arg("-9").args(&victims))?;
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

/// The tables of a folder.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let text = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(text)? {
        let path = entry.map_err(text)?.path();
        if path.extension().is_some_and(|extension| extension == "tsm") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.insert(name, fs::read(&path).map_err(text)?);
        }
    }
    Ok(files)
}

fn succeed(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if output.status.success() {
        return Ok(output);
    }
    let err = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} fails: {}", command.get_program().display(), err.trim()))
}
