//! Probes a folder of tables, from a FEN's text to values and moves, on one thread, and reports FENs a
//! second.
//!
//! The blocks are decompressed once, before the clock runs: a stream of positions asks for the same ones
//! again.

use bench::{Sample, Temporary, fide, material};
use divan::Bencher;
use divan::counter::ItemsCount;
use library::SolvedTables;
use position::Position;
use probe::Tablebase;

const MATERIALS: [&str; 2] = ["KQvKR", "KPvKP"];
const N_POSITIONS: usize = 2_000;

fn main() {
    divan::main();
}

/// Positions of a material, and a folder with its table and all those that its moves lead to.
fn prepare(name: &str, purpose: &str) -> (Sample, Temporary, Tablebase) {
    let variant = fide();
    let material = material(&variant, name);
    let solved = SolvedTables::new(variant.clone());
    let sample = Sample::new(&solved, &material, N_POSITIONS);
    let tables = Temporary::new(&format!("{name}-{purpose}"), &solved);
    let tablebase = Tablebase::open(tables.folder(), &variant).unwrap_or_else(|error| panic!("{error}"));
    (sample, tables, tablebase)
}

fn read(tablebase: &Tablebase, fen: &str) -> Position {
    Position::from_fen(tablebase.book(), fen).unwrap_or_else(|error| panic!("{error}"))
}

#[divan::bench(args = MATERIALS, sample_count = 20, sample_size = 1)]
fn value(bencher: Bencher<'_, '_>, name: &str) {
    let (sample, _tables, tablebase) = prepare(name, "value");
    let all = || -> Vec<_> {
        let value = |fen: &String| tablebase.value(&read(&tablebase, fen)).expect("the table is there");
        sample.fens.iter().map(value).collect()
    };
    assert_eq!(all(), sample.values, "values of {name}");
    bencher.counter(ItemsCount::new(N_POSITIONS)).bench_local(all);
}

#[divan::bench(args = MATERIALS, sample_count = 20, sample_size = 1)]
fn moves(bencher: Bencher<'_, '_>, name: &str) {
    let (sample, _tables, tablebase) = prepare(name, "moves");
    let all = || -> Vec<_> {
        let rate = |fen: &String| tablebase.moves(&read(&tablebase, fen)).expect("the tables are there");
        sample.fens.iter().map(rate).collect()
    };
    for ((fen, moves), value) in sample.fens.iter().zip(all()).zip(&sample.values) {
        // The best move is worth what the position is; without a move there is mate or stalemate.
        let Some(best) = moves.first() else { continue };
        assert_eq!(best.value, *value, "the best move of {fen}");
    }
    bencher.counter(ItemsCount::new(N_POSITIONS)).bench_local(all);
}
