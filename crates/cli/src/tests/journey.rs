//! From rules to answers: tables are solved, written, and asked in every way.
//!
//! The values come from the naive oracle, so that what is printed is true whatever the solver does.

use super::{FIDE, Folder, call};
use crate::args::{SolveArgs, Wanted};
use crate::console::Console;
use crate::failure::Answer;
use index::Layout;
use proof::Oracle;
use solve::{Progress, SolveError};
use std::fs;
use std::io::BufReader;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::Variant;

const MATE_IN_5: &str = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1";
const MATE: &str = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const LOSS: &str = "8/8/8/8/8/5k2/4q3/6K1 w - - 0 1";

fn oracle(
    variant: &Variant,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    _: &dyn Progress,
) -> Result<Table, SolveError> {
    let mut oracle = Oracle::folded(variant);
    oracle.solve_with(layout.material(), lookup).unwrap_or_else(|missing| panic!("{missing:?}"));
    Ok(oracle.table(layout.material()).expect("it has just been solved"))
}

/// The table of king and queen against king.
fn tables(name: &str) -> Folder {
    let folder = Folder::new(name);
    let args = SolveArgs {
        variant: FIDE.into(),
        wanted: Wanted { men: None, table: Some("KQvK".into()) },
        out: Some(folder.0.clone()),
        threads: None,
        force: false,
        verify: true,
        json: false,
    };
    let (mut input, mut out, mut err) = (BufReader::new(&b""[..]), Vec::new(), Vec::new());
    let program = crate::TABLESMITH;
    let mut console = Console { program, input: &mut input, out: &mut out, err: &mut err, is_watched: false };
    let outcome = crate::solve::run_with(&mut console, &args, &oracle);
    assert_eq!(outcome, Ok(Answer::Yes));
    let out = String::from_utf8(out).expect("text");
    assert!(out.contains("10 moves, 19 plies: "), "{out}");
    folder
}

#[track_caller]
fn check_probe(folder: &Folder, fen: &str, expected: &[&str]) {
    let reply = call(&["probe", fen, "--variant", FIDE, "--tables", folder.text()], "");
    assert_eq!(reply.code, 0, "{}", reply.err);
    for expected in expected {
        assert!(reply.out.contains(expected), "{expected} is not in\n{}", reply.out);
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
            "\nWhite mates in 5 moves, 9 plies\n\nmove        value\nQd5   h1d5  wins in 5 moves, 9 plies\n",
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
    let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
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
    assert!(answer.starts_with(&format!("{castling}\terror\trefused: castling rights `K`")), "{answer}");
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
}

#[test]
fn statistics_are_told_and_a_damaged_file_is_refused() {
    let folder = tables("journey-statistics");
    let file = folder.0.join("KQvK.tsm");
    let name = file.to_str().expect("plain text").to_owned();
    let reply = call(&["stats", &name], "");
    assert!(reply.out.contains("White to move, longest win: 19 plies"), "{}{}", reply.out, reply.err);
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
            assert!(reply.err.contains(expected), "{}", reply.err);
        }
    };
    refused(&whole[..whole.len() / 2], "cut short");
    let mut flipped = whole.clone();
    *flipped.last_mut().expect("a byte") ^= 4;
    flipped[whole.len() / 2] ^= 16;
    refused(&flipped, "damaged in block");
}
