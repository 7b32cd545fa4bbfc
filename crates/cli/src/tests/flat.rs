//! Exports tables as flat files, compares them, and probes them beside files of other formats.

use super::{FIDE, Folder, call, check, damage, refused, run};
use std::fs;

fn export<'a>(tables: &'a str, format: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["export", tables, "--format", format, "--out", out, "--variant", FIDE], more].concat()
}

#[test]
fn flat_files_say_what_the_tables_say() {
    let (folder, tables, out) = Folder::with_tables("flat", FIDE, "KPvK", "dtm");
    run(&export(&tables, "tbl", &out, &[]), 0).says(&[
        "KPvK: 24 files, 403.2 kB, ",
        "\n5 tables in ",
        ": 28 files of dtm, ",
    ]);
    run(&export(&tables, "tbc", &out, &["--table", "KQvK", "--gz"]), 0).says(&["1 file of wdl"]);
    assert!(folder.0.join("out/wKQ-bK.tbc.gz").exists());
    // What a file was computed from: captures lead to bare kings, promotions to tables that are beside it.
    let bytes = fs::read(folder.0.join("out/wKd7-bK.tbl")).expect("a file");
    let text = String::from_utf8_lossy(&bytes[256 + 64 * 64 * 2 * 2..]).into_owned();
    let names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["KBvK", "KNvK", "KQvK", "KRvK", "KvK"]);
    assert!(text.contains("KvK absent\n") && text.len() == 4 * 38 + 11, "{text}");

    let compare = ["verify", &tables, "--variant", FIDE, "--against", &out];
    run(&compare, 0).says(&[
        "KPvK (.tbl): the same in ",
        "KQvK (.tbc): the same in ",
        "\n6 tables, ",
        ": no difference",
    ]);
    run(&[&compare[..], &["--sample", "500", "--table", "KPvK"]].concat(), 0);
    // A flipped bit is found by its sum.
    let damaged = folder.0.join("out/wKR-bK.tbl");
    damage(&damaged);
    run(&compare, 1).says(&["wKR-bK.tbl cannot be read: its MD5 sum is another one", ": 1 differ"]);
}

#[test]
fn a_table_is_one_file_on_request() {
    let (folder, tables, out) = Folder::with_tables("flat-one", FIDE, "KPvK", "dtm");
    run(&export(&tables, "tbl", &out, &["--one-file"]), 0)
        .says(&["KPvK: 1 file, 393.6 kB, ", ": 5 files of dtm, "]);
    // It is compared, verified, counted and asked as the files of all placements are.
    let compare = ["verify", &tables, "--variant", FIDE, "--against", &out];
    check(&compare, 0, "KPvK (.tbl, one file): the same in ", "");
    let verify = ["verify", &out, "--variant", FIDE];
    check(&verify, 0, "wKP-bK.tbl: ok, 196,608 values, ", "");
    let file: &str = &folder.path("out/wKP-bK.tbl");
    let stats = |file: &str| {
        let reply = run(&["stats", file, "--variant", FIDE], 0);
        assert_eq!(reply.err, "", "it is no file of many");
        reply.out
    };
    assert_eq!(stats(file), stats(&folder.path("tables/KPvK.tsm")));
    let fens =
        "8/8/4k3/8/4K3/8/4P3/8 w - - 0 1\n8/4p3/8/4k3/8/4K3/8/8 b - - 0 1\n8/4P3/8/8/8/2k5/8/K7 b - - 0 1\n";
    let stream = |tables: &str| call(&["probe", "--stdin", "--variant", FIDE, "--tables", tables], fens).out;
    assert_eq!(stream(&out), stream(&tables));
    let probe = ["probe", "8/8/4k3/8/4K3/8/4P3/8 w - - 0 1", "--variant", FIDE, "--tables", &out];
    check(&probe, 0, "(from wKP-bK.tbl)", "");
    // Other tables are made from it.
    let above: &str = &folder.path("above");
    let solve = ["solve", FIDE, "--table", "KPvKN", "--using", &out, "--out", above];
    run(&solve, 0);
    assert!(!folder.0.join("above/KPvK.tsm").exists());
    // Beside the files of all placements each kind is looked at by itself.
    call(&export(&tables, "tbl", &out, &["--table", "KPvK", "--gz"]), "").says(&["KPvK: 24 files, "]);
    call(&compare, "").says(&["\n6 tables, ", ": no difference"]);
    run(&verify, 0).says(&["KPvK (24 flat files of dtm): ok", "wKP-bK.tbl: ok"]);
    refused(&export(&tables, "bits", &out, &["--question", "draw", "--one-file"]), "for --format");
    refused(&export(&tables, "syzygy", &out, &["--one-file"]), "is for --format tbl and --format tbc");
    // A file that is cut short is refused in words, alone and as one that is asked.
    let bytes = fs::read(file).expect("a file");
    fs::remove_file(file).expect("a file");
    fs::write(file, &bytes[..bytes.len() - 1000]).expect("a file");
    check(&["verify", file, "--variant", FIDE], 1, "wKP-bK.tbl is cut short", "");
    let reply = call(&probe, "");
    assert!(reply.code != 0 && (reply.out + &reply.err).contains("wKP-bK.tbl is cut short"));
}

#[test]
fn other_values_are_listed() {
    let (folder, tables, out) = Folder::with_tables("flat-other", FIDE, "KRvK", "dtm,dtz");
    // Files of another metric under the names of the game's own.
    run(&export(&tables, "tbl", &out, &["--metric", "dtz"]), 0);
    fs::rename(folder.0.join("out/wKR-bK.dtz.tbl"), folder.0.join("out/wKR-bK.tbl")).expect("a file");
    run(&["verify", &tables, "--variant", FIDE, "--against", &out], 1)
        .says(&["holds the metric dtz, expected dtm"]);
}

#[test]
fn what_flat_files_cannot_hold_is_refused_in_words() {
    let (_folder, tables, out) = Folder::with_tables("flat-not", FIDE, "KNvK", "dtm");
    refused(&export(&tables, "tbl", &out, &["--metric", "wdl"]), "a .tbl cannot hold wdl");
    refused(&export(&tables, "tbc", &out, &["--metric", "dtm"]), "a .tbc cannot hold dtm");
    refused(&export(&tables, "tbl", &out, &["--rounded"]), "--rounded is for --format syzygy");
    refused(&export(&tables, "tbc", &out, &["--wide"]), "--wide is for --format tbl");
    refused(&export(&tables, "syzygy", &out, &["--gz"]), "is for --format tbl and --format tbc");
    refused(&export(&tables, "tbl", &out, &["--metric", "dtc"]), "has no tables of the metric dtc");
    refused(&export(&tables, "tbl", &out, &["--table", "KBvK"]), "KBvK.tsm");
}

#[test]
fn a_folder_of_many_formats_answers() {
    let (folder, tables, out) = Folder::with_tables("mixed", FIDE, "KPvK", "dtm");
    let mixed = folder.0.join("mixed");
    fs::create_dir(&mixed).expect("a folder");
    run(&export(&tables, "tbl", &out, &["--table", "KRvK", "--table", "KPvK", "--gz"]), 0);
    for entry in fs::read_dir(&out).expect("files") {
        let path = entry.expect("a file").path();
        fs::rename(&path, mixed.join(path.file_name().expect("a name"))).expect("a file");
    }
    fs::copy(folder.0.join("tables/KQvK.tsm"), mixed.join("KQvK.tsm")).expect("a file");
    run(&["solve", FIDE, "--table", "KBNvK", "--metric", "wdl,dtz50", "--out", &folder.path("rule")], 0);
    let rule = folder.path("rule");
    run(&export(&rule, "syzygy", mixed.to_str().expect("text"), &[]), 0);
    let mixed_text = mixed.to_str().expect("text").to_owned();
    let probe = |fen: &str, more: &[&str]| {
        let args = [&["probe", fen, "--variant", FIDE, "--tables", &mixed_text], more].concat();
        let reply = call(&args, "");
        reply.out + &reply.err
    };
    let check = |fen: &str, expected: &str| {
        let text = probe(fen, &[]);
        assert!(text.contains(expected), "{fen}: {text}");
    };
    check("8/8/8/8/8/3k4/8/3K3Q w - - 0 1", "White mates in 6 moves, 11 plies\n(from KQvK.tsm)\n");
    check("8/8/8/8/8/3k4/8/3K3R w - - 0 1", "(from wKR-bK.tbl.gz)\n");
    check("8/8/4k3/8/4K3/8/4P3/8 w - - 0 1", "(from wKd2-bK.tbl.gz)\n");
    check("8/8/8/8/8/3k4/8/3KB1N1 w - - 0 1", "to mate, capture or pawn move\n(from KBNvK.rtbz)\n");
    // The answer has the named metric, or none.
    let text = probe("8/8/8/8/8/3k4/8/3KB1N1 w - - 0 1", &["--metric", "wdl"]);
    assert!(text.contains("White wins. ") && text.contains("\n(from KBNvK.rtbw)\n"), "{text}");
    let text = probe("8/8/8/8/8/3k4/8/3KB1N1 w - - 0 1", &["--metric", "dtm", "--no-solve"]);
    assert!(text.contains("not here: KBNvK.tsm; KBNvK is not built"), "{text}");
    let json = probe("8/8/8/8/8/3k4/8/3K3R w - - 0 1", &["--json"]);
    assert!(json.contains("\"file\": \"wKR-bK.tbl.gz\""), "{json}");
    // The same positions say the same, whichever file is asked.
    let stream = |tables: &str| {
        let fens = "8/8/8/8/8/3k4/8/3K3R w - - 0 1\n8/8/4k3/8/4K3/8/4P3/8 b - - 0 1\n8/8/8/8/8/3k4/8/3K3R b - - 0 1\n";
        call(&["probe", "--stdin", "--variant", FIDE, "--tables", tables], fens).out
    };
    assert_eq!(stream(&mixed_text), stream(&tables));
}

/// A `.tbc` of `dtz50` says who wins under the rule; here five moves are all that there are.
#[test]
fn results_under_the_rule_are_exported_and_compared() {
    let folder = Folder::new("flat-rule");
    let [rules, tables, out] = ["five.toml", "tables", "out"].map(|part| folder.path(part));
    let fide = fs::read_to_string(FIDE).expect("the rules");
    fs::write(
        &rules,
        fide.replace("n-move-rule = 50", "n-move-rule = 5").replace("name = \"fide\"", "name = \"five\""),
    )
    .expect("the rules are written");
    assert!(fs::read_to_string(&rules).expect("text").contains("n-move-rule = 5 "));
    let solve = ["solve", &rules, "--table", "KRvK", "--metric", "wdl,dtz50", "--out"];
    run(&[&solve[..], &[&tables]].concat(), 0);
    let export = ["export", &tables, "--format", "tbc", "--out", &out];
    for metric in [&["--metric", "dtz50"][..], &[]] {
        run(&[&export[..], metric].concat(), 0);
    }
    let read = |name: &str| fs::read(folder.0.join(name)).expect("a file");
    let (under, without) = (read("out/wKR-bK.dtz50.tbc"), read("out/wKR-bK.tbc"));
    assert!(under.len() == without.len() && under[256..] != without[256..]);
    // Each is compared with the values of its own metric.
    run(&["verify", &tables, "--against", &out], 0).says(&["\n2 tables, ", ": no difference"]);
    // By itself it has a checksum and nothing to derive its values from.
    let file: &str = &folder.path("out/wKR-bK.dtz50.tbc");
    let reply = run(&["verify", file, "--variant", &rules], 0);
    assert!((reply.out + &reply.err).contains("compare them with tables by --against"));
    refused(&["stats", file, "--variant", &rules], "has the results under the n-move rule alone");
    // A file of one metric is none of the other.
    fs::copy(folder.0.join("out/wKR-bK.tbc"), folder.0.join("out/wKR-bK.dtz50.tbc")).expect("a file");
    run(&["verify", &tables, "--against", &out], 1).says(&["holds the metric wdl, expected dtz50"]);
    // In the run that solves: both where both metrics are named, and what is there is not written again.
    let both: &str = &folder.path("both");
    let write = [&solve[..], &[both, "--write", "tbc"]].concat();
    run(&write, 0);
    let in_both = |name: &str| read(&format!("both/{name}"))[256..].to_vec();
    let same = [("wKR-bK.dtz50.tbc", &under), ("wKR-bK.tbc", &without)];
    same.iter().for_each(|(name, bytes)| assert!(in_both(name) == bytes[256..], "{name}"));
    assert!(
        call(&write, "").err.contains("flat files of who wins under the rule of 1 table are there already")
    );
    // Such files serve neither a question nor another table.
    fs::remove_file(folder.0.join("both/wKR-bK.tbc")).expect("a file");
    let fen = "8/8/8/8/8/3k4/8/3K3R w - - 0 1";
    for metric in ["wdl", "dtz50"] {
        let probe = ["probe", fen, "--no-solve", "--variant", &rules, "--tables", both, "--metric", metric];
        run(&probe, 1);
    }
}

/// Who wins is taken from the files of whatever metric there are, and what has neither is named.
#[test]
fn tables_of_several_metrics_are_exported_together() {
    let (folder, tables, out) = Folder::with_tables("flat-mixed", FIDE, "KQvK", "wdl");
    for (table, metric) in [("KRvK", "dtm"), ("KBvK", "dtc")] {
        let solve = ["solve", FIDE, "--table", table, "--metric", metric, "--out", &tables];
        run(&solve, 0);
    }
    run(&export(&tables, "tbc", &out, &[]), 0);
    for name in ["wKQ-bK.tbc", "wKR-bK.tbc", "wKB-bK.tbc"] {
        assert!(folder.0.join("out").join(name).exists(), "{name}");
    }
    let compare = ["verify", &tables, "--variant", FIDE, "--against", &out];
    run(&compare, 0).says(&["3 tables, ", ": no difference ("]);
    let one = call(&export(&tables, "tbc", &out, &["--table", "KRvK"]), "");
    assert!(one.code == 0 && one.err.is_empty(), "{}{}", one.out, one.err);
    for (format, metric) in [("tbl", "dtc"), ("bits", "dtc")] {
        let question: &[&str] = if format == "bits" { &["--question", "white wins"] } else { &[] };
        let reply = run(&export(&tables, format, &out, &[&["--metric", metric], question].concat()), 0);
        let told = "passed over, without the column dtc";
        assert!(reply.err.starts_with(told) && reply.err.ends_with(": KQvK, KRvK\n"), "{}", reply.err);
    }
    refused(&export(&tables, "tbl", &out, &["--metric", "dtz"]), "has no tables of the metric dtz");
}

/// A flat file does not name its game, and the ending of a Syzygy file of another game does not either: the
/// rules beside them do, for every command.
#[test]
fn rules_beside_files_of_others_are_found() {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/stalemate-loses.toml");
    let folder = Folder::new("rules-beside");
    let tables = folder.path("tables");
    let solve = ["solve", rules, "--table", "KQvK", "--metric", "dtm,wdl,dtz50", "--out", &tables];
    run(&solve, 0);
    for format in ["tbl", "syzygy"] {
        let out = format!("{}/{format}", folder.text());
        run(&["export", &tables, "--format", format, "--out", &out, "--table", "KQvK"], 0);
        let fen = "8/8/8/4k3/8/8/8/KQ6 w - - 0 1";
        run(&["probe", fen, "--tables", &out, "--no-solve", "--value-only"], 0);
        check(&["verify", &out, "--sample", "100"], 0, ": all right (", "");
        let files = fs::read_dir(&out).expect("a folder").flatten().map(|file| file.path());
        let file = files.into_iter().find(|file| {
            let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
            name.is_some_and(|name| !name.ends_with(".toml") && !name.starts_with('.'))
        });
        let file = file.expect("a file of the table");
        check(&["stats", file.to_str().expect("plain text")], 0, "KQvK", "");
    }
}
