//! Submits sets in the ways of a real site: again while jobs wait, in waves, after jobs were killed.

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
    assert_eq!(site.engine.queue(), "1 2 3 4");
    assert!(site.submit(&[]).contains("0 done, 3 at work or waiting, 0 to be made"));
    assert_eq!(site.engine.queue(), "1 2 3 4", "nothing changes");
    // Jobs get lost, while others of the set wait and its files are audited.
    site.said("audit", &["--jobs", "1"]);
    site.engine.scancel(&["1", "3"]);
    site.submit(&[]);
    let submitted = site.engine.submitted();
    let words: Vec<&str> = submitted[5..].iter().map(|job| job.split(" --kill").next().unwrap()).collect();
    assert!(words[0].starts_with("6 --parsable /"), "{words:?}");
    assert_eq!(
        words[1..],
        ["7 --parsable --dependency=afterok:2:6", "8 --parsable --dependency=afterok:2:6:7"]
    );
    assert_eq!(site.engine.queue(), "2 5 6 7 8");

    // Another set would be in the way of this one, and so would the end of a part of it.
    let (code, _, err) = site.submit_table("KQvK", &[]);
    assert!(code == Some(2) && err.contains("5 jobs of another set (--table KQvKR) wait or run"), "{err}");
    let (code, output) = site.status();
    assert_eq!(code, Some(0), "{output}");
    assert!(output.contains("3 waiting") && output.contains("finish: job 8, PENDING"), "{output}");
    site.engine.run();
    let (_, output) = site.status();
    assert!(output.starts_with("3 tables: 3 done, "), "{output}");
    // The audit came before the tables.
    assert!(output.contains("audit: 1 of 1 part done"), "{output}");
}

#[test]
fn end_of_a_set_that_was_lost_is_submitted_again() {
    let site = SubmittedSet::new();
    site.engine.put("killed", "finish\n");
    site.submit(&[]);
    site.engine.run();
    let (code, output) = site.status();
    assert!(
        code == Some(1) && output.contains("finish: job 4 has ended before its work was done"),
        "{output}"
    );
    site.engine.take("killed");
    assert!(site.submit(&[]).contains("submitted 0 jobs; job 5 checks all files"));
    site.engine.run();
    site.check_done();
    site.submit(&[]);
    assert_eq!(site.engine.queue(), "", "it is finished");
    // A table that is lost takes that back.
    fs::remove_file(site.tables.join("KQvKR.tsm")).expect("the file");
    site.submit(&[]);
    assert_eq!(site.engine.queue(), "6 7");
    site.engine.run();
    site.check_done();
}

#[test]
fn waves_keep_to_the_limit_and_come_to_an_end() {
    let site = SubmittedSet::new();
    let (code, _, err) = site.submit_table("KQvKR", &["--max-jobs", "2"]);
    assert!(code == Some(2) && err.contains("2 is not in 3.."), "{err}");
    // Others of this user leave no room.
    site.engine.put("others", "901 RUNNING None\n902 RUNNING None\n");
    let (code, _, err) = site.submit_table("KQvKR", &["--max-jobs", "3"]);
    assert!(code == Some(2) && err.contains("--max-jobs 3 leaves no room"), "{err}");
    site.engine.put("others", "901 RUNNING None\n");
    site.submit(&["--max-jobs", "3"]);
    assert_eq!(site.engine.queue(), "1 2");
    let more = site.script("submit-more");
    assert!(more.contains("#SBATCH --cpus-per-task=1\n") && more.contains("#SBATCH --time=20\n"), "{more}");
    // Room goes while it runs, and comes back.
    site.engine.put("others", "901 RUNNING None\n902 RUNNING None\n903 RUNNING None\n");
    site.engine.run();
    site.check_done();
    let submitted = site.engine.submitted();
    let words = |job: &str| job.split_whitespace().nth(2).unwrap_or_default().to_owned();
    assert_eq!(words(&submitted[1]), "--dependency=afterany:1");
    assert_eq!(words(&submitted[2]), "--begin=now+10minutes");
    assert!(submitted.len() < 9, "{submitted:?}");
}

#[test]
fn waves_leave_alone_what_fails_again_and_again() {
    let site = SubmittedSet::new();
    let dry = site.submit(&["--dry-run"]);
    let planned: Vec<u64> = dry.split("#!/bin/bash").skip(1).map(asked).collect();
    site.engine.put("killed", "KQvK\n");
    site.submit(&["--max-jobs", "3"]);
    site.engine.run();
    assert_eq!(site.engine.queue(), "");
    let jobs = |name: &str| {
        let submitted = site.engine.submitted();
        submitted.iter().filter(|job| job.ends_with(&format!("/{name}.sh"))).count()
    };
    assert_eq!((jobs("KQvK"), jobs("KRvK"), jobs("finish")), (2, 1, 0));
    let (code, output) = site.status();
    assert!(
        code == Some(1) && output.starts_with("3 tables: 1 done, 0 running, 0 waiting, 1 failed, "),
        "{output}"
    );
    assert!(output.contains("was killed or ended without a message"), "{output}");
    assert!(output.contains("the jobs of KQvK have failed 2 times"), "{output}");
    // Waves remember what a person asked for.
    site.engine.take("killed");
    site.engine.put("others", "901 RUNNING None\n");
    let (code, _, err) = site.said("resubmit", &["--more-memory", "2", "--more-time", "1.25"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(site.script("submit-more").ends_with(" --more-memory 2.00 --more-time 1.25\n"));
    site.engine.run();
    site.check_done();
    assert_eq!(planned.len(), 3);
    let last = site.script("KQvKR");
    assert!(asked(&last).abs_diff(2 * planned[2]) <= 1 && last.contains("#SBATCH --time=25\n"), "{last}");
}

#[test]
fn one_failure_is_told_once() {
    let site = SubmittedSet::new();
    site.engine.put("killed", "KQvK\n");
    site.submit(&[]);
    site.engine.run();
    let (_, output) = site.status();
    assert!(
        output.starts_with("3 tables: 1 done, 0 running, 0 waiting, 1 failed, 1 blocked by that, "),
        "{output}"
    );
    assert_eq!(output.lines().filter(|line| line.starts_with("KQvK")).count(), 1, "{output}");
    // By the files alone nobody can tell.
    site.engine.put("down", "");
    let (code, output) = site.status();
    assert!(code == Some(0) && output.contains("0 failed, 2 unknown, 0 not submitted"), "{output}");
    site.engine.take("down");

    // What was cancelled has not failed.
    site.engine.take("killed");
    site.submit(&[]);
    assert_eq!(site.engine.queue(), "5 6 7");
    let (code, out, _) = site.said("cancel", &[]);
    assert_eq!((code, &*out), (Some(0), "3 jobs cancelled; finished tables stay\n"));
    let (code, output) = site.status();
    assert!(code == Some(0) && output.contains("0 failed, 2 not submitted"), "{output}");
}

#[test]
fn jobs_ask_for_no_more_than_a_node_has() {
    let site = SubmittedSet::new();
    let (code, _, err) = site.submit_table("KQvKR", &["--max-memory", "66M"]);
    assert!(code == Some(2) && err.contains("and may ask for 6"), "{err}");
    site.submit(&["--max-memory", "200M"]);
    assert!(["KQvK", "KQvKR"].iter().all(|table| asked(&site.script(table)) <= 200));
    let (code, _, err) = site.submit_table("KQvKR", &["--threads", "0"]);
    assert!(code == Some(2) && err.contains("--threads"), "{err}");
}
