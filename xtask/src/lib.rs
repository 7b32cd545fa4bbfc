//! Runs the developers' checks and chores behind `cargo xtask`.
//!
//! The commands of the workbench itself live in `cli`. The tasks here check the source tree,
//! compare whole tables and counts of games with their judges, and test what needs programs of others. What
//! goes on for as long as one likes is the laboratory, `lab/`. This is a library so that checks run at the
//! desk, in continuous integration and as a test.

mod browser;
mod c;
pub mod interpreter;
pub mod oracle;
mod perft;
pub mod program;
mod python;
mod slurm;
pub mod task;
pub mod tidy;

use std::path::Path;

/// The root of the source tree.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package stands in the source tree")
}
