//! Checks that a flat file with all squares of the pawns holds the values of its table, and that all readers
//! take it beside files of single placements.

use crate::flat::{
    DISTANCES, OUTCOMES, as_held, check_folder, check_refused, file, tables_of, uneven, written,
};
use export::flat::{FlatFile, FlatName, FlatOptions, FlatTablebase, Form, write};
use geometry::Square;
use library::SolvedTables;
use md5::{Digest, Md5};
use std::fs;
use table::{Scale, Value, View};
use tablesmith_tests::{chess, game, root, small_chess};
use variant::{Man, Metric, Side, Variant};

/// Checks that one placement of all men in `step`, with pawns on any square of the board, has the table's
/// value in its one file. It is read by the documentation alone, too.
#[track_caller]
fn check_one_file(tables: &SolvedTables, name: &str, options: &FlatOptions<'_>, step: usize) {
    let (variant, table) = (tables.variant(), tables.named(name).unwrap());
    let options = FlatOptions { one_file: true, ..options.clone() };
    let folder = written(tables, name, &options);
    let metric = match (options.form, tables.metric()) {
        (Form::Distances, metric) | (Form::Wdl, metric @ Metric::Dtz50) => metric,
        (Form::Wdl, _) => Metric::Wdl,
    };
    let scale = Scale::new(metric, &variant.rules);
    let (layout, board) = (table.layout(), &variant.board);
    let (men, n) = (layout.men(), board.n_squares());
    let flat = FlatName::of_all_squares(variant, layout.material());
    let mut file = options.form.file_name(&flat.text(variant), metric, variant.default_metric);
    file += if options.packed { ".gz" } else { "" };
    let path = folder.path().join(&file);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}");
    let file = FlatFile::open_checked(&path, variant, metric).unwrap();
    let bytes = if options.packed { Vec::new() } else { fs::read(&path).unwrap() };
    let view = View::of_table(&table, men, None).unwrap();
    let (pawns, mobile): (Vec<usize>, Vec<usize>) = (0..men.len()).partition(|&i| variant.is_pawn(men[i]));
    let (mut n_positions, mut n_decided) = (0, 0);
    let mut squares = vec![Square::from_index(0); men.len()];
    for number in (0..n.pow(men.len() as u32)).step_by(step) {
        let mut rest = number;
        for square in squares.iter_mut().rev() {
            *square = Square::from_index(rest % n);
            rest /= n;
        }
        let own: Vec<Square> = pawns.iter().chain(&mobile).map(|&place| squares[place]).collect();
        let can_be = (0..men.len())
            .all(|i| !squares[..i].contains(&squares[i]) && variant.zone(men[i]).contains(squares[i]));
        for stm in Side::BOTH {
            let expected = if can_be { view.value(stm, &squares) } else { Value::Illegal };
            let expected = as_held(options.form, &scale, expected);
            let read = file.value(stm, &own).unwrap();
            assert_eq!(read, expected, "{name} {stm} {squares:?}");
            n_positions += usize::from(read != Value::Illegal);
            n_decided += usize::from(read.ply().is_some());
            if !options.packed && board.all().contains(own[0]) {
                let own: Vec<usize> = own.iter().map(|square| square.index()).collect();
                let entry = entry_by_documentation(&bytes, pawns.len(), &own, stm.index());
                let result = match expected.wdl() {
                    None => 0,
                    Some(wdl) => [2, 1, 3][(wdl + 1) as usize],
                };
                assert_eq!(entry & 3, result, "{name} {stm} {squares:?}");
            }
        }
    }
    // Few men of makruk can win; of chess all can but bishops and knights.
    let is_drawn = name.contains(['B', 'N']) || (variant.name == "makruk" && !name.contains('R'));
    assert!(n_positions > 100 && (n_decided > 50 || is_drawn), "{name}: {n_positions} {n_decided}");
}

/// The entry of a position as docs/other-formats.md says how to find it, by the header alone.
fn entry_by_documentation(bytes: &[u8], n_pawns: usize, squares: &[usize], stm: usize) -> usize {
    let [files, ranks, bits] = [8, 9, 5].map(|at| usize::from(bytes[at]));
    let of_first = usize::from(bytes[10]);
    let mut squares = squares.to_vec();
    if n_pawns > 0 && squares[0] % files >= of_first {
        squares.iter_mut().for_each(|square| *square = *square / files * files + files - 1 - *square % files);
    }
    let mut number = 0;
    for (i, square) in squares.iter().enumerate() {
        if i < n_pawns {
            let [first_rank, n_ranks] = [160, 161].map(|at| usize::from(bytes[at + 2 * i]));
            let files_of_pawn = if i == 0 { of_first } else { files };
            if !(first_rank..first_rank + n_ranks).contains(&(square / files)) {
                return 0;
            }
            let own = (square / files - first_rank) * files_of_pawn + square % files;
            number = number * n_ranks * files_of_pawn + own;
        } else {
            number = number * files * ranks + square;
        }
    }
    let at = (number * 2 + stm) * bits;
    usize::from(bytes[256 + at / 8]) >> (at % 8)
}

/// The names of all tables of three men.
fn of_three_men(variant: &Variant) -> Vec<String> {
    let plan = plan::Plan::new(variant, &plan::Request::UpTo(3)).unwrap();
    plan.jobs().map(|job| job.name.clone()).collect()
}

#[test]
fn one_file_has_all_squares_of_the_pawns() {
    for name in of_three_men(chess().variant()) {
        check_one_file(chess(), &name, &DISTANCES, 1);
        check_one_file(chess(), &name, &OUTCOMES, 3);
    }
    for name in ["berolina", "gardner", "makruk"] {
        let tables = SolvedTables::new(game(name));
        for name in of_three_men(tables.variant()) {
            check_one_file(&tables, &name, &DISTANCES, 3);
            check_one_file(&tables, &name, &OUTCOMES, 7);
        }
    }
    for metric in [Metric::Dtc, Metric::Dtz, Metric::Dtz50] {
        check_one_file(&tables_of(metric), "KPvK", &DISTANCES, 7);
    }
    check_one_file(&tables_of(Metric::Dtz50), "KPvK", &OUTCOMES, 7);
    check_one_file(chess(), "KPvK", &FlatOptions { packed: true, wide: true, ..DISTANCES }, 11);
}

#[test]
fn one_file_has_like_pawns_and_those_of_both_sides() {
    // A step that is prime to 64 comes to all squares.
    for name in ["KPPvK", "KPvKP", "KRvKP"] {
        check_one_file(chess(), name, &DISTANCES, 97);
        check_one_file(chess(), name, &OUTCOMES, 997);
    }
    let makruk = SolvedTables::new(game("makruk"));
    check_one_file(&makruk, "KPvKP", &DISTANCES, 499);
    check_one_file(&makruk, "KRvKP", &DISTANCES, 499);
    // 25 squares, of which two bits each do not fill the bytes of a placement of the pawns.
    let small = SolvedTables::new(small_chess(5, 5));
    check_one_file(&small, "KPPvK", &OUTCOMES, 7);
    check_one_file(&small, "KPvKP", &DISTANCES, 7);
    // Where left and right are not alike nothing is folded.
    let uneven = SolvedTables::new(uneven());
    check_one_file(&uneven, "KPvK", &DISTANCES, 1);
    let folder = written(&uneven, "KPvK", &FlatOptions { one_file: true, ..DISTANCES });
    let bytes = fs::read(folder.path().join("wKP-bK.tbl")).unwrap();
    assert_eq!((bytes[10], bytes.len()), (8, 256 + 48 * 64 * 64 * 2 * 2));
}

/// The one file of a pawn is the files of its placements, one behind the other.
#[test]
fn one_file_is_as_large_as_all_of_its_placements() {
    let tables = chess();
    let options = FlatOptions { one_file: true, ..DISTANCES };
    let (one, all) = (written(tables, "KPvK", &options), written(tables, "KPvK", &DISTANCES));
    let bytes = fs::read(one.path().join("wKP-bK.tbl")).unwrap();
    assert_eq!(&bytes[..11], b"TBL\x02\x01\x10\x03\x02\x08\x08\x04");
    assert_eq!(bytes[160..164], [1, 6, 0, 0]);
    let material = tables.named("KPvK").unwrap().layout().material().clone();
    let of_placements = FlatName::folded(tables.variant(), &material).into_iter().flat_map(|name| {
        fs::read(all.path().join(format!("{}.tbl", name.text(tables.variant())))).unwrap().split_off(256)
    });
    assert!(of_placements.eq(bytes[256..].iter().copied()));
    // Without pawns nothing is different.
    let [one, all] = [&options, &DISTANCES].map(|options| written(tables, "KRvKN", options));
    let [one, all] = [one, all].map(|folder| fs::read(folder.path().join("wKR-bKN.tbl")).unwrap());
    assert!(one == all);
}

/// A folder may have the one file, files of placements, and both; each is asked where it is there.
#[test]
fn either_kind_of_file_answers() {
    let tables = chess();
    let options = FlatOptions { one_file: true, ..DISTANCES };
    for name in ["KPvK", "KPPvK"] {
        let step = if name == "KPvK" { 1 } else { 301 };
        let folder = written(tables, name, &options);
        check_folder(tables, name, folder.path(), step);
        let material = tables.named(name).unwrap().layout().material().clone();
        let flat = || FlatTablebase::open(folder.path(), tables.variant(), Metric::Dtm);
        assert!(flat().is_there(&material, true) && !flat().is_there(&material, false));
        let of_one = flat().sum(&material);
        assert_eq!(flat().asking_placements_first().sum(&material), of_one);
        let table = tables.named(name).unwrap();
        write(folder.path(), tables.variant(), Metric::Dtm, &table, &DISTANCES).unwrap();
        check_folder(tables, name, folder.path(), step);
        assert!(flat().is_there(&material, true) && flat().is_there(&material, false));
        assert_eq!(flat().sum(&material), of_one);
        assert_ne!(flat().asking_placements_first().sum(&material), of_one);
        // The kind that is wanted is the one that is asked.
        let men: Vec<(Man, Square)> =
            table.layout().men().iter().copied().zip([60, 9, 10, 0].map(Square::from_index)).collect();
        let asked = |flat: FlatTablebase| {
            let (value, file) = flat.value(&men, Side::White).unwrap().unwrap();
            (value, file.name().has_all_squares())
        };
        let (value, is_one) = asked(flat());
        assert!(is_one);
        assert_eq!(asked(flat().asking_placements_first()), (value, false));
        // Where some placements have no file the one file has them.
        let first = &FlatName::folded(tables.variant(), &material)[0];
        fs::remove_file(folder.path().join(format!("{}.tbl", first.text(tables.variant())))).unwrap();
        let flat = flat().asking_placements_first();
        assert!(!flat.is_there(&material, false) && flat.sum(&material) == of_one);
        assert!(flat.verify_checksums(&material).is_err());
        let pawns = first.pawns().iter().copied();
        let squares: Vec<Square> =
            [Square::from_index(60)].into_iter().chain(pawns).chain([Square::from_index(40)]).collect();
        let men: Vec<(Man, Square)> = table.layout().men().iter().copied().zip(squares).collect();
        let (value, file) = flat.value(&men, Side::Black).unwrap().unwrap();
        assert!(file.name().has_all_squares() && value != Value::Illegal);
    }
}

/// A file with another header: its sum is right again.
fn resummed(mut bytes: Vec<u8>) -> Vec<u8> {
    let own = Md5::digest(&bytes[..240]);
    bytes[240..256].copy_from_slice(&own);
    bytes
}

#[test]
fn one_file_with_another_header_is_refused() {
    let (_folder, path, whole) = file("KPvK", &FlatOptions { one_file: true, ..DISTANCES }, "wKP-bK.tbl");
    let (variant, rules) = (chess().variant(), game("gardner"));
    check_refused(&path, &rules, Metric::Dtm, "under other rules than the variant gardner has now");
    check_refused(&path, &uneven(), Metric::Dtm, "under other rules than the variant fide has now");
    let check = |at: usize, byte: u8, expected: &str| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        fs::remove_file(&path).unwrap();
        fs::write(&path, resummed(bytes)).unwrap();
        check_refused(&path, variant, Metric::Dtm, expected);
    };
    check(3, 3, "has version 3 of its format, this program reads versions up to 2; export it again");
    check(3, 1, "its array is not as large as its men and the board ask for");
    check(6, 2, "its pawns stand on squares that the board does not have");
    check(10, 0, "its pawns stand on squares that the board does not have");
    check(10, 9, "its pawns stand on squares that the board does not have");
    check(10, 8, "its array is not as large as its men and the board ask for");
    check(160, 3, "its pawns stand on squares that the board does not have");
    check(160, 2, "its pawns stand on other squares than the rules say");
    check(161, 0, "its pawns stand on squares that the board does not have");
    check(161, 255, "its pawns stand on squares that the board does not have");
    check(40, b'x', "it holds other men than its name says");
    // Under the name of a placement, and the other way round.
    let folder = tempfile::tempdir().unwrap();
    let stray = folder.path().join("wKd6-bK.tbl");
    fs::write(&stray, &whole).unwrap();
    check_refused(&stray, variant, Metric::Dtm, "it holds other men than its name says");
    let (_folder, of_placement, _) = file("KPvK", &DISTANCES, "wKd6-bK.tbl");
    let stray = folder.path().join("wKP-bK.tbl");
    fs::copy(&of_placement, &stray).unwrap();
    check_refused(&stray, variant, Metric::Dtm, "it holds other men than its name says");
}

/// `tests/cases/files/flat_N` has a file of each version: for one placement of the pawns, and for all.
#[test]
fn flat_files_of_both_versions_are_read() {
    let tables = SolvedTables::new(game("gardner"));
    let (variant, table) = (tables.variant(), tables.named("KPvK").unwrap());
    let view = View::of_table(&table, table.layout().men(), None).unwrap();
    for (version, name) in [(1, "wKb3-bK.tbc"), (2, "wKP-bK.tbc")] {
        let path = root().join(format!("tests/cases/files/flat_{version}")).join(name);
        assert_eq!(fs::read(&path).unwrap()[3], version);
        let file = FlatFile::open_checked(&path, variant, Metric::Wdl).unwrap();
        let of_pawn = if version == 1 { 11..12 } else { 5..20 };
        for (pawn, number) in of_pawn.flat_map(|pawn| (0..625).map(move |number| (pawn, number))) {
            let men = [number / 25, pawn, number % 25].map(Square::from_index);
            let own = if version == 1 { vec![men[0], men[2]] } else { vec![men[1], men[0], men[2]] };
            let is_apart = (0..3).all(|i| !men[..i].contains(&men[i]));
            for stm in Side::BOTH {
                let expected = if is_apart { view.value(stm, &men) } else { Value::Illegal };
                assert_eq!(file.value(stm, &own).unwrap().wdl(), expected.wdl(), "{name} {stm} {men:?}");
            }
        }
    }
}
