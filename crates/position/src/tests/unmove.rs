//! A move leads from `a` to `b` if and only if an unmove leads from `b` to `a`: every position of small boards.

use super::game::{chess, position, sergeants, small, small_berolina};
use crate::{Position, RuleBook};
use std::collections::BTreeSet;
use variant::{Man, Material, PieceId, Side};

/// Every legal position of the material and of what its captures and promotions leave, with every right to capture
/// en passant that there can be.
fn positions(book: &RuleBook, material: &Material) -> Vec<Position> {
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
    // Like men can be exchanged, so the same position comes several times.
    let mut seen = BTreeSet::new();
    all.retain(|p| seen.insert(p.to_fen(book)));
    all
}

/// Text that leaves out the clocks.
fn key(book: &RuleBook, position: &Position) -> String {
    let fen = position.to_fen(book);
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check_inverse(book: &RuleBook, before: &str, after: &[&str]) {
    let parse = |name: &str| Material::parse(book.variant(), name).unwrap();
    let before = parse(before);
    let after: Vec<Material> = after.iter().map(|name| parse(name)).chain([before.clone()]).collect();
    let material = |p: &Position| Material::from_men(p.men().map(|(man, _)| man));
    let mut forward = BTreeSet::new();
    for a in positions(book, &before) {
        a.for_each_successor(book, |mv, b| {
            // A right to capture en passant that is not used is lost without a trace: see `unmove`.
            if a.en_passant().is_none() || mv.is_en_passant() {
                assert!(after.contains(&material(b)), "{} leads to {}", a.to_fen(book), b.to_fen(book));
                forward.insert((key(book, &a), key(book, b)));
            }
        });
    }
    let mut backward = BTreeSet::new();
    let pieces: Vec<PieceId> = book.variant().piece_ids().filter(|&p| p != book.variant().royal()).collect();
    for b in after.iter().flat_map(|material| positions(book, material)) {
        // A position with a right that only a double step leaves is no successor of anything without one.
        let unmoves = b.unmoves(book, &pieces);
        let keys: BTreeSet<String> = unmoves.iter().map(|a| key(book, a)).collect();
        assert_eq!(keys.len(), unmoves.len(), "{}", b.to_fen(book));
        for a in unmoves.iter().filter(|a| material(a) == before) {
            backward.insert((key(book, a), key(book, &b)));
        }
    }
    assert!(!forward.is_empty());
    if let Some(difference) = forward.symmetric_difference(&backward).next() {
        panic!("{} -> {} is only one way", difference.0, difference.1);
    }
}

#[test]
fn moves_and_unmoves_are_inverse() {
    check_inverse(&small(), "KDvKR", &["KDvK", "KvKR"]);
    check_inverse(&small(), "KPvK", &["KvK", "KDvK", "KRvK"]);
    check_inverse(&small_berolina(), "KPvKP", &["KPvK", "KvKP", "KPvKR", "KRvKP", "KRvK", "KvKR"]);
    check_inverse(&sergeants(), "KSvKS", &["KSvK", "KvKS", "KSvKN", "KNvKS", "KNvK", "KvKN"]);
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
