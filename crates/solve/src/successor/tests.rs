//! Checks that each event is due at its ply and at no other, in the order in which it was found.

use super::Decisions;
use super::event::Events;

/// A ply, a word and its bits.
type DueBits = (u16, usize, u64);

fn gathered(won: &[DueBits]) -> Decisions<u64> {
    let mut decisions = Decisions::default();
    won.iter().for_each(|&(ply, word, bits)| decisions.won.add(ply, word, bits));
    decisions
}

/// The words and bits due at a ply.
fn due(events: &Events<u64>, ply: usize) -> Vec<(usize, u64)> {
    let mut due = Vec::new();
    events.for_each_due(ply, |word, bits| due.push((word, bits)));
    due
}

/// What is due ply by ply once the wins of these parts are sorted: of each part single bits first.
#[track_caller]
fn check_due(parts: &[&[DueBits]], expected: &[&[(usize, u64)]]) {
    let parts: Vec<Decisions<u64>> = parts.iter().map(|part| gathered(part)).collect();
    let (won, lost): (Vec<_>, Vec<_>) = parts.iter().map(Decisions::sorted).unzip();
    let (won, lost) = (Events::joined(won), Events::joined(lost));
    assert_eq!((won.end(), lost.end()), (expected.len(), 0));
    for (ply, expected) in expected.iter().enumerate() {
        assert_eq!(due(&won, ply), *expected, "ply {ply}");
    }
    for ply in [expected.len(), expected.len() + 1, usize::from(u16::MAX)] {
        assert_eq!((due(&won, ply), due(&lost, ply)), (Vec::new(), Vec::new()), "ply {ply}");
    }
}

#[test]
fn nothing_is_due_where_nothing_was_found() {
    check_due(&[], &[]);
    check_due(&[&[], &[]], &[]);
}

#[test]
fn bits_are_due_at_their_plies() {
    check_due(&[&[(0, 7, 1)]], &[&[(7, 1)]]);
    check_due(&[&[(3, 7, 1 << 63)]], &[&[], &[], &[], &[(7, 1 << 63)]]);
    check_due(&[&[(2, 5, 0b110), (0, 5, 1), (2, 4, 8)]], &[&[(5, 1)], &[], &[(4, 8), (5, 0b110)]]);
}

#[test]
fn parts_follow_each_other() {
    let first: &[DueBits] = &[(1, 9, 1), (1, 2, 3), (0, 4, 4)];
    let second: &[DueBits] = &[(1, 1, 2), (1, 9, 5)];
    check_due(&[first, second], &[&[(4, 4)], &[(9, 1), (2, 3), (1, 2), (9, 5)]]);
    check_due(&[second, first], &[&[(4, 4)], &[(1, 2), (9, 5), (9, 1), (2, 3)]]);
}
