//! The same bytes, whoever computes them.

use format::{Metadata, write_table};
use index::Layout;
use rayon::ThreadPoolBuilder;
use solve::Unwatched;
use std::sync::Arc;
use tablesmith_tests::chess;
use variant::Material;

#[track_caller]
fn file_bytes(name: &str, n_threads: usize) -> Vec<u8> {
    let shelf = chess();
    let variant = shelf.variant();
    let material = Material::parse(variant, name).unwrap();
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format::file_name(name));
    pool.install(|| {
        let table =
            solve::solve(variant, Arc::new(Layout::new(variant, &material)), shelf, &Unwatched).unwrap();
        let metadata = Metadata {
            program: "test".into(),
            variant: variant.name.clone(),
            solver_version: solve::VERSION,
            dependencies: Vec::new(),
            statistics: serde_json::Value::Null,
        };
        write_table(&path, variant, &table, &metadata).unwrap();
    });
    std::fs::read(path).unwrap()
}

#[test]
fn one_two_and_seven_threads_write_the_same_file() {
    for name in ["KPvK", "KRvKN", "KPvKP"] {
        drop(chess().named(name));
        let one = file_bytes(name, 1);
        assert!(one.len() > 1000, "{name}: {} bytes", one.len());
        for n_threads in [2, 7] {
            assert!(file_bytes(name, n_threads) == one, "{name} with {n_threads} threads");
        }
    }
}
