//! Checks that readers of files, FENs and rules do not panic on inputs that are nearly right: a few
//! thousand each. `cargo xtask lab fuzz` goes on for longer.

use lab::fuzz::{Options, Target, run};

/// Gives a reader a number of inputs, however long that takes. Returns what the run has reported.
#[track_caller]
fn run_all(target: Target, inputs: u64) -> Vec<String> {
    let options = Options { targets: vec![target], seconds: u64::MAX, inputs, seed: 7 };
    let mut lines = Vec::new();
    let is_well = run(&options, &mut |line| lines.push(line.to_owned())).unwrap();
    assert!(is_well, "{lines:?}");
    assert!(lines[0].starts_with(&format!("{}: {inputs} inputs from ", target.name())), "{lines:?}");
    lines
}

#[track_caller]
fn check_target(target: Target, inputs: u64) {
    let lines = run_all(target, inputs);
    // An input that is never read does not reach the code behind the checksums.
    let n_read =
        lines[0].split_once(" of them read").and_then(|(front, _)| front.rsplit(' ').next()?.parse().ok());
    assert!(n_read.is_some_and(|n_read: u64| n_read > inputs / 100), "{lines:?}");
}

#[test]
fn own_files() {
    check_target(Target::Tsm, 1_000);
}

#[test]
fn flat_files() {
    check_target(Target::Tbl, 2_000);
    check_target(Target::Tbc, 2_000);
}

#[test]
fn packed_files() {
    // Few of them are read: gzip has a checksum.
    run_all(Target::Gz, 2_000);
}

#[test]
fn syzygy_files() {
    check_target(Target::Rtbw, 1_000);
    check_target(Target::Rtbz, 1_000);
}

#[test]
fn fens() {
    check_target(Target::Fen, 20_000);
}

#[test]
fn rules() {
    check_target(Target::Toml, 1_000);
    check_target(Target::Ini, 1_000);
}
