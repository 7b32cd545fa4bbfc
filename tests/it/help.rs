//! Checks helpmates: known numbers, a search that looks forward for either side, and games of other rules.

use crate::oracle::check_game;
use library::{AskedTables, Helpmates, SolveBound, SolvedTables, helpmates_in_words, search_helpmates};
use position::{Position, RuleBook};
use probe::Ask;
use proof::{Rule, random_material, random_ruled_variant};
use rayon::prelude::*;
use stats::dead_positions;
use std::ops::ControlFlow;
use table::Ply;
use tablesmith_tests::{fide, game, statistics_of};
use variant::{Material, Metric, Side, Variant};

/// KQvK has 368,452 legal positions, and the longest of its helpmates takes 14 plies.
#[test]
fn three_men_have_their_helpmates() {
    let tables = SolvedTables::of_metric(fide(), Metric::Help);
    let queen = statistics_of(&tables, "KQvK");
    let n_positions =
        [&queen.white_to_move, &queen.black_to_move].map(|s| (s.wins + s.draws + s.losses).unreduced);
    assert_eq!(n_positions.into_iter().sum::<u64>(), 368_452);
    let longest = |name: &str| {
        let found = statistics_of(&tables, name);
        [found.white_to_move.longest_win, found.black_to_move.longest_loss].map(|l| l.map(|l| l.ply))
    };
    assert_eq!(longest("KQvK"), [Some(13), Some(14)]);
    assert_eq!(longest("KRvK"), [Some(13), Some(14)]);
    assert_eq!(longest("KPvK"), [Some(17), Some(16)]);
    // A side with its king alone, or a minor man against a king alone, never mates.
    for name in ["KBvK", "KNvK", "KvKQ", "KvKP"] {
        assert_eq!(longest(name), [None, None], "{name}");
    }
}

/// With a queen against a king alone a position is dead where all that Black can do is take her, or nothing:
/// the rules say it without a table.
#[test]
fn dead_positions_are_those_that_the_rules_say() {
    let tables = SolvedTables::of_metric(fide(), Metric::Help);
    let named = |name: &str| tables.named(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let queen = named("KQvK");
    let count = |name: &str, other: &str| {
        dead_positions(tables.variant(), &named(name), &named(other)).expect("the same men")
    };
    let book = RuleBook::new(tables.variant());
    let layout = queen.layout();
    let squares = || layout.board().squares();
    let expected: u64 = squares()
        .flat_map(|a| squares().flat_map(move |b| layout.board().squares().map(move |c| [a, b, c])))
        .filter_map(|placement| Position::from_men(layout.men().iter().copied().zip(placement), Side::Black))
        .filter(|position| {
            position.is_legal(&book) && position.ending(&book).is_none_or(|end| end.winner.is_none())
        })
        .filter(|position| position.legal_moves(&book).iter().all(|mv| mv.captured.is_some()))
        .count() as u64;
    assert_eq!(count("KQvK", "KvKQ").map(|count| count.unreduced), [0, expected]);
    assert_eq!(count("KvKQ", "KQvK").map(|count| count.unreduced), [expected, 0]);
    assert_eq!(expected, 3_292);
    // Of a bishop all that is legal is dead.
    let bishop = statistics_of(&tables, "KBvK");
    let all = [&bishop.white_to_move, &bishop.black_to_move].map(|side| side.draws);
    assert_eq!(count("KBvK", "KvKB"), all);
    assert_eq!(dead_positions(tables.variant(), &queen, &named("KvKB")), None);
}

/// Tables that are solved when a position is asked for.
fn asked(variant: &Variant) -> AskedTables {
    let bound = Some(SolveBound::default());
    AskedTables::new(variant, &[], 0, bound).unwrap_or_else(|error| panic!("{error}"))
}

fn helpmates(tables: &AskedTables, fen: &str) -> Helpmates {
    let position = Position::from_fen(tables.book(), fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    tables.helpmates(&position, &Ask::ALL).unwrap_or_else(|refusal| panic!("{fen}: {refusal}"))
}

/// Whether a side can win in this many plies, both helping, by a look at every line.
fn can_win(book: &RuleBook, position: &Position, winner: Side, plies: u16) -> bool {
    if let Some(ending) = position.ending(book) {
        return plies == 0 && ending.winner == Some(winner);
    }
    let moves = if plies == 0 { Vec::new() } else { position.legal_moves(book) };
    moves.into_iter().any(|mv| can_win(book, &position.play(mv), winner, plies - 1))
}

#[test]
fn tables_find_what_a_look_at_every_line_finds() {
    let tables = asked(&fide());
    let mut n_found = 0;
    for fen in [
        "8/8/8/8/8/2k5/1r6/K2Q4 b - - 0 1",
        "8/8/8/8/8/2k5/1r6/K2Q4 w - - 0 1",
        "k7/P7/K7/8/8/8/7p/8 w - - 0 1",
        "8/k7/P1K5/8/8/8/7p/8 b - - 0 1",
        "8/8/8/8/k1pP3K/8/8/8 b - d3 0 1",
        "6bk/8/6NK/8/8/8/8/8 b - - 0 1",
        "6bk/8/5N1K/8/8/8/8/8 w - - 0 1",
        "7k/7P/7K/8/8/8/8/6n1 w - - 0 1",
    ] {
        let found = helpmates(&tables, fen);
        let position = &found.white.position;
        for winner in Side::BOTH {
            let plies = found.plies(winner);
            for n in 0..=5 {
                assert_eq!(
                    can_win(tables.book(), position, winner, n),
                    plies == Some(Ply(n)),
                    "{fen}: {winner} in {n}, not {plies:?}"
                );
                if plies == Some(Ply(n)) {
                    n_found += 1;
                    break;
                }
            }
        }
        // The line mates in as many plies.
        for answer in found.answers() {
            let line = answer.line.as_ref().map_or(0, Vec::len);
            assert_eq!(line, answer.value.ply().map_or(0, |ply| usize::from(ply.0)), "{fen}");
        }
    }
    assert!(n_found >= 8, "{n_found} of the mates are near");
}

#[test]
fn positions_are_told_in_a_sentence() {
    let chess = fide();
    let tables = asked(&chess);
    let words = |fen: &str| helpmates_in_words(&chess, &helpmates(&tables, fen));
    assert_eq!(words("8/8/8/8/8/5k2/4b3/4K2B b - - 0 1"), "dead position: neither side can ever mate");
    assert_eq!(
        words("8/8/8/8/8/5k2/8/4K1q1 w - - 0 1"),
        "White can never mate; Black can mate with White's help in 2 moves, 4 plies"
    );
    assert_eq!(words("8/8/8/8/8/2K5/1Q6/k7 b - - 0 1"), "checkmate: White has won");
    assert_eq!(words("K7/1q6/2k5/8/8/8/8/8 w - - 0 1"), "checkmate: Black has won");
    assert_eq!(words("k7/2Q5/2K5/8/8/8/8/8 b - - 0 1"), "stalemate: Black has no move, a draw");
    assert_eq!(
        words("8/k7/P1K5/8/8/8/7p/8 b - - 0 1"),
        "White can mate with Black's help in 2 moves, 4 plies; Black can mate with White's help in 3 moves, 5 \
         plies"
    );
}

/// Claims of wins without a move count a ply in both.
#[test]
fn a_look_forward_counts_as_tables_do() {
    let mut n_told = 0;
    for (name, fens) in [
        ("fide", &["8/8/8/8/8/2k5/1r6/K2Q4 b - - 0 1", "6bk/8/6NK/8/8/8/8/8 b - - 0 1"][..]),
        ("antichess", &["8/8/8/8/8/8/1p6/R7 w - - 0 1", "8/8/8/8/8/2n5/1p6/R7 b - - 0 1"]),
        ("atomic", &["8/8/8/8/8/1qk5/8/K6R w - - 0 1"]),
        ("king-of-the-hill", &["8/8/8/8/8/2K5/8/k6R b - - 0 1"]),
    ] {
        let tables = asked(&game(name));
        for fen in fens {
            let known = helpmates(&tables, fen);
            let mut watch = |_, _| ControlFlow::Continue(());
            let found = search_helpmates(tables.book(), &known.white.position, 200_000, &mut watch);
            let found = found.helpmates(tables.book(), &known.white.position);
            for winner in Side::BOTH.into_iter().filter(|&winner| found.plies(winner).is_some()) {
                assert_eq!(found.plies(winner), known.plies(winner), "{name} {fen}: {winner}");
                n_told += 1;
            }
            assert_eq!(found.white.outcome, known.white.outcome, "{name} {fen}");
        }
    }
    assert!(n_told >= 6, "{n_told} were found by both");
}

/// Games of the repository, and such with any rules at all.
#[test]
fn games_of_other_rules_have_the_helpmates_of_the_oracle() {
    let named = [
        ("antichess", "RvN"),
        ("atomic", "KQvK"),
        ("losers", "KRvK"),
        ("berolina", "KPvK"),
        ("racing-kings", "KRvK"),
        ("cylinder", "KRvK"),
        ("shatranj", "KRvK"),
        ("suicide", "RvN"),
        ("gardner", "KPvK"),
        ("los-alamos", "KPvK"),
        ("king-of-the-hill", "KPvK"),
        ("stalemate-loses", "KPvK"),
    ];
    named.into_par_iter().for_each(|(name, material)| {
        let own = game(name).for_metric(Metric::Help).into_owned();
        let material = Material::parse(&own, material);
        check_game(&own, &material.unwrap_or_else(|error| panic!("{name}: {error}")), Metric::Help);
    });
    let small = |seed: &u64| random_ruled_variant(*seed, &Rule::ALL).board.n_squares() <= 20;
    let seeds: Vec<u64> = (700_000..).filter(small).take(30).collect();
    seeds.into_par_iter().for_each(|seed| {
        let own = random_ruled_variant(seed, &Rule::ALL).for_metric(Metric::Help).into_owned();
        check_game(&own, &random_material(&own, 3 + (seed % 8 == 0) as usize, seed), Metric::Help);
    });
}
