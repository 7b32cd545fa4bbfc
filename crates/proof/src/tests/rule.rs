//! Checks rules that chess does not have, by values that a person can see and by random games.

use super::{chess, placements};
use crate::{Oracle, Rule, random_ruled_variant};
use position::{Position, RuleBook};
use std::collections::BTreeSet;
use table::{Ply, Value};
use variant::{
    Arrival, Blast, Extinction, Goal, Man, Material, Pass, PieceId, Rules, Side, Stalemate, Variant, Verdict,
};

const LOST: Value = Value::Loss(Ply(0));
const CLAIMED: Value = Value::Win(Ply(1));

/// Chess on five by five squares with these rules and perhaps without royal men: values in plies to the end.
#[track_caller]
fn check(rules: Rules, is_royal: bool, cases: &[(&str, Value)]) {
    let mut variant = Variant { rules, ..chess(5, 5) };
    variant.pieces[0].royal = is_royal;
    let mut oracle = Oracle::new(&variant);
    for (fen, expected) in cases {
        let position =
            Position::from_fen(oracle.book(), fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let material = position.material();
        if !variant.is_over(&material) {
            oracle.solve(&material);
        }
        assert_eq!(oracle.value(&position), Some(*expected), "{fen}");
    }
}

fn square_set(names: &[&str]) -> geometry::SquareSet {
    names.iter().map(|name| chess(5, 5).board.square_named(name).unwrap()).collect()
}

#[test]
fn stalemate_and_mate() {
    let rules = |stalemate| Rules { stalemate, ..Rules::default() };
    let fen = "k4/2Q2/1K3/5/5 b - -";
    check(rules(Stalemate::Draw), true, &[(fen, Value::Stalemate)]);
    check(rules(Stalemate::Loss), true, &[(fen, LOST)]);
    check(rules(Stalemate::Win), true, &[(fen, CLAIMED)]);
    check(rules(Stalemate::FewerMen), true, &[(fen, CLAIMED)]);
    let mate = "k4/1Q3/1K3/5/5 b - -";
    check(Rules { checkmate: Verdict::Win, ..Rules::default() }, true, &[(mate, CLAIMED)]);
    // Passing saves from stalemate, not from mate.
    for pass in [Pass::Always, Pass::OnStalemate] {
        check(Rules { pass, ..Rules::default() }, true, &[(mate, LOST), (fen, Value::Loss(Ply(2)))]);
    }
}

#[test]
fn a_bare_king() {
    let rules = |is_claimed| {
        let extinction =
            Extinction { verdict: Verdict::Loss, kinds: None, most_men: 1, opponent_men: 2, is_claimed };
        Rules { extinction: Some(extinction), ..Rules::default() }
    };
    let (can_take, cannot) = ("k4/1R3/5/5/4K b - -", "k4/5/5/1R3/1K3 b - -");
    check(rules(true), true, &[(can_take, Value::Draw), (cannot, Value::Loss(Ply(2)))]);
    check(rules(false), true, &[(can_take, LOST), (cannot, LOST)]);
    check(rules(true), true, &[("k4/5/5/1R3/1K3 w - -", CLAIMED), ("k4/5/5/5/1K3 w - -", Value::Draw)]);
    // Two men bare the king at once, because he takes one at most.
    check(rules(true), true, &[("k4/1R3/5/3N1/4K b - -", LOST)]);
}

/// Without men of one's own, or without a move, one wins; who can capture must.
#[test]
fn losing_all() {
    let verdict = Verdict::Win;
    let extinction = Extinction { verdict, kinds: None, most_men: 0, opponent_men: 0, is_claimed: false };
    let rules = Rules {
        extinction: Some(extinction),
        must_capture: true,
        stalemate: Stalemate::Win,
        ..Rules::default()
    };
    check(
        rules,
        false,
        &[
            ("5/5/5/1r3/5 w - -", CLAIMED),
            ("5/5/5/1r3/5 b - -", LOST),
            // The rook must take the knight, and White has none left.
            ("5/5/1N3/1r3/5 b - -", Value::Loss(Ply(2))),
        ],
    );
}

#[test]
fn explosions() {
    let rules = Rules { blast: Some(Blast { immune: vec![PieceId(5)] }), ..Rules::default() };
    check(
        rules,
        true,
        &[
            // A capture beside the king.
            ("kr3/5/5/5/1R2K w - -", Value::Win(Ply(1))),
            ("1r3/5/5/5/4K b - -", LOST),
        ],
    );
}

#[test]
fn goals() {
    let goal = |arrival| {
        let squares = [square_set(&["a5", "b5", "c5", "d5", "e5"]); 2];
        let kinds = Some(vec![PieceId(0)]);
        Rules {
            goal: Some(Goal { kinds, places: squares.map(|place| vec![place]), n_men: 1, arrival }),
            checking: false,
            ..Rules::default()
        }
    };
    check(
        goal(Arrival::AtOnce),
        true,
        &[
            ("K4/5/4k/5/5 b - -", LOST),
            ("K4/4k/5/5/5 b - -", LOST),
            ("5/K3k/5/5/5 w - -", Value::Win(Ply(1))),
            ("5/5/K3k/5/5 w - -", Value::Win(Ply(3))),
        ],
    );
    check(
        goal(Arrival::Answered),
        true,
        &[
            ("K4/5/4k/5/5 b - -", LOST),
            ("K4/5/4k/5/5 w - -", CLAIMED),
            ("K3k/5/5/5/5 w - -", Value::Stalemate),
            ("K4/4k/5/5/5 b - -", Value::Draw),
            ("5/K3k/5/5/5 w - -", Value::Draw),
            ("5/K4/4k/5/5 w - -", Value::Win(Ply(1))),
            ("5/5/K4/4k/5 b - -", Value::Draw),
            ("5/5/K4/5/4k b - -", Value::Loss(Ply(4))),
        ],
    );
}

/// Whether the men alone decide is what the positions say: a side without men, or without its royal one after
/// an explosion, and men that are extinct with either side to move.
#[test]
fn what_the_men_alone_decide() {
    let mut n_over = 0;
    for seed in 920_000..920_120 {
        let variant = random_ruled_variant(seed, &Rule::ALL);
        if variant.has_royals() && variant.rules.blast.is_none() {
            continue;
        }
        let book = RuleBook::new(&variant);
        let men: Vec<Man> = Side::BOTH
            .into_iter()
            .flat_map(|side| variant.piece_ids().map(move |piece| Man { side, piece }))
            .collect();
        let pairs = men.iter().flat_map(|&a| men.iter().map(move |&b| Material::from_men([a, b])));
        let all: BTreeSet<Material> = men.iter().map(|&man| Material::from_men([man])).chain(pairs).collect();
        for material in all.iter().filter(|material| variant.is_over(material)) {
            for position in placements(&variant, material).iter().filter(|position| position.is_legal(&book))
            {
                n_over += 1;
                assert!(position.adjudication(&book).is_some(), "{seed}: {}", position.to_fen(&book));
            }
        }
    }
    assert!(n_over > 10_000, "{n_over}");
}

/// That at least this many of these games have it.
#[track_caller]
fn check_many(all: &[Variant], least: usize, has: impl Fn(&Rules) -> bool) {
    let n = all.iter().filter(|variant| has(&variant.rules)).count();
    assert!(n >= least, "{n} of {}", all.len());
}

#[test]
fn every_seed_makes_rules_of_the_kinds_asked_for() {
    for kind in Rule::ALL {
        let all: Vec<Variant> = (0..50).map(|seed| random_ruled_variant(seed, &[kind])).collect();
        let has = |variant: &Variant| {
            let rules = &variant.rules;
            match kind {
                Rule::Stalemate => matches!(rules.stalemate, Stalemate::Win | Stalemate::FewerMen),
                Rule::Checkmate => rules.checkmate == Verdict::Win,
                Rule::MustCapture => rules.must_capture,
                Rule::NoChecks => !rules.checking,
                Rule::Pass => rules.pass != Pass::Never,
                Rule::Blast => rules.blast.is_some(),
                Rule::Extinction => rules.extinction.is_some(),
                Rule::Goal => rules.goal.is_some(),
                Rule::NoRoyal => !variant.has_royals(),
            }
        };
        assert!(all.iter().all(has), "{kind:?}");
        assert_eq!(all[7], random_ruled_variant(7, &[kind]));
    }
    let all: Vec<Variant> = (0..1000).map(|seed| random_ruled_variant(seed, &Rule::ALL)).collect();
    assert!(all.iter().filter(|variant| !variant.has_royals()).count() > 100);
    check_many(&all, 100, |rules| rules.stalemate == Stalemate::Win);
    check_many(&all, 100, |rules| rules.stalemate == Stalemate::FewerMen);
    check_many(&all, 100, |rules| rules.checkmate == Verdict::Win);
    check_many(&all, 100, |rules| rules.must_capture && rules.extinction.is_some());
    check_many(&all, 100, |rules| !rules.checking);
    check_many(&all, 100, |rules| rules.pass == Pass::Always);
    check_many(&all, 100, |rules| rules.pass == Pass::OnStalemate);
    check_many(&all, 50, |rules| rules.blast.as_ref().is_some_and(|blast| blast.immune.len() <= 1));
    check_many(&all, 50, |rules| rules.blast.as_ref().is_some_and(|blast| blast.immune.len() > 1));
    let extinct =
        |has: fn(&Extinction) -> bool| move |rules: &Rules| rules.extinction.as_ref().is_some_and(has);
    check_many(&all, 100, extinct(|extinction| extinction.verdict == Verdict::Win));
    check_many(&all, 30, extinct(|extinction| extinction.kinds.is_some()));
    check_many(&all, 30, extinct(|extinction| extinction.is_claimed && extinction.opponent_men == 2));
    let goal = |has: fn(&Goal) -> bool| move |rules: &Rules| rules.goal.as_ref().is_some_and(has);
    check_many(&all, 30, goal(|goal| goal.arrival == Arrival::Answered));
    check_many(&all, 30, goal(|goal| goal.kinds.is_none()));
    check_many(&all, 30, goal(|goal| goal.places[0] == goal.places[1]));
    check_many(&all, 30, |rules| rules.goal.is_some() && rules.blast.is_some());
}
