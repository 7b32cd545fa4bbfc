//! Compares the solver with the naive oracle under other rules than those of chess: every value of every
//! placement of random games on small boards, with one rule more and with many.

use crate::oracle::check_game;
use geometry::{Board, SquareSet, Step};
use library::SolvedTables;
use proof::{Oracle, Rule, VerifyOptions, random_material, random_ruled_variant, verify};
use rayon::prelude::*;
use stats::Statistics;
use tablesmith_tests::root;
use variant::{
    Arrival, Blast, Extinction, Goal, Man, Material, Metric, Pass, PawnRules, Piece, PieceId, PseudoRoyal,
    Rules, Side, Stalemate, Variant, Verdict,
};

/// Checks random games of these seeds with rules of these kinds and `n_men` men; two metrics in turn.
#[track_caller]
fn check_rules(kinds: &[Rule], seeds: std::ops::Range<u64>, n_men: usize, most_squares: usize) {
    let fits = |seed: &u64| random_ruled_variant(*seed, kinds).board.n_squares() <= most_squares;
    let seeds: Vec<u64> = seeds.filter(fits).collect();
    assert!(!seeds.is_empty(), "no game of {kinds:?} is small enough");
    seeds.into_par_iter().for_each(|seed| {
        let variant = random_ruled_variant(seed, kinds);
        let others = [Metric::Wdl, Metric::Dtc, Metric::Dtz, Metric::Dtz50];
        let metric = if seed % 3 == 0 { others[(seed / 3 % 4) as usize] } else { Metric::Dtm };
        check_game(&variant, &random_material(&variant, n_men, seed), metric);
    });
}

/// In how many random games of these seeds the rule changes how many positions are won, drawn or lost.
fn n_felt(rule: Rule, seeds: std::ops::Range<u64>, n_men: usize) -> usize {
    let results = |variant: Variant, material: &Material| {
        let tables = SolvedTables::new(variant);
        let table =
            tables.solved(&material.canonical(tables.variant())).unwrap_or_else(|error| panic!("{error}"));
        let statistics = Statistics::collect(tables.variant(), Metric::Dtm, &table);
        Side::BOTH.map(|side| {
            let side = statistics.side(side);
            [side.wins.unreduced, side.draws.unreduced, side.losses.unreduced]
        })
    };
    let is_felt = |&seed: &u64| {
        let variant = random_ruled_variant(seed, &[rule]);
        let material = random_material(&variant, n_men, seed);
        // Without a royal man there is another game, and not one without a rule.
        without(rule, &variant).is_none_or(|other| results(variant, &material) != results(other, &material))
    };
    seeds.into_par_iter().filter(is_felt).count()
}

/// A rule that no random game feels is not tested.
#[test]
fn games_with_one_rule_more_agree() {
    for (i, rule) in Rule::ALL.into_iter().enumerate() {
        let first = 1_000_000 * (i as u64 + 1);
        check_rules(&[rule], first..first + 100, 3, 20);
        let n_felt = n_felt(rule, first..first + 100, 3);
        assert!(n_felt >= 5, "{rule:?} changes {n_felt} of 100 games");
    }
}

#[test]
fn games_with_many_rules_agree() {
    check_rules(&Rule::ALL, 20_000_000..20_000_600, 3, 20);
}

#[test]
fn games_with_many_rules_agree_with_two_men() {
    check_rules(&Rule::ALL, 30_000_000..30_000_100, 2, 30);
}

#[test]
fn games_with_many_rules_agree_with_four_men() {
    check_rules(&Rule::ALL, 40_000_000..40_000_150, 4, 15);
}

/// Random games of these seeds, on boards of up to this many squares, after a change of their pieces or
/// rules; those that are games no more are left out.
fn changed_games(
    seeds: std::ops::Range<u64>,
    most_squares: usize,
    change: impl Fn(&Board, &mut Vec<Piece>, &mut Rules) -> bool,
) -> Vec<(u64, Variant)> {
    let changed = |seed: u64| {
        let Variant { name, board, mut pieces, mut rules, .. } = random_ruled_variant(seed, &Rule::ALL);
        let fits = board.n_squares() <= most_squares && change(&board, &mut pieces, &mut rules);
        Some((seed, Variant::from_parts(&name, board, pieces, rules).ok().filter(|_| fits)?))
    };
    seeds.filter_map(changed).collect()
}

/// Checks such games with three men. Returns how many were checked.
fn check_changed(
    seeds: std::ops::Range<u64>,
    change: impl Fn(&Board, &mut Vec<Piece>, &mut Rules) -> bool,
) -> usize {
    let games = changed_games(seeds, 20, change);
    games.par_iter().for_each(|(seed, variant)| {
        check_game(variant, &random_material(variant, 3, *seed), Metric::Dtm);
    });
    games.len()
}

/// Keeps most men to some squares: the sides alike, to the same squares, to others, or White's men alone.
pub(crate) fn keep_to_regions(board: &Board, pieces: &mut [Piece]) {
    for (i, piece) in pieces.iter_mut().enumerate().filter(|(_, piece)| piece.pawn.is_none()) {
        let squares = |shift: usize| -> SquareSet {
            board.all().iter().filter(|square| !(5 * square.index() + i + shift).is_multiple_of(3)).collect()
        };
        let white = squares(0);
        piece.regions = match (i + board.n_squares()) % 5 {
            0 => [None; 2],
            1 => [Some(white), Some(white.mirror_ranks(board))],
            2 => [Some(white); 2],
            3 => [Some(white), Some(squares(1))],
            _ => [Some(white), None],
        };
    }
}

#[test]
fn games_whose_men_are_kept_to_regions_agree() {
    let n_games = check_changed(110_000_000..110_000_400, |board, pieces, _| {
        keep_to_regions(board, pieces);
        pieces.iter().any(|piece| piece.regions != [None; 2])
    });
    assert!(n_games >= 40, "{n_games} games");
}

/// Where more men are free than two, under all metrics.
#[test]
fn games_whose_men_are_kept_to_regions_agree_with_four_men() {
    let games = changed_games(120_000_000..120_000_500, 12, |board, pieces, _| {
        keep_to_regions(board, pieces);
        true
    });
    assert!(games.len() >= 40, "{} games", games.len());
    games.par_iter().for_each(|(seed, variant)| {
        let metric = [Metric::Dtm, Metric::Wdl, Metric::Dtz][(seed % 3) as usize];
        check_game(variant, &random_material(variant, 4, *seed), metric);
    });
}

/// Each side has one man of either kind.
#[test]
fn games_with_two_kinds_of_royal_men_agree() {
    let n_games = check_changed(50_000_000..50_000_400, |_, pieces, _| {
        let has_royal = pieces.iter().any(|piece| piece.royal);
        let common = pieces.iter().position(|piece| piece.pawn.is_none() && !piece.royal);
        let Some(second) = common.filter(|_| has_royal) else { return false };
        pieces[second].royal = true;
        let pawns = pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
        pawns.for_each(|pawn| pawn.promotes_to.retain(|&to| to != PieceId(second as u8)));
        true
    });
    assert!(n_games >= 40, "{n_games} games");
}

/// Black's men are turned round: what goes to the right for White goes to the left for Black.
#[test]
fn games_whose_men_are_turned_agree() {
    let men = "[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
               [[piece]]\nletter = \"R\"\nbetza = \"rRfW\"\n\
               [[piece]]\nletter = \"N\"\nbetza = \"frNlbF\"";
    for (rules, name) in [("", "KRvKN"), ("flag-region-white = \"e5\"\nflag-region-black = \"a1\"", "KNNvKR")]
    {
        let rules = format!("board = {{ files = 5, ranks = 5 }}\n[rules]\nblack-turned = true\n{rules}");
        check_text(&rules, men, name);
    }
}

/// A pawn is promoted by its double step, and no pawn beside it can capture it in passing.
#[test]
fn double_steps_that_promote_agree() {
    let men = "[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
               [[piece]]\nletter = \"Q\"\nbetza = \"Q\"\n\
               [[piece]]\nletter = \"P\"\nbetza = \"fmWfcF\"\n\
               [piece.pawn]\npromotion-rank = 3\npromotes-to = [\"Q\"]";
    check_text("board = { files = 4, ranks = 5 }", men, "KPvKP");
}

/// Each side has two royal men, and none of them may be left attacked.
#[test]
fn games_with_two_royal_men_a_side_agree() {
    let mut games = changed_games(130_000_000..130_000_400, 16, |_, pieces, rules| {
        (rules.royal_men, rules.blast, rules.castling) = ([2; 2], None, None);
        pieces.iter().any(|piece| piece.royal)
    });
    games.truncate(60);
    assert!(games.len() >= 40, "{} games", games.len());
    games.par_iter().for_each(|(seed, variant)| {
        let n_men = if seed % 3 == 0 && variant.board.n_squares() <= 12 { 5 } else { 4 };
        check_game(variant, &random_material(variant, n_men, *seed), Metric::Dtm);
    });
}

/// Officers are royal too, all of a kind or the last one.
#[test]
fn games_with_pseudo_royal_men_agree() {
    let games = changed_games(150_000_000..150_000_400, 16, |board, pieces, rules| {
        let kinds = (1..pieces.len()).filter(|&i| pieces[i].pawn.is_none()).map(|i| PieceId(i as u8));
        let most_men = 1 + (board.n_squares() % 2) as u8;
        rules.pseudo_royal = Some(PseudoRoyal { kinds: kinds.collect(), most_men });
        rules.blast = None;
        true
    });
    assert!(games.len() >= 40, "{} games", games.len());
    games.par_iter().take(80).for_each(|(seed, variant)| {
        let n_men = if seed % 2 == 0 && variant.board.n_squares() <= 12 { 4 } else { 3 };
        let metric = [Metric::Dtm, Metric::Wdl, Metric::Dtz][(seed % 3) as usize];
        check_game(variant, &random_material(variant, n_men, *seed), metric);
    });
}

/// Black's pawns become one man, and White's what they become; in some games Black's promote earlier, too.
#[test]
fn games_whose_sides_promote_to_other_men_agree() {
    let n_games = check_changed(160_000_000..160_000_300, |board, pieces, _| {
        let second = 1 + (board.n_squares() % 2) as u8;
        let nearer = board.rank(board.ranks() - 2);
        let pawns = pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
        let change = |pawn: &mut PawnRules| {
            let mut black = PawnRules { promotes_to: vec![PieceId(second)], ..pawn.clone() };
            if board.n_squares() % 3 == 0 {
                (black.zone, black.promotion) = (black.zone.without(nearer), black.promotion.union(nearer));
                black.double_step_from = black.double_step_from.intersection(black.zone);
                black.en_passant &= !black.double_step_from.is_empty();
            }
            pawn.black = Some(Box::new(black));
        };
        pawns.map(change).count() > 0
    });
    assert!(n_games >= 40, "{n_games} games");
}

/// White has no royal man, and loses with its last man or goes on without one.
#[test]
fn games_with_one_royal_side_agree() {
    let games = changed_games(170_000_000..170_000_400, 16, |board, pieces, rules| {
        (rules.royal_men, rules.blast, rules.castling) = ([0, 1], None, None);
        let ends = board.n_squares() % 2 == 0;
        let last = Extinction {
            verdict: Verdict::Loss,
            kinds: None,
            most_men: 0,
            opponent_men: 0,
            is_claimed: false,
        };
        rules.extinction = ends.then_some(last);
        pieces.iter().any(|piece| piece.royal)
    });
    assert!(games.len() >= 40, "{} games", games.len());
    games.par_iter().take(80).for_each(|(seed, variant)| {
        let n_men = 2 + (seed % 3) as usize;
        let n_men = if variant.board.n_squares() > 12 { n_men.min(3) } else { n_men };
        check_game(variant, &random_material(variant, n_men, *seed), Metric::Dtm);
    });
}

/// Pawns may stay pawns where they can promote, and some step twice from everywhere, onto such squares
/// too.
#[test]
fn games_whose_pawns_may_stay_pawns_agree() {
    let n_games = check_changed(180_000_000..180_000_150, |board, pieces, _| {
        let pawns = pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
        let change = |pawn: &mut PawnRules| {
            pawn.zone = pawn.zone.union(pawn.promotion);
            pawn.promotion = pawn.promotion.union(board.rank(board.ranks() - 2)).intersection(pawn.zone);
            if board.n_squares() % 3 == 0 {
                pawn.double_step_from = pawn.zone;
            }
        };
        pawns.map(change).count() > 0
    });
    assert!(n_games >= 40, "{n_games} games");
    // Where it must promote, a double step does so, too.
    let n_games = check_changed(190_000_000..190_000_100, |_, pieces, _| {
        let pawns = pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
        pawns.map(|pawn| pawn.double_step_from = pawn.zone).count() > 0
    });
    assert!(n_games >= 40, "{n_games} games");
}

#[test]
fn games_whose_pawns_become_nothing_agree() {
    let n_games = check_changed(60_000_000..60_000_200, |_, pieces, _| {
        let pawns = pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
        pawns.map(|pawn| pawn.promotes_to.clear()).count() > 0
    });
    assert!(n_games >= 40, "{n_games} games");
}

/// Boards of one rank or one file have a mirror that moves nothing.
#[test]
fn games_on_the_smallest_boards_agree() {
    let men = "[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n[[piece]]\nletter = \"R\"\nbetza = \"R\"\n\
               [[piece]]\nletter = \"N\"\nbetza = \"ND\"\n[[piece]]\nletter = \"P\"\nbetza = \"fmWfcF\"\n\
               pawn = { promotes-to = [\"R\"], double-step = false }";
    let board = |files: usize, ranks: usize| format!("board = {{ files = {files}, ranks = {ranks} }}");
    check_text(&board(8, 1), men.split("[[piece]]\nletter = \"P").next().unwrap(), "KRNvKN");
    check_text(&board(1, 8), men, "KPNvKP");
    check_text(&board(2, 4), men, "KPvKR");
}

/// Two men side by side, along ranks, files, diagonals or several of them.
#[test]
fn games_won_by_a_row_of_men_agree() {
    let n_games = check_changed(80_000_000..80_000_200, |board, _, rules| {
        let steps = [Step::new(1, 0), Step::new(0, 1), Step::new(1, 1), Step::new(1, -1)];
        let first = usize::from(rules.must_capture) + usize::from(rules.extinction.is_some());
        let rows = Goal::rows(board, 2, &steps[first..]);
        let kinds = rules.goal.take().and_then(|goal| goal.kinds);
        rules.goal = Some(Goal { kinds, places: [rows.clone(), rows], n_men: 2, arrival: Arrival::AtOnce });
        true
    });
    assert!(n_games >= 40, "{n_games} games");
}

/// Sides that have lost all their men go on without a move.
#[test]
fn games_that_go_on_without_men_agree() {
    let n_games = check_changed(90_000_000..90_001_000, |_, pieces, rules| {
        let is_royal = pieces.iter().any(|piece| piece.royal);
        (rules.extinction, rules.pass) = (None, Pass::Never);
        !is_royal && (rules.goal.is_some() || rules.stalemate != Stalemate::Draw)
    });
    assert!(n_games >= 40, "{n_games} games");
}

/// Captures that explode where no man is royal, where they are compulsory, and where men die out.
#[test]
fn explosions_agree_with_all_other_rules() {
    let n_games = check_changed(100_000_000..100_000_300, |_, pieces, rules| {
        let immune = (0..pieces.len()).filter(|&i| !pieces[i].royal && (i + pieces.len()) % 2 == 0);
        rules.blast = Some(Blast { immune: immune.map(|i| PieceId(i as u8)).collect() });
        rules.must_capture || rules.extinction.is_some() || pieces.iter().all(|piece| !piece.royal)
    });
    assert!(n_games >= 40, "{n_games} games");
}

#[test]
fn games_whose_goal_asks_for_two_men_agree() {
    let n_games = check_changed(70_000_000..70_000_400, |_, _, rules| {
        let goal = rules.goal.as_mut().filter(|goal| goal.arrival == Arrival::AtOnce);
        goal.map(|goal| goal.n_men = 2).is_some()
    });
    assert!(n_games >= 40, "{n_games} games");
}

/// A man that is attacked on its goal has to wait, or to outlast the other side's move.
#[test]
fn games_whose_goal_heeds_attacks_agree() {
    for (seeds, arrival) in
        [(110_000_000..110_000_400, Arrival::Safe), (120_000_000..120_000_400, Arrival::SafeOrKept)]
    {
        let n_games = check_changed(seeds, |_, _, rules| {
            rules.blast = None;
            rules.goal.as_mut().map(|goal| goal.arrival = arrival).is_some()
        });
        assert!(n_games >= 40, "{n_games} games");
    }
}

/// A double step is answered en passant only if no goal has ended the game.
#[test]
fn goals_that_heed_attacks_and_captures_en_passant_agree() {
    let men = king_rook_and_pawn("fmWfcF", "promotes-to = [\"R\"]");
    for more in ["", "flag-move = true\n", "must-capture = true\n", "stalemate-value = \"win\"\n"] {
        let rules = format!(
            "board = {{ files = 4, ranks = 5 }}\n[rules]\nflag-region-white = \"*5\"\n\
             flag-region-black = \"*1\"\nflag-piece-safe = true\n{more}"
        );
        check_text(&rules, &men, "KPvKP");
    }
}

/// A goal is reached by two men, or by one who stands there with other men on all its squares.
#[test]
fn games_whose_goal_may_be_blocked_agree() {
    let n_games = check_changed(140_000_000..140_000_800, |_, _, rules| {
        let goal = rules.goal.as_mut().filter(|goal| goal.arrival == Arrival::AtOnce);
        goal.map(|goal| (goal.n_men, goal.arrival) = (2, Arrival::Filled)).is_some()
    });
    assert!(n_games >= 40, "{n_games} games");
}

/// Pawns with lame steps: what stands beside or before them is in their way.
#[test]
fn games_with_lame_pawns_agree() {
    for (betza, rules, name) in [
        ("mfWcfFfhmnN", "", "KPvKP"),
        ("mfWcfFfhmnN", "must-capture = true", "KPPvK"),
        ("cfFfhmnN", "stalemate-value = \"win\"", "KPvKR"),
        ("fmnZfmnDfcW", "pass-on-stalemate = true", "KPvKP"),
        ("fmnZfmnAfcW", "blast-on-capture = true", "KPvKP"),
    ] {
        let rules = format!("board = {{ files = 4, ranks = 5, holes = [\"b3\"] }}\n[rules]\n{rules}");
        check_text(&rules, &king_rook_and_pawn(betza, "promotes-to = [\"R\"], double-step = false"), name);
    }
}

/// A pawn that becomes nothing does not explode on its last rank either.
#[test]
fn pawns_that_become_nothing_and_explosions_agree() {
    let men = king_rook_and_pawn("fmWfcF", "promotes-to = []");
    check_text("board = { files = 4, ranks = 5 }\n[rules]\nblast-on-capture = true", &men, "KPvKR");
}

/// A king, a rook, and a pawn that moves so and has this in its table.
fn king_rook_and_pawn(betza: &str, pawn: &str) -> String {
    format!(
        "[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
         [[piece]]\nletter = \"R\"\nbetza = \"R\"\n\
         [[piece]]\nletter = \"P\"\nbetza = \"{betza}\"\npawn = {{ {pawn} }}"
    )
}

/// A game of these rules, pieces and men.
#[track_caller]
fn check_text(rules: &str, pieces: &str, name: &str) {
    let text = format!("name = \"text\"\n{rules}\n{pieces}");
    let variant = Variant::parse(&text, "text.toml").unwrap_or_else(|report| panic!("{report}"));
    let material = Material::parse(&variant, name).unwrap().canonical(&variant);
    check_game(&variant, &material, Metric::Dtm);
}

#[test]
fn games_on_boards_of_more_than_64_squares_agree() {
    let giveaway = "must-capture = true\nstalemate-value = \"win\"\nextinction-value = \"win\"\n\
                    extinction-piece-types = \"*\"";
    let men = "[[piece]]\nletter = \"R\"\nbetza = \"R\"\n[[piece]]\nletter = \"P\"\nbetza = \"fmWfcF\"\n\
               pawn = { promotes-to = [\"R\"] }";
    let board = |more: &str| format!("board = {{ {more} }}\n[rules]");
    check_text(&format!("{}\n{giveaway}", board("files = 10, ranks = 10")), men, "RvP");
    check_text(&format!("{}\n{giveaway}", board("files = 5, ranks = 13")), men, "PvP");
    let atomic = format!("{}\nblast-on-capture = true", board("files = 5, ranks = 13, cylinder = true"));
    let king = "[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true";
    // Which leads to KRvK.
    check_text(&atomic, &format!("{king}\n{men}"), "KPvK");
}

/// Checks that each value of KPvKP follows from those of its successors, on `files` × `ranks` squares with
/// the men of losers chess and these rules only.
#[track_caller]
fn check_double_steps((files, ranks): (usize, usize), rules: &str) {
    let losers = std::fs::read_to_string(root().join("variants/losers.toml")).unwrap();
    let (_, men) = losers.split_once("[[piece]]").expect("pieces");
    let text = format!(
        "name = \"small\"\nboard = {{ files = {files}, ranks = {ranks} }}\n[rules]\n{rules}\n[[piece]]{men}"
    );
    let variant = Variant::parse(&text, "small.toml").unwrap_or_else(|report| panic!("{report}"));
    let material = Material::parse(&variant, "KPvKP").unwrap().canonical(&variant);
    let tables = SolvedTables::new(variant);
    let table = tables.solved(&material).unwrap_or_else(|error| panic!("{error}"));
    let report =
        verify(tables.variant(), &*table, &tables, &VerifyOptions::new(Metric::Dtm)).expect("all is there");
    assert!(report.is_clean() && report.n_positions > 3_000, "{report:#?}");
}

/// After a double step a capture en passant may be the only capture, or the only move, that there is. Two
/// values of the first game and one of the second depend on it.
#[test]
fn what_must_be_done_after_a_double_step_agrees() {
    check_double_steps((4, 6), "must-capture = true\nstalemate-value = \"win\"");
    let bare = "extinction-value = \"win\"\nextinction-piece-types = \"*\"\nextinction-piece-count = 1";
    check_double_steps((3, 5), &format!("pass-on-stalemate = true\n{bare}"));
}

/// Returns the game without this kind of rule; none if it cannot be taken out.
fn without(rule: Rule, variant: &Variant) -> Option<Variant> {
    let (mut variant, chess) = (variant.clone(), Rules::default());
    let rules = &mut variant.rules;
    match rule {
        Rule::Stalemate => rules.stalemate = chess.stalemate,
        Rule::Checkmate => rules.checkmate = chess.checkmate,
        Rule::MustCapture => rules.must_capture = chess.must_capture,
        Rule::NoChecks => rules.checking = chess.checking,
        Rule::Pass => rules.pass = chess.pass,
        Rule::Blast => rules.blast = chess.blast,
        Rule::Extinction => rules.extinction = chess.extinction,
        Rule::Goal => rules.goal = chess.goal,
        Rule::NoRoyal => return None,
    }
    Some(variant)
}

/// Returns the game without captures en passant.
fn without_en_passant(variant: &Variant) -> Variant {
    let mut variant = variant.clone();
    variant
        .pieces
        .iter_mut()
        .filter_map(|piece| piece.pawn.as_mut())
        .for_each(|pawn| pawn.en_passant = false);
    variant
}

/// A material of four men with pawns on both sides.
fn facing_pawns(variant: &Variant) -> Option<Material> {
    let has_pawn = |m: &Material, side| m.men().any(|man: Man| man.side == side && variant.is_pawn(man));
    let materials = Material::all(variant, 4).into_iter().filter(|material| !variant.is_over(material));
    materials.into_iter().find(|m| has_pawn(m, Side::White) && has_pawn(m, Side::Black))
}

/// Whether the rule changes a value of the game, and whether captures en passant do. The solver is compared
/// with the oracle.
fn what_matters(rule: Rule, variant: &Variant, material: &Material) -> [bool; 2] {
    check_game(variant, material, Metric::Dtm);
    let solved = |variant: &Variant| {
        let mut oracle = Oracle::new(variant);
        oracle.solve(material);
        oracle
    };
    let table = solved(variant).table(material).expect("it is solved");
    let differs =
        |other: Variant| solved(&other).differences(&table, 1).is_some_and(|found| !found.is_empty());
    [without(rule, variant).is_none_or(differs), differs(without_en_passant(variant))]
}

/// Of each rule the seed of a random game, on a board so small that the oracle is quick, in which both the
/// rule and captures en passant change values: few have such captures that matter.
const SEEDS: [(Rule, u64); 9] = [
    (Rule::Stalemate, 50_000_702),
    (Rule::Checkmate, 51_001_144),
    (Rule::MustCapture, 52_000_347),
    (Rule::NoChecks, 53_000_235),
    (Rule::Pass, 54_000_086),
    (Rule::Blast, 55_000_190),
    (Rule::Extinction, 56_000_468),
    (Rule::Goal, 57_000_469),
    (Rule::NoRoyal, 58_000_530),
];

/// A rule that no game feels is not tested.
#[test]
fn every_rule_matters_where_pawns_step_twice() {
    assert!(Rule::ALL.iter().all(|rule| SEEDS.iter().any(|(of, _)| of == rule)), "a rule has no game");
    SEEDS.into_par_iter().for_each(|(rule, seed)| {
        let variant = random_ruled_variant(seed, &[rule]);
        let material = facing_pawns(&variant).expect("pawns on both sides");
        let mattered = what_matters(rule, &variant, &material);
        assert_eq!(mattered, [true, true], "{rule:?}: the rule, and captures en passant");
    });
}
