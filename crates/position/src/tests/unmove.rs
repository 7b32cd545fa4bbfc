//! Checks that a move leads from `a` to `b` if and only if an unmove leads from `b` to `a`, on small
//! boards.

use super::game::{chess, position, sergeants, small, small_berolina, small_zoo};
use crate::{Position, RuleBook};
use geometry::Board;
use std::collections::HashSet;
use variant::{Man, Material, PieceId, Side};

/// Every legal position of the material and of what its captures and promotions leave, with every right to
/// capture en passant that there can be.
pub(super) fn positions(book: &RuleBook, material: &Material) -> Vec<Position> {
    let board = &book.variant().board;
    let mut all = Vec::new();
    for stm in Side::BOTH {
        let mut partial = vec![Position::empty(stm)];
        for man in material.men() {
            let zone = book.variant().zone(man);
            partial = partial
                .iter()
                .flat_map(|p| board.squares().map(move |s| (p, s)))
                .filter(|&(p, s)| zone.contains(s) && p.man_on(s).is_none())
                .map(|(p, s)| {
                    let mut next = p.clone();
                    next.put(man, s);
                    next
                })
                .collect();
        }
        for position in partial.into_iter().filter(|p| p.is_legal(book)) {
            let rights = position.en_passant_rights(book);
            all.extend(rights.into_iter().map(|right| position.clone().with_en_passant(Some(right))));
            all.push(position);
        }
    }
    all
}

/// A number that differs for different positions of up to four men, whatever their clocks.
fn key(position: &Position) -> u64 {
    let right = position.en_passant().map_or(0, |right| 1 + 64 * right.passed.index() + right.victim.index());
    let rest = (right * 2 + position.stm().index()) as u64;
    position.men().fold(rest, |key, (man, square)| {
        let man = man.side.index() * 8 + man.piece.0 as usize;
        key << 10 | (man * 64 + square.index()) as u64
    })
}

#[track_caller]
fn check_inverse(book: &RuleBook, before: &str, after: &[&str]) {
    let parse = |name: &str| Material::parse(book.variant(), name).unwrap();
    let before = parse(before);
    let after: Vec<Material> = after.iter().map(|name| parse(name)).chain([before.clone()]).collect();
    let material = |p: &Position| p.material();
    let mut forward = HashSet::new();
    for a in positions(book, &before) {
        a.for_each_successor(book, |mv, b| {
            // A right to capture en passant that is not used is lost without a trace: see `unmove`.
            if a.en_passant().is_none() || mv.is_en_passant() {
                assert!(after.contains(&material(b)), "{} leads to {}", a.to_fen(book), b.to_fen(book));
                forward.insert((key(&a), key(b)));
            }
        });
    }
    let mut backward = HashSet::new();
    let pieces: Vec<PieceId> =
        book.variant().piece_ids().filter(|&p| !book.variant().piece(p).royal).collect();
    for b in after.iter().flat_map(|material| positions(book, material)) {
        // A position with a right that only a double step leaves is no successor of anything without one.
        let unmoves = b.unmoves(book, &pieces);
        let keys: HashSet<u64> = unmoves.iter().map(key).collect();
        assert_eq!(keys.len(), unmoves.len(), "{}", b.to_fen(book));
        for a in unmoves.iter().filter(|a| material(a) == before) {
            backward.insert((key(a), key(&b)));
        }
    }
    assert!(!forward.is_empty());
    check_quiet(book, &before);
    // The numbers say little to a reader, so the first difference is looked up.
    if let Some(pair) = forward.symmetric_difference(&backward).next() {
        let all: Vec<Position> = after.iter().flat_map(|material| positions(book, material)).collect();
        let fen = |number| all.iter().find(|p| key(p) == number).map(|p| p.to_fen(book));
        panic!("{:?} -> {:?} only forward: {}", fen(pair.0), fen(pair.1), forward.contains(pair));
    }
}

/// Compares the quiet moves of men that are no pawns, and passes, with the quiet unmoves.
fn check_quiet(book: &RuleBook, material: &Material) {
    let mut all = positions(book, material);
    all.retain(|position| position.en_passant().is_none());
    let (mut forward, mut backward) = (Vec::new(), Vec::new());
    for a in &all {
        a.for_each_successor(book, |mv, b| forward.extend((!mv.zeroing).then(|| (key(a), key(b)))));
    }
    // In the others the game is over, or a capture compulsory.
    let moving: HashSet<u64> = forward.iter().map(|&(a, _)| a).collect();
    let can_move = |a: &Position| a.is_legal(book) && moving.contains(&key(a));
    for b in &all {
        b.for_each_quiet_unmove(book, &mut |a| backward.extend(can_move(a).then(|| (key(a), key(b)))));
    }
    forward.sort_unstable();
    backward.sort_unstable();
    assert!(!forward.is_empty() && forward == backward, "{} and {}", forward.len(), backward.len());
}

#[test]
fn moves_and_unmoves_are_inverse() {
    check_inverse(&small(), "KDvK", &["KvK"]);
    check_inverse(&small(), "KvKR", &["KvK"]);
    check_inverse(&small(), "KPvK", &["KvK", "KDvK", "KRvK"]);
    check_inverse(&small_berolina(), "KPvKP", &["KPvK", "KvKP", "KPvKR", "KRvKP", "KRvK", "KvKR"]);
    check_inverse(&sergeants(), "KSvKS", &["KSvK", "KvKS", "KSvKN", "KNvKS", "KNvK", "KvKN"]);
}

/// Lame men, hoppers and circles, on a board with holes and on a cylinder.
#[test]
fn moves_and_unmoves_are_inverse_whatever_the_path() {
    let book = small_zoo(Board::new(4, 5).unwrap().with_joined_files());
    check_inverse(&book, "KCvKG", &["KCvK", "KvKG"]);
    check_inverse(&book, "KGvKM", &["KGvK", "KvKM"]);
}

#[test]
fn moves_and_unmoves_are_inverse_around_holes() {
    let board = Board::new(5, 4).unwrap();
    let holes = ["c3", "b1"].iter().filter_map(|name| board.square_named(name)).collect();
    let book = small_zoo(board.with_holes(holes).unwrap());
    check_inverse(&book, "KMvKO", &["KMvK", "KvKO"]);
    check_inverse(&book, "KGvKM", &["KGvK", "KvKM"]);
}

#[test]
fn an_unmove_puts_back_what_was_captured() {
    let book = chess();
    let queen = book.variant().piece_lettered('Q').unwrap();
    let b = position(&book, "7k/8/8/8/8/1K6/8/8 b - - 0 1");
    let unmoves = b.unmoves(&book, &[queen]);
    assert_eq!(unmoves.iter().filter(|a| a.n_men() == 2).count(), 8);
    let man = Man { side: Side::Black, piece: queen };
    let uncaptures: Vec<_> = unmoves.iter().filter(|a| a.n_men() == 3).collect();
    assert_eq!(uncaptures.len(), 8);
    assert!(
        uncaptures
            .iter()
            .all(|a| a.men().any(|(m, s)| m == man && Some(s) == book.variant().board.square_named("b3")))
    );
}
