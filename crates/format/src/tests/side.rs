//! Tests files with one side to move.

use super::{Folder, damage_last_block, fide, metadata, random_table};
use crate::{FormatError, Keep, Summary, TableFile, TableWriter, Trimmed, trim};
use std::fs;
use table::{Code, Codes, Table, Value};
use variant::{Metric, Side};

/// A table with scattered values for one side to move and nothing but draws for the other.
fn lopsided(material: &str, scattered: Side, is_wide: bool) -> Table {
    let mut table = random_table(&fide(), material, is_wide, 77);
    match table.codes_mut(!scattered) {
        Some(Codes::OneByte(codes, _)) => codes.fill(u8::DRAW),
        Some(Codes::TwoBytes(codes)) => codes.fill(u16::DRAW),
        None => {}
    }
    table
}

#[track_caller]
fn check_one_side(material: &str, scattered: Side, is_wide: bool) {
    let variant = fide();
    let folder = Folder::new(&format!("side-{material}-{scattered}-{is_wide}"));
    let (path, kept) = (folder.file(material), !scattered);
    let table = lopsided(material, scattered, is_wide);
    let written = TableWriter::new(&variant).keep(Keep::Smaller).write(&path, &table, &metadata()).unwrap();
    let direct = fs::read(&path).unwrap();

    let file = TableFile::open(&path, &variant).unwrap();
    file.verify_checksums().unwrap();
    assert_eq!((file.keeps(kept), file.keeps(scattered), file.left_out()), (true, false, Some(scattered)));
    let layout = table.layout();
    for index in (0..layout.len()).step_by(97) {
        let value = table.value(kept, index);
        if value != Value::Illegal && layout.is_canonical(index, &layout.decode(index)) {
            assert_eq!(file.value(kept, index).unwrap(), value, "{index}");
        }
    }
    let error = file.read_table().unwrap_err();
    assert!(matches!(error, FormatError::OneSided { kept: side, .. } if side == kept), "{error}");
    let summary = Summary::read(&path, Metric::Dtm).unwrap();
    assert_eq!(summary.left_out(false), Some(scattered));
    assert_eq!((summary.content, summary.table_content()), (written.content, written.table));

    // A file of both sides that is trimmed is the same file, and its table keeps its name.
    let whole =
        TableWriter::new(&variant).keep(Keep::UntilTrimmed).write(&path, &table, &metadata()).unwrap();
    assert_eq!((whole.content, whole.table), (written.table, written.table));
    let left = Trimmed { side: kept, content: written.content };
    assert_eq!(Summary::read(&path, Metric::Dtm).unwrap().metadata.trims_to, Some(left));
    assert_eq!(trim(&path, &variant, Metric::Dtm).unwrap(), Some(written));
    assert!(fs::read(&path).unwrap() == direct);
    assert_eq!(trim(&path, &variant, Metric::Dtm).unwrap(), None);
}

#[test]
fn one_side_is_enough() {
    check_one_side("KQvK", Side::White, false);
    check_one_side("KQvK", Side::Black, false);
    check_one_side("KPvK", Side::White, true);
    check_one_side("KQRvK", Side::Black, false);
}

#[test]
fn symmetric_tables_keep_their_only_side() {
    let (variant, folder) = (fide(), Folder::new("side-symmetric"));
    let path = folder.file("KNvKN");
    let table = random_table(&variant, "KNvKN", false, 9);
    let whole = TableWriter::new(&variant).write(&path, &table, &metadata()).unwrap();
    assert_eq!(
        TableWriter::new(&variant).keep(Keep::Smaller).write(&path, &table, &metadata()).unwrap(),
        whole
    );
    assert_eq!(trim(&path, &variant, Metric::Dtm).unwrap(), None);
    assert_eq!(Summary::read(&path, Metric::Dtm).unwrap().left_out(true), None);
}

#[test]
fn damaged_files_are_not_trimmed() {
    let (variant, folder) = (fide(), Folder::new("side-damaged"));
    let path = folder.file("KQvK");
    let table = lopsided("KQvK", Side::White, false);
    TableWriter::new(&variant).keep(Keep::UntilTrimmed).write(&path, &table, &metadata()).unwrap();
    // It is one of the side that stays.
    damage_last_block(&path);
    let bytes = fs::read(&path).unwrap();
    let error = trim(&path, &variant, Metric::Dtm).unwrap_err();
    assert!(matches!(error, FormatError::BlockDamaged { .. }), "{error}");
    assert!(fs::read(&path).unwrap() == bytes, "the file stays as it was");
}
