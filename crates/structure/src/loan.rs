//! Takes slices from structures that are finished: those of a neighbour are not solved again.
//!
//! What a slice holds follows from its pawns and from what comes after it, so two structures that both have
//! it have the same values: always where these are exact, and otherwise inside the same limit. A slice is
//! copied, so that a file answers alone, whatever becomes of the others.

use crate::graph::TableId;
use crate::page::{joined, pages_of, too_short};
use crate::pawn_material::{PawnMaterial, PawnSquares};
use crate::{Bound, Limit, SolvedStructure, Structure, StructureError};
use geometry::Square;
use index::{MAX_PLACED, SliceId};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use std::{fs, io};
use table::{Codes, threads};
use variant::{Metric, Side};

/// At most this many structures are open at a time, the newest: their indices are in memory.
const MOST_OPEN: usize = 32;

/// The finished structures of some folders, each opened once.
#[derive(Default)]
pub(crate) struct Neighbours {
    /// With the times at which they were written, the newest first.
    open: Vec<(SystemTime, Arc<SolvedStructure>)>,
    /// All that were looked at.
    seen: HashSet<PathBuf>,
}

impl Neighbours {
    /// The newest structures of these folders that have values of a metric, the newest first; `open` opens
    /// one.
    pub(crate) fn of(
        &mut self,
        folders: &[&Path],
        metric: Metric,
        open: impl Fn(&Path) -> Result<SolvedStructure, StructureError>,
    ) -> Vec<Arc<SolvedStructure>> {
        let mut new: Vec<(SystemTime, PathBuf)> = Vec::new();
        // A folder that cannot be read has nothing to lend.
        for entry in folders.iter().flat_map(fs::read_dir).flatten().flatten() {
            let path = entry.path();
            let is_structure = path.extension().is_some_and(|own| own == crate::EXTENSION);
            let modified = entry.metadata().and_then(|about| about.modified());
            if let Ok(modified) = modified
                && is_structure
                && self.seen.insert(path.clone())
            {
                new.push((modified, path));
            }
        }
        new.sort_unstable_by(|a, b| b.cmp(a));
        let mut n_open = 0;
        for (modified, path) in new {
            if n_open == MOST_OPEN {
                break;
            }
            let serves = |own: &SolvedStructure| {
                own.metric() == metric && !own.limit().is_race && own.is_of_this_solver()
            };
            if let Some(own) = open(&path).ok().filter(serves) {
                self.open.push((modified, Arc::new(own.with_little_kept())));
                n_open += 1;
            }
        }
        self.open.sort_by_key(|(modified, _)| Reverse(*modified));
        self.open.truncate(MOST_OPEN);
        self.open.iter().map(|(_, own)| own.clone()).collect()
    }
}

/// Where a slice stands in another structure.
#[derive(Clone, Copy)]
struct LentSlice {
    /// Its structure among those at hand.
    neighbour: u32,
    table: TableId,
    slice: u32,
}

/// What other structures have of the tables of one.
pub(crate) struct Loans<'a> {
    /// By table.
    all: Vec<Loan<'a>>,
}

/// What other structures have of a table.
pub(crate) struct Loan<'a> {
    neighbours: &'a [Arc<SolvedStructure>],
    kind: &'a PawnMaterial,
    slice_len: usize,
    slices: HashMap<PawnSquares, LentSlice>,
}

impl<'a> Loans<'a> {
    /// What these structures have of the tables of a structure; of several that have a slice the first one
    /// lends it.
    pub(crate) fn new(structure: &'a Structure, neighbours: &'a [Arc<SolvedStructure>]) -> Self {
        let graph = &structure.graph;
        let loan_of = |job: &crate::graph::Job| {
            let (kind, slice_len) = (graph.kinds.get(job.kind), job.size.slice_len as usize);
            let mut loan = Loan { neighbours, kind, slice_len, slices: HashMap::new() };
            for (neighbour, other) in (0..).zip(neighbours) {
                for table in tables_of(structure, other, kind, job.bound) {
                    loan.take(&graph.slices[job.kind.0 as usize], neighbour, table);
                }
            }
            loan
        };
        Loans { all: structure.jobs.all.iter().map(loan_of).collect() }
    }

    /// What they have of a table.
    pub(crate) fn of(&self, table: TableId) -> &Loan<'a> {
        &self.all[table.index()]
    }

    /// How many slices they have.
    pub(crate) fn n_slices(&self) -> u64 {
        self.all.iter().map(|loan| loan.slices.len() as u64).sum()
    }
}

/// The tables of another structure that have what is to be found of a kind.
fn tables_of(
    structure: &Structure,
    other: &SolvedStructure,
    kind: &PawnMaterial,
    bound: Bound,
) -> Vec<TableId> {
    let (own, others) = (&structure.limit, other.limit());
    let is_alike =
        own == others && structure.bounds == other.bounds() && structure.head().used == other.used();
    let is_plain = |limit: &Limit| limit.kept.is_empty() && limit.conceded.is_empty();
    let bounds: Vec<Bound> = match bound {
        // In runs for one bound inside one limit the bound of what never leaves it is the value. In a run for
        // both it may leave for one of them.
        Bound::Exact if is_alike && other.bounds().len() == 1 => vec![bound, other.bounds()[0]],
        Bound::Exact if is_alike => vec![bound],
        _ if is_alike => vec![bound, Bound::Exact],
        // What never leaves its limit has the same values inside every other, in one game.
        Bound::Exact if own.holder() == others.holder() && is_plain(own) && is_plain(others) => vec![bound],
        _ => Vec::new(),
    };
    let tables = bounds.into_iter().filter_map(|bound| other.table_of(&kind.material, bound));
    tables.collect()
}

impl Loan<'_> {
    /// Takes those slices of a table of a neighbour that are asked for and not lent yet.
    fn take(&mut self, asked: &HashSet<PawnSquares>, neighbour: u32, table: TableId) {
        let index = self.neighbours[neighbour as usize].index_of(table);
        let unit_len = index.unit_len as usize;
        let n_slices = index.slices.len();
        // Of another size are slices that are numbered otherwise.
        if unit_len != self.slice_len && unit_len != self.slice_len * n_slices {
            return;
        }
        for (squares, slice) in index.slices.iter().zip(0..) {
            let squares = self.kind.canonical(&padded(squares.iter().copied()));
            if asked.contains(&squares) {
                self.slices.entry(squares).or_insert(LentSlice { neighbour, table, slice });
            }
        }
    }

    /// The codes of a slice, with these pawns in the table's own layout; none if no neighbour has it, or if
    /// it cannot be read there: then it is solved.
    pub(crate) fn codes(&self, squares: &[Square]) -> Option<[Option<Codes>; 2]> {
        let own = padded(squares.iter().map(|square| square.index() as u8));
        let &LentSlice { neighbour, table, slice } = self.slices.get(&self.kind.canonical(&own))?;
        let neighbour = &self.neighbours[neighbour as usize];
        let theirs = &neighbour.index_of(table).slices[slice as usize];
        if !squares.iter().map(|square| square.index()).eq(theirs.iter().map(|&square| usize::from(square))) {
            return None;
        }
        let slice = SliceId::from_index(slice as usize);
        let read = |stm: Side| {
            let keeps = neighbour.keeps(table, stm);
            keeps.then(|| neighbour.slice_codes(table, stm, slice, self.slice_len)).transpose()
        };
        let [white, black] = Side::BOTH.map(read);
        Some([white.ok()?, black.ok()?])
    }

    /// Forgets the pages that were read for it.
    pub(crate) fn forget(&self) {
        let lent: HashSet<u32> = self.slices.values().map(|lent| lent.neighbour).collect();
        lent.into_iter().for_each(|neighbour| self.neighbours[neighbour as usize].forget_pages());
    }
}

fn padded(squares: impl Iterator<Item = u8>) -> PawnSquares {
    let mut padded = [0; MAX_PLACED];
    padded.iter_mut().zip(squares).for_each(|(slot, square)| *slot = square);
    padded
}

impl SolvedStructure {
    /// The codes of a slice of this many placements.
    fn slice_codes(&self, table: TableId, stm: Side, slice: SliceId, slice_len: usize) -> io::Result<Codes> {
        let index = self.index_of(table);
        let lens = [index.unit_len as usize, index.page_len as usize];
        let pages = pages_of(table, stm, lens, slice.span(slice_len));
        let parts = threads::try_map(pages, |(key, range)| {
            let page = self.page(key)?;
            if page.len() < range.end {
                return Err(too_short());
            }
            Ok(Codes::from(page.as_ref().as_ref().range(range)))
        });
        Ok(joined(parts?))
    }
}

#[cfg(test)]
mod tests;
