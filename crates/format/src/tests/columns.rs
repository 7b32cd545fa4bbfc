//! Tests files of several columns: each is written, read, trimmed and damaged without the others.

use super::other::split_table;
use super::{FIDE, Folder, Page, check_refusal, damage_page, fide, forge, metadata, put_byte, random_table};
use crate::container::{Head, SealedFile, Sealer};
use crate::head::KIND;
use crate::{
    BlockCache, Column, FormatError, Keep, Packing, Summary, TableFile, TableWriter, Written, column_path,
    columns_of, copy_column, has_column, open_rights, put_column, remove_column, rules_hash, trim,
    write_rights,
};
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Table, Value};
use variant::{Material, Metric, Side, Variant};

const MATERIAL: &str = "KNvK";

const METRICS: [Metric; 3] = [Metric::Wdl, Metric::Dtz50, Metric::Dtm];

const WINNERS: [Option<Side>; 3] = [None, Some(Side::White), Some(Side::Black)];

/// A folder, and the tables that go into the columns of its files.
struct Work {
    folder: Folder,
    variant: Variant,
    /// That of `dtm`.
    wide: Table,
    /// Those of the other metrics, one for each winner.
    split: [Table; 3],
}

impl Work {
    fn new(name: &str) -> Self {
        Work::of(name, fide())
    }

    fn of(name: &str, variant: Variant) -> Self {
        let wide = random_table(&variant, MATERIAL, true, 61);
        let split = [62, 63, 64].map(|seed| split_table(&variant, MATERIAL, seed));
        Work { folder: Folder::new(&format!("columns-{name}")), variant, wide, split }
    }

    /// A folder with a file of three columns.
    fn of_three(name: &str) -> (Self, PathBuf) {
        let work = Work::new(name);
        let path = work.folder.file(MATERIAL);
        work.write_all(&path, METRICS);
        (work, path)
    }

    fn table(&self, column: Column) -> &Table {
        let winner = WINNERS.into_iter().position(|winner| winner == column.winner);
        if column.metric == Metric::Dtm { &self.wide } else { &self.split[winner.unwrap()] }
    }

    /// A column of `dtm` is a small one, which has pages of models.
    fn writer(&self, column: Column) -> TableWriter<'_> {
        let packing = if column.metric == Metric::Dtm { Packing::Small } else { Packing::Quick };
        TableWriter::new(&self.variant).column(column).packing(packing)
    }

    fn write(&self, path: &Path, column: impl Into<Column>) -> Written {
        let column = column.into();
        self.writer(column).write(path, self.table(column), &metadata()).unwrap()
    }

    fn write_all(&self, path: &Path, metrics: impl IntoIterator<Item = Metric>) {
        metrics.into_iter().for_each(|metric| {
            self.write(path, metric);
        });
    }

    fn open(&self, path: &Path, column: impl Into<Column>) -> Result<TableFile, FormatError> {
        // Nothing is kept, so that all values are read from the disk.
        TableFile::open_of(path, &self.variant, column, Arc::new(BlockCache::new(0)))
    }

    #[track_caller]
    fn check_values(&self, path: &Path, column: impl Into<Column>) {
        self.check_values_of(&self.open(path, column).unwrap());
    }

    /// Compares all of an open column with its table, and some of it value by value.
    #[track_caller]
    fn check_values_of(&self, file: &TableFile) {
        let (column, layout) = (file.column(), file.layout());
        let table = self.table(column);
        file.verify_checksums().unwrap();
        assert!(file.holds(&self.variant, table).unwrap(), "{column}");
        let sides = file.sides().into_iter();
        for (side, i) in sides.flat_map(|side| (0..layout.len()).step_by(199).map(move |i| (side, i))) {
            let value = table.value(side, i);
            if value == Value::Illegal || !layout.is_canonical(i, &layout.decode(i)) {
                continue;
            }
            let got = match file.holds_distances() {
                true => file.distance(side, i).unwrap().of(value),
                false => file.value(side, i).unwrap(),
            };
            let is_wdl = column.metric == Metric::Wdl;
            let is_right = if is_wdl { got.wdl() == value.wdl() } else { got == value };
            assert!(is_right, "{column} {side} {i}: {got:?}, not {value:?}");
        }
    }
}

/// What a file says of a column, and the column's pages as they are, damaged or not.
fn column_of(path: &Path, column: impl Into<Column>) -> (Json, Vec<Page>) {
    let column = column.into();
    let file = SealedFile::open(path, KIND, 1 << 20).unwrap();
    let page = |at| {
        let mut bytes = Vec::new();
        file.read_unchecked(at, &mut bytes).unwrap();
        (*file.page(at), bytes)
    };
    let pages: Vec<Page> = file.places_of(column.tables()).map(page).collect();
    let at = columns_of(path).unwrap().iter().position(|own| *own == column).unwrap();
    assert!(!pages.is_empty());
    (file.about::<Json>().unwrap()["columns"][at].clone(), pages)
}

/// Turns a bit of the first page of a column.
fn damage(path: &Path, column: impl Into<Column>) {
    let column = column.into();
    let file = SealedFile::open(path, KIND, 1 << 20).unwrap();
    damage_page(path, file.places_of(column.tables()).start);
}

fn columns(metrics: &[Metric]) -> Vec<Column> {
    metrics.iter().copied().map(Column::from).collect()
}

#[test]
fn columns_stand_in_their_order_whatever_the_order_they_are_written_in() {
    let (work, path) = Work::of_three("order");
    let whole = fs::read(&path).unwrap();
    assert_eq!(columns_of(&path).unwrap(), columns(&METRICS));
    assert!(column_of(&path, Metric::Dtm).1.iter().any(|(page, _)| page.key.table % 2 == 1));
    METRICS.into_iter().for_each(|metric| work.check_values(&path, metric));
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        fs::remove_file(&path).unwrap();
        work.write_all(&path, order.map(|at| METRICS[at]));
        assert!(fs::read(&path).unwrap() == whole, "{order:?}");
    }
    // Each once more, and by copying each into another file: the same file.
    work.write_all(&path, METRICS);
    assert!(fs::read(&path).unwrap() == whole);
    let other = work.folder.0.join("copy.tsm");
    for metric in [Metric::Dtm, Metric::Wdl, Metric::Dtz50] {
        copy_column(&path, &other, metric).unwrap();
    }
    assert!(fs::read(&other).unwrap() == whole);
}

/// Positions with rights to castle go along with tables, and tables with them, whatever comes first.
#[test]
fn rights_to_castle_are_columns_behind_all_tables() {
    let (work, path) = Work::of_three("rights");
    let tables = fs::read(&path).unwrap();
    let material = Material::parse(&work.variant, MATERIAL).unwrap();
    let choices = [("first".to_owned(), &[3; 40][..]), ("second".to_owned(), &[7; 300])];
    let write = |metric: Metric| {
        write_rights(&path, &work.variant, &material, metric, &choices, metadata()).unwrap().content
    };
    let contents = [write(Metric::Dtm), write(Metric::Wdl)];
    let whole = fs::read(&path).unwrap();
    let rights = [Metric::Wdl, Metric::Dtm].map(Column::with_rights);
    assert_eq!(columns_of(&path).unwrap(), [columns(&METRICS), rights.to_vec()].concat());
    METRICS.into_iter().for_each(|metric| work.check_values(&path, metric));
    // They are no table.
    assert!(work.open(&path, rights[0]).is_err_and(|error| error.is_damage()));
    let missing = open_rights(&path, &work.variant, Metric::Dtz).unwrap_err();
    check_refusal(missing, &["no dtz with castling rights", "wdl with castling rights, dtm with"]);
    // The rights first, and each column copied.
    fs::remove_file(&path).unwrap();
    assert_eq!([write(Metric::Wdl), write(Metric::Dtm)], [contents[1], contents[0]]);
    assert_eq!(columns_of(&path).unwrap(), rights);
    work.write_all(&path, METRICS);
    assert!(fs::read(&path).unwrap() == whole);
    let copy = work.folder.0.join("copy.tsm");
    for column in rights.into_iter().chain(columns(&METRICS)).rev() {
        copy_column(&path, &copy, column).unwrap();
    }
    assert!(fs::read(&copy).unwrap() == whole);
    // A file without them is what it was before there were any.
    rights.into_iter().for_each(|column| remove_column(&path, column).unwrap());
    assert!(fs::read(&path).unwrap() == tables);
    // Each page has to be there.
    forge(&copy, |about, _| about["columns"][3]["table"]["choices"] = json!(["first"]));
    assert!(matches!(Summary::all(&copy), Err(FormatError::Inconsistent { .. })));
}

#[test]
fn a_column_that_is_written_again_replaces_itself_alone() {
    for metric in METRICS {
        let (mut work, path) = Work::of_three(&format!("again-{metric}"));
        let before = METRICS.map(|metric| column_of(&path, metric));
        let contents = || METRICS.map(|metric| Summary::read(&path, metric).unwrap().content);
        let contents_before = contents();
        work.wide = random_table(&work.variant, MATERIAL, true, 71);
        work.split[0] = split_table(&work.variant, MATERIAL, 72);
        let written = work.write(&path, metric);
        work.check_values(&path, metric);
        assert_eq!(columns_of(&path).unwrap(), columns(&METRICS));
        for (at, other) in METRICS.into_iter().enumerate() {
            let is_same = column_of(&path, other) == before[at];
            assert_eq!(is_same, other != metric, "{other} when {metric} is written");
            let expected = if other == metric { written.content } else { contents_before[at] };
            assert_eq!(contents()[at], expected);
            work.open(&path, other).unwrap().verify_checksums().unwrap();
        }
    }
}

#[test]
fn a_column_that_is_not_there_is_told_from_one_that_is_damaged() {
    let work = Work::new("missing");
    let path = work.folder.file(MATERIAL);
    assert!(!has_column(&path, Metric::Wdl));
    assert!(columns_of(&path).unwrap_err().is_not_found());
    work.write(&path, Metric::Wdl);
    work.write(&path, Column { winner: Some(Side::White), ..Metric::Dtz.into() });
    let missing = Column { winner: Some(Side::Black), ..Metric::Wdl.into() };
    for column in [Metric::Dtm.into(), Metric::Dtz.into(), missing] {
        let faults = [
            work.open(&path, column).unwrap_err(),
            Summary::read(&path, column).unwrap_err(),
            trim(&path, &work.variant, column).unwrap_err(),
            copy_column(&path, &work.folder.0.join("copy.tsm"), column).unwrap_err(),
        ];
        for fault in faults {
            assert!(matches!(&fault, FormatError::NoColumn { column: own, .. } if *own == column));
            assert!(fault.is_not_found() && !fault.is_damage());
            let has = "it has wdl, dtz with White's wins alone;";
            check_refusal(fault, &["KNvK.tsm has no ", &format!("no {column}, "), has, "run solve"]);
        }
        assert!(!has_column(&path, column), "{column}");
    }
    assert!(has_column(&path, Metric::Wdl));
    let whole = fs::read(&path).unwrap();
    for (what, bytes) in [
        ("cut short", whole[..whole.len() - 1].to_vec()),
        ("its index damaged", [&whole[..whole.len() - 70], &[0; 8], &whole[whole.len() - 62..]].concat()),
        ("no container", b"K+N v K, drawn".to_vec()),
    ] {
        fs::write(&path, bytes).unwrap();
        // It may have had any column.
        assert!(has_column(&path, Metric::Wdl) && has_column(&path, Metric::Dtm), "{what}");
    }
}

/// A list of columns is read without a checksum: it may be wrong then, but no file has none.
#[test]
fn a_file_whose_index_is_damaged_is_never_one_of_no_columns() {
    let work = Work::new("listed");
    let path = work.folder.file(MATERIAL);
    work.write(&path, Metric::Wdl);
    let whole = fs::read(&path).unwrap();
    let is_told = |what: &str| match columns_of(&path) {
        Ok(columns) => assert!(!columns.is_empty(), "{what}"),
        Err(fault) => assert!(fault.is_damage(), "{what}: {fault:?}"),
    };
    let file = SealedFile::open(&path, KIND, 1 << 20).unwrap();
    let index = 48 + file.pages().map(|page| page.n_bytes as usize).sum::<usize>();
    for at in (0..48).chain(index..whole.len()) {
        for bit in 0..8 {
            put_byte(&path, at, whole[at] ^ 1 << bit);
            is_told(&format!("bit {bit} of byte {at} of {}", whole.len()));
        }
        put_byte(&path, at, whole[at]);
    }
    assert!(fs::read(&path).unwrap() == whole);
    for len in (0..48).chain(index..whole.len()) {
        fs::write(&path, &whole[..len]).unwrap();
        is_told(&format!("cut off after {len}"));
    }
}

#[test]
fn a_damaged_column_stays_damaged_and_is_the_only_one() {
    for metric in METRICS {
        let (work, path) = Work::of_three(&format!("damaged-{metric}"));
        let whole = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        work.write(&path, metric);
        damage(&path, metric);
        let before = column_of(&path, metric);
        let others: Vec<Metric> = METRICS.into_iter().filter(|other| *other != metric).collect();
        work.write_all(&path, others.iter().copied());
        assert!(column_of(&path, metric) == before, "{metric} is copied as it is");
        let file = work.open(&path, metric).unwrap();
        let fault = file.verify_checksums().unwrap_err();
        assert!(matches!(fault, FormatError::BlockDamaged { block: 0, .. }), "{fault:?}");
        others.iter().for_each(|other| work.check_values(&path, *other));
        // It is not copied into another file, which stays as it is.
        let copy = work.folder.0.join("copy.tsm");
        copy_column(&path, &copy, others[0]).unwrap();
        let copied = fs::read(&copy).unwrap();
        let fault = copy_column(&path, &copy, metric).unwrap_err();
        assert!(fault.is_damage(), "{fault:?}");
        check_refusal(fault, &["KNvK.tsm is damaged"]);
        assert!(fs::read(&copy).unwrap() == copied);
        // Written again, it is as good as new.
        work.write(&path, metric);
        assert!(fs::read(&path).unwrap() == whole);
    }
}

#[test]
fn a_file_of_other_rules_or_of_no_columns_is_replaced() {
    let (work, path) = Work::of_three("replaced");
    let whole = fs::read(&path).unwrap();
    let far_knight = FIDE.replace("betza = \"N\"", "betza = \"NW\"");
    let other = Work::of("replaced-other", Variant::parse(&far_knight, "fide.toml").unwrap());
    other.write(&path, Metric::Wdl);
    assert_eq!(columns_of(&path).unwrap(), columns(&[Metric::Wdl]));
    other.check_values(&path, Metric::Wdl);
    assert!(matches!(work.open(&path, Metric::Wdl), Err(FormatError::OtherRules { .. })));
    work.write(&path, Metric::Wdl);
    work.check_values(&path, Metric::Wdl);
    let fresh = fs::read(&path).unwrap();

    let identity = work.variant.rules_hash(&Material::parse(&work.variant, MATERIAL).unwrap());
    let container = |kind, about: Json| {
        let mut bytes = Vec::new();
        Sealer::new(&mut bytes, Head { kind, identity }).unwrap().finish(&about).unwrap();
        bytes
    };
    for (what, bytes) in [
        ("no container", b"K+N v K, drawn".to_vec()),
        ("nothing", Vec::new()),
        ("cut short", whole[..whole.len() - 1].to_vec()),
        ("of another kind", container(*b"TSS\0", json!({ "columns": [] }))),
        ("of no columns", container(KIND, json!({ "columns": [] }))),
        ("of before there were columns", container(KIND, json!({ "table": {}, "made": {} }))),
    ] {
        fs::write(&path, bytes).unwrap();
        assert!(columns_of(&path).unwrap_err().is_damage() && Summary::all(&path).unwrap_err().is_damage());
        work.write(&path, Metric::Wdl);
        assert!(fs::read(&path).unwrap() == fresh, "{what}");
    }
}

#[test]
fn the_n_move_rule_is_of_one_column() {
    let (work, path) = Work::of_three("seventy");
    let before = METRICS.map(|metric| column_of(&path, metric));
    let seventy = FIDE.replace("n-move-rule = 50", "n-move-rule = 70");
    let seventy = Work::of("seventy-other", Variant::parse(&seventy, "fide.toml").unwrap());
    assert!(matches!(seventy.open(&path, Metric::Dtz50), Err(FormatError::OtherRules { .. })));
    seventy.write(&path, Metric::Dtz50);
    METRICS.into_iter().for_each(|metric| seventy.check_values(&path, metric));
    assert!(matches!(work.open(&path, Metric::Dtz50), Err(FormatError::OtherRules { .. })));
    for at in [0, 2] {
        work.check_values(&path, METRICS[at]);
        assert!(column_of(&path, METRICS[at]) == before[at]);
    }
}

#[test]
fn one_column_is_trimmed_and_the_others_stay() {
    let work = Work::new("trimmed");
    let path = work.folder.file(MATERIAL);
    let write = |metric: Metric, keep| {
        let column = metric.into();
        work.writer(column).keep(keep).write(&path, work.table(column), &metadata()).unwrap()
    };
    for metric in METRICS {
        let expected = METRICS.map(|own| {
            write(own, if own == metric { Keep::Smaller } else { Keep::UntilTrimmed });
            column_of(&path, own)
        });
        let trimmed = fs::read(&path).unwrap();
        write(metric, Keep::UntilTrimmed);
        trim(&path, &work.variant, metric).unwrap().unwrap();
        assert!(fs::read(&path).unwrap() == trimmed, "{metric}");
        METRICS.into_iter().zip(expected).for_each(|(own, expected)| {
            assert!(column_of(&path, own) == expected, "{own} when {metric} is trimmed");
            assert_eq!(work.open(&path, own).unwrap().sides().len(), if own == metric { 1 } else { 2 });
            work.open(&path, own).unwrap().verify_checksums().unwrap();
        });
        assert_eq!(trim(&path, &work.variant, metric).unwrap(), None);
    }
}

#[test]
fn who_has_the_old_file_open_goes_on_reading_it() {
    let mut work = Work::new("open");
    let path = work.folder.file(MATERIAL);
    work.write_all(&path, [Metric::Dtz50, Metric::Dtm]);
    let old = [Metric::Dtz50, Metric::Dtm].map(|metric| work.open(&path, metric).unwrap());
    work.write(&path, Metric::Wdl);
    old.iter().for_each(|file| work.check_values_of(file));
    remove_column(&path, Metric::Dtm).unwrap();
    old.iter().for_each(|file| work.check_values_of(file));
    let wide = std::mem::replace(&mut work.wide, random_table(&work.variant, MATERIAL, true, 81));
    work.write(&path, Metric::Dtm);
    work.check_values(&path, Metric::Dtm);
    work.wide = wide;
    old.iter().for_each(|file| work.check_values_of(file));
}

#[test]
fn the_sizes_of_columns_add_up_to_that_of_the_file() {
    let work = Work::new("sizes");
    let path = work.folder.file(MATERIAL);
    for (n, metric) in METRICS.into_iter().rev().enumerate() {
        let written = work.write(&path, metric);
        let all = Summary::all(&path).unwrap();
        assert!(all.iter().map(|own| own.column).eq(columns_of(&path).unwrap()));
        // The last to be written stands first.
        assert_eq!((all.len(), all[0].size_bytes), (n + 1, written.size_bytes));
        assert_eq!(Summary::read(&path, metric).unwrap(), all[0]);
        let sum = all.iter().map(|own| own.size_bytes).sum::<u64>();
        let lost = fs::metadata(&path).unwrap().len() - sum;
        assert!(lost <= n as u64, "{lost} bytes of {} columns are lost", n + 1);
    }
}

#[test]
fn columns_of_either_winner_and_of_both_lie_side_by_side() {
    let work = Work::new("winners");
    let path = work.folder.file(MATERIAL);
    for metric in [Metric::Dtz, Metric::Wdl] {
        for at in [2, 0, 1] {
            work.write(&path, Column { winner: WINNERS[at], ..metric.into() });
        }
    }
    let all: Vec<Column> = [Metric::Wdl, Metric::Dtz]
        .into_iter()
        .flat_map(|metric| WINNERS.map(|winner| Column { winner, ..metric.into() }))
        .collect();
    assert_eq!(columns_of(&path).unwrap(), all);
    let material = Material::parse(&work.variant, MATERIAL).unwrap();
    let mut hashes = Vec::new();
    for &column in &all {
        work.check_values(&path, column);
        assert_eq!(work.open(&path, column).unwrap().winner(), column.winner);
        let summary = Summary::read(&path, column).unwrap();
        assert_eq!((summary.column, summary.metadata.winner), (column, column.winner));
        assert_eq!(summary.rules_hash, rules_hash(&work.variant, &material, column));
        hashes.push((column.winner, summary.rules_hash));
    }
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 3, "the winner alone is of the rules");
    remove_column(&path, all[1]).unwrap();
    assert_eq!(columns_of(&path).unwrap(), [&all[..1], &all[2..]].concat());
    all.iter().filter(|own| **own != all[1]).for_each(|own| work.check_values(&path, *own));
}

#[test]
fn a_column_is_removed_and_the_file_with_the_last_one() {
    let (work, path) = Work::of_three("removed");
    let whole = fs::read(&path).unwrap();
    remove_column(&path, Metric::Dtc).unwrap();
    assert!(fs::read(&path).unwrap() == whole, "a column that is not there");
    remove_column(&path, Metric::Dtz50).unwrap();
    let rest = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    work.write_all(&path, [Metric::Wdl, Metric::Dtm]);
    assert!(fs::read(&path).unwrap() == rest);
    remove_column(&path, Metric::Wdl).unwrap();
    work.check_values(&path, Metric::Dtm);
    remove_column(&path, Metric::Dtm).unwrap();
    assert_eq!(fs::read_dir(&work.folder.0).unwrap().count(), 0);
    remove_column(&path, Metric::Dtm).unwrap();
}

#[test]
fn columns_that_cannot_be_are_refused_whatever_their_checksum() {
    let (work, path) = Work::of_three("forged");
    let whole = fs::read(&path).unwrap();
    let check = |what: &str, change: &dyn Fn(&mut Vec<Json>)| {
        fs::write(&path, &whole).unwrap();
        forge(&path, |about, _| change(about["columns"].as_array_mut().unwrap()));
        for metric in METRICS {
            let opened = work.open(&path, metric).map(drop);
            let read = Summary::read(&path, metric).map(drop);
            for read in [opened, read, Summary::all(&path).map(drop), remove_column(&path, metric)] {
                let fault = read.err().unwrap_or_else(|| panic!("{what}: {metric} is read"));
                let is_told = matches!(fault, FormatError::SectionDamaged { section: "index", .. });
                assert!(is_told && fault.is_damage(), "{what}: {fault:?}");
            }
            assert!(has_column(&path, metric), "{what}");
        }
    };
    for at in 0..3 {
        check("a column has pages and is not named", &|columns| drop(columns.remove(at)));
        check("a column is named twice", &|columns| columns.insert(at, columns[at].clone()));
        check("a metric that is not known", &|columns| columns[at]["table"]["metric"] = "dtx".into());
        check("a winner", &|columns| columns[at]["made"]["winner"] = "black".into());
    }
    check("a column is named at both ends", &|columns| columns.push(columns[0].clone()));
    check("nothing is named", &|columns| columns.clear());
    for [one, other] in [[0, 1], [1, 2], [0, 2]] {
        check("columns are out of order", &|columns| columns.swap(one, other));
    }
    // One that has no pages is a fault of its own.
    fs::write(&path, &whole).unwrap();
    forge(&path, |about, _| {
        let mut without = about["columns"][1].clone();
        without["table"]["metric"] = "dtz".into();
        about["columns"].as_array_mut().unwrap().insert(1, without);
    });
    assert!(matches!(work.open(&path, Metric::Dtz), Err(FormatError::Inconsistent { .. })));
    assert!(Summary::all(&path).unwrap_err().is_damage());
    METRICS.into_iter().for_each(|metric| work.check_values(&path, metric));
}

/// A process that has lost the lease of a table, and does not know it, takes nothing from the other's file.
#[test]
fn columns_that_come_while_one_is_written_stay() {
    let (work, path) = (Work::new("meanwhile"), Work::new("meanwhile-alone"));
    let (alone, path) = (path.folder.file(MATERIAL), work.folder.file(MATERIAL));
    for column in [Metric::Wdl, Metric::Dtm, Metric::Dtz50] {
        work.write(&alone, column);
    }
    let is_first = std::sync::atomic::AtomicBool::new(true);
    let other = |_, _| {
        if is_first.swap(false, std::sync::atomic::Ordering::Relaxed) {
            work.write(&path, Metric::Wdl);
            work.write(&path, Metric::Dtz50);
        }
    };
    let writer = work.writer(Metric::Dtm.into()).progress(&other);
    writer.write(&path, work.table(Metric::Dtm.into()), &metadata()).unwrap();
    assert!(fs::read(&path).unwrap() == fs::read(&alone).unwrap());
    assert_eq!(fs::read_dir(&work.folder.0).unwrap().count(), 1, "no temporary file stays");
}

/// A copy takes no file away; what solving makes does.
#[test]
fn a_column_is_not_copied_into_a_file_of_something_else() {
    let (work, path) = Work::of_three("copied");
    let other = work.folder.0.join("other");
    fs::create_dir(&other).unwrap();
    let to = other.join(crate::file_name(MATERIAL));
    // Another table under its name: its rules are the same as far as its men go.
    let material = Material::parse(&work.variant, "KNNvK").unwrap();
    let table = random_table(&work.variant, "KNNvK", true, 66);
    assert_eq!(material, *table.layout().material());
    TableWriter::new(&work.variant).write(&to, &table, &metadata()).unwrap();
    for bytes in [fs::read(&to).unwrap(), b"no table at all".to_vec()] {
        fs::write(&to, &bytes).unwrap();
        let fault = copy_column(&path, &to, Metric::Wdl).unwrap_err();
        check_refusal(fault, &["KNvK.tsm", "no table of KNvK", "another folder"]);
        assert!(fs::read(&to).unwrap() == bytes);
        put_column(&path, &to, Metric::Wdl).unwrap();
        assert_eq!(columns_of(&to).unwrap(), [Metric::Wdl.into()]);
    }
}

/// A file that cannot be read may have any column: a reader learns what is wrong with it.
#[test]
fn a_column_comes_from_the_first_folder_that_has_it() {
    let (work, path) = Work::of_three("folders");
    let [bare, broken] = ["bare", "broken"].map(|name| work.folder.0.join(name));
    for folder in [&bare, &broken] {
        fs::create_dir(folder).unwrap();
    }
    copy_column(&path, &bare.join(crate::file_name(MATERIAL)), Metric::Wdl).unwrap();
    fs::write(broken.join(crate::file_name(MATERIAL)), "no table").unwrap();
    let folders = [bare.clone(), work.folder.0.clone(), broken.clone()];
    let folder = |folders: &[PathBuf], metric: Metric| {
        column_path(folders, MATERIAL, metric).parent().unwrap().to_path_buf()
    };
    assert_eq!(folder(&folders, Metric::Wdl), bare);
    assert_eq!(folder(&folders, Metric::Dtm), work.folder.0);
    assert_eq!(folder(&folders, Metric::Dtc), broken);
    assert_eq!(folder(&folders[..2], Metric::Dtc), bare);
    assert_eq!(folder(&[broken.clone(), bare], Metric::Wdl), broken);
}
