//! Checks `Between` on words of a few squares.

use super::Between;

/// Squares as bits.
fn squares(list: &[usize]) -> u64 {
    list.iter().fold(0, |bits, square| bits | 1 << square)
}

/// What is left of a move among men on `taken`, and where one more man makes or leaves it possible.
#[track_caller]
fn check(
    (empty, hurdle): (&[usize], &[usize]),
    taken: &[usize],
    left: Option<(&[usize], &[usize])>,
    suited: u64,
) {
    let between = |(empty, hurdle)| Between { empty: squares(empty), hurdle: squares(hurdle) };
    let asked = between((empty, hurdle));
    let taken = squares(taken);
    assert_eq!(asked.given(taken), left.map(between), "what is left of {asked:?} with {taken:b}");
    assert_eq!(asked.mask(taken), suited, "where one more man suits {asked:?} with {taken:b}");
    // A further man on a square of the mask is just what makes the move possible.
    for one in (0..8).filter(|&one| taken >> one & 1 == 0) {
        assert_eq!(
            asked.allows(taken | 1 << one),
            suited >> one & 1 == 1,
            "{asked:?} with {taken:b} and {one}"
        );
    }
}

#[test]
fn neighbours_ask_nothing() {
    assert!(Between::<u64>::NOTHING.is_nothing());
    check((&[], &[]), &[], Some((&[], &[])), !0);
    check((&[], &[]), &[1, 2], Some((&[], &[])), !0);
}

#[test]
fn riders_ask_for_empty_squares() {
    check((&[2, 3], &[]), &[], Some((&[2, 3], &[])), !0b1100);
    check((&[2, 3], &[]), &[1, 5], Some((&[2, 3], &[])), !0b1100);
    check((&[2, 3], &[]), &[3], None, 0);
}

#[test]
fn hoppers_ask_for_exactly_one_man() {
    check((&[], &[2, 3]), &[], Some((&[], &[2, 3])), 0b1100);
    check((&[], &[2, 3]), &[2], Some((&[3], &[])), !0b1000);
    check((&[], &[2, 3]), &[2, 3], None, 0);
    check((&[1], &[2]), &[], Some((&[1], &[2])), 0b100);
    check((&[1], &[2]), &[2], Some((&[1], &[])), !0b10);
    check((&[1], &[2]), &[1, 2], None, 0);
}
