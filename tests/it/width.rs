//! Two bytes a value.

use index::Layout;
use proof::Oracle;
use solve::{Options, Unwatched, solve, solve_with};
use std::sync::Arc;
use table::{Code, Codes, Lookup, Ply, Table, Value};
use tablesmith_tests::{Shelf, chess, small_chess};
use variant::{Material, Metric, Side};

#[track_caller]
fn check_width(name: &str) {
    let shelf = chess();
    let narrow = shelf.named(name);
    let material = Material::parse(shelf.variant(), name).unwrap();
    let layout = Arc::new(Layout::new(shelf.variant(), &material));
    let options = Options { metric: Metric::Dtm, wide: true };
    let wide = solve_with(shelf.variant(), options, layout, shelf, &Unwatched).unwrap();
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

/// Tables in which every mate takes 300 plies longer than on the shelf.
struct Deeper<'a>(&'a Shelf);

impl Lookup for Deeper<'_> {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        let table = self.0.solved(material);
        let codes = |side: Side| {
            table.codes(side).map(|codes| {
                let deeper = |index| match codes.as_ref().value(index) {
                    Value::Win(Ply(ply)) => Value::Win(Ply(ply + 300)),
                    Value::Loss(Ply(ply)) => Value::Loss(Ply(ply + 300)),
                    value => value,
                };
                Codes::Wide((0..codes.len()).map(|i| u16::from_value(deeper(i)).unwrap()).collect())
            })
        };
        let white = codes(Side::White).expect("White to move is kept");
        Some(Arc::new(Table::new(table.layout().clone(), white, codes(Side::Black))))
    }
}

#[test]
fn a_table_that_needs_two_bytes_takes_them_by_itself() {
    // Rooks on 5 × 5 squares, where to win a rook is to win after more plies than one byte can say.
    let shelf = Shelf::new(small_chess(5, 5));
    for name in ["KRvKR", "KRBvK"] {
        let material = Material::parse(shelf.variant(), name).unwrap();
        let layout = Arc::new(Layout::new(shelf.variant(), &material));
        let table = solve(shelf.variant(), layout, &Deeper(&shelf), &Unwatched).unwrap();
        assert!(table.sides().all(|stm| matches!(table.codes(stm), Some(Codes::Wide(_)))), "{name}");
        let longest = (0..table.layout().len()).filter_map(|i| table.value(Side::White, i).ply()).max();
        assert!(longest > Some(Ply(300)), "{name}: {longest:?}");
        let mut oracle = Oracle::new(shelf.variant());
        oracle.solve_with(&material, &Deeper(&shelf)).expect("everything is there");
        let differences = oracle.differences(&table, 5).expect("the oracle has solved it");
        assert!(differences.is_empty(), "{name}: {differences:#?}");
    }
}
