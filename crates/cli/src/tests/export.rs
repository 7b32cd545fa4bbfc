//! Exports tables for other programs, and compares them with what was exported.

use super::{FIDE, Folder, call, check, refused, run};
use std::fs;

/// What Syzygy files are made of.
const METRICS: &str = "wdl,dtz50";

fn export<'a>(tables: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["export", tables, "--format", "syzygy", "--out", out, "--variant", FIDE], more].concat()
}

#[test]
fn exported_files_say_what_the_tables_say() {
    let (folder, tables, out) = Folder::with_tables("export", FIDE, "KRvK", METRICS);
    let reply = run(&export(&tables, &out, &[]), 0);
    assert!(reply.out.starts_with("KRvK: rtbw 208 B, rtbz 6."), "{}", reply.out);
    reply.says(&["\n1 table in "]);
    let compare = ["verify", &tables, "--variant", FIDE, "--against", &out];
    run(&compare, 0)
        .says(&["KRvK: the same in 50,015 positions", "1 table, 50,015 positions: no difference"]);
    // The sample of larger tables is read from the files.
    run(&[&compare[..], &["--sample", "5000"]].concat(), 0);
    // A bit of a block is another distance, or none.
    let damaged = folder.0.join("out/KRvK.rtbz");
    let mut bytes = fs::read(&damaged).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&damaged, bytes).expect("a file");
    let reply = call(&compare, "");
    let is_listed = reply.code == 1 && reply.out.contains("KRvK: ") && reply.out.contains("\n1 table, ");
    assert!(is_listed, "{}{}", reply.out, reply.err);
    fs::write(&damaged, b"nothing").expect("a file");
    check(&compare, 1, "is no Syzygy file that can be read: it is cut short or too long", "");
}

/// Exports a table of another game, and compares it with its files; `.tsbw` are refused by other readers,
/// which is said.
#[track_caller]
fn check_game(game: &str, table: &str, ending: &str, compared: &str) {
    let rules = format!("{}/../../variants/{game}.toml", env!("CARGO_MANIFEST_DIR"));
    let (folder, tables, out) = Folder::with_tables(&format!("export-{game}"), &rules, table, METRICS);
    let reply = run(&["export", &tables, "--format", "syzygy", "--out", &out, "--variant", &rules], 0);
    assert_eq!(reply.err.contains("readers of Syzygy files do not know"), ending == "tsbw", "{}", reply.err);
    assert!(folder.0.join("out").join(format!("{table}.{ending}")).exists(), "{}", reply.out);
    run(&["verify", &tables, "--variant", &rules, "--against", &out], 0).says(&[compared]);
}

#[test]
fn other_games_are_exported() {
    check_game("antichess", "KvN", "gtbw", "KvN: the same in ");
    check_game("suicide", "PvP", "stbw", "PvP: the same in ");
    check_game("atomic", "KQvK", "atbw", "KQvK: the same in ");
    check_game("king-of-the-hill", "KRvK", "tsbw", "KRvK: the same in ");
}

#[test]
fn what_cannot_be_exported_is_refused_in_words() {
    let (folder, tables, out) = Folder::with_tables("export-not", FIDE, "KNvK", METRICS);
    refused(&export(&tables, &out, &["--table", "KBvK"]), "KBvK.tsm is not there");
    refused(&export(&tables, &out, &["--table", "KXvK"]), "the letter `X`");
    refused(&export("no/such/folder", &out, &[]), "cannot read no/such/folder");
    refused(&export(folder.text(), &out, &[]), "has no tables of the metrics wdl and dtz50");
    check(&["verify", &tables, "--variant", FIDE, "--against", &out], 1, "nothing was compared", "");
    refused(&["export", &tables, "--format", "tbs", "--out", &out], "invalid value 'tbs'");
    let rules = fs::read_to_string(FIDE).expect("chess").replace("betza = \"N\"", "betza = \"fN\"");
    let other: &str = &folder.write("other.toml", rules);
    let args =
        ["export", &tables, "--format", "syzygy", "--out", &out, "--variant", other, "--table", "KNvK"];
    refused(&args, "the format cannot hold it: its men do not move alike in all directions");
}

/// What is there is compared, and what is not is listed: no file of a table, one that captures lead to, and
/// no table.
#[test]
fn missing_files_are_listed_and_the_others_compared() {
    let (folder, tables, out) = Folder::with_tables("export-missing", FIDE, "KQvKR", METRICS);
    run(&export(&tables, &out, &[]), 0);
    let compare = ["verify", &tables, "--variant", FIDE, "--sample", "5000", "--against", &out];
    let remove = |name: &str| fs::remove_file(folder.0.join(name)).expect("a file");
    remove("out/KQvK.rtbw");
    let reply = run(&compare, 0);
    for part in [
        "KRvK: the same in ",
        &format!("not compared, without .rtbw and .rtbz (or those of another game) in {out}: KQvK\n"),
        "KQvKR: not compared: ",
        "1 table, ",
        " positions: no difference, 2 tables not compared (",
    ] {
        reply.says(&[part]);
    }
    remove("tables/KRvK.tsm");
    let reply = run(&compare, 1);
    let part = format!("not compared, without the columns wdl and dtz50 in {tables}: KRvK\n");
    reply.says(&[&part, "0 tables, 0 positions: nothing was compared, 3 tables not"]);
    refused(&[&compare[..7], &["no-such"]].concat(), "there is no folder no-such");
}
