//! Files that older versions of this program wrote say what is solved today.
//!
//! `tests/cases/files/version_N` holds a few tables in format version N, as they were written when that was the latest.

use format::TableFile;
use table::Value;
use tablesmith_tests::{chess, root};
use variant::Material;

#[track_caller]
fn check_file(version: u32, name: &str) {
    let shelf = chess();
    let path = root().join(format!("tests/cases/files/version_{version}")).join(format::file_name(name));
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes[8..12], version.to_le_bytes(), "{name}");

    let file = TableFile::open(&path, shelf.variant()).unwrap();
    let mut read = file.read_table().unwrap();
    solve::restore(shelf.variant(), &mut read);
    let solved = shelf.solved(&Material::parse(shelf.variant(), name).unwrap());
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
    let shelf = chess();
    let path = root().join(format!("tests/cases/files/version_{version}")).join(format::file_name(name));
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes[8..12], version.to_le_bytes(), "{name}");
    let file = TableFile::open(&path, shelf.variant()).unwrap();
    file.verify_checksums().unwrap();
    let kept = !file.left_out().expect("a side has been left out");
    let solved = shelf.solved(&Material::parse(shelf.variant(), name).unwrap());
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

#[test]
fn files_of_version_2_are_read() {
    ["KQvK", "KPvK", "KNvKN"].into_iter().for_each(|name| check_file(2, name));
}
