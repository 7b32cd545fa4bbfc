//! Runs the program as others do: killed and gone on with, several at once in one folder, as the jobs of an
//! engine. Finished tables stay, no half ones are left, and the files are those of one run.

use std::collections::BTreeMap;
use std::fs;
#[cfg(unix)]
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
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
            is_clean &= [".lock", "fide.rules.toml", ".cluster"].contains(&name.as_str());
        }
    }
    (tables, is_clean)
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
    let (all, is_clean) = tables(out);
    assert!(is_clean && all == *whole, "the files are those of a run that was not disturbed");
}

/// The tables of a run that nobody disturbs.
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
    let (all, is_clean) = tables(&out);
    assert!(is_clean && all == whole, "the files are those of one run");
}

/// Puts an engine into a folder that begins each job when it is submitted, unless one has failed that it is
/// to follow, and keeps the numbers of jobs.
#[cfg(unix)]
fn engine(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let engine = folder.join("engine");
    fs::create_dir(&engine).expect("a folder");
    let sbatch = r#"#!/bin/bash
here=$(dirname "$0"); number=$(($(cat "$here/number" 2>/dev/null || echo 0) + 1)); echo $number > "$here/number"
echo "$number $*" >> "$here/submitted"
script=${@: -1}; log=$(sed -n "s/^#SBATCH --output=//p" "$script")
for word in "$@"; do
    IFS=:; for after in ${word#--dependency=afterok}; do
        [ -f "$here/failed-$after" ] && touch "$here/failed-$number"
    done; unset IFS
done
if [ ! -f "$here/dead" ] && [ ! -f "$here/failed-$number" ]; then
    SLURM_JOB_ID=$number bash "$script" >> "$log" 2>&1 || touch "$here/failed-$number"
fi
echo $number
"#;
    for (name, text) in [("sbatch", sbatch), ("squeue", "#!/bin/bash\n"), ("scancel", "#!/bin/bash\n")] {
        let path = engine.join(name);
        fs::write(&path, text).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    }
    engine
}

#[cfg(unix)]
fn cluster(engine: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
    let path = format!("{}:{}", engine.display(), std::env::var("PATH").unwrap_or_default());
    command.arg("cluster").args(args).env("PATH", path).stdin(Stdio::null());
    command.output().expect("it runs")
}

/// The whole way of a set over an engine: submitted, made, finished, and what is damaged made again.
#[cfg(unix)]
#[test]
fn jobs_of_an_engine_make_the_files_of_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rules, engine) = (rules(folder.path()), engine(folder.path()));
    let whole = undisturbed(&rules, folder.path());
    let out = folder.path().join("tables");
    let out_text = out.to_str().expect("plain text");
    let words = ["submit", &rules, "--men", "4", "--tables", out_text, "--threads", "1"];
    let submit = [&words[..], &["--rate", "100000", "--bundle", "0.01"]].concat();
    let dry = cluster(&engine, &[&submit[..], &["--dry-run"]].concat());
    let scripts = String::from_utf8_lossy(&dry.stdout).into_owned();
    assert!(scripts.contains("#SBATCH --cpus-per-task=1\n") && !out.exists(), "{scripts}");

    // Jobs that die without a word are seen, and submitted again.
    fs::write(engine.join("dead"), "").expect("a file");
    finished(&cluster(&engine, &submit));
    let status = cluster(&engine, &["status", "--tables", out_text]);
    let told = String::from_utf8_lossy(&status.stdout).into_owned();
    assert_eq!(status.status.code(), Some(1), "{told}");
    assert!(
        told.starts_with("35 tables: 0 done, 0 running, 0 waiting, 35 failed, 0 not submitted\n"),
        "{told}"
    );
    assert!(
        told.contains("job 1 ended without a word; it had asked for ") && told.contains("resubmit"),
        "{told}"
    );
    fs::remove_file(engine.join("dead")).expect("the file");
    finished(&cluster(&engine, &["resubmit", "--tables", out_text, "--more-memory", "1.5"]));

    let err = finished(&cluster(&engine, &["status", "--tables", out_text]));
    assert_eq!(err, "");
    let audit = cluster(&engine, &["audit", "--tables", out_text]);
    let told = String::from_utf8_lossy(&audit.stdout).into_owned();
    assert!(
        told.starts_with("35 files compared, ") && told.ends_with(" derived again, 0 faults\n"),
        "{told}"
    );
    let files = |out: &Path| {
        let mut files = tables(out).0;
        files.retain(|name, _| name.ends_with(".tsm"));
        files
    };
    assert!(files(&out) == whole, "the files are those of one run");
    let submitted = fs::read_to_string(engine.join("submitted")).expect("jobs");
    assert!(submitted.contains("--dependency=afterok:"), "{submitted}");

    // A table that is damaged is found, here and by jobs, and only it is made again.
    fs::write(out.join("KQvKR.tsm"), &whole["KQvKR.tsm"][..4000]).expect("a file");
    let audit = cluster(&engine, &["audit", "--tables", out_text, "--sample", "0"]);
    let told = String::from_utf8_lossy(&audit.stdout).into_owned();
    assert!(audit.status.code() == Some(1) && told.contains("KQvKR.tsm"), "{told}");
    let words = ["audit", "--tables", out_text, "--sample", "500", "--jobs", "3"];
    finished(&cluster(&engine, &words));
    let status = cluster(&engine, &["status", "--tables", out_text]);
    let told = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.status.code() == Some(1) && told.contains("audit: 3 of 3 parts done, 35 files"), "{told}");
    assert!(told.contains(", 1 fault\n") && told.contains("KQvKR.tsm"), "{told}");
    let stage = folder.path().join("stage");
    let staged = [&submit[..], &["--stage", stage.to_str().expect("plain text")]].concat();
    let err = finished(&cluster(&engine, &staged));
    assert!(err.contains("35 tables of dtm: 34 done, 1 to be made by 1 job\n"), "{err}");
    assert!(files(&out) == whole, "the files are those of one run");
    let copies: Vec<String> = tables(&stage).0.into_keys().collect();
    assert_eq!(copies, ["KQvK.tsm", "KRvK.tsm"]);
    let err = finished(&cluster(&engine, &submit));
    assert!(err.contains("35 done, 0 to be made"), "{err}");

    // What a job reads and finds damaged, it names and makes again.
    let mut damaged = whole["KQvK.tsm"].clone();
    // In what it says with either side to move.
    let blocks = u64::from_le_bytes(damaged[80..88].try_into().expect("eight bytes")) as usize;
    for at in [blocks + 20, damaged.len() - 20] {
        damaged[at] ^= 1;
    }
    let log = out.join(".cluster/logs/KQvKR.log");
    fs::remove_dir_all(&stage).expect("the folder");
    for submit in [&submit, &staged] {
        fs::write(out.join("KQvK.tsm"), &damaged).expect("a file");
        fs::remove_file(out.join("KQvKR.tsm")).expect("the file");
        fs::remove_file(&log).expect("a log");
        finished(&cluster(&engine, submit));
        let told = fs::read_to_string(&log).expect("a log");
        assert!(told.contains(&format!("{out_text}/KQvK.tsm is damaged in block")), "{told}");
        assert!(files(&out) == whole, "the files are those of one run");
    }
}

/// The graph of a plan, run by `make` where it is there.
#[cfg(unix)]
#[test]
fn make_builds_the_files_of_one_run() {
    let has_make = Command::new("make").arg("--version").output().is_ok();
    if !has_make {
        eprintln!("make is not here: its graph was not run");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let rules = rules(folder.path());
    let one = folder.path().join("one");
    let solve = |out: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
        command.args(["solve", &rules, "--table", "KPvKP", "--threads", "1", "--out"]).arg(out);
        command
    };
    finished(&solve(&one).output().expect("it runs"));
    let out = folder.path().join("made");
    let mut plan = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
    plan.args(["plan", &rules, "--table", "KPvKP", "--threads", "1", "--format", "make", "--out"]).arg(&out);
    let makefile = folder.path().join("makefile");
    fs::write(&makefile, plan.output().expect("it runs").stdout).expect("a file");
    let make = || Command::new("make").args(["-j2", "-f"]).arg(&makefile).output().expect("it runs");
    finished(&make());
    assert!(tables(&out).0 == tables(&one).0);
    let again = make();
    assert!(String::from_utf8_lossy(&again.stdout).contains("Nothing to be done"), "{again:?}");
}

/// Work far away: inputs are fetched, what is made is delivered, and accepted when it has been proved.
#[cfg(unix)]
#[test]
fn delivered_tables_are_accepted_when_they_are_proved() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rules, engine) = (rules(folder.path()), engine(folder.path()));
    let place = |name: &str| folder.path().join(name).to_str().expect("plain text").to_owned();
    let (set, work, delivered) = (place("set"), place("work"), place("delivered"));
    fs::create_dir(&delivered).expect("a folder");
    fs::write(engine.join("dead"), "").expect("a file");
    let submit = ["submit", &rules, "--table", "KQvKR", "--tables", &set, "--rate", "100000"];
    finished(&cluster(&engine, &submit));

    let make = |table: &str| {
        let fetch = format!("test ! -f {set}/{{file}} || cp {set}/{{file}} {{path}}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
        command.args(["solve", &rules, "--job", "--table", table, "--threads", "1", "--out", &work]);
        command.args(["--fetch", &fetch, "--store", &format!("cp {{path}} {delivered}/{{file}}")]);
        command.output().expect("it runs")
    };
    let accept = || {
        let output = cluster(&engine, &["accept", &delivered, "--tables", &set]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let early = make("KQvKR");
    let told = String::from_utf8_lossy(&early.stderr).into_owned();
    assert!(early.status.code() == Some(2) && told.contains("brings no file"), "{told}");
    for table in ["KQvK", "KRvK", "KQvKR"] {
        finished(&make(table));
        if table == "KQvK" {
            assert_eq!(
                accept(),
                (Some(0), "KQvK: accepted\n1 table accepted, 0 in quarantine, 0 too early\n".into())
            );
        } else if table == "KRvK" {
            // What it needs comes after it.
            fs::rename(Path::new(&delivered).join("KRvK.tsm"), folder.path().join("KRvK.tsm"))
                .expect("a file");
        }
    }
    let (code, told) = accept();
    assert!(code == Some(1) && told.contains("KQvKR: left where it is: it needs KRvK"), "{told}");
    let later = Path::new(&delivered).join("KRvK.tsm");
    fs::rename(folder.path().join("KRvK.tsm"), later).expect("a file");
    let made = fs::read(Path::new(&delivered).join("KQvKR.tsm")).expect("a file");
    let mut damaged = made.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(Path::new(&delivered).join("KQvKR.tsm"), damaged).expect("a file");
    let (code, told) = accept();
    assert!(code == Some(1) && told.contains("KRvK: accepted\nKQvKR: put into quarantine: "), "{told}");
    assert!(Path::new(&set).join(".cluster/quarantine/KQvKR.tsm").exists());
    assert!(!Path::new(&set).join("KQvKR.tsm").exists());
    fs::write(Path::new(&delivered).join("KQvKR.tsm"), made).expect("a file");
    assert_eq!(accept().0, Some(0));
    let status = finished(&cluster(&engine, &["status", "--tables", &set]));
    assert_eq!(status, "");
}
