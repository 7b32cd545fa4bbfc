//! Checks that files have the same bytes, however they are computed.

use format::TableWriter;
use index::Layout;
use kernel::Level;
use library::SolvedTables;
use position::{Position, RuleBook};
use rayon::ThreadPoolBuilder;
use solve::Unwatched;
use std::process::Command;
use std::sync::Arc;
use structure::{Bound, Limit, MAX_SLICES, Structure};
use tablesmith_tests::{announce, chess, metadata, small_chess};
use variant::{Material, Metric};

#[track_caller]
fn file_bytes(name: &str, n_threads: usize) -> Vec<u8> {
    let tables = chess();
    let variant = tables.variant();
    let material = Material::parse(variant, name).unwrap();
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format::file_name(name));
    pool.install(|| {
        let table = solve::solve(
            variant,
            tables.metric(),
            Arc::new(Layout::new(variant, &material)),
            tables,
            &Unwatched,
        )
        .unwrap();
        let metadata = metadata(variant);
        TableWriter::new(variant).write(&path, &table, &metadata).unwrap();
    });
    std::fs::read(path).unwrap()
}

#[test]
fn one_two_and_seven_threads_write_the_same_file() {
    for name in ["KPvK", "KRvKN", "KPvKP"] {
        drop(chess().named(name).unwrap());
        let one = file_bytes(name, 1);
        assert!(one.len() > 1000, "{name}: {} bytes", one.len());
        for n_threads in [2, 7] {
            assert!(file_bytes(name, n_threads) == one, "{name} with {n_threads} threads");
        }
    }
}

/// Pages are found in any order; a structure's file has them in one.
#[test]
fn one_two_and_seven_threads_write_the_same_structure() {
    let variant = small_chess(4, 5);
    let book = RuleBook::new(&variant);
    let root = Position::from_fen(&book, "k3/1p2/4/P1P1/3K w - - 0 1").unwrap();
    for (metric, bounds) in
        [(Metric::Dtm, &[Bound::Lower, Bound::Upper][..]), (Metric::Wdl, &[Bound::Lower, Bound::Upper])]
    {
        let structure = Structure::new(
            &variant,
            metric,
            std::slice::from_ref(&root),
            (Limit::none(), bounds),
            MAX_SLICES,
        )
        .unwrap();
        let written = |n_threads: usize| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("one.tss");
            let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| structure::solve(&structure, &path, 1 << 30, &structure::Unwatched)).unwrap();
            let names = std::fs::read_dir(folder.path()).unwrap();
            assert_eq!(names.count(), 1, "something is left of the file in the making");
            std::fs::read(path).unwrap()
        };
        let one = written(1);
        assert!(one.len() > 10_000, "{metric}: {} bytes", one.len());
        for n_threads in [2, 7] {
            assert!(written(n_threads) == one, "{metric} with {n_threads} threads");
        }
    }
}

/// What one process writes; the one below starts others that run just this.
#[test]
fn files_of_one_process() {
    let mut hash = blake3::Hasher::new();
    for name in ["KPvK", "KRvKN", "KQvKR"] {
        drop(chess().named(name).unwrap());
        hash.update(&file_bytes(name, 1));
    }
    // Five men, but on a board on which that takes no time.
    let tables = SolvedTables::new(small_chess(4, 5));
    let table = tables.named("KRBvKR").unwrap();
    for stm in table.sides() {
        let codes = table.codes(stm).unwrap().as_ref();
        let values: Vec<u8> =
            (0..codes.len()).flat_map(|i| format!("{:?}", codes.value(i)).into_bytes()).collect();
        assert!(values.len() > 1_000_000, "{} bytes of values", values.len());
        hash.update(&values);
    }
    println!("{MARK}{}", hash.finalize());
}

const MARK: &str = "what this process writes: ";

#[test]
fn every_instruction_set_writes_the_same_file() {
    let written = |level: &str| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "bytes::files_of_one_process", "--nocapture"])
            .env(kernel::VARIABLE, level)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find_map(|line| line.split_once(MARK)).map(|(_, hash)| hash.to_owned());
        line.unwrap_or_else(|| panic!("{level}: {text}"))
    };
    let portable = written("portable");
    for level in [Level::Avx2, Level::Avx512, Level::Gfni] {
        if level > Level::detected() {
            announce(&format!(
                "SKIPPED: this processor has no {level:?}, so files written with it were NOT compared"
            ));
            continue;
        }
        assert_eq!(written(&format!("{level:?}").to_lowercase()), portable, "{level:?}");
    }
}
