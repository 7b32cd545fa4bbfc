//! Verifies flat and Syzygy files, genuine ones among them, counts what they hold, and asks folders of them.

use super::{FIDE, Folder, GENUINE, Reply, call, damage, refused, run};
use std::fs;
use std::path::Path;

/// A folder with copies of the genuine files of these materials.
fn genuine(name: &str, materials: &[&str]) -> Folder {
    let folder = Folder::new(name);
    for material in materials {
        for ending in ["rtbw", "rtbz"] {
            let file = format!("{material}.{ending}");
            fs::copy(Path::new(GENUINE).join(&file), folder.0.join(&file)).expect("a genuine file");
        }
    }
    folder
}

fn export(tables: &str, format: &str, out: &str) {
    run(&["export", tables, "--format", format, "--out", out, "--variant", FIDE], 0);
}

/// Verifies the least of the values that there is.
fn verify(path: &str) -> Reply {
    call(&["verify", path, "--variant", FIDE, "--sample", "1"], "")
}

#[test]
fn genuine_files_are_verified() {
    let folder = genuine("genuine", &["KQvK", "KRvK", "KBvK"]);
    let reply = verify(folder.text());
    reply.ended(0).says(&[
        "KQvK.rtbw: ok, 62,664 values, ",
        "KQvK.rtbz: ok, 31,332 values, ",
        "KBvK.rtbz: ok, 31,332 values, ",
        "\n6 tables, 281,988 values: all right (",
    ]);
    assert!(!reply.out.contains("not derived"), "{}", reply.out);
    // One file is named as it was asked for.
    let one = verify(&folder.path("KRvK.rtbz"));
    assert!(one.code == 0 && one.out.starts_with("KRvK.rtbz: ok, "), "{}{}", one.out, one.err);
    let chosen = ["verify", folder.text(), "--variant", FIDE, "--sample", "1", "--table", "KRvK"];
    run(&chosen, 0).says(&["\n2 tables, 93,996 values"]);
    // Two parts are all.
    let part = |part: &str| {
        let words = ["verify", folder.text(), "--variant", FIDE, "--sample", "1", "--part", part];
        let reply = call(&words, "");
        reply.says(&["\n3 tables, "]);
        let names = reply.out.lines().filter_map(|line| line.split_once(": ok, "));
        names.map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
    };
    let mut all = [part("1/2"), part("2/2")].concat();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6, "{all:?}");
    for file in ["some.tss", "KQvK.white-wins.tsq"] {
        refused(&["verify", file, "--part", "1/2"], "this file is checked whole");
    }
    refused(
        &["verify", folder.text(), "--variant", FIDE, "--table", "KNvK"],
        "has no table that is asked for",
    );
}

#[test]
fn a_genuine_file_alone_has_its_checksum() {
    let folder = genuine("alone", &["KPvK"]);
    run(&["verify", folder.text(), "--variant", FIDE], 0)
        .says(&["KPvK.rtbw: ok, 187,488 values, ", "(values not derived again: files of K"]);
    damage(&folder.0.join("KPvK.rtbz"));
    let reply = verify(folder.text());
    reply.ended(1);
    let refusal = "KPvK.rtbz is no Syzygy file that can be read: its checksum is that of other bytes";
    reply.says(&[refusal]);
    // Nor does it answer.
    let fen = "8/8/4k3/8/4K3/8/4P3/8 b - - 0 1";
    run(&["probe", fen, "--variant", FIDE, "--tables", folder.text(), "--value-only"], 2).errs(&[refusal]);
}

#[test]
fn genuine_files_are_compared() {
    let (_tables_folder, tables, _) = Folder::with_tables("compared", FIDE, "KRvK", "wdl,dtz50");
    let files = genuine("compared-files", &["KRvK"]);
    let compare = ["verify", &tables, "--variant", FIDE, "--sample", "4096", "--against", files.text()];
    run(&compare, 0).says(&["KRvK: the same in ", "\n1 table, ", ": no difference ("]);
}

#[test]
fn flat_files_are_verified() {
    let (_folder, tables, out) = Folder::with_tables("verify-flat", FIDE, "KPvK", "dtm");
    export(&tables, "tbl", &out);
    let more = ["export", &tables, "--format", "tbc", "--out", &out, "--variant", FIDE, "--table", "KQvK"];
    run(&more, 0);
    let reply = verify(&out);
    reply.ended(0).says(&["wKQ-bK.tbl: ok, 524,288 values, ", "wKQ-bK.tbc: ok, 524,288 values, "]);
    let pawns = "KPvK (24 flat files of dtm): ok, 196,608 values, ";
    reply.says(&[pawns]);
    assert!(!reply.out.contains("not derived"), "{}", reply.out);
    reply.says(&["\n6 tables, "]);
    let one = verify(&format!("{out}/wKd2-bK.tbl"));
    let expected = "wKd2-bK.tbl: ok, 8,192 values, ";
    assert!(one.code == 0 && one.out.starts_with(expected), "{}{}", one.out, one.err);
    one.says(&["values not derived again: 23 other files of KPvK"]);

    damage(&Path::new(&out).join("wKd2-bK.tbl"));
    let reply = run(&["verify", &out, "--variant", FIDE, "--table", "KPvK"], 1);
    let damaged = "wKd2-bK.tbl cannot be read: its MD5 sum is another one than when it was written";
    reply.says(&[damaged, ": 1 not verified ("]);
    verify(&format!("{out}/wKd2-bK.tbl")).ended(1).says(&[damaged]);
}

#[test]
fn wrong_values_without_a_checksum_are_found() {
    let folder = genuine("wrong-values", &["KRvK"]);
    let path = folder.0.join("KRvK.rtbw");
    let mut bytes = fs::read(&path).expect("a file");
    let sum_at = bytes.len() - 16;
    bytes[sum_at..].fill(0);
    fs::write(&path, &bytes).expect("a file");
    verify(folder.text()).ended(0).says(&[" (it has no checksum)\n"]);
    // With White to move the one value is a win; now it is a draw.
    assert_eq!(bytes[10..12], [0x80, 4]);
    bytes[11] = 2;
    fs::write(&path, &bytes).expect("a file");
    verify(folder.text()).ended(1).says(&["KRvK.rtbw: ", " wrong values, the first at "]);
}

/// The statistics of a file are those of the table that it was made from.
#[track_caller]
fn check_stats(file: &str, table: &str, metric: &str) {
    let of_file = call(&["stats", file, "--variant", FIDE], "");
    let of_table = call(&["stats", table, "--metric", metric, "--variant", FIDE], "");
    of_table.ended(0);
    assert_eq!((of_file.code, &of_file.out), (0, &of_table.out), "{file}: {}", of_file.err);
}

#[test]
fn files_have_the_statistics_of_their_tables() {
    let (_folder, tables, out) = Folder::with_tables("stats-files", FIDE, "KPvK", "dtm,wdl,dtz50");
    export(&tables, "syzygy", &out);
    export(&tables, "tbl", &out);
    check_stats(&format!("{out}/KQvK.rtbw"), &format!("{tables}/KQvK.tsm"), "wdl");
    check_stats(&format!("{out}/KPvK.rtbw"), &format!("{tables}/KPvK.tsm"), "wdl");
    check_stats(&format!("{out}/KRvK.rtbz"), &format!("{tables}/KRvK.tsm"), "dtz50");
    check_stats(&format!("{out}/wKQ-bK.tbl"), &format!("{tables}/KQvK.tsm"), "dtm");
    check_stats(&format!("{out}/wKd2-bK.tbl"), &format!("{tables}/KPvK.tsm"), "dtm");
    run(&["stats", &format!("{out}/wKQ-bK.tbl"), "--epd", "--variant", FIDE], 0)
        .says(&["8/8/8/5k2/8/8/1Q6/K7 w - - "]);
    fs::remove_file(Path::new(&out).join("wKb3-bK.tbl")).expect("a file");
    let reply = call(&["stats", &format!("{out}/wKd2-bK.tbl"), "--variant", FIDE], "");
    let refusal = "wKd2-bK.tbl is not enough: not here: wK";
    reply.ended(2).errs(&[refusal]);
}

#[test]
fn nobody_is_told_to_build_into_a_folder_of_others() {
    let folder = genuine("foreign", &["KQvK"]);
    let fen = "8/8/8/8/8/3k4/8/3K3R w - - 0 1";
    let reply = run(&["probe", fen, "--no-solve", "--variant", FIDE, "--tables", folder.text()], 1);
    let advice = "has flat or Syzygy files only: add its files, or name a folder of our tables with --tables";
    reply.says(&["not here: a file of KRvK; ", advice]);
    assert!(!reply.out.contains("solve"), "{}", reply.out);
    let reply = run(&["export", folder.text(), "--format", "tbl", "--out", "x", "--variant", FIDE], 2);
    reply.errs(&["and name the folder that it fills"]);
    assert!(!reply.err.contains("--out"), "{}", reply.err);
}

#[test]
fn names_that_are_none_are_said_to_be_so() {
    let folder = genuine("named", &["KQvK"]);
    for name in ["KvKQ.rtbw", "nonsense.tbl"] {
        fs::copy(folder.0.join("KQvK.rtbw"), folder.0.join(name)).expect("a file");
    }
    verify(folder.text()).ended(1).says(&[
        "KvKQ.rtbw: not verified: such files are named KQvK",
        "nonsense.tbl: not verified: no flat file of fide has this name",
    ]);
    let empty = Folder::new("nothing-to-verify");
    refused(&["verify", empty.text()], "no Syzygy file such as .rtbw)");
}
