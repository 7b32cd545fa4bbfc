//! Compares structures with whole tables, their bounds with exact values, and known positions with what
//! is known of them.

use crate::flat::{DISTANCES, as_held};
use export::flat::{FlatName, FlatOptions, FlatTablebase, Form, write};
use geometry::{Square, SquareSet, Symmetry};
use library::SolvedTables;
use position::{Position, RuleBook};
use probe::{Ask, PositionValues, Tablebase};
use stats::{DecidedByPly, PlyCount};
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use structure::{
    Bound, Concession, Kept, Limit, MAX_SLICES, Outline, Question, SolvedStructure, Structure, TableSource,
    TablesAtHand, Unwatched, man_named, solve, verify,
};
use table::{Ply, Scale, SliceSource, Value};
use tablesmith_tests::{chess, game, root, small_chess, statistics_of};
use tempfile::TempDir;
use variant::{Man, Material, Metric, Side, Variant};

const MEMORY: u64 = 1 << 30;

const BOTH: [Bound; 2] = [Bound::Lower, Bound::Upper];

fn roots(variant: &Variant, fens: &[&str]) -> Vec<Position> {
    let book = RuleBook::new(variant);
    fens.iter().map(|fen| Position::from_fen(&book, fen).expect("a position")).collect()
}

fn roots_of(variant: &Variant, fen: &str) -> Position {
    roots(variant, &[fen]).remove(0)
}

fn structure(variant: &Variant, fens: &[&str], metric: Metric, limit: Limit) -> Structure {
    Structure::new(variant, metric, &roots(variant, fens), (limit, &BOTH), MAX_SLICES)
        .expect("a small structure")
}

/// Solves a structure in so much memory; the folder goes with its file.
fn solved(structure: &Structure, memory_bytes: u64) -> (TempDir, Arc<SolvedStructure>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one.tss");
    solve(structure, &path, memory_bytes, &Unwatched).expect("it is solved");
    let solved = SolvedStructure::open(&path, structure.variant()).expect("a whole file");
    (folder, Arc::new(solved))
}

/// Returns chess on a small board, where pawns become one of the first `n_pieces` pieces only.
fn promoting_to(n_pieces: usize) -> Variant {
    let mut variant = small_chess(4, 5);
    let pawns = variant.pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
    pawns.for_each(|pawn| pawn.promotes_to.truncate(n_pieces));
    variant
}

/// Checks that each value of a structure is on the right side of the exact one; how many there are, and how
/// many of them are exact.
#[track_caller]
fn check_values(solved: &SolvedStructure, exact: &Tablebase, label: &str) -> [u64; 2] {
    let [mut n, mut n_met] = [0; 2];
    let compared = solved.for_each(|bound, position, value| {
        let expected = exact.value(position).expect("it is in the larger structure");
        let order = value.preference(&expected);
        let is_right = match bound.winner_outside() {
            None => value == expected,
            Some(winner) if winner == position.stm() => order.is_ge(),
            Some(_) => order.is_le(),
        };
        let fen = position.to_fen(exact.book());
        assert!(is_right, "{label} {bound:?}: {value:?}, exactly {expected:?}: {fen}");
        n += 1;
        n_met += u64::from(order.is_eq());
    });
    compared.expect("it can be read");
    assert!(n > 1000, "{label}: {n} positions");
    [n, n_met]
}

/// Every position of a structure has the value that whole tables have, whether its tables fit into memory or
/// are solved slice by slice.
#[track_caller]
fn check_whole(tables: &SolvedTables, fens: &[&str], materials: &[&str]) {
    let (variant, metric) = (tables.variant(), tables.metric());
    materials.iter().for_each(|name| drop(tables.named(name).expect("a table")));
    let whole = Tablebase::from_tables(variant, metric, tables.tables());
    let structure = structure(variant, fens, metric, Limit::none());
    // Under the other metrics slice by slice is enough.
    let memories: &[u64] = if metric == Metric::Dtm { &[MEMORY, 1 << 12] } else { &[1 << 12] };
    for &memory in memories {
        let (_folder, solved) = solved(&structure, memory);
        assert_eq!(solved.bounds(), [Bound::Exact]);
        check_values(&solved, &whole, &format!("{fens:?}"));
    }
}

#[test]
fn structures_of_chess_are_as_the_whole_tables() {
    // Two pawns that meet their mirror images, from both sides; those of four men have millions of positions.
    check_whole(chess(), &["8/8/8/8/2P5/8/k7/6K1 w - - 0 1", "8/8/5P2/8/8/k7/8/6K1 b - - 0 1"], &["KPvK"]);
}

#[test]
fn structures_of_small_boards_are_as_the_whole_tables_under_every_metric() {
    for metric in Metric::OF_CONTEST {
        let tables = SolvedTables::of_metric(promoting_to(2), metric);
        // Doubled and passed pawns, a double step that can be answered en passant.
        check_whole(&tables, &["k3/1p2/4/P3/3K w - - 0 1", "3k/4/1P2/P3/3K b - - 0 1"], &["KPvKP", "KPPvK"]);
    }
}

/// Without royal men, a pawn may become the man by whom placements are numbered first, of whose squares
/// there are no parts. Read slice by slice its table must not be read with the colours exchanged: a
/// structure has no such slices.
#[test]
fn promotions_to_the_first_man_are_read_slice_by_slice() {
    let mut variant = promoting_to(1);
    variant.rules = game("antichess").rules;
    variant.pieces.iter_mut().for_each(|piece| piece.royal = false);
    let structure = structure(&variant, &["4/P1P1/3p/4/q3 w - - 0 1"], Metric::Dtm, Limit::none());
    let [(_whole, whole), (_sliced, sliced)] = [MEMORY, 1 << 12].map(|memory| solved(&structure, memory));
    check_values(&sliced, &whole.tablebase(Bound::Exact), "slice by slice");
    let report = verify(&sliced, 1).expect("it can be read");
    assert!(report.is_clean(), "{:?}", report.differences);
}

/// Whether a move that lies outside gives check is not looked at, so where none may there is no such limit.
#[test]
fn limits_are_refused_where_no_move_may_give_check() {
    let mut variant = promoting_to(1);
    variant.rules.checking = false;
    let roots = roots(&variant, &["k3/1p2/4/P3/3K w - - 0 1"]);
    let with = |limit| Structure::new(&variant, Metric::Dtm, &roots, (limit, &BOTH), MAX_SLICES);
    let error = with(Limit::in_all(1)).expect_err("a limit of promotions").to_string();
    assert!(error.contains("may give check") && error.contains("ask without"), "{error}");
    assert!(with(Limit::none()).is_ok());
}

/// All tables of three men, in memory.
#[derive(Debug)]
struct AtHand {
    tables: SolvedTables,
    answers: Tablebase,
}

impl AtHand {
    fn new(variant: &Variant, metric: Metric) -> Self {
        let tables = SolvedTables::of_metric(variant.clone(), metric);
        for material in Material::all(variant, 3) {
            tables.solved(&material).expect("it is solved");
        }
        let answers = Tablebase::from_tables(variant, metric, tables.tables());
        AtHand { tables, answers }
    }
}

impl TableSource for AtHand {
    fn has(&self, material: &Material) -> bool {
        material.n_men() == 3
    }

    fn slices(&self, material: &Material) -> io::Result<Arc<dyn SliceSource>> {
        Ok(self.tables.solved(material).map_err(io::Error::other)?)
    }
}

impl PositionValues for AtHand {
    fn value(&self, position: &Position) -> io::Result<Option<Value>> {
        self.answers.value_of_legal(position).map(Some).map_err(io::Error::other)
    }
}

/// With tables of three men at hand nothing of them is solved, and all values are the same; so are those of
/// moves that lead there.
#[test]
fn tables_at_hand_are_read_and_not_solved() {
    for metric in [Metric::Dtm, Metric::Wdl] {
        let variant = promoting_to(2);
        let fens = ["k3/1p2/4/P3/3K w - - 0 1"];
        let (_folder, exact) = solved(&structure(&variant, &fens, metric, Limit::none()), MEMORY);
        let exact = exact.tablebase(Bound::Exact);
        let used: TablesAtHand = Some(Arc::new(AtHand::new(&variant, metric)));
        // A limit does not apply to what is at hand.
        for limit in [Limit::none(), Limit::in_all(1)] {
            let roots = roots(&variant, &fens);
            let limited = (limit.clone(), &BOTH[..]);
            let structure = Structure::using(&variant, metric, &roots, limited, used.clone(), MAX_SLICES);
            let structure = structure.expect("a small structure");
            let memories = if metric == Metric::Dtm { &[MEMORY, 1 << 12][..] } else { &[MEMORY] };
            for &memory in memories {
                let (_folder, file) = solved(&structure, memory);
                assert!(file.tables().all(|(name, ..)| name == "KvK" || name.len() > 4), "{:?}", file.used());
                assert!(file.used().iter().any(|name| name == "KPvK"), "{:?}", file.used());
                check_values(&file, &exact, &limit.to_string());
                // Without the tables moves into them are not known.
                let won = &roots_of(&variant, "k3/4/1K2/P3/4 w - - 0 1");
                assert!(file.tablebase(Bound::Lower).value(won).is_err());
                let file = Arc::into_inner(file).expect("no other owner").with_tables(used.clone());
                let file = Arc::new(file);
                let value = file.tablebase(Bound::Lower).value(won).expect("a table is there");
                assert_eq!(value, exact.value(won).expect("it is in the larger structure"));
                let report = verify(&file, 8).expect("it can be read");
                assert!(report.is_clean() && report.n_positions > 100, "{limit}: {report:?}");
            }
        }
    }
}

/// Checks that exact values lie between these bounds and that the bounds verify; how many bounds there are,
/// and how many of them are exact.
#[track_caller]
fn check_between(exact: &Arc<SolvedStructure>, bounded: &Arc<SolvedStructure>, label: &str) -> [u64; 2] {
    let counts = check_values(bounded, &exact.tablebase(Bound::Exact), label);
    let report = verify(bounded, 4).expect("it can be read");
    assert!(report.is_clean(), "{label}: {:?}", report.differences);
    counts
}

/// The promotions that a limit leaves out make the values bounds: exact values always lie between.
#[test]
fn exact_values_lie_between_the_bounds() {
    let variant = promoting_to(2);
    let fens = ["k3/1p2/4/P3/3K w - - 0 1"];
    for (metric, limit) in
        [(Metric::Wdl, Limit::in_all(0)), (Metric::Dtm, Limit::in_all(1).with_first_only())]
    {
        let exact = solved(&structure(&variant, &fens, metric, Limit::none()), MEMORY);
        let bounded = solved(&structure(&variant, &fens, metric, limit.clone()), MEMORY);
        let [n, n_narrow] = check_between(&exact.1, &bounded.1, &format!("{limit} {metric}"));
        // Bounds that say nothing would lie outside everything too.
        assert!(n_narrow * 4 > n, "{limit}: {n_narrow} of {n} bounds are exact");
    }
}

/// Beyond a few captured pawns all is given away, captures by pieces, kings and pawns, also where they
/// are not legal or the captor is taken: exact values lie between all the same, and where captures are few
/// they are met.
#[test]
fn exact_values_lie_between_the_bounds_of_few_captures() {
    let variant = promoting_to(1);
    for (fen, captured) in [("k3/p3/P3/B3/3K w - - 0 1", [0, 1]), ("3k/1p2/4/P3/K2N w - - 0 1", [0, 1])] {
        let whole = structure(&variant, &[fen], Metric::Wdl, Limit::none());
        let (_whole, whole) = solved(&whole, MEMORY);
        for captured in captured {
            let limit = Limit::in_all(0).with_captured(captured);
            // A run in little memory reads slices from its file.
            for memory in [MEMORY, 1 << 12] {
                let few = structure(&variant, &[fen], Metric::Wdl, limit.clone());
                assert!(few.graph().n_slices() < whole.tables().map(|(.., n)| n).sum(), "{fen} {limit}");
                let (_few, few) = solved(&few, memory);
                let [n, n_met] = check_between(&whole, &few, &format!("{fen} {limit}"));
                assert!(n_met * 10 > n, "{fen} {limit}: {n_met} of {n} bounds are exact");
            }
        }
    }
}

/// A king that stands beside a guarded pawn cannot capture it, whatever is given for captures.
#[test]
fn captures_that_are_given_away_are_legal() {
    let chess = Variant::chess();
    let fen = "8/8/8/4p3/3kP3/5B2/6K1/8 b - - 0 1";
    let root = roots_of(&chess, fen);
    let conceded = Concession::to(&chess, Side::Black, "bxP").expect("a capture");
    let by_word = Limit::in_all(0).with_conceded(vec![conceded]);
    for limit in [by_word, Limit::in_all(0).with_captured(0)] {
        let (_folder, solved) = solved(&structure(&chess, &[fen], Metric::Wdl, limit.clone()), MEMORY);
        let lower = solved.tablebase(Bound::Lower);
        assert_eq!(lower.value(&root).expect("it is there"), Value::Draw, "{limit}");
        // With the bishop elsewhere the pawn falls.
        let bare = roots_of(&chess, "8/8/8/4p3/3kP3/8/3B2K1/8 b - - 0 1");
        assert_eq!(lower.value(&bare).expect("it is there").wdl(), Value::Win(Ply(1)).wdl(), "{limit}");
    }
}

/// Four men have double steps, captures en passant, promotions that are taken, stalemates, and a queen that
/// has to stop a pawn.
#[test]
fn bounds_of_pawn_races_hold_the_values_of_whole_tables() {
    let tables = chess();
    tables.named("KPvKP").expect("a table");
    let whole = Tablebase::from_tables(tables.variant(), Metric::Wdl, tables.tables());
    let folder = tempfile::tempdir().expect("a folder");
    let fens = ["8/1p6/8/8/k7/8/P7/K7 w - - 0 1", "8/3p4/8/8/k7/8/2P5/K7 w - - 0 1"];
    let question = Question::new(Metric::Wdl, roots(tables.variant(), &fens));
    let question = Question { memory_bytes: MEMORY, ..question };
    // Four men are few enough to be solved whole.
    assert!(!question.is_race(tables.variant(), &Unwatched));
    let solved = question.solve_race(tables.variant(), folder.path(), &Unwatched).expect("it is solved");
    let solved = Arc::new(solved.expect("it is small"));
    assert!(verify(&solved, 1).expect("it can be read").is_clean());
    let (n_all, n_met) = (AtomicU64::new(0), AtomicU64::new(0));
    let compared = solved.for_each_shared(1, |bound, position, value| {
        let expected = whole.value(position).expect("the table is there").wdl();
        let is_white = position.stm() == Side::White;
        let better = if (bound == Bound::Lower) == is_white {
            expected >= value.wdl()
        } else {
            expected <= value.wdl()
        };
        assert!(better, "{bound:?} {value:?} {expected:?} {}", position.to_fen(whole.book()));
        n_all.fetch_add(1, Ordering::Relaxed);
        n_met.fetch_add(u64::from(expected == value.wdl()), Ordering::Relaxed);
    });
    compared.expect("it can be read");
    let (n_all, n_met) = (n_all.into_inner(), n_met.into_inner());
    assert!(n_all > 100_000 && n_met * 100 > n_all * 95, "{n_met} of {n_all}");
}

/// Every structure file that comes along is read with the rules that it names.
#[test]
fn structure_files_are_read() {
    let mut n_files = 0;
    for entry in std::fs::read_dir(root().join("structures")).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = Outline::game_in(&text).unwrap_or_else(|| "fide".into());
        let outline = Outline::load(&path, &game(&name)).unwrap_or_else(|error| panic!("{error}"));
        assert!(Outline::is_meant(&text) && !outline.description.is_empty(), "{}", path.display());
        n_files += 1;
    }
    assert!(n_files >= 5, "{n_files} files");
}

/// All ways for two pawns to stand, from a structure file: as the whole table has them.
#[test]
fn a_structure_file_of_all_pawns_is_the_whole_table() {
    let tables = SolvedTables::of_metric(promoting_to(1), Metric::Dtm);
    tables.named("KPPvK").expect("a table");
    let whole = Tablebase::from_tables(tables.variant(), Metric::Dtm, tables.tables());
    let pawn = "[[man]]\npiece = \"wP\"\nsquares = \"*\"\n";
    let text = format!("men = \"wK-bK\"\n{pawn}{pawn}");
    let outline =
        Outline::parse(&text, "all.toml", tables.variant()).unwrap_or_else(|faults| panic!("{faults}"));
    // Twelve squares for two like pawns.
    assert_eq!(outline.roots.len(), 66);
    let limited = (Limit::none(), &BOTH[..]);
    let structure = Structure::new(tables.variant(), Metric::Dtm, &outline.roots, limited, MAX_SLICES);
    let (_folder, solved) = solved(&structure.expect("a small structure"), MEMORY);
    let (mut n, mut n_two) = (0u64, 0u64);
    solved
        .for_each(|_, position, value| {
            assert_eq!(value, whole.value(position).expect("the table is there"));
            n += 1;
            n_two += u64::from(position.n_men() == 4);
        })
        .expect("it can be read");
    assert!(n > n_two && n_two > 10_000, "{n} positions, {n_two} of four men");
}

/// A man that is fixed makes a bound for its side: where the rules let it move, a lower one for White.
#[test]
fn fixed_men_make_a_bound_for_their_side() {
    let variant = promoting_to(1);
    let fen = ["k3/3p/3P/4/K2R w - - 0 1"];
    let exact = solved(&structure(&variant, &fen, Metric::Dtm, Limit::none()), MEMORY);
    let exact = exact.1.tablebase(Bound::Exact);
    let rook = man_named(&variant, "wR").expect("a rook");
    let home: SquareSet = [variant.board.square_named("d1").expect("a square")].into_iter().collect();
    let kept = Kept::new(&variant, rook, &[home]).expect("it is kept");
    let limit = Limit::none().with_kept(vec![kept]);
    assert_eq!((limit.to_string().as_str(), &limit.bounds()[..]), ("with wRd1 fixed", &[Bound::Lower][..]));
    let structure =
        Structure::new(&variant, Metric::Dtm, &roots(&variant, &fen), (limit, &[Bound::Lower]), MAX_SLICES);
    let (_folder, solved) = solved(&structure.expect("a small structure"), MEMORY);
    let (mut n, mut n_weaker, mut n_away) = (0, 0, 0);
    solved
        .for_each(|bound, position, value| {
            let expected = exact.value(position).expect("it is in the exact structure");
            let order = value.preference(&expected);
            let is_right = if position.stm() == Side::White { order.is_le() } else { order.is_ge() };
            assert!(is_right, "{value:?} {expected:?} {}", position.to_fen(exact.book()));
            let rook_at = position.men().find(|(man, _)| *man == rook).map(|(_, square)| square);
            if bound == Bound::Lower && rook_at.is_some_and(|square| !home.contains(square)) {
                let given =
                    if position.stm() == Side::White { Value::Loss(Ply(0)) } else { Value::Win(Ply(1)) };
                assert_eq!(value, given);
                n_away += 1;
            }
            n += 1;
            n_weaker += i32::from(order.is_ne());
        })
        .expect("it can be read");
    assert!(n > 1000 && n_away > 500 && n_weaker > n_away / 2, "{n} {n_weaker} {n_away}");
    let root = roots_of(&variant, fen[0]);
    let tables = solved.tablebase(Bound::Lower);
    assert_ne!(tables.value(&root).expect("it is there"), exact.value(&root).expect("it is there"));
    let report = verify(&solved, 1).expect("it can be read");
    assert!(report.is_clean() && report.n_positions > 1000, "{report:?}");
}

/// Whether a side loses is found alone, with and without a limit, and what it says of a position is right.
#[test]
fn whether_a_side_holds_is_found_alone() {
    let variant = promoting_to(2);
    let fens = ["k3/1p2/4/P3/3K w - - 0 1"];
    let exact = solved(&structure(&variant, &fens, Metric::Wdl, Limit::none()), MEMORY).1;
    let exact_tables = exact.tablebase(Bound::Exact);
    for (holder, limit) in [(Side::White, Limit::none()), (Side::Black, Limit::in_all(0))] {
        let limit = limit.with_holder(holder);
        let held = structure(&variant, &fens, Metric::Wdl, limit.clone());
        let (_folder, held) = solved(&held, MEMORY);
        assert!(!held.is_exact() && held.limit().holder() == Some(holder));
        let (mut n, mut n_told) = (0, 0);
        let mut positions = Vec::new();
        exact.for_each(|_, position, _| positions.push(position.clone())).expect("it can be read");
        for position in positions.iter().step_by(97) {
            let Ok(answer) = held.answer(position, &Ask::VALUE) else { continue };
            let value = exact_tables.value(position).expect("it is there");
            let (least, most) = (answer.value.least, answer.value.most);
            let is_right = value.preference(&least).is_ge() && value.preference(&most).is_le();
            let fen = position.to_fen(exact.book());
            // A stalemate is a draw like any other.
            assert!(is_right || value == Value::Stalemate, "{fen}: {least:?} {most:?} {value:?}");
            n += 1;
            n_told += i32::from(position.stm() == holder && answer.value.tells_loss());
        }
        assert!(n > 1000 && n_told * 20 > n, "{limit}: {n_told} of {n}");
        let report = verify(&held, 40).expect("it can be read");
        assert!(report.is_clean() && report.n_positions > 1000, "{limit}: {report:?}");
    }
}

/// A side whose only move is discarded is not stalemated: it has lost, as far as the bound says.
#[test]
fn discarded_moves_leave_no_stalemate() {
    let variant = promoting_to(1);
    // White can only push the pawn.
    let fen = ["4/4/1k1P/2q1/K3 w - - 0 1"];
    let discarded = Concession::discarded(&variant, "wd3d4").expect("a move of a pawn");
    let limit = Limit::none().with_conceded(vec![discarded]);
    assert_eq!(limit.bounds(), [Bound::Lower]);
    let with = |limit, bound| {
        let roots = roots(&variant, &fen);
        let structure = Structure::new(&variant, Metric::Dtm, &roots, (limit, &[bound]), MAX_SLICES);
        structure.expect("a small structure")
    };
    // Nothing comes from the move: no pawn goes on and none is promoted.
    let (all, few) = (with(Limit::none(), Bound::Exact), with(limit.clone(), Bound::Lower));
    assert_eq!((all.graph().n_slices(), few.graph().n_slices()), (8, 6));
    let (_folder, solved) = solved(&few, MEMORY);
    let root = roots_of(&variant, fen[0]);
    let answer = solved.answer(&root, &Ask::MOVES).expect("it is there");
    assert!(matches!(answer.value.least, Value::Loss(_)), "{:?}", answer.value);
    let bound = solved.tablebase(Bound::Lower).value(&root).expect("it is there");
    assert!(matches!(bound, Value::Loss(_)), "{bound:?}");
    // The move that was left out is not known, and no fault.
    assert_eq!(answer.moves.len(), 1);
    let report = verify(&solved, 1).expect("it can be read");
    assert!(report.is_clean() && report.n_positions > 1000, "{report:?}");
}

/// A move of a pawn is given away where it stands on the board, and not in its mirror image: what comes of
/// the mirrored position and move is the same, and the other pawn keeps its moves.
#[test]
fn moves_of_pawns_are_given_away_on_one_half_of_the_board() {
    let variant = promoting_to(1);
    let solve_without = |fen: &str, word: &str| {
        let discarded = Concession::discarded(&variant, word).expect("a move of a pawn");
        let limit = Limit::none().with_conceded(vec![discarded]);
        let (roots, limited) = (roots(&variant, &[fen]), (limit, &[Bound::Lower][..]));
        let structure = Structure::new(&variant, Metric::Dtm, &roots, limited, MAX_SLICES);
        solved(&structure.expect("a small structure"), MEMORY)
    };
    let (_right, right) = solve_without("k3/4/4/1PP1/3K w - - 0 1", "wc2c3");
    let (_left, left) = solve_without("3k/4/4/1PP1/K3 w - - 0 1", "wb2b3");
    let left = left.tablebase(Bound::Lower);
    let whole = structure(&variant, &["k3/4/4/1PP1/3K w - - 0 1"], Metric::Dtm, Limit::none());
    let (_whole, whole) = solved(&whole, MEMORY);
    let whole = whole.tablebase(Bound::Exact);
    let named = |name: &str| variant.board.square_named(name).expect("a square");
    let pawn = man_named(&variant, "wP").expect("a pawn");
    let (mut n, mut n_weaker) = (0, [0; 2]);
    right
        .for_each(|_, position, value| {
            let mirror = |(man, square)| (man, Symmetry::MIRROR_FILES.square(&variant.board, square));
            let mirrored =
                Position::from_men(position.men().map(mirror), position.stm()).expect("men on squares");
            let fen = position.to_fen(whole.book());
            assert_eq!(left.value(&mirrored).expect("it is there"), value, "{fen}");
            n += 1;
            if position.men().filter(|(man, _)| *man == pawn).count() == 1 {
                let is_weaker = whole.value(position).expect("it is there") != value;
                for (slot, square) in n_weaker.iter_mut().zip(["b2", "c2"]) {
                    *slot += i32::from(is_weaker && position.man_on(named(square)) == Some(pawn));
                }
            }
        })
        .expect("it can be read");
    assert!(n > 1000 && n_weaker[0] == 0 && n_weaker[1] > 20, "{n} {n_weaker:?}");
    let report = verify(&right, 1).expect("it can be read");
    assert!(report.is_clean(), "{report:?}");
}

/// Verification finds a value that is wrong, and every value of a right structure of five men is.
#[test]
fn a_structure_of_five_men_is_verified() {
    let variant = promoting_to(1);
    let structure = structure(&variant, &["k3/1p2/4/P1P1/3K w - - 0 1"], Metric::Dtm, Limit::none());
    let (_folder, solved) = solved(&structure, MEMORY);
    let report = verify(&solved, 64).expect("it can be read");
    assert!(report.is_clean() && report.n_positions > 1000, "{report:?}");
}

/// Slices are files of their own for readers of flat files: in the colours of their names, of two mirror
/// images one, whatever the structure has them in.
#[test]
fn slices_go_into_flat_files() {
    let (variant, folder) = (promoting_to(2), tempfile::tempdir().expect("a folder"));
    // Where Black has promoted, names have the other colours.
    let fens = ["k3/1p2/4/2P1/K3 w"];
    for (metric, form) in
        [(Metric::Dtm, Form::Distances), (Metric::Dtc, Form::Distances), (Metric::Dtm, Form::Wdl)]
    {
        let (_own, solved) = solved(&structure(&variant, &fens, metric, Limit::none()), MEMORY);
        let held = if form == Form::Wdl { Metric::Wdl } else { metric };
        let options = FlatOptions { form, slices: true, ..DISTANCES };
        for known in solved.known_tables(|_| true) {
            let known = known.expect("the file can be read");
            assert_eq!(known.n_open, 0, "nothing is open without a limit");
            write(folder.path(), &variant, held, &known.table, &options).expect("files are written");
        }
        let files = FlatTablebase::open_form(folder.path(), &variant, held, form);
        let scale = Scale::new(held, &variant.rules);
        let (mut n_read, mut names) = (0u64, BTreeSet::new());
        let compare = |_, position: &Position, value: Value| {
            let men: Vec<(Man, Square)> = position.men().collect();
            let name = FlatName::of(&variant, men.iter().copied()).expect("men have a name");
            let (read, _) =
                files.value(&men, position.stm()).expect("it can be read").expect("a file has it");
            assert_eq!(read, as_held(form, &scale, value), "{} of {}", name.text(&variant), metric);
            n_read += 1;
            names.insert(name.written(&variant));
        };
        solved.for_each(compare).expect("the file can be read");
        assert!(n_read > 10_000 && names.len() > 10, "{n_read} values of {} files", names.len());
    }
}

/// What a chart draws of a structure: each position once, at its ply.
#[test]
fn plies_of_slices_are_counted() {
    let variant = promoting_to(2);
    let (_own, solved) =
        solved(&structure(&variant, &["k3/1p2/4/2P1/K3 w"], Metric::Dtm, Limit::none()), MEMORY);
    let mut expected = [DecidedByPly::default(), DecidedByPly::default()];
    solved
        .for_each(|_, position, value| {
            let own = &mut expected[position.stm().index()];
            match value {
                Value::Win(ply) => *own.wins.entry(ply.0).or_default() += 1,
                Value::Loss(ply) => *own.losses.entry(ply.0).or_default() += 1,
                _ => {}
            }
        })
        .expect("the file can be read");
    let mut counted = [DecidedByPly::default(), DecidedByPly::default()];
    for known in solved.known_tables(|_| true) {
        let table = known.expect("the file can be read").table;
        for stm in table.sides() {
            counted[stm.index()].add(DecidedByPly::of(&table, stm));
        }
    }
    assert_eq!(counted, expected);
    assert!(expected.iter().all(|own| own.wins.len() > 5 && own.losses.len() > 5));
    // Of a whole table they are those of its statistics.
    let table = chess().named("KPvKP").expect("a table");
    let statistics = statistics_of(chess(), "KPvKP");
    for stm in Side::BOTH {
        let of = |plies: &[PlyCount]| {
            plies.iter().map(|at| (at.ply, at.count.orbits)).filter(|at| at.1 > 0).collect()
        };
        let (own, whole) = (DecidedByPly::of(&table, stm), statistics.side(stm));
        assert_eq!(own, DecidedByPly { wins: of(&whole.wins_by_ply), losses: of(&whole.losses_by_ply) });
    }
}
