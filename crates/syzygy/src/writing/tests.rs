//! Checks that placements have the layout's numbers, that slots say what codes and moves leave open, that
//! texts are the same in memory and read stretch by stretch, and which rivals are tried on.

use crate::material::{Family, MAX_MEN, codes};
use crate::packing::run::PlaceText;
use crate::writing::filler::fill;
use crate::writing::finder::{Known, NOWHERE, Numbering};
use crate::writing::input::Input;
use crate::writing::sheet::{Sheet, SheetSource};
use crate::writing::side::Arranged;
use crate::writing::slots::{Filled, FilledRow, Slot, Slots, State};
use crate::writing::trial::{arrangements, drop_rivals, near};
use geometry::Square;
use index::{Extent, Layout};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use table::{Code, Lookup, Ply, Table, Value, worth};
use variant::exit::TablePart;
use variant::{Material, Metric, Side, Variant, game};

fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |n| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (seed >> 33) % n
    }
}

fn layout(variant: &Variant, name: &str) -> Arc<Layout> {
    Arc::new(Layout::new(variant, &Material::parse(variant, name).expect("a material")))
}

/// Any squares have the number that the layout finds for them, whatever the order of the men.
#[track_caller]
fn check_numbers(text: &str, family: Family, name: &str) {
    let variant = Variant::parse(text, "game").expect("rules");
    let layout = layout(&variant, name);
    let own = codes(family, &variant, layout.men()).expect("codes of the men");
    let numbering = Numbering::new(layout.clone(), &own);
    let extent = Extent::new(&layout, None);
    let (mut next, mut n_found) = (numbers(7), 0);
    for turn in 0..own.len() {
        // Like men stand in the same order in both.
        let order: Vec<usize> = (0..own.len()).map(|slot| (slot + turn) % own.len()).collect();
        let men: Vec<u8> = order.iter().map(|&man| own[man]).collect();
        let is_like = (0..own.len()).any(|a| (0..a).any(|b| own[a] == own[b]));
        if is_like && turn > 0 {
            break;
        }
        let finder = numbering.finder(&men);
        let (mut squares, mut known) = ([0; MAX_MEN], Known::default());
        for _ in 0..4_000 {
            // Now and then one man moves only, as from a number to the next.
            match next(3) {
                0 => squares[next(own.len() as u64) as usize] = next(64) as u8,
                _ => squares = std::array::from_fn(|_| next(64) as u8),
            }
            let mut placed = [Square::from_index(0); MAX_MEN];
            order.iter().zip(squares).for_each(|(&man, s)| placed[man] = Square::from_index(s.into()));
            let expected = layout.place(&extent, &placed[..own.len()]).unwrap_or(NOWHERE);
            assert_eq!(finder.number(&squares), expected, "{name} {squares:?}");
            assert_eq!(
                finder.number_after(&mut known, &squares),
                expected,
                "{name} {squares:?} after another"
            );
            n_found += usize::from(expected != NOWHERE);
        }
    }
    assert!(n_found > 100, "{n_found} of {name} have a number");
}

#[test]
fn placements_have_the_numbers_of_the_layout() {
    check_numbers(game::CHESS, Family::Chess, "KQvK");
    check_numbers(game::CHESS, Family::Chess, "KNNvK");
    check_numbers(game::CHESS, Family::Chess, "KPvKR");
    check_numbers(game::CHESS, Family::Chess, "KPvKP");
    check_numbers(game::CHESS, Family::Chess, "KPPvKP");
    check_numbers(game::ATOMIC, Family::Atomic, "KQvK");
    check_numbers(game::ANTICHESS, Family::Giveaway, "QQvR");
    check_numbers(game::ANTICHESS, Family::Giveaway, "QvR");
    check_numbers(game::ANTICHESS, Family::Giveaway, "PPvP");
}

/// One table of any codes.
struct OneTable(Arc<Table>);

impl Lookup for OneTable {
    fn table(&self, material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        (self.0.layout().material() == material).then(|| self.0.clone())
    }
}

/// A table whose codes have no meaning but are all there.
fn table(variant: &Variant, name: &str) -> OneTable {
    let layout = layout(variant, name);
    let mut next = numbers(11);
    let mut codes = || (0..layout.len()).map(|_| [0, 1, 3, 4, 5, 120, 220, 255][next(8) as usize]).collect();
    let mut codes = || u8::owned(codes()).under(Metric::Dtz50, Ply(150));
    let (white, black) = (codes(), codes());
    OneTable(Arc::new(Table::new(layout, white, Some(black))))
}

#[test]
fn texts_are_the_same_in_memory_and_read_stretch_by_stretch() {
    let variant = Variant::parse(game::CHESS, "chess").expect("rules");
    for name in ["KQvK", "KPvK"] {
        let material = Material::parse(&variant, name).expect("a material");
        let table = table(&variant, name);
        let input = Input::new(Family::Other, &variant, &material, &table).expect("input");
        let source = SheetSource::new(&input, &material, &table, None).expect("a table");
        let sheet = source.sheet(&input, 0).expect("a sheet");
        let filled = fill(&input, &sheet, Side::Black).expect("room for all");
        let Sheet { table: whole, numbering, .. } = sheet;
        let codes = whole.codes(Side::Black).expect("both sides").as_ref();
        let slots = Slots::new(codes, filled, input.rule_plies);
        for arrangement in arrangements(Family::Other, &input.codes, 0).iter().take(3) {
            let distance = |number| slots.at(number).distance();
            let kept = Arranged::new(&numbering, arrangement, usize::MAX, distance);
            let read = Arranged::new(&numbering, arrangement, 0, distance);
            let n = kept.n_places();
            assert!(n > 9_000 && read.n_places() == n, "{n} values");
            let all = kept.read(0..n);
            assert!(all.iter().collect::<BTreeSet<_>>().len() > 5);
            for range in [0..n, 0..1, n - 1..n, 77..5_003] {
                assert_eq!(*read.read(range.clone()), all[range.clone()], "{name} {range:?}");
            }
        }
    }
}

#[test]
fn slots_are_made_of_codes_and_states() {
    // Illegal, a draw, wins in 1, 100 and 150 plies, losses in 0 and 40; then all of them in other states.
    let codes: Vec<u8> = [0, 1, 3, 102, 152, 255, 215].repeat(4);
    let states = [State::Exact, State::LowerToo, State::AnyDistance, State::Anything];
    let codes_of = u8::owned(codes.clone()).under(Metric::Dtz50, Ply(150));
    let fill = |_| {
        let mut row = FilledRow::FREE;
        (0..codes.len()).for_each(|place| row.set(place, states[place / 7], Some(Slot::FREE)));
        row
    };
    let filled = || Filled::new(codes.len(), fill).expect("room for all");
    let slots = Slots::new(codes_of.as_ref(), filled(), 100);
    let wdl: Vec<u8> = (0..codes.len()).map(|number| slots.at(number).wdl()).collect();
    let any = 0b1_1111;
    // A win of the side to move is 4, and a loss 0.
    assert_eq!(wdl[..7], [any, 4, 16, 16, 8, 1, 1]);
    assert_eq!(wdl[7..14], [any, 7, any, any, 15, 1, 1]);
    assert_eq!(wdl[14..21], wdl[..7]);
    assert_eq!(wdl[21..], [any; 7]);
    let plies: Vec<Option<u16>> = (0..codes.len()).map(|number| slots.at(number).plies()).collect();
    assert_eq!(plies[..7], [None, None, Some(0), Some(99), Some(49), Some(0), Some(39)]);
    assert_eq!(plies[7..14], [None, None, None, None, None, Some(0), Some(39)]);
    assert_eq!(plies[14..], [None; 14]);
    assert_eq!(slots.at(NOWHERE), Slot::FREE);
    let (mut counted, mut one_by_one) = (BTreeMap::new(), BTreeMap::new());
    slots.each_kind(|slot, n| *counted.entry(slot.distance()).or_insert(0) += n);
    (0..codes.len()).for_each(|number| *one_by_one.entry(slots.at(number).distance()).or_insert(0) += 1);
    assert_eq!(counted, one_by_one);
    assert!(counted.len() > 4, "{counted:?}");
    assert!(!filled().is_tight());
    let numbered = Slots::of_own(codes_of.clone(), filled(), 100);
    assert!(numbered.is_numbered());
    check_same(&slots, &numbered, codes.len());
}

#[test]
fn what_is_just_in_time_is_tight() {
    let is_tight = |value: Value| Slot::new(worth(value), false).expect("room").is_tight();
    for ply in [1, 99, 101, 102, 200, 201] {
        assert!(!is_tight(Value::Win(Ply(ply))) && !is_tight(Value::Loss(Ply(ply))), "{ply} plies");
    }
    assert!(is_tight(Value::Win(Ply(100))) && is_tight(Value::Loss(Ply(100))));
    assert!(!is_tight(Value::Draw));
}

/// Slots are the same by number, and as many of each kind.
#[track_caller]
fn check_same(slots: &Slots<'_>, others: &Slots<'_>, n: usize) {
    (0..n).for_each(|number| assert_eq!(slots.at(number), others.at(number), "slot {number}"));
    let counted = |slots: &Slots<'_>| {
        let mut counted = BTreeMap::new();
        slots.each_kind(|slot, n| *counted.entry((slot.wdl(), slot.distance())).or_insert(0) += n);
        counted
    };
    assert_eq!(counted(slots), counted(others));
    assert_eq!(counted(slots).into_values().sum::<u64>(), n as u64);
}

#[test]
fn slots_are_numbered_if_a_byte_has_numbers_for_all() {
    let fill = |row: usize| {
        let mut filled = FilledRow::FREE;
        let states = [State::Exact, State::LowerToo, State::AnyDistance, State::Anything];
        (0..64).for_each(|place| filled.set(place, states[(row + place) % 4], Some(Slot::FREE)));
        filled
    };
    // The last row is not full.
    let n = 64 * 300 - 5;
    // A loss is one slot as it is and another one where any lower result will do.
    for (n_plies, is_numbered) in [(1, true), (90, true), (110, true), (150, false), (300, false)] {
        let value = |number: usize| match number % 3 {
            0 => Value::Loss(Ply((number / 7 % n_plies) as u16)),
            1 => Value::Win(Ply((number % 11 + 1) as u16)),
            _ => Value::Draw,
        };
        let wide: Vec<u16> = (0..n).map(|number| u16::from_value(value(number)).expect("a code")).collect();
        let split: Option<Vec<u8>> =
            (0..n).map(|number| u8::from_value_under(Metric::Dtz50, value(number))).collect();
        let split = split.filter(|_| n_plies < 240);
        let split = split.map(|codes| u8::owned(codes).under(Metric::Dtz50, Ply(11)));
        for codes in split.into_iter().chain([u16::owned(wide)]) {
            let filled = || Filled::new(n, fill).expect("room for all");
            let own = Slots::of_own(codes.clone(), filled(), 100);
            assert_eq!(own.is_numbered(), is_numbered, "{n_plies} plies");
            check_same(&Slots::new(codes.as_ref(), filled(), 100), &own, n);
        }
    }
}

/// Who is left of two rivals, beside a side that is none, if these are the least of each.
#[track_caller]
fn check_rivals(least: [u64; 3], expected: [bool; 3]) {
    let found = least.map(|least| BTreeMap::from([(0, least), (1, least + 9)]));
    let (mut ranked, mut is_out) = ([vec![0, 1], vec![0, 1], vec![0, 1]], [false; 3]);
    drop_rivals(&mut ranked, &found, (1..3, 125), &mut is_out);
    assert_eq!(is_out.map(|is_out| !is_out), expected, "left of {least:?}");
    assert_eq!(ranked.map(|ranked| !ranked.is_empty()), expected, "tried of {least:?}");
}

#[test]
fn arrangements_far_behind_are_not_packed_again() {
    let sizes = |sizes: &[u64]| sizes.iter().copied().enumerate().collect::<BTreeMap<usize, u64>>();
    assert_eq!(near(&[2, 0, 1], &BTreeMap::new()), [2, 0, 1], "nothing is known yet");
    assert_eq!(near(&[2, 0, 1], &sizes(&[1_150, 1_151, 1_000])), [2, 0]);
    assert_eq!(near(&[1, 0], &sizes(&[1_160, 1_000])), [0usize; 0], "the best one stands alone");
    assert_eq!(near(&[1, 0], &sizes(&[290, 10])), [1, 0], "so little says nothing");
    assert_eq!(near(&[], &sizes(&[5])), [0usize; 0]);
}

#[test]
fn a_rival_far_behind_is_out() {
    check_rivals([9_000, 1_000, 1_250], [true; 3]);
    check_rivals([9_000, 1_000, 1_251], [true, true, false]);
    check_rivals([10, 5_000, 1_000], [true, false, true]);
    // So little says nothing.
    check_rivals([9_000, 0, 300], [true; 3]);
}
