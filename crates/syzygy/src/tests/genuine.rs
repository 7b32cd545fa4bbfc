//! Reads files that the generator of most Syzygy files has written.

use super::file::{files, game, root, solved_tables};
use crate::{Agreement, ChecksumKind, Family, FileMaterial, Options, Score, SyzygyFile, SyzygyTablebase};
use index::Layout;
use position::{Position, RuleBook};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;
use variant::{Material, Side};

/// A file that the generator of most Syzygy files has written.
fn genuine(file: &str) -> PathBuf {
    root().join("tests/cases/syzygy_genuine").join(file)
}

/// A genuine file gives the same values whether they are decoded one by one or all at once. Its symbols run
/// past the ends of blocks, as those of our files do not.
#[track_caller]
fn check_whole(file: &str, n_values: u64) {
    let variant = game("fide");
    let (name, _) = file.split_once('.').unwrap();
    let material = Material::parse(&variant, name).unwrap();
    let of_file = FileMaterial::new(&variant, &material).unwrap();
    let mut read = SyzygyFile::open(&genuine(file)).unwrap();
    assert_eq!(read.checksum(), ChecksumKind::Generator, "{file}");
    assert_eq!(read.verify_blocks().unwrap(), n_values, "{file}");
    let (layout, book) = (Layout::new(&variant, &material), RuleBook::new(&variant));
    let position = |(number, index): (usize, usize)| {
        let placement = layout.decode(index);
        let men = layout.men().iter().copied().zip(placement.iter().copied());
        Position::from_men(men, Side::BOTH[number % 2]).filter(|position| position.is_legal(&book))
    };
    let places = (0..layout.len()).step_by(layout.len() / 5_000 + 1).enumerate();
    let positions: Vec<Position> = places.filter_map(position).collect();
    let stored = |read: &SyzygyFile| -> Vec<Option<u32>> {
        positions.iter().map(|position| read.stored(&of_file, position)).collect()
    };
    let by_one = stored(&read);
    read.unpack().unwrap();
    assert_eq!(stored(&read), by_one, "{file}");
    assert!(by_one.iter().flatten().count() > 1_000, "{file}: {}", by_one.iter().flatten().count());
}

#[test]
fn genuine_files_are_read_whole() {
    check_whole("KBvK.rtbw", 2 * 31_332);
    check_whole("KBvK.rtbz", 31_332);
    check_whole("KQvK.rtbw", 2 * 31_332);
    check_whole("KQvK.rtbz", 31_332);
    check_whole("KRvK.rtbw", 2 * 31_332);
    check_whole("KRvK.rtbz", 31_332);
    check_whole("KPvK.rtbw", 8 * 23_436);
    check_whole("KPvK.rtbz", 4 * 23_436);
    check_whole("KQQvK.rtbw", 2 * 873_642);
    check_whole("KRvKR.rtbw", 31_332 * 61);
    check_whole("KRvKR.rtbz", 31_332 * 61);
    check_whole("KBvKN.rtbw", 2 * 31_332 * 61);
    check_whole("KBvKN.rtbz", 31_332 * 61);
}

/// The genuine files, with one of ours that promotions lead to.
fn genuine_folder() -> &'static TempDir {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        for entry in std::fs::read_dir(genuine("")).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
        files(Family::Chess, "KNvK", Options::default()).save(folder.path()).unwrap();
        folder
    })
}

/// Genuine files have the values of our tables, but for distances that are rounded: at least this many.
#[track_caller]
fn check_genuine(name: &str, step: usize, least_rounded: usize) {
    let solved_tables = solved_tables(Family::Chess);
    let read = SyzygyTablebase::open_for_all(genuine_folder().path(), &solved_tables.variant);
    let table = solved_tables.named(name);
    let layout = table.layout();
    let places = table.sides().flat_map(|stm| (0..layout.len()).step_by(step).map(move |index| (stm, index)));
    let (mut n_compared, mut n_rounded) = (0, 0);
    for (stm, index) in places {
        let placement = layout.decode(index);
        let Some(expected) = Score::of(table.value(stm, index)) else { continue };
        if !layout.is_canonical(index, &placement) {
            continue;
        }
        let men = layout.men().iter().copied().zip(placement.iter().copied());
        let position = Position::from_men(men, stm).unwrap();
        let (score, counts_plies) = (read.score(&position).unwrap(), read.counts_plies(&position).unwrap());
        let agreement = expected.agreement(score, counts_plies);
        assert_ne!(agreement, Agreement::Different, "{name} {stm} {placement:?}: {score:?}, {expected:?}");
        n_compared += 1;
        n_rounded += usize::from(agreement == Agreement::Rounded);
    }
    assert!(n_compared > 5_000 && n_rounded >= least_rounded, "{name}: {n_compared}, {n_rounded} rounded");
}

#[test]
fn genuine_files_say_what_our_tables_say() {
    check_genuine("KQvK", 3, 0);
    check_genuine("KRvK", 3, 0);
    check_genuine("KBvK", 3, 0);
    check_genuine("KPvK", 7, 0);
    check_genuine("KRvKR", 97, 40);
}

#[test]
fn damaged_genuine_files_are_refused() {
    let whole = std::fs::read(genuine("KPvK.rtbz")).unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        let error = SyzygyFile::from_bytes(Path::new("KPvK.rtbz"), bytes).unwrap_err().to_string();
        assert!(error.contains("its checksum is that of other bytes; get or export it again"), "{error}");
    }
}
