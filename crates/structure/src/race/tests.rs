//! Compares races with whole structures, and with endings whose values are known.

use crate::race::bitboard::{
    Bits, Bordered, HIDDEN, attacks_downwards, attacks_upwards, beside, bit, mirrored, queen_moves, squares,
};
use crate::race::ground::Ground;
use crate::race::queen_sets::{no_sets, pack, unpack_all, unpack_king, unpack_square};
use crate::race::ways::{PawnMoveKind, Pawns, Ways};
use crate::race::{Race, suits};
use crate::{Question, SearchWatch, SolvedStructure, Unwatched, Watch};
use parking_lot::Mutex;
use position::{Position, RuleBook};
use probe::Ask;
use std::sync::Arc;
use variant::{Metric, Side, Variant};

/// The squares that lie some steps of (files, ranks) from a square, up to the first that is not empty.
fn ray(from: usize, (files, ranks): (i32, i32), empty: Bits, n_steps: i32) -> Bits {
    let mut all = 0;
    for n in 1..=n_steps {
        let (file, rank) = (from as i32 % 8 + files * n, from as i32 / 8 + ranks * n);
        if !(0..8).contains(&file) || !(0..8).contains(&rank) {
            break;
        }
        let to = bit((rank * 8 + file) as usize);
        all |= to;
        if to & empty == 0 {
            break;
        }
    }
    all
}

/// Numbers that look random.
fn numbers(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    }
}

#[test]
fn sets_move_as_single_men_do() {
    let steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
    let mut random = numbers(1);
    for _ in 0..200 {
        let (set, empty) = (random() & random() & random(), random() | random());
        let of = |steps: &[(i32, i32)], n_steps: i32| {
            let rays = squares(set).flat_map(|from| steps.iter().map(move |&step| (from, step)));
            rays.fold(0, |all, (from, step)| all | ray(from, step, empty, n_steps))
        };
        assert_eq!(queen_moves(set, empty), of(&steps, 7), "{set:x} {empty:x}");
        assert_eq!(beside(set), of(&steps, 1), "{set:x}");
        assert_eq!(attacks_upwards(set), of(&[(1, 1), (-1, 1)], 1), "{set:x}");
        assert_eq!(attacks_downwards(set), of(&[(1, -1), (-1, -1)], 1), "{set:x}");
        let images = squares(set).fold(0, |all, square| all | bit(square ^ 7));
        assert_eq!(mirrored(set), images, "{set:x}");
        for (queen, king) in (0..64).flat_map(|queen| (0..64).map(move |king| (queen, king))) {
            let past = queen_moves(bit(queen), empty) & !HIDDEN[queen][king];
            assert_eq!(queen_moves(bit(queen), empty & !bit(king)), past, "{empty:x} {queen} {king}");
        }
    }
    let sets: [Bits; 64] = std::array::from_fn(|_| random());
    let mut bordered = Bordered::new(&sets);
    for square in 0..64 {
        let around = squares(beside(bit(square))).fold(0, |all, to| all | sets[to]);
        assert_eq!((bordered.get(square), bordered.beside(square)), (sets[square], around), "{square}");
    }
    bordered.remove(9, !1);
    assert_eq!(bordered.get(9), sets[9] & 1);
}

/// What a way reads is kept until then, and after it what nothing reads is not.
#[test]
fn ways_are_kept_as_long_as_they_are_read() {
    // Pawns that may capture each other en passant, from either side.
    let pawns = Pawns { own: bit(8) | bit(36) | bit(15), other: bit(51) | bit(25) | bit(63 - 8) };
    let ways = Ways::new(&[pawns], usize::MAX, |_| true).expect("few ways");
    let (mut n_gone, mut is_tight) = (0, false);
    for level in &ways.levels {
        let gone = ways.gone(level);
        assert_eq!(gone.start, n_gone);
        n_gone = gone.end;
        for way in level.clone() {
            let pawns = ways.all[way];
            let mut read: Vec<Pawns> = squares(pawns.all()).map(|square| pawns.without(square)).collect();
            for mv in pawns.moves().into_iter().chain(pawns.moves_of_other()) {
                read.push(mv.next);
                if let PawnMoveKind::Double(at, passed) = mv.kind {
                    read.extend(mv.next.taken_in_passing(at, passed));
                    read.extend(mv.next.takes_in_passing(at, passed));
                }
            }
            for next in read {
                let number = ways.find(Side::White, next).expect("a move leads to a way").number;
                assert!((n_gone..level.start).contains(&number), "{pawns:?} {next:?}");
                is_tight |= n_gone > 0 && number == n_gone;
            }
        }
    }
    assert!(n_gone > ways.all.len() / 2 && is_tight);
}

/// Sets are what they were before they were packed, in the mirror, too.
#[test]
fn sets_of_queens_are_packed() {
    let mut random = numbers(3);
    let ground = Ground::new(Pawns { own: bit(12) | bit(33), other: bit(41) });
    let may_stand = |king: usize| ground.attacker_to_move(king);
    let mut sets = no_sets();
    for king in 0..64 {
        for other in squares(may_stand(king)) {
            // Empty, full, and rows that have nothing to do with others.
            let row = [0, !0, random(), 1 << (random() % 64)][(random() % 4) as usize];
            sets[king][other] = row & !(bit(king) | bit(other));
        }
    }
    let mut bytes = Vec::new();
    pack(&sets, may_stand, &mut bytes);
    assert!(unpack_all(&bytes, may_stand, false) == sets);
    for square in 0..64 {
        assert_eq!(unpack_king(&bytes, may_stand, square), sets[square]);
        let on_square = unpack_square(&bytes, may_stand, square);
        let has = |king: usize, other: usize| sets[king][other] & bit(square) != 0;
        assert!((0..64).all(|king| squares(on_square[king]).eq((0..64).filter(|&other| has(king, other)))));
    }
    let image = unpack_all(&bytes, may_stand, true);
    let are_images = |king: usize, other: usize| image[king ^ 7][other ^ 7] == mirrored(sets[king][other]);
    assert!((0..64).all(|king| (0..64).all(|other| are_images(king, other))));
    // Rows that do not differ take no room.
    let mut bytes = Vec::new();
    pack(&no_sets(), may_stand, &mut bytes);
    assert_eq!(bytes.len(), 8 * (0..64).filter(|&king| may_stand(king) != 0).count());
}

#[test]
fn ways_are_counted() {
    let n_ways = |own: Bits, other: Bits| {
        let ways = Ways::new(&[Pawns { own, other }], usize::MAX, |_| true).expect("few ways");
        for (number, way) in ways.all.iter().enumerate() {
            for side in Side::BOTH {
                // What is read has smaller numbers, and is found from either side and in the mirror.
                let pawns = way.seen_by(side);
                let place = ways.find(side, pawns).expect("it is a way");
                assert_eq!((place.number, place.is_mirrored), (number, false));
                for mv in pawns.moves().into_iter().chain(pawns.moves_of_other()) {
                    assert!(ways.find(side, mv.next).expect("a way").number < number, "{way:?} {mv:?}");
                }
                let image = ways.find(side, pawns.mirrored_if(true)).expect("it is a way");
                assert_eq!(image.number, number);
            }
        }
        ways.all.len()
    };
    // No pawn: one way. A pawn on a7: promoted, or captured.
    assert_eq!(n_ways(0, 0), 1);
    assert_eq!(n_ways(bit(48), 0), 2);
    // On a2: six squares, and none; its mirror image is one with it.
    assert_eq!(n_ways(bit(8), 0), 7);
    assert_eq!(n_ways(bit(8) | bit(15), 0), 7 * 8 / 2);
    // A ram stands as it is until a king takes a pawn: the other one then goes on, or is taken.
    assert_eq!(n_ways(bit(24), bit(32)), 1 + 4 + 4 + 1);
}

/// Solves a race, and compares its moves with those that win and those that draw; others lose.
#[track_caller]
fn check(fen: &str, winning: &[&str], drawing: &[&str]) {
    let variant = Variant::chess();
    let book = RuleBook::new(&variant);
    let roots = vec![Position::from_fen(&book, fen).expect("a position")];
    let folder = tempfile::tempdir().expect("a folder");
    let question = Question::new(Metric::Wdl, roots.clone());
    assert!(question.is_race(&variant, &Unwatched));
    let found = question.solve(&variant, folder.path(), &Unwatched).expect("it is solved");
    assert_eq!((found.structures.len(), found.open.is_none()), (1, true), "{fen}");
    let mut moves = [Vec::new(), Vec::new()];
    for rated in &found.answers[0].moves {
        let notation = rated.mv.uci(&book);
        match rated.value.wdl() {
            Some(1) => moves[0].push(notation),
            Some(0) => moves[1].push(notation),
            other => assert_eq!(other, Some(-1), "{fen} {notation}"),
        }
    }
    moves.iter_mut().for_each(|moves| moves.sort());
    assert_eq!(moves, [winning, drawing].map(<[&str]>::to_vec), "{fen}");
    // The file answers as the search did, and is not solved again.
    let again = question.solve(&variant, folder.path(), &Unwatched).expect("it is there");
    assert_eq!(again.answers[0].moves, found.answers[0].moves, "{fen}");
    let solved = SolvedStructure::open(found.structures[0].path(), &variant).expect("a whole file");
    let answer = Arc::new(solved).answer(&roots[0], &Ask::MOVES).expect("an answer");
    assert_eq!(answer.value, found.answers[0].value, "{fen}");
    // The rule of thumb is right about these.
    let race = Race::new(&variant, &roots, 1 << 32, &Unwatched).expect("few ways");
    let guess = race.guess(&Unwatched).expect("it is not stopped");
    let stm = roots[0].stm();
    let winner = [None, Some(stm)][usize::from(!winning.is_empty())];
    assert_eq!(guess, [winner], "{fen}");
}

/// Source: Lasker and Reichhelm, 1901: the king has to reach the corresponding square.
#[test]
fn corresponding_squares_are_found() {
    check("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", &["a1b1"], &["a1a2", "a1b2"]);
}

/// Three pawns against three: one of them breaks through.
#[test]
fn breakthroughs_are_found() {
    check("8/ppp5/8/PPP5/6k1/8/8/6K1 w - - 0 1", &["b5b6"], &["g1f1", "g1f2"]);
}

/// Stops a race behind its guess.
#[derive(Default)]
struct Stopping {
    guesses: Mutex<Vec<Option<Side>>>,
}

impl Watch for Stopping {
    fn is_interrupted(&self) -> bool {
        !self.guesses.lock().is_empty()
    }
}

impl SearchWatch for Stopping {
    fn guessed(&self, winners: &[Option<Side>]) {
        self.guesses.lock().extend(winners);
    }
}

#[test]
fn races_that_are_stopped_have_guessed_and_leave_nothing() {
    let variant = Variant::chess();
    let root = Position::from_fen(&RuleBook::new(&variant), "8/ppp5/8/PPP5/6k1/8/8/6K1 w - - 0 1");
    let (folder, watch) = (tempfile::tempdir().expect("a folder"), Stopping::default());
    let question = Question::new(Metric::Wdl, vec![root.expect("a position")]);
    let found = question.solve(&variant, folder.path(), &watch).expect("it says what is known");
    assert!(found.open.is_some() && found.structures.is_empty() && !found.answers[0].is_exact());
    assert_eq!(*watch.guesses.lock(), [Some(Side::White)]);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    // A race that has more values than it may have gets no estimate.
    let question = Question { most_values: 1000, ..question };
    assert!(question.is_race(&variant, &Unwatched));
    assert_eq!(question.race_estimate(&variant, &Unwatched), None);
}

/// The way behind a capture en passant is none that another move leads to.
#[test]
fn a_pawn_of_the_root_is_captured_en_passant() {
    let variant = Variant::chess();
    let root = Position::from_fen(&RuleBook::new(&variant), "8/6p1/8/8/2Pp4/8/6P1/k6K b - c3 0 1");
    let folder = tempfile::tempdir().expect("a folder");
    let question = Question::new(Metric::Wdl, vec![root.expect("a position")]);
    assert!(question.is_race(&variant, &Unwatched));
    let found = question.solve(&variant, folder.path(), &Unwatched).expect("it is solved");
    assert!(found.structures[0].path().to_string_lossy().ends_with(".race.tss"));
    let moves = &found.answers[0].moves;
    assert!(moves.iter().any(|rated| rated.mv.is_en_passant() && !rated.is_unknown()), "{moves:?}");
}

/// Races of several threads, and of as little memory as is allowed, write the bytes of any other.
#[test]
fn neither_memory_nor_threads_make_a_difference() {
    let variant = Variant::chess();
    let root = Position::from_fen(&RuleBook::new(&variant), "8/pp6/8/8/6k1/8/PP6/6K1 w - - 0 1");
    let question = Question::new(Metric::Wdl, vec![root.expect("a position")]);
    let bytes = |n_threads: usize, memory_bytes: u64| {
        let folder = tempfile::tempdir().expect("a folder");
        let question = Question { memory_bytes, most_values: 1 << 28, ..question.clone() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads");
        let found = pool.install(|| question.solve(&variant, folder.path(), &Unwatched));
        let found = found.expect("it is solved");
        std::fs::read(found.structures[0].path()).expect("a file")
    };
    let expected = bytes(1, 1 << 32);
    assert!(bytes(2, 1 << 32) == expected && bytes(7, 12 << 20) == expected);
}

#[test]
fn races_are_of_kings_and_pawns_of_chess() {
    let suits_in = |variant: &Variant, fen: &str| {
        let root = Position::from_fen(&RuleBook::new(variant), fen).expect("a position");
        suits(variant, &[root])
    };
    let chess = Variant::chess();
    assert!(suits_in(&chess, "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1"));
    assert!(!suits_in(&chess, "8/8/8/8/8/4k3/4p3/4K2R w - - 0 1"));
    let atomic = Variant::built_in("atomic").expect("a game");
    assert!(!suits_in(&atomic, "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1"));
    // Other rules about the clock do not matter; others about stalemate and promotions do.
    let changed = |from: &str, to: &str| {
        let text = variant::game::CHESS.replacen(from, to, 1);
        assert_ne!(text, variant::game::CHESS, "{from}");
        Variant::parse(&text, "changed").expect("rules")
    };
    let fen = "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1";
    assert!(suits_in(&changed("n-move-rule = 50", "n-move-rule = 40"), fen));
    assert!(!suits_in(&changed("stalemate-value = \"draw\"", "stalemate-value = \"loss\""), fen));
    assert!(!suits_in(&changed("[\"Q\", \"R\",", "[\"R\","), fen));
}
