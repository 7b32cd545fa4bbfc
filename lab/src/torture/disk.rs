//! Makes file systems without room, for runs that meet a full disk.

use anyhow::Result;
use fs_err::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::program::output;

/// The ways to a full disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Room {
    /// A small file system in memory: too small from the start, or filled up by another file during the run.
    /// It takes the rights of root on Linux.
    #[value(name = "tmpfs")]
    Mounted,
    /// A limit for the size of a file (`ulimit -f`), which every Unix has.
    #[value(name = "ulimit")]
    Limited,
}

impl Room {
    /// The better way of those that this machine has; a file system is tried in an empty folder.
    pub(super) fn best(folder: &Path) -> Option<Self> {
        match Mount::new(folder, 1 << 20) {
            Ok(_) => Some(Room::Mounted),
            Err(_) => cfg!(unix).then_some(Room::Limited),
        }
    }

    /// In words.
    pub(super) const fn text(room: Option<Self>) -> &'static str {
        match room {
            Some(Room::Mounted) => "a tmpfs that is small or is filled up during the run, and `ulimit -f`",
            Some(Room::Limited) => "`ulimit -f`, since no file system can be mounted here",
            None => "NOT TESTED, this system has no way to one",
        }
    }
}

/// A file system of limited size; it is gone when it is dropped.
pub(super) struct Mount(PathBuf);

impl Mount {
    pub(super) fn new(folder: &Path, size_bytes: u64) -> Result<Self> {
        mount(&["-t", "tmpfs", "-o", &format!("size={size_bytes}"), "tmpfs"], folder)?;
        Ok(Mount(folder.into()))
    }

    pub(super) fn resize(&self, size_bytes: u64) -> Result<()> {
        mount(&["-o", &format!("remount,size={size_bytes}")], &self.0)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        drop(output(Command::new("umount").arg("-l").arg(&self.0)));
    }
}

fn mount(args: &[&str], folder: &Path) -> Result<()> {
    output(Command::new("mount").args(args).arg(folder)).map(drop)
}

/// Takes all the room that there is.
pub(super) fn fill(path: &Path) {
    let Ok(mut file) = File::create(path) else { return };
    let mut n_bytes = 1 << 20;
    while n_bytes >= 4096 {
        if file.write_all(&vec![0; n_bytes]).is_err() {
            n_bytes /= 2;
        }
    }
}
