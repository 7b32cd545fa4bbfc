//! Checks like men: who they are, in how many ways they can be exchanged, and that the number of a placement
//! does not tell them apart.

use super::game::{FOUR_BY_FOUR, game, material};
use crate::{Layout, NOWHERE, Row};
use geometry::{Square, Symmetry};
use std::collections::BTreeSet;

/// A material; the runs of like men among its free men; the ways to exchange all like men, and those to
/// exchange the frame men.
type Case = (&'static str, &'static [(usize, usize)], u32, u32);

const CASES: &[Case] = &[
    ("KRvK", &[], 1, 1),
    ("KRvKR", &[], 1, 1),
    ("KRRvK", &[(0, 2)], 2, 1),
    ("KRRvKR", &[(0, 2)], 2, 1),
    ("KRRRvK", &[(0, 3)], 6, 1),
    ("KRRvKNN", &[(0, 2), (2, 4)], 4, 1),
    ("KPPvK", &[], 2, 1),
    ("KRRPPvK", &[(0, 2)], 4, 1),
    ("KPPvKPP", &[], 4, 1),
    // Without royal men two like men may be the frame together; three are not torn apart.
    ("RRNv", &[], 2, 2),
    ("RRv", &[(0, 2)], 2, 1),
    ("RRvNN", &[(0, 2)], 4, 2),
    ("RRRv", &[(0, 3)], 6, 1),
];

#[track_caller]
fn check_like_men(&(name, like_free, n_exchanges, n_frame_exchanges): &Case) {
    let variant = game(FOUR_BY_FOUR);
    let layout = Layout::new(&variant, &material(&variant, name));
    let runs: Vec<_> = layout.like_free().iter().map(|run| (run.start, run.end)).collect();
    assert_eq!(runs, like_free, "{name}: like men among the free men");
    assert_eq!(layout.n_exchanges(), n_exchanges, "{name}: exchanges");
    assert_eq!(layout.n_frame_exchanges(), n_frame_exchanges, "{name}: exchanges of frame men");
}

#[test]
fn like_men_stand_in_runs() {
    CASES.iter().for_each(check_like_men);
}

/// Every order of the squares of three like men.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

#[test]
fn like_men_in_any_order_have_one_number() {
    let variant = game(FOUR_BY_FOUR);
    let layout = Layout::new(&variant, &material(&variant, "KRRRvK"));
    let square = Square::from_index;
    for rooks in [[5, 9, 14], [1, 2, 3], [4, 11, 12]] {
        let squares =
            |order: [usize; 3]| [0, rooks[order[0]], rooks[order[1]], rooks[order[2]], 10].map(square);
        let numbers: BTreeSet<_> = ORDERS.iter().map(|&order| layout.encode(&squares(order))).collect();
        assert_eq!(numbers.len(), 1, "{rooks:?}");
        let number = numbers.first().copied().flatten().expect("the kings stand apart");
        let decoded = layout.decode(number);
        assert!(decoded[1] < decoded[2] && decoded[2] < decoded[3], "{rooks:?} are {decoded:?}");
        assert!(layout.is_canonical(number, &decoded));
        // Every order has its own place in a table in memory, where like men are not sorted.
        let extent = crate::Extent::new(&layout, None);
        let places: BTreeSet<_> =
            ORDERS.iter().map(|&order| layout.place(&extent, &squares(order))).collect();
        assert_eq!(places.len(), ORDERS.len(), "{rooks:?}");
        for order in ORDERS {
            let squares = squares(order);
            let mut room = [NOWHERE; 16];
            let rows = layout.rows(&extent, Symmetry::IDENTITY, &squares, None, 3);
            let Row::Even { start, step, permutation } = rows.at(square(0), &mut room) else {
                panic!("the row of a free man has a step")
            };
            let own = start + step * usize::from(permutation[squares[3].index()]);
            assert_eq!(Some(own), layout.place(&extent, &squares), "{squares:?}");
        }
    }
}
