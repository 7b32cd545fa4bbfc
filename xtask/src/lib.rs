//! The developers' side of the workbench: the checks and chores behind `cargo xtask`.
//!
//! The commands of the workbench itself live in `cli`; what is here looks at the source tree, at what table
//! files say of themselves, and holds the rules and the solver against their judges for as long as somebody
//! likes. It is a library so that the same checks run at the desk, in continuous integration and as a test.

mod cross_check;
pub mod fuzz;
pub mod fuzz_rules;
mod longest;
pub mod task;
pub mod tidy;

use std::path::Path;

/// The root of the source tree.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package stands in the source tree")
}
