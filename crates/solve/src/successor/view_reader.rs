//! Reads the values behind a capture or a pawn move in the terms of the men that are left.

use geometry::Square;
use index::MAX_PLACED;
use table::{ValueRows, View};
use variant::Side;

/// The rows of values behind a move, in which the man at place `gone` has been captured.
pub(crate) fn after<'v>(
    view: &'v View<'v>,
    stm: Side,
    squares: &[Square; MAX_PLACED],
    n_men: usize,
    gone: Option<usize>,
    row_man: Option<usize>,
    varying: usize,
) -> ValueRows<'v> {
    let (left, n) = without(squares, n_men, gone);
    let place = |man: usize| man - usize::from(gone.is_some_and(|gone| man > gone));
    view.rows(stm, &left[..n], row_man.map(place), place(varying))
}

/// The squares of the men that are left, and how many they are.
pub(super) fn without(
    squares: &[Square; MAX_PLACED],
    n_men: usize,
    gone: Option<usize>,
) -> ([Square; MAX_PLACED], usize) {
    let mut left = *squares;
    match gone {
        None => (left, n_men),
        Some(gone) => {
            left.copy_within(gone + 1..n_men, gone);
            (left, n_men - 1)
        }
    }
}
