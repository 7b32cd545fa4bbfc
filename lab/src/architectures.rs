//! Runs `cargo xtask lab architectures`: tables and kernels side by side for each set of instructions.
//!
//! A kernel has one body, compiled for several sets of instructions, of which a run takes the best that the
//! processor has. What each is worth is measured by having runs take less: [`kernel::VARIABLE`] names the
//! set. Tables are solved in rounds that go through all sets in turn, so that other work on the machine
//! touches all alike, and of each the least time counts. Kernels are timed by their benchmarks, which print
//! the medians themselves.

use crate::process::solve;
use anyhow::Result;
use kernel::{Level, VARIABLE};
use std::time::{Duration, Instant};
use xtask::program::{cargo, output, succeed};
use xtask::root;

/// What is solved: without pawns, with pawns, and with five men.
const TABLES: [&str; 3] = ["KQvKR", "KPvKP", "KBBvKN"];

/// All sets of instructions, the least first.
const LEVELS: [Level; 4] = [Level::Portable, Level::Avx2, Level::Avx512, Level::Gfni];

/// What is measured.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Options {
    /// How often every table is solved
    #[arg(long = "rounds", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    n_rounds: u32,
}

/// Measures everything and prints it; always well unless something cannot be run.
///
/// # Errors
/// The benchmarks cannot be built or run, or a table cannot be solved.
pub(crate) fn run(options: Options) -> Result<bool> {
    let best = Level::detected();
    let levels: Vec<Level> = LEVELS.into_iter().filter(|&level| level <= best).collect();
    let (program, rules, folder) =
        (std::env::current_exe()?, root().join("variants/fide.toml"), tempfile::tempdir()?);
    for table in TABLES {
        let mut least = vec![Duration::MAX; levels.len()];
        for _ in 0..options.n_rounds {
            for (least, &level) in least.iter_mut().zip(&levels) {
                // On one thread, with all tables that it needs, whose files are packed too.
                let (words, out) = (["--table", table, "--threads", "1"], folder.path().join(table));
                let begin = Instant::now();
                output(solve(&program, &rules, &words, &out).env(VARIABLE, name_of(level)))?;
                *least = begin.elapsed().min(*least);
                fs_err::remove_dir_all(&out)?;
            }
        }
        println!("{}", row(table, &levels, &least));
    }
    for &level in &levels {
        println!("kernels, {}:", name_of(level));
        let mut bench = cargo();
        bench.args(["bench", "--quiet", "--package", "tablesmith-bench", "--bench", "kernels", "--"]);
        bench.args(["--min-time", "0.05", "--max-time", "0.3"]).env(VARIABLE, name_of(level));
        succeed(&mut bench)?;
    }
    Ok(true)
}

/// A line for a table: the time with the least set, and how often faster the others are.
fn row(table: &str, levels: &[Level], times: &[Duration]) -> String {
    let first = times[0].as_secs_f64();
    let others = levels.iter().zip(times).skip(1);
    let others =
        others.map(|(&level, time)| format!(", {} {:.2} ×", name_of(level), first / time.as_secs_f64()));
    format!("{table}: {} {first:.2} s{}", name_of(levels[0]), others.collect::<String>())
}

/// The name of a set of instructions, as [`VARIABLE`] has it.
fn name_of(level: Level) -> String {
    format!("{level:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{Level, row};
    use std::time::Duration;

    #[test]
    fn others_are_so_often_faster() {
        let times = [80, 20].map(Duration::from_millis);
        let text = row("KQvKR", &[Level::Portable, Level::Avx2], &times);
        assert_eq!(text, "KQvKR: portable 0.08 s, avx2 4.00 ×");
    }
}
