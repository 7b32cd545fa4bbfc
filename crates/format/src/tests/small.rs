//! Tests small files: the same tables in fewer bytes, and no damage goes unseen.

use super::{
    Folder, Page, check_refusal, each_damaged, fault_of, fide, flipped, forge, metadata, put_byte,
    random_table,
};
use crate::container::{PageEntry, SealedFile};
use crate::head::KIND;
use crate::{Column, FormatError, Keep, Packing, Summary, TableFile, TableWriter, Written, trim};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use table::{Code, Codes, Table, Value};
use variant::{Metric, Side, Variant};

/// The column of all files here.
fn dtm() -> Column {
    Metric::Dtm.into()
}

fn write(path: &Path, table: &Table, keep: Keep, packing: Packing) -> Written {
    write_of(&fide(), path, table, keep, packing)
}

fn write_of(variant: &Variant, path: &Path, table: &Table, keep: Keep, packing: Packing) -> Written {
    TableWriter::new(variant).keep(keep).packing(packing).write(path, table, &metadata()).unwrap()
}

/// A table with scattered values for White to move and runs of the same one for Black.
fn calm(material: &str, is_wide: bool) -> Table {
    let mut table = random_table(&fide(), material, is_wide, 21);
    match table.codes_mut(Side::Black) {
        Some(Codes::OneByte(codes, _)) => even(codes),
        Some(Codes::TwoBytes(codes)) => even(codes),
        None => {}
    }
    table
}

/// Makes codes that are not illegal those that stand 63 places before them, most of the time.
pub(super) fn even<C: Code>(codes: &mut [C]) {
    for place in 63..codes.len() {
        let above = codes[place - 63];
        if codes[place] != C::ILLEGAL && above != C::ILLEGAL && place % 11 > 0 {
            codes[place] = above;
        }
    }
}

#[track_caller]
fn check_small(material: &str, is_wide: bool) {
    let variant = fide();
    let folder = Folder::new(&format!("small-{material}-{is_wide}"));
    let (path, table) = (folder.file(material), calm(material, is_wide));
    let quick = write(&path, &table, Keep::Both, Packing::Quick);
    let small = write(&path, &table, Keep::Both, Packing::Small);
    assert_eq!((quick.table, quick.content), (small.table, quick.table), "a table has one name");
    let summary = Summary::read(&path, Metric::Dtm).unwrap();
    assert_eq!((summary.content, summary.table_content()), (small.content, quick.table));
    assert_eq!((summary.left_out(table.layout().is_one_sided()), summary.is_small), (None, true));

    let file = TableFile::open(&path, &variant).unwrap();
    file.verify_checksums().unwrap();
    let (read, layout) = (file.read_table().unwrap(), table.layout());
    for side in table.sides() {
        for index in 0..layout.len() {
            let value = table.value(side, index);
            if value != Value::Illegal && layout.is_canonical(index, &layout.decode(index)) {
                assert_eq!(read.value(side, index), value, "{side} {index}");
                if index % 1009 == 0 {
                    assert_eq!(file.value(side, index).unwrap(), value, "{side} {index}");
                }
            }
        }
    }
    if layout.is_one_sided() {
        return;
    }
    // One side at once, or the other one cut off later: the same file.
    let direct = write(&path, &table, Keep::Smaller, Packing::Small);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(
        (direct.table, Summary::read(&path, Metric::Dtm).unwrap().left_out(false)),
        (quick.table, Some(Side::White))
    );
    let both = write(&path, &table, Keep::UntilTrimmed, Packing::Small);
    let left = Summary::read(&path, Metric::Dtm).unwrap().metadata.trims_to;
    assert_eq!((both.table, left.map(|left| left.side)), (quick.table, Some(Side::Black)));
    TableFile::open(&path, &variant).unwrap().read_table().unwrap();
    assert_eq!(trim(&path, &variant, Metric::Dtm).unwrap(), Some(direct));
    assert!(fs::read(&path).unwrap() == bytes);
}

#[test]
fn small_files_hold_the_same_tables() {
    check_small("KvK", false);
    check_small("KQvK", false);
    check_small("KQvK", true);
    check_small("KPvK", true);
}

/// The path of a small file of KQvK in a folder, and its bytes.
fn small_file(folder: &Folder) -> (PathBuf, Vec<u8>) {
    let path = folder.file("KQvK");
    write(&path, &calm("KQvK", false), Keep::Both, Packing::Small);
    let written = fs::read(&path).unwrap();
    (path, written)
}

#[test]
fn blocks_that_a_model_packs_have_one_size() {
    let (variant, folder) = (fide(), Folder::new("small-blocks"));
    let (path, written) = small_file(&folder);
    let opened = |block_codes: u32| {
        fs::write(&path, &written).unwrap();
        forge(&path, |about, _| about["columns"][0]["table"]["block_codes"] = block_codes.into());
        TableFile::open(&path, &variant)
    };
    opened(1 << 14).unwrap();
    for block_codes in [0, 1 << 13, 1 << 15, 1 << 25] {
        let Err(fault) = opened(block_codes) else { panic!("{block_codes}: it was opened") };
        assert!(matches!(fault, FormatError::Inconsistent { .. }), "{block_codes}: {fault:?}");
    }
    // Pages that fit to smaller blocks, which a model does not pack.
    fs::write(&path, &written).unwrap();
    let n_codes = TableFile::open(&path, &variant).unwrap().layout().len() as u32;
    let tile = 1 << 16;
    let codes_of = |block: u32, of_tile: u32| (of_tile - block * 15_000).min(15_000);
    forge(&path, |about, pages| {
        about["columns"][0]["table"]["block_codes"] = 15_000.into();
        let blocks = pages.iter_mut().filter(|(page, _)| page.key.table == dtm().blocks());
        blocks.for_each(|(page, _)| {
            page.n_codes = codes_of(page.key.page, (n_codes - page.key.unit * tile).min(tile));
        });
    });
    let Err(fault) = TableFile::open(&path, &variant) else { panic!("it was opened") };
    let FormatError::Inconsistent { got, expected, .. } = &fault else { panic!("{fault:?}") };
    assert_eq!((*got, *expected), (15_000, 1 << 14));
}

/// What a file says of itself is compared with its pages, whatever numbers stand there.
#[test]
fn numbers_that_cannot_be_are_refused_whatever_their_checksum() {
    let (variant, folder) = (fide(), Folder::new("small-numbers"));
    let (path, written) = small_file(&folder);
    let check = |what: &str, change: &dyn Fn(&mut serde_json::Value, &mut [Page])| {
        fs::write(&path, &written).unwrap();
        forge(&path, |about, pages| change(&mut about["columns"][0]["table"], pages));
        assert!(fault_of(&path, &variant).is_some_and(|fault| fault.is_damage()), "{what}");
    };
    for (key, number) in [
        ("placements", u64::MAX),
        ("placements", 0),
        ("placements", 29_567),
        ("tile_codes", 0),
        ("tile_codes", 1 << 25),
        ("tile_codes", 1 << 15),
        ("n_men", 4),
        ("block_codes", u32::MAX.into()),
    ] {
        check(&format!("{key} {number}"), &|about, _| about[key] = number.into());
    }
    for (key, numbers) in [
        ("widths", [3, 0]),
        ("widths", [0, 0]),
        ("widths", [1, 0]),
        ("widths", [2, 1]),
        ("orders", [7, 0x8210]),
    ] {
        check(&format!("{key} {numbers:?}"), &|about, _| about[key] = numbers.to_vec().into());
    }
    check("a text", &|about, _| about["placements"] = "many".into());
    check("another number of codes", &|_, pages| pages[0].0.n_codes -= 1);
    let last = |pages: &[Page]| pages.len() - 1;
    check("a page of a model with codes", &|_, pages| pages[last(pages)].0.n_codes = 1);
    check("a page of a model of another coding", &|_, pages| pages[last(pages)].0.coding = [4, 0]);
    check("a page of another table", &|_, pages| pages[last(pages)].0.key.table += 1);
    check("a page of a unit that is not there", &|_, pages| {
        let at = last(pages);
        (pages[at].0.key.unit, pages[at].0.key.page) = (u32::MAX, 1);
    });
}

/// How far a file is packed is told from the first trial of an order on, and never taken back.
#[test]
fn packing_is_told_from_the_first_trial_on() {
    let (variant, folder, table) =
        (fide(), Folder::new("small-told"), random_table(&fide(), "KPvK", false, 5));
    let told = Mutex::new(Vec::new());
    let note = |done: u64, total: u64| told.lock().unwrap().push((done, total));
    let writer = TableWriter::new(&variant).packing(Packing::Small).progress(&note);
    writer.write(&folder.file("KPvK"), &table, &metadata()).unwrap();
    let told = told.into_inner().unwrap();
    let shares: Vec<f64> = told.iter().map(|&(done, total)| done as f64 / total as f64).collect();
    assert!(told[0].0 == 0 && told.iter().all(|(done, total)| done <= total), "{:?}", told[0]);
    assert!(*shares.last().unwrap() > 0.95, "{:?}", told.last());
    // Every step is a small one, when work of several threads is put in order.
    let mut sorted = shares.clone();
    sorted.sort_by(f64::total_cmp);
    let largest = sorted.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max);
    assert!(shares.len() > 30 && largest < 0.2, "{} steps, the largest of {largest}", shares.len());
}

#[test]
fn a_side_may_be_left_out_of_men_that_are_alike_where_rules_differ_by_side() {
    let variant = Variant::load("../../variants/racing-kings.toml").unwrap();
    let (folder, table) = (Folder::new("small-race"), random_table(&variant, "KvK", false, 3));
    let path = folder.file("KvK");
    let left_out = |keep| {
        TableWriter::new(&variant)
            .keep(keep)
            .packing(Packing::Small)
            .write(&path, &table, &metadata())
            .unwrap();
        let file = TableFile::open(&path, &variant).unwrap();
        let summary = Summary::read(&path, Metric::Dtm).unwrap();
        assert_eq!(summary.left_out(file.layout().is_one_sided()), file.left_out());
        file.left_out()
    };
    assert!(left_out(Keep::Smaller).is_some() && left_out(Keep::Both).is_none());
}

/// A material of five men on a board of 25 squares.
const HANGING: &str = "KQRvKB";

fn gardner() -> Variant {
    Variant::load("../../variants/gardner.toml").unwrap()
}

/// Where two men other than kings stand on certain squares, the values are others than around, everywhere
/// alike: what a model is there to learn beforehand.
fn hanging() -> Table {
    let mut table = random_table(&gardner(), HANGING, false, 5);
    let layout = table.layout().clone();
    let hang = |index: usize| {
        let squares = layout.decode(index);
        let stand = |[one, other]: [usize; 2]| {
            let pair = (one * 5 + other) << 12 | squares[one].index() << 6 | squares[other].index();
            pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & 15 == 0
        };
        [[1, 2], [1, 4], [2, 4]].into_iter().any(stand)
    };
    for side in Side::BOTH {
        if let Some(Codes::OneByte(codes, _)) = table.codes_mut(side) {
            for (index, code) in codes.iter_mut().enumerate().filter(|(_, code)| **code != u8::ILLEGAL) {
                let block = index / layout.block_len() * 7;
                *code = 4 + (block % 40) as u8 + if hang(index) { 2 + (block % 11) as u8 } else { 0 };
            }
        }
    }
    table
}

#[test]
fn what_is_learned_beforehand_stands_in_the_file() {
    let (variant, folder, table) = (gardner(), Folder::new("small-learned"), hanging());
    let path = folder.file(HANGING);
    let write = |keep| write_of(&variant, &path, &table, keep, Packing::Small);
    let both = write(Keep::Both);
    let bytes = fs::read(&path).unwrap();
    let file = TableFile::open(&path, &variant).unwrap();
    for side in Side::BOTH {
        assert!(file.learned(side).prior.is_some() && file.learned(side).tree.is_some(), "{side}");
    }
    let (read, layout) = (file.read_table().unwrap(), table.layout());
    for (side, index) in Side::BOTH.into_iter().flat_map(|side| (0..layout.len()).map(move |i| (side, i))) {
        let value = table.value(side, index);
        if value != Value::Illegal && layout.is_canonical(index, &layout.decode(index)) {
            assert_eq!(read.value(side, index), value, "{side} {index}");
        }
    }
    // One side at once, or the other one cut off later: the same file, and what was learned stays with its
    // side.
    let one = write(Keep::Smaller);
    let direct = fs::read(&path).unwrap();
    assert_eq!(one.table, both.table);
    write(Keep::UntilTrimmed);
    assert_eq!(trim(&path, &variant, Metric::Dtm).unwrap(), Some(one));
    assert!(fs::read(&path).unwrap() == direct);

    fs::write(&path, &bytes).unwrap();
    // What was learned is not changed unseen, nor is it another length.
    let is_told =
        |fault: &FormatError| matches!(fault, FormatError::SectionDamaged { section: "page of a model", .. });
    let pages: Vec<PageEntry> = SealedFile::open(&path, KIND, 1 << 20).unwrap().pages().copied().collect();
    let (blocks, learned) = pages.split_at(pages.len() - 2);
    assert!(
        learned.iter().all(|page| page.key.table == dtm().learned())
            && blocks.iter().all(|page| page.key.table == dtm().blocks())
    );
    let n_bytes = |pages: &[PageEntry]| pages.iter().map(|page| page.n_bytes as usize).sum::<usize>();
    let start = 48 + n_bytes(blocks);
    // Some: opening a file reads all that was learned.
    for at in (start..start + n_bytes(learned)).step_by(31) {
        put_byte(&path, at, flipped(bytes[at], at));
        let fault = TableFile::open(&path, &variant).unwrap_err();
        assert!(is_told(&fault), "byte {at}: {fault:?}");
        put_byte(&path, at, bytes[at]);
    }
    for length in [[0; 4], [1, 0, 0, 0], [255; 4]] {
        fs::write(&path, &bytes).unwrap();
        forge(&path, |_, pages| pages[blocks.len()].1[..4].copy_from_slice(&length));
        let fault = TableFile::open(&path, &variant).unwrap_err();
        assert!(is_told(&fault), "{length:?}: {fault:?}");
    }
}

#[test]
fn the_bytes_of_small_files_do_not_depend_on_the_number_of_threads() {
    let folder = Folder::new("small-threads");
    let plain = random_table(&fide(), "KPvK", false, 98);
    for (variant, name, table) in [(fide(), "KPvK", plain), (gardner(), HANGING, hanging())] {
        let bytes = |n_threads: usize| {
            let path = folder.file(name);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| write_of(&variant, &path, &table, Keep::Smaller, Packing::Small));
            fs::read(&path).unwrap()
        };
        let two = bytes(2);
        assert!(two == bytes(1) && two == bytes(7), "{name}");
    }
}

#[test]
fn no_damaged_byte_of_a_small_file_goes_unseen() {
    let (variant, folder) = (fide(), Folder::new("small-flipped"));
    let path = folder.file("KvK");
    write(&path, &random_table(&variant, "KvK", false, 3), Keep::Both, Packing::Small);
    each_damaged(&path, &variant, |at, n_bytes, fault| {
        assert!(fault.is_some(), "byte {at} of {n_bytes}");
    });
}

/// A file whose last block has been changed and all checksums before the contents' set right.
#[track_caller]
fn check_forged(name: &str, change: impl FnOnce(&mut PageEntry, &mut [u8])) {
    let (variant, folder) = (fide(), Folder::new(name));
    let path = folder.file("KvK");
    write(&path, &random_table(&variant, "KvK", false, 3), Keep::Both, Packing::Small);
    forge(&path, |_, pages| {
        let (page, bytes) = pages.iter_mut().rfind(|(page, _)| page.key.table == dtm().blocks()).unwrap();
        change(page, bytes);
    });
    let fault = fault_of(&path, &variant).unwrap();
    let is_told = matches!(
        fault,
        FormatError::BlockDamaged { .. }
            | FormatError::ContentDamaged { .. }
            | FormatError::SectionDamaged { .. }
    );
    assert!(is_told, "{fault:?}");
    check_refusal(fault, &["KvK.tsm", "solve"]);
}

#[test]
fn blocks_that_cannot_be_are_refused_whatever_their_checksum() {
    check_forged("forged-codec", |page, _| page.coding = [3, 0]);
    check_forged("forged-parameter", |page, _| page.coding = [5, 1]);
    check_forged("forged-place", |page, _| page.key.page += 1);
    check_forged("forged-frame", |page, _| page.coding = [4, 0]);
    check_forged("forged-codes", |_, block| block[1] ^= 0x40);
    check_forged("forged-ones", |_, block| block[1..].fill(0xff));
    check_forged("forged-zeros", |_, block| block[1..].fill(0));
}
