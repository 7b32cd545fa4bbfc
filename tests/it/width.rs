//! Two bytes a value.

use index::Layout;
use solve::{Unwatched, solve_wide};
use std::sync::Arc;
use table::Codes;
use tablesmith_tests::chess;
use variant::{Material, Side};

#[track_caller]
fn check_width(name: &str) {
    let shelf = chess();
    let narrow = shelf.named(name);
    let material = Material::parse(shelf.variant(), name).unwrap();
    let layout = Arc::new(Layout::new(shelf.variant(), &material));
    let wide = solve_wide(shelf.variant(), layout, shelf, &Unwatched).unwrap();
    for stm in narrow.sides() {
        assert!(matches!(narrow.codes(stm), Some(Codes::Narrow(_))), "{name}: one byte suffices");
        assert!(matches!(wide.codes(stm), Some(Codes::Wide(_))), "{name}: two bytes as asked");
        let n = narrow.layout().len();
        let differ = (0..n).find(|&i| narrow.value(stm, i) != wide.value(stm, i));
        assert_eq!(differ, None, "{name}, {stm} to move");
    }
    assert_eq!(wide.sides().collect::<Vec<Side>>(), narrow.sides().collect::<Vec<Side>>());
}

#[test]
fn wide_tables_say_what_narrow_ones_say() {
    ["KPvK", "KQvKR", "KPvKP"].into_iter().for_each(check_width);
}
