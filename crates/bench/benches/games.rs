//! Solves tables of other games beside those of chess that they are like: riders of any step, leapers,
//! hoppers, lame men, a board of 10 × 8 squares, and the longest table of five men that is known.
//!
//! One thread, the tables behind in memory; a table costs about as much as the words that it has and the
//! plies that it takes, whatever its men.

use bench::{game, longest_win, material, n_positions, needs_of, solve};
use divan::Bencher;
use divan::counter::ItemsCount;
use rayon::ThreadPoolBuilder;
use variant::Side;

/// Each game and table with the side to move and the plies of its longest win.
const TABLES: [(&str, &str, (Side, u16)); 11] = [
    ("fide", "KQvKR", (Side::White, 69)),
    ("fide", "KQvKN", (Side::White, 41)),
    ("commoner", "KQvKM", (Side::White, 43)),
    ("nightrider", "KQvKH", (Side::White, 57)),
    ("grasshopper", "KQvKG", (Side::White, 23)),
    ("knightmate", "NQvNR", (Side::White, 53)),
    ("capablanca", "KQvKR", (Side::White, 109)),
    ("capablanca", "KQvKN", (Side::White, 45)),
    ("cannon", "KHvKE", (Side::White, 109)),
    ("racing-kings", "KQvKR", (Side::Black, 73)),
    ("nightrider", "KBMvKH", (Side::White, 623)),
];

fn main() {
    divan::main();
}

fn names() -> impl Iterator<Item = String> {
    TABLES.iter().map(|(game, material, _)| format!("{game} {material}"))
}

#[divan::bench(args = names(), sample_count = 5, sample_size = 1)]
fn one_thread(bencher: Bencher<'_, '_>, name: &String) {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("threads can be started");
    let &(file, name, expected) = TABLES
        .iter()
        .find(|(game, material, _)| format!("{game} {material}") == *name)
        .expect("one of the list");
    let variant = game(file);
    let material = material(&variant, name);
    let tables = needs_of(&variant, variant.default_metric, &material);
    let table = solve(&tables, &material);
    assert_eq!(longest_win(&table), expected, "the longest win of {name} in {file}");
    bencher
        .counter(ItemsCount::new(n_positions(&table)))
        .bench_local(|| pool.install(|| solve(&tables, &material)));
}
