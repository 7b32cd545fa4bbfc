//! Checks that flat files hold the values of their tables at every place, and that damaged ones are refused.

use format::flat::{FlatError, FlatFile, FlatName, FlatOptions, FlatTablebase, Form, Width, write};
use geometry::{Square, Symmetry};
use library::SolvedTables;
use md5::{Digest, Md5};
use position::{Position, RuleBook};
use rayon::ThreadPoolBuilder;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Scale, Table, Value, View};
use tablesmith_tests::{chess, fide, game, root, small_chess};
use tempfile::TempDir;
use variant::{Man, Metric, Side, Variant};

const DISTANCES: FlatOptions<'static> = FlatOptions {
    form: Form::Distances,
    wide: false,
    packed: false,
    one_file: false,
    built: "test",
    dependencies: &[],
};

const OUTCOMES: FlatOptions<'static> = FlatOptions { form: Form::Wdl, ..DISTANCES };

/// Writes the files of a table into a folder of their own.
fn written(tables: &SolvedTables, name: &str, options: &FlatOptions<'_>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), tables.variant(), tables.metric(), &tables.named(name).unwrap(), options).unwrap();
    folder
}

/// What a file should have for a value; without a distance a scale says which wins the n-move rule takes.
fn as_held(form: Form, scale: &Scale, value: Value) -> Value {
    match (form, value.wdl()) {
        (Form::Wdl, _) if scale.is_cursed(value) => Value::Draw,
        (Form::Distances, _) => value,
        (Form::Wdl, Some(0)) => Value::Draw,
        (Form::Wdl, Some(1)) => Value::Win(table::Ply(1)),
        (Form::Wdl, Some(_)) => Value::Loss(table::Ply(0)),
        (Form::Wdl, None) => Value::Illegal,
    }
}

/// Every place of every file (or every so-many-th) has the value of the table.
#[track_caller]
fn check_round_trip(tables: &SolvedTables, name: &str, options: &FlatOptions<'_>, step: usize) {
    let (variant, table) = (tables.variant(), tables.named(name).unwrap());
    let folder = written(tables, name, options);
    let metric = match (options.form, tables.metric()) {
        (Form::Distances, metric) | (Form::Wdl, metric @ Metric::Dtz50) => metric,
        (Form::Wdl, _) => Metric::Wdl,
    };
    let scale = Scale::new(metric, &variant.rules);
    let (men, n) = (table.layout().men(), variant.board.n_squares());
    let view = View::of_table(&table, men).unwrap();
    let mobile: Vec<usize> = (0..men.len()).filter(|&i| !variant.is_pawn(men[i])).collect();
    let pawns: Vec<usize> = (0..men.len()).filter(|&i| variant.is_pawn(men[i])).collect();
    let mut n_decided = 0;
    let names = FlatName::folded(variant, table.layout().material());
    let n_step = if names.len() > 100 { 23 } else { 1 };
    for flat in names.iter().step_by(n_step) {
        let mut file = options.form.file_name(&flat.text(variant), metric, Metric::Dtm);
        file += if options.packed { ".gz" } else { "" };
        let file = FlatFile::open_checked(&folder.path().join(&file), variant, metric).unwrap();
        let mut squares = vec![Square::from_index(0); men.len()];
        pawns.iter().zip(flat.pawns()).for_each(|(&place, &square)| squares[place] = square);
        for number in (0..n.pow(mobile.len() as u32)).step_by(step) {
            let mut rest = number;
            for &place in mobile.iter().rev() {
                squares[place] = Square::from_index(rest % n);
                rest /= n;
            }
            let own: Vec<Square> = mobile.iter().map(|&place| squares[place]).collect();
            let is_apart = (0..men.len()).all(|i| !squares[..i].contains(&squares[i]));
            for stm in Side::BOTH {
                let expected = if is_apart { view.value(stm, &squares) } else { Value::Illegal };
                let read = file.value(stm, &own).unwrap();
                assert_eq!(read, as_held(options.form, &scale, expected), "{name} {stm} {squares:?}");
                n_decided += usize::from(read.ply().is_some());
            }
        }
    }
    assert!(
        n_decided > 100 || ["KBvK", "KNvK", "KNNvK"].contains(&name),
        "{n_decided} decided positions of {name}"
    );
}

/// Every placement of all men (or every so-many-th), pawns on any square of the board among them, has the
/// value of the table in the one file of the table. It is read by the documentation alone, too.
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
    let view = View::of_table(&table, men).unwrap();
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

/// The entry of a position as docs/table-format.md says how to find it, by the header alone.
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

/// Chess in which pawns of one wing alone make two steps.
fn uneven() -> Variant {
    let mut variant = fide();
    let pawn = variant.pieces.iter_mut().find_map(|piece| piece.pawn.as_mut()).unwrap();
    let of_one_wing = |square: &Square| square.index() % 8 < 4;
    pawn.double_step_from = pawn.double_step_from.iter().filter(of_one_wing).collect();
    variant
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

/// Chess under a metric.
fn tables_of(metric: Metric) -> SolvedTables {
    SolvedTables::of_metric(fide(), metric)
}

#[test]
fn three_men_are_read_as_written_under_every_metric() {
    // Every place once; a step that is prime to 64 comes to all squares.
    for (metric, step) in [(Metric::Dtm, 1), (Metric::Dtc, 7), (Metric::Dtz, 7), (Metric::Dtz50, 7)] {
        let tables = tables_of(metric);
        ["KQvK", "KRvK", "KPvK"].iter().for_each(|name| check_round_trip(&tables, name, &DISTANCES, step));
        check_round_trip(&tables, "KRvK", &FlatOptions { wide: true, ..DISTANCES }, step);
    }
    ["KBvK", "KNvK"].iter().for_each(|name| check_round_trip(chess(), name, &DISTANCES, 7));
    let wdl = tables_of(Metric::Wdl);
    ["KQvK", "KNvK", "KPvK"].iter().for_each(|name| check_round_trip(&wdl, name, &OUTCOMES, 3));
}

#[test]
fn four_men_are_read_as_written() {
    check_round_trip(chess(), "KRvKN", &DISTANCES, 31);
    check_round_trip(chess(), "KBNvK", &DISTANCES, 37);
    check_round_trip(chess(), "KNNvK", &DISTANCES, 41);
    check_round_trip(chess(), "KRvKR", &OUTCOMES, 31);
    check_round_trip(chess(), "KPvKP", &DISTANCES, 3);
    check_round_trip(chess(), "KPvK", &FlatOptions { packed: true, ..DISTANCES }, 11);
}

/// Results under the n-move rule: of five moves, so that wins of three men are cursed.
#[test]
fn results_under_the_rule_are_read_as_written() {
    let mut variant = fide();
    variant.rules.n_move_rule = Some(5);
    let tables = SolvedTables::of_metric(variant, Metric::Dtz50);
    for (name, step) in [("KQvK", 1), ("KRvK", 3), ("KPvK", 3)] {
        check_round_trip(&tables, name, &OUTCOMES, step);
    }
    // Under the names of the metric, and no other file is taken for one of them.
    let folder = written(&tables, "KRvK", &OUTCOMES);
    let (path, variant) = (folder.path().join("wKR-bK.dtz50.tbc"), tables.variant());
    let file = FlatFile::open_checked(&path, variant, Metric::Dtz50).unwrap();
    let (mut n_draws, mut n_wins) = (0, 0);
    for number in 0..64usize.pow(3) {
        let squares = [number / 4096, number / 64 % 64, number % 64].map(Square::from_index);
        let value = file.value(Side::White, &squares).unwrap();
        n_draws += usize::from(value == Value::Draw);
        n_wins += usize::from(value.wdl() == Some(1));
    }
    // Without the rule White to move always wins.
    assert!(n_draws > 50_000 && n_wins > 10_000, "{n_draws} {n_wins}");
    check_refused(&path, variant, Metric::Wdl, "holds the metric dtz50, expected wdl");
    let other = folder.path().join("wKR-bK.dtz50.tbl");
    fs::copy(&path, &other).unwrap();
    check_refused(&other, variant, Metric::Dtz50, "it is of another kind than its name says");
    let flat = FlatTablebase::open_form(folder.path(), variant, Metric::Dtz50, Form::Wdl);
    assert!(flat.sum(tables.named("KRvK").unwrap().layout().material()).is_some());
    // Who wins without the rule is asked for by its name.
    let other = tempfile::tempdir().unwrap();
    let table = tables.named("KRvK").unwrap();
    write(other.path(), variant, Metric::Wdl, &table, &OUTCOMES).unwrap();
    assert!(other.path().join("wKR-bK.tbc").exists());
}

#[test]
fn boards_of_other_sizes_have_other_arrays() {
    // 25 squares: entries of two bits do not fill the bytes of one square of the first man.
    let small = SolvedTables::new(small_chess(5, 5));
    check_round_trip(&small, "KRvKN", &DISTANCES, 3);
    check_round_trip(&small, "KRvKN", &OUTCOMES, 3);
    check_round_trip(&small, "KPvK", &OUTCOMES, 1);
    let large = SolvedTables::new(game("capablanca"));
    check_round_trip(&large, "KAvK", &DISTANCES, 5);
    let berolina = SolvedTables::new(game("berolina"));
    check_round_trip(&berolina, "KPvK", &DISTANCES, 5);
}

#[test]
fn a_folder_answers_in_either_colours() {
    let tables = chess();
    let folder = written(tables, "KPvK", &DISTANCES);
    let flat = FlatTablebase::open(folder.path(), tables.variant(), Metric::Dtm);
    let book = RuleBook::new(tables.variant());
    let value = |fen: &str| {
        let position = Position::from_fen(&book, fen).unwrap();
        let men: Vec<(Man, Square)> = position.men().collect();
        flat.value(&men, position.stm()).map(|found| found.map(|(value, _)| value))
    };
    let white = value("8/8/4k3/8/4K3/8/4P3/8 w - - 0 1").unwrap().unwrap();
    let black = value("8/4p3/8/4k3/8/4K3/8/8 b - - 0 1").unwrap().unwrap();
    assert!(white == black && white.wdl() == Some(1), "{white:?} {black:?}");
    let absent = value("8/8/8/4k3/8/4K3/4Q3/8 w - - 0 1").unwrap_err();
    assert!(matches!(absent, FlatError::NotThere { file } if file.ends_with("wKQ-bK.tbl")));
}

/// Every so-many-th canonical position and its image under the mirror has the table's value in a folder.
#[track_caller]
fn check_folder(tables: &SolvedTables, name: &str, folder: &Path, step: usize) {
    let (variant, table) = (tables.variant(), tables.named(name).unwrap());
    let flat = FlatTablebase::open(folder, variant, tables.metric());
    flat.verify_checksums(table.layout().material()).unwrap();
    let layout = table.layout();
    let mut n_decided = 0;
    for index in (0..layout.len()).step_by(step) {
        let placement = layout.decode(index);
        if !layout.is_canonical(index, &placement) {
            continue;
        }
        for symmetry in layout.group() {
            let squares = placement.iter().map(|&square| symmetry.square(&variant.board, square));
            let men: Vec<(Man, Square)> = layout.men().iter().copied().zip(squares).collect();
            for &stm in layout.sides() {
                let read = flat.value(&men, stm).unwrap().map_or(Value::Illegal, |(value, _)| value);
                assert_eq!(read, table.value(stm, index), "{name} {stm} {men:?}");
                n_decided += usize::from(read.ply().is_some());
            }
        }
    }
    assert!(n_decided > 1000, "{n_decided} decided positions of {name}");
}

/// Writes the mirror image of each file beside it, as files were written before they were folded; the files
/// that are folded are gone then, if that is wanted.
fn unfold(tables: &SolvedTables, name: &str, folder: &Path, remove: impl Fn(usize) -> bool) {
    let (variant, table) = (tables.variant(), tables.named(name).unwrap());
    let material = table.layout().material();
    let folded = FlatName::folded(variant, material);
    let mirror = |square: Square| Symmetry::MIRROR_FILES.square(&variant.board, square);
    for (number, flat) in folded.iter().enumerate() {
        let pawns: Vec<Square> = flat.pawns().iter().map(|&square| mirror(square)).collect();
        let image = FlatName::new(variant, material, &pawns).unwrap();
        assert_eq!(&image.clone().written(variant), flat);
        let path = |name: &FlatName| folder.join(format!("{}.tbl", name.text(variant)));
        if image == *flat {
            continue;
        }
        let mut bytes = fs::read(path(flat)).unwrap();
        let n_mobile = usize::from(bytes[7]);
        let of_folded = bytes.clone();
        for entry in 0..2 * 64usize.pow(n_mobile as u32) {
            // Every square of three bits of file and three of rank has its file turned.
            let turned = (0..n_mobile).fold(entry, |entry, man| entry ^ 7 << (1 + 6 * man));
            bytes[256 + 2 * entry..][..2].copy_from_slice(&of_folded[256 + 2 * turned..][..2]);
        }
        let text = image.text(variant);
        bytes[40..40 + text.len()].copy_from_slice(text.as_bytes());
        let rest = Md5::digest(&bytes[256..]);
        bytes[224..240].copy_from_slice(&rest);
        let own = Md5::digest(&bytes[..240]);
        bytes[240..256].copy_from_slice(&own);
        fs::write(path(&image), bytes).unwrap();
        if remove(number) {
            fs::remove_file(path(flat)).unwrap();
        }
    }
}

#[test]
fn pawns_and_their_mirror_image_have_one_file() {
    let tables = chess();
    for (name, n_files, step) in [("KPvK", 24, 1), ("KPPvK", 576, 101), ("KPvKP", 1128, 101)] {
        let folder = written(tables, name, &DISTANCES);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), n_files, "{name}");
        check_folder(tables, name, folder.path(), step);
    }
    // Where left and right are not alike every placement of the pawns has its own.
    let uneven = SolvedTables::new(uneven());
    let folder = written(&uneven, "KPvK", &DISTANCES);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 48);
    check_folder(&uneven, "KPvK", folder.path(), 3);
}

#[test]
fn files_that_are_not_folded_are_read() {
    let tables = chess();
    // All files, those of one half only, and those of either half.
    for remove in [|_| false, |_| true, |number: usize| number.is_multiple_of(3)] {
        let folder = written(tables, "KPvK", &DISTANCES);
        unfold(tables, "KPvK", folder.path(), remove);
        check_folder(tables, "KPvK", folder.path(), 1);
    }
    let folder = written(tables, "KPPvK", &DISTANCES);
    unfold(tables, "KPPvK", folder.path(), |number| number.is_multiple_of(2));
    check_folder(tables, "KPPvK", folder.path(), 101);
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads() {
    let tables = chess();
    let bytes = |n_threads: usize| -> Vec<(PathBuf, Vec<u8>)> {
        let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        let mut all = Vec::new();
        for (name, packed, one_file) in
            [("KRvKN", false, false), ("KPvK", true, false), ("KPvK", false, true)]
        {
            let options = FlatOptions { packed, one_file, ..DISTANCES };
            let folder = pool.install(|| written(tables, name, &options));
            for entry in fs::read_dir(folder.path()).unwrap() {
                let path = entry.unwrap().path();
                all.push((PathBuf::from(path.file_name().unwrap()), fs::read(&path).unwrap()));
            }
        }
        all.sort();
        all
    };
    let one = bytes(1);
    assert_eq!(one.len(), 1 + 24 + 1);
    [2, 7].into_iter().for_each(|n_threads| assert!(bytes(n_threads) == one, "{n_threads} threads"));
}

#[test]
fn a_file_names_what_it_was_computed_from() {
    let tables = chess();
    let dependencies = [("KRvK".to_owned(), Some([7; 16])), ("KvK".to_owned(), None)];
    let options = FlatOptions { dependencies: &dependencies, ..DISTANCES };
    let folder = written(tables, "KQvK", &options);
    let path = folder.path().join("wKQ-bK.tbl");
    let file = FlatFile::open_checked(&path, tables.variant(), Metric::Dtm).unwrap();
    assert_eq!(file.dependencies().as_deref(), Some(&dependencies[..]));
    assert_eq!((file.built(), file.width()), ("test", Width::Two));
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 256 + 64 * 64 * 64 * 2 * 2 + 38 + 11);
    assert!(bytes.ends_with(b"KRvK 07070707070707070707070707070707\nKvK absent\n"));
    assert_eq!(&bytes[..10], b"TBL\x01\x01\x10\x03\x03\x08\x08");
}

/// A folder with one file, and another place to put what has been done to it.
fn file(name: &str, options: &FlatOptions<'_>, file: &str) -> (TempDir, PathBuf, Vec<u8>) {
    let folder = written(chess(), name, options);
    let path = folder.path().join(file);
    let bytes = fs::read(&path).unwrap();
    (folder, path, bytes)
}

/// Puts damaged bytes in the place of a file, and opens it: checked, and as `probe` does. Reading everything
/// of what opens is no danger.
fn reopened(path: &Path, bytes: &[u8], metric: Metric) -> [bool; 2] {
    // Never written over: somebody may have the old one mapped.
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
    let variant = chess().variant();
    if let Ok(file) = FlatFile::open(path, variant, metric) {
        let n = 64usize.pow(2);
        for number in (0..n).step_by(7) {
            let squares = [number / 64, number % 64, 63, 0].map(Square::from_index);
            let n_men = file.name().material().n_men() - file.name().pawns().len();
            let _ = Side::BOTH.map(|stm| file.value(stm, &squares[..n_men]).is_ok());
        }
    }
    [FlatFile::open_checked(path, variant, metric).is_ok(), FlatFile::open(path, variant, metric).is_ok()]
}

#[track_caller]
fn check_damage(name: &str, options: &FlatOptions<'_>, file_name: &str) {
    let (_folder, path, whole) = file(name, options, file_name);
    let metric = if options.form == Form::Wdl { Metric::Wdl } else { Metric::Dtm };
    assert_eq!(reopened(&path, &whole, metric), [true, true]);
    // Cut anywhere, or with something behind it, it is refused as it is opened.
    let ends = (0..300).chain((0..40).map(|i| i * whole.len() / 40));
    for end in ends.filter(|&end| end < whole.len()).chain([whole.len() - 1]) {
        assert_eq!(reopened(&path, &whole[..end], metric), [false, false], "{name} cut to {end} bytes");
    }
    assert_eq!(reopened(&path, &[&whole[..], &[0]].concat(), metric), [false, false]);
    // Every byte of the header, then bits anywhere: whoever compares the sum finds them.
    let flips = (0..256).map(|at: usize| 8 * at + at % 8);
    let anywhere = (0..200usize).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (8 * whole.len()));
    let mut n_passed = 0;
    for (i, bit) in flips.chain(anywhere).enumerate().filter(|(_, bit)| bit / 8 < whole.len()) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let opens = reopened(&path, &bytes, metric);
        match options.packed {
            false => assert!(!opens[0] && (i >= 256 || !opens[1]), "{name}: bit {bit}"),
            // Some bits of a packed file say nothing: when it was packed, and where. What comes out has its
            // sums all the same.
            true => {
                assert_eq!(opens[0], opens[1], "{name}: bit {bit} of what is packed");
                n_passed += usize::from(opens[0]);
            }
        }
    }
    assert!(n_passed < 20, "{n_passed} flipped bits of {name} were not noticed");
}

#[test]
fn damaged_files_are_refused() {
    check_damage("KPvK", &DISTANCES, "wKd6-bK.tbl");
    check_damage("KPvK", &OUTCOMES, "wKd6-bK.tbc");
    check_damage("KPvK", &FlatOptions { one_file: true, ..OUTCOMES }, "wKP-bK.tbc");
    check_damage("KPvK", &FlatOptions { packed: true, ..DISTANCES }, "wKd6-bK.tbl.gz");
}

/// Every bit of a small file: the sums tell each of them from the whole.
#[test]
fn no_flipped_bit_keeps_the_sum() {
    let small = SolvedTables::new(small_chess(5, 5));
    let folder = written(&small, "KQvK", &OUTCOMES);
    let path = folder.path().join("wKQ-bK.tbc");
    let whole = fs::read(&path).unwrap();
    let open = |bytes: &[u8]| {
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        FlatFile::open_checked(&path, small.variant(), Metric::Wdl).is_ok()
    };
    assert!(open(&whole));
    let mut bytes = whole.clone();
    // Of each byte some bits, and all of them in turn.
    for bit in (0..8 * whole.len()).step_by(3) {
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(!open(&bytes), "bit {bit} of {}", 8 * whole.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[track_caller]
fn check_refused(path: &Path, variant: &Variant, metric: Metric, expected: &str) {
    let error = FlatFile::open(path, variant, metric).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn files_are_what_their_names_say() {
    let (folder, path, _) = file("KQvK", &DISTANCES, "wKQ-bK.tbl");
    let variant = chess().variant();
    let other = folder.path().join("wKR-bK.tbl");
    fs::copy(&path, &other).unwrap();
    check_refused(&other, variant, Metric::Dtm, "it holds other men than its name says");
    let stray = folder.path().join("KQvK.tbl");
    fs::copy(&path, &stray).unwrap();
    check_refused(&stray, variant, Metric::Dtm, "has the name of no flat file of fide, such as wKQ-bK.tbl");
    check_refused(&path, variant, Metric::Dtc, "holds the metric dtm, expected dtc");
    check_refused(&path, &game("gardner"), Metric::Dtm, "under other rules than the variant gardner has now");
    check_refused(&folder.path().join("wKN-bK.tbl"), variant, Metric::Dtm, "wKN-bK.tbl is not there");
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

/// `tests/cases/files/flat_N` has a file of each version, as it was written when that was the latest.
#[test]
fn flat_files_of_older_versions_are_read() {
    let tables = SolvedTables::new(game("gardner"));
    let (variant, table) = (tables.variant(), tables.named("KPvK").unwrap());
    let view = View::of_table(&table, table.layout().men()).unwrap();
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

#[test]
fn what_has_no_room_is_refused() {
    let table: Arc<Table> = chess().named("KQvK").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let refusal = |metric: Metric, options: &FlatOptions<'_>| {
        write(folder.path(), chess().variant(), metric, &table, options).unwrap_err().to_string()
    };
    assert!(refusal(Metric::Wdl, &DISTANCES).starts_with("a .tbl cannot hold wdl"));
    let long = "a program with a name that is much too long for the header";
    let refusal = refusal(Metric::Dtm, &FlatOptions { built: long, ..DISTANCES });
    assert!(refusal.contains("room for 32 bytes"), "{refusal}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left over");
}
