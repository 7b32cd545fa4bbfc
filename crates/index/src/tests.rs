//! Compares the numbering with plain enumeration, exhaustively on small boards.
//!
//! The specification is naive and short: write down every choice of squares, put those into one class that a
//! symmetry or an exchange of like men maps onto each other, and compare classes with numbers one by one.

mod chess;
mod game;
mod like_man;
mod slice;

use crate::{BlockImages, Layout, symmetry_group};
use game::{FOUR_BY_FIVE, FOUR_BY_FOUR, LEAPING_ROYAL, LEFT_HANDED, THREE_BY_FIVE, game, material};
use geometry::{Square, Symmetry};
use std::collections::{BTreeMap, BTreeSet};
use variant::{Man, Variant};

/// A class of placements, as plain enumeration finds it.
#[derive(Default)]
struct Class {
    /// The number that every one of them has.
    number: Option<usize>,
    n_placements: u32,
    /// Its orbits under the symmetries alone, like men distinguishable: the smallest image of each.
    orbits: BTreeSet<Vec<Square>>,
}

/// Returns every choice of squares for `n_men` men, shared squares too.
fn choices(n_squares: usize, n_men: usize) -> impl Iterator<Item = Vec<Square>> {
    (0..n_squares.pow(n_men as u32)).map(move |mut number| {
        let mut digit = || {
            let square = Square::from_index(number % n_squares);
            number /= n_squares;
            square
        };
        (0..n_men).map(|_| digit()).collect()
    })
}

fn image(variant: &Variant, symmetry: Symmetry, squares: &[Square]) -> Vec<Square> {
    squares.iter().map(|&s| symmetry.square(&variant.board, s)).collect()
}

/// The squares with those of like men in ascending order.
fn exchanged(men: &[Man], squares: &[Square]) -> Vec<Square> {
    let mut squares = squares.to_vec();
    for i in 0..men.len() {
        for j in i + 1..men.len() {
            if men[i] == men[j] && squares[i] > squares[j] {
                squares.swap(i, j);
            }
        }
    }
    squares
}

fn is_distinct(squares: &[Square]) -> bool {
    squares.iter().collect::<BTreeSet<_>>().len() == squares.len()
}

/// Whether a table has a place for these squares: pawns where they may stand, frame men as they may stand.
fn has_place(variant: &Variant, layout: &Layout, squares: &[Square]) -> bool {
    let men = layout.men();
    let pawns: Vec<Square> = layout.pawns().iter().map(|&i| squares[i]).collect();
    let frame = match *layout.frame() {
        [a, b] => can_stand(variant, [men[a], men[b]], [squares[a], squares[b]]),
        _ => true,
    };
    let in_zones = layout.pawns().iter().all(|&i| variant.zone(men[i]).contains(squares[i]));
    in_zones && is_distinct(&pawns) && frame
}

/// Two men of a frame: on squares of their own, and not two royal men that stand next to each other, each in
/// the other's reach.
fn can_stand(variant: &Variant, men: [Man; 2], squares: [Square; 2]) -> bool {
    let attacks = |by: usize, other: usize| {
        let movement = variant.movement(men[by]);
        let steps = movement.rays().iter().filter(|r| r.capture).map(|r| r.step);
        let is_open = variant.region(men[by]).contains(squares[other]);
        let mut ends = steps.into_iter().filter_map(|step| variant.board.offset(squares[by], step));
        is_open && ends.any(|end| end == squares[other])
    };
    let royal_enemies = men[0].side != men[1].side && men.iter().all(|&m| variant.is_royal(m));
    squares[0] != squares[1] && !(royal_enemies && attacks(0, 1) && attacks(1, 0))
}

/// Compares the numbers of a material with the classes of its placements, one by one.
#[track_caller]
fn check_numbers(toml: &str, name: &str, n_symmetries: usize) {
    let variant = game(toml);
    let material = material(&variant, name);
    let layout = Layout::new(&variant, &material);
    assert_eq!(symmetry_group(&variant, &material), layout.group(), "{name}: the group");
    assert_eq!(layout.group().len(), n_symmetries, "{name}: symmetries {:?}", layout.group());
    let classes = classes(&variant, &layout, name);
    check_weights(&layout, &classes, name);
    check_frames(&variant, &layout, name);
}

/// The classes of a material's placements; checks that classes and numbers go together one by one.
#[track_caller]
fn classes(variant: &Variant, layout: &Layout, name: &str) -> BTreeMap<Vec<Square>, Class> {
    let mut classes: BTreeMap<Vec<Square>, Class> = BTreeMap::new();
    for squares in choices(layout.n_squares(), layout.men().len()) {
        let number = layout.encode(&squares);
        assert_eq!(number.is_some(), has_place(variant, layout, &squares), "{name}: a place for {squares:?}");
        let Some(number) = number else { continue };
        let images = || layout.group().iter().map(|&g| image(variant, g, &squares));
        let least = images().map(|image| exchanged(layout.men(), &image)).min().unwrap();
        let class = classes.entry(least).or_default();
        assert_eq!(*class.number.get_or_insert(number), number, "{name}: images of {squares:?}");
        class.n_placements += 1;
        class.orbits.extend(images().min());
    }
    let mut by_number = BTreeSet::new();
    for (least, class) in &classes {
        let number = class.number.unwrap();
        assert!(by_number.insert(number), "{name}: {number} has two classes, one is {least:?}");
        let decoded = layout.decode(number);
        assert_eq!(layout.encode(&decoded), Some(number), "{name}: {number} is {decoded:?}");
        let images = layout.group().iter().map(|&g| image(variant, g, &decoded));
        let least_decoded = images.map(|image| exchanged(layout.men(), &image)).min();
        assert_eq!(least_decoded.as_ref(), Some(least), "{name}: {number} is {decoded:?}");
    }
    classes
}

/// Every class without shared squares has one canonical number, whose weights say how large the class is.
#[track_caller]
fn check_weights(layout: &Layout, classes: &BTreeMap<Vec<Square>, Class>, name: &str) {
    let mut canonical = BTreeMap::new();
    for number in 0..layout.len() {
        let squares = layout.decode(number);
        assert!(
            !is_distinct(&squares)
                || layout.is_canonical(number, &squares) == is_kept(layout, number, &squares),
            "{name}: {squares:?} by the images of its block"
        );
        if layout.is_canonical(number, &squares) {
            canonical.insert(number, layout.weights(&squares));
        } else if is_distinct(&squares) {
            let block = layout.slice_block(number / layout.block_len());
            let is_folded = layout.has_residual(block) || layout.n_exchanges() > 1;
            assert!(is_folded, "{name}: {squares:?} is not canonical in a block that nothing folds");
        }
    }
    for (least, class) in classes.iter().filter(|(least, _)| is_distinct(least)) {
        let weights = canonical.remove(&class.number.unwrap());
        let weights = weights.unwrap_or_else(|| panic!("{name}: no canonical number for {least:?}"));
        assert_eq!(weights.unreduced, class.n_placements, "{name}: placements like {least:?}");
        assert_eq!(weights.orbits as usize, class.orbits.len(), "{name}: orbits like {least:?}");
    }
    assert!(canonical.is_empty(), "{name}: canonical numbers of nothing: {canonical:?}");
}

/// Whether like free men stand in ascending order and no image of the block's comes before.
fn is_kept(layout: &Layout, number: usize, squares: &[Square]) -> bool {
    let free: Vec<Square> = layout.free().iter().map(|&man| squares[man]).collect();
    let ascend = |run: &std::ops::Range<usize>| free[run.clone()].is_sorted();
    let n_lane = if free.is_empty() { 1 } else { layout.n_squares() };
    let (unit, place) = (number / layout.block_len(), number % layout.block_len());
    let word = BlockImages::new(layout, unit).word(place / n_lane);
    layout.like_free().iter().all(ascend) && word >> (place % n_lane) & 1 == 1
}

/// Each pair of squares that the frame men can stand on leads to a block, by a symmetry that really leads
/// there.
#[track_caller]
fn check_frames(variant: &Variant, layout: &Layout, name: &str) {
    let mut reached = BTreeSet::new();
    let men: Vec<Man> = layout.frame().iter().map(|&i| layout.men()[i]).collect();
    for mut choice in choices(layout.n_squares(), men.len()) {
        choice.resize(2, Square::from_index(0));
        let pair = [choice[0], choice[1]];
        let expected = men.len() < 2 || can_stand(variant, [men[0], men[1]], pair);
        let found = layout.neighbour(pair);
        assert_eq!(found.is_some(), expected, "{name}: a frame of {pair:?}");
        let Some(found) = found else { continue };
        let n = men.len();
        let led = image(variant, found.symmetry, &pair[..n]);
        assert_eq!(led, layout.frame_squares(found.block)[..n], "{name}: where {pair:?} leads");
        let permuted: Vec<usize> =
            pair.iter().map(|s| layout.permutation(found.symmetry)[s.index()] as usize).collect();
        assert!(led.iter().zip(&permuted).all(|(s, &p)| s.index() == p), "{name}: {pair:?} permuted");
        reached.insert(found.block);
    }
    assert!(reached.into_iter().eq(layout.blocks()), "{name}: blocks that no frame leads to");
    for block in layout.blocks() {
        let own = layout.neighbour(layout.frame_squares(block)).map(|n| (n.block, n.symmetry));
        assert_eq!(own, Some((block, Symmetry::IDENTITY)), "{name}: block {block}");
    }
}

#[test]
fn symmetric_men() {
    for (name, n_symmetries) in
        [("KvK", 8), ("KRvK", 8), ("KNNvK", 8), ("KRvKN", 8), ("KvKRR", 8), ("KRRvK", 8)]
    {
        check_numbers(FOUR_BY_FOUR, name, n_symmetries);
    }
    for (name, n_symmetries) in [("KvK", 4), ("KRvK", 4), ("KNNvK", 4), ("KRvKN", 4)] {
        check_numbers(THREE_BY_FIVE, name, n_symmetries);
    }
    check_numbers(FOUR_BY_FIVE, "KNvKN", 4);
}

#[test]
fn one_way_men() {
    // A lance keeps left and right alike, a crab near and far; both together leave nothing.
    for (name, n_symmetries) in
        [("KLvK", 2), ("KLvKL", 2), ("KCvK", 2), ("KLCvK", 1), ("KLLvK", 2), ("KCvKC", 2)]
    {
        check_numbers(FOUR_BY_FOUR, name, n_symmetries);
    }
}

#[test]
fn pawns() {
    for (name, n_symmetries) in
        [("KPvK", 2), ("KvKP", 2), ("KPvKP", 2), ("KPPvK", 2), ("KRPvK", 2), ("KPvKN", 2)]
    {
        check_numbers(FOUR_BY_FOUR, name, n_symmetries);
        check_numbers(THREE_BY_FIVE, name, n_symmetries);
    }
    check_numbers(FOUR_BY_FIVE, "KPvKP", 2);
    check_numbers(FOUR_BY_FIVE, "KPPvK", 2);
}

#[test]
fn lopsided_pawns() {
    // The pawn captures to one side only, and one such man is enough to leave no symmetry.
    for name in ["KPvK", "KPPvK", "KPvKP", "KRPvK"] {
        check_numbers(LEFT_HANDED, name, 1);
    }
    check_numbers(LEFT_HANDED, "KRvK", 8);
}

#[test]
fn royal_men_that_leap_or_lean() {
    for (name, n_symmetries) in [("KRvK", 8), ("KRRvK", 8), ("KPvK", 2), ("KRPvK", 2)] {
        check_numbers(LEAPING_ROYAL, name, n_symmetries);
    }
    // White's royal man attacks to the right ahead, Black's not back there: the two may stand so.
    let leaning = FOUR_BY_FOUR.replacen("betza = \"K\"", "betza = \"WfrF\"", 1);
    check_numbers(&leaning, "KRvK", 1);
    check_numbers(&leaning, "KRPvK", 1);
}

/// A symmetry keeps every region, and a king that may not go where the other one stands may stand beside him.
#[test]
fn men_with_regions() {
    let kept = |piece: &str, region: &str| {
        let betza = format!("betza = \"{piece}\"");
        FOUR_BY_FOUR.replacen(&betza, &format!("{betza}, mobility-region-white = \"{region}\""), 1)
    };
    for (name, n_symmetries) in [("KRvK", 2), ("KvKR", 8), ("KNvK", 8), ("KPvK", 1), ("KvKP", 2)] {
        check_numbers(&kept("R", "a* b*"), name, n_symmetries);
    }
    for name in ["KvK", "KRvK", "KPvK"] {
        check_numbers(&kept("K", "*1 *2"), name, 2);
    }
}

#[test]
fn no_royal_men() {
    for (name, n_symmetries) in [("Pv", 2), ("PvP", 2), ("PPvP", 2), ("Rv", 8), ("RvN", 8), ("RPvP", 2)] {
        check_numbers(FOUR_BY_FOUR, name, n_symmetries);
        check_numbers(THREE_BY_FIVE, name, n_symmetries.min(4));
    }
}
