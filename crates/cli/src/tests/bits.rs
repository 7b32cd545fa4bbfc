//! Writes one-bit files, asks them, and compares them with their tables.

use super::{FIDE, Folder, call, run};
use std::fs;

/// Solves KRvK's tables of two metrics and writes the answers to a question; the folder and the file.
fn exported(name: &str, more: &[&str]) -> (Folder, String, String) {
    let folder = Folder::new(name);
    let [tables, out] = ["tables", "out"].map(|part| format!("{}/{part}", folder.text()));
    for metric in ["dtm", "wdl,dtz50"] {
        run(&["solve", FIDE, "--table", "KRvK", "--metric", metric, "--out", &tables], 0);
    }
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
    assert!(other.code == 1 && other.out.contains("holds KRvK"), "{}{}", other.out, other.err);
    let illegal = ask("k6R/8/1K6/8/8/8/8/8 w - - 0 1", &[]);
    assert!(illegal.code == 1 && illegal.out == "illegal\n", "{}", illegal.out);
    let lines = call(&["probe", "--bits", &file, "--stdin"], &format!("{near}\n\nnonsense\n"));
    let said: Vec<&str> = lines.out.lines().collect();
    assert!(
        said.len() == 2 && said[0] == format!("{near}\tyes") && said[1].starts_with("nonsense\t"),
        "{said:?}"
    );

    let verify = |more: &[&str]| call(&[&["verify", &file, "--variant", FIDE], more].concat(), "");
    let alone = verify(&[]);
    assert!(alone.code == 0 && alone.out.contains("checksums ok"), "{}{}", alone.out, alone.err);
    let against = verify(&["--against", &tables]);
    assert!(against.code == 0 && against.out.contains(": ok, 50,015 answers as in"), "{}", against.out);
    let other = format!("{}/other", folder.text());
    fs::create_dir(&other).expect("a folder");
    let missing = verify(&["--against", &other]);
    assert!(missing.code == 2 && missing.err.contains("has no table KRvK"), "{}", missing.err);
    let mut bytes = fs::read(&file).expect("a file");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, bytes).expect("a file");
    let damaged = verify(&[]);
    assert!(damaged.code == 2 && damaged.err.contains("export it again"), "{}", damaged.err);
}

#[test]
fn answers_under_the_rule_of_fifty_moves_have_their_own_file() {
    let more = ["--question", "black wins", "--metric", "dtz50"];
    let (_folder, tables, file) = exported("bits-rule", &more);
    assert!(file.ends_with("/KRvK.dtz50.black-wins.tsq"), "{file}");
    let reply = call(&["verify", &file, "--variant", FIDE, "--against", &tables], "");
    assert!(reply.code == 0 && reply.out.contains(" answers as in"), "{}{}", reply.out, reply.err);
    let refused = |args: &[&str], said: &str| {
        let args = [&["export", &tables[..], "--out", &tables], args].concat();
        let reply = call(&args, "");
        assert!(reply.code == 2 && reply.err.contains(said), "{args:?}: {}", reply.err);
    };
    refused(&["--format", "bits"], "answers a question");
    refused(&["--format", "bits", "--question", "who wins"], "is no question");
    refused(&["--format", "tbl", "--question", "draw"], "--question is for --format bits");
    let within = ["--format", "bits", "--metric", "wdl", "--question", "white wins within 9"];
    refused(&within, "tables of wdl do not know");
    refused(&["--format", "bits", "--gz", "--question", "draw"], "for --format");
}
