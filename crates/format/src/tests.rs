//! Tests that what is written is read, in the same bytes for any number of threads, and that no damage goes
//! unseen.

mod arrange;
mod columns;
mod other;
mod side;
mod small;
mod source;

use crate::container::{Head, PageEntry, SealedFile, Sealer};
use crate::head::KIND;
use crate::{
    Checksum, Dependency, FormatError, Metadata, Summary, TableFile, TableWriter, is_own_temporary,
    is_temporary,
};
use index::Layout;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Code, Codes, Ply, Table, Value};
use variant::{Material, Metric, Side, Variant};

const FIDE: &str = variant::game::CHESS;

pub(crate) fn fide() -> Variant {
    Variant::parse(FIDE, "fide.toml").unwrap()
}

/// Chess on a smaller board, without double steps.
fn chess_on(files: usize, ranks: usize) -> Variant {
    let rules = FIDE
        .replace("castling = true", "castling = false")
        .replace("files = 8", &format!("files = {files}"))
        .replace("ranks = 8", &format!("ranks = {ranks}"))
        .replace("promotion-rank = 8", &format!("promotion-rank = {ranks}"))
        .replace("double-step = true\nen-passant = true\n", "double-step = false\nen-passant = false\n");
    Variant::parse(&rules, "small.toml").unwrap()
}

/// Numbers without a pattern, the same every time.
pub(crate) fn numbers(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    }
}

/// A table of values without a pattern: a third illegal, plies up to `max_ply`.
fn random_table(variant: &Variant, material: &str, is_wide: bool, seed: u64) -> Table {
    let material = Material::parse(variant, material).unwrap();
    let layout = Arc::new(Layout::new(variant, &material));
    let mut next = numbers(seed);
    let mut values = || {
        let number = next();
        let ply = (number >> 8) as u16 % if is_wide { 30_000 } else { 200 };
        match number % 9 {
            0..3 => Value::Illegal,
            3 => Value::Draw,
            4 => Value::Stalemate,
            _ if ply.is_multiple_of(2) => Value::Loss(Ply(ply)),
            _ => Value::Win(Ply(ply)),
        }
    };
    let n = layout.len();
    let mut codes = || match is_wide {
        true => u16::owned((0..n).map(|_| u16::from_value(values()).unwrap()).collect()),
        false => u8::owned((0..n).map(|_| u8::from_value(values()).unwrap()).collect()),
    };
    let white = codes();
    let black = (!layout.is_one_sided()).then(codes);
    Table::new(layout, white, black)
}

fn metadata() -> Metadata {
    Metadata {
        program: "tablesmith 0.0.0".into(),
        variant: "fide".into(),
        solver_version: 7,
        dependencies: vec![Dependency { material: "KvK".into(), content: Checksum([0xa5; 32]) }],
        statistics: serde_json::json!({ "wins": [1, 2, 3] }),
        ..Metadata::default()
    }
}

#[track_caller]
fn check_round_trip(material: &str, is_wide: bool) {
    let variant = fide();
    let folder = Folder::new(&format!("round-{material}-{is_wide}"));
    let path = folder.file(material);
    let table = random_table(&variant, material, is_wide, 0x1234_5678);
    let written = TableWriter::new(&variant).write(&path, &table, &metadata()).unwrap();
    assert_eq!(written.size_bytes, fs::metadata(&path).unwrap().len());
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "no temporary file stays");
    let summary = Summary::read(&path, Metric::Dtm).unwrap();
    assert_eq!((summary.material.as_str(), summary.column), (material, Metric::Dtm.into()));
    assert_eq!((summary.content, summary.size_bytes), (written.content, written.size_bytes));
    assert_eq!(summary.metadata, metadata());
    assert_eq!(summary.placements, table.layout().len() as u64);

    let file = TableFile::open(&path, &variant).unwrap();
    assert_eq!(file.content(), written.content);
    file.verify_checksums().unwrap();
    let read = file.read_table().unwrap();
    let layout = table.layout();
    let mut n_kept = 0;
    for side in table.sides() {
        for index in 0..layout.len() {
            let value = table.value(side, index);
            if value != Value::Illegal && layout.is_canonical(index, &layout.decode(index)) {
                n_kept += 1;
                assert_eq!(read.value(side, index), value, "{side} {index}");
                if index % 101 == 0 {
                    assert_eq!(file.value(side, index).unwrap(), value, "{side} {index}");
                }
            }
        }
    }
    assert!(n_kept > layout.len() / 4, "{n_kept} kept of {}", layout.len());
}

#[test]
fn what_is_written_is_read() {
    check_round_trip("KvK", false);
    check_round_trip("KvK", true);
    check_round_trip("KRvK", true);
    check_round_trip("KPvK", false);
    check_round_trip("KQQvK", false);
}

#[test]
fn a_side_may_need_two_bytes_while_the_other_does_not() {
    let variant = fide();
    let folder = Folder::new("mixed");
    let path = folder.file("KNvK");
    let narrow = random_table(&variant, "KNvK", false, 5);
    let wide = random_table(&variant, "KNvK", true, 6);
    let codes = |table: &Table, side| table.codes(side).unwrap().clone();
    let layout = narrow.layout().clone();
    let table = Table::new(layout, codes(&narrow, Side::White), Some(codes(&wide, Side::Black)));
    TableWriter::new(&variant).write(&path, &table, &metadata()).unwrap();
    let file = TableFile::open(&path, &variant).unwrap();
    assert_eq!(Summary::read(&path, Metric::Dtm).unwrap().code_widths, [1, 2]);
    let read = file.read_table().unwrap();
    let layout = table.layout();
    let kept = |side, i: &usize| {
        table.value(side, *i) != Value::Illegal && layout.is_canonical(*i, &layout.decode(*i))
    };
    for side in Side::BOTH {
        for index in (0..layout.len()).filter(|i| kept(side, i)) {
            assert_eq!(read.value(side, index), table.value(side, index));
        }
    }
}

/// What is read of a range is what the whole table has there, whatever tiles the range begins and ends in.
#[track_caller]
fn check_ranges(material: &str, is_wide: bool) {
    let variant = fide();
    let folder = Folder::new(&format!("range-{material}-{is_wide}"));
    let path = folder.file(material);
    TableWriter::new(&variant)
        .write(&path, &random_table(&variant, material, is_wide, 41), &metadata())
        .unwrap();
    let file = TableFile::open(&path, &variant).unwrap();
    let whole = file.read_table().unwrap();
    for side in whole.sides() {
        assert_eq!(file.coding(side).is_wide(), is_wide, "{side}");
        let (n, tile) = (file.layout().len(), file.tiling(side).tile_codes());
        let ends = [0, 1, tile - 1, tile, tile + 1, 2 * tile, 5 * tile / 2, n - 1, n].map(|end| end.min(n));
        for range in ends.iter().flat_map(|&start| ends.iter().map(move |&end| start..end)) {
            match whole.codes(side).unwrap() {
                Codes::OneByte(codes, _) => check_range(&file, side, range, codes),
                Codes::TwoBytes(codes) => check_range(&file, side, range, codes),
            }
        }
    }
}

#[track_caller]
fn check_range<C: Code>(file: &TableFile, side: Side, range: Range<usize>, whole: &[C]) {
    let mut codes = vec![C::ILLEGAL; range.len()];
    file.read_range(side, range.clone(), C::borrowed_mut(&mut codes)).unwrap();
    assert!(codes.is_empty() || codes == whole[range.clone()], "{side} {range:?}");
}

#[test]
fn a_range_of_numbers_is_read() {
    check_ranges("KvK", false);
    check_ranges("KPvK", true);
    check_ranges("KQRvK", false);
    check_ranges("KRPvK", false);
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let variant = fide();
    let folder = Folder::new("threads");
    let table = random_table(&variant, "KBBvK", false, 99);
    let bytes = |n_threads: usize| {
        let path = folder.file("KBBvK");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| TableWriter::new(&variant).write(&path, &table, &metadata())).unwrap();
        fs::read(&path).unwrap()
    };
    let one = bytes(1);
    assert!(one == bytes(2) && one == bytes(7));
}

/// What reading everything says; none if nothing is wrong.
fn fault_of(path: &Path, variant: &Variant) -> Option<FormatError> {
    Summary::read(path, Metric::Dtm).err().or_else(|| match TableFile::open(path, variant) {
        Ok(file) => file.read_table().err(),
        Err(error) => Some(error),
    })
}

/// Calls `check` for each byte of a sound file with one bit of it turned: which byte, of how many, and what
/// was found.
fn each_damaged(path: &Path, variant: &Variant, check: impl Fn(usize, usize, Option<FormatError>)) {
    let whole = fs::read(path).unwrap();
    assert!(fault_of(path, variant).is_none());
    for (at, &byte) in whole.iter().enumerate() {
        put_byte(path, at, flipped(byte, at));
        check(at, whole.len(), fault_of(path, variant));
        put_byte(path, at, byte);
    }
    assert!(fault_of(path, variant).is_none());
}

/// A byte at a place of a file with one bit of it flipped, another one from place to place.
fn flipped(byte: u8, at: usize) -> u8 {
    byte ^ 1 << (at % 8)
}

/// Overwrites one byte of a file.
fn put_byte(path: &Path, at: usize, byte: u8) {
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at as u64)).unwrap();
    file.write_all(&[byte]).unwrap();
}

/// Turns a bit of the last page of a file.
fn damage_last_block(path: &Path) {
    damage_page(path, SealedFile::open(path, KIND, 1 << 20).unwrap().n_all_pages() - 1);
}

/// Turns a bit of a page of a file, by its place.
fn damage_page(path: &Path, page: usize) {
    let file = SealedFile::open(path, KIND, 1 << 20).unwrap();
    let at = 48 + file.pages().take(page + 1).map(|page| page.n_bytes as usize).sum::<usize>() - 5;
    let byte = fs::read(path).unwrap()[at];
    put_byte(path, at, byte ^ 16);
}

/// A page with its bytes.
type Page = (PageEntry, Vec<u8>);

/// Writes a file again as `change` makes it of what it says of itself and of its pages; all checksums but
/// the contents' are right.
fn forge(path: &Path, change: impl FnOnce(&mut serde_json::Value, &mut [Page])) {
    let file = SealedFile::open(path, KIND, 1 << 20).unwrap();
    let mut about = file.about().unwrap();
    let page = |(at, page): (usize, &PageEntry)| {
        let mut bytes = Vec::new();
        file.read_packed(at, &mut bytes).unwrap();
        (*page, bytes)
    };
    let mut pages: Vec<_> = file.pages().enumerate().map(page).collect();
    change(&mut about, &mut pages);
    let mut forged = Vec::new();
    let mut sealer = Sealer::new(&mut forged, Head { kind: KIND, identity: file.identity() }).unwrap();
    for (page, bytes) in pages {
        sealer.put(PageEntry::new(page.key, page.coding, page.n_codes, &bytes), &bytes).unwrap();
    }
    sealer.finish(&about).unwrap();
    fs::write(path, forged).unwrap();
}

/// Cuts a file off after this many bytes.
fn cut_off(path: &Path, len: usize) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(len as u64).unwrap();
}

#[test]
fn no_damaged_byte_goes_unseen() {
    let variant = fide();
    let folder = Folder::new("flipped");
    let path = folder.file("KvK");
    TableWriter::new(&variant).write(&path, &random_table(&variant, "KvK", false, 3), &metadata()).unwrap();
    each_damaged(&path, &variant, |at, n_bytes, fault| {
        let place = match &fault {
            Some(FormatError::NotATable { .. }) => 0..16,
            Some(FormatError::Version { expected: 1, .. }) => 8..12,
            Some(FormatError::SectionDamaged { section: "index", .. }) => 16..n_bytes - 8,
            Some(FormatError::BlockDamaged { block: 0, n_blocks: 1, .. }) => 48..n_bytes - 32,
            Some(FormatError::CutShort { .. }) => n_bytes - 8..n_bytes,
            _ => 0..0,
        };
        assert!(place.contains(&at), "byte {at} of {n_bytes}: {fault:?}");
        // A reader who opens the file for its values alone sees a damage outside the blocks as well.
        let is_block = matches!(fault, Some(FormatError::BlockDamaged { .. }));
        assert_eq!(TableFile::open(&path, &variant).is_err(), !is_block, "byte {at}");
    });
}

#[test]
fn a_file_of_another_length_is_refused() {
    let variant = fide();
    let folder = Folder::new("length");
    let path = folder.file("KvK");
    TableWriter::new(&variant).write(&path, &random_table(&variant, "KvK", false, 4), &metadata()).unwrap();
    let whole = fs::read(&path).unwrap();
    for len in (0..whole.len()).rev() {
        cut_off(&path, len);
        let fault = fault_of(&path, &variant);
        assert!(matches!(fault, Some(FormatError::CutShort { .. })), "{len} bytes: {fault:?}");
    }
    fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
    check_refusal(fault_of(&path, &variant).unwrap(), &["KvK.tsm", "cut short", "behind its end", "solve"]);
}

#[test]
fn a_damaged_block_is_told_by_every_way_of_reading_and_the_others_answer() {
    let variant = fide();
    let folder = Folder::new("block");
    let path = folder.file("KQRvK");
    let table = random_table(&variant, "KQRvK", false, 8);
    TableWriter::new(&variant).write(&path, &table, &metadata()).unwrap();
    damage_last_block(&path);
    let file = TableFile::open(&path, &variant).unwrap();
    let layout = table.layout();
    let last = layout.len() - 1;
    assert!(matches!(file.value(Side::Black, last), Err(FormatError::BlockDamaged { .. })));
    assert!(matches!(file.verify_checksums(), Err(FormatError::BlockDamaged { .. })));
    let legal = |i: &usize| {
        table.value(Side::White, *i) != Value::Illegal && layout.is_canonical(*i, &layout.decode(*i))
    };
    let good = (0..last).find(legal).unwrap();
    assert_eq!(file.value(Side::White, good).unwrap(), table.value(Side::White, good));
}

#[track_caller]
fn check_refusal(fault: FormatError, words: &[&str]) {
    let text = fault.to_string();
    for word in words {
        assert!(text.contains(word), "`{word}` in `{text}`");
    }
}

#[test]
fn files_of_other_rules_names_and_kinds_are_refused_with_both_sides_of_the_story() {
    let variant = fide();
    let folder = Folder::new("refused");
    let path = folder.file("KNvK");
    TableWriter::new(&variant).write(&path, &random_table(&variant, "KNvK", false, 4), &metadata()).unwrap();

    let rook_knight = FIDE.replace("betza = \"N\"", "betza = \"NW\"");
    let other = Variant::parse(&rook_knight, "fide.toml").unwrap();
    check_refusal(
        TableFile::open(&path, &other).unwrap_err(),
        &["KNvK", "other rules", "rules hash", "solve"],
    );
    let elsewhere = FIDE.replace("betza = \"B\"", "betza = \"BW\"");
    let other = Variant::parse(&elsewhere, "fide.toml").unwrap();
    assert!(TableFile::open(&path, &other).is_ok(), "a bishop's rules do not matter here");
    let renamed = FIDE.replace("letter = \"N\"", "letter = \"H\"").replace("\"B\", \"N\"]", "\"B\", \"H\"]");
    let other = Variant::parse(&renamed, "fide.toml").unwrap();
    check_refusal(TableFile::open(&path, &other).unwrap_err(), &["does not belong", "fide", "`N`"]);

    let wrong_name = folder.file("KBvK");
    fs::copy(&path, &wrong_name).unwrap();
    check_refusal(TableFile::open(&wrong_name, &variant).unwrap_err(), &["holds KNvK", "expected KBvK"]);
    fs::write(&path, "K+N v K, drawn").unwrap();
    check_refusal(TableFile::open(&path, &variant).unwrap_err(), &["KNvK.tsm", "not a table file"]);
    let missing = TableFile::open(&folder.file("KRvK"), &variant).unwrap_err();
    assert!(missing.is_not_found());
    check_refusal(missing, &["cannot open", "KRvK.tsm"]);
}

#[test]
fn rests_of_a_cut_off_writing_are_known_by_their_names() {
    for (name, is_rest) in [
        ("KQvK.tsm", false),
        ("KQvK.tsm.tmp-123-0", true),
        ("KQvK.dtz50.tsm.tmp-9-44", true),
        ("KQvK.tsm.tmp-00c0ffee-123-0", true),
        ("KQvK.tsm.tmp-00coffee-123-0", false),
        ("KQvK.tsm.tmp-c0ffee-123-0", false),
        ("KQvK.tsm.tmp-00c0ffee-123-0-1", false),
        ("wKe4-bK.tbl.tmp-7-1", true),
        ("wKe4-bK.dtz50.tbl.gz.tmp-7-1", true),
        ("wKe4-bK.tbc.tmp-7-1", true),
        ("KQvK.rtbw.tmp-12-3", true),
        ("KQvK.atbz.tmp-12-3", true),
        ("KQvK.tsbz.tmp-12-3", true),
        ("longest_mates.csv.tmp-1-0", true),
        ("KQvK.parquet.tmp-1-0", true),
        ("thesis.pdf.tmp-12-3", false),
        ("KQvK.tsm.tmp-12-", false),
        ("KQvK.tmp-1-0", false),
        ("notes.txt", false),
        ("", false),
    ] {
        assert_eq!(is_temporary(name), is_rest, "{name}");
        assert!(!is_own_temporary(name), "{name}");
    }
    let variant = fide();
    let folder = Folder::new("failed");
    let table = random_table(&variant, "KvK", false, 4);
    let nowhere = folder.0.join("nowhere").join("KvK.tsm");
    let fault = TableWriter::new(&variant).write(&nowhere, &table, &metadata()).unwrap_err();
    assert!(fault.is_not_found(), "{fault}");
    // The name is taken by a folder: everything goes well until the very end.
    fs::create_dir(folder.file("KvK")).unwrap();
    assert!(TableWriter::new(&variant).write(&folder.file("KvK"), &table, &metadata()).is_err());
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "the temporary file is gone");
}

#[test]
fn a_small_cache_stays_small_and_answers_the_same() {
    let variant = fide();
    let folder = Folder::new("cache");
    let path = folder.file("KQRvK");
    let table = random_table(&variant, "KQRvK", false, 21);
    TableWriter::new(&variant).write(&path, &table, &metadata()).unwrap();
    let cache = Arc::new(crate::BlockCache::new(64 * 40_000));
    let file = TableFile::open_of(&path, &variant, variant.default_metric, cache.clone()).unwrap();
    let layout = table.layout();
    let mut next = numbers(77);
    for _ in 0..3_000 {
        let index = (next() % layout.len() as u64) as usize;
        let side = if next().is_multiple_of(2) { Side::White } else { Side::Black };
        let value = table.value(side, index);
        if value != Value::Illegal && layout.is_canonical(index, &layout.decode(index)) {
            assert_eq!(file.value(side, index).unwrap(), value);
        }
        assert!(cache.size_bytes() <= 64 * 40_000, "{}", cache.size_bytes());
    }
}

/// A folder that is gone when the test is over.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tablesmith-format-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, material: &str) -> PathBuf {
        self.0.join(crate::file_name(material))
    }

    /// A file of its own for a metric. Its name is read up to the first dot.
    fn file_of(&self, material: &str, metric: Metric) -> PathBuf {
        match metric {
            Metric::Dtm => self.file(material),
            _ => self.0.join(format!("{material}.{metric}.{}", crate::EXTENSION)),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
