//! Compares the hashes of all values with snapshots: every table of chess up to four men under every metric,
//! tables of every other game, positions with castling rights, and structures.
//!
//! A changed hash is a changed value. Numbers and codes may change, and no hash with them. The snapshots are
//! those of the workspace above.

use library::SolvedTables;
use rayon::prelude::*;
use stats::ValueHash;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use tablesmith_tests::{call, fide, game, root};
use variant::{Material, Metric, Variant};

/// Tables of four men of other games.
const FOUR_MEN: &[(&str, &[&str])] = &[
    ("commoner", &["KMvKM"]),
    ("knightmate", &["NQvNR"]),
    ("amazon-empress-princess", &["KCvKA"]),
    ("grasshopper", &["KQvKG"]),
    ("berolina", &["KRvKP"]),
    ("los-alamos", &["KPvKP", "KQvKR"]),
    ("gardner", &["KQvKR", "KPvKP"]),
    ("capablanca", &["KAvKN"]),
    ("coregal", &["KQvKR"]),
    ("horde", &["PPPvK"]),
    ("chigorin", &["KNvKB"]),
    ("three-check", &["KBvKN+2+3"]),
    ("cylinder", &["KRvKP"]),
    ("cannon", &["KCvKH"]),
    ("shatranj", &["KRvKN"]),
    ("makruk", &["KSvKM"]),
    ("ai-wok", &["KAvKS"]),
    ("orda", &["KHvKL"]),
    ("antichess", &["NPvN"]),
    ("suicide", &["NPvN"]),
    ("atomic", &["KQvKR", "KPvKP"]),
    ("king-of-the-hill", &["KNvKB"]),
    ("racing-kings", &["KQvKR"]),
    ("kinglet", &["KPvP"]),
    ("losers", &["KPvKP"]),
    ("stalemate-loses", &["KBvKN"]),
];

/// The hashes of some tables of a game under every metric, a line each.
fn hashes(variant: &Variant, materials: &[Material]) -> String {
    let of_metric = |metric: &Metric| {
        let tables = SolvedTables::of_metric(variant.clone(), *metric);
        let line = |material: &Material| {
            let table = tables.solved(material).unwrap_or_else(|error| panic!("{error}"));
            let name = material.name(variant);
            format!("{name} {metric} {}\n", ValueHash::of_table(&table, *metric).finish())
        };
        materials.iter().map(line).collect::<String>()
    };
    let metrics = Metric::ALL.into_par_iter().filter(|&metric| variant.has_metric(metric));
    metrics.map(|metric| of_metric(&metric)).collect()
}

/// Games with castling, and tables of which positions with rights are solved.
const WITH_RIGHTS: &[(&str, &[&str])] = &[
    ("fide", &["KRvK", "KRvKP", "KRvKB", "KQvKR"]),
    ("chess960", &["KRvK"]),
    ("atomic", &["KRvK", "KRvKP"]),
    ("berolina", &["KRvK"]),
    ("capablanca", &["KRvK"]),
    ("commoner", &["KRvK"]),
    ("king-of-the-hill", &["KRvK"]),
    ("knightmate", &["NRvN"]),
    ("losers", &["KRvK"]),
    ("stalemate-loses", &["KRvK"]),
];

/// Structures by positions and limits: a game and further arguments of `solve`.
const STRUCTURES: &[(&str, &[&str])] = &[
    ("fide", &["--position", "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"]),
    ("fide", &["--position", "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "--metric", "dtz"]),
    ("fide", &["--position", "8/8/1k6/3p4/3P4/8/2K5/8 w - - 0 1", "--promoted", "0"]),
    ("fide", &["--position", "8/8/1k6/3p4/3P4/8/2K5/8 w - - 0 1", "--promoted", "0", "--metric", "dtm"]),
    ("fide", &["--position", "8/8/1k6/3p4/3P4/8/2K5/8 w - - 0 1", "--promoted", "0", "--metric", "dtc"]),
    ("fide", &["--position", "8/8/1k6/3p4/3P4/8/2K5/8 w - - 0 1", "--promoted", "0", "--metric", "dtz"]),
    ("fide", &["--position", "8/8/1k6/3p4/3P4/8/2K5/8 w - - 0 1", "--promoted", "0", "--metric", "dtz50"]),
    ("fide", &["--position", "8/8/k7/3p4/P2P4/8/K7/8 w - - 0 1", "--promoted", "0", "--metric", "dtm"]),
    ("fide", &["--position", "k7/8/8/8/8/8/7p/K6R w - - 0 1", "--promoted", "0", "--fixed", "wRh1"]),
    ("fide", &["--position", "8/8/8/8/8/1k6/1p6/1K6 b - - 0 1", "--for", "win"]),
    ("fide", &["--position", "8/8/8/8/8/1k6/1p6/1K6 w - - 0 1", "--for", "draw"]),
    ("gardner", &["--position", "4k/p4/5/4P/K4 w - - 0 1"]),
    ("gardner", &["--position", "4k/pp3/5/3PP/K4 w - - 0 1", "--promoted", "0"]),
    ("gardner", &["--position", "4k/p4/5/4P/K4 w - - 0 1", "--promoted", "0,0", "--metric", "dtm"]),
    ("berolina", &["--position", "8/8/3k4/3p4/4P3/4K3/8/8 w - - 0 1", "--promoted", "0"]),
    ("makruk", &["--position", "4k3/8/8/p7/P7/8/8/4K3 w - - 0 1", "--promoted", "0"]),
    ("makruk", &["--position", "4k3/8/8/p7/P7/8/8/4K3 w - - 0 1", "--promoted", "0", "--metric", "dtm"]),
    ("antichess", &["--position", "8/p7/8/8/8/8/7P/8 w - - 0 1"]),
    ("antichess", &["--position", "8/p7/8/8/8/8/7P/8 w - - 0 1", "--metric", "dtz50"]),
    ("king-of-the-hill", &["--position", "8/8/k7/p7/P7/8/8/K7 w - - 0 1", "--promoted", "0"]),
    ("shatranj", &["--position", "8/8/k7/p7/P7/8/8/K7 w - - 0 1", "--promoted", "0", "--metric", "dtm"]),
];

/// Structures of chess by files: men that keep to some squares, and moves that are discarded or conceded.
const STRUCTURE_FILES: &[&str] = &[
    "men = \"wKa4-bKa5\"\n[limits]\ndiscard = [\"w=*\", \"b=*\"]\n",
    "men = \"wd4-bKd5\"\nmetric = \"wdl\"\n[[man]]\npiece = \"wK\"\nsquares = \"c3 d3 e3 c2 d2 e2\"\n\
     [limits]\npromoted = 0\n",
    "men = \"wKh2-bKh3\"\n[limits]\ndiscard = [\"w=*\"]\nconcede-to-black = [\"b=*\"]\n",
    "men = \"wK-bKa4\"\n[[man]]\npiece = \"wR\"\nsquares = \"h1\"\nfixed = true\n\
     [limits]\nconcede-to-black = [\"b=*\"]\n",
];

fn check_snapshot(name: &str, hashes: String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/snapshots/values"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, hashes));
}

#[track_caller]
fn check_hashes(variant: &Variant, materials: &[Material]) {
    check_snapshot(&variant.name, hashes(variant, materials));
}

/// Solves what the arguments say into the folder of a game below this one.
fn solve(folder: &Path, game: &str, args: &[&str]) {
    let rules = root().join("variants").join(game).with_extension("toml");
    let out = folder.join(game);
    let mut all: Vec<OsString> = vec!["solve".into(), rules.into(), "--out".into(), out.into()];
    all.extend(args.iter().map(OsString::from));
    let reply = call(all, "");
    // Bounds may leave open who wins.
    let is_solved = reply.code == 0 || reply.code == 1 && !args.contains(&"--table");
    assert!(is_solved, "{game} {args:?}: {}{}", reply.out, reply.err);
}

/// What `stats --hash` says of the files that are meant, a line for each hash of a file: game, file, hash.
fn hashes_of_files(folder: &Path, is_meant: impl Fn(&Path) -> bool) -> String {
    let mut games: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().collect();
    games.sort_unstable_by_key(fs::DirEntry::file_name);
    let of_game = |game: &fs::DirEntry| {
        let name = game.file_name().into_string().expect("plain text");
        let rules = root().join("variants").join(&name).with_extension("toml");
        let mut paths: Vec<_> = fs::read_dir(game.path()).expect("a folder").flatten().collect();
        paths.retain(|file| is_meant(&file.path()));
        paths.sort_unstable_by_key(fs::DirEntry::file_name);
        let of_file = |file: &fs::DirEntry| {
            let args: [OsString; 5] = [
                "stats".into(),
                file.path().into(),
                "--hash".into(),
                "--variant".into(),
                rules.clone().into(),
            ];
            let reply = call(args, "");
            assert_eq!(reply.code, 0, "{}", reply.err);
            let lines = reply.out.lines().map(|line| line.split_once("  ").expect("a hash and a name"));
            lines.map(|(hash, file)| format!("{name} {file} {hash}\n")).collect::<String>()
        };
        paths.iter().map(of_file).collect::<String>()
    };
    games.iter().map(of_game).collect()
}

#[test]
fn values_with_castling_rights() {
    let folder = tempfile::tempdir().expect("a folder");
    for (game, tables) in WITH_RIGHTS {
        let tables: Vec<&str> = tables.iter().flat_map(|name| ["--table", name]).collect();
        for metric in ["dtm", "dtz50", "dtc"] {
            solve(folder.path(), game, &[&tables[..], &["--rights", "--metric", metric]].concat());
        }
    }
    let is_meant = |file: &Path| format::columns_of(file).is_ok_and(|all| all.iter().any(|c| c.has_rights));
    let hashes = hashes_of_files(folder.path(), is_meant);
    let of_rights = hashes.lines().filter(|line| line.contains(" with castling rights "));
    let hashes: String = of_rights.map(|line| format!("{line}\n")).collect();
    assert!(hashes.lines().count() >= 3 * WITH_RIGHTS.len(), "{hashes}");
    check_snapshot("castling-rights", hashes);
}

#[test]
fn values_of_structures() {
    let folder = tempfile::tempdir().expect("a folder");
    for (game, args) in STRUCTURES {
        solve(folder.path(), game, args);
    }
    for (number, text) in STRUCTURE_FILES.iter().enumerate() {
        let file = folder.path().join(format!("{number}.toml"));
        fs::write(&file, text).expect("a file");
        solve(folder.path(), "fide", &["--structure", file.to_str().expect("a plain path")]);
        fs::remove_file(&file).expect("it is there");
    }
    let is_structure = |file: &Path| file.extension().is_some_and(|own| own == structure::EXTENSION);
    let hashes = hashes_of_files(folder.path(), is_structure);
    assert!(hashes.lines().count() >= 30, "{hashes}");
    check_snapshot("structures", hashes);
}

#[test]
fn values_of_chess() {
    let variant = fide();
    let materials = [Material::all(&variant, 3), Material::all(&variant, 4)].concat();
    assert_eq!(materials.len(), 35);
    check_hashes(&variant, &materials);
}

#[test]
fn values_of_other_games() {
    let mut n_games = 0;
    for entry in fs::read_dir(root().join("variants")).expect("the games") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        if name == "fide" {
            continue;
        }
        let variant = game(&name);
        let mut materials = Material::all(&variant, 3);
        let of_four = FOUR_MEN.iter().filter(|(game, _)| *game == name).flat_map(|(_, names)| *names);
        materials.extend(of_four.map(|name| Material::parse(&variant, name).expect("a material")));
        check_hashes(&variant, &materials);
        n_games += 1;
    }
    assert_eq!(n_games, 32);
}
