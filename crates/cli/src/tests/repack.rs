//! Packs finished files in another way and back, and looks at what is left when that fails.

use super::{FIDE, Folder, KNIGHT, run, small_game};
use format::Summary;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use variant::Metric;

/// The rules of a game in which tables of five men are small.
fn small() -> String {
    small_game("name = \"narrow\"\nmen-limit = 5", [3, 4], KNIGHT)
}

/// Solves tables into a folder below.
#[track_caller]
fn solve(rules: &str, out: &Path, more: &[&str]) {
    let out = out.to_str().expect("plain text");
    run(&[&["solve", rules, "--out", out], more].concat(), 0);
}

/// The table files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let named = entries.map(|entry| (entry.file_name().into_string().expect("plain text"), entry.path()));
    let tables = named.filter(|(name, _)| name.ends_with(".tsm"));
    tables.map(|(name, path)| (name, fs::read(path).expect("a file"))).collect()
}

#[track_caller]
fn repack(folder: &Path, more: &[&str]) -> String {
    let reply = run(&[&["repack", folder.to_str().expect("plain text")], more].concat(), 0);
    reply.out
}

#[track_caller]
fn verify(folder: &Path, more: &[&str]) {
    run(&[&["verify", folder.to_str().expect("plain text")], more].concat(), 0);
}

#[test]
fn files_are_packed_as_solving_would_have_packed_them() {
    let folder = Folder::new("repack");
    let [quick, small] = ["quick", "small"].map(|name| folder.0.join(name));
    for metric in ["dtm", "wdl,dtz50"] {
        solve(FIDE, &quick, &["--table", "KPvK", "--metric", metric]);
        solve(FIDE, &small, &["--table", "KPvK", "--metric", metric, "--small"]);
    }
    let (before, wanted) = (files(&quick), files(&small));
    assert!(before.len() == 5 && before != wanted);
    // A draft of a run that was killed does no harm.
    fs::create_dir(quick.join(".drafts")).expect("a folder");
    fs::write(quick.join(".drafts/KQvK.tsm"), "half a file").expect("a draft");
    let out = repack(&quick, &["--small", "--table", "KQvK", "--metric", "dtm"]);
    assert!(out.contains("KQvK.tsm: ") && out.contains("1 column in "), "{out}");
    let out = repack(&quick, &["--small"]);
    assert!(out.contains("14 columns in ") && out.ends_with("; 1 was packed so already\n"), "{out}");
    assert!(!quick.join(".drafts").exists());
    assert!(files(&quick) == wanted, "small files are those of solve --small");
    verify(&quick, &[]);
    let out = repack(&quick, &["--small"]);
    assert!(out.starts_with("0 columns in ") && out.ends_with("; 15 were packed so already\n"), "{out}");
    repack(&quick, &["--quick"]);
    assert!(files(&quick) == before, "quick files are those of solve");
}

#[test]
fn files_with_one_side_to_move_keep_it() {
    let folder = Folder::new("repack-sides");
    let (rules, tables) = (&*folder.write("narrow.toml", small()), folder.0.join("tables"));
    for metric in ["dtm", "wdl,dtz50"] {
        solve(rules, &tables, &["--table", "KRRvKN", "--metric", metric]);
    }
    let summaries = |folder: &Path| -> BTreeMap<String, Summary> {
        let all = files(folder).into_keys().map(|name| Summary::all(&folder.join(name)).expect("a summary"));
        all.flatten().map(|own| (format!("{} {}", own.material, own.column.metric), own)).collect()
    };
    let (before, of_before) = (files(&tables), summaries(&tables));
    let has_one = |name: &str| of_before[name].code_widths.contains(&0);
    assert!(has_one("KRRvKN dtm") && !has_one("KRRvK dtm"));
    // Distances and who wins may be kept for different sides to move.
    let widths = |name: &str, metric: &str| of_before[&format!("{name} {metric}")].code_widths;
    let is_apart = |name: &&str| widths(name, "wdl") != widths(name, "dtz50");
    assert!(["KRvK", "KRRvK", "KRvKN", "KRRvKN"].iter().any(is_apart), "{of_before:?}");
    repack(&tables, &["--small", "--variant", rules]);
    for (name, summary) in summaries(&tables) {
        let old = &of_before[&name];
        assert!(summary.is_small && !old.is_small, "{name}");
        assert_eq!(summary.code_widths, old.code_widths, "{name}");
        assert_eq!(summary.table_content(), old.table_content(), "{name}");
        assert_eq!(summary.metadata.dependencies, old.metadata.dependencies, "{name}");
    }
    verify(&tables, &["--variant", rules, "--all"]);
    // Solving finds everything done.
    solve(rules, &tables, &["--table", "KRRvKN", "--metric", "wdl,dtz50"]);
    repack(&tables, &["--quick", "--variant", rules]);
    assert!(files(&tables) == before);
}

#[test]
fn damaged_files_stay_as_they_are() {
    let folder = Folder::new("repack-damaged");
    let tables = folder.0.join("tables");
    solve(FIDE, &tables, &["--table", "KQvK"]);
    let path = tables.join("KQvK.tsm");
    let damaged = super::with_damaged_page(fs::read(&path).expect("a file"));
    fs::write(&path, &damaged).expect("a file");
    let folder = tables.to_str().expect("plain text");
    run(&["repack", folder, "--small"], 2).errs(&["KQvK.tsm", "damaged"]);
    assert!(fs::read(&path).expect("a file") == damaged && !tables.join(".drafts").exists());

    let check = |args: &[&str], said: &str| {
        run(&[&["repack"], args].concat(), 2).errs(&[said]);
    };
    check(&[folder], "--small");
    check(&[folder, "--small", "--quick"], "cannot be used with");
    check(&[folder, "--columns", "dtm"], "--out <DIR>");
    check(&[folder, "--columns", "dtz", "--out", "elsewhere"], "no such tables");
    check(&[folder, "--small", "--table", "KRvK"], "no such tables");
    check(&[folder, "--small", "--memory", "1"], "of memory");
    check(&["no-such-folder", "--quick"], "no folder no-such-folder");
}

/// Results on one disk and distances on another: each column comes from the first folder that has it.
#[test]
fn columns_are_copied_and_answer_from_folders_of_their_own() {
    let folder = Folder::new("repack-columns");
    let [tables, results, distances] = ["tables", "results", "distances"].map(|name| folder.0.join(name));
    solve(FIDE, &tables, &["--table", "KPvK", "--metric", "wdl,dtz50"]);
    let text = |path: &Path| path.to_str().expect("plain text").to_owned();
    let copy = |metric: &str, to: &Path| repack(&tables, &["--columns", metric, "--out", &text(to)]);
    let out = copy("wdl", &results);
    assert!(out.starts_with("5 columns copied into "), "{out}");
    assert!(copy("wdl", &results).ends_with("; 5 were there already\n"));
    copy("dtz50", &distances);
    let columns = |folder: &Path| format::columns_of(&folder.join("KPvK.tsm")).expect("columns");
    assert_eq!(columns(&results), [Metric::Wdl.into()]);
    assert_eq!(columns(&distances), [Metric::Dtz50.into()]);
    assert!(results.join("fide.rules.toml").exists());
    let fen = "8/8/8/8/3k4/8/3P4/3K4 w - - 0 1";
    let probe = |folders: &[&Path]| {
        let folders: Vec<String> = folders.iter().map(|folder| text(folder)).collect();
        let mut args = vec!["probe", "--no-solve", "--metric", "dtz50", fen];
        folders.iter().for_each(|folder| args.extend(["--tables", folder]));
        run(&args, 0).out
    };
    assert_eq!(probe(&[&results, &distances]), probe(&[&tables]));
    assert_eq!(probe(&[&distances, &results]), probe(&[&tables]));
    // Both columns put together again are the file that they come from.
    let together = folder.0.join("together");
    for from in [&distances, &results] {
        let args = ["--columns", "wdl,dtz50", "--out", &text(&together)];
        run(&[&["repack", &text(from)], &args[..]].concat(), 0);
    }
    assert!(files(&together) == files(&tables));
}
