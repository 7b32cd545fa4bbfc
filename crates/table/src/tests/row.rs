//! Compares rows and parts with single values, for every man who can vary.
//!
//! The tables of these tests hold no game's values: each placement has a number made of its canonical number,
//! so that images and like men agree as in a real table and everything else differs.

use crate::{Code, Codes, Mapping, Table, Value, View};
use geometry::{Square, SquareSet};
use index::{Layout, Scope};
use std::sync::Arc;
use variant::{Man, Material, Side, Variant};

const FIDE: &str = variant::game::CHESS;

/// Four files and ranks: one-way men too, and a pawn.
const FOUR_BY_FOUR: &str = r#"
name = "four"
board = { files = 4, ranks = 4 }
piece = [
  { letter = "K", betza = "K", royal = true },
  { letter = "R", betza = "R" },
  { letter = "N", betza = "N" },
  { letter = "C", betza = "rW" },
  { letter = "P", betza = "fmWfcF", pawn = { start-rank = 2, promotes-to = ["R"], double-step = false } },
]
"#;

/// Three files and five ranks.
const THREE_BY_FIVE: &str = r#"
name = "narrow"
board = { files = 3, ranks = 5 }
piece = [
  { letter = "K", betza = "K", royal = true },
  { letter = "R", betza = "R" },
  { letter = "P", betza = "fmWfcF", pawn = { start-rank = 2, promotes-to = ["R"] } },
]
"#;

/// A small generator, so that every run sees the same squares.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

#[track_caller]
fn game(toml: &str) -> Variant {
    Variant::parse(toml, "test.toml").unwrap_or_else(|report| panic!("{report}"))
}

/// The code of a canonical number: any that is no illegal one.
fn made_up<C: Code>(stm: Side, canonical: usize, n_codes: u64) -> C {
    let mixed = (canonical as u64 * 2 + stm.index() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let value = match mixed % n_codes {
        0 => Value::Draw,
        1 => Value::Stalemate,
        n if n % 2 == 0 => Value::Loss(crate::Ply(n as u16)),
        n => Value::Win(crate::Ply(n as u16)),
    };
    C::from_value(value).expect("it fits")
}

fn made_up_table(layout: &Arc<Layout>, wide: bool) -> Table {
    let codes = |stm: Side| {
        let canonical = (0..layout.len()).map(|i| layout.encode(&layout.decode(i)).expect("it has a place"));
        if wide {
            u16::owned(canonical.map(|number| made_up(stm, number, 20_000)).collect())
        } else {
            u8::owned(canonical.map(|number| made_up(stm, number, 250)).collect())
        }
    };
    let black = (!layout.material().is_symmetric()).then(|| codes(Side::Black));
    Table::new(layout.clone(), codes(Side::White), black)
}

/// What the made-up table holds, by the canonical number.
fn expected(table: &Table, men: &[Man], stm: Side, squares: &[Square]) -> Value {
    let keeps = Side::BOTH.map(|side| table.codes(side).is_some());
    let mapping = Mapping::new(table.layout(), keeps, men).expect("the men match");
    match mapping.locate(table.layout(), stm, squares) {
        Some((stm, number)) => table.value(stm, number),
        None => Value::Illegal,
    }
}

/// The men in any order, the colours exchanged or not.
fn shuffled(layout: &Layout, numbers: &mut Numbers) -> Vec<Man> {
    let mut men = layout.men().to_vec();
    for i in (1..men.len()).rev() {
        men.swap(i, numbers.below(i + 1));
    }
    if numbers.below(2) == 1 {
        men.iter_mut().for_each(|man| man.side = !man.side);
    }
    men
}

#[track_caller]
fn check_rows(toml: &str, name: &str, wide: bool) {
    let variant = game(toml);
    let material = Material::parse(&variant, name).unwrap();
    let layout = Arc::new(Layout::new(&variant, &material));
    let table = made_up_table(&layout, wide);
    let n = layout.n_squares();
    let mut numbers = Numbers(name.len() as u64);
    for _ in 0..40 {
        let men = shuffled(&layout, &mut numbers);
        let view = View::of_table(&table, &men, None).expect("the men match");
        let squares: Vec<Square> = men.iter().map(|_| Square::from_index(numbers.below(n))).collect();
        for varying in 0..men.len() {
            for axis in std::iter::once(None).chain((0..men.len()).filter(|&i| i != varying).map(Some)) {
                for stm in Side::BOTH {
                    let rows = view.rows(stm, &squares, axis, varying);
                    let at = Square::from_index(numbers.below(n));
                    let row = rows.codes::<64>(at);
                    assert_eq!(row.is_wide(), wide, "{name}");
                    let mut placed = squares.clone();
                    axis.into_iter().for_each(|axis| placed[axis] = at);
                    for square in 0..n {
                        placed[varying] = Square::from_index(square);
                        let value = expected(&table, &men, stm, &placed);
                        assert_eq!(
                            row.value(square),
                            value,
                            "{name}: {men:?} on {placed:?}, {varying} varies"
                        );
                        assert_eq!(view.value(stm, &placed), value, "{name}: {men:?} on {placed:?}");
                    }
                    assert!((n..64).all(|beyond| row.value(beyond) == Value::Illegal), "{name}");
                }
            }
        }
    }
}

#[test]
fn rows_are_made_of_values() {
    for name in ["KvK", "KRvK", "KRvKR", "KRRvK", "KNNvK", "KCvK", "KRvKN", "KPvK", "KPvKP", "KPPvK"] {
        check_rows(FOUR_BY_FOUR, name, false);
    }
    for name in ["KRPvK", "KPvKR", "KRPvKP", "KRvKNN", "KCPvK"] {
        check_rows(FOUR_BY_FOUR, name, true);
    }
    for name in ["KRvK", "KRRvK", "KRvKR", "KPvKP", "KPPvK", "KRPvK", "KRvKP"] {
        check_rows(THREE_BY_FIVE, name, name.len() % 2 == 0);
    }
    for name in ["KQvK", "KNvKP", "KRvKR"] {
        check_rows(FIDE, name, false);
    }
}

/// Reads a part and the whole table of a material after a promotion.
#[track_caller]
fn check_part(toml: &str, name: &str, promoted: &str) {
    let variant = game(toml);
    let material = Material::parse(&variant, name).unwrap();
    let layout = Arc::new(Layout::new(&variant, &material));
    let table = made_up_table(&layout, false);
    let piece = variant.piece_lettered(promoted.to_uppercase().chars().next().unwrap()).unwrap();
    let side = if promoted.chars().all(char::is_uppercase) { Side::White } else { Side::Black };
    let place = layout.men().iter().position(|&man| man == Man { side, piece }).expect(name);
    let n = layout.n_squares();
    let rim: SquareSet = match side {
        Side::White => (n - layout.board().files()..n).map(Square::from_index).collect(),
        Side::Black => (0..layout.board().files()).map(Square::from_index).collect(),
    };
    let scope = Scope::new(&layout, place, rim).expect("a free man");
    let part = table.part(&scope).expect("the table keeps the side");
    let kept: Vec<Side> = part.sides().collect();
    assert_eq!(kept, [!side], "{name}");
    assert_eq!(part.codes(!side).map(Codes::len), Some(scope.n_codes(&layout)), "{name}");
    assert_eq!(scope.n_codes(&layout) * n, layout.len() * scope.squares().n_squares(), "{name}");
    let mut numbers = Numbers(5);
    for _ in 0..60 {
        let men = shuffled(&layout, &mut numbers);
        let swapped = men.iter().filter(|man| man.side == Side::White).count()
            != material.side(Side::White).len()
            || !men.contains(&layout.men()[place]);
        let asked = Man { side: if swapped { !side } else { side }, piece };
        let places: Vec<usize> = (0..men.len()).filter(|&i| men[i] == asked).collect();
        for &pinned in &places {
            let view = View::of_table(&part, &men, Some(pinned)).expect("the men match");
            let mut squares: Vec<Square> = men.iter().map(|_| Square::from_index(numbers.below(n))).collect();
            let square = scope.squares().iter().nth(numbers.below(scope.squares().n_squares())).unwrap();
            squares[pinned] = if swapped { layout.board().mirror_ranks(square) } else { square };
            let stm = !asked.side;
            assert_eq!(
                view.value(stm, &squares),
                expected(&table, &men, stm, &squares),
                "{name}, {squares:?}"
            );
            for varying in (0..men.len()).filter(|&man| man != pinned) {
                for axis in (0..men.len()).filter(|&man| man != pinned && man != varying) {
                    let at = Square::from_index(numbers.below(n));
                    let row = view.rows(stm, &squares, Some(axis), varying).codes::<64>(at);
                    let mut placed = squares.clone();
                    placed[axis] = at;
                    for square in 0..n {
                        placed[varying] = Square::from_index(square);
                        let value = expected(&table, &men, stm, &placed);
                        assert_eq!(row.value(square), value, "{name}: {men:?} on {placed:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn parts_have_what_the_whole_table_has() {
    for (name, promoted) in [
        ("KRvK", "R"),
        ("KRRvK", "R"),
        ("KRvKN", "R"),
        ("KRvKN", "n"),
        ("KRvKR", "r"),
        ("KRNvK", "N"),
        ("KRPvK", "R"),
        ("KRRvKP", "R"),
        ("KRvKP", "R"),
        ("KPvKR", "r"),
    ] {
        if Material::parse(&game(FOUR_BY_FOUR), name).unwrap().is_canonical(&game(FOUR_BY_FOUR)) {
            check_part(FOUR_BY_FOUR, name, promoted);
        }
    }
    for (name, promoted) in [("KRvK", "R"), ("KRRvK", "R"), ("KRvKP", "R"), ("KRPvKP", "R")] {
        check_part(THREE_BY_FIVE, name, promoted);
    }
    check_part(FIDE, "KQvKR", "Q");
}

#[test]
fn a_frame_man_has_no_part() {
    let variant = game(FIDE);
    let layout = Layout::new(&variant, &Material::parse(&variant, "KRvK").unwrap());
    let some: SquareSet = [Square::from_index(0)].into_iter().collect();
    assert!(layout.frame().iter().all(|&man| Scope::new(&layout, man, some).is_none()));
    let corners = Scope::new(&layout, layout.free()[0], some).expect("a free man").squares();
    assert_eq!(corners.bits(), 0x8100_0000_0000_0081, "a corner has all corners as images");
}
