//! Runs `cargo xtask slurm`: builds a set on three nodes of a real Slurm on this machine, of which one dies
//! in the middle, and compares the files with those of one machine.
//!
//! What is done stands in `xtask/slurm/set.py`. Without Slurm, or without the rights of root, nothing is
//! tested, which is said.

use crate::program::{find, is_yes, output};
use crate::root;
use anyhow::Result;
use std::process::Command;

/// The programs that have to be here.
const PROGRAMS: [&str; 7] = ["slurmctld", "slurmd", "munged", "sbatch", "squeue", "scontrol", "python3"];

/// Does all of it; returns whether all is well.
///
/// # Errors
/// The test cannot be begun.
pub(crate) fn run() -> Result<bool> {
    let missing: Vec<&str> = PROGRAMS.into_iter().filter(|program| find(&[program]).is_none()).collect();
    if !missing.is_empty() {
        println!(
            "slurm: NOT TESTED, {} not here; Debian has them in slurm-wlm and munge",
            missing.join(", ")
        );
        return Ok(true);
    }
    if output(Command::new("id").arg("-u"))?.trim() != "0" {
        println!("slurm: NOT TESTED, the daemons of nodes want root");
        return Ok(true);
    }
    let folder = std::env::temp_dir().join(format!("tablesmith-slurm-{}", std::process::id()));
    fs_err::create_dir_all(&folder)?;
    let mut test = Command::new("python3");
    test.args([&root().join("xtask/slurm/set.py"), &std::env::current_exe()?, &folder]);
    let is_well = is_yes(test.current_dir(root()));
    fs_err::remove_dir_all(&folder)?;
    is_well
}
