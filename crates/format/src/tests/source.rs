//! Tests files of tables whose codes are had a few units at a time: the same bytes as those of the same
//! table in memory, and little memory for packed blocks.

use super::other::split_table;
use super::{Folder, chess_on, fide, metadata, random_table};
use crate::{Keep, Packing, TableWriter, Written, is_own_temporary};
use index::Layout;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io};
use table::{CodeSource, Codes, CodesRef, Coding, Table};
use variant::{Metric, Side, Variant};

/// A table that copies its codes for a caller, and never many units of them.
struct UnitSource<'a> {
    table: &'a Table,
    units_at_once: usize,
    /// The most units that were asked for.
    n_asked: AtomicUsize,
    /// The units from here on cannot be read.
    n_readable: usize,
}

impl<'a> UnitSource<'a> {
    fn new(table: &'a Table, units_at_once: usize) -> Self {
        UnitSource { table, units_at_once, n_asked: AtomicUsize::new(0), n_readable: usize::MAX }
    }
}

impl CodeSource for UnitSource<'_> {
    fn layout(&self) -> &Arc<Layout> {
        self.table.layout()
    }

    fn coding(&self, stm: Side) -> Option<Coding> {
        CodeSource::coding(self.table, stm)
    }

    fn units_at_once(&self) -> usize {
        self.units_at_once
    }

    fn codes<'c>(&'c self, stm: Side, units: Range<usize>, room: &'c mut Codes) -> io::Result<CodesRef<'c>> {
        self.n_asked.fetch_max(units.len(), Ordering::Relaxed);
        if units.end > self.n_readable {
            return Err(io::Error::other("the log is damaged"));
        }
        let mut none = Codes::default();
        *room = CodeSource::codes(self.table, stm, units, &mut none)?.into();
        Ok(room.as_ref())
    }
}

/// Writes a table from memory and from a source, and compares the files.
struct Comparison {
    variant: Variant,
    folder: Folder,
    table: Table,
}

impl Comparison {
    fn new(name: &str, variant: Variant, table: Table) -> Self {
        Comparison { variant, folder: Folder::new(&format!("source-{name}")), table }
    }

    fn write(
        &self,
        metric: Metric,
        keep: Keep,
        packing: Packing,
        source: &dyn CodeSource,
    ) -> (Written, Vec<u8>) {
        let path = self.folder.file_of(self.table.layout().name(), metric);
        let writer = TableWriter::new(&self.variant).column(metric).keep(keep).packing(packing);
        let written = writer.write_source(&path, source, &metadata()).unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(fs::read_dir(&self.folder.0).unwrap().count(), 0, "no temporary file stays");
        (written, bytes)
    }

    /// `most_asked` are the most units that are asked for when one at a time is handed out: as many as a
    /// tile has.
    #[track_caller]
    fn check(&self, metric: Metric, keep: Keep, packing: Packing, most_asked: usize) {
        let expected = self.write(metric, keep, packing, &self.table);
        for units_at_once in [1, 7] {
            let source = UnitSource::new(&self.table, units_at_once);
            let got = self.write(metric, keep, packing, &source);
            let what = format!("{metric}, {keep:?}, {packing:?}, {units_at_once} units at once");
            assert!(got == expected, "{what}: {:?}, not {:?}", got.0, expected.0);
            let n_asked = source.n_asked.into_inner();
            assert!(n_asked <= units_at_once.max(most_asked), "{what}: asked for {n_asked}");
        }
    }
}

const KEEPS: [Keep; 3] = [Keep::Both, Keep::UntilTrimmed, Keep::Smaller];

/// How many units of a table of chess make a tile of 65,536 codes.
fn units_of_tile(table: &Table) -> usize {
    ((1 << 16) / table.layout().block_len()).max(1)
}

#[test]
fn values_are_packed_the_same_unit_by_unit() {
    for (material, is_wide) in [("KQvK", false), ("KPvK", true), ("KNvKN", false)] {
        let variant = fide();
        let table = random_table(&variant, material, is_wide, 71);
        let most_asked = units_of_tile(&table);
        let comparison = Comparison::new(material, variant, table);
        for keep in KEEPS {
            comparison.check(Metric::Dtm, keep, Packing::Quick, most_asked);
            // The packing of small files takes its time; other tests have it with pawns and of four men.
            if material == "KQvK" {
                comparison.check(Metric::Dtm, keep, Packing::Small, most_asked);
            }
        }
        // A whole side of so small a table of results is one tile.
        comparison.check(Metric::Wdl, Keep::Smaller, Packing::Quick, usize::MAX);
    }
}

#[test]
fn other_metrics_are_packed_the_same_unit_by_unit() {
    let table = split_table(&fide(), "KRvK", 72);
    let comparison = Comparison::new("KRvK", fide(), table);
    for metric in [Metric::Wdl, Metric::Dtc, Metric::Dtz, Metric::Dtz50] {
        for keep in KEEPS {
            comparison.check(metric, keep, Packing::Quick, usize::MAX);
            comparison.check(metric, keep, Packing::Small, usize::MAX);
        }
    }
}

/// A table is named from a source as from memory, with the side that its file leaves out.
#[test]
fn a_table_is_named_unit_by_unit() {
    let variant = fide();
    for (name, metric, packing) in [
        ("KQvK", Metric::Dtm, Packing::Quick),
        ("KQvK", Metric::Dtm, Packing::Small),
        ("KRvK", Metric::Dtz, Packing::Quick),
        ("KRvK", Metric::Wdl, Packing::Quick),
    ] {
        let table = match metric {
            Metric::Dtm => random_table(&variant, name, true, 76),
            _ => split_table(&variant, name, 76),
        };
        let folder = Folder::new(&format!("source-named-{name}-{metric}-{packing:?}"));
        let path = folder.file_of(name, metric);
        let writer = TableWriter::new(&variant).column(metric).keep(Keep::Smaller).packing(packing);
        let written = writer.write(&path, &table, &metadata()).unwrap();
        assert_eq!(writer.name_of(&table).unwrap(), written.table, "{metric} of {name}");
        for units_at_once in [1, 7] {
            let source = UnitSource::new(&table, units_at_once);
            assert_eq!(writer.name_of(&source).unwrap(), written.table, "{metric} of {name}");
        }
    }
}

/// Tiles need not end where units do: on a board of twelve squares a block of four free men has 20,736 codes
/// and a tile 63,936.
#[test]
fn tiles_may_cross_units() {
    let variant = chess_on(4, 3);
    let table = random_table(&variant, "KRBNvKN", false, 73);
    let layout = table.layout().clone();
    assert!(layout.block_len() == 20_736 && layout.len() > 6 * 63_936, "{} codes", layout.len());
    let comparison = Comparison::new("crossing", variant, table);
    comparison.check(Metric::Dtm, Keep::Smaller, Packing::Quick, 5);
    comparison.check(Metric::Dtm, Keep::Smaller, Packing::Small, 5);
}

/// Blocks go to the disk as they are packed, so that a file takes little memory however large it is.
#[test]
fn a_large_file_grows_while_its_table_is_packed() {
    let (variant, folder) = (fide(), Folder::new("growing"));
    let table = random_table(&variant, "KQRvK", false, 74);
    let path = folder.file("KQRvK");
    let writer = TableWriter::new(&variant);
    let expected = writer.write(&path, &table, &metadata()).unwrap();
    assert!(expected.size_bytes > 1 << 21, "{} bytes", expected.size_bytes);
    let bytes = fs::read(&path).unwrap();
    let most = AtomicUsize::new(0);
    let look = |_, _| {
        let files = fs::read_dir(&folder.0).unwrap().map(|file| file.unwrap());
        let growing = files.filter(|file| is_own_temporary(file.file_name().to_str().unwrap()));
        let n_bytes = growing.map(|file| file.metadata().unwrap().len()).max();
        most.fetch_max(n_bytes.unwrap_or(0) as usize, Ordering::Relaxed);
    };
    let written = writer.progress(&look).write_source(&path, &UnitSource::new(&table, 8), &metadata());
    assert_eq!(written.unwrap(), expected);
    let most = most.into_inner() as u64;
    assert!(most > expected.size_bytes / 2, "{most} of {} bytes", expected.size_bytes);
    assert!(fs::read(&path).unwrap() == bytes);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "no temporary file stays");

    // A source that fails in the middle leaves the old file and nothing else.
    let failing = UnitSource { n_readable: 300, ..UnitSource::new(&table, 8) };
    let error = writer.write_source(&path, &failing, &metadata()).unwrap_err();
    assert!(error.to_string().contains("KQRvK.tsm: the log is damaged"), "{error}");
    assert!(fs::read(&path).unwrap() == bytes);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "no temporary file stays");
}
