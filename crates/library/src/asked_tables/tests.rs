//! Asks tables that are there, that are solved, and that cannot be had.

use crate::AskedTables;
use crate::{SolveBound, SolveLedger};
use position::Position;
use probe::{Ask, LegalMoves, ProbeError};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use variant::{Metric, Variant};

fn asked(bound: SolveBound) -> AskedTables {
    AskedTables::new(&Variant::chess(), &[], 0, Some(bound)).expect("no folder is read")
}

/// The result of a position, and whether tables were solved for it.
fn wdl(tables: &AskedTables, fen: &str, metric: Metric) -> Option<i8> {
    let position = Position::from_fen(tables.book(), fen).expect("a FEN");
    tables.answer(&position, Some(metric), &Ask::VALUE).ok()?.value.wdl()
}

const QUEEN: &str = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1";
const ROOK: &str = "8/8/8/8/8/4k3/8/4K2R w - - 0 1";
const PAWN: &str = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1";

#[test]
fn nothing_is_waited_for_while_the_flag_is_set() {
    let stop = Arc::new(AtomicBool::new(true));
    let tables = asked(SolveBound::default()).stopped_by(&stop);
    assert_eq!(wdl(&tables, QUEEN, Metric::Dtm), None);
    stop.store(false, Ordering::Relaxed);
    assert_eq!(wdl(&tables, QUEEN, Metric::Dtm), Some(1));
    // What is there is answered all the same.
    stop.store(true, Ordering::Relaxed);
    assert_eq!((wdl(&tables, QUEEN, Metric::Dtm), wdl(&tables, ROOK, Metric::Dtm)), (Some(1), None));
}

/// In memory, and in a folder that has the tables and no file of rights.
#[test]
fn rights_to_castle_are_not_waited_for_while_the_flag_is_set() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases");
    let genuine = PathBuf::from(cases).join("syzygy_genuine");
    for (folder, metric) in [(vec![], Metric::Dtm), (vec![genuine], Metric::Dtz50)] {
        let stop = Arc::new(AtomicBool::new(false));
        let tables = AskedTables::new(&Variant::chess(), &folder, 1 << 20, Some(SolveBound::default()));
        let tables = tables.expect("a folder").stopped_by(&stop);
        let asked = |is_hasty| {
            stop.store(is_hasty, Ordering::Relaxed);
            // Black's moves do not end White's right.
            let fen = "8/8/8/8/8/4k3/8/4K2R b K - 0 1";
            let position = Position::from_fen_with_castling(tables.book(), fen).expect("a FEN");
            tables.answer(&position, Some(metric), &Ask::VALUE).ok()?.value.wdl()
        };
        assert_eq!(wdl(&tables, ROOK, metric), Some(1), "{folder:?}");
        assert_eq!([true, false, true].map(asked), [None, Some(-1), Some(-1)], "{folder:?}");
    }
}

#[test]
fn threads_of_a_pool_that_all_ask_do_not_wait_for_each_other() {
    let tables = Arc::new(asked(SolveBound::default()));
    assert_eq!(wdl(&tables, QUEEN, Metric::Dtm), Some(1));
    let (tell, answered) = mpsc::channel();
    let of_pool = tables.clone();
    // If they did wait, they would do so for ever, and this test with them.
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        let fens = [QUEEN, ROOK, PAWN].repeat(30);
        let ask = |fen: &&str| wdl(&of_pool, fen, Metric::Dtm);
        let found: Vec<_> = pool.install(|| fens.par_iter().with_max_len(1).map(ask).collect());
        drop(tell.send(found));
    });
    let found = answered.recv_timeout(Duration::from_secs(120)).expect("every position has an answer");
    assert_eq!(found, [Some(1), Some(1), Some(0)].repeat(30));
    let names: Vec<String> = tables.solved_names().into_iter().map(|(_, name)| name).collect();
    assert!(["KPvK", "KQvK", "KRvK"].iter().all(|name| names.iter().any(|own| own == name)), "{names:?}");
}

/// Without a folder, too, what is missing for a position with castling rights is no table.
#[test]
fn positions_with_castling_rights_miss_files_of_their_own() {
    let tables = asked(SolveBound::default());
    let missed = |fen: &str| {
        let position = Position::from_fen_with_castling(tables.book(), fen).expect("a FEN");
        match tables.answer_legal(&position, None, &Ask::VALUE) {
            Err(ProbeError::Missing(missing)) => missing,
            other => panic!("{fen}: {other:?}"),
        }
    };
    let five = missed("4k3/pp6/8/8/8/8/8/4K2R w K - 0 1");
    assert!(five.column.has_rights && five.file.ends_with("KPPvKR.tsm") && five.too_large.is_none());
    let six = missed("4k3/ppp5/8/8/8/8/8/4K2R w K - 0 1");
    assert!(six.column.has_rights && six.file.ends_with("KPPPvKR.tsm") && six.too_large.is_none());
    let seven = missed("4k3/pppp4/8/8/8/8/8/4K2R w K - 0 1");
    assert!(seven.column.has_rights && seven.too_large.is_some(), "{seven:?}");
}

/// The moves of a position, and of each that its main line goes through, are generated once, however many
/// metrics are asked.
#[test]
#[cfg(debug_assertions)]
fn moves_are_generated_once() {
    let count = |tables: &AskedTables, fen: &str, metric: Metric, ask: &Ask<'_>| {
        let position = Position::from_fen(tables.book(), fen).expect("a FEN");
        let known = tables.answer(&position, Some(metric), ask).expect("an answer");
        let before = position::n_generated();
        assert!(tables.answer(&position, Some(metric), ask).expect("an answer") == known);
        (position::n_generated() - before, known.line.map_or(0, |line| line.len() as u64))
    };
    let solved = asked(SolveBound::default());
    assert_eq!(count(&solved, QUEEN, Metric::Dtm, &Ask::VALUE), (0, 0));
    assert_eq!(count(&solved, QUEEN, Metric::Dtm, &Ask::MOVES), (1, 0));
    assert_eq!(count(&solved, QUEEN, Metric::Dtm, &Ask::ALL), (1 + 9, 9));
    let files = std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/files"));
    let open = |name: &str| {
        let tables = AskedTables::new(&Variant::chess(), &[files.join(name)], 1 << 20, None);
        tables.expect("a folder")
    };
    // The file has left out one side to move. The moves of that side say what its positions are worth.
    let one_side = open("one_side");
    let counts =
        [QUEEN, &QUEEN.replace(" w ", " b ")].map(|fen| count(&one_side, fen, Metric::Dtm, &Ask::MOVES).0);
    assert!(counts.contains(&1) && counts.iter().any(|&n| n > 1), "{counts:?}");
    let metrics = open("metrics");
    let position = Position::from_fen(metrics.book(), QUEEN).expect("a FEN");
    let of_all = |legal: Option<&LegalMoves>| {
        let before = position::n_generated();
        for metric in [Metric::Dtz50, Metric::Wdl, Metric::Dtz50] {
            let answer = metrics.answer(&position, Some(metric), &Ask { legal, ..Ask::MOVES });
            assert_eq!(answer.expect("an answer").value.wdl(), Some(1));
        }
        position::n_generated() - before
    };
    // The first time files are opened.
    let [_, alone, together] = [None, None, Some(&LegalMoves::default())].map(of_all);
    assert_eq!(alone - together, 2, "{alone} times, and {together} for all metrics");
}

/// Where a table is too large, or none can have the men, the position alone may be solved.
#[test]
fn positions_that_are_better_solved_alone_are_named() {
    let tables = asked(SolveBound::default());
    let missed = |fen: &str| {
        let position = Position::from_fen(tables.book(), fen).expect("a FEN");
        match tables.answer_legal(&position, None, &Ask::VALUE) {
            Err(ProbeError::Missing(missing)) => (missing.position.clone(), missing.remedy()),
            other => panic!("{fen}: {other:?}"),
        }
    };
    for fen in [
        // Blocked pawns, with eight men and with ten.
        "8/8/3k4/p1p1p3/P1P1P3/3K4/8/8 w - - 0 1",
        "6B1/8/2bk4/p1p1p3/P1P1P3/3K4/8/8 b - - 3 1",
    ] {
        let (position, remedy) = missed(fen);
        assert_eq!(position.as_deref(), Some(fen));
        assert!(remedy.contains(&format!("--position \"{fen}\", which may take long")), "{remedy}");
    }
    for fen in [
        // Six men; no pawn; nine men that are no pawns; seventeen men.
        "8/8/3k4/p1p5/P1P5/3K4/8/8 w - - 0 1",
        "8/2qrr3/3k4/8/8/3K4/2QRR3/8 w - - 0 1",
        "8/1bqrr3/3k4/p7/P7/3K4/2QRR3/8 w - - 0 1",
        "4k3/pppppppp/8/8/8/8/PPPPPPP1/4K3 w - - 0 1",
    ] {
        assert_eq!(missed(fen).0, None, "{fen}");
    }
}

#[test]
fn games_share_the_bytes_of_a_ledger() {
    // A table of three men without pawns has 59,136 values.
    let ledger = SolveLedger::new(100_000);
    let [one, other] = [(); 2].map(|()| asked(SolveBound::default()).sharing(&ledger));
    assert_eq!(wdl(&one, QUEEN, Metric::Dtm), Some(1));
    assert!((59_136..100_000).contains(&one.solved_bytes()), "{}", one.solved_bytes());
    // The same tables are asked without being solved again, and another metric takes their place.
    assert_eq!(wdl(&one, QUEEN, Metric::Dtm), Some(1));
    assert_eq!(wdl(&other, ROOK, Metric::Dtc), Some(1));
    assert_eq!((one.solved_bytes(), one.solved_names().len()), (0, 0));
    assert!(other.solved_bytes() < 100_000);
    // What is dropped is solved again, and what can never fit is not.
    assert_eq!(wdl(&one, QUEEN, Metric::Dtm), Some(1));
    assert_eq!(other.solved_bytes(), 0);
    assert_eq!(wdl(&one, PAWN, Metric::Dtm), None);
    let pawn = Position::from_fen(one.book(), PAWN).expect("a FEN");
    let error = one.answer_legal(&pawn, None, &Ask::VALUE).expect_err("too large");
    let text = "not here: KPvK.tsm, and too large to be solved in memory (at least ";
    assert!(error.to_string().starts_with(text), "{error}");
    assert!(error.to_string().contains(" values, and at most 100,000 are); run solve"), "{error}");
    assert!(one.solved_bytes() > 0);
}

/// A table that a move leads to is solved, and not the one that has the position.
#[test]
fn what_moves_lead_to_is_solved_alone() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/files/metrics"));
    let ask = |bound: Option<SolveBound>| {
        let tables = AskedTables::new(&Variant::chess(), std::slice::from_ref(&folder), 1 << 20, bound);
        let tables = tables.expect("a folder");
        // The pawn becomes a rook, of which there is no file.
        let position = Position::from_fen(tables.book(), "8/4P3/8/8/8/3k4/8/3K4 w - - 0 1").expect("a FEN");
        let answer = tables.answer(&position, Some(Metric::Dtz50), &Ask::MOVES).expect("an answer");
        let n_unknown = answer.moves.iter().filter(|rated| rated.is_unknown()).count();
        let names = tables.solved_names().into_iter().map(|(_, name)| name);
        let names = names.filter(|name| name.contains(['P', 'Q', 'R'])).collect::<Vec<_>>().join(" ");
        (answer.files.len(), n_unknown, answer.is_solved, names)
    };
    assert_eq!(ask(None), (1, 1, false, String::new()));
    assert_eq!(ask(Some(SolveBound::default())), (1, 0, true, "KRvK".to_owned()));
}

/// A damaged file that comes first is read, and one that comes behind it is not.
#[test]
fn a_table_is_read_from_the_first_folder_that_has_it() {
    let good = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/files/quick"));
    let bad = tempfile::tempdir().expect("a folder");
    std::fs::write(bad.path().join("KQvK.tsm"), "no table").expect("a file");
    let answer = |folders: &[PathBuf], fen: &str| {
        let tables = AskedTables::new(&Variant::chess(), folders, 1 << 20, None).expect("folders");
        let position = Position::from_fen(tables.book(), fen).expect("a FEN");
        tables.answer_legal(&position, None, &Ask::VALUE).map(|answer| answer.value.wdl())
    };
    let (first, behind) = ([bad.path().into(), good.clone()], [good, bad.path().into()]);
    assert!(matches!(answer(&first, QUEEN), Err(ProbeError::Format(_))));
    assert_eq!(answer(&behind, QUEEN).expect("the first folder has it"), Some(1));
    assert_eq!(answer(&first, PAWN).expect("the second folder has it"), Some(0));
    let absent = [behind[0].clone(), bad.path().join("absent")];
    let error = AskedTables::new(&Variant::chess(), &absent, 0, None).expect_err("no folder").to_string();
    assert!(error.contains("absent"), "{error}");
}
