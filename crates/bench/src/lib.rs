//! Provides the benchmarks with games, tables solved beforehand, and positions to ask for.
//!
//! The benchmarks stand in `benches/`, one file a subject. Each asserts its answer, so that nothing is timed
//! that computes something else, and counts what it does, so that the reports say positions (words) a second.

mod stock;

pub use stock::{Sample, Stock, Temporary};

use library::SolvedTables;
use std::time::{Duration, Instant};
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};
use table::{Table, Value};
use variant::{Material, Metric, Side, Variant};

/// The rules of chess, as users have them.
///
/// # Panics
/// If the file is broken.
#[must_use]
pub fn fide() -> Variant {
    game("fide")
}

/// The rules of a game, as users have them.
///
/// # Panics
/// If there is no file for it, or the file is broken.
#[must_use]
pub fn game(name: &str) -> Variant {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants");
    let path = std::path::Path::new(folder).join(name).with_extension("toml");
    Variant::load(path).unwrap_or_else(|fault| panic!("{fault}"))
}

/// The material of this name.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn material(variant: &Variant, name: &str) -> Material {
    Material::parse(variant, name).unwrap_or_else(|error| panic!("{error}"))
}

/// The tables that solving a material under a metric needs, and not its own.
///
/// # Panics
/// If one cannot be solved.
#[must_use]
pub fn needs_of(variant: &Variant, metric: Metric, material: &Material) -> SolvedTables {
    let tables = SolvedTables::of_metric(variant.clone(), metric);
    tables.solve_needs(material).unwrap_or_else(|error| panic!("{error}"));
    tables
}

/// Solves a material from the tables that it needs.
///
/// # Panics
/// If one of them is not there.
#[must_use]
pub fn solve(tables: &SolvedTables, material: &Material) -> Table {
    tables.solve(material).unwrap_or_else(|error| panic!("{error}"))
}

/// All values that a table keeps, with the side to move and the number of the placement.
pub fn values(table: &Table) -> impl Iterator<Item = (Side, usize, Value)> + '_ {
    table
        .sides()
        .flat_map(move |side| (0..table.layout().len()).map(move |i| (side, i, table.value(side, i))))
}

/// The side to move and the plies of a table's longest win.
///
/// # Panics
/// If no side ever wins.
#[must_use]
pub fn longest_win(table: &Table) -> (Side, u16) {
    let wins = values(table).filter_map(|(side, _, value)| match value {
        Value::Win(ply) => Some((side, ply.0)),
        _ => None,
    });
    wins.max_by_key(|&(side, plies)| (plies, std::cmp::Reverse(side))).expect("a side wins")
}

/// How many positions a table has a value for.
#[must_use]
pub fn n_positions(table: &Table) -> usize {
    values(table).filter(|&(.., value)| value != Value::Illegal).count()
}

/// Measures what this process takes: processor time beside wall time, because other work may run on the
/// machine.
pub struct Stopwatch {
    begun: Instant,
    begun_cpu: Duration,
}

impl Stopwatch {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Stopwatch { begun: Instant::now(), begun_cpu: cpu() }
    }

    /// The processor time of all threads since the start.
    ///
    /// Units: most systems count in hundredths of a second.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        cpu().saturating_sub(self.begun_cpu)
    }

    /// The time since the start.
    #[must_use]
    pub fn wall(&self) -> Duration {
        self.begun.elapsed()
    }
}

/// The processor time that this process has taken; none where the system does not tell.
fn cpu() -> Duration {
    let Ok(own) = sysinfo::get_current_pid() else { return Duration::ZERO };
    let mut system = System::new();
    let what = ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, what);
    system
        .process(own)
        .map_or(Duration::ZERO, |process| Duration::from_millis(process.accumulated_cpu_time()))
}
