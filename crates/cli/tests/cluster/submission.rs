//! Submits sets in the ways of a real site: again while jobs wait, with limits, after jobs were killed.

use super::super::rules;
use super::Engine;
use std::fs;
use std::path::PathBuf;

/// A set of three tables, each a job, in a folder; jobs are held.
struct SubmittedSet {
    engine: Engine,
    rules: String,
    tables: PathBuf,
    _folder: tempfile::TempDir,
}

/// What a command of the cluster says, with its code.
type Said = (Option<i32>, String, String);

impl SubmittedSet {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = Engine::new(folder.path());
        engine.put("held", "");
        SubmittedSet {
            engine,
            rules: rules(folder.path()),
            tables: folder.path().join("tables"),
            _folder: folder,
        }
    }

    fn said(&self, command: &str, more: &[&str]) -> Said {
        let words = [&[command, "--tables", self.tables.to_str().expect("plain text")], more].concat();
        let output = self.engine.cluster(&words);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    fn submit_table(&self, table: &str, more: &[&str]) -> Said {
        let words = [&self.rules, "--table", table, "--rate", "100000", "--bundle", "0", "--threads", "1"];
        self.said("submit", &[&words[..], more].concat())
    }

    /// KQvKR with the two that it needs.
    #[track_caller]
    fn submit(&self, more: &[&str]) -> String {
        let (code, out, err) = self.submit_table("KQvKR", more);
        assert_eq!(code, Some(0), "{out}{err}");
        out + &err
    }

    /// The first line of the status, all of it, and its code.
    fn status(&self) -> (Option<i32>, String) {
        let (code, out, err) = self.said("status", &[]);
        (code, out + &err)
    }

    #[track_caller]
    fn check_done(&self) {
        let (code, output) = self.status();
        assert!(
            code == Some(0) && output.starts_with("3 tables: 3 done, ") && output.lines().count() == 1,
            "{output}"
        );
    }

    fn script(&self, name: &str) -> String {
        fs::read_to_string(self.tables.join(format!(".cluster/scripts/{name}.sh"))).expect("a script")
    }
}

/// The memory that a script asks for. Units: megabytes.
fn asked(script: &str) -> u64 {
    let asked = script.lines().find_map(|line| line.strip_prefix("#SBATCH --mem=")?.strip_suffix('M'));
    asked.and_then(|asked| asked.parse().ok()).expect("it asks for memory")
}

#[test]
fn set_that_is_submitted_again_is_finished() {
    let site = SubmittedSet::new();
    site.submit(&[]);
    assert_eq!(site.engine.queue(), "1_0 1_1 2_0 3_0");
    assert!(site.submit(&[]).contains("0 done, 3 at work or waiting, 0 to be made"));
    assert_eq!(site.engine.queue(), "1_0 1_1 2_0 3_0", "nothing changes");
    // Jobs get lost, while others of the set wait.
    site.engine.scancel(&["1_0", "2_0"]);
    site.submit(&[]);
    let submitted = site.engine.submitted();
    let words: Vec<&str> = submitted[3..].iter().map(|job| job.split(" --kill").next().unwrap()).collect();
    assert!(words[0].starts_with("4 --parsable /"), "{words:?}");
    assert_eq!(
        words[1..],
        ["5 --parsable --dependency=afterok:4:1_1", "6 --parsable --dependency=afterok:1_1:4:5"]
    );
    assert_eq!(site.engine.queue(), "1_1 4_0 5_0 6_0");

    // Another set would be in the way of this one, and so would the end of a part of it.
    let (code, _, err) = site.submit_table("KQvK", &[]);
    assert!(code == Some(2) && err.contains("4 jobs of another set (--table KQvKR) wait or run"), "{err}");
    let (code, output) = site.status();
    assert_eq!(code, Some(0), "{output}");
    assert!(output.contains("3 waiting") && output.contains("finish: job 6_0, PENDING"), "{output}");
    // The engine of the test takes one failed job for a failure of its array.
    site.engine.take("failed-1");
    site.engine.run();
    site.check_done();
}

#[test]
fn end_of_a_set_that_was_lost_is_submitted_again() {
    let site = SubmittedSet::new();
    site.engine.put("killed", "finish\n");
    site.submit(&[]);
    site.engine.run();
    let (code, output) = site.status();
    assert!(
        code == Some(1) && output.contains("finish: job 3_0 has ended before its work was done"),
        "{output}"
    );
    site.engine.take("killed");
    assert!(site.submit(&[]).contains("submitted 0 jobs; job 4 checks all files"));
    site.engine.run();
    site.check_done();
    site.submit(&[]);
    assert_eq!(site.engine.queue(), "", "it is finished");
    // A table that is lost takes that back.
    fs::remove_file(site.tables.join("KQvKR.tsm")).expect("the file");
    site.submit(&[]);
    assert_eq!(site.engine.queue(), "5_0 6_0");
    site.engine.run();
    site.check_done();
}

#[test]
fn limit_of_jobs_is_that_of_each_level() {
    let site = SubmittedSet::new();
    let (code, _, err) = site.submit_table("KQvKR", &["--max-jobs", "0"]);
    assert!(code == Some(2) && err.contains("0 is not in 1.."), "{err}");
    site.submit(&["--max-jobs", "1"]);
    assert!(site.script("KRvK+1").contains("#SBATCH --array=0-1%1\n"));
    assert!(site.script("KQvKR").contains("#SBATCH --array=0-0%1\n"));
    site.engine.run();
    site.check_done();
}

#[test]
fn killed_jobs_are_submitted_again_with_more() {
    let site = SubmittedSet::new();
    let dry = site.submit(&["--dry-run"]);
    let planned: Vec<u64> = dry.split("#!/bin/bash").skip(1).map(asked).collect();
    site.engine.put("killed", "KQvKR\n");
    site.submit(&[]);
    site.engine.run();
    let (code, output) = site.status();
    assert!(
        code == Some(1) && output.starts_with("3 tables: 2 done, 0 running, 0 waiting, 1 failed, "),
        "{output}"
    );
    assert!(output.contains("job 2_0 was killed or ended without a message"), "{output}");
    site.engine.take("killed");
    let (code, _, err) = site.said("resubmit", &["--more-memory", "2", "--more-time", "1.25"]);
    assert_eq!(code, Some(0), "{err}");
    let last = site.script("KQvKR");
    assert!(asked(&last).abs_diff(2 * planned[1]) <= 1 && last.contains("#SBATCH --time=25\n"), "{last}");
    site.engine.run();
    site.check_done();
}

#[test]
fn one_failure_is_told_once() {
    let site = SubmittedSet::new();
    site.engine.put("killed", "KRvK+1\n");
    site.submit(&[]);
    site.engine.run();
    let (_, output) = site.status();
    assert!(
        output.starts_with("3 tables: 0 done, 0 running, 0 waiting, 2 failed, 1 blocked by that, "),
        "{output}"
    );
    assert_eq!(output.lines().filter(|line| line.starts_with("KQvKR")).count(), 0, "{output}");
    // The files alone do not say it.
    site.engine.put("down", "");
    let (code, output) = site.status();
    assert!(code == Some(0) && output.contains("0 failed, 3 unknown, 0 not submitted"), "{output}");
    site.engine.take("down");

    // What was cancelled has not failed.
    site.engine.take("killed");
    site.submit(&[]);
    assert_eq!(site.engine.queue(), "4_0 4_1 5_0 6_0");
    let (code, out, _) = site.said("cancel", &[]);
    assert_eq!((code, &*out), (Some(0), "4 jobs cancelled; finished tables stay\n"));
    let (code, output) = site.status();
    assert!(code == Some(0) && output.contains("0 failed, 3 not submitted"), "{output}");
}

#[test]
fn jobs_ask_for_no_more_than_a_node_has() {
    let site = SubmittedSet::new();
    let (code, _, err) = site.submit_table("KQvKR", &["--max-memory", "66M"]);
    assert!(code == Some(2) && err.contains("and may ask for 6"), "{err}");
    site.submit(&["--max-memory", "200M"]);
    assert!(["KRvK+1", "KQvKR"].iter().all(|table| asked(&site.script(table)) <= 200));
    let (code, _, err) = site.submit_table("KQvKR", &["--threads", "0"]);
    assert!(code == Some(2) && err.contains("--threads"), "{err}");
}

/// Behind each level but the last one job trims, which ends with the others.
#[test]
fn files_are_trimmed_behind_each_level() {
    let site = SubmittedSet::new();
    site.submit(&["--metric", "wdl"]);
    assert_eq!(site.engine.queue(), "1_0 1_1 2_0 3_0 4_0");
    let after: Vec<String> = site
        .engine
        .submitted()
        .iter()
        .filter_map(|job| job.split_once(" --dep"))
        .map(|(_, words)| words.split(" --kill").next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(after, ["endency=afterok:1", "endency=afterok:1", "endency=afterok:1:3"]);
    assert!(
        site.script("trim-KRvK+1").ends_with(" --table KQvKR --trim\n"),
        "{}",
        site.script("trim-KRvK+1")
    );
    let (code, out, _) = site.said("cancel", &[]);
    assert_eq!((code, &*out), (Some(0), "5 jobs cancelled; finished tables stay\n"));
    site.submit(&["--metric", "wdl"]);
    site.engine.run();
    site.check_done();
}
