//! Solves, probes, verifies and counts positions in which somebody may castle.

use super::{FIDE, Folder, call, check};
use std::fs;

/// White may castle, and mates in 13 moves.
const CASTLES: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";

#[test]
fn rights_are_solved_beside_the_tables_and_probed() {
    let folder = Folder::new("castling");
    let solve = ["solve", FIDE, "--table", "KRvK", "--rights", "--out", folder.text()];
    let reply = call(&solve, "");
    assert_eq!(reply.code, 0, "{}{}", reply.out, reply.err);
    let last = reply.out.trim_end().lines().last().expect("a line");
    assert!(last.starts_with("1 file with castling rights, 211 positions, "), "{}", reply.out);
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
    assert!(reply.contains("\n(from KRvK.tsr)\n") && reply.contains("\nO-O   e1g1  wins in "), "{reply}");
    // Black, whose right is the image of White's, may castle through no attacked square.
    let reply = probe("r3k3/8/8/8/8/8/8/3K4 b q - 0 1", &[]).out;
    assert!(reply.contains("\n(from KRvK.tsr)\n") && reply.contains("\nO-O-O+  e8c8  wins in "), "{reply}");
    assert!(!probe("4k3/8/8/8/8/7K/8/5R2 b - - 0 1", &[]).out.contains("castling"));
    check(&["verify", folder.text()], 0, "\nKRvK.tsr: ok, 256 values, 211 positions, ", "");
    check(&["verify", &format!("{}/KRvK.tsr", folder.text())], 0, "1 table, 256 values: all right", "");
    check(&["verify", folder.text(), "--table", "KQvK"], 2, "", "no table that is asked for");

    let file = folder.0.join("KRvK.tsr");
    let name = file.to_str().expect("plain text");
    let reply = call(&["stats", name], "").out;
    assert!(reply.contains("\nK             106") && reply.contains("\nall           211"), "{reply}");
    check(&["stats", name, "--json"], 0, "\"positions\": 106", "");
    check(&["stats", name, "--csv"], 2, "", "there are --epd and --json");
    let reply = call(&["stats", name, "--epd"], "");
    assert_eq!(reply.code, 0, "{}", reply.err);
    assert!(reply.out.lines().all(|line| line.contains(" bm O-O")), "{}", reply.out);
    let pawn = call(&["solve", FIDE, "--table", "KRvKP", "--rights", "--out", folder.text()], "");
    assert_eq!(pawn.code, 0, "{}", pawn.err);
    let reply = call(&["stats", folder.0.join("KRvKP.tsr").to_str().expect("plain text"), "--epd"], "").out;
    let sole = "8/8/8/8/8/6kp/8/4K2R w K - bm O-O; c0 \"win in 27 plies\";\n";
    assert!(reply.contains(sole), "{reply}");

    // Without the file the same values are solved from the table.
    let kept = fs::read(&file).expect("a file");
    let value = |text: &str| text.lines().find(|line| line.starts_with("White mates")).map(str::to_owned);
    let stored = probe(CASTLES, &[]).out;
    fs::remove_file(&file).expect("it was there");
    let solved = probe(CASTLES, &[]).out;
    let how = "\n(castling rights solved now, from KRvK.tsm; solve --rights keeps them)\n";
    assert!(solved.contains(how), "{solved}");
    assert!(value(&stored).is_some() && value(&stored) == value(&solved), "{stored}{solved}");
    assert!(stored.split("\nmove ").nth(1) == solved.split("\nmove ").nth(1));
    let json = probe(CASTLES, &["--json"]).out;
    assert!(json.contains("\"rights_solved\": true") && json.contains("\"san\": \"O-O\""), "{json}");

    // A damaged file is refused, and is made again.
    let mut damaged = kept.clone();
    *damaged.last_mut().expect("bytes") ^= 1;
    fs::write(&file, damaged).expect("a file");
    let reply = probe("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", &[]);
    assert!(
        reply.code == 2 && reply.err.contains("is damaged; make it again with solve --rights"),
        "{}",
        reply.err
    );
    check(&["verify", name], 1, "is damaged; make it again", "");
    assert_eq!(call(&solve, "").code, 0);
    assert!(fs::read(&file).expect("a file") == kept);
}

#[test]
fn rights_without_tables_and_without_castling_are_told() {
    let folder = Folder::new("castling-none");
    let tables = ["--variant", FIDE, "--tables", folder.text()];
    let probe =
        |fen: &'static str, more: &[&'static str]| call(&[&["probe", fen], &tables[..], more].concat(), "");
    let reply = probe(CASTLES, &["--no-solve"]);
    assert!(
        reply.code == 1 && reply.out.contains("KRvK is not built: run `tablesmith solve "),
        "{}",
        reply.out
    );
    let reply = probe(CASTLES, &["--value-only"]);
    assert!(reply.out.ends_with("\n(castling rights solved now)\n"), "{}", reply.out);
    assert!(reply.err.contains("KRvK and those it leads to were solved in memory"), "{}", reply.err);
    let reply = probe("4k3/pppp4/8/8/8/8/8/4K2R w K - 0 1", &[]);
    assert!(
        reply.code == 1 && reply.out.contains("7 men with castling rights are not solved: up to 5"),
        "{}",
        reply.out
    );
    let reply = probe("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", &[]);
    assert!(reply.code == 2 && reply.err.contains("castling right `K`: there must be"), "{}", reply.err);
    let games = FIDE.replace("fide", "shatranj");
    check(&["solve", &games, "--rights", "--men", "3"], 2, "", "--rights: shatranj has no castling");
    let reply = call(&["probe", CASTLES, "--variant", &games, "--tables", folder.text()], "");
    assert!(reply.code == 2 && reply.err.contains("shatranj has no castling; write `-`"), "{}", reply.err);
    check(&["solve", FIDE, "--rights", "--json"], 2, "", "cannot be used with");
}
