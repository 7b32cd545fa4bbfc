//! Starts the commands as processes of their own, whose output goes into files.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A command that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often a process is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(1);

/// Sets the largest file that a command may write, in blocks of 512 bytes, and has a larger one refused
/// instead of killing the command.
const LIMITED: &str = "trap '' XFSZ; ulimit -f \"$0\" && exec \"$@\"";

/// The program with the commands.
#[derive(Debug)]
pub(super) struct Program(pub(super) PathBuf);

/// A command at work; it is killed when it is dropped.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    begun: Instant,
    /// What it says to the standard output, and about errors.
    said: [File; 2],
}

/// A command that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// None if a signal has ended it.
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
    is_late: bool,
}

impl Program {
    /// Starts a command.
    pub(super) fn start(&self, args: &[String]) -> Result<Running> {
        Running::new(Command::new(&self.0).args(args).stdin(Stdio::null()))
    }

    /// Starts a command that can write no file of more than `most_bytes` bytes.
    pub(super) fn start_limited(&self, args: &[String], most_bytes: u64) -> Result<Running> {
        let limit = (most_bytes / 512).to_string();
        let mut command = Command::new("sh");
        command.args(["-c", LIMITED, &limit]).arg(&self.0).args(args);
        Running::new(command.stdin(Stdio::null()))
    }

    /// Runs a command that reads a file as its input.
    pub(super) fn run_with(&self, args: &[String], input: &Path) -> Result<Ended> {
        let input = fs_err::File::open(input)?.into_file();
        Running::new(Command::new(&self.0).args(args).stdin(input))?.wait()
    }
}

impl Running {
    fn new(command: &mut Command) -> Result<Self> {
        let said = [tempfile::tempfile()?, tempfile::tempfile()?];
        command.stdout(said[0].try_clone()?).stderr(said[1].try_clone()?);
        let child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
        Ok(Running { child, begun: Instant::now(), said })
    }

    /// Whether it has ended by itself.
    pub(super) fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Kills it (SIGKILL); returns whether it was still at work.
    pub(super) fn kill(mut self) -> Result<(bool, Ended)> {
        let was_at_work = !self.has_ended()?;
        // A command that ends between the question and the kill ends as if it had not been disturbed.
        drop(self.child.kill());
        let ended = self.wait()?;
        Ok((was_at_work && ended.code.is_none_or(|code| cfg!(not(unix)) && code == 1), ended))
    }

    /// Waits for its end.
    pub(super) fn wait(mut self) -> Result<Ended> {
        while !self.has_ended()? && self.begun.elapsed() < PATIENCE {
            std::thread::sleep(PAUSE);
        }
        let is_late = !self.has_ended()?;
        if is_late {
            drop(self.child.kill());
        }
        let code = self.child.wait()?.code();
        let text = |file: &mut File| {
            let mut bytes = Vec::new();
            file.rewind().and_then(|()| file.read_to_end(&mut bytes))?;
            anyhow::Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let [out, err] = &mut self.said;
        let (out, err) = (text(out)?, text(err)?);
        Ok(Ended { code, out, err, is_late })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Ended {
    /// What no command may do, whatever it is given.
    pub(super) fn fault(&self) -> Option<String> {
        let fault = match self.code {
            _ if self.is_late => format!("has not ended after {} s", PATIENCE.as_secs()),
            _ if self.err.contains("panicked at") => "has panicked".to_owned(),
            None => "was ended by a signal".to_owned(),
            Some(0 | 1) => return None,
            Some(2) if !self.err.trim().is_empty() => return None,
            Some(2) => "says nothing about its error".to_owned(),
            Some(code) => format!("has the exit code {code}"),
        };
        Some(format!("{fault}: {}", self.last_words()))
    }

    /// The end of what it has said about itself.
    pub(super) fn last_words(&self) -> String {
        let lines: Vec<&str> = self.err.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(4)..].join(" | ")
    }
}
