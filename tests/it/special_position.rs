//! Probes single positions in which a rule is easily got wrong, from files, as a user would.
//!
//! The positions with en-passant captures stand on a board of 4×6 with the rules of chess, where king, rook
//! and pawn against king and pawn are few enough to be solved here.

use format::TableWriter;
use library::SolvedTables;
use position::Position;
use probe::{RatedMove, Tablebase};
use proof::VerifyOptions;
use std::sync::OnceLock;
use table::{Ply, Value};
use tablesmith_tests::{chess, metadata, small_chess};
use tempfile::TempDir;

struct Folder {
    tablebase: Tablebase,
    _files: TempDir,
}

/// A folder of these tables, as `solve` would leave it.
fn folder(tables: &SolvedTables, names: &[&str]) -> Folder {
    let files = tempfile::tempdir().unwrap();
    let metadata = metadata(tables.variant());
    for name in names {
        let path = files.path().join(format::file_name(name));
        TableWriter::new(tables.variant()).write(&path, &tables.named(name).unwrap(), &metadata).unwrap();
    }
    Folder { tablebase: Tablebase::open(files.path(), tables.variant()).unwrap(), _files: files }
}

fn chess_folder() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let three = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"];
        let with_bishop = ["KQBvK", "KRBvK", "KBBvK", "KBNvK", "KBPvK"];
        folder(chess(), &[three, with_bishop].concat())
    })
}

/// Chess on four files and six ranks.
fn small_folder() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let names = ["KRPvKP", "KRPvK", "KRvKP", "KPvKP", "KRvK", "KPvK"];
        folder(&SolvedTables::new(small_chess(4, 6)), &names)
    })
}

fn position(folder: &Folder, fen: &str) -> Position {
    Position::from_fen(folder.tablebase.book(), fen).unwrap_or_else(|fault| panic!("{fen}: {fault}"))
}

#[track_caller]
fn check_value(folder: &Folder, fen: &str, value: Value) {
    assert_eq!(folder.tablebase.value(&position(folder, fen)).unwrap(), value, "{fen}");
}

#[track_caller]
fn rated_moves(folder: &Folder, fen: &str) -> Vec<RatedMove> {
    let found = folder.tablebase.moves(&position(folder, fen));
    found.unwrap_or_else(|fault| panic!("{fen}: {fault}"))
}

/// The only move that wins is this one, and so soon.
#[track_caller]
fn check_only_win(fen: &str, uci: &str, plies: u16) {
    let folder = chess_folder();
    check_value(folder, fen, Value::Win(Ply(plies)));
    let moves = rated_moves(folder, fen);
    let wins: Vec<&str> =
        moves.iter().filter(|m| matches!(m.value.least, Value::Win(_))).map(|m| m.uci.as_str()).collect();
    assert_eq!(wins, [uci], "{fen}");
}

#[test]
fn a_knight_is_needed_to_win() {
    check_only_win("8/P7/1kBK4/8/8/8/8/8 w - - 0 1", "a7a8n", 23);
    check_only_win("8/1P6/k7/8/K7/8/8/6B1 w - - 0 1", "b7b8n", 51);
}

#[test]
fn a_rook_is_needed_lest_it_be_stalemate() {
    check_only_win("8/k1P5/8/K7/8/8/8/8 w - - 0 1", "c7c8r", 11);
    check_only_win("8/1P6/k7/8/K7/8/8/8 w - - 0 1", "b7b8r", 13);
}

#[test]
fn king_and_pawn_take_longest_with_black_to_move() {
    let longest = chess().named("KPvK").unwrap();
    let plies = (0..longest.layout().len()).filter_map(|i| match longest.value(variant::Side::Black, i) {
        Value::Loss(ply) => Some(ply),
        _ => None,
    });
    assert_eq!(plies.max(), Some(Ply(56)));
}

#[test]
fn a_stalemate_but_for_en_passant_is_none() {
    let folder = small_folder();
    check_value(folder, "4/4/Pp2/1K2/1R2/k3 b - - 0 1", Value::Stalemate);
    check_value(folder, "4/4/Pp2/1K2/1R2/k3 b - a3 0 1", Value::Loss(Ply(4)));
    check_value(folder, "2R1/k3/Pp2/1K2/4/4 b - - 0 1", Value::Stalemate);
    check_value(folder, "2R1/k3/Pp2/1K2/4/4 b - a3 0 1", Value::Loss(Ply(12)));
    // So the double step wins; without the capture en passant it would draw.
    let moves = rated_moves(folder, "4/4/1p2/1K2/PR2/k3 w - - 0 1");
    let double_step = moves.iter().find(|m| m.uci == "a2a4").unwrap();
    assert_eq!(double_step.value, Value::Win(Ply(5)));
}

#[test]
fn a_mate_but_for_en_passant_as_the_only_move_is_none() {
    let folder = small_folder();
    let fen = "2R1/k3/pPK1/4/4/4 b - b3 0 1";
    check_value(folder, "2R1/k3/pPK1/4/4/4 b - - 0 1", Value::Loss(Ply(0)));
    check_value(folder, fen, Value::Loss(Ply(10)));
    let moves = rated_moves(folder, fen);
    assert_eq!(moves.iter().map(|m| m.uci.as_str()).collect::<Vec<_>>(), ["a4b3"]);
    assert!(moves[0].mv.is_en_passant());
}

#[test]
fn en_passant_that_exposes_the_own_king_is_illegal() {
    // Both pawns would leave the rank on which the rook looks at the king.
    let folder = small_folder();
    let (with, without) = ("1K2/4/RPpk/4/4/4 b - b3 0 1", "1K2/4/RPpk/4/4/4 b - - 0 1");
    let moves = rated_moves(folder, with);
    assert!(!moves.is_empty() && moves.iter().all(|m| !m.mv.is_en_passant()), "{moves:?}");
    check_value(folder, with, folder.tablebase.value(&position(folder, without)).unwrap());
    // With the king elsewhere the same capture is legal.
    let legal = rated_moves(folder, "1K2/4/RPp1/3k/4/4 b - b3 0 1");
    assert!(legal.iter().any(|m| m.mv.is_en_passant()), "{legal:?}");
}

#[test]
fn small_chess_of_five_men_verifies() {
    // King, rook and pawn against king and pawn: en-passant captures that give check, expose a king, or are
    // forced.
    let tables = SolvedTables::new(small_chess(4, 6));
    let table = tables.named("KRPvKP").unwrap();
    let report =
        proof::verify(tables.variant(), &*table, &tables, &VerifyOptions::new(tables.metric())).unwrap();
    assert!(report.is_clean() && report.n_positions > 500_000, "{report:#?}");
}
