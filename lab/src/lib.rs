//! Runs the experiments of the laboratory, behind `cargo xtask lab`.
//!
//! They compare the rules, the solver and its files with their judges for as long as one likes, disturb runs
//! and damage files to see that nothing is lost, and measure. README.md says what each of them proves and how
//! long it takes. This is a library so that tests run the experiments too, with little of each.

mod architectures;
mod cross_check;
pub mod experiment;
pub mod fuzz;
pub mod fuzz_rules;
mod longest;
pub mod memory;
mod published_list;
mod published_number;
mod strategies;
mod studies;
pub mod torture;
mod whole_table;
