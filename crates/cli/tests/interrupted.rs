//! Runs the program as others do: killed and gone on with, several at once in one folder, as the jobs of an
//! engine. Finished tables stay, no half ones are left, and the files are those of one run.

#[cfg(unix)]
mod cluster;

use std::collections::BTreeMap;
use std::fs;
#[cfg(unix)]
use std::io::Write;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Chess on four by five squares.
fn rules(folder: &Path) -> String {
    let chess = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../variants/fide.toml");
    let mut text = fs::read_to_string(chess).expect("the rules of chess");
    for (from, to) in [
        ("castling = true", "castling = false"),
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

/// The tables of a folder, by name; and what else there is but the lock and the rules.
fn tables(folder: &Path) -> (BTreeMap<String, Vec<u8>>, Vec<String>) {
    let (mut tables, mut others) = (BTreeMap::new(), Vec::new());
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".tsm") {
            tables.insert(name, fs::read(&path).expect("a file"));
        } else if ![".lock", "fide.rules.toml", ".cluster"].contains(&name.as_str()) {
            others.push(name);
        }
    }
    (tables, others)
}

/// How often a run may end before it is disturbed, on a machine that is busy with something else.
const MOST_ATTEMPTS: usize = 5;

/// How long the first tables may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run in an empty folder, disturbed when it has written this table; `disturb` returns whether it was
/// there to be disturbed. Fails if the run has always ended before.
#[track_caller]
fn disturbed(
    command: impl Fn(&Path) -> Command,
    folder: &Path,
    table: &str,
    disturb: impl Fn(&mut Child) -> bool,
) -> (PathBuf, Output) {
    for attempt in 0..MOST_ATTEMPTS {
        let out = folder.join(attempt.to_string());
        let (mut run, begun) = (command(&out).spawn().expect("it runs"), Instant::now());
        while !out.join(table).exists() && run.try_wait().expect("its state").is_none() {
            assert!(begun.elapsed() < PATIENCE, "{table} is not there after {} s", PATIENCE.as_secs());
            std::thread::sleep(Duration::from_millis(1));
        }
        let was_at_work = disturb(&mut run);
        let output = run.wait_with_output().expect("it has ended");
        if was_at_work {
            return (out, output);
        }
    }
    panic!("{MOST_ATTEMPTS} runs have ended before they were disturbed, so nothing was tested");
}

/// Whether a run is still at work.
fn is_at_work(run: &mut Child) -> bool {
    run.try_wait().expect("its state").is_none()
}

/// Lets the next run go on, which finds every table that was there.
#[track_caller]
fn check_goes_on(rules: &str, out: &Path, whole: &BTreeMap<String, Vec<u8>>) {
    let (kept, _) = tables(out);
    assert!(kept.contains_key("KQvK.tsm") && kept.len() < whole.len(), "{} tables are kept", kept.len());
    assert!(kept.iter().all(|(name, bytes)| whole[name] == *bytes), "files are whole or not there");
    let err = finished(&solve(rules, out).output().expect("it runs"));
    assert_eq!(err.matches("done already").count(), kept.len(), "{err}");
    assert!(err.contains("35 of 35 tables (100 %), "), "{err}");
    check_whole(out, whole);
}

/// Checks that a folder holds the files of an undisturbed run, and nothing else.
#[track_caller]
fn check_whole(out: &Path, whole: &BTreeMap<String, Vec<u8>>) {
    let (all, others) = tables(out);
    assert_eq!(others, [""; 0], "what a run has left");
    assert!(all.keys().eq(whole.keys()), "{:?}", all.keys());
    for (name, bytes) in &all {
        assert!(*bytes == whole[name], "{name} is not the one of a run that went through");
    }
}

/// Returns the tables of a run that is not disturbed.
#[track_caller]
fn undisturbed(rules: &str, folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let whole = folder.join("whole");
    let err = finished(&solve(rules, &whole).output().expect("it runs"));
    assert!(err.contains("35 of 35 tables (100 %), ") && !err.contains("done already"), "{err}");
    tables(&whole).0
}

#[test]
fn killed_run_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = rules(folder.path());
    let whole = undisturbed(&rules, folder.path());
    let kill = |run: &mut Child| {
        let was_at_work = is_at_work(run);
        run.kill().expect("it is killed");
        // It may have ended in between.
        was_at_work && !run.wait().expect("it has ended").success()
    };
    let (killed, _) = disturbed(|out| solve(&rules, out), folder.path(), "KBNvK.tsm", kill);
    assert!(killed.join("KBNvK.tsm").exists());
    check_goes_on(&rules, &killed, &whole);
}

/// Sends a signal to a process.
#[cfg(unix)]
#[track_caller]
fn send(signal: &str, run: &Child) {
    let sent = Command::new("kill").args(["-s", signal, &run.id().to_string()]).status();
    assert!(sent.is_ok_and(|sent| sent.success()), "SIG{signal} cannot be sent");
}

/// Ctrl-C and the other signals that end a run: it says so, and keeps what is done.
#[cfg(unix)]
#[test]
fn signals_end_a_run_with_a_sentence() {
    // The first bit of what is ignored; a run takes it over from the tests.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored =
        status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0").trim().to_owned();
    if ignored.ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']) {
        // Past the tests, which keep back what they print when they pass.
        let line = "\n*** SKIPPED: the tests run under nohup, so signals were NOT tested ***";
        drop(writeln!(std::io::stderr(), "{line}"));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let rules = rules(folder.path());
    let whole = undisturbed(&rules, folder.path());
    for signal in ["INT", "TERM", "HUP"] {
        let end = |run: &mut Child| {
            send(signal, run);
            !run.wait().expect("it has ended").success()
        };
        let place = folder.path().join(signal);
        let (out, output) = disturbed(|out| solve(&rules, out), &place, "KQvK.tsm", end);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{signal}: {err}");
        assert!(err.contains("interrupted; the tables that are finished stay: run again"), "{signal}: {err}");
        check_goes_on(&rules, &out, &whole);
    }
}

/// Under `nohup` a run goes on when its terminal is closed.
#[cfg(target_os = "linux")]
#[test]
fn hangups_that_are_ignored_end_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = rules(folder.path());
    let under_nohup = |out: &Path| {
        let command = solve(&rules, out);
        let mut nohup = Command::new("nohup");
        nohup.arg(command.get_program()).args(command.get_args());
        nohup.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        nohup
    };
    let hang_up = |run: &mut Child| {
        send("HUP", run);
        is_at_work(run)
    };
    let (_, output) = disturbed(under_nohup, folder.path(), "KQvK.tsm", hang_up);
    let err = finished(&output);
    assert!(err.contains("35 of 35 tables"), "{err}");
}

#[test]
fn runs_in_one_folder_share_the_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = rules(folder.path());
    let whole = undisturbed(&rules, folder.path());
    let out = folder.path().join("shared");
    let runs: Vec<Child> = (0..3).map(|_| solve(&rules, &out).spawn().expect("it runs")).collect();
    for run in runs {
        let err = finished(&run.wait_with_output().expect("it has ended"));
        assert!(err.contains("35 of 35 tables (100 %), "), "{err}");
    }
    check_whole(&out, &whole);
}

/// Runs that add columns to the same files: the bytes of one run after the other, and nothing is lost.
#[test]
fn runs_of_several_metrics_add_to_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = rules(folder.path());
    let [one_by_one, at_once] = ["one", "at-once"].map(|name| folder.path().join(name));
    let run = |metric: &str, out: &Path| {
        let mut command = solve(&rules, out);
        command.args(["--metric", metric]);
        command
    };
    let metrics = ["dtm", "dtz50", "dtc", "dtz"];
    for metric in metrics {
        finished(&run(metric, &one_by_one).output().expect("it runs"));
    }
    let runs = metrics.map(|metric| run(metric, &at_once).spawn().expect("it runs"));
    for run in runs {
        finished(&run.wait_with_output().expect("it ends"));
    }
    let ((expected, _), (files, others)) = (tables(&one_by_one), tables(&at_once));
    assert!(expected.len() > 10 && others.iter().all(|name| name == "small.rules.toml"), "{others:?}");
    let differ: Vec<&String> =
        expected.keys().filter(|name| files.get(*name) != expected.get(*name)).collect();
    assert!(differ.is_empty() && files.len() == expected.len(), "{differ:?}");
}

/// A file of the current folder comes before the game that is built in, as one of its folder `variants`
/// does.
#[test]
fn files_here_come_before_games_that_are_built_in() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("tables")).expect("a folder");
    let solve_as = |args: &[&str], told: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
        command.arg("solve").args(args).current_dir(folder.path()).env_remove("TABLESMITH_TABLES");
        let err = finished(&command.output().expect("it runs"));
        assert_eq!(err.lines().next(), Some(told), "{err}");
    };
    let to = Path::new("tables").join("fide").display().to_string();
    let queen = ["chess", "--table", "KQvK"];
    solve_as(&queen, &format!("fide has the rules that are built in; tables go to {to}"));
    fs::create_dir(folder.path().join("variants")).expect("a folder");
    rules(&folder.path().join("variants"));
    let small = |name: &str| folder.path().join(name);
    fs::rename(small("variants/small.toml"), small("variants/fide.toml")).expect("a file");
    fs::remove_dir_all(small("tables/fide")).expect("tables of other rules");
    let file = Path::new("variants").join("fide.toml");
    solve_as(&queen, &format!("fide has the rules of {}; tables go to {to}", file.display()));
    fs::copy(small("variants/fide.toml"), small("fide.toml")).expect("a file");
    solve_as(&queen, &format!("fide has the rules of fide.toml; tables go to {to}"));
    let position = ["--position", "k3/4/1K2/4/3Q w - - 0 1"];
    solve_as(&position, &format!("fide has the rules of fide.toml; files go to {to}"));
    solve_as(&[&position[..], &["--metric", "help"]].concat(), "fide has the rules of fide.toml");
}

/// Where no folder is named there need not be one: the games that are built in are served.
#[test]
fn games_are_served_without_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
    command
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("TABLESMITH_TABLES", folder.path().join("no-such"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = command.spawn().expect("it runs");
    let mut address = String::new();
    let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
    out.read_line(&mut address).expect("a line");
    server.kill().expect("it is killed");
    let err = String::from_utf8(server.wait_with_output().expect("it has ended").stderr).expect("text");
    assert!(address.starts_with("http://127.0.0.1:"), "{err}");
    assert!(err.starts_with("there is no folder ") && err.contains("no-such, so no table is read"), "{err}");
    assert!(err.contains("serving ") && err.contains("atomic") && err.contains("fide"), "{err}");
}

/// A search that is asked to end says what it knows, and why that is not all.
#[cfg(unix)]
#[test]
fn a_search_that_is_stopped_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
    command.args(["solve", "--position", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "--threads", "1"]);
    command.args(["--promoted", "1"]);
    command.arg("--out").arg(folder.path());
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let is_part = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|ending| ending == "part");
    let begun = Instant::now();
    while !fs::read_dir(folder.path()).expect("a folder").flatten().any(|entry| is_part(&entry)) {
        assert!(is_at_work(&mut run) && begun.elapsed() < PATIENCE, "no run has begun");
        std::thread::sleep(Duration::from_millis(10));
    }
    let id = run.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("it runs").success());
    let output = run.wait_with_output().expect("it has ended");
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(out.contains("what White gets is not known") || out.contains("White at "), "{out}{err}");
    assert!(err.contains("open: interrupted; what is solved is kept in "), "{out}{err}");
}
