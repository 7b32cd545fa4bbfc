//! Files with wrong values, and counts.

use super::{RightsFigures, verify_rights};
use probe::Tablebase;
use rights::{RightsFile, write_rights_file};
use std::sync::Arc;
use table::{Codes, Ply, Table};
use variant::{Material, Metric, Side, Variant};

#[test]
fn wrong_values_are_found() {
    let chess = Variant::chess();
    let material = Material::parse(&chess, "KRvK").unwrap();
    let right = crate::SolvedTables::new(chess.clone()).named("KRvK").unwrap();
    let layout = right.layout().clone();
    let drawn = || Codes::Narrow(vec![1; layout.len()]);
    let wrong = Arc::new(Table::new(layout.clone(), drawn(), Some(drawn())));
    let folder = tempfile::tempdir().unwrap();
    let verify = |table: &Arc<Table>| {
        let base = |table: &Arc<Table>| Tablebase::from_tables(&chess, Metric::Dtm, [table.clone()]);
        let path = folder.path().join("KRvK.tsr");
        let solved = base(table).solved_rights(&material).unwrap();
        write_rights_file(&path, &chess, &material, Metric::Dtm, &solved, "me").unwrap();
        let file = RightsFile::open(&path, &chess, &material, Metric::Dtm).unwrap();
        let tables = base(&right);
        let figures = solved.iter().map(|table| RightsFigures::of(tables.book(), tables.scale(), table));
        let figures = figures.fold(RightsFigures::default(), RightsFigures::with);
        (verify_rights(&tables, &file, u64::MAX, &|_| {}).unwrap(), figures)
    };
    let (report, figures) = verify(&right);
    assert_eq!((report.n_values, report.n_positions, report.n_differences), (256, 211, 0));
    // Of the 97 positions with White to move all are won; Black takes the rook in a few of his.
    assert_eq!(figures.side(Side::White), [97, 0, 0]);
    assert_eq!((figures.n_positions(), figures.side(Side::Black)[0]), (211, 0));
    let longest = figures.longest_win.unwrap();
    assert!(longest.ply > Ply(15) && longest.fen.contains(" w "), "{longest:?}");
    let (report, figures) = verify(&wrong);
    assert_eq!((figures.n_positions(), figures.longest_loss), (211, None));
    assert!(report.n_differences > 150 && !report.differences.is_empty(), "{report:?}");
}
