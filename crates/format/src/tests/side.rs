//! Tests files with one side to move.

use super::{Folder, fide, metadata, random_table};
use crate::{
    BlockCache, FormatError, Grown, Keep, Packing, Summary, TableFile, TableWriter, add_interim_side,
    drop_interim_side, file_name_of,
};
use std::fs;
use std::sync::Arc;
use table::{Code, Codes, Table, Value};
use variant::{Metric, Side};

/// A table with scattered values for one side to move and nothing but draws for the other.
fn lopsided(material: &str, scattered: Side, is_wide: bool) -> Table {
    let mut table = random_table(&fide(), material, is_wide, 77);
    match table.codes_mut(!scattered) {
        Some(Codes::Narrow(codes) | Codes::Split(codes, _)) => codes.fill(u8::DRAW),
        Some(Codes::Wide(codes)) => codes.fill(u16::DRAW),
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
    written.check(&path).unwrap();
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
    let summary = Summary::read(&path).unwrap();
    assert_eq!(summary.left_out(false), Some(scattered));
    assert_eq!((summary.content, summary.table_content()), (written.content, written.table));

    // A file of both sides that is cut down is the same file, and its table keeps its name.
    let whole = TableWriter::new(&variant).keep(Keep::Interim).write(&path, &table, &metadata()).unwrap();
    assert_eq!((whole.content, whole.table), (written.table, written.table));
    let interim = Summary::read(&path).unwrap();
    assert_eq!(interim.metadata.stays, Some(kept));
    assert_eq!(interim.metadata.stays_content, Some(written.content), "it need not be computed again");
    let bytes = fs::read(&path).unwrap();
    assert_eq!(drop_interim_side(&path, &variant).unwrap(), Some(written));
    assert!(fs::read(&path).unwrap() == direct);
    assert_eq!(drop_interim_side(&path, &variant).unwrap(), None);

    // A caller who asks for one side more gets a file of both, and of one if it is the same.
    let for_side = |side| {
        let writer = TableWriter::new(&variant).keep(Keep::InterimFor(side));
        writer.write(&path, &table, &metadata()).unwrap();
        fs::read(&path).unwrap()
    };
    assert!(for_side(scattered) == bytes);
    assert!(for_side(kept) == direct);
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
    assert_eq!(drop_interim_side(&path, &variant).unwrap(), None);
    assert_eq!(Summary::read(&path).unwrap().left_out(true), None);
}

#[test]
fn damaged_files_are_not_cut_down() {
    let (variant, folder) = (fide(), Folder::new("side-damaged"));
    let path = folder.file("KQvK");
    let table = lopsided("KQvK", Side::White, false);
    TableWriter::new(&variant).keep(Keep::Interim).write(&path, &table, &metadata()).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    // The last block is one of the side that stays.
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = drop_interim_side(&path, &variant).unwrap_err();
    assert!(matches!(error, FormatError::BlockDamaged { .. }), "{error}");
    assert!(fs::read(&path).unwrap() == bytes, "the file stays as it was");
}

/// A file that has left out a side gets it again and loses it again.
#[track_caller]
fn check_growing(material: &str, metric: Metric, packing: Packing, is_wide: bool) {
    let variant = fide();
    let folder = Folder::new(&format!("grow-{material}-{metric}-{is_wide}-{packing:?}"));
    let path = folder.0.join(file_name_of(material, metric, variant.default_metric));
    let table = random_table(&variant, material, is_wide, 5);
    let writer = TableWriter::new(&variant).metric(metric).keep(Keep::Smaller).packing(packing);
    writer.write(&path, &table, &metadata()).unwrap();
    let direct = fs::read(&path).unwrap();
    let before = Summary::read(&path).unwrap();
    let left_out = before.left_out(false).expect("a side is left out");

    let Grown::Both(written) = add_interim_side(&path, &variant, &table).unwrap() else {
        panic!("{material} has no other side")
    };
    written.check(&path).unwrap();
    let summary = Summary::read(&path).unwrap();
    assert_eq!((summary.left_out(false), summary.metadata.stays), (None, Some(!left_out)));
    assert_eq!((summary.table_content(), written.table), (before.table_content(), before.table_content()));
    let cache = Arc::new(BlockCache::new(0));
    let file = TableFile::open_of(&path, &variant, metric, cache).unwrap();
    file.verify_checksums().unwrap();
    let layout = table.layout();
    for index in
        (0..layout.len()).step_by(97).filter(|&index| layout.is_canonical(index, &layout.decode(index)))
    {
        for stm in Side::BOTH {
            let value = table.value(stm, index);
            match value {
                Value::Illegal => {}
                _ if metric == Metric::Wdl => assert_eq!(file.value(stm, index).unwrap().wdl(), value.wdl()),
                _ if metric == Metric::Dtm => assert_eq!(file.value(stm, index).unwrap(), value),
                _ => assert!(value.ply().is_none_or(|ply| file.distance(stm, index).unwrap().0 == ply)),
            }
        }
    }
    drop(file);
    assert_eq!(add_interim_side(&path, &variant, &table).unwrap(), Grown::Already);
    drop_interim_side(&path, &variant).unwrap().expect("a side to be dropped");
    assert!(fs::read(&path).unwrap() == direct);

    // Another table is not added to it.
    let other = random_table(&variant, material, is_wide, 6);
    assert_eq!(add_interim_side(&path, &variant, &other).unwrap(), Grown::Different);
    assert!(fs::read(&path).unwrap() == direct);
}

#[test]
fn side_that_was_left_out_comes_back_and_goes() {
    check_growing("KQvK", Metric::Dtm, Packing::Quick, false);
    check_growing("KQvK", Metric::Dtm, Packing::Quick, true);
    check_growing("KQvK", Metric::Dtm, Packing::Small, false);
    check_growing("KPvK", Metric::Wdl, Packing::Quick, false);
    check_growing("KQvK", Metric::Dtz, Packing::Quick, true);
    check_growing("KPvK", Metric::Wdl, Packing::Small, false);
    check_growing("KQvK", Metric::Dtz, Packing::Small, true);
}
