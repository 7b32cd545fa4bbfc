//! Solves, shows, probes and verifies tables of every metric in one folder.

use super::{Folder, PAWN, call, run, small_game};
use format::Summary;
use std::fs;

/// A small game with pawns in which some wins are cursed under a rule of six moves.
fn small() -> String {
    small_game("name = \"tiny\"\nmen-limit = 4\n[rules]\nn-move-rule = 6", [4, 5], PAWN)
}

struct Workspace {
    folder: Folder,
    rules: String,
    tables: String,
}

impl Workspace {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name);
        let (rules, tables) = (folder.write("tiny.toml", small()), folder.path("tables"));
        Workspace { folder, rules, tables }
    }

    /// Solves; what was printed and what was said.
    #[track_caller]
    fn solve(&self, table: &str, more: &[&str]) -> (String, String) {
        let args = [&["solve", &self.rules, "--table", table, "--out", &self.tables], more].concat();
        let reply = run(&args, 0);
        (reply.out, reply.err)
    }

    #[track_caller]
    fn probe(&self, metric: &str, fen: &str, more: &[&str]) -> String {
        let args = ["probe", "--variant", &self.rules, "--tables", &self.tables, "--metric", metric];
        let reply = run(&[&args, more, &[fen]].concat(), 0);
        reply.out
    }

    fn verify(&self) -> (u8, String) {
        let reply = call(&["verify", &self.tables, "--variant", &self.rules], "");
        (reply.code, reply.out + &reply.err)
    }
}

const ALL: &str = "wdl,dtc,dtz,dtz50,dtm";

#[test]
fn every_metric_is_solved_and_verified() {
    let workspace = Workspace::new("metric-all");
    let (out, _) = workspace.solve("KPvKP", &["--metric", ALL]);
    for heading in ["dtc with wdl:", "dtz with wdl:", "dtz50 with wdl:"] {
        assert!(out.lines().any(|line| line == heading), "{heading} in {out}");
    }
    // One file has all of them, in an order that does not depend on that in which they were solved.
    let file = workspace.folder.0.join("tables/KPvKP.tsm");
    let columns = run(&["stats", file.to_str().expect("plain text"), "--columns"], 0);
    for metric in ALL.split(',') {
        columns.says(&[&format!("KPvKP  {metric} ")]);
    }
    let other = Workspace::new("metric-all-turned");
    for metric in ["dtm", "dtz50", "dtz", "wdl", "dtc"] {
        other.solve("KPvKP", &["--metric", metric]);
    }
    let other = other.folder.0.join("tables/KPvKP.tsm");
    assert!(fs::read(&file).expect("a file") == fs::read(other).expect("a file"));
    let (code, output) = workspace.verify();
    assert_eq!(code, 0, "{output}");
    for line in ["KRvKP: ok, ", "KRvKP.wdl: ok, ", "KRvKP.dtc: ok, ", "KRvKP.dtz50: ok, "] {
        assert!(output.contains(line), "{line} in {output}");
    }
    // A second run finds everything.
    let (out, _) = workspace.solve("KPvKP", &["--metric", ALL]);
    assert_eq!(out.matches("all done already").count(), 4, "{out}");
    let (json, _) = workspace.solve("KPvKP", &["--metric", "dtc,dtz", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json[0]["metric"], &json[1]["metric"]), (&"dtc".into(), &"dtz".into()));
}

#[test]
fn another_rule_makes_tables_under_the_rule_anew_and_no_others() {
    let workspace = Workspace::new("metric-rule");
    workspace.solve("KRvK", &["--metric", "dtz,dtz50"]);
    let other = small().replace("n-move-rule = 6", "n-move-rule = 7");
    fs::write(&workspace.rules, other).expect("the rules are written");
    let (out, err) = workspace.solve("KRvK", &["--metric", "dtz,dtz50"]);
    assert!(out.contains("all done already") && out.contains("1 table, "), "{out}");
    assert_eq!(err.matches("KRvK done in").count(), 1, "{err}");
}

#[test]
fn clock_is_told_and_the_line_is_played_to_the_end() {
    let workspace = Workspace::new("metric-clock");
    workspace.solve("KRvKP", &["--metric", "dtz50,dtc,wdl"]);
    // Mate in one: whatever the clock, up to the last ply.
    let mate = |clock: u32| workspace.probe("dtz50", &format!("1k2/4/1K2/4/3R w - - {clock} 1"), &[]);
    assert!(mate(0).contains("White wins: 1 move, 1 ply to mate, capture or pawn move"), "{}", mate(0));
    assert!(mate(11).contains("1 ply to mate, capture or pawn move, the clock at 11 of 12"), "{}", mate(11));
    let late = mate(12);
    assert!(late.contains("White wins, but drawn with the clock at 12: needs 1 ply"), "{late}");
    assert!(late.contains("draws, wins too late: 1 move, 1 ply"), "{late}");
    assert!(workspace.probe("wdl", "1k2/4/1K2/4/3R w - - 0 1", &[]).contains("\nWhite wins. "));
    // Black's pawn falls on the way; the first line stops there and the whole one goes on.
    let fen = "k3/4/4/2p1/K2R w - - 0 1";
    let (short, long) = (workspace.probe("dtc", fen, &[]), workspace.probe("dtc", fen, &["--line"]));
    let line = |text: &str| text.lines().filter(|line| line.starts_with("1. ")).collect::<String>();
    assert!(line(&short).ends_with('*') && !line(&short).contains('#'), "{short}");
    assert!(long.trim_end().ends_with('#') && long.contains("* "), "{long}");
    let json = workspace.probe("dtz50", "1k2/4/1K2/4/3R w - - 12 1", &["--json", "--value-only"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["wdl"], &json["wdl_now"], &json["dtz50"]), (&1.into(), &0.into(), &1.into()));
}

#[test]
fn wrong_and_missing_tables_are_said() {
    let workspace = Workspace::new("metric-wrong");
    run(&["solve", &workspace.rules, "--metric", "dtx"], 2).errs(&["there is no metric `dtx`"]);
    workspace.solve("KRvK", &["--metric", "dtz50"]);
    let args = [
        "probe",
        "--no-solve",
        "--variant",
        &workspace.rules,
        "--tables",
        &workspace.tables,
        "--metric",
        "dtc",
    ];
    run(&[&args[..], &["1k2/4/4/1K2/3R w - - 0 1"]].concat(), 1).says(&["--table KRvK --metric dtc"]);
    // Without the column of wdl there is no distance.
    let file = workspace.folder.0.join("tables/KRvK.tsm");
    format::remove_column(&file, variant::Metric::Wdl).expect("the column is removed");
    run(&[&args[..7], &["dtz50", "1k2/4/4/1K2/3R w - - 0 1"]].concat(), 1);
    // Distances of another table: every checksum is right, and the values are not.
    workspace.solve("KRvK", &["--metric", "dtz50,dtm"]);
    let variant = variant::Variant::parse(&small(), "tiny.toml").expect("the rules");
    let edition = library::Edition::new(&variant, variant.default_metric);
    let folder = workspace.folder.0.join("tables");
    let mut table = library::TableFiles::new(edition, &folder).read("KRvK").expect("the table");
    for side in variant::Side::BOTH {
        let Some(table::Codes::OneByte(codes, _)) = table.codes_mut(side) else {
            panic!("codes of one byte")
        };
        codes.iter_mut().filter(|code| **code > 4).for_each(|code| *code += 2);
    }
    let metric = variant::Metric::Dtz50;
    let metadata = Summary::read(&file, metric).expect("the file").metadata;
    format::TableWriter::new(&variant).column(metric).write(&file, &table, &metadata).expect("written");
    let (code, output) = workspace.verify();
    assert!(code == 1 && output.contains("KRvK.dtz50: ") && output.contains("wrong value"), "{output}");
}

#[test]
fn damage_is_mended_where_what_is_needed_was_cut_down() {
    let workspace = Workspace::new("metric-damage");
    workspace.solve("KRPvK", &["--metric", "dtz"]);
    let path = |name: &str| workspace.folder.0.join("tables").join(name);
    let read = |name: &str| fs::read(path(name)).expect("the file");
    let whole = read("KRPvK.tsm");
    // The first page is of the column wdl, the last one of dtz.
    let mut first = whole.clone();
    first[48] ^= 1;
    for damaged in [first, super::with_damaged_page(whole.clone())] {
        fs::write(path("KRPvK.tsm"), damaged).expect("the file is damaged");
        let (_, err) = workspace.solve("KRPvK", &["--metric", "dtz"]);
        assert!(err.contains("KRPvK is solved again") && err.contains("damaged"), "{err}");
        assert!(read("KRPvK.tsm") == whole);
    }
}

#[test]
fn tables_of_another_metric_are_not_written_over() {
    let columns = |workspace: &Workspace| {
        let file = workspace.folder.0.join("tables/KRvK.tsm");
        format::columns_of(&file).expect("the columns")
    };
    let workspace = Workspace::new("metric-other");
    workspace.solve("KRvK", &[]);
    fs::write(&workspace.rules, format!("metric = \"dtz\"\n{}", small())).expect("the rules are written");
    let args = ["solve", &workspace.rules, "--table", "KRvK", "--out", &workspace.tables];
    run(&args, 0);
    let all = ["wdl", "dtz", "dtm"].map(|name| name.parse::<variant::Metric>().expect("a metric").into());
    assert_eq!(columns(&workspace), all);
}

#[test]
fn files_that_nobody_reads_are_not_made_again() {
    let workspace = Workspace::new("metric-unread");
    workspace.solve("KRvK", &["--metric", "dtm,wdl"]);
    let (_, err) = workspace.solve("KRvKR", &["--metric", "dtm,wdl"]);
    assert!(err.contains("KRvK done already") && !err.contains("needed now"), "{err}");
    let args =
        ["probe", "--stdin", "--variant", &workspace.rules, "--tables", &workspace.tables, "--metric", "wdl"];
    call(&args, "1k2/4/1K2/4/3R w - - 0 1\n").says(&["\t1\t-\t"]);
}

/// Under `help` a material with its colours exchanged is another table, in a file of its own.
#[test]
fn both_tables_of_helpmates_are_told_apart() {
    let folder = Folder::new("metric-help");
    let path = |name: &str| folder.path(name);
    run(&["solve", "fide", "--table", "KQvK", "--metric", "help", "--out", &path("")], 0);
    let stats = |name: &str, more: &[&str]| run(&[&["stats", path(name).as_str()], more].concat(), 0).out;
    let dead = |out: String| out.lines().last().unwrap_or_default().to_owned();
    let text = "dead positions, in which neither side can ever win:";
    assert_eq!(dead(stats("KQvK.tsm", &[])), format!("{text} White to move 0 (0), Black to move 414 (3292)"));
    assert_eq!(dead(stats("KvKQ.tsm", &[])), format!("{text} White to move 414 (3292), Black to move 0 (0)"));
    let hash = |name: &str| stats(name, &["--hash"]).split(' ').next().map(str::to_owned);
    assert_ne!(hash("KQvK.tsm"), hash("KvKQ.tsm"));
    fs::copy(path("KQvK.tsm"), path("KvKQ.tsm")).expect("a copy under another name");
    run(&["stats", &path("KQvK.tsm")], 2).errs(&["other men than its name says"]);
    fs::remove_file(path("KvKQ.tsm")).expect("it was there");
    assert!(dead(stats("KQvK.tsm", &[])).contains("KvKQ.tsm beside it"));
}
