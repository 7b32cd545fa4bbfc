//! Compares the reader in Python under docs/ with ours: so the specification of `.tsm` is enough to write
//! one.

use format::{BlockCache, Keep, Packing, TableFile, TableWriter, file_name_of};
use library::SolvedTables;
use position::{Position, RuleBook};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use table::{Ply, Value};
use tablesmith_tests::{announce, chess, fide, metadata, root};
use variant::{Man, Material, Metric, Side, Variant};

/// How many positions of a file are compared, roughly.
const N_POSITIONS: usize = 1_500;

/// What the reader prints for these FENs; none if there is no Python.
fn read_by_python(file: &Path, fens: &str) -> Option<String> {
    let reader = root().join("docs/read_tsm.py");
    let mut command = Command::new("python3");
    command.arg(reader).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut python = match command.spawn() {
        Ok(python) => python,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            announce("SKIPPED: there is no python3, so docs/read_tsm.py was NOT compared with this program");
            return None;
        }
        Err(error) => panic!("python3: {error}"),
    };
    // The reader numbers slices and blocks first, and no pipe holds all lines until then.
    let (mut input, fens) = (python.stdin.take().unwrap(), fens.to_owned());
    let writer = std::thread::spawn(move || input.write_all(fens.as_bytes()));
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    writer.join().unwrap().unwrap();
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The line of a value.
fn line(metric: Metric, value: Value) -> String {
    let wins =
        |word: &str, Ply(ply)| if metric == Metric::Wdl { word.into() } else { format!("{word} {ply}") };
    match value {
        Value::Illegal => panic!("an illegal position was asked for"),
        Value::Draw => "draw".into(),
        Value::Stalemate => "stalemate".into(),
        Value::Win(ply) => wins("win", ply),
        Value::Loss(ply) => wins("loss", ply),
    }
}

/// Positions of all parts of a file, as they are numbered and as their images, in either colours.
#[track_caller]
fn check_file(path: &Path, variant: &Variant, metric: Metric) {
    check_beginning(path, variant, metric, usize::MAX);
}

/// The same of no more than so many placements.
#[track_caller]
fn check_beginning(path: &Path, variant: &Variant, metric: Metric, most: usize) {
    let cache = Arc::new(BlockCache::new(16 << 20));
    let file = TableFile::open_of(path, variant, metric, cache).unwrap();
    let (layout, book) = (file.layout(), RuleBook::new(variant));
    let solved = chess().solved(layout.material()).unwrap();
    let (mut fens, mut expected) = (String::new(), String::new());
    // An odd step, so that every square comes up in every place.
    let n_placements = layout.len().min(most);
    let step = (n_placements / N_POSITIONS).max(1) | 1;
    for (i, index) in (0..n_placements).step_by(step).enumerate() {
        let placement = layout.decode(index);
        for stm in solved.sides() {
            let value = solved.value(stm, index);
            // Of distances only those of decided positions are there.
            let is_held = !file.holds_distances() || value.ply().is_some();
            if value == Value::Illegal || !layout.is_canonical(index, &placement) || !is_held {
                continue;
            }
            let (image, swaps) = (layout.group()[i % layout.group().len()], i % 3 == 0);
            let men = layout.men().iter().zip(placement.iter()).map(|(&man, &square)| {
                let square = image.square(&variant.board, square);
                match swaps {
                    true => (Man { side: !man.side, ..man }, variant.swap_colours(square)),
                    false => (man, square),
                }
            });
            let position = Position::from_men(men, if swaps { !stm } else { stm }).unwrap();
            fens += &format!("{}\n", position.to_fen(&book));
            expected += &match file.keeps(stm) {
                false => "left out".into(),
                true if file.holds_distances() => file.distance(stm, index).unwrap().0.0.to_string(),
                true => line(metric, file.value(stm, index).unwrap()),
            };
            expected.push('\n');
        }
    }
    let Some(read) = read_by_python(path, &fens) else { return };
    let differs = |(fen, (read, expected)): &(&str, (&str, &str))| read != expected && !fen.is_empty();
    let mut lines = fens.lines().zip(read.lines().zip(expected.lines()));
    assert_eq!(lines.find(differs), None, "{}", path.display());
    assert_eq!(read.lines().count(), expected.lines().count(), "{}", path.display());
    assert!(expected.lines().count() > 300, "{}", path.display());
}

#[test]
fn files_of_every_version() {
    let folder = |version: u32| root().join(format!("tests/cases/files/version_{version}"));
    for (version, names) in [
        (1, &["KQvK", "KPvK", "KNvKN"][..]),
        (2, &["KQvK", "KPvK"]),
        (3, &["KQvK", "KPvK"]),
        (5, &["KQvK", "KPvK"]),
    ] {
        for name in names {
            check_file(&folder(version).join(format::file_name(name)), chess().variant(), Metric::Dtm);
        }
    }
    // Python takes seconds for each block of a small file.
    let small = folder(6).join(format::file_name("KQvKQ"));
    check_beginning(&small, chess().variant(), Metric::Dtm, 1 << 13);
    for metric in [Metric::Wdl, Metric::Dtz50] {
        for name in ["KQvK", "KPvK"] {
            check_file(&folder(4).join(file_name_of(name, metric, Metric::Dtm)), chess().variant(), metric);
        }
    }
}

#[track_caller]
fn check_written(tables: &SolvedTables, name: &str, metric: Metric, keep: Keep, packing: Packing) {
    let variant = tables.variant();
    let metadata = metadata(variant);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file_name_of(name, metric, variant.default_metric));
    let table = tables.solved(&Material::parse(variant, name).unwrap()).unwrap();
    let writer = TableWriter::new(variant).metric(metric).keep(keep).packing(packing);
    writer.write(&path, &table, &metadata).unwrap();
    check_file(&path, variant, metric);
}

#[test]
fn files_of_four_men() {
    check_written(chess(), "KRvKN", Metric::Dtm, Keep::Both, Packing::Quick);
    check_written(chess(), "KRvKR", Metric::Dtm, Keep::Both, Packing::Quick);
    check_written(chess(), "KNNvK", Metric::Dtm, Keep::Smaller, Packing::Quick);
    check_written(chess(), "KPvKP", Metric::Dtm, Keep::Smaller, Packing::Quick);
    check_written(chess(), "KPPvK", Metric::Wdl, Keep::Both, Packing::Quick);
    check_written(
        &SolvedTables::of_metric(fide(), Metric::Dtz50),
        "KRvKN",
        Metric::Dtz50,
        Keep::Smaller,
        Packing::Quick,
    );
}

/// Python takes its time over each block: small tables, and one in which colours stand apart.
#[test]
fn small_files() {
    check_written(chess(), "KPvK", Metric::Dtm, Keep::Both, Packing::Small);
    check_written(chess(), "KBvK", Metric::Dtm, Keep::Both, Packing::Small);
}

#[test]
fn both_sides_of_a_file_are_asked_for() {
    // What the comparison stands on: of these files one has both sides to move, and one has not.
    let open = |version: u32| {
        let path = root().join(format!("tests/cases/files/version_{version}")).join("KQvK.tsm");
        TableFile::open(&path, chess().variant()).unwrap()
    };
    assert!(Side::BOTH.into_iter().all(|stm| open(2).keeps(stm)));
    assert!(open(3).left_out().is_some());
}
