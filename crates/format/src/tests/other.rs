//! Tests columns of the metrics other than `dtm`: `wdl` four to a byte, distances without a sign, tables
//! that are one tile.

use super::small::even;
use super::{FIDE, Folder, check_refusal, cut_off, fide, flipped, metadata, numbers, put_byte, random_table};
use crate::code::Payload;
use crate::tile::WHOLE_CODES;
use crate::{
    BlockCache, FormatError, Keep, Metadata, Packing, Summary, TableFile, TableWriter, Written, trim,
};
use index::Layout;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use table::{Code, Codes, Ply, Table, Value};
use variant::{Material, Metric, Side, Variant};

/// A table of values of both parities without a pattern, as metrics other than `dtm` have them.
pub(super) fn split_table(variant: &Variant, material: &str, seed: u64) -> Table {
    let material = Material::parse(variant, material).unwrap();
    let layout = Arc::new(Layout::new(variant, &material));
    let mut next = numbers(seed);
    let mut code = move || {
        let number = next();
        let ply = Ply((number >> 8) as u16 % 101);
        let value = match number % 9 {
            0..3 => Value::Illegal,
            3 => Value::Draw,
            4 => Value::Stalemate,
            5 | 6 => Value::Loss(ply),
            _ => Value::Win(ply.max(Ply(1))),
        };
        u8::from_value_under(Metric::Dtz, value).unwrap()
    };
    let n = layout.len();
    let mut codes = || u8::owned((0..n).map(|_| code()).collect()).under(Metric::Dtz, Ply(100));
    let white = codes();
    let black = (!material.is_symmetric()).then(codes);
    Table::new(layout, white, black)
}

fn open(path: &Path, variant: &Variant, metric: Metric) -> Result<TableFile, FormatError> {
    TableFile::open_of(path, variant, metric, Arc::new(BlockCache::new(1 << 20)))
}

impl Folder {
    fn write(&self, table: &Table, metric: Metric, keep: Keep) -> Written {
        self.write_packed(table, metric, keep, Packing::Quick)
    }

    fn write_packed(&self, table: &Table, metric: Metric, keep: Keep, packing: Packing) -> Written {
        let variant = fide();
        let name = table.layout().material().name(&variant);
        let path = self.file_of(&name, metric);
        let writer = TableWriter::new(&variant).column(metric).keep(keep).packing(packing);
        writer.write(&path, table, &metadata()).unwrap()
    }
}

/// The places of a side that a file keeps.
fn kept_places(table: &Table, side: Side) -> impl Iterator<Item = usize> + '_ {
    let layout = table.layout();
    let is_kept =
        move |&i: &usize| table.value(side, i) != Value::Illegal && layout.is_canonical(i, &layout.decode(i));
    (0..layout.len()).filter(is_kept)
}

/// Both columns of a table, read value by value and whole, quick ones and small ones.
#[track_caller]
fn check_pair(name: &str, table: &Table, metric: Metric) {
    let quick = check_packed_pair(name, table, metric, Packing::Quick);
    assert_eq!(quick.map(|file| file.table), quick.map(|file| file.content));
    // Patience takes its time.
    if table.layout().material().n_men() < 4 {
        let small = check_packed_pair(name, table, metric, Packing::Small);
        assert_eq!(quick.map(|file| file.table), small.map(|file| file.table), "a table has one name");
    }
}

#[track_caller]
fn check_packed_pair(name: &str, table: &Table, metric: Metric, packing: Packing) -> [Written; 2] {
    let n_placements = table.layout().len();
    let folder = Folder::new(&format!("pair-{name}-{metric}-{n_placements}-{packing:?}"));
    let (variant, wdl_table) = (fide(), table.to_wdl());
    let written_wdl = folder.write_packed(table, Metric::Wdl, Keep::Both, packing);
    let written = folder.write_packed(table, metric, Keep::Both, packing);
    let path = folder.file_of(name, metric);
    let summary = Summary::read(&path, metric).unwrap();
    let is_small = packing == Packing::Small;
    let named = Metadata { table: is_small.then_some(written.table), is_small, ..metadata() };
    assert_eq!((summary.column.metric, summary.metadata.clone()), (metric, named));
    assert_eq!((summary.content, summary.left_out(table.layout().is_one_sided())), (written.content, None));

    let wdl = open(&folder.file_of(name, Metric::Wdl), &variant, Metric::Wdl).unwrap();
    let file = open(&path, &variant, metric).unwrap();
    assert!(file.holds_distances() && !wdl.holds_distances());
    wdl.verify_checksums().unwrap();
    file.verify_checksums().unwrap();
    let (results, values) = (wdl.read_table().unwrap(), file.read_sides_with(&wdl, &Side::BOTH).unwrap());
    for side in table.sides() {
        for index in kept_places(table, side) {
            let (value, result) = (table.value(side, index), wdl_table.value(side, index));
            assert_eq!(
                (results.value(side, index), values.value(side, index)),
                (result, value),
                "{side} {index}"
            );
            if index % 53 == 0 {
                assert_eq!(wdl.value(side, index).unwrap(), result, "{side} {index}");
                assert_eq!(file.distance(side, index).unwrap().of(result), value, "{side} {index}");
            }
        }
    }
    [written_wdl, written]
}

#[test]
fn results_and_distances_together_are_the_values() {
    let variant = fide();
    for material in ["KvK", "KRvK", "KPvK", "KNvKN", "KPvKP", "KBBvK"] {
        check_pair(material, &split_table(&variant, material, 12), Metric::Dtz50);
    }
    check_pair("KPvK", &random_table(&variant, "KPvK", false, 5), Metric::Dtz);
    check_pair("KQvK", &random_table(&variant, "KQvK", true, 6), Metric::Dtc);
}

#[test]
fn patience_makes_files_smaller() {
    let folder = Folder::new("patience");
    let mut table = split_table(&fide(), "KRvK", 15);
    for side in Side::BOTH {
        let Some(Codes::OneByte(codes, _)) = table.codes_mut(side) else { panic!("split codes") };
        even(codes);
    }
    let write = |packing| folder.write_packed(&table, Metric::Dtz50, Keep::Smaller, packing);
    let [quick, small] = [write(Packing::Quick), write(Packing::Small)];
    assert_eq!(quick.table, small.table);
    let (quick, small) = (quick.size_bytes, small.size_bytes);
    assert!(small < quick, "{small} bytes of a small file, {quick} of a quick one");
}

#[test]
fn large_tables_are_cut_into_tiles_and_blocks() {
    let (variant, folder) = (fide(), Folder::new("large-other"));
    let material = Material::parse(&variant, "KPPPvK").unwrap();
    let layout = Arc::new(Layout::new(&variant, &material));
    assert!(layout.len() > WHOLE_CODES);
    // Long runs, so that nothing takes long.
    let value = |side: u64, index: u64| match (index >> 10).wrapping_mul(2 * side + 7) % 5 {
        0 => Value::Draw,
        1 => Value::Stalemate,
        2 => Value::Win(Ply(1 + (index >> 14) as u16 % 100)),
        _ => Value::Loss(Ply((index >> 13) as u16 % 100)),
    };
    let code = |side, index| u8::from_value_under(Metric::Dtz, value(side, index)).unwrap();
    let codes = |side| (0..layout.len() as u64).map(|index| code(side, index)).collect();
    let [white, black] = [0, 1].map(|side| u8::owned(codes(side)).under(Metric::Dtz, Ply(100)));
    let table = Table::new(layout.clone(), white, Some(black));
    for metric in [Metric::Wdl, Metric::Dtz50] {
        folder.write(&table, metric, Keep::Smaller);
        let file = open(&folder.file_of("KPPPvK", metric), &variant, metric).unwrap();
        let side = !file.left_out().unwrap();
        assert!(file.tiling(side).len() > 100);
        let is_kept = |&index: &usize| layout.is_canonical(index, &layout.decode(index));
        for index in (0..layout.len()).step_by(40_009).filter(is_kept) {
            let value = table.value(side, index);
            let found = match metric {
                Metric::Wdl => file.value(side, index).unwrap(),
                _ => file.distance(side, index).unwrap().of(value),
            };
            let is_right = if metric == Metric::Wdl { found.wdl() == value.wdl() } else { found == value };
            assert!(is_right, "{metric} {side} {index}: {found:?}, not {value:?}");
        }
    }
}

/// One side to move, the same bytes for any number of threads, and by trimming a file of both.
#[track_caller]
fn check_one_side(material: &str, metric: Metric, stays: Side) {
    let (variant, folder) = (fide(), Folder::new(&format!("one-{material}-{metric}")));
    let mut table = split_table(&variant, material, 8);
    let Some(Codes::OneByte(codes, _)) = table.codes_mut(stays) else { panic!("split codes") };
    codes.fill(u8::from_value_under(Metric::Dtz, Value::Win(Ply(3))).unwrap());
    let path = folder.file_of(material, metric);
    let bytes = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| folder.write(&table, metric, Keep::Smaller));
        fs::read(&path).unwrap()
    };
    let one = bytes(1);
    assert!(one == bytes(2) && one == bytes(7));
    let written = folder.write(&table, metric, Keep::Smaller);
    let file = open(&path, &variant, metric).unwrap();
    assert_eq!((file.keeps(stays), file.left_out()), (true, Some(!stays)));
    assert_eq!(Summary::read(&path, metric).unwrap().left_out(false), Some(!stays));
    file.verify_checksums().unwrap();
    let both = folder.write(&table, metric, Keep::UntilTrimmed);
    assert_eq!(both.table, written.table);
    assert_eq!(trim(&path, &variant, metric).unwrap(), Some(written));
    assert!(fs::read(&path).unwrap() == one);
}

#[test]
fn one_side_to_move_is_kept_of_small_tables_too() {
    check_one_side("KRvK", Metric::Wdl, Side::Black);
    check_one_side("KPvK", Metric::Dtz50, Side::White);
}

/// What reading everything says; none if nothing is wrong.
fn fault_of(path: &Path, variant: &Variant, metric: Metric) -> Option<FormatError> {
    let open = || open(path, variant, metric).and_then(|file| file.verify_checksums());
    Summary::read(path, metric).err().or_else(|| open().err())
}

#[test]
fn no_damaged_byte_goes_unseen() {
    let (variant, folder) = (fide(), Folder::new("flipped-other"));
    let table = split_table(&variant, "KvK", 3);
    for (metric, packing) in [(Metric::Wdl, Packing::Quick), (Metric::Dtz50, Packing::Small)] {
        folder.write_packed(&table, metric, Keep::Smaller, packing);
        let path = folder.file_of("KvK", metric);
        let whole = fs::read(&path).unwrap();
        assert!(fault_of(&path, &variant, metric).is_none());
        for (at, &byte) in whole.iter().enumerate() {
            put_byte(&path, at, flipped(byte, at));
            assert!(fault_of(&path, &variant, metric).is_some(), "{metric}: byte {at} of {}", whole.len());
            put_byte(&path, at, byte);
        }
        assert!(fault_of(&path, &variant, metric).is_none());
        for len in (0..whole.len()).rev() {
            cut_off(&path, len);
            assert!(fault_of(&path, &variant, metric).is_some(), "{metric}: cut off after {len}");
        }
    }
}

#[test]
fn files_of_other_metrics_and_other_n_move_rules_are_refused() {
    let (variant, folder) = (fide(), Folder::new("refused-other"));
    let table = split_table(&variant, "KRvK", 3);
    for metric in [Metric::Wdl, Metric::Dtz, Metric::Dtz50] {
        folder.write(&table, metric, Keep::Both);
    }
    let [wdl, dtz, dtz50] = [Metric::Wdl, Metric::Dtz, Metric::Dtz50].map(|m| folder.file_of("KRvK", m));
    check_refusal(open(&wdl, &variant, Metric::Dtz50).unwrap_err(), &["wdl", "dtz50"]);
    let seventy = Variant::parse(&FIDE.replace("n-move-rule = 50", "n-move-rule = 70"), "fide.toml").unwrap();
    assert_ne!(seventy.rules.n_move_rule, variant.rules.n_move_rule);
    assert!(open(&dtz, &seventy, Metric::Dtz).is_ok(), "the rule does not matter here");
    check_refusal(open(&dtz50, &seventy, Metric::Dtz50).unwrap_err(), &["KRvK.dtz50.tsm", "other rules"]);

    let file = open(&dtz50, &variant, Metric::Dtz50).unwrap();
    check_refusal(file.read_table().unwrap_err(), &["KRvK.dtz50.tsm", "who wins", "wdl"]);
    let both = &Side::BOTH;
    assert!(matches!(file.read_sides_with(&file, both), Err(FormatError::NotAPair { .. })));
    // Distances cannot be joined with results of which a side is missing.
    folder.write(&table, Metric::Wdl, Keep::Smaller);
    let wdl = open(&wdl, &variant, Metric::Wdl).unwrap();
    assert!(matches!(file.read_sides_with(&wdl, both), Err(FormatError::OneSided { .. })));
}

#[test]
fn four_results_make_a_byte() {
    let codes: Vec<u8> = (0..1_003).map(|i| 1 + (i * i / 3 % 4) as u8).collect();
    let mut bytes = Vec::new();
    Payload::Wdl.write(&codes, &mut bytes);
    assert_eq!((bytes.len(), bytes[0]), (Payload::Wdl.n_bytes(codes.len(), 1), 0b1101_0000));
    let mut read = vec![0; codes.len()];
    Payload::Wdl.read(&bytes, &mut read);
    assert_eq!(read, codes);
    let one_by_one = (0..codes.len()).map(|place| Payload::Wdl.code_at(&bytes, place, 1) as u8);
    assert!(one_by_one.eq(codes));
}
