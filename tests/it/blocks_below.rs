//! Solves with tables below that are read block by block, and with a block that cannot be read.

use crate::table_log::solved;
use crate::unwritten_byte::LogWithPlanes;
use index::{Layout, SliceId};
use library::SolvedTables;
use solve::{SolveError, Unwatched, solve_logged};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Codes, Lookup, SlicePart, SliceSource, Table};
use tablesmith_tests::{chess, game};
use variant::exit::TablePart;
use variant::{Material, Side};

/// Solved tables of which those without pawns are read block by block, up to some number of blocks: then one
/// cannot be read.
pub(crate) struct InBlocks<'t>(&'t SolvedTables, Arc<AtomicU64>);

impl<'t> InBlocks<'t> {
    /// Returns tables of which `n_blocks` blocks can be read.
    pub(crate) fn new(tables: &'t SolvedTables, n_blocks: u64) -> Self {
        InBlocks(tables, Arc::new(AtomicU64::new(n_blocks)))
    }
}

impl Lookup for InBlocks<'_> {
    fn table(&self, material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        self.0.table(material, None)
    }

    fn slices(&self, material: &Material) -> Option<Arc<dyn SliceSource>> {
        let table = self.table(material, None)?;
        let is_whole = table.layout().pawns().is_empty();
        is_whole.then(|| Arc::new(CountedBlocks(table, self.1.clone())) as Arc<dyn SliceSource>)
    }
}

/// A table of which blocks can be read until the count has run out.
struct CountedBlocks(Arc<Table>, Arc<AtomicU64>);

impl SliceSource for CountedBlocks {
    fn layout(&self) -> &Arc<Layout> {
        self.0.layout()
    }

    fn keeps(&self, stm: Side) -> bool {
        SliceSource::keeps(&*self.0, stm)
    }

    fn read(&self, stm: Side, slice: SliceId, part: SlicePart<'_>, shares: bool) -> io::Result<Codes> {
        let count = |n: u64| n.checked_sub(1);
        if self.1.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).is_err() {
            return Err(io::Error::other("the block is gone"));
        }
        self.0.read(stm, slice, part, shares)
    }
}

#[test]
fn a_block_below_that_cannot_be_read_ends_with_a_sentence() {
    check(chess(), 900);
    // A rule asks for captures once more when all passes are done.
    check(&SolvedTables::new(game("losers")), 100);
}

/// Solves KQvKR, for which more than `least` blocks of KQvK and KRvK are read, with blocks that cannot be
/// read.
#[track_caller]
fn check(tables: &SolvedTables, least: u64) {
    let (what, table) = solved(tables, &Material::parse(tables.variant(), "KQvKR").expect("a material"));
    // One thread, so that the same blocks are read each time.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let solve = |n_blocks: u64| {
        let (below, store) = (InBlocks::new(tables, n_blocks), LogWithPlanes::of_slots(1));
        let layout = table.layout().clone();
        let solve =
            || solve_logged(tables.variant(), tables.metric(), layout, &below, &store, &Unwatched).map(drop);
        (pool.install(solve), below.1.load(Ordering::Relaxed))
    };
    let (whole, n_left) = solve(u64::MAX);
    whole.unwrap_or_else(|error| panic!("{what}: {error}"));
    let n_read = u64::MAX - n_left;
    assert!(n_read > least, "{what}: {n_read} blocks of KQvK and KRvK");
    for n_blocks in [0, 7, n_read / 2, n_read - 1] {
        let error = solve(n_blocks).0.expect_err("a block is missing");
        assert!(matches!(error, SolveError::Unreadable { .. }), "{what}: {error}");
        assert!(error.to_string().contains("the block is gone"), "{what}: {error}");
    }
}
