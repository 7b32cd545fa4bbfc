//! Compares slices of two royal men and pawns, which have a way of their own to who wins, with distances,
//! which have not.

use geometry::Board;
use library::SolvedTables;
use position::{Position, RuleBook};
use proof::{random_variant, random_variant_on};
use rayon::prelude::*;
use structure::{Bound, Limit, MAX_SLICES, SolvedStructure, Structure, Unwatched, solve};
use table::Value;
use tablesmith_tests::{fide, game, small_chess};
use variant::{Man, Material, Metric, Side, Variant};

/// The table of who wins is the one of the distances without them; how many decided positions it has.
#[track_caller]
fn check_winners(variant: &Variant, material: &Material) -> usize {
    let [winners, distances] =
        [Metric::Wdl, Metric::Dtm].map(|metric| SolvedTables::of_metric(variant.clone(), metric));
    let [winners, distances] = [winners, distances].map(|tables| tables.solved(material).expect("a table"));
    let (name, distances) = (material.name(variant), distances.to_wdl());
    let mut n_decided = 0;
    for stm in winners.sides() {
        assert_eq!(winners.codes(stm), distances.codes(stm), "{name}, {stm:?} to move\n{variant:#?}");
        if let Some(codes) = winners.codes(stm).and_then(|codes| codes.as_ref().alternating()) {
            n_decided += codes.iter().filter(|&&code| code > 2).count();
        }
    }
    n_decided
}

/// Returns royal men and, by side, `n_pawns` pawns; none if the game has no such men.
fn royal_men_and_pawns(variant: &Variant, n_pawns: [usize; 2]) -> Option<Material> {
    let royal = variant.only_royal()?;
    let pawn = variant.piece_ids().find(|&piece| variant.piece(piece).pawn.is_some())?;
    let men = Side::BOTH.into_iter().flat_map(|side| {
        let man = |piece| Man { side, piece };
        std::iter::once(man(royal)).chain(std::iter::repeat_n(man(pawn), n_pawns[side.index()]))
    });
    let material = Material::from_men(men);
    Material::all(variant, 2 + n_pawns.iter().sum::<usize>()).contains(&material).then_some(material)
}

#[test]
fn two_kings_and_pawns_are_won_as_by_distances() {
    for (variant, name) in [
        (fide(), "KPvK"),
        (small_chess(4, 5), "KPPvKP"),
        (small_chess(4, 5), "KPvKP"),
        (small_chess(5, 6), "KPvKP"),
        (small_chess(3, 6), "KPPvKP"),
        // Ten files: words of 128 bits.
        (game("capablanca"), "KPvK"),
    ] {
        let material = Material::parse(&variant, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(check_winners(&variant, &material) > 1000, "{name}");
    }
}

/// Random games: kings that leap or ride, pawns that go and capture any way, holes and joined files.
#[test]
fn royal_men_and_pawns_of_random_games_are_won_as_by_distances() {
    let games = (700_000u64..).map(random_variant).filter(|variant| variant.board.n_squares() <= 20);
    let small = games.filter_map(|variant| Some((royal_men_and_pawns(&variant, [1, 1])?, variant))).take(40);
    let large = (720_000u64..).filter_map(|seed| {
        let variant = random_variant_on(Board::new(5, 13).expect("65 squares"), seed);
        Some((royal_men_and_pawns(&variant, [1, 0])?, variant))
    });
    let cases: Vec<(Material, Variant)> = small.chain(large.take(4)).collect();
    let n_decided = cases.par_iter().map(|(material, variant)| check_winners(variant, material));
    let n_decided: usize = n_decided.sum();
    assert!(n_decided > 100_000, "{n_decided}");
}

/// What a limit leaves out is won for one side; who wins for sure is then the same with distances, and where
/// tables at hand and promotions that are captured at once are read.
#[test]
fn bounds_are_won_as_by_distances() {
    let mut variant = small_chess(4, 5);
    let pawns = variant.pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
    pawns.for_each(|pawn| pawn.promotes_to.truncate(1));
    let root = Position::from_fen(&RuleBook::new(&variant), "k3/1p1p/4/P1P1/3K w - - 0 1");
    let root = root.expect("a position");
    for limit in [Limit::in_all(0), Limit::in_all(1).with_first_only()] {
        let [winners, distances] = [Metric::Wdl, Metric::Dtm].map(|metric| {
            let limited = (limit.clone(), &[Bound::Lower, Bound::Upper][..]);
            let structure =
                Structure::new(&variant, metric, std::slice::from_ref(&root), limited, MAX_SLICES);
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("one.tss");
            solve(&structure.expect("a small structure"), &path, 1 << 30, &Unwatched).expect("it is solved");
            (SolvedStructure::open(&path, &variant).expect("a whole file"), folder)
        });
        let winners = winners.0;
        let distances = std::sync::Arc::new(distances.0);
        let [lower, upper] = [Bound::Lower, Bound::Upper].map(|bound| distances.tablebase(bound));
        let result = |value: Value| match value {
            Value::Win(_) => 1,
            Value::Loss(_) => -1,
            Value::Illegal | Value::Draw | Value::Stalemate => 0,
        };
        let mut n = [0u64; 3];
        winners
            .for_each(|bound, position, value| {
                let distances = if bound == Bound::Upper { &upper } else { &lower };
                let expected = distances.value(position).expect("it is in both");
                let fen = position.to_fen(winners.book());
                assert_eq!(result(value), result(expected), "{limit} {bound:?} {value:?} {expected:?} {fen}");
                n[(result(value) + 1) as usize] += 1;
            })
            .expect("it can be read");
        assert!(n.iter().all(|&n| n > 1000), "{limit}: {n:?}");
    }
}
