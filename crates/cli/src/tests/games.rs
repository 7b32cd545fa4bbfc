//! Solves games by their names, from nothing but the program.

use super::{FIDE, Folder, call, check, refused, run};
use std::fs;
use variant::game::GAMES;

#[test]
fn games_that_are_built_in_are_listed_and_shown() {
    let list = call(&["variants"], "").out;
    assert_eq!(list.lines().count(), 1 + GAMES.len(), "{list}");
    let row = list.lines().find(|line| line.starts_with("los-alamos")).expect("a row");
    assert!(row.contains("6×6") && row.contains("Los Alamos chess: 6 × 6, without bishops"), "{row}");
    let shown = call(&["variants", "--show", "chess"], "").out;
    let rules = shown.strip_suffix(&fs::read_to_string(FIDE).expect("the rules")).expect("the rules");
    assert!(rules.lines().all(|line| line.starts_with('#')), "{rules}");
    assert!(rules.contains("give it a name of its own below: as `fide` its tables"), "{rules}");
    refused(&["variants", "--show", "ches"], "`tablesmith variants` lists those that are built in");
}

#[test]
fn checks_that_count_are_part_of_names_and_positions() {
    let folder = Folder::new("checks");
    let tables = folder.text();
    let three_check = |command: &str, args: &[&str]| call(&[&[command, "three-check"], args].concat(), "");
    let fen = "8/8/8/8/8/4k3/8/4K2B w - - 1+3 0 1";
    let solved = three_check("solve", &["--position", fen, "--out", tables]);
    solved.ended(0).says(&["checks left: White 1, Black 3", "White wins in 7 moves", "(from KBvK+1+3.tsm)"]);
    let find = ["find", "KBvK+1+3", "--tables", tables, "--where", "dtm == 17", "--limit", "1"];
    call(&find, "").ended(0).says(&["w - - 1+3 bm"]);
    // A file of one number of checks says nothing of another.
    let files = ["--format", "bits", "--question", "white wins", "--out", tables];
    call(&[&["export", tables, "--table", "KBvK+1+3"], &files[..]].concat(), "").ended(0);
    let file = folder.path("KBvK+1+3.white-wins.tsq");
    let ask = |checks: &str| call(&["probe", "--bits", &file, &fen.replace("1+3", checks)], "");
    assert_eq!(ask("1+3").out, "white wins: yes\n");
    ask("1+2").ended(1).says(&["holds KBvK+1+3"]);

    let refused = |command: &str, args: &[&str], why: &str| {
        three_check(command, args).ended(2).errs(&[why]);
    };
    let table = ["--table", "KBvK", "--out", tables];
    for metric in ["dtm50", "help"] {
        let why = format!("three-check counts checks, and its tables hold no {metric}");
        refused("solve", &[&table[..], &["--metric", metric]].concat(), &why);
        refused("plan", &[&table[..2], &["--metric", metric]].concat(), &why);
    }
    for (format, why) in [("tbl", "a .tbl cannot hold dtm: its name"), ("syzygy", "ask for the men alone\n")]
    {
        let none = folder.path("none");
        refused("solve", &["--table", "KBvK", "--write", format, "--out", &none], why);
    }
    refused(
        "solve",
        &["--position", fen, "--time", "9s"],
        "positions of games that count checks are solved with",
    );
    refused("plan", &["--position", fen], "`plan three-check --table KBvK+1+3`");
    let structure = folder.path("own.toml");
    fs::write(&structure, "game = \"three-check\"\n[[man]]\n").expect("a file");
    refused("plan", &["--structure", &structure], "three-check counts checks, and has no structures");
}

#[test]
fn games_are_solved_by_their_names() {
    let folder = Folder::new("by-name");
    let solve = |game: &str| call(&["solve", game, "--table", "KQvK", "--out", folder.text()], "");
    let reply = solve("Atomic");
    reply.ended(0);
    assert!(reply.err.starts_with("atomic has the rules that are built in\n"), "{}", reply.err);
    let beside = folder.0.join("atomic.rules.toml");
    assert_eq!(fs::read_to_string(&beside).expect("the rules lie beside the tables"), variant::game::ATOMIC);
    // Tables are asked by the rules beside them, whatever the program knows.
    check(&["probe", "8/8/8/8/8/4k3/8/4K2Q w", "--tables", folder.text()], 0, "(from KQvK.tsm)", "");
    check(&["verify", folder.text()], 0, "KQvK", "");
    solve("atomic-2").ended(2).errs(&["one of the games that are built in"]);
    run(&["plan", "--men", "3"], 0).says(&["5 tables"]);
}
