//! Checks that are counted lead from table to table: the solver against the naive oracle and the verifier,
//! on small boards with captures, promotions and captures en passant that give check; the tables that are
//! needed, their names, and FENs.

use crate::oracle::check_game;
use library::SolvedTables;
use plan::{Plan, Request};
use position::{Outcome, Position, RuleBook};
use proof::{VerifyOptions, verify};
use std::collections::BTreeSet;
use tablesmith_tests::small_chess;
use variant::{Extinction, Material, Metric, PieceId, Side, Variant, Verdict};

/// Chess on a small board in which this many checks win.
fn counting(files: usize, ranks: usize, n_checks: u8) -> Variant {
    let mut variant = small_chess(files, ranks);
    variant.rules.check_counting = Some(n_checks);
    variant
}

#[track_caller]
fn check(variant: &Variant, names: &[&str]) {
    for name in names {
        let material = Material::parse(variant, name).expect("a material");
        check_game(variant, &material, Metric::Dtm);
        check_game(variant, &material, Metric::Wdl);
    }
}

#[test]
fn three_men_agree_with_the_oracle() {
    let variant = counting(4, 5, 3);
    check(&variant, &["KQvK+3+3", "KRvK+2+3", "KBvK+1+3", "KNvK+3+1"]);
    let variant = counting(3, 5, 3);
    check(&variant, &["KPvK+3+3", "KQvK+1+1"]);
}

#[test]
fn men_of_both_sides_agree_with_the_oracle() {
    let variant = counting(3, 5, 2);
    // Of like men the checks say which colours a table has.
    check(&variant, &["KQvKQ+2+1", "KQvKQ+2+2", "KRvKN+2+2"]);
}

#[test]
fn boards_with_holes_agree_with_the_oracle() {
    let mut variant = counting(4, 5, 2);
    let corners = [[0, 0], [3, 0], [0, 4], [3, 4]].map(|[file, rank]| variant.board.square(file, rank));
    variant.board = variant.board.with_holes(corners.into_iter().collect()).expect("a board with holes");
    check(&variant, &["KBvK+2+2", "KRvK+1+2", "KBvKN+1+1"]);
}

#[test]
fn a_bare_king_loses_beside_checks_that_count() {
    let mut variant = counting(4, 5, 2);
    variant.rules.extinction = Some(Extinction {
        verdict: Verdict::Loss,
        kinds: None,
        most_men: 1,
        opponent_men: 0,
        is_claimed: false,
    });
    check(&variant, &["KQvKR+2+1", "KPvK+2+2"]);
}

#[test]
fn pawns_that_give_check_agree_with_the_oracle() {
    let variant = counting(3, 5, 2);
    // A double step that gives check may be answered en passant, unless it has won.
    check(&variant, &["KPvKP+1+1", "KPvKP+2+2"]);
}

#[test]
fn a_check_is_no_zeroing_move() {
    let variant = counting(3, 5, 2);
    for metric in [Metric::Dtc, Metric::Dtz, Metric::Dtz50] {
        let tables = SolvedTables::of_metric(variant.clone(), metric);
        for name in ["KPvKP+2+2", "KPvKP+2+1", "KPvK+2+2", "KRvKN+2+2"] {
            let table = tables.named(name).unwrap();
            let report = verify(&variant, &*table, &tables, &VerifyOptions::new(metric)).unwrap();
            assert!(
                report.is_clean() && report.n_positions > 0,
                "{metric} {name}: {:#?}",
                report.differences
            );
        }
    }
}

#[test]
fn plans_and_the_judge_agree_on_the_tables_that_are_needed() {
    let variant = counting(5, 5, 3);
    for name in ["KQvKR+3+3", "KPvKP+2+3", "KPvKP+1+1", "KQvKQ+1+2"] {
        let plan = Plan::new(&variant, &Request::Table(Material::parse(&variant, name).unwrap())).unwrap();
        for job in plan.jobs() {
            let needed: BTreeSet<Material> = job.needs.iter().map(|need| need.material.clone()).collect();
            let judged = proof::exits(&variant, &job.material);
            let judged: BTreeSet<Material> = judged.iter().map(|exit| exit.canonical(&variant)).collect();
            assert_eq!(needed, judged, "{}", job.name);
        }
        // Each comes after all that it needs.
        let names: Vec<&str> = plan.jobs().map(|job| job.name.as_str()).collect();
        for (place, job) in plan.jobs().enumerate() {
            let comes_before = |name: &str| !names.contains(&name) || names[..place].contains(&name);
            assert!(job.needs.iter().all(|need| comes_before(&need.name)), "{}", job.name);
        }
    }
}

#[test]
fn games_of_two_checks_are_not_solved_for_what_depends_on_more() {
    let variant = counting(4, 5, 2);
    for metric in [Metric::Dtm50, Metric::Help] {
        let error = SolvedTables::of_metric(variant.clone(), metric).named("KQvK").unwrap_err();
        let expected = "checks are counted in it; solve dtm or another metric";
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn names_and_fens_say_how_many_checks_are_left() {
    let variant = counting(5, 5, 3);
    for (typed, name) in [
        ("KQvKR", "KQvKR+3+3"),
        ("krkq+1+2", "KQvKR+2+1"),
        ("KQvKQ+3+2", "KQvKQ+3+2"),
        ("KQvKQ+2+3", "KQvKQ+3+2"),
    ] {
        let material = Material::from_typed(&variant, typed).map(|material| material.name(&variant));
        assert_eq!(material.as_deref(), Ok(name), "{typed}");
    }
    let refused = Material::parse(&variant, "KQvK+3+0").unwrap_err().to_string();
    let expected = "material `KQvK+3+0`: `+3+0` is no pair of checks left to give; expected 1 to 3 for each side, as \
                    in `KQvK+3+3`";
    assert_eq!(refused, expected);
    let book = RuleBook::new(&variant);
    for (fen, written) in [
        ("4k/5/5/5/KQ3 w - - 2+3 4 9", "4k/5/5/5/KQ3 w - - 2+3 4 9"),
        ("4k/5/5/5/KQ3 w - - 4 9 +1+0", "4k/5/5/5/KQ3 w - - 2+3 4 9"),
        ("4k/5/5/5/KQ3 w", "4k/5/5/5/KQ3 w - - 3+3 0 1"),
    ] {
        let position = Position::from_fen(&book, fen).unwrap();
        assert_eq!(position.to_fen(&book), written);
    }
    let refused = Position::from_fen(&book, "4k/5/5/5/KQ3 w - - 4+3 0 1").unwrap_err().to_string();
    let expected = "the checks are `4+3`, expected how many White and Black have left to give, as in `3+3`";
    assert_eq!(refused, expected);
}

#[test]
fn the_last_check_ends_the_game_and_is_taken_back() {
    let book = RuleBook::new(&counting(5, 5, 2));
    let before = Position::from_fen(&book, "4k/5/5/5/KQ3 w - - 1+2 0 1").unwrap();
    let mv = before.parse_uci(&book, "b1e1").unwrap();
    let after = before.play(mv);
    assert_eq!(after.to_fen(&book), "4k/5/5/5/K3Q b - - 0+2 1 1");
    assert_eq!((after.outcome(&book), after.winner(&book)), (Some(Outcome::Checks), Some(Side::White)));
    assert!(after.is_legal(&book) && after.legal_moves(&book).is_empty());
    assert_eq!(before.san(&book, mv), "Qe1#");
    assert!(after.unmoves(&book, &[]).contains(&before.with_halfmove_clock(0)));
    // Who has won was not to move again.
    let past = Position::from_fen(&book, "4k/5/5/5/K3Q w - - 0+2 1 1").unwrap();
    assert!(!past.is_legal(&book));
}

#[test]
fn moves_and_unmoves_belong_together() {
    let book = RuleBook::new(&counting(4, 5, 2));
    let captured = [PieceId(1), PieceId(2), PieceId(5)];
    for fen in ["2k1/4/1q2/P3/K2Q w - - 2+1 0 1", "k3/4/3K/1p2/2R1 b - - 1+2 0 1"] {
        let before = Position::from_fen(&book, fen).unwrap();
        let mut n_checks = 0;
        before.for_each_successor(&book, |mv, after| {
            n_checks += usize::from(mv.is_counted_check);
            let given = after.given_checks()[before.stm().index()];
            assert_eq!(
                given,
                before.given_checks()[before.stm().index()] + u8::from(after.is_in_check(&book))
            );
            assert!(after.unmoves(&book, &captured).contains(&before), "{fen} {}", mv.uci(&book));
        });
        assert!(n_checks > 0, "{fen}");
    }
}

#[test]
fn all_chess_tables_of_three_men_follow_from_their_successors() {
    let mut variant = tablesmith_tests::fide();
    variant.rules.check_counting = Some(3);
    let tables = SolvedTables::new(variant.clone());
    for name in ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"] {
        tables.named(name).unwrap();
    }
    let all = tables.tables();
    let all: Vec<_> = all.iter().filter(|table| table.layout().men().len() == 3).collect();
    assert_eq!(all.len(), 5 * 9);
    for table in all {
        let report = verify(&variant, &**table, &tables, &VerifyOptions::new(Metric::Dtm)).unwrap();
        assert!(report.is_clean(), "{}: {:#?}", table.layout().name(), report.differences);
    }
}
