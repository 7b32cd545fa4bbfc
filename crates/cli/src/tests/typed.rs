//! Types names, FENs and folders as people do.

use super::{FIDE, Folder, call, check, refused, run};
use std::fs;

/// A game of one's own, which no folder of variants has: chess on five files and ranks without pawns.
fn own_game(folder: &Folder, name: &str) -> String {
    let text = format!(
        "name = \"{name}\"\n[board]\nfiles = 5\nranks = 5\n\
         [[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n[[piece]]\nletter = \"R\"\nbetza = \"R\"\n"
    );
    folder.write(&format!("{name}-rules"), text)
}

#[test]
fn names_of_tables_are_understood() {
    for typed in ["KRKN", "krkn", "KNvKR"] {
        let reply = call(&["plan", FIDE, "--table", typed], "");
        reply.ended(0).says(&["KRvKN"]);
        assert_eq!(reply.err, format!("{typed} is the table KRvKN\n"));
    }
    assert_eq!(call(&["plan", FIDE, "--table", "KRvKN"], "").err, "");
    refused(&["plan", FIDE, "--table", "KXKN"], "exactly one lower-case `v`");
    let folder = Folder::new("typed");
    let reply = run(&["solve", FIDE, "--table", "kkq", "--out", folder.text()], 0);
    assert!(reply.err.starts_with("kkq is the table KQvK\n"), "{}", reply.err);
    let reply = call(&["verify", folder.text(), "--variant", FIDE, "--table", "kqk"], "");
    assert!(reply.code == 0 && reply.err.starts_with("kqk is the table KQvK\n"), "{}", reply.err);
}

#[test]
fn fens_may_be_short_and_digits_are_counted() {
    let folder = Folder::new("short-fens");
    run(&["solve", FIDE, "--table", "KQvK", "--out", folder.text()], 0);
    let probe =
        |fen: &str| call(&["probe", fen, "--tables", folder.text(), "--variant", FIDE, "--value-only"], "");
    let reply = probe("8/8/8/8/8/4k3/8/4K2Q w");
    reply.ended(0).says(&["White mates in 5 moves, 9 plies"]);
    let whole = probe("8/8/8/8/8/4k3/8/4K2Q w - - 0 1");
    assert_eq!(reply.out, whole.out);
    for (fen, said) in [
        ("44/8/8/8/8/4k3/8/4K2Q w", "rank 8 (`44`) has `44`: empty squares in a row are one number"),
        ("80/8/8/8/8/4k3/8/4K2Q w", "rank 8 (`80`) has `80`"),
        ("8/8/8/8/8/04k3/8/4K2Q w", "rank 3 (`04k3`) has `04`"),
        ("8/8/8/8/8/4k3/8/4K2Q", "1 field, expected 2 to 6"),
        ("8/8/8/8/8/4\u{1b}[31mk3/8/4K2Q w", "the letter `\\u{1b}`"),
    ] {
        probe(fen).ended(2).errs(&[said]);
    }
}

#[test]
fn folder_of_a_game_has_its_rules() {
    let folder = Folder::new("own-game");
    let rules = own_game(&folder, "mine");
    let tables: &str = &folder.path("tables");
    run(&["solve", &rules, "--men", "3", "--out", tables], 0);
    fs::remove_file(&rules).expect("the rules");
    let fen = "4k/5/K4/5/R4 w";
    run(&["probe", fen, "--tables", tables], 0).says(&["White mates in "]);
    check(&["verify", tables], 0, "KRvK: ok", "");
    let file = format!("{tables}/KRvK.tsm");
    run(&["stats", &file, "--epd"], 0).says(&[" dm "]);
    // Of two games it is not clear which is meant.
    let (other, more) = (own_game(&folder, "other"), &*folder.path("more"));
    run(&["solve", &other, "--men", "3", "--out", more], 0);
    fs::copy(format!("{more}/KRvK.tsm"), format!("{tables}/KRRvK.tsm")).expect("a file");
    refused(&["probe", fen, "--tables", tables], "has tables of several games (mine, other)");
}

#[test]
fn men_and_table_go_together() {
    let folder = Folder::new("men-and-table");
    let rules = own_game(&folder, "pair");
    run(&["solve", &rules, "--men", "4", "--out", folder.text()], 0);
    let verify =
        |more: &[&str]| call(&[&["verify", folder.text(), "--variant", &rules], more].concat(), "").out;
    let out = verify(&["--men", "3", "--table", "KRvKR"]);
    assert!(out.contains("\n2 tables, ") && out.contains("KRvKR: ok") && !out.contains("KRRvK"), "{out}");
    assert!(verify(&["--men", "3"]).contains("\n1 table, "));
    assert!(verify(&["--table", "KRvKR"]).starts_with("KRvKR: ok"));
}

#[test]
fn a_cache_of_any_size_gives_the_same_answers() {
    let folder = Folder::new("cache-sizes");
    let solve = ["solve", FIDE, "--men", "3", "--metric", "wdl,dtz50", "--out", folder.text()];
    run(&solve, 0);
    let fens: String = (1..7)
        .flat_map(|n| ["Q", "R", "P"].map(|man| format!("7k/8/8/{n}{man}{}/8/8/8/4K3 b - - 0 1\n", 7 - n)))
        .collect();
    let args = ["probe", "--stdin", "--metric", "dtz50", "--variant", FIDE, "--tables", folder.text()];
    let free = call(&args, &fens);
    assert_eq!((free.code, free.out.lines().count()), (0, 18), "{}{}", free.out, free.err);
    for size in ["0", "1", "20kB", "64M", "100G"] {
        let bound = call(&[&args[..], &["--cache", size]].concat(), &fens);
        assert_eq!((bound.code, &bound.out), (0, &free.out), "--cache {size}: {}", bound.err);
    }
    for (size, said) in [("many", "`many` is no size such as 4G, 800M or 1.5GiB"), ("-1", "'-1'")] {
        let reply = call(&[&args[..], &["--cache", size]].concat(), &fens);
        assert!(reply.code == 2 && reply.out.is_empty() && reply.err.contains(said), "{}", reply.err);
    }
}
