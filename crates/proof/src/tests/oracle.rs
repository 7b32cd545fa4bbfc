//! Compares the oracle with published numbers, with a plain search, and with itself under symmetries.

use super::{Tables, chess, material, placements, with_two_promotions};
use crate::numbering::with_rights;
use crate::{Oracle, Rule, random_castling, random_material, random_ruled_variant, random_variant};
use geometry::Square;
use position::{Position, RuleBook};
use table::{Ply, Value};
use variant::{Castling, Material, PieceId, Side, Variant};

/// The longest wins of White and losses of Black in plies, over all placements.
fn longest(oracle: &Oracle, material: &Material) -> [u16; 2] {
    let mut longest = [0; 2];
    for position in placements(oracle.book().variant(), material) {
        match (position.stm(), oracle.value(&position).unwrap()) {
            (Side::White, Value::Win(ply)) => longest[0] = ply.0.max(longest[0]),
            (Side::Black, Value::Loss(ply)) => longest[1] = ply.0.max(longest[1]),
            _ => {}
        }
    }
    longest
}

#[track_caller]
fn check_longest(n: usize, name: &str, moves: u16) {
    let variant = chess(n, n);
    let material = material(&variant, name);
    let mut oracle = if n > 5 { Oracle::folded(&variant) } else { Oracle::new(&variant) };
    oracle.solve(&material);
    assert_eq!(longest(&oracle, &material), [2 * moves - 1, 2 * moves], "{name} on {n}×{n}");
}

/// Source: OEIS A225552 (queen) and A225551 (rook): the longest mates in moves on n×n boards, n = 3, 4, …
#[test]
fn king_and_queen_and_king_and_rook_on_square_boards() {
    for (n, moves) in (3..=8).zip([1, 4, 6, 7, 8, 10]) {
        check_longest(n, "KQvK", moves);
    }
    for (n, moves) in (3..=8).zip([3, 7, 10, 12, 14, 16]) {
        check_longest(n, "KRvK", moves);
    }
}

/// What a player can force within `depth` plies, found by trying everything.
fn search(book: &RuleBook, position: &Position, depth: u16) -> Option<Value> {
    let moves = position.legal_moves(book);
    if moves.is_empty() {
        return Some(match position.winner(book) {
            None => Value::Stalemate,
            Some(winner) if winner == position.stm() => Value::Win(Ply(1)),
            Some(_) => Value::Loss(Ply(0)),
        });
    }
    if depth == 0 {
        return None;
    }
    let replies: Vec<Option<Value>> =
        moves.iter().map(|&mv| search(book, &position.play(mv), depth - 1)).collect();
    let wins = replies.iter().filter_map(|v| if let Some(Value::Loss(p)) = v { Some(p.0 + 1) } else { None });
    if let Some(ply) = wins.min() {
        return Some(Value::Win(Ply(ply)));
    }
    let wins_of_other =
        replies.iter().map(|v| if let Some(Value::Win(p)) = v { Some(p.0 + 1) } else { None });
    Some(Value::Loss(Ply(wins_of_other.collect::<Option<Vec<u16>>>()?.into_iter().max()?)))
}

/// Every position, with each right to capture en passant and all rights to castle that there can be, searched
/// `depth` plies deep.
#[track_caller]
fn check_search(variant: &Variant, material: &Material, depth: u16) -> usize {
    let mut oracle = Oracle::new(variant).with_castling();
    oracle.solve(material);
    let book = oracle.book();
    let mut n_decided = 0;
    for plain in placements(variant, material).into_iter().filter(|p| p.is_legal(book)) {
        let rights = plain.en_passant_rights(book).into_iter().map(Some).chain([None]);
        let rights = rights.map(|right| plain.clone().with_en_passant(right));
        for position in rights.chain(with_rights(book, &plain)) {
            let value = oracle.value(&position).unwrap();
            let fen = position.to_fen(book);
            match search(book, &position, depth) {
                Some(found) => {
                    n_decided += 1;
                    assert_eq!(value, found, "{} {} {fen}", variant.name, material.name(variant));
                }
                None => assert!(value.ply().is_none_or(|ply| ply.0 > depth), "{fen}: {value:?}"),
            }
        }
    }
    n_decided
}

#[test]
fn a_plain_search_finds_the_same() {
    let variant = with_two_promotions(chess(3, 5));
    assert!(check_search(&variant, &material(&variant, "KPvKP"), 3) > 0);
    let mut n_decided = 0;
    let small = (0u64..).filter(|&seed| random_variant(seed).board.n_squares() <= 16);
    for seed in small.take(30) {
        let variant = random_variant(seed);
        n_decided += check_search(&variant, &random_material(&variant, 3, seed), 2);
    }
    assert!(n_decided > 1000, "{n_decided}");
}

/// Searches positions under rules that chess does not have, each alone and all together.
#[test]
fn a_plain_search_finds_the_same_under_any_rules() {
    let alone = Rule::ALL.map(|rule| vec![rule]);
    for kinds in alone.iter().chain([&Rule::ALL.to_vec(), &Rule::ALL.to_vec(), &Rule::ALL.to_vec()]) {
        let mut n_decided = 0;
        let first = 800_000 + 1000 * kinds[0] as u64 + kinds.len() as u64;
        let small = (first..).map(|seed| (seed, random_ruled_variant(seed, kinds)));
        for (seed, variant) in small.filter(|(_, variant)| variant.board.n_squares() <= 16).take(12) {
            n_decided += check_search(&variant, &random_material(&variant, 3, seed), 2);
        }
        assert!(n_decided > 300, "{kinds:?}: {n_decided}");
    }
}

#[test]
fn a_plain_search_finds_the_same_with_castling() {
    let with_castling = |seed| random_castling(&random_variant(seed), seed).map(|variant| (seed, variant));
    let small = (850_000_u64..).filter_map(with_castling).filter(|(_, v)| v.board.n_squares() <= 16);
    let mut n_decided = 0;
    for (seed, variant) in small.take(30) {
        n_decided += check_search(&variant, &random_material(&variant, 3, seed), 2);
    }
    assert!(n_decided > 1000, "{n_decided}");
}

/// What the right is worth: mates by castling, and each right as its own number.
#[test]
fn a_right_to_castle_changes_values() {
    let mut variant = chess(5, 4);
    variant.rules.castling = Some(Castling {
        king: PieceId(0),
        rooks: vec![PieceId(2)],
        rank: 0,
        king_file: 2,
        rook_files: [4, 0],
        king_targets: [3, 1],
        any_files: false,
    });
    let material = material(&variant, "KRvK");
    let mut oracle = Oracle::new(&variant);
    oracle.solve(&material);
    let mut with_castling = Oracle::folded(&variant).with_castling();
    with_castling.solve(&material);
    let book = oracle.book();
    let (mut n_positions, mut n_changed) = (0, 0);
    for plain in placements(&variant, &material) {
        for position in with_rights(book, &plain) {
            let value = with_castling.value(&position).unwrap();
            assert_eq!(oracle.value(&position), None);
            assert_eq!(oracle.value(&plain), with_castling.value(&plain));
            // One more move is never worse for its side.
            let without = oracle.value(&plain).unwrap();
            let order = value.preference(&without);
            assert!(if position.stm() == Side::White { order.is_ge() } else { order.is_le() });
            n_positions += 1;
            n_changed += usize::from(order.is_ne());
        }
    }
    assert!(n_positions > 40 && n_changed > 0, "{n_changed} of {n_positions}");
}

/// Two bare royal men of which the rules say so; who steps, jumps or rides how, and round what.
#[test]
fn what_the_rules_prove_drawn_is_drawn() {
    let mut n_drawn = 0;
    for seed in 704_500..706_000 {
        let variant = random_variant(seed);
        let bare = material(&variant, "KvK");
        if !variant.is_always_drawn(&bare) {
            continue;
        }
        n_drawn += 1;
        let mut oracle = Oracle::new(&variant);
        oracle.solve(&bare);
        for position in placements(&variant, &bare) {
            let value = oracle.value(&position).unwrap();
            let is_drawn = matches!(value, Value::Illegal | Value::Draw | Value::Stalemate);
            assert!(is_drawn, "seed {seed}: {} is {value:?}", position.to_fen(oracle.book()));
        }
    }
    assert!(n_drawn > 300, "{n_drawn}");
}

#[test]
fn symmetries_change_no_value() {
    let mut cases: Vec<(Variant, Material)> =
        (0..6).map(random_variant).map(|v| (v.clone(), random_material(&v, 3, 5))).collect();
    let small = chess(4, 4);
    cases.push((small.clone(), material(&small, "KRvKN")));
    cases.push((small.clone(), material(&small, "KNNvK")));
    let narrow = with_two_promotions(chess(3, 5));
    cases.push((narrow.clone(), material(&narrow, "KPvKP")));
    for (variant, material) in cases {
        let (mut plain, mut folded) = (Oracle::new(&variant), Oracle::folded(&variant));
        plain.solve(&material);
        folded.solve(&material);
        let table = folded.table(&material).unwrap();
        let differences = plain.differences(&table, 3).unwrap();
        assert!(differences.is_empty(), "{} {}: {}", variant.name, material.name(&variant), differences[0]);
    }
}

/// The materials that KRvKN leads to may be solved on the way or come from tables.
#[test]
fn four_men_on_a_large_board() {
    let variant = chess(6, 6);
    let (mut oracle, krkn) = (Oracle::folded(&variant), material(&variant, "KRvKN"));
    oracle.solve(&krkn);
    let folded = oracle.table(&krkn).unwrap();
    let mut tables = Tables::default();
    for name in ["KRvK", "KNvK"] {
        let material = material(&variant, name);
        let mut oracle = Oracle::folded(&variant);
        oracle.solve(&material);
        tables.0.insert(material.clone(), oracle.table(&material).unwrap().into());
    }
    let mut oracle = Oracle::folded(&variant);
    oracle.solve_with(&krkn, &tables).unwrap();
    assert_eq!(oracle.differences(&folded, 3).unwrap(), []);
    assert!(Oracle::folded(&variant).solve_with(&krkn, &Tables::default()).is_err());
}

/// White's double step, and what Black's capture en passant makes of it, on a board of three files and six
/// ranks.
#[test]
fn en_passant_changes_values() {
    let variant = with_two_promotions(chess(3, 6));
    let material = material(&variant, "KPvKP");
    let mut oracle = Oracle::new(&variant);
    oracle.solve(&material);
    let book = oracle.book();
    let mut n_changed = 0;
    for plain in placements(&variant, &material).into_iter().filter(|p| p.is_legal(book)) {
        for right in plain.en_passant_rights(book) {
            let with = plain.clone().with_en_passant(Some(right));
            n_changed += usize::from(oracle.value(&with) != oracle.value(&plain));
        }
    }
    assert!(n_changed > 0);
    let other = Position::from_men(plain_kings(&variant), Side::White).unwrap();
    assert_eq!(oracle.value(&other), Some(Value::Draw));
}

fn plain_kings(variant: &Variant) -> impl Iterator<Item = (variant::Man, Square)> {
    let last = variant.board.n_squares() - 1;
    let royal = variant.only_royal().unwrap();
    Side::BOTH.into_iter().map(move |side| {
        let square = Square::from_index(if side == Side::White { 0 } else { last });
        (variant::Man { side, piece: royal }, square)
    })
}
