//! Writes one-bit files, asks them, and compares them with their tables.

use super::{FIDE, Folder, call, run};
use std::fs;

/// Solves KRvK's tables of two metrics and writes the answers to a question; the folder and the file.
fn exported(name: &str, more: &[&str]) -> (Folder, String, String) {
    let (folder, tables, out) = Folder::with_tables(name, FIDE, "KRvK", "dtm");
    run(&["solve", FIDE, "--table", "KRvK", "--metric", "wdl,dtz50", "--out", &tables], 0);
    let args = ["export", &tables, "--format", "bits", "--out", &out, "--table", "KRvK"];
    let reply = run(&[&args[..], more].concat(), 0);
    let file = reply.out.split(':').next().expect("a name").to_owned();
    (folder, tables, format!("{out}/{file}"))
}

#[test]
fn questions_are_answered_and_verified() {
    let (folder, tables, file) = exported("bits", &["--question", "white wins within 5"]);
    assert!(file.ends_with("/KRvK.white-wins-5.tsq"), "{file}");
    let ask = |fen: &str, more: &[&str]| call(&[&["probe", "--bits", &file, fen], more].concat(), "");
    // A mate in one, one in sixteen, and the first with the colours exchanged.
    let near = "k7/8/1K6/8/8/8/8/7R w - - 0 1";
    assert_eq!(ask(near, &[]).out, "white wins within 5: yes\n");
    assert_eq!(ask("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", &[]).out, "white wins within 5: no\n");
    assert_eq!(ask("7r/8/8/8/8/1k6/8/K7 b - - 0 1", &[]).out, "black wins within 5: yes\n");
    let json = ask(near, &["--json"]).out;
    assert!(
        json.contains("\"question\": \"white wins within 5\"") && json.contains("\"answer\": true"),
        "{json}"
    );
    let other = ask("8/8/8/8/8/4k3/8/4K2Q w - - 0 1", &[]);
    other.ended(1).says(&["holds KRvK"]);
    let illegal = ask("k6R/8/1K6/8/8/8/8/8 w - - 0 1", &[]);
    assert!(illegal.code == 1 && illegal.out == "illegal\n", "{}", illegal.out);
    let lines = call(&["probe", "--bits", &file, "--stdin"], &format!("{near}\n\nnonsense\n"));
    let said: Vec<&str> = lines.out.lines().collect();
    assert!(
        said.len() == 2 && said[0] == format!("{near}\tyes") && said[1].starts_with("nonsense\t"),
        "{said:?}"
    );

    let verify = |more: &[&str]| call(&[&["verify", &file, "--variant", FIDE], more].concat(), "");
    verify(&[]).ended(0).says(&["checksums ok"]);
    let against = verify(&["--against", &tables]);
    against.ended(0).says(&[": ok, 50,015 answers as in"]);
    let other = folder.path("other");
    fs::create_dir(&other).expect("a folder");
    verify(&["--against", &other]).ended(2).errs(&["has no table KRvK"]);
    let mut bytes = fs::read(&file).expect("a file");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, bytes).expect("a file");
    verify(&[]).ended(2).errs(&["export it again"]);
}

#[test]
fn answers_under_the_rule_of_fifty_moves_have_their_own_file() {
    let more = ["--question", "black wins", "--metric", "dtz50"];
    let (_folder, tables, file) = exported("bits-rule", &more);
    assert!(file.ends_with("/KRvK.dtz50.black-wins.tsq"), "{file}");
    run(&["verify", &file, "--variant", FIDE, "--against", &tables], 0).says(&[" answers as in"]);
    let refused = |args: &[&str], said: &str| {
        let args = [&["export", &tables[..], "--out", &tables], args].concat();
        run(&args, 2).errs(&[said]);
    };
    refused(&["--format", "bits"], "answers a question");
    refused(&["--format", "bits", "--question", "who wins"], "is no question");
    refused(&["--format", "tbl", "--question", "draw"], "--question is for --format bits");
    let within = ["--format", "bits", "--metric", "wdl", "--question", "white wins within 9"];
    refused(&within, "tables of wdl do not know");
    refused(&["--format", "bits", "--gz", "--question", "draw"], "for --format");
}
