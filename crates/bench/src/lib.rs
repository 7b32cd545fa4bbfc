//! Benchmarks of all crates.
