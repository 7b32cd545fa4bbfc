//! Meets places where files cannot be written, rests of killed runs, and what is no file.

use super::{FIDE, Folder, call, check, run};
use std::fs;
use std::process::Command;

fn solve(folder: &Folder) -> [&str; 6] {
    ["solve", FIDE, "--table", "KQvK", "--out", folder.text()]
}

#[test]
fn export_cleans_up_behind_a_killed_one() {
    let folder = Folder::new("rests");
    run(&solve(&folder), 0);
    let reply =
        call(&["solve", FIDE, "--table", "KQvK", "--metric", "wdl,dtz50", "--out", folder.text()], "");
    assert_eq!(reply.code, 0, "{}", reply.err);
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
        let lock = build::FolderLock::new(&out).expect("nobody has locked it");
        check(&args, 2, "", "another run is writing to");
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
    assert!(reply.out.contains("fide.KQvK.dtm.tslog (23 B): its table is there"), "{}", reply.out);
    assert!(reply.out.contains("fide.KRvK.dtm.tslog (23 B): it is of other rules"), "{}", reply.out);
    // What it is made from is not there.
    assert!(reply.out.contains("kept ") && reply.out.contains("2 files removed, 46 B"), "{}", reply.out);
    let mut args = args.to_vec();
    args.push("--all");
    check(&args, 0, "1 file removed, 23 B", "");
    check(&args, 0, "0 files removed, 0 B", "");
    assert!(folder.0.join("other.KRvK.dtm.tslog").exists());
    check(&["clean", FIDE, "--out", "no/such/folder"], 2, "", "there is no folder no/such/folder");
}

/// A folder stands where the lock should be: nothing can be locked, so nothing is written.
#[test]
fn finished_folder_need_not_be_writable() {
    let folder = Folder::new("read-only");
    run(&solve(&folder), 0);
    fs::remove_file(folder.0.join(".lock")).expect("the lock");
    fs::create_dir(folder.0.join(".lock")).expect("a folder");
    let reply = run(&solve(&folder), 0);
    assert!(reply.out.contains("all done already"), "{}", reply.out);
    let other = ["solve", FIDE, "--table", "KRvK", "--out", folder.text()];
    check(&other, 2, "", "cannot write to the folder");
    let damaged = fs::read(folder.0.join("KQvK.tsm")).map(|mut bytes| {
        *bytes.last_mut().expect("a byte") ^= 1;
        bytes
    });
    fs::write(folder.0.join("KQvK.tsm"), damaged.expect("a file")).expect("a file");
    let reply = call(&solve(&folder), "");
    assert!(reply.code == 2 && reply.err.contains("cannot write to the folder"), "{}", reply.err);
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_at_once() {
    let folder = Folder::new("pipes");
    check(&["solve", "/dev/zero"], 2, "", "/dev/zero is a pipe or a device");
    check(&["stats", "/dev/zero"], 2, "", "cannot open /dev/zero: it is no regular file");
    let pipe = |name: &str| {
        let path = folder.0.join(name);
        assert!(Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success()));
        path.to_str().expect("plain text").to_owned()
    };
    let rules = pipe("rules.toml");
    check(&["check", &rules], 2, "", "is a pipe or a device");
    let table = pipe("KQvK.tsm");
    check(&["verify", &table, "--variant", FIDE], 1, "it is no regular file", "");
    check(
        &solve(&folder),
        2,
        "",
        "KQvK.tsm is no regular file, and a table is to be written there; move it away",
    );
    let probe = ["probe", "8/8/8/8/8/4k3/8/4K2Q w", "--variant", FIDE, "--tables", folder.text()];
    check(&probe, 2, "", "it is no regular file");
    for name in ["KRvK.rtbw", "KRvK.rtbz", "wKB-bK.tbl"] {
        pipe(name);
    }
    for (man, metric) in [("R", "dtz50"), ("B", "dtm")] {
        let fen = format!("8/8/8/8/8/4k3/8/4K2{man} w");
        let probe = ["probe", &fen, "--variant", FIDE, "--tables", folder.text(), "--metric", metric];
        let reply = call(&probe, "");
        assert!(reply.code == 2 && reply.err.contains("it is no regular file"), "{}{}", reply.out, reply.err);
    }
}

#[test]
fn rules_must_be_those_of_the_file() {
    let folder = Folder::new("other-rules");
    run(&solve(&folder), 0);
    let file = folder.0.join("KQvK.tsm");
    let file = file.to_str().expect("plain text");
    check(&["stats", file, "--variant", FIDE], 0, "KQvK dtm: positions", "");
    let atomic = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/atomic.toml");
    check(&["stats", file, "--variant", atomic], 2, "", "under other rules than the variant atomic has now");
    check(&["stats", file, "--variant", atomic, "--json"], 2, "", "under other rules");
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
        assert!(reply.out.contains("KQvK"), "{}", reply.out);
        assert!(reply.err.contains("KRvK.tsm") && !reply.err.contains("KQvK.tsm is"), "{}", reply.err);
        assert!(reply.err.contains("kqvk.tsm is not read: names of tables are exact; rename it to KQvK.tsm"));
        assert_eq!(reply.err.contains("KBvK.tsm"), cfg!(unix), "{}", reply.err);
    }
    // Other commands have the same rule.
    std::fs::remove_file(path("KQvK.tsm")).expect("removed");
    let probe = ["probe", "8/8/8/8/8/4k3/8/4K2Q w - - 0 1", "--tables", folder.text(), "--no-solve"];
    check(&probe, 1, "kqvk.tsm is not read: names of tables are exact; rename it to KQvK.tsm", "");
    check(&["verify", folder.text()], 1, "kqvk.tsm: not verified: names of tables are exact; rename it", "");
}
