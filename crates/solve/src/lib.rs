//! Solves a material: set-wise retrograde analysis computes the exact value of every position.
//!
//! A *plane* has one bit for every placement of a slice's mobile men, a word for all squares of one of them,
//! and everything is done to whole planes: taking a man's moves back is shifts and ORs of words (`unmove`, on
//! the kernels of the crate `kernel`), and a ply is a few such steps (`pass`).
//!
//! The modules, from the bottom up:
//!
//! - `law` and `motion` compile the rules beside the pieces and the movements, once a table;
//! - `ground` computes the constants of a slice, with the placements in which royal men are attacked;
//! - `plane`, `unmove`, `code` and `sweep` hold sets, take moves back, write codes, and go through blocks;
//! - `successor` gathers the captures and pawn moves that leave a slice, `rule` makes the sets that rules
//!   beside the pieces ask for, once a slice: passes and kernels see only these sets;
//! - `pass` finds the wins of one side in a slice, and `job` solves all slices, the most advanced pawns
//!   first;
//! - `clock` finds the distance to mate under the n-move rule, clock by clock instead of ply by ply;
//! - `duel` finds who wins in the small slices of two royal men and pawns, whole sets at a time;
//! - `restore` puts back what files leave out, of a part of a table with a slice or a block in memory at a
//!   time, and `footprint` estimates the memory that all of it takes.
//!
//! No files, no clock, no printing; and no move code in common with the crate `position`, which is the judge
//! of this one.

mod call;
mod packed;

mod pool;
mod word;

mod reach;

mod law;
mod motion;

mod ground;

mod plane;
mod unmove;

mod code;
mod log;
mod sweep;

mod rule;
mod successor;

mod clock;
mod duel;
mod job;
mod pass;
mod restore;

mod footprint;

pub use call::{FoundPly, Options, Progress, SolveError, Step, Unwatched};
pub use clock::MOST_RULE_MOVES;
pub use footprint::{
    Footprint, Planes, block_reading_bytes, disk_planes_bytes, footprint, is_read_by_blocks, log_bytes,
    logged_footprint, part_reading_bytes, run_bytes, slice_reading_bytes, sliced_footprint, slices_at_once,
    traffic_bytes,
};
pub use job::{FinishedSlice, MemorySlices, SLICED_RUN_BYTES, SlicePage, SliceStore};
pub use log::{LogEntry, LogStep, LogStore, MemoryLog, StoredEntry, StoredLog};
pub use packed::PlaneFile;
pub use restore::{ReadCodes, restore};

use index::{Layout, Scope, SliceId};
use parking_lot::Mutex;
use restore::ReadFailed;
use std::sync::Arc;
use table::{CodeSource, Codes, Coding, Lookup, SlicePart, Table};
use variant::{Metric, Side, Variant};

/// The version of the solver: raised whenever the same rules could give another table.
pub const VERSION: u32 = 2;

/// Solves a canonical material: every value under a metric, from the rules and the tables that captures and
/// promotions lead to. The game is as the metric sees it ([`Variant::for_metric`]).
///
/// The tables in `lookup` must hold what the metric reads of other tables, [`Metric::needs`]: any metric
/// will do for `wdl`, `dtc` and `dtz`, and nothing but itself for `dtz50` and `dtm`.
///
/// # Errors
/// A table that is needed is not in `lookup`, or a win is too long.
pub fn solve(
    variant: &Variant,
    options: impl Into<Options>,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    progress: &dyn Progress,
) -> Result<Table, SolveError> {
    let options = seen(variant, options);
    if !variant.has_metric(options.metric) {
        return Err(SolveError::CountedChecks { material: layout.name().to_owned(), metric: options.metric });
    }
    job::solve_material(variant, options, layout, lookup, progress)
}

/// Solves a canonical material without pawns as [`solve()`] does, and keeps what it finds in a log: no
/// more memory than the sets of a pass take is needed, however large the table is. Its codes are made of the
/// log, some blocks at a time.
///
/// # Errors
/// As [`solve`], or the log cannot be written.
///
/// # Panics
/// If the material has pawns, under `dtm50`, or if checks are counted.
pub fn solve_logged<'s>(
    variant: &Variant,
    options: impl Into<Options>,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    log: &'s dyn LogStore,
    progress: &dyn Progress,
) -> Result<Box<dyn CodeSource + 's>, SolveError> {
    job::log_material(variant, without_clock(variant, seen(variant, options)), layout, lookup, log, progress)
}

/// Solves a canonical material with pawns as [`solve()`] does, and keeps its finished slices in a store,
/// from which its codes come back page by page. Slices of more placements than `most_in_memory` are solved
/// into logs. Of the tables in `lookup`, those that [`Lookup::slices`] has are read slice by slice.
///
/// # Errors
/// As [`solve()`], or the store cannot be written or read.
///
/// # Panics
/// If the material has no pawns, under `dtm50`, or if checks are counted.
pub fn solve_sliced<'s>(
    variant: &Variant,
    options: impl Into<Options>,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    (store, most_in_memory): (&'s dyn SliceStore, u64),
    progress: &dyn Progress,
) -> Result<Box<dyn CodeSource + 's>, SolveError> {
    let options = without_clock(variant, seen(variant, options));
    job::solve_slices(variant, options, layout, lookup, (store, most_in_memory), progress)
}

/// These options, of a game and a metric that are not solved in memory alone: what changes with the clock is,
/// and what counts checks.
fn without_clock(variant: &Variant, options: Options) -> Options {
    assert!(variant.rules.check_counting.is_none(), "{} is solved in memory", variant.name);
    assert!(Metric::WITHOUT_CLOCK.contains(&options.metric), "{} is solved in memory", options.metric);
    options
}

/// The options of a game, which must be as their metric sees it.
fn seen(variant: &Variant, options: impl Into<Options>) -> Options {
    let options = options.into();
    let is_seen = variant.rules.helped == (options.metric == Metric::Help);
    assert!(is_seen, "the game is not as {} sees it: see Variant::for_metric", options.metric);
    options
}

/// Sorts metrics into as few passes over a table as serve them all: of each pass first the metric to solve
/// for, then those that its table holds too ([`Table::to_wdl`]).
///
/// Every table says who wins, so `wdl` needs a pass of its own only where nothing else is wanted. The lookups
/// of the passes may differ: each has to serve its first metric.
#[must_use]
pub fn passes(metrics: &[Metric]) -> Vec<Vec<Metric>> {
    let mut wanted: Vec<Metric> = metrics.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let (held, solved): (Vec<Metric>, Vec<Metric>) = wanted
        .iter()
        .partition(|&&metric| wanted.iter().any(|&other| other != metric && other.includes(metric)));
    let mut passes: Vec<Vec<Metric>> = solved.into_iter().map(|metric| vec![metric]).collect();
    if let Some(first) = passes.first_mut() {
        first.extend(held);
    }
    passes
}

/// The part of a table, from codes as files have them: what they leave out is put back.
///
/// `read` is asked, from several threads, for codes of one side to move (the part's), by their numbers in the
/// whole table; they are as `coding` says, and every number is asked for once. A thread holds a block in
/// memory at a time, or a slice where there are pawns.
///
/// # Errors
/// Those of `read`.
pub fn read_part<E: Send>(
    variant: &Variant,
    layout: Arc<Layout>,
    scope: Scope,
    coding: Coding,
    read: &ReadCodes<'_, E>,
) -> Result<Table, E> {
    without_error(read, |read| restore::read_part(variant, layout, scope, coding, read))
}

/// The codes of a part of a slice of a table, from codes as files have them: what they leave out is put
/// back.
///
/// `read` is as for [`read_part`]. With `shares` it is asked from several threads; without, everything is
/// done by the thread that calls.
///
/// # Errors
/// Those of `read`.
pub fn read_slice<E: Send>(
    variant: &Variant,
    layout: &Layout,
    (slice, part): (SliceId, SlicePart<'_>),
    (stm, coding): (Side, Coding),
    (read, shares): (&ReadCodes<'_, E>, bool),
) -> Result<Codes, E> {
    without_error(read, |read| {
        restore::read_slice(variant, layout, (slice, part), (stm, coding), (read, shares))
    })
}

/// Reads with an error that is kept aside, so that the work is compiled once and not for each type of
/// error.
fn without_error<E: Send, T>(
    read: &ReadCodes<'_, E>,
    work: impl FnOnce(&ReadCodes<'_, ReadFailed>) -> Result<T, ReadFailed>,
) -> Result<T, E> {
    let failure = Mutex::new(None);
    let keep = |error| {
        failure.lock().get_or_insert(error);
        ReadFailed
    };
    let done = work(&|stm, places, codes| read(stm, places, codes).map_err(keep));
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(done.expect("reading failed without an error")),
    }
}
