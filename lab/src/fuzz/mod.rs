//! Runs `cargo xtask lab fuzz`: gives readers inputs that are nearly right until one of them panics.
//!
//! ```text
//!   corpus (tests/cases) ─ mutation ─ repair (checksums, three times in four) ─► reader ─► refused, or read
//!                                                                                   └──► a panic, kept
//! ```
//!
//! A reader must not panic; nothing else is checked, since a file whose checksums are set right may say
//! anything. The tests of each format check that a damaged file is refused. An input depends on the seed and
//! its number alone, so a fault that was found is found again.

mod mutation;
mod repair;
mod target;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use mutation::mutate_lines;
pub(crate) use mutation::{flip, mutate, small, splice};
use proof::Dice;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
pub use target::Target;
use target::{Reader, corpus};
use xtask::root;

/// The targets and limits of a run.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// The targets; all if none is named
    pub targets: Vec<Target>,
    /// How long each of them
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub seconds: u64,
    /// At most N inputs of each
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    pub inputs: u64,
    /// What the inputs depend on
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Fuzzes one target after the other; returns whether no reader panicked.
///
/// # Errors
/// The corpus is not there, or the disk refuses.
pub fn run(options: &Options, report: &mut dyn FnMut(&str)) -> Result<bool> {
    let mut is_well = true;
    let targets = if options.targets.is_empty() { Target::value_variants() } else { &options.targets[..] };
    for &target in targets {
        is_well &= fuzz(target, options, report)?;
    }
    Ok(is_well)
}

fn fuzz(target: Target, options: &Options, report: &mut dyn FnMut(&str)) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let seeds = corpus(target)?;
    let others: Vec<Vec<u8>> = seeds.iter().map(|seed| seed.bytes.clone()).collect();
    let reader = Reader::new(target, folder.path())?;
    for seed in &seeds {
        let is_read = reader.read(&seed.name, &seed.bytes, &mut Dice::new(0))?;
        // Of the built-in games some have rules that no variant file has.
        ensure!(is_read || target == Target::Ini, "{} of the corpus is not read; make it anew", seed.name);
    }
    let (begin, limit) = (Instant::now(), Duration::from_secs(options.seconds));
    let (mut n_inputs, mut n_read, mut slowest) = (0u64, 0u64, Duration::ZERO);
    while n_inputs < options.inputs && begin.elapsed() < limit {
        let mut dice = Dice::new(options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n_inputs);
        let seed = &seeds[dice.below(seeds.len())];
        let mut bytes = seed.bytes.clone();
        match matches!(target, Target::Toml | Target::Ini) && dice.below(4) != 0 {
            true => mutate_lines(&mut bytes, &others, &mut dice),
            false => mutate(&mut bytes, &others, &mut dice),
        }
        if dice.below(4) != 0 {
            reader.repair(&mut bytes, &mut dice);
        }
        n_inputs += 1;
        let start = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| reader.read(&seed.name, &bytes, &mut dice))) {
            Ok(read) => n_read += u64::from(read?),
            Err(_) => {
                let (name, seed_of_run) = (target.name(), options.seed);
                let kept = root().join("target/fuzz").join(format!("{name}-{seed_of_run}-{n_inputs}"));
                fs_err::create_dir_all(&kept)?;
                fs_err::write(kept.join(&seed.name), &bytes)?;
                let kept = kept.display();
                report(&format!(
                    "{name}: input {n_inputs} of seed {seed_of_run} is the end of a reader: {kept}"
                ));
                return Ok(false);
            }
        }
        slowest = slowest.max(start.elapsed());
    }
    report(&format!(
        "{}: {n_inputs} inputs from {} files, {n_read} of them read, no panic; {} s, the slowest {} ms, seed {}",
        target.name(),
        seeds.len(),
        begin.elapsed().as_secs(),
        slowest.as_millis(),
        options.seed
    ));
    Ok(true)
}
