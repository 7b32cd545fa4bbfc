//! Solves one table, with those that it needs in memory, and reports positions a second.
//!
//! `one_thread` is what a table costs, `all_threads` how soon it is there. A slice without pawns has too few
//! words to be shared between threads, so the two differ where there are pawns, or where captures are
//! gathered.

use bench::{fide, longest_win, material, n_positions, needs_of};
use divan::Bencher;
use divan::counter::ItemsCount;
use rayon::{ThreadPool, ThreadPoolBuilder};
use variant::Side;

/// Each table with the side to move and the plies of its longest win.
const TABLES: [(&str, (Side, u16)); 4] = [
    ("KQvKR", (Side::White, 69)),
    ("KBNvK", (Side::White, 65)),
    ("KPvKP", (Side::White, 65)),
    ("KRvKP", (Side::Black, 85)),
];

fn main() {
    divan::main();
}

fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|&(name, _)| name)
}

fn pool(n_threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads can be started")
}

fn measure(bencher: Bencher<'_, '_>, name: &str, pool: &ThreadPool) {
    let (variant, expected) = (fide(), TABLES.iter().find(|(known, _)| *known == name).map(|&(_, win)| win));
    let material = material(&variant, name);
    let tables = needs_of(&variant, variant.default_metric, &material);
    let table = bench::solve(&tables, &material);
    assert_eq!(Some(longest_win(&table)), expected, "the longest win of {name}");
    bencher
        .counter(ItemsCount::new(n_positions(&table)))
        .bench_local(|| pool.install(|| bench::solve(&tables, &material)));
}

#[divan::bench(args = names(), sample_count = 5, sample_size = 1)]
fn one_thread(bencher: Bencher<'_, '_>, name: &str) {
    measure(bencher, name, &pool(1));
}

#[divan::bench(args = names(), sample_count = 5, sample_size = 1)]
fn all_threads(bencher: Bencher<'_, '_>, name: &str) {
    measure(bencher, name, &pool(0));
}
