//! Tests which codes are selected, what fills the gaps, and their order.

use super::{FIDE, fide};
use crate::pack::codes::Selection;
use crate::pack::fill::Fill;
use crate::tile::{Order, TileId, Tiling, WHOLE_CODES, can_turn, n_axes, tile_codes};
use index::Layout;
use table::Code;
use variant::{Material, Variant};

/// The words of [`Selection`] against the layout, place by place: nothing but canonical places may survive.
#[track_caller]
fn check_kept(material: &str) {
    let variant = fide();
    let layout = Layout::new(&variant, &Material::parse(&variant, material).unwrap());
    let kept = Selection::new(&layout);
    // Each place its own code as far as two bytes go; a place that is not kept repeats the code before it.
    let codes: Vec<u16> = (0..layout.len()).map(|i| 10 + (i % 50_021) as u16).collect();
    let mut filled = Vec::new();
    let (start, end) = (layout.len() / 3 / 64 * 64, layout.len().min(layout.len() / 3 + 90_112) / 64 * 64);
    kept.select(&codes[start..end], start, &mut filled);
    Fill::Last.apply(&mut filled);
    assert_eq!(filled.len(), end - start);
    let has_ghost =
        |squares: &[geometry::Square]| squares.iter().enumerate().any(|(i, s)| squares[..i].contains(s));
    for (index, &code) in (start..end).zip(&filled) {
        let squares = layout.decode(index);
        if layout.is_canonical(index, &squares) {
            assert_eq!(code, codes[index], "{index}");
        } else if index > start && !has_ghost(&squares) {
            assert_eq!(code, filled[index - start - 1], "{index} is not canonical");
        }
    }
}

#[test]
fn places_that_are_not_canonical_repeat_the_code_before() {
    for material in ["KvK", "KQvK", "KQRvK", "KQQvK", "KNvKN", "KPvK", "KPPvK", "KPvKP", "KQPvK", "KNNNvK"] {
        check_kept(material);
    }
}

#[track_caller]
fn check_fill(codes: &[u8], expected: &[u8]) {
    // At every place of a chunk, and in a row that is longer than one; of one byte and of two.
    for n_before in 0..70 {
        let mut filled = vec![9; n_before];
        filled.extend(codes);
        let mut wide: Vec<u16> = filled.iter().map(|&code| u16::from(code) << 8 | u16::from(code)).collect();
        Fill::Last.apply(&mut filled);
        assert_eq!(&filled[n_before..], if n_before == 0 { expected.to_vec() } else { follow(codes, 9) });
        Fill::Last.apply(&mut wide);
        let low: Vec<u8> = wide.iter().map(|&code| code as u8).collect();
        assert_eq!(low, filled);
    }
}

/// The specification of [`Fill::Last`] after a code.
fn follow(codes: &[u8], mut last: u8) -> Vec<u8> {
    let mut next = |code| {
        if code != 0 {
            last = code;
        }
        last
    };
    codes.iter().map(|&code| next(code)).collect()
}

#[test]
fn what_is_not_kept_repeats_the_code_before_or_the_first() {
    check_fill(&[], &[]);
    check_fill(&[0; 50], &[u8::DRAW; 50]);
    check_fill(&[0, 0, 7, 0, 8, 0], &[7, 7, 7, 7, 8, 8]);
    let (mut sparse, mut full) = (vec![0; 100], vec![5; 100]);
    (sparse[3], sparse[60], sparse[61]) = (5, 6, 7);
    full[60] = 6;
    full[61..].fill(7);
    check_fill(&sparse, &full);
    // Every length of gap, and codes with every highest bit.
    let gaps = |n: usize| std::iter::repeat_n(0, n).chain([1 << (n % 8), 255]);
    let mixed: Vec<u8> = std::iter::once(3).chain((0..40).flat_map(gaps)).collect();
    check_fill(&mixed, &follow(&mixed, 3));
}

#[track_caller]
fn check_row_fill(n: usize, codes: &[u8], expected: &[u8]) {
    let mut filled = codes.to_vec();
    Fill::Row(n).apply(&mut filled);
    assert_eq!(filled, expected);
}

#[test]
fn what_is_not_kept_repeats_the_row_before_if_that_is_better() {
    check_row_fill(4, &[], &[]);
    check_row_fill(4, &[0, 0, 7], &[7, 7, 7]);
    check_row_fill(3, &[0, 5, 0, 6, 0, 0, 0, 0, 7, 0], &[5, 5, 5, 6, 5, 5, 6, 5, 7, 6]);
    check_row_fill(1, &[0, 5, 0, 6, 0], &[u8::DRAW, 5, 5, 6, 6]);
}

#[test]
fn an_order_is_written_in_two_bytes_and_nothing_else_is_one() {
    let mut valid = Vec::new();
    for n_axes in 1..=4 {
        for apart in 0..1u8 << (n_axes - 1) {
            for order in Order::all(n_axes, apart << 1) {
                assert_eq!(Order::decode(order.encode(), false), Some(order));
                valid.push(order.encode());
            }
        }
    }
    assert_eq!(valid.len(), 1 + 2 * 2 + 6 * 4 + 24 * 8);
    valid.sort_unstable();
    for bits in 0..=u16::MAX {
        assert_eq!(Order::decode(bits, false).is_some(), valid.binary_search(&bits).is_ok(), "{bits:#x}");
    }
}

/// In every order each placement has a place of its own, and walking there and back leads to it: in tiles of
/// the usual size, and where the whole table is one.
#[track_caller]
fn check_tiles(variant: &Variant, material: &str) {
    let layout = Layout::new(variant, &Material::parse(variant, material).unwrap());
    let n_axes = n_axes(&layout);
    let apart = 0b1110 & ((1 << n_axes) - 1);
    for order in [0, apart].into_iter().flat_map(|apart| Order::all(n_axes, apart)) {
        check_order(&layout, order, tile_codes(&layout));
    }
    let is_small = layout.len() <= WHOLE_CODES;
    for order in [apart, apart | 1].into_iter().flat_map(|apart| Order::all(n_axes, apart)) {
        if is_small && (!order.is_turned() || can_turn(&layout, layout.len())) {
            check_order(&layout, order, layout.len());
        }
    }
}

#[track_caller]
fn check_order(layout: &Layout, order: Order, n_codes: usize) {
    let tiling = Tiling::new(layout, order, n_codes).unwrap();
    assert_eq!(tiling.tile_codes(), n_codes);
    let (last, n) = (TileId::from_index(tiling.len() - 1), layout.len());
    assert_eq!(tiling.range(last).end, n);
    for tile in [TileId::FIRST, last] {
        let range = tiling.range(tile);
        let numbers: Vec<u16> = (0..range.len()).map(|i| (i % 60_013) as u16).collect();
        let mut placed = numbers.clone();
        let (Some(walk), Some(way_back)) = (tiling.to_file(tile), tiling.to_numbers(tile)) else {
            let index = range.start + range.len() / 2;
            assert_eq!(tiling.place(index), (tile, range.len() / 2));
            continue;
        };
        walk.gather(&numbers, &mut placed);
        for index in range.clone().step_by(7) {
            let (of, place) = tiling.place(index);
            assert_eq!((of, placed[place]), (tile, numbers[index - range.start]), "{index} in {order:?}");
            assert_eq!(tiling.number(tile, place), index, "in {order:?}");
            if let Some(man) = tiling.inner_man(layout) {
                assert_eq!(
                    usize::from(tiling.inner_square(place - tiling.inner_row(place))),
                    layout.decode(index)[man].index()
                );
            }
        }
        let mut back = vec![0; placed.len()];
        way_back.gather(&placed, &mut back);
        assert!(back == numbers, "{order:?} there and back");
    }
}

#[test]
fn only_whole_tables_with_two_frame_men_are_turned() {
    let variant = fide();
    let turned = |material: &str, is_whole: bool| {
        let layout = Layout::new(&variant, &Material::parse(&variant, material).unwrap());
        let n_codes = if is_whole { layout.len() } else { tile_codes(&layout) };
        Order::all(n_axes(&layout), 1)
            .into_iter()
            .filter_map(|order| Tiling::new(&layout, order, n_codes))
            .count()
    };
    assert_eq!(["KQvKR", "KPvKP"].map(|material| turned(material, true)), [6, 0]);
    assert_eq!(["KQvKR", "KPvKP"].map(|material| turned(material, false)), [0, 0]);
    // Axis 0 outermost and turned, then 2 and 1.
    assert!(Order::decode(0x8124, true).is_some_and(|order| order.is_turned() && !order.is_natural()));
    assert_eq!(Order::decode(0x8124, false), None);
}

#[test]
fn every_placement_has_its_place_in_every_order() {
    let variant = fide();
    for material in ["KvK", "KQvK", "KBvKB", "KPvK", "KPvKP", "KBBvKN", "KRPvKR"] {
        check_tiles(&variant, material);
    }
    let sizes = [
        ("castling = true", "castling = false"),
        ("files = 8", "files = 6"),
        ("\nranks = 8", "\nranks = 7"),
        ("promotion-rank = 8", "promotion-rank = 7"),
    ];
    let text = sizes.iter().fold(FIDE.to_string(), |text, (from, to)| text.replace(from, to));
    let small = Variant::parse(&text, "small.toml").unwrap();
    assert_eq!(small.board.n_squares(), 42);
    check_tiles(&small, "KBvK");
    check_tiles(&small, "KPvK");
    check_tiles(&small, "KQBvKN");
}
