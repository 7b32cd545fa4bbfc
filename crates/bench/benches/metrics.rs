//! The same table under every metric: processor seconds, those that it needs being in memory.
//!
//! `cargo xtask bench metrics -- KBBvKN` runs one case. One thread, so that the figures say what a table costs.

use bench::{Shelf, Stopwatch, fide, material};
use rayon::ThreadPoolBuilder;
use std::process::ExitCode;
use table::Table;
use variant::{Metric, Side, Variant};

/// Each table with the longest win of White under each metric, in the order of [`Metric::ALL`].
const TABLES: [(&str, Option<[u16; 5]>); 6] = [
    ("KQvKR", Some([1, 61, 61, 61, 69])),
    ("KRvKP", None),
    ("KPvKP", None),
    ("KRBvKR", None),
    ("KBBvKN", Some([1, 131, 131, 131, 155])),
    ("KBMvKH", Some([1, 613, 613, 613, 623])),
];

/// A bishop and a commoner against a nightrider, in chess without its other men: few wins take longer.
const FAIRY: &str = r#"
name = "fairy"
[[piece]]
letter = "K"
name = "king"
betza = "K"
royal = true
[[piece]]
letter = "B"
name = "bishop"
betza = "B"
[[piece]]
letter = "M"
name = "commoner"
betza = "K"
[[piece]]
letter = "H"
name = "nightrider"
betza = "NN"
"#;

fn main() -> ExitCode {
    // Cargo says `--bench`.
    let names: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if let Some(unknown) = names.iter().find(|name| TABLES.iter().all(|(known, _)| known != name)) {
        eprintln!("error: {unknown} is none of the cases {}", TABLES.map(|(name, _)| name).join(", "));
        return ExitCode::from(2);
    }
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("threads can be started");
    println!("table   metric   CPU s   with wdl: CPU s   longest win of White");
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    for (name, longest) in TABLES.iter().filter(|(name, _)| wanted(name)) {
        for metric in Metric::ALL {
            let plies = pool.install(|| run(name, metric));
            let expected = longest.map(|longest| longest[metric as usize]);
            assert!(expected.is_none_or(|expected| plies == expected), "{name}, {metric}: {plies} plies");
        }
    }
    ExitCode::SUCCESS
}

/// Solves a table a few times and tells the least that it took; the longest win of White.
fn run(name: &str, metric: Metric) -> u16 {
    let rules = match name {
        "KBMvKH" => Variant::parse(FAIRY, "fairy.toml").unwrap_or_else(|report| panic!("{report}")),
        _ => fide(),
    };
    let variant = Variant { metric, ..rules };
    let material = material(&variant, name);
    let shelf = Shelf::below(&variant, &material);
    let n_runs = if material.n_men() < 5 { 5 } else { 1 };
    let timed = || {
        let watch = Stopwatch::start();
        let table = shelf.solve(&material);
        let solved = watch.cpu().as_secs_f64();
        drop(table.to_wdl());
        (solved, watch.cpu().as_secs_f64(), table)
    };
    let runs: Vec<(f64, f64, Table)> = (0..n_runs).map(|_| timed()).collect();
    let least = |of: fn(&(f64, f64, Table)) -> f64| runs.iter().map(of).fold(f64::INFINITY, f64::min);
    let plies = longest_win(&runs[0].2);
    println!("{name:<7} {metric:<6} {:>7.2} {:>17.2} {plies:>22}", least(|run| run.0), least(|run| run.1));
    plies
}

fn longest_win(table: &Table) -> u16 {
    let values = (0..table.layout().len()).map(|place| table.value(Side::White, place));
    values
        .filter(|value| value.wdl() == Some(1))
        .filter_map(|value| value.ply())
        .map(|ply| ply.0)
        .max()
        .unwrap_or(0)
}
