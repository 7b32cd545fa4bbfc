//! Meets places where files cannot be written, rests of killed runs, and what is no file.

use super::{FIDE, Folder, check, refused, run};
use std::fs;
use std::process::Command;

fn solve(folder: &Folder) -> [&str; 6] {
    ["solve", FIDE, "--table", "KQvK", "--out", folder.text()]
}

#[test]
fn export_cleans_up_behind_a_killed_one() {
    let folder = Folder::new("rests");
    run(&solve(&folder), 0);
    run(&["solve", FIDE, "--table", "KQvK", "--metric", "wdl,dtz50", "--out", folder.text()], 0);
    let out = folder.0.join("out");
    fs::create_dir_all(&out).expect("a folder");
    let rests = ["KQvK.rtbw.tmp-77-0", "wKQ-bK.tbl.tmp-77-1", "wKQ-bK.tbc.gz.tmp-77-2"];
    for format in ["syzygy", "tbl", "tbc"] {
        rests.iter().for_each(|rest| fs::write(out.join(rest), "half").expect("a file"));
        fs::write(out.join("mine.tmp"), "whole").expect("a file");
        let out_text = out.to_str().expect("plain text");
        let args = ["export", folder.text(), "--format", format, "--out", out_text, "--variant", FIDE];
        run(&args, 0);
        assert!(rests.iter().all(|rest| !out.join(rest).exists()), "{format}");
        assert!(out.join("mine.tmp").exists());
        // Two at a time would take each other's rests away.
        let lock = build::FolderLock::new(&out).expect("no lock on it");
        refused(&args, "another run is writing to");
        drop(lock);
    }
}

#[test]
fn clean_removes_what_no_run_will_use() {
    let folder = Folder::new("clean");
    run(&solve(&folder), 0);
    let rest = |name: &str| fs::write(folder.0.join(name), "the log of a killed run").expect("a file");
    ["fide.KQvK.dtm.tslog", "fide.KRvK.dtm.tslog", "fide.KQvKR.dtm.tslog", "other.KRvK.dtm.tslog"]
        .into_iter()
        .for_each(rest);
    let args = ["clean", FIDE, "--out", folder.text()];
    let reply = run(&args, 0);
    reply.says(&[
        "fide.KQvK.dtm.tslog (23 B): its table is there",
        "fide.KRvK.dtm.tslog (23 B): it is of other rules",
    ]);
    // What it is made from is not there.
    reply.says(&["kept ", "2 files removed, 46 B"]);
    let mut args = args.to_vec();
    args.push("--all");
    check(&args, 0, "1 file removed, 23 B", "");
    check(&args, 0, "0 files removed, 0 B", "");
    assert!(folder.0.join("other.KRvK.dtm.tslog").exists());
    refused(&["clean", FIDE, "--out", "no/such/folder"], "there is no folder no/such/folder");
}

/// A folder stands where the lock should be: nothing can be locked, so nothing is written.
#[test]
fn finished_folder_need_not_be_writable() {
    let folder = Folder::new("read-only");
    run(&solve(&folder), 0);
    fs::remove_file(folder.0.join(".lock")).expect("the lock");
    fs::create_dir(folder.0.join(".lock")).expect("a folder");
    run(&solve(&folder), 0).says(&["all done already"]);
    let other = ["solve", FIDE, "--table", "KRvK", "--out", folder.text()];
    refused(&other, "cannot write to the folder");
    let damaged = fs::read(folder.0.join("KQvK.tsm")).map(|mut bytes| {
        *bytes.last_mut().expect("a byte") ^= 1;
        bytes
    });
    fs::write(folder.0.join("KQvK.tsm"), damaged.expect("a file")).expect("a file");
    run(&solve(&folder), 2).errs(&["cannot write to the folder"]);
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_at_once() {
    let folder = Folder::new("pipes");
    refused(&["solve", "/dev/zero"], "/dev/zero is a pipe or a device");
    refused(&["stats", "/dev/zero"], "cannot open /dev/zero: it is no regular file");
    let pipe = |name: &str| {
        let path = folder.0.join(name);
        assert!(Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success()));
        path.to_str().expect("plain text").to_owned()
    };
    let rules = pipe("rules.toml");
    refused(&["check", &rules], "is a pipe or a device");
    let table = pipe("KQvK.tsm");
    check(&["verify", &table, "--variant", FIDE], 1, "it is no regular file", "");
    refused(&solve(&folder), "KQvK.tsm is no regular file, and a table is to be written there; move it away");
    let probe = ["probe", "8/8/8/8/8/4k3/8/4K2Q w", "--variant", FIDE, "--tables", folder.text()];
    refused(&probe, "it is no regular file");
    for name in ["KRvK.rtbw", "KRvK.rtbz", "wKB-bK.tbl"] {
        pipe(name);
    }
    for (man, metric) in [("R", "dtz50"), ("B", "dtm")] {
        let fen = format!("8/8/8/8/8/4k3/8/4K2{man} w");
        let probe = ["probe", &fen, "--variant", FIDE, "--tables", folder.text(), "--metric", metric];
        run(&probe, 2).errs(&["it is no regular file"]);
    }
}

#[test]
fn rules_must_be_those_of_the_file() {
    let folder = Folder::new("other-rules");
    run(&solve(&folder), 0);
    let file: &str = &folder.path("KQvK.tsm");
    check(&["stats", file, "--variant", FIDE], 0, "KQvK dtm: positions", "");
    let atomic = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/atomic.toml");
    refused(&["stats", file, "--variant", atomic], "under other rules than the variant atomic has now");
    refused(&["stats", file, "--variant", atomic, "--json"], "under other rules");
}

/// The tables of a folder are listed whatever else lies there, and each file that is none is named.
#[test]
fn bad_files_of_a_folder_are_named_and_the_others_listed() {
    let folder = Folder::new("bad-files");
    let solve = ["solve", FIDE, "--table", "KQvK", "--out", folder.text()];
    run(&solve, 0);
    let path = |name: &str| folder.0.join(name);
    std::fs::write(path("KRvK.tsm"), b"").expect("written");
    std::fs::copy(path("KQvK.tsm"), path("kqvk.tsm")).expect("copied");
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", path("KBvK.tsm")).expect("a link");
    for more in [&[][..], &["--csv"], &["--json"], &["--markdown"]] {
        let reply = run(&[&["stats", folder.text()], more].concat(), 2);
        reply.says(&["KQvK"]);
        assert!(reply.err.contains("KRvK.tsm") && !reply.err.contains("KQvK.tsm is"), "{}", reply.err);
        reply.errs(&["kqvk.tsm is not read: names of tables are exact; rename it to KQvK.tsm"]);
        assert_eq!(reply.err.contains("KBvK.tsm"), cfg!(unix), "{}", reply.err);
    }
    // Other commands have the same rule.
    std::fs::remove_file(path("KQvK.tsm")).expect("removed");
    let probe = ["probe", "8/8/8/8/8/4k3/8/4K2Q w - - 0 1", "--tables", folder.text(), "--no-solve"];
    check(&probe, 1, "kqvk.tsm is not read: names of tables are exact; rename it to KQvK.tsm", "");
    check(&["verify", folder.text()], 1, "kqvk.tsm: not verified: names of tables are exact; rename it", "");
}
