//! Solves the same table under every metric, with those that it needs in memory, and reports processor
//! seconds.
//!
//! `cargo xtask bench metrics -- KBBvKN` runs one case. One thread, so that the figures say what a table
//! costs.

use bench::{Stopwatch, fide, material, needs_of, solve};
use rayon::ThreadPoolBuilder;
use std::process::ExitCode;
use table::Table;
use variant::{Metric, Side, Variant};

/// Each table with the longest win of White under each metric, in the order of [`Metric::OF_CONTEST`].
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
        for metric in Metric::OF_CONTEST {
            let plies = pool.install(|| run(name, metric));
            let expected = longest.map(|longest| longest[metric as usize]);
            assert!(expected.is_none_or(|expected| plies == expected), "{name}, {metric}: {plies} plies");
        }
    }
    ExitCode::SUCCESS
}

/// Solves a table, prints the time that it took, and returns the longest win of White.
fn run(name: &str, metric: Metric) -> u16 {
    let variant = match name {
        "KBMvKH" => Variant::parse(FAIRY, "fairy.toml").unwrap_or_else(|report| panic!("{report}")),
        _ => fide(),
    };
    let material = material(&variant, name);
    let needs = needs_of(&variant, metric, &material);
    // Processor time is counted in hundredths of a second, which is what a small table takes.
    let n_runs = if material.n_men() < 5 { 20 } else { 1 };
    let watch = Stopwatch::start();
    let tables: Vec<Table> = (0..n_runs).map(|_| solve(&needs, &material)).collect();
    let solved = watch.cpu().as_secs_f64() / f64::from(n_runs);
    let watch = Stopwatch::start();
    tables.iter().for_each(|table| drop(table.to_wdl()));
    let mapped = watch.cpu().as_secs_f64() / f64::from(n_runs);
    let plies = longest_win(&tables[0]);
    println!("{name:<7} {metric:<6} {solved:>8.3} {:>17.3} {plies:>22}", solved + mapped);
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
