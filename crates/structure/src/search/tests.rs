//! Stops searches, and asks what they know and why no more.

use crate::search::tried_limit::nearer_to_promotion;
use crate::search::{Goal, OpenReason, Question, SearchWatch, Stage, cost};
use crate::{
    Bound, Estimate, Limit, MAX_SLICES, SolvedStructure, Structure, StructureError, Unwatched, Watch, solve,
    verify,
};
use position::{Position, RuleBook};
use probe::{Answer, Ask};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::Value;
use variant::{Metric, Side, Variant};

/// Chess on four by five squares.
pub(crate) fn small() -> Variant {
    let mut text = variant::game::CHESS.to_owned();
    for (from, to) in [
        ("castling = true", "castling = false"),
        ("files = 8", "files = 4"),
        ("\nranks = 8", "\nranks = 5"),
        ("promotion-rank = 8", "promotion-rank = 5"),
    ] {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    Variant::parse(&text, "small").expect("rules")
}

/// A question that is too large without a limit.
fn question(variant: &Variant) -> Question {
    let root = Position::from_fen(&RuleBook::new(variant), "3k/p3/2P1/PP2/K3 w").expect("a position");
    let question = Question::new(Metric::Wdl, vec![root]);
    assert!(question.fits_without_limit(variant, &Unwatched));
    let stages = question.stages(variant, &Unwatched);
    let (_, whole) = stages[0].structure.as_ref().expect("a plan");
    Question { most_values: whole.n_values - 1, ..question }
}

/// Stops a search when this many runs have begun or ended.
#[derive(Default)]
struct Stopping {
    most_begun: usize,
    most_ended: usize,
    begun: AtomicUsize,
    ended: AtomicUsize,
}

impl Watch for Stopping {
    fn is_interrupted(&self) -> bool {
        self.begun.load(Ordering::Relaxed) > self.most_begun
            || self.ended.load(Ordering::Relaxed) > self.most_ended
    }
}

impl SearchWatch for Stopping {
    fn begin(&self, _: &Structure, _: &Estimate) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    fn end(&self, _: &SolvedStructure, _: &[Answer], _: bool) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_search_that_is_stopped_says_what_it_knows() {
    let variant = small();
    let question = question(&variant);
    assert!(!question.fits_without_limit(&variant, &Unwatched));
    let folder = tempfile::tempdir().expect("a folder");
    let solve = |question: &Question, watch: &Stopping| {
        question.solve(&variant, folder.path(), watch).expect("it is stopped or comes to its end")
    };
    let stopping = |most_begun, most_ended| Stopping { most_begun, most_ended, ..Stopping::default() };
    // Within its first run, behind it, and never.
    let within = solve(&question, &stopping(0, 9));
    assert!(within.structures.is_empty(), "{within:?}");
    let path = match within.open {
        Some(OpenReason::Stopped(StructureError::Interrupted { path: Some(path) })) => path,
        other => panic!("{other:?}"),
    };
    assert!(path.exists(), "what is solved is kept in {}", path.display());
    let behind = solve(&question, &stopping(9, 0));
    assert_eq!(behind.structures.len(), 1);
    assert!(matches!(behind.open, Some(OpenReason::Stopped(StructureError::Interrupted { path: None }))));
    let whole = solve(&question, &stopping(99, 99));
    assert!(whole.structures.len() > 1 && whole.answers[0].is_exact(), "{whole:?}");
    assert!(whole.open.is_none(), "{whole:?}");
    // What is known sooner is right.
    let (sooner, later) = (behind.answers[0].value, whole.answers[0].value);
    assert_eq!(sooner.and(later), later);
    // A limit that leaves it open is named, and too few values too.
    let limited = Question { limit: Some(Limit::in_all(0)), ..question.clone() };
    let limited = solve(&limited, &stopping(99, 99));
    assert_eq!(limited.structures.len(), 2);
    assert!(!limited.answers[0].is_exact(), "promotions decide: {limited:?}");
    let open = limited.open.expect("it is open").to_string();
    assert!(open.starts_with("with at most 0 promoted men in all it cannot be told"), "{open}");
    let refused = Question { most_values: 10, ..question };
    let error = refused.solve(&variant, folder.path(), &stopping(99, 99)).expect_err("nothing is allowed");
    assert_eq!(
        error.to_string(),
        "with at most 0 promoted men in all there are too many values: --limit allows 10; allow more, or begin \
         after pawns are exchanged or blocked"
    );
}

fn question_of(most_values: u64) -> Question {
    let book = RuleBook::new(&Variant::chess());
    let root = Position::from_fen(&book, "4k3/8/p6P/P7/8/8/7p/4K3 w - - 0 1").expect("a position");
    Question { most_values, ..Question::new(Metric::Wdl, vec![root]) }
}

/// The side with the nearer pawn hopes first for what its new men win.
#[test]
fn the_nearer_pawn_is_promoted_first() {
    let variant = Variant::chess();
    let book = RuleBook::new(&variant);
    let nearer = |fen: &str| {
        let root = Position::from_fen(&book, fen).expect("a position");
        nearer_to_promotion(&variant, &[root])
    };
    let lucena = "1K1k4/1P6/7p/8/8/7P/r7/2R5 w - - 0 1";
    assert_eq!(nearer(lucena), Some(Side::White));
    assert_eq!(nearer("4k3/8/p6P/P7/8/8/7p/4K3 w - - 0 1"), Some(Side::Black));
    assert_eq!(nearer("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1"), None);
    assert_eq!(nearer("4k3/p7/8/8/8/8/8/4K2R w - - 0 1"), Some(Side::Black));
    let cost_of = |limit: Limit, bound| cost(&limit, bound, 100, Some(Side::White));
    assert_eq!(cost_of(Limit::each(1, 0), Bound::Lower), 100);
    assert!(cost_of(Limit::each(0, 1), Bound::Upper) > cost_of(Limit::each(1, 0), Bound::Lower));
    // New men of the other side alone refute what it hopes for.
    assert_eq!(cost_of(Limit::each(1, 0), Bound::Upper), 100);
}

/// Who asks for the verdict alone does not wait for moves that are open.
#[test]
fn a_verdict_ends_a_search_that_asks_for_no_moves() {
    let variant = small();
    let search = |goal| {
        let folder = tempfile::tempdir().expect("a folder");
        let question = Question { goal, ..question(&variant) };
        question.solve(&variant, folder.path(), &Unwatched).expect("it comes to its end")
    };
    let (verdict, moves) = (search(Goal::Verdict), search(Goal::Moves));
    assert!(verdict.open.is_none() && moves.open.is_none());
    assert_eq!(verdict.answers[0].value, moves.answers[0].value);
    assert!(verdict.structures.len() < moves.structures.len(), "{verdict:?} {moves:?}");
    assert!(!verdict.answers[0].is_exact() && moves.answers[0].is_exact());
}

/// Limits that are planned as late as can be come in the order in which all of them would.
#[test]
fn cheap_runs_come_first() {
    let variant = Variant::chess();
    let all = question_of(0).stages(&variant, &Unwatched);
    // Black's pawn is one step from its promotion.
    let cost_of = |stage: &Stage, n_values| cost(&stage.limit, stage.bound, n_values, Some(Side::Black));
    let planned = all.iter().filter(|stage| !stage.limit.is_none());
    let planned = planned.filter_map(|stage| Some((stage, stage.structure.as_ref().ok()?.1.n_values)));
    let mut planned: Vec<(u64, u64)> =
        planned.map(|(stage, n_values)| (cost_of(stage, n_values), n_values)).collect();
    assert_eq!(planned.len(), 20);
    planned.sort_unstable();
    let most = planned.iter().map(|&(_, n_values)| n_values).max().expect("a run") - 1;
    let question = question_of(most);
    let mut runs = question.runs(&variant, &Unwatched);
    let first = runs.next(&variant, &Unwatched).expect("a run");
    assert!(runs.open.len() > 12, "{} limits are planned before the first run", 20 - runs.open.len());
    let mut got = vec![first.1.n_values];
    got.extend(std::iter::from_fn(|| Some(runs.next(&variant, &Unwatched)?.1.n_values)));
    let allowed = planned.iter().map(|&(_, n_values)| n_values).filter(|&n_values| n_values <= most);
    assert_eq!(got, allowed.collect::<Vec<u64>>());
    assert!(runs.refused.is_some_and(|(_, error)| error.to_string().contains("--limit")));
}

#[test]
fn larger_limits_hold_smaller_ones() {
    let (none, one) = (Limit::in_all(0), Limit::in_all(1));
    let first = one.clone().with_first_only();
    for (small, large, expected) in [
        (&none, &first, true),
        (&Limit::each(0, 1), &first, true),
        (&Limit::each(1, 0), &first, false),
        (&none, &one, true),
        (&one, &none, false),
        (&one, &first, false),
        (&first, &one, true),
        (&Limit::each(1, 0), &one, true),
        (&one, &Limit::each(1, 1), true),
        (&Limit::each(1, 1), &one, false),
        (&Limit::each(1, 1), &Limit::in_all(2), true),
        (&none, &Limit::none(), true),
        (&Limit::none(), &Limit::in_all(2), false),
        (&none.clone().with_few_men(4), &one, false),
        (&none.clone().with_captured(1), &none, true),
        (&none, &none.clone().with_captured(1), false),
        (&none.clone().with_captured(1), &one.clone().with_captured(2), true),
        (&none.clone().with_captured(2), &one.clone().with_captured(1), false),
        (&none.clone().with_own_pawns_standing(0), &none, true),
        (&none.clone().with_own_pawns_standing(0), &one.clone().with_own_pawns_standing(1), true),
        (&none, &one.clone().with_own_pawns_standing(1), false),
        (&none.clone().with_own_pawns_standing(1), &none.clone().with_own_pawns_standing(0), false),
    ] {
        assert_eq!(small.is_within(large, Bound::Lower), expected, "{small} in {large}");
    }
    // For the other bound it is the other side that is held to the first piece.
    assert!(Limit::each(1, 0).is_within(&first, Bound::Upper));
}

/// Where all captures are too much, the first one tells.
#[test]
fn few_captures_come_where_all_are_too_much() {
    let variant = Variant::chess();
    let root = Position::from_fen(&RuleBook::new(&variant), "8/8/8/4p3/3kP3/5B2/6K1/8 b - - 0 1");
    let question = Question::new(Metric::Wdl, vec![root.expect("a position")]);
    let n_values = |limit: Limit| {
        let question = Question { limit: Some(limit), ..question.clone() };
        let stages = question.stages(&variant, &Unwatched);
        stages.iter().map(|stage| stage.structure.as_ref().expect("a plan").1.n_values).max()
    };
    let (one, all) = (n_values(Limit::in_all(0).with_captured(1)), n_values(Limit::in_all(0)));
    assert!(one < all, "{one:?} {all:?}");
    let question = Question { most_values: one.expect("two bounds"), ..question };
    let folder = tempfile::tempdir().expect("a folder");
    let found = question.solve(&variant, folder.path(), &Unwatched).expect("something is allowed");
    let limits = found.structures.iter().map(|solved| solved.limit());
    let limits = limits.filter(|limit| limit.own_pawns_stand.is_none());
    let limits: Vec<String> = limits.map(ToString::to_string).collect();
    assert_eq!(limits, ["with at most 0 promoted men in all, at most 1 pawn captured"; 2]);
    let answer = &found.answers[0];
    assert_eq!(answer.value.most, table::Value::Draw, "{answer:?}");
    assert!(matches!(found.open, Some(OpenReason::Stopped(_))) != answer.is_exact(), "{:?}", found.open);
}

/// A limit that holds another one and no slice beside is not run: there is one pawn to be promoted.
#[test]
fn runs_that_find_nothing_new_are_left_out() {
    let variant = Variant::chess();
    let root = Position::from_fen(&RuleBook::new(&variant), "8/8/8/p7/8/8/RP6/K1k2r2 w - - 0 1");
    let question = Question::new(Metric::Wdl, vec![root.expect("a position")]);
    let all = question.stages(&variant, &Unwatched);
    let unlimited = all[0].structure.as_ref().expect("a plan").1.n_values;
    let question = Question { most_values: unlimited - 1, ..question };
    let mut runs = question.runs(&variant, &Unwatched);
    let runs = std::iter::from_fn(|| runs.next(&variant, &Unwatched));
    let run: Vec<_> = runs.map(|(own, took)| (own.bounds().to_vec(), took.n_slices, took.n_values)).collect();
    assert!(run.len() > 6, "{run:?}");
    let mut distinct = run.clone();
    distinct.sort_unstable_by_key(|(bounds, n_slices, n_values)| (bounds[0], *n_slices, *n_values));
    distinct.dedup();
    assert_eq!(distinct.len(), run.len(), "{run:?}");
}

/// Own pawns that stand make the values bounds, of fewer slices: exact values lie between and many are
/// met. If they stand after the first move, what that of a pawn leads to is there.
#[test]
fn exact_values_lie_between_the_bounds_of_pawns_that_stand() {
    let mut variant = small();
    let pawns = variant.pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
    pawns.for_each(|pawn| pawn.promotes_to.truncate(1));
    let folder = tempfile::tempdir().expect("a folder");
    for (fen, bound, is_own) in [
        ("3k/1p2/4/P3/K2N w", Bound::Lower, true),
        ("3k/1p2/4/P3/K2N w", Bound::Upper, false),
        ("k2n/1p2/4/P3/3K b", Bound::Upper, true),
    ] {
        let root = Position::from_fen(&RuleBook::new(&variant), fen).expect("a position");
        let within = |limit: Limit, bound: Bound| {
            let roots = std::slice::from_ref(&root);
            Structure::new(&variant, Metric::Wdl, roots, (limit, &[bound]), MAX_SLICES).expect("a structure")
        };
        let solved = |structure: &Structure, memory_bytes: u64| {
            let path = folder.path().join("one.tss");
            solve(structure, &path, memory_bytes, &Unwatched).expect("it is solved");
            Arc::new(SolvedStructure::open(&path, &variant).expect("a whole file"))
        };
        let exact = solved(&within(Limit::none(), Bound::Exact), 1 << 30).tablebase(Bound::Exact);
        let limit = Limit::in_all(0).with_few_men(3);
        let n_all = within(limit.clone(), bound).graph().n_slices();
        let mut n_last = 0;
        for n_plies in [0, 1] {
            let few = within(limit.clone().with_own_pawns_standing(n_plies), bound);
            let n_slices = few.graph().n_slices();
            let is_right = if n_plies == 0 { n_slices < n_all } else { n_slices <= n_all };
            let grows = n_slices > n_last;
            assert!(is_right && grows == (is_own || n_plies == 0), "{fen}: {n_last} {n_slices} {n_all}");
            n_last = n_slices;
            for memory_bytes in [1 << 30, 1 << 12] {
                let label = format!("{fen} {bound:?} {n_plies} {memory_bytes}");
                let few = solved(&few, memory_bytes);
                let (mut n, mut n_met) = (0, 0);
                let compared = few.for_each(|bound, position, value| {
                    let expected = exact.value(position).expect("it is in the larger structure");
                    let order = value.preference(&expected);
                    let is_right = match bound.winner_outside() {
                        None => order.is_eq(),
                        Some(winner) if winner == position.stm() => order.is_ge(),
                        Some(_) => order.is_le(),
                    };
                    assert!(is_right, "{label} {bound:?}: {value:?}, exactly {expected:?}");
                    n += 1;
                    n_met += u64::from(order.is_eq());
                });
                compared.expect("it can be read");
                assert!(n > 1000 && n_met * 4 > n, "{label}: {n_met} of {n} bounds are exact");
                let report = verify(&few, 4).expect("it can be read");
                assert!(report.is_clean(), "{label}: {:?}", report.differences);
                let moves = few.answer(&root, &Ask::MOVES).expect("it is there").moves;
                let mut steps = moves.iter().filter(|rated| rated.mv.zeroing && !rated.mv.is_conversion());
                let is_told = steps.any(|rated| !matches!(rated.value.least, Value::Loss(_)));
                assert_eq!(is_told, is_own && n_plies == 1, "{label}");
            }
        }
    }
}
