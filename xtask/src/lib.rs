//! Runs the developers' checks and chores behind `cargo xtask`.
//!
//! The commands of the workbench itself live in `cli`. The tasks here check the source tree and the
//! statistics in table files, compare the rules and the solver with their judges for as long as somebody
//! likes, and disturb runs and damage files to see that nothing is lost. This is a library so that the same
//! checks run at the desk, in continuous integration and as a test.

mod architectures;
pub mod browser;
mod c;
mod cross_check;
pub mod fuzz;
pub mod fuzz_rules;
mod interpreter;
mod longest;
pub mod memory;
pub mod oracle;
mod perft;
mod program;
mod published_list;
mod published_number;
mod python;
pub mod slurm;
mod strategies;
mod studies;
pub mod task;
pub mod tidy;
pub mod torture;
mod whole_table;

use std::path::Path;

/// The root of the source tree.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package stands in the source tree")
}
