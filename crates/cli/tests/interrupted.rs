//! Kills a run: finished tables stay, no half ones are left, and the next run goes on from there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Chess on four by five squares.
fn rules(folder: &Path) -> String {
    let chess = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../variants/fide.toml");
    let mut text = fs::read_to_string(chess).expect("the rules of chess");
    for (from, to) in [
        ("files = 8", "files = 4"),
        ("\nranks = 8", "\nranks = 5"),
        ("promotion-rank = 8", "promotion-rank = 5"),
    ] {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    let path = folder.join("small.toml");
    fs::write(&path, text).expect("the rules are written");
    path.to_str().expect("plain text").to_owned()
}

fn solve(rules: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
    command.args(["solve", rules, "--men", "4", "--threads", "1", "--out"]).arg(out);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn finished(output: &Output) -> String {
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{err}");
    err
}

/// The tables of a folder, by name; and whether there is anything else but the lock and the rules.
fn tables(folder: &Path) -> (BTreeMap<String, Vec<u8>>, bool) {
    let (mut tables, mut is_clean) = (BTreeMap::new(), true);
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".tsm") {
            tables.insert(name, fs::read(&path).expect("a file"));
        } else {
            is_clean &= name == ".lock" || name == "fide.rules.toml";
        }
    }
    (tables, is_clean)
}

#[test]
fn killed_run_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = rules(folder.path());
    let whole = folder.path().join("whole");
    let err = finished(&solve(&rules, &whole).output().expect("it runs"));
    assert!(err.contains("35 of 35 tables (100 %), ") && !err.contains("done already"), "{err}");

    let killed = folder.path().join("killed");
    let mut run = solve(&rules, &killed).spawn().expect("it runs");
    let begun = Instant::now();
    while !killed.join("KBNvK.tsm").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    run.kill().expect("it is killed");
    run.wait().expect("it has ended");
    let (kept, _) = tables(&killed);
    assert!(kept.contains_key("KBNvK.tsm"));

    let err = finished(&solve(&rules, &killed).output().expect("it runs"));
    let n_found = err.matches("done already").count();
    assert_eq!(n_found, kept.len(), "{err}");
    assert!(err.contains("35 of 35 tables (100 %), "), "{err}");
    let (all, is_clean) = tables(&killed);
    assert!(is_clean && all == tables(&whole).0, "the files are those of a run that was not killed");
}

/// A run that is ended by a signal says so.
#[cfg(unix)]
#[test]
fn signals_end_a_run_with_a_sentence() {
    // The first bit of what is ignored; a run takes it over from the tests.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored =
        status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0").trim().to_owned();
    if ignored.ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']) {
        eprintln!("skipped: the tests run under nohup");
        return;
    }
    for signal in ["INT", "TERM", "HUP"] {
        let folder = tempfile::tempdir().expect("a folder");
        let (rules, out) = (rules(folder.path()), folder.path().join("out"));
        let run = solve(&rules, &out).spawn().expect("it runs");
        await_table(&out);
        let sent = Command::new("kill").args(["-s", signal, &run.id().to_string()]).status();
        assert!(sent.is_ok_and(|sent| sent.success()), "the run ended before the signal");
        let output = run.wait_with_output().expect("it has ended");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{signal}: {err}");
        assert!(err.contains("interrupted; the tables that are finished stay: run again"), "{signal}: {err}");
    }
}

/// Under `nohup` a run goes on when its terminal is closed.
#[cfg(target_os = "linux")]
#[test]
fn hangups_that_are_ignored_end_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rules, out) = (rules(folder.path()), folder.path().join("out"));
    let mut nohup = Command::new("nohup");
    nohup.arg(env!("CARGO_BIN_EXE_tablesmith")).args([
        "solve",
        &rules,
        "--men",
        "4",
        "--threads",
        "1",
        "--out",
    ]);
    nohup.arg(&out).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = nohup.spawn().expect("it runs");
    await_table(&out);
    let sent = Command::new("kill").args(["-s", "HUP", &run.id().to_string()]).status();
    assert!(sent.is_ok_and(|sent| sent.success()), "the run ended before the signal");
    let err = finished(&run.wait_with_output().expect("it has ended"));
    assert!(err.contains("35 of 35 tables"), "{err}");
}

/// Waits until a run has begun.
#[cfg(unix)]
fn await_table(out: &Path) {
    let begun = Instant::now();
    while !out.join("KQvK.tsm").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
}
