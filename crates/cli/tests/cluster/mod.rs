//! Lets jobs make sets: of an engine that stands in for Slurm, of make, and on machines far away.

mod engine;
mod submission;

use super::{finished, rules, tables, undisturbed};
use engine::Engine;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The whole way of a set over an engine: submitted, made, finished, and what is damaged made again.
#[test]
fn jobs_of_an_engine_make_the_files_of_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rules, engine) = (rules(folder.path()), Engine::new(folder.path()));
    let whole = undisturbed(&rules, folder.path());
    let out = folder.path().join("tables");
    let out_text = out.to_str().expect("plain text");
    let words = ["submit", &rules, "--men", "4", "--tables", out_text, "--threads", "1"];
    let submit = [&words[..], &["--rate", "100000", "--bundle", "0.01"]].concat();
    let dry = engine.cluster(&[&submit[..], &["--dry-run"]].concat());
    let scripts = String::from_utf8_lossy(&dry.stdout).into_owned();
    assert!(scripts.contains("#SBATCH --cpus-per-task=1\n") && !out.exists(), "{scripts}");

    // Jobs that die without a word are seen, and submitted again.
    engine.put("dead", "");
    finished(&engine.cluster(&submit));
    let status = engine.cluster(&["status", "--tables", out_text]);
    let output = String::from_utf8_lossy(&status.stdout).into_owned();
    assert_eq!(status.status.code(), Some(1), "{output}");
    assert!(output.starts_with("35 tables: 0 done, 0 running, 0 waiting, "), "{output}");
    assert!(output.contains(" blocked by that, 0 not submitted\n"), "{output}");
    assert!(
        output.contains("job 1_0 has not begun and is gone; it had asked for ")
            && output.contains("resubmit"),
        "{output}"
    );
    engine.take("dead");
    finished(&engine.cluster(&["resubmit", "--tables", out_text, "--more-memory", "1.5"]));

    let err = finished(&engine.cluster(&["status", "--tables", out_text]));
    assert_eq!(err, "");
    let files = |out: &Path| {
        let mut files = tables(out).0;
        files.retain(|name, _| name.ends_with(".tsm"));
        files
    };
    assert!(files(&out) == whole, "the files are those of one run");
    let submitted = engine.submitted();
    assert!(submitted.iter().any(|job| job.contains("--dependency=afterok:")), "{submitted:?}");

    // A table that is damaged is found, and only it is made again.
    fs::write(out.join("KQvKR.tsm"), &whole["KQvKR.tsm"][..4000]).expect("a file");
    let status = engine.cluster(&["status", "--tables", out_text]);
    let output = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(output.starts_with("35 tables: 34 done, "), "{output}");
    let stage = folder.path().join("stage");
    let staged = [&submit[..], &["--stage", stage.to_str().expect("plain text")]].concat();
    let err = finished(&engine.cluster(&staged));
    assert!(err.contains("35 tables of dtm: 34 done, 1 to be made by 1 job\n"), "{err}");
    assert!(files(&out) == whole, "the files are those of one run");
    let copies: Vec<String> = tables(&stage).0.into_keys().collect();
    assert_eq!(copies, ["KQvK.tsm", "KRvK.tsm"]);
    let err = finished(&engine.cluster(&submit));
    assert!(err.contains("35 done, 0 to be made"), "{err}");

    // What a job reads and finds damaged, it names and makes again.
    let mut damaged = whole["KQvK.tsm"].clone();
    // In what it says with either side to move.
    let end = damaged.len() - 32;
    let n_index = u64::from_le_bytes(damaged[end..end + 8].try_into().expect("eight bytes")) as usize;
    for at in [48 + 20, end - n_index - 20] {
        damaged[at] ^= 1;
    }
    fs::remove_dir_all(&stage).expect("the folder");
    for submit in [&submit, &staged] {
        fs::write(out.join("KQvK.tsm"), &damaged).expect("a file");
        fs::remove_file(out.join("KQvKR.tsm")).expect("the file");
        finished(&engine.cluster(submit));
        // The array before the one that finishes the set.
        let log = out.join(format!(".cluster/logs/{}_0.log", engine.submitted().len() - 1));
        let output = fs::read_to_string(&log).expect("a log");
        assert!(output.contains(&format!("{out_text}/KQvK.tsm is damaged in block")), "{output}");
        assert!(files(&out) == whole, "the files are those of one run");
    }
}

/// The graph of a plan, run by `make` where it is there.
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
    finished(&solve_table(&rules, "KPvKP", &one).output().expect("it runs"));
    // A path that a makefile cannot have as it is.
    let out = folder.path().join("made of #1: $5");
    let makefile = folder.path().join("makefile");
    fs::write(&makefile, finished_text(&graph_of(&rules, "make", "KPvKP", &out))).expect("a file");
    let make = || Command::new("make").args(["-j2", "-f"]).arg(&makefile).output().expect("it runs");
    finished(&make());
    assert!(tables(&out).0 == tables(&one).0);
    let again = make();
    assert!(String::from_utf8_lossy(&again.stdout).contains("Nothing to be done"), "{again:?}");
    let refused = graph_of(&rules, "make", "KQvKR", &folder.path().join("50%"));
    let output = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && output.contains("no file with '%' in its path"), "{output}");
}

/// Snakemake, where it is installed, builds the files that one run builds.
#[test]
fn snakemake_builds_the_files_of_one_run() {
    let has_snakemake = Command::new("snakemake").arg("--version").output().is_ok();
    if !has_snakemake {
        eprintln!("Snakemake is not here: its graph was not run");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let rules = rules(folder.path());
    let one = folder.path().join("one");
    finished(&solve_table(&rules, "KQvKR", &one).output().expect("it runs"));
    let out = folder.path().join("made of #1: $5");
    let snakefile = folder.path().join("Snakefile");
    fs::write(&snakefile, finished_text(&graph_of(&rules, "snakemake", "KQvKR", &out))).expect("a file");
    let mut run = Command::new("snakemake");
    run.args(["--cores", "2", "--quiet", "--snakefile"]).arg(&snakefile).current_dir(folder.path());
    // What it keeps for itself goes there.
    finished(&run.env("HOME", folder.path()).env_remove("XDG_CACHE_HOME").output().expect("it runs"));
    assert!(tables(&out).0 == tables(&one).0);
    let refused = graph_of(&rules, "snakemake", "KQvKR", &folder.path().join("{x}"));
    let output = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && output.contains("no file with '{' in its path"), "{output}");
}

/// The graph of a plan, as a script that submits it to Slurm.
#[test]
fn script_of_a_plan_submits_the_files_of_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rules, engine) = (rules(folder.path()), Engine::new(folder.path()));
    let one = folder.path().join("one");
    finished(&solve_table(&rules, "KPvKP", &one).output().expect("it runs"));
    let out = folder.path().join("made");
    let script = folder.path().join("submit.sh");
    fs::write(&script, finished_text(&graph_of(&rules, "slurm", "KPvKP", &out))).expect("a file");
    let output = finished_text(&engine.shell(&script));
    assert!(output.starts_with("submitted; job "), "{output}");
    assert!(tables(&out).0 == tables(&one).0, "the files are those of one run");
    assert!(out.join(".cluster/finished").exists());
}

fn solve_table(rules: &str, table: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
    command.args(["solve", rules, "--table", table, "--threads", "1", "--out"]).arg(out);
    command
}

/// The graph of a table and those that it needs.
fn graph_of(rules: &str, format: &str, table: &str, out: &Path) -> Output {
    let mut plan = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
    plan.args(["plan", rules, "--table", table, "--threads", "1", "--format", format, "--out"]).arg(out);
    plan.output().expect("it runs")
}

fn finished_text(output: &Output) -> String {
    finished(output);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A job far away fetches what its table is made from, and nothing that only those are made from.
#[test]
fn job_far_away_fetches_what_it_reads() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = rules(folder.path());
    let (set, work) = (folder.path().join("set"), folder.path().join("work"));
    finished(&solve_table(&rules, "KNPvK", &set).output().expect("it runs"));
    let set_text = set.to_str().expect("plain text");
    let job = |fetch: &str| {
        let mut command = solve_table(&rules, "KNPvK", &work);
        command.args(["--job", "--fetch", fetch]).output().expect("it runs")
    };
    // What breaks off is not used, and is not in the way.
    let half = job(&format!("head -c 100 {set_text}/{{file}} > {{path}}"));
    let output = String::from_utf8_lossy(&half.stderr).into_owned();
    assert!(
        half.status.code() == Some(2) && output.contains("what --fetch has brought is no good"),
        "{output}"
    );
    assert!(tables(&work).0.is_empty());
    finished(&job(&format!("cp {set_text}/{{file}} {{path}}")));
    let (all, made) = (tables(&set).0, tables(&work).0);
    assert!(all.contains_key("KQvK.tsm") && !made.contains_key("KQvK.tsm") && made.contains_key("KQNvK.tsm"));
    assert!(made.contains_key("KNPvK.tsm") && made.iter().all(|(name, bytes)| all[name] == *bytes));
    // The record is of the job that has made the table, and of no other.
    let record = work.join(".cluster/records/KNPvK.json");
    fs::remove_file(&record).expect("a record");
    finished(&job("false {file} {path}"));
    assert!(!record.exists());
}

/// Work far away: inputs are fetched, what is made is delivered, and accepted when it has been proved.
#[test]
fn delivered_tables_are_accepted_when_they_are_proved() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rules, engine) = (rules(folder.path()), Engine::new(folder.path()));
    let place = |name: &str| folder.path().join(name).to_str().expect("plain text").to_owned();
    let (set, work, delivered) = (place("set"), place("work"), place("delivered"));
    fs::create_dir(&delivered).expect("a folder");
    engine.put("dead", "");
    let submit = ["submit", &rules, "--table", "KQvKR", "--tables", &set, "--rate", "100000"];
    finished(&engine.cluster(&submit));

    let make = |table: &str| {
        let fetch = format!("test ! -f {set}/{{file}} || cp {set}/{{file}} {{path}}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
        command.args(["solve", &rules, "--job", "--table", table, "--threads", "1", "--out", &work]);
        command.args(["--fetch", &fetch, "--store", &format!("cp {{path}} {delivered}/{{file}}")]);
        command.output().expect("it runs")
    };
    let accept = || {
        let output = engine.cluster(&["accept", &delivered, "--tables", &set]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let early = make("KQvKR");
    let output = String::from_utf8_lossy(&early.stderr).into_owned();
    assert!(early.status.code() == Some(2) && output.contains("brings no file"), "{output}");
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
    let (code, output) = accept();
    assert!(code == Some(1) && output.contains("KQvKR: left where it is: it needs KRvK"), "{output}");
    let later = Path::new(&delivered).join("KRvK.tsm");
    fs::rename(folder.path().join("KRvK.tsm"), later).expect("a file");
    let made = fs::read(Path::new(&delivered).join("KQvKR.tsm")).expect("a file");
    let mut damaged = made.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(Path::new(&delivered).join("KQvKR.tsm"), damaged).expect("a file");
    let (code, output) = accept();
    assert!(code == Some(1) && output.contains("KRvK: accepted\nKQvKR: put into quarantine: "), "{output}");
    assert!(Path::new(&set).join(".cluster/quarantine/KQvKR.tsm").exists());
    assert!(!Path::new(&set).join("KQvKR.tsm").exists());
    fs::write(Path::new(&delivered).join("KQvKR.tsm"), made).expect("a file");
    assert_eq!(accept().0, Some(0));
    assert!(Path::new(&set).join(".cluster/records/KQvKR.json").exists());
    // The same once more is no news.
    let again = Path::new(&delivered).join("KQvKR.tsm");
    fs::copy(Path::new(&set).join("KQvKR.tsm"), &again).expect("a file");
    assert_eq!(
        accept(),
        (Some(0), "KQvKR: is here already\n0 tables accepted, 0 in quarantine, 0 too early\n".into())
    );
    assert!(!again.exists());
    // What ends the set is left to do.
    let status = engine.cluster(&["status", "--tables", &set]);
    let output = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(
        status.status.code() == Some(1) && output.contains("finish: job 2_0 has ended before"),
        "{output}"
    );
    engine.take("dead");
    let err = finished(&engine.cluster(&submit));
    assert!(err.contains("3 done, 0 to be made"), "{err}");
    assert_eq!(finished(&engine.cluster(&["status", "--tables", &set])), "");
}
