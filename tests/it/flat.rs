//! Checks that flat files hold the values of their tables at every place, and that damaged ones are refused.

use export::flat::{FlatError, FlatFile, FlatName, FlatOptions, FlatTablebase, Form, write};
use geometry::Square;
use library::SolvedTables;
use position::{Position, RuleBook};
use rayon::ThreadPoolBuilder;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Scale, Table, Value, View};
use tablesmith_tests::{chess, fide, game, small_chess};
use tempfile::TempDir;
use variant::{Man, Metric, Side, Variant};

pub(crate) const DISTANCES: FlatOptions<'static> = FlatOptions {
    form: Form::Distances,
    wide: false,
    packed: false,
    one_file: false,
    slices: false,
    built: "test",
    dependencies: &[],
};

pub(crate) const OUTCOMES: FlatOptions<'static> = FlatOptions { form: Form::Wdl, ..DISTANCES };

/// Writes the files of a table into a folder of their own.
pub(crate) fn written(tables: &SolvedTables, name: &str, options: &FlatOptions<'_>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), tables.variant(), tables.metric(), &tables.named(name).unwrap(), options).unwrap();
    folder
}

/// What a file should have for a value; without a distance a scale says which wins the n-move rule takes.
pub(crate) fn as_held(form: Form, scale: &Scale, value: Value) -> Value {
    match (form, value.wdl()) {
        (Form::Wdl, _) if scale.is_cursed(value) => Value::Draw,
        (Form::Distances, _) => value,
        (Form::Wdl, Some(0)) => Value::Draw,
        (Form::Wdl, Some(1)) => Value::Win(table::Ply(1)),
        (Form::Wdl, Some(_)) => Value::Loss(table::Ply(0)),
        (Form::Wdl, None) => Value::Illegal,
    }
}

/// Checks that one place in `step` of the files has the value of the table.
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
    let view = View::of_table(&table, men, None).unwrap();
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

/// Chess in which pawns of one wing alone make two steps.
pub(crate) fn uneven() -> Variant {
    let mut variant = fide();
    let pawn = variant.pieces.iter_mut().find_map(|piece| piece.pawn.as_mut()).unwrap();
    let of_one_wing = |square: &Square| square.index() % 8 < 4;
    pawn.double_step_from = pawn.double_step_from.iter().filter(of_one_wing).collect();
    variant
}

/// Chess under a metric.
pub(crate) fn tables_of(metric: Metric) -> SolvedTables {
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

/// Checks that a folder has the table's value for one position in `step`, where it is canonical, and for its
/// image under the mirror.
#[track_caller]
pub(crate) fn check_folder(tables: &SolvedTables, name: &str, folder: &Path, step: usize) {
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
    assert_eq!(file.built(), "test");
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 256 + 64 * 64 * 64 * 2 * 2 + 38 + 11);
    assert!(bytes.ends_with(b"KRvK 07070707070707070707070707070707\nKvK absent\n"));
    assert_eq!(&bytes[..10], b"TBL\x01\x01\x10\x03\x03\x08\x08");
}

/// A folder with one file, and another place to put what has been done to it.
pub(crate) fn file(name: &str, options: &FlatOptions<'_>, file: &str) -> (TempDir, PathBuf, Vec<u8>) {
    let folder = written(chess(), name, options);
    let path = folder.path().join(file);
    let bytes = fs::read(&path).unwrap();
    (folder, path, bytes)
}

/// Puts damaged bytes in the place of a file, and opens it: checked, and as `probe` does. Reading everything
/// of what opens is no danger.
fn reopened(path: &Path, bytes: &[u8], metric: Metric) -> [bool; 2] {
    // Never written over: the old one may be mapped.
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
    // Every byte of the header, then bits anywhere: a reader that compares the sum finds them.
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
pub(crate) fn check_refused(path: &Path, variant: &Variant, metric: Metric, expected: &str) {
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
