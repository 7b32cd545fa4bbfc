//! Checks that what files of large tables leave out, one side to move, is found all the same.

use super::{FIDE, Folder, PAWN, call, run, small_game};
use ::probe::Tablebase;
use format::Summary;
use index::Layout;
use position::Position;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use variant::{Material, Metric, Side, Variant};

/// A game in which tables of five men are small, and pawns of both sides are promoted.
fn small() -> String {
    small_game("name = \"tiny\"\nmen-limit = 5", [3, 5], &format!("{PAWN}double-step = true\n"))
}

/// A folder with the rules.
fn site(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    let rules = folder.write("tiny.toml", small());
    (folder, rules)
}

/// Solves a table into a folder below; what was said beside the result.
#[track_caller]
fn solve(folder: &Folder, rules: &str, to: &str, table: &str, more: &[&str]) -> String {
    let out = folder.path(to);
    run(&[&["solve", rules, "--table", table, "--out", &out], more].concat(), 0).err
}

/// What each file of a folder holds, and its bytes.
fn files(folder: &Folder, of: &str) -> BTreeMap<String, (Summary, Vec<u8>)> {
    let entries =
        fs::read_dir(folder.0.join(of)).expect("the folder").map(|entry| entry.expect("an entry").path());
    let tables = entries.filter(|path| path.extension().is_some_and(|extension| extension == "tsm"));
    let read = |path: PathBuf| {
        let summary = Summary::all(&path).expect("a table").remove(0);
        (summary.material.clone(), (summary, fs::read(path).expect("its bytes")))
    };
    tables.map(read).collect()
}

/// The side to move that a file of a game alike for both sides has left out.
fn left_out(summary: &Summary) -> Option<Side> {
    summary.left_out(summary.material.split_once('v').is_some_and(|(white, black)| white == black))
}

/// The tables that have been made, by what was said.
fn made(said: &str) -> Vec<String> {
    let mut made: Vec<String> = said
        .lines()
        .filter(|line| line.contains(" done in "))
        .filter_map(|line| Some(line.split_whitespace().next()?.to_owned()))
        .collect();
    made.sort();
    made
}

#[test]
fn large_tables_keep_one_side_and_lose_nothing() {
    let (folder, rules) = site("sides");
    solve(&folder, &rules, "one", "KRPvKP", &[]);
    solve(&folder, &rules, "both", "KRPvKP", &["--both-sides"]);
    let (one, both) = (files(&folder, "one"), files(&folder, "both"));
    assert!(one.len() > 10 && one.keys().eq(both.keys()), "{:?}", one.keys());
    for (name, (summary, _)) in &one {
        assert_eq!(left_out(summary).is_some(), name.len() == 6, "{name}");
        assert!(summary.metadata.trims_to.is_none() && both[name].0.metadata.trims_to.is_none(), "{name}");
        assert_eq!(summary.table_content(), both[name].0.content, "{name}");
        assert_eq!(summary.metadata.dependencies, both[name].0.metadata.dependencies, "{name}");
        assert!(left_out(&both[name].0).is_none(), "{name}");
    }
    // Every position of a table whose promotions lead to tables that have left out a side themselves.
    let variant = Variant::parse(&small(), "tiny.toml").expect("the rules");
    let open = |of: &str| Tablebase::open(folder.0.join(of), &variant).expect("the folder");
    let (one, both) = (open("one"), open("both"));
    let material = Material::parse(&variant, "KRPvKP").expect("a material");
    let layout = Layout::new(&variant, &material);
    let mut n_legal = 0;
    for index in (0..layout.len()).filter(|&index| layout.is_canonical(index, &layout.decode(index))) {
        let placement = layout.decode(index);
        let men = || layout.men().iter().copied().zip(placement.iter().copied());
        for stm in Side::BOTH {
            let Some(position) = Position::from_men(men(), stm) else { continue };
            let value = both.value(&position).expect("a value");
            n_legal += u64::from(value.wdl().is_some());
            assert_eq!(one.value(&position).expect("a value"), value, "{}", position.to_fen(both.book()));
        }
    }
    assert!(n_legal > 50_000, "{n_legal}");
    run(&["verify", &folder.path("one"), "--variant", &rules], 0).says(&[" all right "]);
}

#[test]
fn side_that_was_left_out_is_solved_again_where_it_is_needed() {
    let (folder, rules) = site("again");
    let said = solve(&folder, &rules, "x", "KRPvKP", &[]);
    assert!(made(&said).contains(&"KRPvKR".to_owned()), "{said}");
    let first = files(&folder, "x");
    assert!(made(&solve(&folder, &rules, "x", "KRPvKP", &[])).is_empty());
    // The table is gone. What its promotions lead to keeps one side, and it may be the other one that is
    // needed.
    fs::remove_file(folder.0.join("x/KRPvKP.tsm")).expect("the file is removed");
    let planned = call(&["plan", &rules, "--table", "KRPvKP", "--out", &folder.path("x")], "").out;
    assert!(planned.contains(" are to be solved, ") && planned.contains("is solved again: "), "{planned}");
    let said = solve(&folder, &rules, "x", "KRPvKP", &[]);
    let made_again = made(&said);
    assert!(made_again.contains(&"KRPvKP".to_owned()), "{said}");
    // Which, and why, is said before anything is solved.
    let begun = said.lines().position(|line| line.contains(" done ")).expect("tables are done");
    let why = |line: &&str| line.contains(" to move, which ") && line.ends_with("; the file stays");
    let said_why = said.lines().take(begun).filter(why).count();
    assert_eq!(said_why + 1, made_again.len(), "{said}");
    assert!(made_again.len() > 1, "at least one side was needed that was left out: {said}");
    let second = files(&folder, "x");
    assert!(
        first.keys().eq(second.keys()) && first.iter().all(|(name, (_, bytes))| *bytes == second[name].1)
    );
    assert!(!folder.0.join("x/.again").exists(), "what was solved again is gone");
    // A table that no other waits for is written with one side at once: the same file.
    solve(&folder, &rules, "y", "KRRvKR", &[]);
    assert!(files(&folder, "y")["KRRvKR"].1 == first["KRRvKR"].1);
}

#[test]
fn both_sides_stay_where_they_were_asked_for() {
    let (folder, rules) = site("stay");
    solve(&folder, &rules, "x", "KRRvKR", &[]);
    assert_eq!(made(&solve(&folder, &rules, "x", "KRRvKR", &["--both-sides"])), ["KRRvKR"]);
    assert!(made(&solve(&folder, &rules, "x", "KRRvKR", &[])).is_empty());
    assert!(left_out(&files(&folder, "x")["KRRvKR"].0).is_none());
    assert!(made(&solve(&folder, &rules, "x", "KRRvKR", &["--both-sides"])).is_empty());
}

#[test]
fn small_files_are_tables_of_the_same_name_and_values() {
    let (folder, rules) = site("small");
    solve(&folder, &rules, "quick", "KRPvKP", &[]);
    solve(&folder, &rules, "small", "KRPvKP", &["--small"]);
    let (quick, small) = (files(&folder, "quick"), files(&folder, "small"));
    assert!(quick.len() > 10 && quick.keys().eq(small.keys()), "{:?}", quick.keys());
    for (name, (summary, _)) in &small {
        assert!(summary.is_small, "{name}");
        let other = &quick[name].0;
        assert_eq!(left_out(summary), left_out(other), "{name}");
        assert_eq!(summary.table_content(), other.table_content(), "{name}");
        assert_eq!(summary.metadata.dependencies, other.metadata.dependencies, "{name}");
        assert!(summary.metadata.trims_to.is_none(), "{name}");
    }
    let size = |files: &BTreeMap<String, (Summary, Vec<u8>)>| -> usize {
        files.iter().filter(|(name, _)| name.len() == 6).map(|(_, (_, bytes))| bytes.len()).sum()
    };
    assert!(size(&small) * 8 < size(&quick) * 7, "{} of {}", size(&small), size(&quick));
    // Small files count as done where quick ones are asked for, and the other way round.
    assert!(made(&solve(&folder, &rules, "quick", "KRPvKP", &["--small"])).is_empty());
    assert!(made(&solve(&folder, &rules, "small", "KRPvKP", &[])).is_empty());
    // Trimmed when no table waits for it any more, or written with one side at once: the same file.
    solve(&folder, &rules, "alone", "KRRvKR", &["--small"]);
    assert!(files(&folder, "alone")["KRRvKR"].1 == small["KRRvKR"].1);
    run(&["verify", &folder.path("small"), "--variant", &rules], 0).says(&[" all right "]);
}

#[test]
fn plan_tells_the_room_that_files_take() {
    let (folder, rules) = site("room");
    let total_of = |rules: &str, more: &[&str]| {
        let args = [&["plan", rules, "--table", "KRPvKP", "--json"], more].concat();
        let json = call(&args, "").json();
        json["disk_bytes"].as_u64().expect("a size")
    };
    let total = |more: &[&str]| total_of(&rules, more);
    assert!(total(&["--both-sides"]) > total(&[]) && total(&[]) > total(&["--small"]));
    // Files of other metrics are packed smaller, too.
    let others: &str = &folder.write("wdl.toml", format!("metric = \"wdl\"\n{}", small()));
    assert!(total_of(others, &["--small"]) < total_of(others, &[]));
}

#[test]
fn plan_tells_what_a_log_costs() {
    let plan =
        |more: &[&str]| call(&[&["plan", FIDE, "--table", "KBBvKN", "--threads", "16"], more].concat(), "");
    let table = |more: &[&str]| {
        let reply = plan(&[more, &["--json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&reply.out).expect("JSON");
        let tables = json["tables"].as_array().expect("tables").clone();
        let largest = tables.iter().max_by_key(|table| table["placements"].as_u64()).expect("a table");
        ["traffic_bytes", "scratch_bytes", "solving_threads"]
            .map(|key| largest[key].as_u64().expect("a number"))
    };
    assert_eq!(table(&["--memory", "4G"]), [0, 0, 16]);
    let [traffic, scratch, threads] = table(&["--memory", "60M"]);
    assert!(traffic > scratch && scratch > 0 && (1..16).contains(&threads), "{traffic} {scratch} {threads}");
    plan(&["--memory", "60M"]).says(&["solved by a log on the disk", " of traffic"]);
}

#[test]
fn side_of_a_game_that_is_not_the_same_for_both_is_missed_too() {
    let folder = Folder::new("race");
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/racing-kings.toml");
    let out: &str = &folder.path("x");
    // Black's race is not White's, so a material that reads the same from both sides has two sides to move.
    run(&["solve", rules, "--table", "KvK", "--metric", "wdl", "--out", out], 0);
    let summary = Summary::read(&folder.0.join("x/KvK.tsm"), Metric::Wdl).expect("a file");
    assert!(summary.left_out(false).is_some(), "{summary:?}");
    run(&["solve", rules, "--table", "KvK", "--metric", "wdl", "--both-sides", "--out", out], 0);
    let summary = Summary::read(&folder.0.join("x/KvK.tsm"), Metric::Wdl).expect("a file");
    assert!(summary.left_out(false).is_none(), "{summary:?}");
}

#[test]
fn lists_are_the_same_whatever_a_file_keeps() {
    let (folder, rules) = site("lists");
    let metrics = ["--metric", "dtm,wdl"];
    solve(&folder, &rules, "one", "KRPvKP", &metrics);
    solve(&folder, &rules, "both", "KRPvKP", &[&metrics[..], &["--both-sides"]].concat());
    solve(&folder, &rules, "one", "KPPvKP", &metrics);
    let list = |of: &str, table: &str, more: &[&str]| {
        let (name, metric) = table.split_once(' ').expect("a file and a metric");
        let file = folder.0.join(of).join(name);
        let file = file.to_str().expect("plain text");
        let args = ["stats", file, "--metric", metric, "--epd", "--variant", &rules];
        let reply = run(&[&args, more].concat(), 0);
        (reply.out, reply.err)
    };
    for table in ["KRPvKP.tsm dtm", "KRPvKP.tsm wdl"] {
        let (one, err) = list("one", table, &[]);
        assert_eq!((one.clone(), err), list("both", table, &[]), "{table}");
        assert!(one.contains("KRPvKP zugzwang 1\""), "{one}");
    }
    let (all, _) = list("one", "KRPvKP.tsm dtm", &[]);
    for kind in ["White 1", "White loss 1", "Black 1", "Black loss 1"] {
        assert!(all.contains(&format!("id \"KRPvKP {kind}\"")), "{kind} is not in {all}");
    }
    // What is cut is said.
    let (few, err) = list("one", "KRPvKP.tsm dtm", &["--limit", "1"]);
    let n_zugzwangs = all.lines().filter(|line| line.contains("mutual zugzwang")).count();
    assert_eq!(few.lines().count(), 5, "{few}");
    assert!(n_zugzwangs > 1, "{all}");
    let said = format!("KRPvKP: mutual zugzwangs: the first 1 of {n_zugzwangs}; --limit N lists more\n");
    assert!(err.ends_with(&said), "{err} does not end in {said}");
    // Two pawns that change places are the same line.
    let (_, err) = list("one", "KPPvKP.tsm dtm", &[]);
    assert!(err.contains("the statistics tell like men apart"), "{err}");
}

/// Metrics whose columns keep one side to move whatever the number of men, and are packed with patience.
#[test]
fn files_of_other_metrics_stay_where_a_table_is_solved_again() {
    let (folder, rules) = site("again-metrics");
    let metrics = ["--metric", "dtm,wdl,dtz"];
    solve(&folder, &rules, "x", "KRPvKP", &metrics);
    let bytes = || -> BTreeMap<PathBuf, Vec<u8>> {
        let entries =
            fs::read_dir(folder.0.join("x")).expect("the folder").map(|entry| entry.expect("an entry"));
        entries.map(|entry| (entry.path(), fs::read(entry.path()).expect("its bytes"))).collect()
    };
    let first = bytes();
    fs::remove_file(folder.0.join("x/KRPvKP.tsm")).expect("the file is removed");
    let said = solve(&folder, &rules, "x", "KRPvKP", &metrics);
    assert!(said.contains("is solved again: its file has not "), "{said}");
    let second = bytes();
    let changed = |path: &&PathBuf| second.get(*path) != first.get(*path);
    let changed: Vec<&PathBuf> = first.keys().filter(changed).collect();
    assert!(first.len() == second.len() && changed.is_empty(), "{changed:?}");
}

/// One table a run, as a cluster makes a set, and one run over all of them: the files of a single run.
#[test]
fn jobs_of_a_set_make_the_files_of_one_run() {
    let (one, many) = (Folder::new("job-one"), Folder::new("job-many"));
    let solve = |folder: &Folder, table: &str, more: &[&str]| {
        let args = ["solve", FIDE, "--metric", "wdl", "--table", table, "--out", folder.text()];
        call(&[&args, more].concat(), "")
    };
    assert_eq!(solve(&one, "KQvKR", &[]).code, 0);
    solve(&many, "KQvKR", &["--job"]).ended(2).errs(&["KQvKR needs KQvK, KRvK, which are not built"]);
    for table in ["KQvK", "KRvK", "KQvKR"] {
        solve(&many, table, &["--job"]).ended(0);
    }
    let bytes = |folder: &Folder| {
        let file = |table: &str| std::fs::read(folder.0.join(format!("{table}.tsm"))).expect("a file");
        ["KQvK", "KRvK", "KQvKR"].map(file)
    };
    assert!(
        bytes(&many).iter().zip(&bytes(&one)).all(|(many, one)| many.len() > one.len()),
        "both sides stay"
    );
    assert_eq!(solve(&many, "KQvKR", &["--job"]).code, 0, "what is done ends well");
    assert_eq!(solve(&many, "KQvKR", &[]).code, 0);
    assert!(bytes(&many) == bytes(&one));
}

/// The jobs of a set of wdl tables, in a folder.
struct Jobs(Folder);

impl Jobs {
    const TABLES: [&str; 4] = ["KQvK", "KRvK", "KQvKR", "KRvKR"];

    fn run(&self, table: &str, more: &[&str]) -> String {
        let args = ["solve", FIDE, "--metric", "wdl", "--table", table, "--out", self.0.text()];
        let reply = run(&[&args, more].concat(), 0);
        reply.err
    }

    fn job(&self, table: &str) -> String {
        self.run(table, &["--job"])
    }

    /// Trims the set.
    fn trim(&self) {
        self.run("KQvKR", &["--table", "KRvKR", "--trim"]);
    }

    fn path(&self, table: &str) -> PathBuf {
        self.0.0.join(format!("{table}.tsm"))
    }

    fn bytes(&self) -> Vec<Vec<u8>> {
        Self::TABLES.iter().map(|table| fs::read(self.path(table)).expect("a file")).collect()
    }

    /// Changes the first and the last block of a file.
    fn damage(&self, table: &str) {
        let mut bytes = fs::read(self.path(table)).expect("a file");
        bytes[48] ^= 1;
        fs::write(self.path(table), super::with_damaged_page(bytes)).expect("the file is written");
    }
}

/// Jobs leave files with both sides to move, which are trimmed as soon as all tables that read them are
/// there.
#[test]
fn set_is_trimmed_behind_each_level() {
    let (one, many) = (Jobs(Folder::new("set-one")), Jobs(Folder::new("set-many")));
    one.run("KQvKR", &[]);
    one.run("KRvKR", &[]);
    let untrimmed = || {
        let is_untrimmed = |table: &&&str| {
            let summary = Summary::read(&many.path(table), Metric::Wdl);
            summary.is_ok_and(|summary| summary.metadata.trims_to.is_some())
        };
        Jobs::TABLES.iter().filter(is_untrimmed).copied().collect::<Vec<&str>>()
    };
    for (table, before, after) in [
        ("KQvK", &["KQvK"][..], &["KQvK"][..]),
        ("KRvK", &["KQvK", "KRvK"], &["KQvK", "KRvK"]),
        // The rook's table waits for its second reader.
        ("KQvKR", &["KQvK", "KRvK", "KQvKR"], &["KRvK"]),
        ("KRvKR", &["KRvK"], &[]),
    ] {
        many.job(table);
        assert_eq!(untrimmed(), before, "after the job of {table}");
        many.trim();
        assert_eq!(untrimmed(), after, "after the job that trims behind {table}");
    }
    assert!(many.bytes() == one.bytes());
}

/// What was solved again for tables that are not there yet serves the next run, unless it is damaged.
#[test]
fn table_that_was_solved_again_waits_for_its_readers() {
    let (folder, rules) = site("waits");
    solve(&folder, &rules, "x", "KRPvKP", &[]);
    let first = files(&folder, "x");
    let again = folder.0.join("x/.again");
    let remove = || fs::remove_file(folder.0.join("x/KRPvKP.tsm")).expect("the file is removed");
    let check_same = || {
        let now = files(&folder, "x");
        assert!(first.keys().eq(now.keys()) && first.iter().all(|(name, file)| file.1 == now[name].1));
    };
    remove();
    // A job trims nothing.
    let said = solve(&folder, &rules, "x", "KRPvKP", &["--job"]);
    assert!(made(&said).len() > 1, "{said}");
    let waiting: Vec<PathBuf> =
        fs::read_dir(&again).expect("scratch").map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(waiting.len() + 1, made(&said).len(), "{said}");
    remove();
    assert_eq!(made(&solve(&folder, &rules, "x", "KRPvKP", &["--job"])), ["KRPvKP"]);
    remove();
    let bytes = fs::read(&waiting[0]).expect("its bytes");
    fs::write(&waiting[0], super::with_damaged_page(bytes)).expect("the file is written");
    let said = solve(&folder, &rules, "x", "KRPvKP", &[]);
    assert!(said.contains(" is solved again: ") && said.contains(" is damaged in block"), "{said}");
    assert!(!again.exists(), "what was solved again is gone");
    check_same();
}

/// A job that reads a damaged file makes it again, and the end of a set believes what jobs have recorded.
#[test]
fn damage_is_found_by_the_job_that_reads_it() {
    let (one, many) = (Jobs(Folder::new("hurt-one")), Jobs(Folder::new("hurt-many")));
    one.run("KQvKR", &[]);
    one.run("KRvKR", &[]);
    ["KQvK", "KRvK"].iter().for_each(|table| drop(many.job(table)));
    ["KQvK", "KRvK"].iter().for_each(|table| many.damage(table));
    let said = many.job("KQvKR");
    for table in ["KQvK", "KRvK"] {
        let again = format!("{table} is solved again: {} is damaged in block", many.path(table).display());
        assert!(said.contains(&again), "{said}");
    }
    many.job("KRvKR");
    many.trim();
    assert!(many.bytes() == one.bytes());

    many.damage("KQvKR");
    let said = many.run("KQvKR", &["--recorded"]);
    assert!(!said.contains("again"), "{said}");
    fs::remove_file(many.0.0.join(".cluster/records/KQvKR.json")).expect("a record");
    let said = many.run("KQvKR", &["--recorded"]);
    assert!(said.contains("KQvKR is solved again"), "{said}");
    assert!(many.bytes() == one.bytes());
}
