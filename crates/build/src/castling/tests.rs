//! Checks that wrong values are found, and checks counts, clocks, captures en passant, and memory.

use crate::castling::{RightsBuild, RightsFigures, verify_rights, write};
use library::{AskedTables, LibraryError, MemoryLimit, SolveBound, SolvedTables};
use plan::{Plan, Request};
use position::Position;
use probe::{Ask, Between, Tablebase};
use proof::Oracle;
use rights::{RightsFile, RightsKey};
use std::sync::Arc;
use table::{Code, Ply, Table, Value};
use variant::{Material, Metric, Side, Variant};

#[test]
fn wrong_values_are_found() {
    let chess = Variant::chess();
    let material = Material::parse(&chess, "KRvK").unwrap();
    let right = library::SolvedTables::new(chess.clone()).named("KRvK").unwrap();
    let layout = right.layout().clone();
    let drawn = || u8::owned(vec![1; layout.len()]);
    let wrong = Arc::new(Table::new(layout.clone(), drawn(), Some(drawn())));
    let folder = tempfile::tempdir().unwrap();
    let verify = |table: &Arc<Table>| {
        let base = |table: &Arc<Table>| Tablebase::from_tables(&chess, Metric::Dtm, [table.clone()]);
        let path = folder.path().join("KRvK.tsm");
        let solved = base(table).solved_rights(&material).unwrap();
        write(&path, &chess, &material, Metric::Dtm, &solved).unwrap();
        let file = RightsFile::open(&path, &chess, &material, Metric::Dtm).unwrap();
        let tables = base(&right);
        let figures = solved.iter().map(|table| RightsFigures::of(tables.book(), tables.scale(), table));
        let figures = figures.fold(RightsFigures::default(), RightsFigures::with);
        (verify_rights(&tables, &file, u64::MAX, &|_| {}).unwrap(), figures)
    };
    let (report, figures) = verify(&right);
    assert_eq!((report.n_values, report.n_positions, report.n_differences), (256, 211, 0));
    // Of the 97 positions with White to move all are won; Black takes the rook in a few of his.
    assert_eq!(figures.side(Side::White), [97, 0, 0]);
    assert_eq!((figures.n_positions(), figures.side(Side::Black)[0]), (211, 0));
    let longest = figures.longest_win.unwrap();
    assert!(longest.ply > Ply(15) && longest.fen.contains(" w "), "{longest:?}");
    let (report, figures) = verify(&wrong);
    assert_eq!((figures.n_positions(), figures.longest_loss), (211, None));
    assert!(report.n_differences > 150 && !report.differences.is_empty(), "{report:?}");
}

/// Tables in memory of a material with all that it leads to.
fn tables(variant: &Variant, metric: Metric, name: &str) -> Tablebase {
    let solved = SolvedTables::of_metric(variant.clone(), metric);
    solved.named(name).unwrap();
    Tablebase::from_tables(variant, metric, solved.tables())
}

/// A file of chess knows one arrangement of king and rook, and does not stand in the way of the others.
#[test]
fn chess960_is_answered_beside_files_of_chess() {
    let chess = Variant::chess();
    let material = Material::parse(&chess, "KRvK").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let solved = tables(&chess, Metric::Dtm, "KRvK").solved_rights(&material).unwrap();
    write(&folder.path().join("KRvK.tsm"), &chess, &material, Metric::Dtm, &solved).unwrap();
    let mut anywhere = chess.clone();
    anywhere.rules.castling.as_mut().unwrap().any_files = true;
    let bound = Some(SolveBound::default());
    let asked = AskedTables::new(&anywhere, &[folder.path().into()], 0, bound).unwrap();
    let of_chess = AskedTables::new(&chess, &[folder.path().into()], 0, None).unwrap();
    let value = |asked: &AskedTables, fen: &str| {
        let position = Position::from_fen_with_castling(asked.book(), fen).unwrap();
        asked.answer(&position, Some(Metric::Dtm), &Ask::VALUE).unwrap().value.value().unwrap()
    };
    let fen = "8/8/8/8/3k4/8/8/4K2R w K - 0 1";
    assert_eq!(value(&asked, fen), value(&of_chess, fen));
    assert!(matches!(value(&asked, "8/8/8/8/8/3k4/8/R2K4 w Q - 0 1"), Value::Win(_)));
}

/// Castling and the loss of a right set no clock back.
#[test]
fn the_clock_runs_on_through_castling() {
    let tables = tables(&Variant::chess(), Metric::Dtz50, "KRvK");
    let at = |clock: u32| {
        let position = tables.position(&format!("4k3/8/8/8/8/8/8/4K2R w K - {clock} 60")).unwrap();
        (tables.probe(&position).unwrap(), tables.moves(&position).unwrap(), position)
    };
    let (answer, moves, _) = at(79);
    assert_eq!((answer.value, answer.is_cursed()), (Between::exactly(Value::Win(Ply(21))), false));
    let castling = moves.iter().find(|rated| rated.mv.castling.is_some()).unwrap();
    let plies = castling.value.ply().unwrap().0;
    assert!(plies == 29 && !castling.is_stop && castling.uci == "e1g1", "{castling:?}");
    let (answer, moves, position) = at(80);
    assert!(answer.is_cursed() && moves.iter().all(|rated| rated.is_cursed || rated.value == Value::Draw));
    let castled = position.play(moves.iter().find(|rated| rated.mv.castling.is_some()).unwrap().mv);
    assert_eq!((castled.halfmove_clock(), castled.castling().is_empty()), (81, true));
    // A king's move ends the right, and counts as well.
    let (_, moves, position) = at(3);
    let stepped = position.play(moves.iter().find(|rated| rated.uci == "e1e2").unwrap().mv);
    assert_eq!((stepped.halfmove_clock(), stepped.castling().is_empty()), (4, true));
}

/// Positions with both rights, read as FENs, have the values of the oracle.
#[test]
fn rights_to_castle_and_to_capture_en_passant_go_together() {
    let narrow = std::fs::read_to_string("../../tests/cases/narrow_castling.toml").unwrap();
    let variant = Variant::parse(&narrow, "narrow_castling.toml").unwrap();
    let material = Material::parse(&variant, "KRPvKP").unwrap();
    let mut oracle = Oracle::new(&variant).counting(Metric::Dtz50).with_castling();
    oracle.solve(&material);
    let tables = tables(&variant, Metric::Dtz50, "KRPvKP");
    let (book, mut n_captures, mut n_changed) = (tables.book(), 0, 0);
    for key in RightsKey::all(&variant, &material) {
        let table = tables.rights_table(&key).unwrap();
        let positions = (0..table.n_numbers()).filter_map(|number| table.position(&variant, number));
        for position in positions.filter(|position| position.is_legal(book)) {
            position.for_each_successor(book, |_, next| {
                if next.en_passant().is_none() || next.castling().is_empty() {
                    return;
                }
                let read = tables.position(&next.to_fen(book)).unwrap();
                let value = tables.value(&read).unwrap();
                assert_eq!(Some(value), oracle.value(next), "{}", next.to_fen(book));
                let captures =
                    tables.moves(&read).unwrap().iter().filter(|rated| rated.mv.is_en_passant()).count();
                n_captures += captures;
                let without = tables.value(&read.with_en_passant(None)).unwrap();
                n_changed += usize::from(captures > 0 && without != value);
            });
        }
    }
    assert!(n_captures > 10 && n_changed > 0, "{n_captures} captures, {n_changed} values changed by them");
}

#[test]
fn what_takes_too_much_memory_is_refused() {
    let (chess, folder) = (Variant::chess(), tempfile::tempdir().unwrap());
    let limit = MemoryLimit {
        bytes: 5_000,
        is_asked: true,
        spare_bytes: 1 << 30,
        machine_bytes: 1 << 30,
        is_bound: false,
    };
    let build = |memory| RightsBuild {
        variant: &chess,
        metric: Metric::Dtm,
        folder: folder.path(),
        lent: None,
        n_threads: 1,
        force: false,
        memory,
    };
    let plan = Plan::new(&chess, &Request::Table(Material::parse(&chess, "KRvK").unwrap())).unwrap();
    let Err(LibraryError::MemoryShort { needed_bytes, material, .. }) =
        build(limit).run(&plan, &|_| {}, &mut |_| Ok(()))
    else {
        panic!("it takes more");
    };
    assert!(needed_bytes > 5_000 && material == "KRvK with castling rights", "{needed_bytes} {material}");
    // With as much as was asked for only the table is missing.
    let enough = MemoryLimit { bytes: needed_bytes, ..limit };
    let result = build(enough).run(&plan, &|_| {}, &mut |_| Ok(()));
    assert!(matches!(result, Err(LibraryError::Probe(_))), "{result:?}");
}
