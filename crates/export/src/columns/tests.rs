//! Reads what is written with the readers of the formats.

use crate::Rows;
use crate::columns::{ParquetFile, write_npz};
use index::Layout;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::exit::TablePart;
use variant::{Material, Metric, Variant};

/// No table.
struct Nothing;

impl Lookup for Nothing {
    fn table(&self, _material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        None
    }
}

/// The table of bare kings.
struct BareKings(Arc<Table>);

impl Lookup for BareKings {
    fn table(&self, material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        (self.0.layout().material() == material).then(|| self.0.clone())
    }
}

/// A table to which nothing leads but the tables of `below`.
fn solved(chess: &Variant, name: &str, below: &dyn Lookup) -> Table {
    let layout = Arc::new(Layout::new(chess, &Material::parse(chess, name).unwrap()));
    solve::solve(chess, Metric::Dtm, layout, below, &solve::Unwatched).unwrap()
}

fn with_rows(check: impl FnOnce(&Rows<'_>)) {
    let chess = Variant::chess();
    let kings = BareKings(Arc::new(solved(&chess, "KvK", &Nothing)));
    check(&Rows::new(&chess, Metric::Dtm, &solved(&chess, "KQvK", &kings), true));
}

#[test]
fn parquet_files_have_every_position() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("KQvK.parquet");
    with_rows(|rows| assert_eq!(ParquetFile::of_rows(&path, rows).unwrap(), 18_081 + 28_056));
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let columns = reader.metadata().file_metadata().schema_descr().columns().to_vec();
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    assert_eq!(names, ["to_move", "K", "Q", "k", "wdl", "plies", "fen"]);
    let mut counts: BTreeMap<(i32, i32), u32> = BTreeMap::new();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        *counts.entry((row.get_int(0).unwrap(), row.get_int(4).unwrap())).or_default() += 1;
        if row.get_int(5).is_ok_and(|ply| ply == 19) {
            // Ka1, Qb2, kf5.
            assert_eq!([1, 2, 3].map(|column| row.get_int(column).unwrap()), [0, 9, 37]);
            assert_eq!(row.get_string(6).unwrap(), "8/8/8/5k2/8/8/1Q6/K7 w - - 0 1");
        }
    }
    assert_eq!(counts, BTreeMap::from([((0, 2), 18_081), ((1, 0), 2896), ((1, -2), 25_160)]));
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1, "nothing else is left");
}

#[test]
fn arrays_have_the_shapes_that_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("KQvK.npz");
    with_rows(|rows| assert_eq!(write_npz(&path, rows).unwrap(), 46_137));
    let mut zip = zip::ZipArchive::new(File::open(&path).unwrap()).unwrap();
    let mut array = |name: &str| {
        let mut bytes = Vec::new();
        zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!(length % 64, 0);
        let head = String::from_utf8(bytes[10..length].to_vec()).unwrap();
        (head.trim_end().to_owned(), bytes[length..].to_vec())
    };
    let (head, squares) = array("squares.npy");
    assert_eq!(head, "{'descr': '|u1', 'fortran_order': False, 'shape': (46137, 3), }");
    assert_eq!(squares.len(), 46_137 * 3);
    assert!(squares.iter().all(|&square| square < 64));
    let (head, plies) = array("plies.npy");
    assert_eq!(head, "{'descr': '<i4', 'fortran_order': False, 'shape': (46137,), }");
    let plies: Vec<i32> = plies.chunks(4).map(|four| i32::from_le_bytes(four.try_into().unwrap())).collect();
    assert_eq!(plies.iter().filter(|&&ply| ply == -1).count(), 2896);
    assert_eq!(plies.iter().max(), Some(&20));
    assert_eq!(array("wdl.npy").1.iter().filter(|&&wdl| wdl == 2).count(), 18_081);
    assert_eq!(array("men.npy").1, b"KQk");
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    with_rows(|rows| {
        let error = write_npz("no/such/folder/a.npz".as_ref(), rows).unwrap_err().to_string();
        assert!(error.starts_with("cannot write no/such/folder/a.npz: "), "{error}");
        let error = ParquetFile::of_rows("no/such/folder/a.parquet".as_ref(), rows).unwrap_err();
        assert!(error.to_string().starts_with("cannot write no/such/folder/a.parquet"), "{error}");
    });
}
