//! Verification: right tables are found right, and a wrong value is found.

use proof::{Sample, verify};
use table::{Code, Codes, Ply, Table, Value};
use tablesmith_tests::chess;
use variant::Side;

#[track_caller]
fn check_clean(name: &str) {
    let shelf = chess();
    let report = verify(shelf.variant(), &*shelf.named(name), shelf, Sample::All, &|_, _| {}).unwrap();
    assert!(report.is_clean(), "{name}: {report:#?}");
    assert!(report.n_positions > 40_000, "{name}: {} positions looked at", report.n_positions);
}

#[test]
fn solved_tables_are_clean() {
    ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KRvKB", "KPvKP"].into_iter().for_each(check_clean);
}

#[test]
fn one_wrong_value_is_found() {
    let shelf = chess();
    let mut table = Table::clone(&shelf.named("KRvK"));
    let index = (0..table.layout().len())
        .find(|&i| table.value(Side::White, i) == Value::Win(Ply(9)))
        .expect("some position wins in nine plies");
    match table.codes_mut(Side::White) {
        Some(Codes::Narrow(codes)) => codes[index] = u8::from_value(Value::Win(Ply(11))).unwrap(),
        _ => unreachable!("a rook mates in less than 253 plies"),
    }
    let report = verify(shelf.variant(), &table, shelf, Sample::All, &|_, _| {}).unwrap();
    assert!(report.n_differences > 0);
    assert!(report.differences.iter().any(|d| d.stored == Value::Win(Ply(11))), "{report:#?}");
}
