//! Runs `cargo xtask lab architectures`: kernels and tables side by side for each set of instructions.
//!
//! A kernel has one body, compiled for several sets of instructions, of which a run takes the best that the
//! processor has. What each is worth is measured by having runs take less: [`kernel::VARIABLE`] names the
//! set. Rounds go through all sets in turn, so that other work on the machine touches all alike, and of each
//! the least time counts.

use crate::process::solve;
use anyhow::{Result, ensure};
use kernel::{Level, VARIABLE};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};
use xtask::program::{cargo, output};
use xtask::root;

/// What is solved: without pawns, with pawns, and with five men.
const TABLES: [&str; 3] = ["KQvKR", "KPvKP", "KBBvKN"];

/// All sets of instructions, the least first.
const LEVELS: [Level; 4] = [Level::Portable, Level::Avx2, Level::Avx512, Level::Gfni];

/// What is measured.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Options {
    /// How often everything is measured
    #[arg(long = "rounds", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    n_rounds: u32,
}

/// The least time of each set of instructions, by what was measured, in the order of its first measurement.
#[derive(Default, Debug)]
struct Times {
    names: Vec<String>,
    least: BTreeMap<(String, Level), Duration>,
}

impl Times {
    fn note(&mut self, name: &str, level: Level, time: Duration) {
        if !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
        let least = self.least.entry((name.to_owned(), level)).or_insert(time);
        *least = time.min(*least);
    }

    /// A line for each measurement: the time with the least set, and how often faster the others are.
    fn lines(&self, levels: &[Level]) -> Vec<String> {
        let width = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let mut head = format!("{:width$}  {:>10}", "", name_of(levels[0]));
        levels[1..].iter().for_each(|level| head += &format!("  {:>8}", name_of(*level)));
        let line = |name: &String| {
            let time = |level: Level| self.least.get(&(name.clone(), level)).map(Duration::as_secs_f64);
            let first = time(levels[0]);
            let mut line = format!("{name:width$}  {:>10}", first.map_or("none".into(), shown));
            for &level in &levels[1..] {
                let ratio = first.zip(time(level)).map(|(first, own)| format!("{:.2} ×", first / own));
                line += &format!("  {:>8}", ratio.unwrap_or_else(|| "none".into()));
            }
            line
        };
        std::iter::once(head).chain(self.names.iter().map(line)).collect()
    }
}

/// The name of a set of instructions, as [`VARIABLE`] has it.
fn name_of(level: Level) -> String {
    format!("{level:?}").to_lowercase()
}

/// A time as people read it.
fn shown(seconds: f64) -> String {
    match seconds {
        1.0.. => format!("{seconds:.2} s"),
        1e-3.. => format!("{:.2} ms", seconds * 1e3),
        1e-6.. => format!("{:.2} µs", seconds * 1e6),
        _ => format!("{:.1} ns", seconds * 1e9),
    }
}

/// Measures everything and prints a table; always well unless something cannot be run.
///
/// # Errors
/// The benchmarks cannot be built or run, or a table cannot be solved.
pub(crate) fn run(options: Options) -> Result<bool> {
    let best = Level::detected();
    let levels: Vec<Level> = LEVELS.into_iter().filter(|&level| level <= best).collect();
    if levels.len() == 1 {
        println!("this processor has no more than the portable set, so there is nothing to compare");
    }
    let (mut times, folder) = (Times::default(), tempfile::tempdir()?);
    let (program, rules) = (std::env::current_exe()?, root().join("variants/fide.toml"));
    output(&mut bench(&["--no-run"]))?;
    for round in 0..options.n_rounds {
        for &level in &levels {
            let with = |command: &mut Command| output(command.env(VARIABLE, name_of(level)));
            let text = with(&mut bench(&["--", "--min-time", "0.05", "--max-time", "0.3"]))?;
            let kernels = medians(&text);
            ensure!(!kernels.is_empty(), "the benchmarks print nothing that can be read:\n{text}");
            kernels.iter().for_each(|(name, time)| times.note(name, level, *time));
            for table in TABLES {
                // On one thread, with all tables that it needs, whose files are packed too.
                let out = folder.path().join(format!("{table}-{round}-{}", name_of(level)));
                let begin = Instant::now();
                with(&mut solve(&program, &rules, &["--table", table, "--threads", "1"], &out))?;
                times.note(&format!("solve {table}"), level, begin.elapsed());
                fs_err::remove_dir_all(&out)?;
            }
        }
    }
    times.lines(&levels).iter().for_each(|line| println!("{line}"));
    Ok(true)
}

/// The benchmarks of kernels.
fn bench(args: &[&str]) -> Command {
    let mut command = cargo();
    command.args(["bench", "--quiet", "--package", "tablesmith-bench", "--bench", "kernels"]).args(args);
    command
}

/// The names of the benchmarks in a table of divan's, each with its median.
///
/// ```text
///   kernels           fastest       │ slowest       │ median        │ mean          │ samples │ iters
///   ├─ add_ghosts     1.2 µs        │ 2.1 µs        │ 1.3 µs        │ 1.3 µs        │ 100     │ 100
///   ╰─ ride                         │               │               │               │         │
///      ╰─ 64          1.2 µs        │ …
/// ```
fn medians(text: &str) -> Vec<(String, Duration)> {
    let (mut found, mut parent) = (Vec::new(), String::new());
    for line in text.lines() {
        let columns: Vec<&str> = line.rsplitn(6, '│').collect();
        let &[_, _, _, median, _, head] = &columns[..] else { continue };
        let Some(at) = ["├─ ", "╰─ "].iter().find_map(|mark| head.find(mark)) else { continue };
        let Some(name) = head[at..].split_whitespace().nth(1) else { continue };
        let is_below = head[..at].chars().count() > 0;
        match duration(median.trim()) {
            None => parent = name.to_owned(),
            Some(median) if is_below => found.push((format!("{parent} {name}"), median)),
            Some(median) => found.push((name.to_owned(), median)),
        }
    }
    found
}

/// A time with its unit.
fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_once(' ')?;
    let factor = match unit {
        "ps" => 1e-12,
        "ns" => 1e-9,
        "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * factor).ok()
}

#[cfg(test)]
mod tests {
    use super::{Level, Times, medians};
    use std::time::Duration;

    #[test]
    fn tables_of_benchmarks_are_read() {
        let text = "\
Timer precision: 20 ns
kernels                fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ ride_of_outer_man   38.01 µs      │ 141.5 µs      │ 38.33 µs      │ 40.63 µs      │ 100     │ 100
│                      6.896 Gitem/s │ 1.852 Gitem/s │ 6.837 Gitem/s │ 6.45 Gitem/s  │         │
├─ transpose_block                   │               │               │               │         │
│  ├─ 1                5.2 µs        │ 9.1 µs        │ 5.25 µs       │ 5.4 µs        │ 100     │ 100
│  │                   787.6 Mitem/s │ 450.1 Mitem/s │ 780.1 Mitem/s │ 758.5 Mitem/s │         │
│  ╰─ 64               1.204 ms      │ 1.4 ms        │ 1.25 ms       │ 1.3 ms        │ 100     │ 100
╰─ union               901.5 ns      │ 1.4 µs        │ 950 ns        │ 1 µs          │ 100     │ 100
";
        let expected = [
            ("ride_of_outer_man", 38_330),
            ("transpose_block 1", 5_250),
            ("transpose_block 64", 1_250_000),
            ("union", 950),
        ];
        let expected = expected.map(|(name, ns)| (name.to_owned(), Duration::from_nanos(ns)));
        assert_eq!(medians(text), expected);
        assert!(medians("error: nothing │ to see").is_empty());
    }

    #[test]
    fn ratios_are_those_of_the_least_times() {
        let mut times = Times::default();
        for (level, ms) in
            [(Level::Portable, 90), (Level::Portable, 80), (Level::Avx2, 20), (Level::Avx2, 40)]
        {
            times.note("ride", level, Duration::from_millis(ms));
        }
        let lines = times.lines(&[Level::Portable, Level::Avx2, Level::Avx512]);
        assert_eq!(lines, ["        portable      avx2    avx512", "ride    80.00 ms    4.00 ×      none"]);
    }
}
