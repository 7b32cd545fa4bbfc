//! Checks that tables of others serve as ours do: the same bytes come out, and nothing is written there.

use super::{FIDE, Folder, GENUINE, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The files of a folder with their bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry"));
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().to_str().expect("plain text").to_owned();
        (name, fs::read(entry.path()).expect("its bytes"))
    };
    entries.map(file).collect()
}

/// The names of the tables of a folder.
fn tables(folder: &Path) -> Vec<String> {
    files(folder).into_keys().filter(|name| name.ends_with(".tsm")).collect()
}

impl Folder {
    /// Solves a table of chess into a folder below; what was said beside the result.
    #[track_caller]
    fn solve(&self, to: &str, table: &str, more: &[&str]) -> String {
        let out = self.path(to);
        let reply = run(&[&["solve", FIDE, "--table", table, "--out", &out], more].concat(), 0);
        reply.err
    }

    #[track_caller]
    fn export(&self, from: &str, to: &str, more: &[&str]) {
        let (from, to) = (self.path(from), self.path(to));
        run(&[&["export", &from, "--out", &to], more].concat(), 0);
    }

    /// Solves KPvK from tables of another folder, and `made` with it, in the same bytes as without.
    #[track_caller]
    fn check_using(&self, metric: &str, using: &str, said: &str, made: &[&str]) {
        let before = files(Path::new(using));
        let args = ["--metric", metric, "--using", using];
        let err = self.solve("to", "KPvK", &args);
        assert!(err.contains(&format!("taken from {using} ({said}\n")), "{err}");
        let to = self.0.join("to");
        let found = tables(&to);
        assert!(
            found.iter().all(|name| made.contains(&&name[..4])) && found.len() >= made.len(),
            "{found:?}"
        );
        // The run without has other columns too.
        let is_same = |name: &String| {
            let (own, here) = (self.0.join("own").join(name), to.join(name));
            let alone = tempfile::tempdir().expect("a folder");
            let file = alone.path().join(name);
            fs::copy(own, &file).expect("a copy");
            let columns = format::columns_of(&here).expect("columns");
            for column in format::columns_of(&file).expect("columns") {
                if !columns.contains(&column) {
                    format::remove_column(&file, column).expect("the column is removed");
                }
            }
            fs::read(file).expect("its bytes") == fs::read(here).expect("its bytes")
        };
        assert!(found.iter().all(is_same), "{using} gives other bytes");
        assert_eq!(files(Path::new(using)), before);
        // The next run has nothing to read.
        let err = self.solve("to", "KPvK", &args);
        assert!(!err.contains("taken from") && err.contains("KPvK done already"), "{err}");
        // Nor is anything out of date where the tables below are ours one day.
        let err = self.solve("to", "KPvK", &["--metric", metric]);
        assert!(err.contains("KPvK done already") && !err.contains("solved again"), "{err}");
        fs::remove_dir_all(to).expect("the folder is removed");
    }
}

#[test]
fn who_wins_is_taken_from_genuine_syzygy_files() {
    let folder = Folder::new("using-genuine");
    folder.solve("own", "KPvK", &["--metric", "wdl"]);
    // The knight's table is not among them.
    folder.check_using("wdl", GENUINE, ".rtbw): KQvK, KRvK, KBvK", &["KPvK", "KNvK"]);
    // Distances that are rounded to moves are no distances of dtz50.
    let err = folder.solve("rounded", "KPvK", &["--metric", "wdl,dtz50", "--using", GENUINE]);
    assert!(err.contains("KRvK is solved: ") && err.contains("rounds distances to moves"), "{err}");
    assert!(tables(&folder.0.join("rounded")).contains(&"KRvK.tsm".to_owned()), "{err}");
}

#[test]
fn tables_are_taken_in_every_form() {
    let folder = Folder::new("using-forms");
    let all = "dtm,wdl,dtz50";
    folder.solve("own", "KPvK", &["--metric", all]);
    folder.export("own", "syzygy", &["--format", "syzygy", "--men", "3"]);
    // Of a table with pawns there would be many flat files.
    let below = ["--table", "KQvK", "--table", "KRvK", "--table", "KBvK", "--table", "KNvK"];
    for (format, to) in [("tbl", "flat"), ("tbc", "bits")] {
        folder.export("own", to, &[&["--format", format], &below[..]].concat());
    }
    for table in ["KQvK", "KRvK"] {
        folder.solve("tsm", table, &["--metric", all, "--both-sides"]);
    }
    let path = |name| folder.path(name);
    let four = |ending: &str| format!("{ending}): KQvK, KRvK, KBvK, KNvK");
    let two = ["KPvK", "KBvK", "KNvK"];
    folder.check_using("dtm", &path("tsm"), ".tsm): KQvK, KRvK", &two);
    folder.check_using("wdl,dtz50", &path("tsm"), ".tsm): KQvK, KRvK", &two);
    // A table that is asked for by its name is made, though it is there.
    folder.check_using("wdl,dtz50", &path("syzygy"), &four(".rtbz"), &["KPvK"]);
    folder.check_using("dtm", &path("flat"), &four(".tbl"), &["KPvK"]);
    // Who wins is in every one of them.
    folder.check_using("wdl", &path("syzygy"), &four(".rtbw"), &["KPvK"]);
    folder.check_using("wdl", &path("flat"), &four(".tbl"), &["KPvK"]);
    folder.check_using("wdl", &path("bits"), &four(".tbc"), &["KPvK"]);
    for table in ["KQvK", "KRvK"] {
        let file = folder.0.join(format!("tsm/{table}.tsm"));
        format::remove_column(&file, variant::Metric::Wdl).expect("the column is removed");
    }
    folder.check_using("wdl", &path("tsm"), ".tsm): KQvK, KRvK", &two);
}

#[test]
fn what_does_not_serve_is_solved_and_said() {
    let folder = Folder::new("using-unfit");
    folder.solve("own", "KRvK", &["--metric", "wdl,dtz50"]);
    folder.export("own", "bits", &["--format", "tbc", "--men", "3"]);
    let path = |name| folder.path(name);
    // A promotion leads to a table with Black to move.
    let err = folder.solve("half", "KPvK", &["--metric", "wdl,dtz50", "--using", &path("own")]);
    assert!(err.contains("KRvK is solved: ") && err.contains("has not Black to move"), "{err}");
    // Who wins is no distance.
    let err = folder.solve("others", "KPvK", &["--using", &path("bits")]);
    assert!(!err.contains("taken from") && err.contains("KRvK done in"), "{err}");
    // One is damaged, and its checksum says so.
    let is_flat = |name: &&String| name.contains(".tbc");
    let name = files(&folder.0.join("bits")).into_keys().find(|name| is_flat(&name)).expect("a flat file");
    let file = folder.0.join("bits").join(name);
    let mut bytes = fs::read(&file).expect("the file");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, &bytes).expect("the file is damaged");
    let (out, using) = (path("damaged"), path("bits"));
    let args = ["solve", FIDE, "--table", "KPvK", "--metric", "wdl", "--out", &out, "--using", &using];
    run(&args, 2).errs(&["its MD5 sum is another one"]);
}

#[test]
fn folders_that_cannot_lend_are_refused() {
    let folder = Folder::new("using-refused");
    folder.solve("own", "KRvK", &[]);
    let own = folder.path("own");
    #[track_caller]
    fn check(args: &[&str], expected: &str) {
        run(&[&["solve", FIDE, "--table", "KRvK"], args].concat(), 2).errs(&[expected]);
    }
    check(&["--out", &own, "--using", &own], "nothing is written into a folder of --using");
    let nowhere = folder.path("nowhere");
    check(&["--out", &own, "--using", &nowhere], "there is no folder");
}
