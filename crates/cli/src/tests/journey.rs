//! Goes from rules to answers: solves tables, writes them, and probes them in every way.
//!
//! The values come from the naive oracle, so that what is printed is true whatever the solver does.

use super::{FIDE, Folder, KNIGHT, call, run, small_game, solve_args};
use crate::{Answer, Console, Input};
use index::Layout;
use proof::Oracle;
use solve::{Progress, SolveError};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::Variant;

const MATE_IN_5: &str = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1";
const MATE: &str = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const LOSS: &str = "8/8/8/8/8/5k2/4q3/6K1 w - - 0 1";

fn oracle(
    variant: &Variant,
    options: solve::Options,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    _: &dyn Progress,
) -> Result<Table, SolveError> {
    let mut oracle = Oracle::folded(variant).counting(options.metric);
    oracle.solve_with(layout.material(), lookup).unwrap_or_else(|missing| panic!("{missing:?}"));
    Ok(oracle.table(layout.material()).expect("it has just been solved"))
}

/// Solves a table and what it needs; what is printed.
fn solve(variant: &Path, table: &str, folder: &Folder) -> String {
    let words =
        ["solve", &variant.display().to_string(), "--table", table, "--verify", "--out", folder.text()];
    let args = solve_args(&words.map(str::to_owned));
    let (mut input, mut out, mut err) = (Input::new(&b""[..]), Vec::new(), Vec::new());
    let program = crate::TABLESMITH;
    let mut console = Console::new(program, &mut input, &mut out, &mut err);
    let outcome = crate::solve::run_with(&mut console, &args, &oracle);
    assert_eq!(outcome, Ok(Answer::Yes));
    String::from_utf8(out).expect("text")
}

/// The table of king and queen against king.
fn tables(name: &str) -> Folder {
    let folder = Folder::new(name);
    let out = solve(Path::new(FIDE), "KQvK", &folder);
    assert!(out.contains("10 moves, 19 plies: "), "{out}");
    folder
}

/// Rook against knight on four by four squares.
fn small() -> String {
    small_game("name = \"tiny\"", [4, 4], KNIGHT)
}

/// On four by four squares: rook against knight without the table that the loss of the knight leads to.
fn gap(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    let rules = folder.write("tiny.toml", small());
    solve(Path::new(&rules), "KRvKN", &folder);
    fs::remove_file(folder.0.join("KRvK.tsm")).expect("the table was there");
    (folder, rules)
}

#[track_caller]
fn check_probe(folder: &Folder, fen: &str, expected: &[&str]) {
    let reply = run(&["probe", fen, "--variant", FIDE, "--tables", folder.text()], 0);
    for expected in expected {
        reply.says(&[expected]);
    }
}

#[test]
fn positions_are_told_as_people_read_them() {
    let folder = tables("journey-people");
    check_probe(
        &folder,
        MATE_IN_5,
        &[
            "3 . . . . k . . .\n",
            "\nWhite mates in 5 moves, 9 plies\n(from KQvK.tsm)\n\nmove        value\nQd5   h1d5  wins in 5 moves, 9 plies\n",
            "Qf3+  h1f3  draws\n\n1. Qd5 Kf4 2. Kf2 ",
        ],
    );
    check_probe(&folder, MATE, &["\ncheckmate: White has won\n"]);
    check_probe(&folder, STALEMATE, &["\nstalemate: Black has no move, a draw\n"]);
    check_probe(&folder, LOSS, &["White is mated in 1 move, 2 plies", "1. Kh1 "]);
    check_probe(&folder, "8/8/8/8/8/4K3/8/4k2q b - - 4 30", &["Black mates in 5 moves, 9 plies", "\n30... "]);
}

#[test]
fn positions_are_told_as_machines_read_them() {
    let folder = tables("journey-machines");
    let ask = |more: &[&str], input: &str| {
        let args = [&["probe", "--variant", FIDE, "--tables", folder.text()], more].concat();
        let reply = call(&args, input);
        (reply.out, reply.code)
    };
    let out = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let castling = "4k3/pppp4/8/8/8/8/8/4K2R w K - 0 1";
    let (answer, code) = ask(&["--stdin"], &[MATE_IN_5, MATE, STALEMATE, LOSS].join("\n"));
    let expected = [
        format!("{MATE_IN_5}\t1\t9\th1d5"),
        format!("{MATE}\t-1\t0\t-"),
        format!("{STALEMATE}\t0\t-\t-"),
        format!("{LOSS}\t-1\t2\tg1h1"),
    ];
    assert_eq!((answer, code), (out(&expected), 0));
    let (answer, code) = ask(&["--stdin", "--value-only"], &[castling, MATE_IN_5].join("\n"));
    assert_eq!(code, 1);
    let refused = format!("{castling}\terror\tpositions of 7 men with castling rights are not solved");
    assert!(answer.starts_with(&refused), "{answer}");
    assert!(answer.ends_with(&format!("\n{MATE_IN_5}\t1\t9\n")), "{answer}");
    let (answer, _) = ask(&[MATE_IN_5, "--json"], "");
    let json: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(json["dtm"], 9);
    assert_eq!(json["moves"][0]["san"], "Qd5");
    assert_eq!(json["main_line"].as_array().map(Vec::len), Some(9));
    let (answer, _) = ask(&["--stdin", "--json"], &[castling, MATE_IN_5].join("\n"));
    let kinds: Vec<serde_json::Value> =
        answer.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&kinds[0]["error"], &kinds[1]["wdl"]), (&"castling".into(), &1.into()));
    // A main line is given where it is looked for, and only there.
    assert!(kinds[1]["main_line"].is_null() && kinds[1]["moves"].as_array().map(Vec::len) == Some(18));
    let (answer, _) = ask(&[STALEMATE, "--json"], "");
    let json: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    assert!(json["main_line"].as_array().is_some_and(Vec::is_empty) && json["missing"].is_null(), "{json}");
    let (answer, _) = ask(&[MATE_IN_5, "--json", "--value-only"], "");
    assert!(answer.contains("\"moves\": []") && answer.contains("\"main_line\": null"), "{answer}");
}

#[test]
fn value_is_told_without_the_tables_of_the_moves() {
    let (folder, rules) = gap("journey-gap");
    let ask = |more: &[&str], input: &str| {
        call(
            &[&["probe", "--no-solve", "--variant", &rules, "--tables", folder.text()], more].concat(),
            input,
        )
    };
    let hint = format!(
        "KRvK is not built: run `tablesmith solve {rules} --table KRvK --out {}` (about 14.0 MB of memory, 4.1 \
         kB on disk)\n",
        folder.text()
    );
    let takes = "k3/4/4/KR1n w - - 0 1";
    let reply = ask(&[takes], "");
    assert_eq!((reply.code, reply.err.as_str()), (0, ""));
    let end = format!("\n\nnot all moves can be rated because {hint}");
    assert!(reply.out.contains("\nWhite mates in ") && reply.out.ends_with(&end), "{}", reply.out);
    let reply = ask(&[takes, "--json"], "");
    let json: serde_json::Value = serde_json::from_str(&reply.out).expect("JSON");
    assert_eq!((reply.code, &json["wdl"], &json["missing"]), (0, &1.into(), &"KRvK".into()));
    let unknown = json["moves"].as_array().map(|moves| moves.iter().filter(|mv| mv["wdl"].is_null()).count());
    assert!(unknown == Some(1) && json["main_line"].as_array().is_some_and(Vec::is_empty), "{json}");
    // The first moves take nothing, later ones do.
    let reply = ask(&["k2n/4/4/K1R1 w - - 0 1"], "");
    assert_eq!((reply.code, reply.err.as_str()), (0, ""));
    let end = format!("\n\nthe main line cannot be continued because {hint}");
    assert!(reply.out.contains("\nmove ") && reply.out.ends_with(&end), "{}", reply.out);
    // A line has what is known, and what is missing is said once at the end.
    let reply = ask(&["--stdin"], takes);
    assert_eq!((reply.code, reply.out), (1, format!("{takes}\t1\t11\t?\n")));
    assert_eq!(reply.err, format!("some best moves are not known (?): not here: KRvK.tsm; {hint}"));
}

#[test]
fn small_tables_that_are_missing_are_solved() {
    let (folder, rules) = gap("journey-solved");
    let ask = |tables: &str, more: &[&str], input: &str| {
        call(&[&["probe", "--variant", &rules, "--tables", tables], more].concat(), input)
    };
    let takes = "k3/4/4/KR1n w - - 0 1";
    let said = "not all tables are built: those that moves from KRvKN lead to were solved in memory, ";
    let reply = ask(folder.text(), &[takes], "");
    assert!(reply.code == 0 && reply.err.starts_with(said), "{}", reply.err);
    reply.says(&["\nmove ", "\n1. "]);
    // The same without a folder, and as JSON; its value is that of the file.
    let json = |more: &[&str]| -> serde_json::Value {
        let args = [&["probe", "--variant", &rules, takes, "--json"], more].concat();
        serde_json::from_str(&call(&args, "").out).expect("JSON")
    };
    let (solved, built) = (json(&[]), json(&["--tables", folder.text(), "--value-only"]));
    assert!(
        solved["dtm"] == built["dtm"] && solved["file"].is_null() && solved["missing"].is_null(),
        "{solved}"
    );
    assert_eq!(built["file"], "KRvKN.tsm");
    let reply = ask(folder.text(), &["--stdin"], takes);
    assert!(reply.code == 0 && reply.out.starts_with(&format!("{takes}\t1\t")), "{}", reply.out);
    assert!(reply.err.starts_with("not built, so solved in memory: "), "{}", reply.err);
    // What is no position, or too large, is not solved.
    assert_eq!(ask("no-such-folder", &["nonsense"], "").code, 2);
    ask(folder.text(), &["k1nn/4/4/KR2 w - - 0 1", "--no-solve"], "").ended(1).says(&["is not built"]);
}

#[test]
fn what_cannot_be_verified_does_not_stop_the_rest() {
    let (folder, rules) = gap("journey-verify");
    fs::copy(folder.0.join("KNvK.tsm"), folder.0.join("copy of.tsm")).expect("the table is there");
    let reply = call(&["verify", folder.text(), "--variant", &rules], "");
    assert_eq!((reply.code, reply.err.as_str()), (1, ""), "{}", reply.out);
    let lines: Vec<&str> = reply.out.lines().collect();
    assert!(lines[0].starts_with("copy of.tsm: not verified: material `copy of`"), "{}", reply.out);
    assert!(lines[1].starts_with("KNvK: ok, "), "{}", reply.out);
    let hint = format!("run `tablesmith solve {rules} --table KRvKN --out {}`", folder.text());
    assert_eq!(lines[2], format!("KRvKN: needs KRvK, which is not built: {hint}"));
    assert!(lines[3].starts_with("3 tables, ") && lines[3].contains(": 2 not verified ("), "{}", reply.out);
    let reply = call(&["verify", folder.text(), "--variant", &rules, "--json"], "");
    let json: serde_json::Value = serde_json::from_str(&reply.out).expect("JSON");
    assert_eq!((reply.code, &json["tables"][0]["table"]), (1, &"copy of.tsm".into()));
    fs::rename(folder.0.join("KNvK.tsm"), folder.0.join("KvKN.tsm")).expect("the table is there");
    call(&["verify", folder.text(), "--variant", &rules], "").says(&[
        "KvKN.tsm: not verified: no table has this name\n",
        "KRvKN: needs KRvK, KNvK, which are not built",
    ]);
}

#[test]
fn statistics_are_told_and_a_damaged_file_is_refused() {
    let folder = tables("journey-statistics");
    let file = folder.0.join("KQvK.tsm");
    let name = file.to_str().expect("plain text").to_owned();
    call(&["stats", &name], "").says(&["White to move, longest win: 19 plies"]);
    let reply = call(&["stats", &name, "--epd", "--variant", FIDE], "");
    assert!(reply.out.lines().count() > 0 && reply.out.contains("dm 10;"), "{}{}", reply.out, reply.err);
    let whole = fs::read(&file).expect("the file");
    let refused = |bytes: &[u8], expected: &str| {
        fs::write(&file, bytes).expect("the file is written");
        for args in [
            &["probe", MATE_IN_5, "--variant", FIDE, "--tables", folder.text()][..],
            &["stats", &name, "--epd", "--variant", FIDE],
        ] {
            let reply = call(args, "");
            assert_eq!((reply.code, reply.out.as_str()), (2, ""), "{args:?}");
            reply.errs(&[expected]);
        }
    };
    refused(&whole[..whole.len() / 2], "cut short");
    // A bit of each page: the blocks that are read first are among them.
    let mut flipped = whole.clone();
    flipped[48] ^= 4;
    flipped[super::end_of_pages(&whole) / 2] ^= 16;
    refused(&super::with_damaged_page(flipped), "damaged in block");
}

#[test]
fn tables_to_verify_are_chosen_and_sampled() {
    let folder = Folder::new("journey-sample");
    let rules = &*folder.write("tiny.toml", small());
    solve(Path::new(rules), "KRvKN", &folder);
    let ask = |more: &[&str]| {
        let reply = call(&[&["verify", folder.text(), "--variant", rules], more].concat(), "");
        let lines: Vec<String> = reply.out.lines().map(str::to_owned).collect();
        (reply.code, lines, reply.err)
    };
    let names = |lines: &[String]| {
        let tables = lines[..lines.len() - 1].iter();
        tables.map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let (code, lines, _) = ask(&["--men", "3"]);
    assert_eq!((code, names(&lines)), (0, vec!["KRvK".to_owned(), "KNvK".to_owned()]), "{lines:?}");
    let (code, all, _) = ask(&["--table", "KNvKR"]);
    assert_eq!((code, names(&all)), (0, vec!["KRvKN".to_owned()]), "{all:?}");
    // Files hold the canonical places of legal positions only, so a sample counts no others.
    let (code, sample, _) = ask(&["--table", "KRvKN", "--sample", "1000000"]);
    let count = |lines: &[String], word: &str| {
        let part = lines[0].split(", ").find(|part| part.contains(word)).map(str::to_owned);
        part.and_then(|part| part.split(' ').next().map(str::to_owned)).expect("a number")
    };
    assert_eq!((code, count(&sample, "positions")), (0, count(&all, "positions")), "{sample:?}");
    assert_eq!(count(&sample, "values"), count(&sample, "positions"));
    let (code, _, err) = ask(&["--men", "2"]);
    assert!(code == 2 && err.contains("has no table that is asked for"), "{err}");
    // Other values for the table that captures lead to: checksums are right, values are not.
    let file = folder.0.join("KRvK.tsm");
    let variant = Variant::parse(&small(), "tiny.toml").expect("the rules");
    let mut table =
        library::TableFiles::new(library::Edition::new(&variant, variant.default_metric), &folder.0)
            .read("KRvK")
            .expect("the table");
    let Some(table::Codes::TwoBytes(codes)) = table.codes_mut(variant::Side::White) else {
        panic!("wide codes")
    };
    codes.iter_mut().filter(|code| **code > 2).for_each(|code| *code += 4);
    let metadata = format::Summary::read(&file, variant.default_metric).expect("the file").metadata;
    format::TableWriter::new(&variant).write(&file, &table, &metadata).expect("the file is written");
    let (code, lines, _) = ask(&["--sample", "100"]);
    assert!(code == 1 && lines[0].contains("wrong value"), "{lines:?}");
}

/// A file of another version of the solver may hold other values: it is solved again.
#[test]
fn a_file_of_another_solver_is_solved_again() {
    let folder = Folder::new("journey-solver");
    let file = folder.0.join("KQvK.tsm");
    let solve = || {
        let reply = run(&["solve", FIDE, "--table", "KQvK", "--threads", "1", "--out", folder.text()], 0);
        (fs::read(&file).expect("the table"), reply.out)
    };
    let (ours, first) = solve();
    assert!(first.contains("1 table, "), "{first}");
    let (kept, second) = solve();
    assert!(kept == ours && second != first, "{second}");
    let variant = Variant::load(Path::new(FIDE)).expect("the rules of chess");
    let files = library::TableFiles::new(library::Edition::new(&variant, variant.default_metric), &folder.0);
    let table = files.read("KQvK").expect("the table");
    for other in [solve::VERSION + 1, solve::VERSION - 1] {
        let mut metadata = format::Summary::read(&file, variant.default_metric).expect("the file").metadata;
        metadata.solver_version = other;
        format::TableWriter::new(&variant).write(&file, &table, &metadata).expect("the file is written");
        assert!(fs::read(&file).expect("the file") != ours);
        let (again, out) = solve();
        assert!(again == ours, "a file of solver {other} was kept: {out}");
    }
}

/// Chess on four by five squares, so that five men and their promotions take a second.
#[test]
fn tables_are_the_same_whatever_memory_there_is() {
    let folder = Folder::new("journey-memory");
    let mut text = fs::read_to_string(FIDE).expect("the rules of chess");
    for (from, to) in [
        ("castling = true", "castling = false"),
        ("files = 8", "files = 4"),
        ("\nranks = 8", "\nranks = 5"),
        ("promotion-rank = 8", "promotion-rank = 5"),
    ] {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    let rules = folder.write("small.toml", text);
    let plan = call(&["plan", &rules, "--table", "KRPvKR", "--threads", "2", "--json"], "").json();
    let tables = plan["tables"].as_array().expect("tables");
    let largest = tables.iter().filter_map(|table| table["memory_bytes"].as_u64()).max().expect("a table");
    assert!(tables.iter().any(|table| table["memory"]["table_parts"].as_u64() > Some(0)), "{plan}");
    assert!(plan["peak_bytes"].as_u64() > Some(largest), "{plan}");
    let solve = |name: &str, memory: &str| {
        let out = folder.0.join(name);
        let path = out.to_str().expect("plain text");
        let args =
            ["solve", &rules, "--table", "KRPvKR", "--threads", "2", "--memory", memory, "--out", path];
        run(&args, 0);
        fs::read(out.join("KRPvKR.tsm")).expect("the table")
    };
    assert!(solve("little", &largest.to_string()) == solve("much", "8G"));
    let little: &str = &folder.path("little");
    let reply = call(&["verify", little, "--variant", &rules, "--table", "KRPvKR"], "");
    assert!(reply.code == 0 && reply.out.starts_with("KRPvKR: ok, "), "{}", reply.out);
}

#[test]
fn plies_are_reported_as_they_are_found() {
    let folder = Folder::new("journey-plies");
    let solve = |more: &[&str]| {
        let args = ["solve", FIDE, "--table", "KPvK", "--force", "--out", folder.text()];
        call(&[&args, more].concat(), "").err
    };
    let output = solve(&["--plies"]);
    // Of 8 placements of KQvK's only longest win one is canonical.
    assert!(output.contains("\nKQvK: White wins in 19 plies: 1 placement, White to move\n"), "{output}");
    assert!(output.contains("KPvK Pa7: White wins in 1 ply: "), "{output}");
    assert!(!output.contains("in 57 plies"), "{output}");
    assert!(!solve(&[]).contains(" wins in "));
}
