//! Checks the order of slices, and where pawn moves lead.

use super::game::{FOUR_BY_FIVE, FOUR_BY_FOUR, LEFT_HANDED, THREE_BY_FIVE, game, material};
use crate::{Layout, SliceId};
use geometry::Square;
use std::collections::BTreeSet;
use variant::Variant;

/// A placement with the pawns of a slice, the mobile men on any squares on which they can stand.
fn placement(layout: &Layout, slice: SliceId) -> Vec<Square> {
    layout.decode(slice.span(layout.slice_len()).start).to_vec()
}

/// The squares to which a pawn's single and double steps lead, whatever stands there, as far as it may stand
/// there.
fn targets(variant: &Variant, layout: &Layout, pawn: usize, from: Square) -> Vec<Square> {
    let man = layout.men()[pawn];
    let rules = variant.pawn_rules(man).expect("a pawn");
    let mut targets = Vec::new();
    for ray in variant.movement(man).rays() {
        let Some(once) = variant.board.offset(from, ray.step) else { continue };
        targets.push(once);
        if ray.quiet && rules.double_step_from.contains(from) {
            targets.extend(variant.board.offset(once, ray.step));
        }
    }
    targets.retain(|&s| rules.zone.contains(s));
    targets
}

/// Every pawn move leads to an earlier level, levels follow each other, and no slice is there twice.
#[track_caller]
fn check_slices(toml: &str, name: &str, n_slices: usize, n_moves: usize) {
    let variant = game(toml);
    let layout = Layout::new(&variant, &material(&variant, name));
    assert_eq!(layout.n_slices(), n_slices, "{name}: slices");
    let together: Vec<SliceId> = layout.levels().iter().flat_map(Clone::clone).collect();
    assert!(together.into_iter().eq(layout.slices()), "{name}: levels {:?}", layout.levels());
    let choices: BTreeSet<&[Square]> = layout.slices().map(|slice| layout.pawn_squares(slice)).collect();
    assert_eq!(choices.len(), n_slices, "{name}: slices with the same pawns");
    let level_of = |slice: SliceId| layout.levels().iter().position(|level| level.contains(slice)).unwrap();
    let slice_of = |number: usize| SliceId::from_index(number / layout.slice_len());
    let mut n_found = 0;
    for slice in layout.slices() {
        let standing = placement(&layout, slice);
        assert_eq!(layout.encode(&standing).map(slice_of), Some(slice), "{name}: {standing:?}");
        for (&pawn, &from) in layout.pawns().iter().zip(layout.pawn_squares(slice)) {
            assert_eq!(standing[pawn], from, "{name}: a pawn of slice {slice}");
            for target in targets(&variant, &layout, pawn, from) {
                if layout.pawn_squares(slice).contains(&target) {
                    continue;
                }
                let mut moved = standing.clone();
                moved[pawn] = target;
                let to = slice_of(layout.encode(&moved).expect(name));
                assert!(level_of(to) < level_of(slice), "{name}: {standing:?} to {moved:?}, {slice} to {to}");
                n_found += 1;
            }
        }
    }
    assert_eq!(n_found, n_moves, "{name}: pawn moves");
}

#[test]
fn pawn_moves_lead_to_earlier_slices() {
    // Without a pawn there is one slice and no way out of it.
    check_slices(FOUR_BY_FOUR, "KRvK", 1, 0);
    // 4×2 squares, mirrored; from the lower rank 4 steps ahead and 6 captures, mirrored.
    check_slices(FOUR_BY_FOUR, "KPvK", 4, 5);
    // Pairs of squares, mirrored: 8×7/2. Each of 10 moves of either pawn leaves the other one 6 squares.
    check_slices(FOUR_BY_FOUR, "KPvKP", 28, 60);
    // Unordered pairs, of which 4, with 10 moves, are their own mirror image.
    check_slices(FOUR_BY_FOUR, "KPPvK", (28 + 4) / 2, (60 + 10) / 2);
    // Three files: 17 moves, 7 of them along or from the middle; 6 pairs, with 21 moves, are their own mirror
    // image.
    check_slices(THREE_BY_FIVE, "KPvK", (9 + 3) / 2, (17 + 7) / 2);
    check_slices(THREE_BY_FIVE, "KPPvK", (36 + 6) / 2, (17 * 7 + 21) / 2);
    // 14 moves from the first rank, where no enemy stands, and 20 from the next two.
    check_slices(FOUR_BY_FIVE, "KPvKP", (16 * 16 - 12) / 2, 14 * 15 + 20 * 14);
    // No mirror: every square, every pair.
    check_slices(LEFT_HANDED, "KPvK", 12, 14);
    check_slices(LEFT_HANDED, "KPPvK", 12 * 11 / 2, 14 * 10);
}

/// A layout of every third slice, given in any order and mirrored, numbers its placements one for one, and
/// has no place for those of other slices.
#[test]
fn a_layout_of_some_slices_has_these_and_no_other() {
    for (toml, name) in [(FOUR_BY_FIVE, "KPvKP"), (THREE_BY_FIVE, "KPPvK"), (LEFT_HANDED, "KPPvK")] {
        let variant = game(toml);
        let material = material(&variant, name);
        let whole = Layout::new(&variant, &material);
        let mirror = |squares: &[Square]| -> Vec<Square> {
            let last = *whole.group().last().expect("the identity at least");
            squares.iter().map(|&square| last.square(&variant.board, square)).rev().collect()
        };
        // Reversed: like pawns in any order, and of unlike ones the order is that of the men.
        let given = |slice: SliceId| match name {
            "KPvKP" => mirror(whole.pawn_squares(slice)).into_iter().rev().collect(),
            _ => mirror(whole.pawn_squares(slice)),
        };
        let choices: Vec<Vec<Square>> = whole.slices().rev().step_by(3).map(given).collect();
        let some = Layout::of_slices(&variant, &material, &choices);
        assert_eq!(some.n_slices(), choices.len(), "{name}: slices");
        assert_eq!(some.slice_len(), whole.slice_len(), "{name}");
        assert!(!some.is_one_sided(), "{name}: a slice with the colours exchanged may not be there");
        let together: Vec<SliceId> = some.levels().iter().flat_map(Clone::clone).collect();
        assert!(together.into_iter().eq(some.slices()), "{name}: levels {:?}", some.levels());
        let mut numbers = BTreeSet::new();
        for number in 0..whole.len() {
            let placement = whole.decode(number);
            let has_slice = (whole.n_slices() - 1 - number / whole.slice_len()).is_multiple_of(3);
            let found = some.encode(&placement);
            if whole.encode(&placement).is_some() {
                assert_eq!(found.is_some(), has_slice, "{name}: {placement:?}");
            }
            if let Some(found) = found.filter(|_| whole.is_canonical(number, &placement)) {
                assert!(numbers.insert(found), "{name}: {placement:?} shares number {found}");
                assert_eq!(some.encode(&some.decode(found)), Some(found), "{name}: number {found}");
            }
        }
        assert!(!numbers.is_empty(), "{name}");
    }
}
