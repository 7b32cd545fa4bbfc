//! Compares the readers in Python under docs/ with ours: so the specifications of `.tsm` and of flat files
//! are enough to write one.

use export::flat::{FlatName, FlatOptions, Form, write};
use format::{BlockCache, Keep, Packing, TableFile, TableWriter, file_name};
use geometry::Square;
use library::SolvedTables;
use position::{Position, RuleBook};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use table::{Code, Ply, Value, View};
use tablesmith_tests::{announce, chess, fide, metadata, root};
use variant::{Man, Material, Metric, Side, Variant};

/// How many positions of a file are compared, roughly.
const N_POSITIONS: usize = 1_500;

/// What the reader prints for these FENs; none if there is no Python.
fn read_by_python(file: &Path, metric: Metric, fens: &str) -> Option<String> {
    let mut command = Command::new("python3");
    command.arg(root().join("docs/read_tsm.py")).arg(file).arg(metric.name());
    answer_of(command, fens, "docs/read_tsm.py")
}

/// What a command prints for these lines; none if there is no Python.
fn answer_of(mut command: Command, lines: &str, what: &str) -> Option<String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut python = match command.spawn() {
        Ok(python) => python,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            announce(&format!("SKIPPED: there is no python3, so {what} was NOT compared with this program"));
            return None;
        }
        Err(error) => panic!("python3: {error}"),
    };
    // The reader numbers slices and blocks first, and no pipe holds all lines until then.
    let (mut input, lines) = (python.stdin.take().unwrap(), lines.to_owned());
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
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

/// Checks likewise no more than `most` placements.
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
    let Some(read) = read_by_python(path, metric, &fens) else { return };
    let differs = |(fen, (read, expected)): &(&str, (&str, &str))| read != expected && !fen.is_empty();
    let mut lines = fens.lines().zip(read.lines().zip(expected.lines()));
    assert_eq!(lines.find(differs), None, "{}", path.display());
    assert_eq!(read.lines().count(), expected.lines().count(), "{}", path.display());
    assert!(expected.lines().count() > 300, "{}", path.display());
}

#[test]
fn files_of_every_kind() {
    let folder = |kind: &str| root().join("tests/cases/files").join(kind);
    for kind in ["quick", "one_side", "small"] {
        for name in ["KQvK", "KPvK"] {
            check_file(&folder(kind).join(format::file_name(name)), chess().variant(), Metric::Dtm);
        }
    }
    check_file(&folder("quick").join(format::file_name("KNvKN")), chess().variant(), Metric::Dtm);
    // Python takes seconds for each block of a small file.
    let small = folder("small").join(format::file_name("KQvKQ"));
    check_beginning(&small, chess().variant(), Metric::Dtm, 1 << 13);
    for metric in [Metric::Wdl, Metric::Dtz50] {
        for name in ["KQvK", "KPvK"] {
            check_file(&folder("metrics").join(file_name(name)), chess().variant(), metric);
        }
    }
}

#[track_caller]
fn check_written(tables: &SolvedTables, name: &str, metric: Metric, keep: Keep, packing: Packing) {
    let variant = tables.variant();
    let metadata = metadata(variant);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file_name(name));
    let table = tables.solved(&Material::parse(variant, name).unwrap()).unwrap();
    let writer = TableWriter::new(variant).column(metric).keep(keep).packing(packing);
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
    let open = |kind: &str| {
        let path = root().join("tests/cases/files").join(kind).join("KQvK.tsm");
        TableFile::open(&path, chess().variant()).unwrap()
    };
    assert!(Side::BOTH.into_iter().all(|stm| open("quick").keeps(stm)));
    assert!(open("one_side").left_out().is_some());
}

/// The reader of containers gives back codes of every coding that pages of codes have.
#[test]
fn pages_of_a_container() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.tss");
    let key = |table, stm| format::PageKey { table, stm, unit: 0, page: 0 };
    let pages = [
        (key(0, Side::White), u8::owned((0..=255).collect())),
        (key(0, Side::Black), u8::owned((0..33).map(|code| code % 16).collect())),
        (key(3, Side::White), u16::owned((0..300).map(|code| code * 7).collect())),
        (key(4, Side::White), u8::owned(vec![1; 9]).under(Metric::Dtz, Ply(7))),
    ];
    let head = format::Head { kind: *b"TSS\0", identity: [5; 32] };
    let packed = pages.iter().map(|(key, codes)| format::PackedPage::new(*key, codes.as_ref(), 1).unwrap());
    format::write_container(&path, head, &["about", "pages"], &packed.collect::<Vec<_>>()).unwrap();
    let script = "import sys; sys.path.insert(0, sys.argv[1])\nfrom read_container import Container\n\
                  file = Container(sys.argv[2])\nprint(file.kind, *file.about)\n\
                  for key in file.pages: print(*key, file.pages[key][:2], *file.codes(*key))\n";
    let mut command = Command::new("python3");
    command.args(["-c", script]).arg(root().join("docs")).arg(&path);
    let Some(answer) = answer_of(command, "", "docs/read_container.py") else { return };
    let mut expected = "TSS about pages\n".to_owned();
    for ((key, codes), coding) in pages.iter().zip(["(0, 0)", "(3, 0)", "(2, 0)", "(1, 9)"]) {
        expected += &format!("{} {} {} {} {coding}", key.table, key.stm.index(), key.unit, key.page);
        (0..codes.len()).for_each(|index| expected += &format!(" {}", codes.at(index)));
        expected.push('\n');
    }
    assert_eq!(answer, expected);
}

/// The function of docs/other-formats.md that reads an entry of a flat file finds what was written.
#[test]
fn flat_files_by_the_documented_function() {
    let tables = chess();
    let variant = tables.variant();
    let document = std::fs::read_to_string(root().join("docs/other-formats.md")).unwrap();
    let function = document.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let call = "import sys\ndata = open(sys.argv[1], 'rb').read()\nn_pawns = int(sys.argv[2])\n\
                for line in sys.stdin:\n    stm, *men = map(int, line.split())\n    \
                print(entry(data, men[:n_pawns], men[n_pawns:], stm))\n";
    for (name, form, one_file) in [
        ("KPvK", Form::Distances, true),
        ("KPPvK", Form::Wdl, true),
        ("KPvKP", Form::Distances, true),
        ("KRvK", Form::Distances, false),
    ] {
        let (folder, table) = (tempfile::tempdir().unwrap(), tables.named(name).unwrap());
        let options = FlatOptions {
            form,
            wide: false,
            packed: false,
            one_file,
            slices: false,
            built: "test",
            dependencies: &[],
        };
        write(folder.path(), variant, Metric::Dtm, &table, &options).unwrap();
        let men = table.layout().men();
        let stem = FlatName::of_all_squares(variant, table.layout().material()).text(variant);
        let path = folder.path().join(format!("{stem}.{}", form.extension()));
        let (pawns, mobile): (Vec<usize>, Vec<usize>) =
            (0..men.len()).partition(|&place| variant.is_pawn(men[place]));
        let view = View::of_table(&table, men, None).unwrap();
        let (mut lines, mut expected) = (String::new(), Vec::new());
        for number in (0..64usize.pow(men.len() as u32)).step_by(if men.len() == 3 { 29 } else { 3_301 }) {
            let squares: Vec<Square> =
                (0..men.len()).map(|man| Square::from_index(number >> (6 * man) & 63)).collect();
            let can_be = (0..men.len())
                .all(|i| !squares[..i].contains(&squares[i]) && variant.zone(men[i]).contains(squares[i]));
            for stm in Side::BOTH {
                let value = if can_be { view.value(stm, &squares) } else { Value::Illegal };
                let (result, plies) = match value {
                    Value::Illegal => (0, 0),
                    Value::Draw => (1, 0),
                    Value::Stalemate => (1, 1),
                    Value::Loss(Ply(plies)) => (2, plies),
                    Value::Win(Ply(plies)) => (3, plies),
                };
                expected.push(if form == Form::Wdl { result } else { result | plies << 2 });
                lines += &stm.index().to_string();
                let own = pawns.iter().chain(&mobile).map(|&place| squares[place].index());
                own.for_each(|square| lines += &format!(" {square}"));
                lines += "\n";
            }
        }
        let mut command = Command::new("python3");
        command.args(["-c", &format!("{function}\n{call}")]).arg(&path).arg(pawns.len().to_string());
        let Some(read) = answer_of(command, &lines, "the function for flat files") else { return };
        let read: Vec<u16> = read.lines().map(|line| line.parse().unwrap()).collect();
        assert!(read == expected && read.iter().filter(|&&entry| entry > 0).count() > 500, "{name}");
    }
}
