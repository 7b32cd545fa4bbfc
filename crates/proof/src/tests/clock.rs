//! Compares the oracle under the n-move rule with games played out, for every state of the clock.

use super::{chess, material, placements, with_two_promotions};
use crate::{Oracle, random_material, random_variant};
use position::{EnPassant, Position, RuleBook};
use std::collections::HashMap;
use table::Value;
use variant::{Material, Metric, Rules, Side, Stalemate, Variant};

/// A position with its clock, whatever the number of the move.
type Key = (Vec<(Side, u8, usize)>, Side, Option<EnPassant>, u32);

/// Plays games to their end, each position once.
struct Referee<'a> {
    book: &'a RuleBook,
    rule_plies: u32,
    seen: HashMap<Key, i8>,
}

impl Referee<'_> {
    /// 1 if the side to move wins under the rule, 0 if the game is drawn, −1 if it loses.
    fn result(&mut self, position: &Position) -> i8 {
        let men = position.men().map(|(man, square)| (man.side, man.piece.0, square.index())).collect();
        let key = (men, position.stm(), position.en_passant(), position.halfmove_clock());
        if let Some(&result) = self.seen.get(&key) {
            return result;
        }
        let moves = position.legal_moves(self.book);
        let result = if moves.is_empty() {
            let loses = self.book.variant().rules.stalemate == Stalemate::Loss;
            if loses || position.is_in_check(self.book) { -1 } else { 0 }
        } else if position.halfmove_clock() >= self.rule_plies {
            0
        } else {
            moves.iter().map(|&mv| -self.result(&position.play(mv))).max().unwrap_or(0)
        };
        self.seen.insert(key, result);
        result
    }
}

/// How many positions of a check are decided under the rule, and how many only without it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Counts {
    n_real: usize,
    n_cursed: usize,
}

/// Every position, with every right to capture en passant and every state of the clock.
#[track_caller]
fn check_clock(variant: &Variant, material: &Material) -> Counts {
    let mut oracle = Oracle::new(variant).counting(Metric::Dtz50);
    oracle.solve(material);
    let Some(rule_plies) = variant.rules.rule_plies() else { return Counts::default() };
    let book = oracle.book();
    let mut referee = Referee { book, rule_plies: rule_plies.into(), seen: HashMap::new() };
    let mut counts = Counts::default();
    for plain in placements(variant, material).into_iter().filter(|p| p.is_legal(book)) {
        let rights = plain.en_passant_rights(book).into_iter().map(Some).chain([None]);
        for position in rights.map(|right| plain.clone().with_en_passant(right)) {
            let value = oracle.value(&position).unwrap();
            for clock in 0..=rule_plies {
                let now = position.clone().with_halfmove_clock(clock.into());
                let is_real = value.ply().is_some_and(|ply| ply.0 <= rule_plies - clock);
                let expected = if is_real { value.wdl().unwrap() } else { 0 };
                let fen = now.to_fen(book);
                assert_eq!(referee.result(&now), expected, "{} {fen}: {value:?}", variant.name);
            }
            counts.n_real += usize::from(value.ply().is_some_and(|ply| ply.0 <= rule_plies));
            counts.n_cursed += usize::from(value.ply().is_some_and(|ply| ply.0 > rule_plies));
        }
    }
    counts
}

/// Chess on a small board with a short rule: games are decided with it, and some that would be without it are
/// not.
#[track_caller]
fn check_chess(files: usize, ranks: usize, name: &str, n_move_rule: u16) {
    let rules = Rules { n_move_rule: Some(n_move_rule), ..Rules::default() };
    let variant = Variant { rules, ..with_two_promotions(chess(files, ranks)) };
    let counts = check_clock(&variant, &material(&variant, name));
    assert!(counts.n_real > 0 && counts.n_cursed > 0, "{name}, {n_move_rule} moves: {counts:?}");
}

#[test]
fn three_men_at_every_clock() {
    check_chess(4, 4, "KQvK", 1);
    check_chess(4, 4, "KQvK", 2);
    check_chess(4, 4, "KRvK", 3);
    check_chess(4, 4, "KRvK", 5);
    check_chess(5, 5, "KRvK", 2);
    check_chess(4, 4, "KPvK", 2);
    check_chess(5, 5, "KPvK", 3);
}

#[test]
fn four_men_with_captures_and_pawns_at_every_clock() {
    check_chess(3, 4, "KQvKR", 2);
    check_chess(3, 4, "KRvKN", 3);
    check_chess(3, 4, "KPPvK", 2);
    check_chess(3, 5, "KPvKP", 2);
}

#[test]
fn random_games_at_every_clock() {
    let mut sum = Counts::default();
    for seed in 0..110 {
        let variant = random_variant(seed);
        let is_short = variant.rules.rule_plies().is_some_and(|plies| plies <= 8);
        if is_short && variant.board.n_squares() <= 20 {
            let counts = check_clock(&variant, &random_material(&variant, 3, seed));
            sum = Counts { n_real: sum.n_real + counts.n_real, n_cursed: sum.n_cursed + counts.n_cursed };
        }
    }
    assert!(sum.n_real > 10_000 && sum.n_cursed > 1000, "{sum:?}");
}

/// Mate on the last ply of the rule is mate, and a win one ply longer is none.
#[test]
fn mate_goes_before_the_rule() {
    let rules = Rules { n_move_rule: Some(2), ..Rules::default() };
    let variant = Variant { rules, ..chess(8, 8) };
    let krk = material(&variant, "KRvK");
    let mut oracle = Oracle::folded(&variant).counting(Metric::Dtz50);
    oracle.solve(&krk);
    let check = |fen: &str, expected: Value| {
        let position = Position::from_fen(oracle.book(), fen).unwrap();
        assert_eq!(oracle.value(&position), Some(expected), "{fen}");
    };
    let ply = table::Ply;
    check("R5k1/8/6K1/8/8/8/8/8 b - - 4 9", Value::Loss(ply(0)));
    check("6k1/8/6K1/8/8/8/8/R7 w - - 3 9", Value::Win(ply(1)));
    check("7k/8/6K1/8/8/8/8/R7 b - - 2 9", Value::Loss(ply(2)));
    check("7k/8/5K2/8/8/8/8/R7 w - - 1 9", Value::Win(ply(3)));
}
