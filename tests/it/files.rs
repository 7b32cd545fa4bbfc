//! Checks that files of older versions of this program hold what is solved today.
//!
//! `tests/cases/files/version_N` holds a few tables in format version N, as they were written when that was
//! the latest.

use format::{BlockCache, TableFile};
use library::SolvedTables;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Lookup, Table, Value};
use tablesmith_tests::{chess, game, root};
use variant::{Material, Metric, Side};

#[track_caller]
fn check_file(version: u32, name: &str) {
    let solved_tables = chess();
    let path = root().join(format!("tests/cases/files/version_{version}")).join(format::file_name(name));
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes[8..12], version.to_le_bytes(), "{name}");

    let file = TableFile::open(&path, solved_tables.variant()).unwrap();
    let mut read = file.read_table().unwrap();
    solve::restore(solved_tables.variant(), &mut read);
    let solved = solved_tables.solved(&Material::parse(solved_tables.variant(), name).unwrap()).unwrap();
    let layout = solved.layout();
    for stm in solved.sides() {
        let differ = (0..layout.len()).find(|&i| read.value(stm, i) != solved.value(stm, i));
        assert_eq!(differ, None, "{name}, {stm} to move, in version {version}");
        for index in (0..layout.len()).step_by(37) {
            let value = solved.value(stm, index);
            if value != Value::Illegal && layout.is_canonical(index, &layout.decode(index)) {
                assert_eq!(file.value(stm, index).unwrap(), value, "{name}, {stm} to move, {index}");
            }
        }
    }
}

#[test]
fn files_of_version_1_are_read() {
    ["KQvK", "KPvK", "KNvKN"].into_iter().for_each(|name| check_file(1, name));
}

/// A file that has left out a side to move: what it keeps, and what it says of the table.
#[track_caller]
fn check_one_side(version: u32, name: &str) {
    let solved_tables = chess();
    let path = root().join(format!("tests/cases/files/version_{version}")).join(format::file_name(name));
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes[8..12], version.to_le_bytes(), "{name}");
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
    let summary = format::Summary::read(&path).unwrap();
    assert!(summary.metadata.table.is_some() && summary.table_content() != summary.content);
}

#[test]
fn files_of_version_3_are_read() {
    ["KQvK", "KPvK"].into_iter().for_each(|name| check_one_side(3, name));
}

/// Files of other metrics: who wins, and the distance beside it, for the side to move that both keep.
#[track_caller]
fn check_metric(name: &str, metric: Metric) {
    let solved_tables = chess();
    let variant = solved_tables.variant();
    let folder = root().join("tests/cases/files/version_4");
    let open = |metric| {
        let path = folder.join(format::file_name_of(name, metric, variant.default_metric));
        assert_eq!(std::fs::read(&path).unwrap()[8..12], 4u32.to_le_bytes(), "{name}");
        let file = TableFile::open_of(&path, variant, metric, Arc::new(BlockCache::new(1 << 20))).unwrap();
        file.verify_checksums().unwrap();
        file
    };
    let (wdl, file) = (open(Metric::Wdl), open(metric));
    let stm =
        Side::BOTH.into_iter().find(|&stm| wdl.keeps(stm) && file.keeps(stm)).expect("a side that both keep");
    let layout = file.layout().clone();
    let targets = exit::targets(variant, layout.material());
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
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.0.get(material).cloned()
    }
}

#[test]
fn files_of_version_4_are_read() {
    ["KQvK", "KPvK"].into_iter().for_each(|name| check_metric(name, Metric::Dtz50));
}

#[test]
fn files_of_version_5_are_read() {
    ["KQvK", "KPvK", "KNvKN"].into_iter().for_each(|name| check_file(5, name));
}

#[test]
fn files_of_version_6_are_read() {
    check_file(6, "KQvKQ");
}

/// On 25 squares blocks begin and end within a rank.
#[test]
fn a_file_of_version_6_of_a_small_board_is_read_and_gets_its_other_side() {
    let variant = game("gardner");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("KRRvKR.tsm");
    std::fs::copy(root().join("tests/cases/files/version_6_gardner/KRRvKR.tsm"), &path).unwrap();
    let file = TableFile::open(&path, &variant).unwrap();
    assert!(file.left_out().is_some());
    file.verify_checksums().unwrap();
    drop(file);

    let tables = SolvedTables::new(game("gardner"));
    let table = tables.solved(&Material::parse(&variant, "KRRvKR").unwrap()).unwrap();
    let grown = format::add_interim_side(&path, &variant, &*table).unwrap();
    assert!(matches!(grown, format::Grown::Both(_)), "{grown:?}");
    let file = TableFile::open(&path, &variant).unwrap();
    assert!(file.left_out().is_none());
    file.verify_checksums().unwrap();
}

#[test]
fn files_of_version_7_are_read() {
    ["KQvK", "KPvK", "KNvKN"].into_iter().for_each(|name| check_file(7, name));
    // One side to move, with a prior.
    check_one_side(7, "KQvKN");
    // The same in blocks of half as many codes.
    check_file(7, "KQvKQ");
    let block_codes = |name| {
        let path = root().join("tests/cases/files/version_7").join(format::file_name(name));
        u32::from_le_bytes(std::fs::read(path).unwrap()[20..24].try_into().unwrap())
    };
    assert_eq!((block_codes("KQvKN"), block_codes("KQvKQ")), (1 << 15, 1 << 14));
}

#[test]
fn files_of_version_2_are_read() {
    ["KQvK", "KPvK", "KNvKN"].into_iter().for_each(|name| check_file(2, name));
}
