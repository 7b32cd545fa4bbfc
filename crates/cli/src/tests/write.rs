//! Solves and writes files of other programs in one run, and runs again.

use super::{FIDE, Folder, check, run};
use std::fs;
use std::path::Path;

/// The names of the files of a folder, but of those that begin with a dot.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_str().expect("plain text").to_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort_unstable();
    names
}

#[test]
fn one_run_leads_from_rules_to_files_of_others() {
    let folder = Folder::new("write");
    let out = folder.0.join("out");
    let solve = ["solve", FIDE, "--table", "KRvK", "--out", out.to_str().expect("plain text"), "--write"];
    let write = |more: &[&str]| run(&[&solve[..], more].concat(), 0);
    write(&["syzygy,tbc"]).says(&["\n1 table in ", "rtbw 208 B"]);
    let written = ["KRvK.rtbw", "KRvK.rtbz", "fide.rules.toml", "wKR-bK.tbc"];
    assert_eq!(names(&out), written);
    assert!(!out.join(".interim").exists(), "what waited there is gone");

    // Nothing is done again, and what is damaged is.
    let there = |name: &str| fs::read(out.join(name)).expect("a file");
    let before = written.map(there);
    let reply = write(&["syzygy,tbc"]);
    assert!(reply.out.is_empty(), "{}", reply.out);
    reply.errs(&[
        "Syzygy files of 1 table are there already",
        "flat files of who wins of 1 table are there already",
    ]);
    let mut damaged = before[1].clone();
    damaged[60] ^= 1;
    fs::write(out.join("KRvK.rtbz"), damaged).expect("a file");
    write(&["syzygy,tbc"]).says(&["KRvK: rtbw"]);
    assert!(written.map(there) == before);

    // Exact distances will do where rounded ones are wanted, and not the other way round.
    fs::remove_file(out.join("KRvK.rtbz")).expect("a file");
    write(&["syzygy", "--rounded"]);
    assert!(there("KRvK.rtbz") != before[1]);
    write(&["syzygy"]);
    assert!(there("KRvK.rtbz") == before[1]);
    write(&["syzygy", "--rounded"]);
    assert!(there("KRvK.rtbz") == before[1]);

    // Tables that are wanted themselves stay, and are what the others are made of.
    write(&["tsm,syzygy,tbl", "--metric", "wdl,dtz50,dtm", "--force"]).says(&["KRvK: rtbw"]);
    assert_eq!(
        names(&out),
        [
            "KRvK.rtbw",
            "KRvK.rtbz",
            "KRvK.tsm",
            "fide.rules.toml",
            "wKR-bK.dtz50.tbl",
            "wKR-bK.tbc",
            "wKR-bK.tbl"
        ]
    );
    assert!(["KRvK.rtbw", "KRvK.rtbz"].map(there) == [before[0].clone(), before[1].clone()]);
    run(&["verify", out.to_str().expect("plain text"), "--variant", FIDE], 0);
}

#[test]
fn flat_files_of_all_squares_are_written_once() {
    let folder = Folder::new("write-one-file");
    let out = folder.0.join("out");
    let solve = ["solve", FIDE, "--table", "KPvK", "--out", out.to_str().expect("plain text"), "--write"];
    let write = |more: &[&str]| run(&[&solve[..], more].concat(), 0);
    write(&["tbl,tbc", "--one-file"]);
    // The rules, the tables that promotions lead to, and one file of the pawns.
    let written = names(&out);
    let of_pawns: Vec<&String> = written.iter().filter(|name| name.contains(['P', '2'])).collect();
    assert_eq!(written.len(), 1 + 2 * 5);
    assert_eq!(of_pawns, ["wKP-bK.tbc", "wKP-bK.tbl"]);
    let reply = write(&["tbl,tbc", "--one-file"]);
    assert!(reply.out.is_empty(), "{}", reply.out);
    reply.errs(&["flat files of dtm of 5 tables are there already"]);
    // One that is cut short is written again; files of placements are others.
    let bytes = fs::read(out.join("wKP-bK.tbl")).expect("a file");
    fs::write(out.join("wKP-bK.tbl"), &bytes[..300]).expect("a file");
    write(&["tbl", "--one-file"]);
    assert!(fs::read(out.join("wKP-bK.tbl")).expect("a file") == bytes);
    write(&["tbl"]);
    assert_eq!(names(&out).len(), written.len() + 24);
}

#[test]
fn what_a_run_cannot_write_is_refused_before_it_solves() {
    let folder = Folder::new("write-not");
    let out = folder.0.join("out");
    let solve = ["solve", FIDE, "--table", "KRvK", "--out", out.to_str().expect("plain text")];
    let refused = |more: &[&str], words: &str| check(&[&solve[..], more].concat(), 2, "", words);
    refused(&["--rounded"], "--rounded is for --write syzygy");
    refused(&["--write", "tbc", "--rounded"], "--rounded is for --write syzygy");
    refused(&["--write", "syzygy", "--one-file"], "--one-file is for --write tbl and --write tbc");
    refused(&["--one-file"], "--one-file is for --write tbl and --write tbc");
    refused(&["--write", "syzygy", "--json"], "--json is for --write tsm alone");
    refused(&["--write", "tbl", "--metric", "wdl"], "wdl");
    refused(&["--write", "zip"], "[possible values: tsm, syzygy, tbl, tbc]");
    assert!(!out.exists());
}
