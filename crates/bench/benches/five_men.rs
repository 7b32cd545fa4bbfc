//! Solves tables of five men once each, with those that they need at hand, and reports processor seconds,
//! which other work on the machine disturbs less than wall seconds.
//!
//! `cargo xtask bench five_men -- KBBvKN` runs one case. What a case needs is solved when it is first run and
//! kept in `target/bench-tables`; for pawns that is nearly everything, so solve it beforehand: `tables/fide`
//! is looked at too.

use bench::{Stock, Stopwatch, material};
use rayon::ThreadPoolBuilder;
use stats::Statistics;
use std::process::ExitCode;
use std::time::Duration;
use variant::Side;

/// Each table with the plies of its longest win where that is published.
const TABLES: [(&str, Option<u16>); 5] = [
    ("KBBvKN", Some(155)),
    ("KRBvKR", Some(129)),
    ("KQRvKQ", Some(133)),
    ("KRPvKR", None),
    ("KPPvKP", Some(253)),
];

fn main() -> ExitCode {
    // Cargo says `--bench`.
    let names: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if let Some(unknown) = names.iter().find(|name| TABLES.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = TABLES.iter().map(|(name, _)| *name).collect();
        eprintln!("error: {unknown} is none of the cases {}", known.join(", "));
        return ExitCode::from(2);
    }
    let pool = ThreadPoolBuilder::new().build().expect("threads can be started");
    let stock = Stock::of_chess();
    println!("{} threads", pool.current_num_threads());
    println!(
        "table    solve: CPU s   wall s   positions/CPU s   with statistics, file, checksums: CPU s   wall s   bytes"
    );
    for (name, longest) in
        TABLES.iter().filter(|(name, _)| names.is_empty() || names.iter().any(|n| n == name))
    {
        pool.install(|| run(&stock, name, *longest));
    }
    ExitCode::SUCCESS
}

fn run(stock: &Stock, name: &str, longest: Option<u16>) {
    let material = material(stock.variant(), name);
    let needs = stock.needs_of(&material);
    let watch = Stopwatch::start();
    let table = bench::solve(&needs, &material);
    let (cpu, wall) = (watch.cpu(), watch.wall());
    let statistics = Statistics::collect(stock.variant(), needs.metric(), &table);
    let n_bytes = stock.try_write(&table);
    let (all_cpu, all_wall) = (watch.cpu(), watch.wall());
    let wins = Side::BOTH.into_iter().filter_map(|side| statistics.side(side).longest_win.as_ref());
    let found = wins.map(|win| win.ply).max();
    assert!(
        longest.is_none() || found == longest,
        "the longest win of {name}: {found:?}, expected {longest:?}"
    );
    let n_positions: u64 = Side::BOTH.into_iter().map(|side| statistics.side(side).legal().orbits).sum();
    println!(
        "{name:<7} {:>13} {:>8} {:>17.0} {:>47} {:>8} {n_bytes:>11}",
        seconds(cpu),
        seconds(wall),
        n_positions as f64 / cpu.as_secs_f64().max(0.01),
        seconds(all_cpu),
        seconds(all_wall),
    );
}

fn seconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64())
}
