//! Compares structures with whole tables: every position that comes from one of a material must have the
//! value of the tables.
//!
//! The roots are positions of the material with pawns on random squares. Each is solved twice, from nothing
//! and with the tables at hand, and compared position by position.

use crate::placement::random_position;
use anyhow::{Context, Result};
use library::LentTables;
use position::Position;
use probe::Tablebase;
use proof::Dice;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use structure::{Bound, Limit, MAX_SLICES, SolvedStructure, Structure, TablesAtHand, Unwatched, solve};
use variant::{Material, Metric, Variant};
use xtask::root;

/// What is compared.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Names of tables, such as KQPvKQ
    #[arg(required = true, value_name = "TABLE")]
    materials: Vec<String>,
    /// The folder of the tables
    #[arg(long, value_name = "DIR", default_value = "tables/fide")]
    tables: PathBuf,
    /// The metric of the tables
    #[arg(long, default_value = "dtm")]
    metric: Metric,
    /// The positions of each table that structures begin with
    #[arg(long = "roots", value_name = "N", default_value_t = 4)]
    n_roots: u64,
    /// What the positions depend on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Compare one position in N
    #[arg(long, value_name = "N", default_value_t = 1)]
    one_in: usize,
    /// The memory for a structure
    #[arg(long = "memory", value_name = "BYTES", default_value_t = 4 << 30)]
    memory_bytes: u64,
}

/// Compares all of them; whether all is well.
///
/// # Errors
/// There is no such material or table, or a file cannot be written.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let variant = Variant::chess();
    let tables =
        Tablebase::open_with(std::slice::from_ref(&options.tables), &variant, options.metric, 1 << 30)?;
    let lent = LentTables::new(&variant, options.metric, std::slice::from_ref(&options.tables))?;
    let lent: TablesAtHand = Some(Arc::new(lent));
    let folder = root().join("target/studies");
    let mut is_well = true;
    for name in &options.materials {
        let material = Material::parse(&variant, name)?;
        for seed in options.seed..options.seed.saturating_add(options.n_roots) {
            let mut dice = Dice::new(seed);
            let position = (0..1000).find_map(|_| random_position(tables.book(), material.men(), &mut dice));
            let position =
                position.with_context(|| format!("{name}: a thousand throws make no legal position"))?;
            for used in [None, lent.clone()] {
                is_well &= compare(options, &tables, &position, used, &folder)?;
            }
        }
    }
    Ok(is_well)
}

/// Solves what comes from a position and compares it.
fn compare(
    options: &Options,
    tables: &Tablebase,
    root: &Position,
    used: TablesAtHand,
    folder: &Path,
) -> Result<bool> {
    let (variant, begun) = (tables.variant(), Instant::now());
    let limited = (Limit::none(), &[Bound::Exact][..]);
    let roots = std::slice::from_ref(root);
    let structure = Structure::using(variant, options.metric, roots, limited, used.clone(), MAX_SLICES)?;
    let path = folder.join("whole.tss");
    // What is left of an earlier root is not wanted.
    drop(fs_err::remove_file(&path));
    solve(&structure, &path, options.memory_bytes, &Unwatched)?;
    let seconds = begun.elapsed().as_secs_f64();
    let solved = SolvedStructure::open(&path, variant)?.with_tables(used);
    let (n_equal, n_wrong, n_missing) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    solved.for_each_shared(options.one_in, |_, position, value| match tables.value(position) {
        Ok(expected) if expected == value => drop(n_equal.fetch_add(1, Ordering::Relaxed)),
        Ok(expected) => {
            if n_wrong.fetch_add(1, Ordering::Relaxed) == 0 {
                println!("{}: {value:?}, the table has {expected:?}", position.to_fen(tables.book()));
            }
        }
        Err(_) => drop(n_missing.fetch_add(1, Ordering::Relaxed)),
    })?;
    let (n_equal, n_wrong, n_missing) = (n_equal.into_inner(), n_wrong.into_inner(), n_missing.into_inner());
    println!(
        "{} {}, {} tables read: {n_equal} positions equal, {n_wrong} wrong, {n_missing} without a table \
         (solved in {seconds:.1} s)",
        root.to_fen(tables.book()),
        options.metric,
        solved.used().len(),
    );
    // With its own table at hand the root has no slice.
    Ok(n_wrong == 0 && n_missing == 0 && (n_equal > 0 || !solved.used().is_empty()))
}
