//! Checks that files written on other days hold what is solved today.
//!
//! `tests/cases/files` has a folder for each kind of file: `quick`, `one_side`, `metrics` and `small`.

use format::{BlockCache, TableFile};
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Lookup, Table, Value};
use tablesmith_tests::{chess, root};
use variant::exit::TablePart;
use variant::{Material, Metric, Side};

#[track_caller]
fn check_file(kind: &str, name: &str) {
    let solved_tables = chess();
    let path = root().join("tests/cases/files").join(kind).join(format::file_name(name));
    assert_eq!(format::Summary::read(&path, Metric::Dtm).unwrap().is_small, kind == "small", "{name}");
    let file = TableFile::open(&path, solved_tables.variant()).unwrap();
    let mut read = file.read_table().unwrap();
    solve::restore(solved_tables.variant(), &mut read);
    let solved = solved_tables.solved(&Material::parse(solved_tables.variant(), name).unwrap()).unwrap();
    let layout = solved.layout();
    for stm in solved.sides() {
        let differ = (0..layout.len()).find(|&i| read.value(stm, i) != solved.value(stm, i));
        assert_eq!(differ, None, "{name}, {stm} to move, {kind}");
        for index in (0..layout.len()).step_by(37) {
            let value = solved.value(stm, index);
            if value != Value::Illegal && layout.is_canonical(index, &layout.decode(index)) {
                assert_eq!(file.value(stm, index).unwrap(), value, "{name}, {stm} to move, {index}");
            }
        }
    }
}

#[test]
fn quick_files_are_read() {
    ["KQvK", "KPvK", "KNvKN"].into_iter().for_each(|name| check_file("quick", name));
}

#[test]
fn small_files_are_read() {
    ["KQvK", "KPvK", "KNvKN", "KQvKQ"].into_iter().for_each(|name| check_file("small", name));
}

/// A file that has left out a side to move: what it keeps, and what it says of the table.
#[track_caller]
fn check_one_side(name: &str) {
    let solved_tables = chess();
    let path = root().join("tests/cases/files/one_side").join(format::file_name(name));
    let file = TableFile::open(&path, solved_tables.variant()).unwrap();
    file.verify_checksums().unwrap();
    let kept = !file.left_out().expect("a side has been left out");
    let solved = solved_tables.solved(&Material::parse(solved_tables.variant(), name).unwrap()).unwrap();
    let layout = solved.layout();
    let mut n_compared = 0;
    for index in 0..layout.len() {
        let value = solved.value(kept, index);
        if value != Value::Illegal && layout.is_canonical(index, &layout.decode(index)) {
            assert_eq!(file.value(kept, index).unwrap(), value, "{name}, {kept} to move, {index}");
            n_compared += 1;
        }
    }
    assert!(n_compared > layout.len() / 4, "{n_compared}");
    let summary = format::Summary::read(&path, Metric::Dtm).unwrap();
    assert!(summary.metadata.table.is_some() && summary.table_content() != summary.content);
}

#[test]
fn files_of_one_side_are_read() {
    ["KQvK", "KPvK"].into_iter().for_each(check_one_side);
}

/// Columns of other metrics: who wins, and the distance beside it, for the side to move that both keep.
#[track_caller]
fn check_metric(name: &str, metric: Metric) {
    let solved_tables = chess();
    let variant = solved_tables.variant();
    let folder = root().join("tests/cases/files/metrics");
    let open = |metric| {
        let path = folder.join(format::file_name(name));
        let file = TableFile::open_of(&path, variant, metric, Arc::new(BlockCache::new(1 << 20))).unwrap();
        file.verify_checksums().unwrap();
        file
    };
    let (wdl, file) = (open(Metric::Wdl), open(metric));
    let stm =
        Side::BOTH.into_iter().find(|&stm| wdl.keeps(stm) && file.keeps(stm)).expect("a side that both keep");
    let layout = file.layout().clone();
    let targets = variant::exit::targets(variant, layout.material());
    // A distance to a zeroing move needs nothing of other tables but who wins; KQvK and KPvK have no cursed
    // wins.
    let tables: BTreeMap<_, _> = targets
        .iter()
        .map(|target| {
            (target.material.clone(), Arc::new(solved_tables.solved(&target.material).unwrap().to_wdl()))
        })
        .collect();
    let solved =
        solve::solve(variant, Metric::Dtz, layout.clone(), &Tables(tables), &solve::Unwatched).unwrap();
    let mut n_compared = 0;
    for index in 0..layout.len() {
        let value = solved.value(stm, index);
        if value != Value::Illegal && layout.is_canonical(index, &layout.decode(index)) {
            let distance = file.distance(stm, index).unwrap();
            assert_eq!(distance.of(wdl.value(stm, index).unwrap()), value, "{name}, {stm} to move, {index}");
            n_compared += 1;
        }
    }
    assert!(n_compared > layout.len() / 4, "{n_compared}");
}

/// Tables in memory.
struct Tables(BTreeMap<Material, Arc<Table>>);

impl Lookup for Tables {
    fn table(&self, material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        self.0.get(material).cloned()
    }
}

#[test]
fn files_of_other_metrics_are_read() {
    ["KQvK", "KPvK"].into_iter().for_each(|name| check_metric(name, Metric::Dtz50));
}
