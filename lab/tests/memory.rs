//! Holds a few runs to what is estimated of their memory; `cargo xtask lab memory` does so with many.

use lab::memory::{Case, cases};
use std::path::Path;

/// Runs every case of this kind.
#[track_caller]
fn check(is_chosen: impl Fn(&Case) -> bool) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let chosen: Vec<Case> = cases(false).filter(|case| is_chosen(case)).collect();
    assert!(!chosen.is_empty(), "no such case");
    for case in chosen {
        let measured = case.measure(Path::new(env!("CARGO_BIN_EXE_lab")), folder.path());
        let measured = measured.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(measured.holds(), "{case}: {measured:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn runs_take_what_is_estimated() {
    check(|case| case.table == "KRvKN" && case.variant == "fide");
}

#[test]
#[cfg(target_os = "linux")]
fn files_of_distances_take_what_is_estimated() {
    check(|case| case.table == "KRPvK" && case.n_threads == 2);
}
