//! `cargo xtask`: the commands of the workbench and the developers' tasks.
fn main() {}
