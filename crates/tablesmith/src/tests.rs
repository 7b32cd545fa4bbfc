//! Solves small materials in memory and asks them what other programs would.

use crate::*;

#[track_caller]
fn check(tables: &Tablebase, fen: &str, expected: &str) {
    let position = tables.position(fen).unwrap();
    assert_eq!(tables.probe(&position).unwrap().value.to_string(), expected, "{fen}");
}

#[test]
fn a_pawn_and_what_it_becomes() {
    let tables = solve(&Variant::chess(), "KPvK").unwrap();
    check(&tables, "8/8/8/6k1/8/8/1P4K1/8 w - - 0 1", "win in 55 plies");
    check(&tables, "8/8/8/8/8/4k3/8/4K2Q w - - 0 1", "win in 9 plies");
    check(&tables, "8/8/8/8/8/4k3/8/4K3 w - - 0 1", "draw");
    check(&tables, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate");
    check(&tables, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "loss in 0 plies");
    check(&tables, "8/8/8/8/8/4k3/4Q3/4K3 w - - 0 1", "illegal");
}

#[test]
fn the_colours_of_the_name_do_not_matter() {
    let tables = solve(&Variant::chess(), "KvKR").unwrap();
    check(&tables, "8/8/8/8/8/2K5/1r6/k7 b - - 0 1", "win in 31 plies");
    let position = tables.position("8/8/8/8/8/4k3/8/4K2Q w - - 0 1").unwrap();
    assert!(matches!(tables.probe(&position), Err(ProbeError::Missing(table)) if table.material == "KQvK"));
}

#[test]
fn the_clock_counts_under_the_metric_of_the_rule() {
    let tables = solve_for(&Variant::chess(), Metric::Dtz50, "KQvK").unwrap();
    let answer = |clock: u32| {
        let fen = format!("8/8/8/8/8/4k3/8/4K2Q w - - {clock} 60");
        tables.probe(&tables.position(&fen).unwrap()).unwrap()
    };
    assert!(answer(0).value == Value::Win(Ply(9)) && !answer(0).is_cursed());
    assert!(answer(99).is_cursed());
}

#[test]
fn what_is_no_material_is_refused() {
    let refused = |material| solve(&Variant::chess(), material).unwrap_err();
    assert!(matches!(refused("KXvK"), LibraryError::Material(_)));
    assert!(matches!(refused("KQQQQvKQQQQ"), LibraryError::Plan(_) | LibraryError::Material(_)));
}
