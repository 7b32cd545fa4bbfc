//! Solves, probes, verifies and counts positions in which a side may castle.

use super::{FIDE, Folder, call, check, run};
use format::{Column, columns_of, remove_column};
use std::fs;
use variant::Metric;

/// Few squares, on which king and rook exchange their places.
const NARROW: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/narrow_castling.toml");

/// White may castle, and mates in 11 moves.
const CASTLES: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";

#[test]
fn rights_are_solved_into_the_files_of_tables_and_probed() {
    let folder = Folder::new("castling");
    let solve = ["solve", FIDE, "--table", "KRvK", "--rights", "--out", folder.text()];
    let reply = run(&solve, 0);
    let last = reply.out.trim_end().lines().last().expect("a line");
    assert!(last.starts_with("1 column with castling rights, 211 positions, "), "{}", reply.out);
    assert!(last.contains(": solved in "), "{}", reply.out);
    let again = call(&solve, "").out;
    assert!(
        again.contains(": all done already\n") && again.contains("KRvK           2          211  "),
        "{again}"
    );

    let tables = ["--variant", FIDE, "--tables", folder.text()];
    let probe =
        |fen: &'static str, more: &[&'static str]| call(&[&["probe", fen], &tables[..], more].concat(), "");
    let reply = probe(CASTLES, &[]).out;
    assert!(reply.contains("\n(from KRvK.tsm)\n") && reply.contains("\nO-O   e1g1  wins in "), "{reply}");
    // Black, whose right is the image of White's, may castle through no attacked square.
    let reply = probe("r3k3/8/8/8/8/8/8/3K4 b q - 0 1", &[]).out;
    assert!(reply.contains("\n(from KRvK.tsm)\n") && reply.contains("\nO-O-O+  e8c8  wins in "), "{reply}");
    assert!(!probe("4k3/8/8/8/8/7K/8/5R2 b - - 0 1", &[]).out.contains("castling"));
    let is_right = "\nKRvK with castling rights: ok, 256 values, 211 positions, ";
    check(&["verify", folder.text()], 0, is_right, "");
    check(&["verify", &folder.path("KRvK.tsm")], 0, is_right, "");
    check(&["verify", folder.text(), "--table", "KQvK"], 2, "", "no table that is asked for");

    let file = folder.0.join("KRvK.tsm");
    let name = file.to_str().expect("plain text");
    let reply = call(&["stats", name, "--rights"], "").out;
    assert!(reply.contains("\nK             106") && reply.contains("\nall           211"), "{reply}");
    check(&["stats", name, "--rights", "--json"], 0, "\"positions\": 106", "");
    check(&["stats", name, "--rights", "--metric", "wdl"], 2, "", "no wdl with castling rights, it has dtm");
    check(&["stats", folder.text(), "--rights"], 2, "", "--rights is for the file of a table");
    run(&["stats", folder.text(), "--columns"], 0).says(&["\nKRvK   dtm with castling rights  White and "]);
    let reply = run(&["stats", name, "--rights", "--epd"], 0);
    assert!(reply.out.lines().all(|line| line.contains(" bm O-O")), "{}", reply.out);
    run(&["solve", FIDE, "--table", "KRvKP", "--rights", "--out", folder.text()], 0);
    let reply = call(&["stats", &folder.path("KRvKP.tsm"), "--rights", "--epd"], "").out;
    let sole = "8/8/8/8/8/6kp/8/4K2R w K - bm O-O; c0 \"win in 27 plies\";\n";
    assert!(reply.contains(sole), "{reply}");

    // Without the column the same values are solved from the table.
    let kept = fs::read(&file).expect("a file");
    let value = |text: &str| text.lines().find(|line| line.starts_with("White mates")).map(str::to_owned);
    let stored = probe(CASTLES, &[]).out;
    remove_column(&file, Column::with_rights(Metric::Dtm)).expect("it was there");
    check(&["stats", name, "--rights"], 2, "", "has no castling rights, it has dtm");
    let solved = probe(CASTLES, &[]).out;
    let how = "\n(castling rights solved now, from KRvK.tsm; solve --rights keeps them)\n";
    assert!(solved.contains(how), "{solved}");
    assert!(value(&stored).is_some() && value(&stored) == value(&solved), "{stored}{solved}");
    assert!(stored.split("\nmove ").nth(1) == solved.split("\nmove ").nth(1));
    let json = probe(CASTLES, &["--json"]).out;
    assert!(json.contains("\"solved\": true") && json.contains("\"san\": \"O-O\""), "{json}");
    // Black's moves do not end White's right.
    probe("4k3/8/8/8/8/8/8/4K2R b K - 0 1", &["--no-solve"])
        .ended(1)
        .says(&["dtm with castling rights in KRvK.tsm; positions of KRvK with castling"]);

    // A damaged page is refused, and made again; the table is as good as before.
    let without = fs::read(&file).expect("a file");
    let mut damaged = kept.clone();
    let at = kept.iter().zip(&without).position(|(a, b)| a != b).expect("rights stand behind the table");
    damaged[at + 20] ^= 1;
    fs::write(&file, damaged).expect("a file");
    let error = "KRvK.tsm is damaged in its castling rights `Ke1Rh1 k`; run solve --rights again";
    probe(CASTLES, &[]).ended(2).errs(&[error]);
    run(&["verify", name], 1).says(&["KRvK: ok, ", error]);
    run(&solve, 0);
    assert!(fs::read(&file).expect("a file") == kept);
    // Columns that are copied or packed in another way leave it alone.
    let copy = folder.path("copy");
    let repack = ["repack", folder.text(), "--columns", "dtm", "--table", "KRvK", "--out", &copy];
    check(&repack, 0, "2 columns copied", "");
    assert!(fs::read(folder.0.join("copy/KRvK.tsm")).expect("a file") == kept);
    check(&repack, 0, "; 2 were there already", "");
    for packing in ["--small", "--quick"] {
        run(&["repack", folder.text(), packing, "--table", "KRvK"], 0).says(&["1 column in "]);
        check(&["verify", name], 0, is_right, "");
    }
    assert!(fs::read(&file).expect("a file") == kept);
}

#[test]
fn rights_without_tables_and_without_castling_are_told() {
    let folder = Folder::new("castling-none");
    let tables = ["--variant", FIDE, "--tables", folder.text()];
    let probe =
        |fen: &'static str, more: &[&'static str]| call(&[&["probe", fen], &tables[..], more].concat(), "");
    // Black's moves do not end White's right.
    let reply = probe("4k3/8/8/8/8/8/8/4K2R b K - 0 1", &["--no-solve"]);
    assert!(
        reply.code == 1
            && reply.out.starts_with(
                "not here: KRvK.tsm; positions of KRvK with castling rights are not solved: run `"
            )
            && reply.out.contains(" --table KRvK --rights --out "),
        "{}",
        reply.out
    );
    let reply = probe(CASTLES, &["--value-only"]);
    assert!(reply.out.ends_with("\n(castling rights solved now)\n"), "{}", reply.out);
    reply.errs(&["KRvK and those it leads to were solved in memory"]);
    probe("4k3/pppp4/8/8/8/8/8/4K2R w K - 0 1", &[])
        .ended(1)
        .says(&["7 men with castling rights are not solved: up to 6"]);
    // Six men take minutes, and no question waits for them.
    probe("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", &[]).ended(1).says(&[
        "not here: KRRvKRR.tsm; positions of KRRvKRR with castling rights are not solved: run `",
        " --table KRRvKRR --rights --out ",
    ]);
    let games = FIDE.replace("fide", "shatranj");
    check(&["solve", &games, "--rights", "--men", "3"], 2, "", "--rights: shatranj has no castling");
    run(&["probe", CASTLES, "--variant", &games, "--tables", folder.text()], 0).errs(&["deny were left out"]);
    check(&["solve", FIDE, "--rights", "--json"], 2, "", "cannot be used with");
}

/// King and rooks may begin on any file, so the castling field does not tell the choices of rights apart.
#[test]
fn choices_of_rights_of_chess960_have_names_of_their_own() {
    let folder = Folder::new("castling-960");
    let rules = FIDE.replace("fide", "chess960");
    run(&["solve", &rules, "--table", "KRvK", "--rights", "--out", folder.text()], 0);
    let file = folder.path("KRvK.tsm");
    let out = call(&["stats", &file, "--rights", "--variant", &rules], "").out;
    let names: std::collections::BTreeSet<&str> =
        out.lines().skip(2).map(|line| line.split("  ").next().unwrap_or_default()).collect();
    assert_eq!(names.len(), 56 + 1, "{out}");
    assert!(names.contains("Kd1Rh1 k") && names.contains("all"), "{out}");
}

#[test]
fn a_position_with_rights_is_solved_and_answered() {
    let folder = Folder::new("castling-position");
    let out = folder.path("own");
    let solve = ["solve", "--position", CASTLES, "--out", &out];
    let reply = run(&solve, 0);
    let probe = |out: &str| call(&["probe", CASTLES, "--variant", FIDE, "--tables", out], "").out;
    let answer = probe(&out);
    assert!(answer.contains("\nWhite mates in 11 moves") && answer.contains("(from KRvK.tsm)"), "{answer}");
    let report = reply.out.strip_suffix(&format!("\n{answer}")).expect("the answer of probe comes last");
    assert!(report.contains("1 column with castling rights, 211 positions, "), "{report}");
    let again = call(&solve, "").out;
    assert!(again.contains(": all done already\n") && again.ends_with(&answer), "{again}");
    let reply = call(&[&solve[..], &["--json"]].concat(), "");
    let json: serde_json::Value = serde_json::from_str(&reply.out).expect("nothing but JSON");
    assert_eq!((&json["dtm"], &json["file"]), (&21.into(), &"KRvK.tsm".into()), "{}", reply.out);
    reply.errs(&[": all done already\n"]);

    // What another folder has is used: its column, and where it has none its table.
    let other = folder.path("other");
    let using = ["solve", "--position", CASTLES, "--out", &other, "--using", &out];
    let files = |folder: &str| -> Vec<String> {
        let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
        let files = files.filter(|file| file.extension().is_some_and(|ending| ending != "toml"));
        files.map(|file| file.file_name().expect("a name").display().to_string()).collect()
    };
    let reply = call(&using, "");
    assert!(reply.code == 0 && reply.out.ends_with(&answer), "{}{}", reply.out, reply.err);
    reply.errs(&["taken: ", "KRvK.tsm\n"]);
    assert_eq!(files(&other), [""; 0]);
    let rights = Column::with_rights(Metric::Dtm);
    remove_column(&folder.0.join("own/KRvK.tsm"), rights).expect("it was there");
    let reply = call(&using, "");
    assert!(reply.code == 0 && reply.out.ends_with(&answer), "{}{}", reply.out, reply.err);
    assert_eq!(files(&other), ["KRvK.tsm"]);
    let columns = |table: &str| columns_of(&folder.0.join("other").join(table)).expect("columns");
    assert_eq!(columns("KRvK.tsm"), [rights]);
    // A table that no folder has is made.
    let bishop = "8/8/8/8/8/5b2/8/k3K2R w K - 0 1";
    run(&["solve", "--position", bishop, "--out", &other, "--using", &out], 0)
        .says(&["  e1g1  wins in 12 moves, 23 plies\n"]);
    assert_eq!(columns("KRvKB.tsm"), [Metric::Dtm.into(), rights]);
    assert_eq!(columns("KRvK.tsm"), [rights]);
    // Tables that are lent serve `--rights`, too.
    let pawn = ["solve", FIDE, "--table", "KRvKP", "--rights", "--out", &other, "--using", &out];
    let reply = call(&pawn, "");
    assert!(reply.code == 0 && columns("KRvKP.tsm") == [Metric::Dtm.into(), rights], "{}", reply.err);
    assert_eq!(columns("KRvK.tsm"), [rights]);
    // A file of rights alone is one of no table.
    let alone = folder.path("other/KRvK.tsm");
    check(&["stats", &alone], 2, "", "KRvK.tsm has no table, it has dtm with castling rights");
    run(&["stats", &alone, "--rights"], 0);
    run(&["solve", "--table", "KRvK", "--out", &other], 0);
    assert_eq!(columns("KRvK.tsm"), [Metric::Dtm.into(), rights]);
}

/// Six men with pawns, on so few squares that it takes no time.
#[test]
fn many_men_on_few_squares_are_solved_with_rights() {
    let folder = Folder::new("castling-narrow");
    let out = folder.path("tables");
    let fen = "k1r/p2/2P/1KR w K - 0 1";
    let solve = ["solve", NARROW, "--position", fen, "--metric", "dtz50", "--out", &out];
    run(&solve, 0).says(&["\n(from KRPvKRP.tsm)\n", "\nO-O   b1c1  "]);
    let verify = ["verify", &out, "--variant", NARROW, "--table", "KRPvKRP"];
    run(&verify, 0).says(&["KRPvKRP.dtz50 with castling rights: ok, "]);
}

#[test]
fn positions_with_rights_that_cannot_be_solved_are_refused() {
    let folder = Folder::new("castling-refused");
    let solve = |more: &[&str]| call(&[&["solve", "--out", folder.text()], more].concat(), "");
    let refused = |more: &[&str], word: &str| {
        let reply = solve(more);
        reply.ended(2).errs(&[word]);
        assert_eq!(reply.out, "", "{more:?}");
    };
    let without = "4k3/8/8/8/8/8/8/4K2R w - - 0 1";
    refused(&["--position", CASTLES, "--position", without], "w - - 0 1 has none: the one is solved with");
    let many = "4k3/pp6/8/8/8/8/P7/R3K2R w K - 0 1";
    let error =
        "4k3/pp6/8/8/8/8/P7/R3K2R w K - 0 1: positions of 7 men with castling rights are not solved: up to 6";
    refused(&["--position", CASTLES, "--position", many], error);
    refused(&["--position", CASTLES, "--promoted", "1"], "--promoted is for structures");
    refused(&["--position", CASTLES, "--fixed", "wRh1"], "--fixed is for structures");
    refused(&["--position", CASTLES, "--metric", "wdl,dtm"], "one metric at a time");
    refused(&["--position", CASTLES, "--limit", "1000"], "values, and --limit allows 1,000: allow more");
    refused(&["--position", CASTLES, "--write", "syzygy"], "solve these with --table");
    refused(&["--position", CASTLES, "--using", "/nowhere"], "there is no folder /nowhere");
    refused(&["--position", "4k2R/8/8/8/8/8/8/4K2R w K - 0 1"], "White is to move and could capture");
    let games = FIDE.replace("fide", "shatranj");
    solve(&[&games, "--position", CASTLES]).ended(0).errs(&["deny were left out"]);
    check(&["plan", "--position", CASTLES], 2, "", "--table KRvK` says what these take");
}

/// Games that share their tables differ in castling: a column has the rules of its own game.
#[test]
fn rights_of_another_game_stand_beside_its_tables() {
    let folder = Folder::new("castling-shared");
    run(&["solve", FIDE, "--table", "KRvK", "--out", folder.text()], 0);
    let rules = FIDE.replace("fide", "chess960");
    run(&["solve", &rules, "--table", "KRvK", "--rights", "--out", folder.text()], 0);
    let file = folder.path("KRvK.tsm");
    assert_eq!(columns_of(&folder.0.join("KRvK.tsm")).expect("columns").len(), 2);
    run(&["stats", &file, "--rights"], 0).says(&["\nRa1Kh1 k  "]);
    run(&["stats", &file], 0);
    run(&["stats", folder.text(), "--hash"], 0).says(&["  KRvK.tsm dtm with castling rights"]);
}
