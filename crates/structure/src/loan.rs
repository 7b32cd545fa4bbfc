//! Takes slices from structures that are finished: those of a neighbour are not solved again.
//!
//! What a slice holds follows from its pawns and from what comes after it, so two structures that both have
//! it have the same values: always where these are exact, and otherwise inside the same limit. A slice is
//! copied, so that a file answers alone, whatever becomes of the others.

use crate::graph::{Job, TableId};
use crate::page::{pages_of, read_codes};
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
use table::Codes;
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
        let serves = |own: &SolvedStructure| {
            own.metric() == metric && !own.limit().is_race && own.file.is_of_this_solver()
        };
        let opened = new.into_iter().filter_map(|(modified, path)| {
            let own = open(&path).ok().filter(serves)?;
            Some((modified, Arc::new(own.with_little_kept())))
        });
        self.open.extend(opened.take(MOST_OPEN));
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

/// What other structures have of a table.
pub(crate) struct TableLoan<'a> {
    neighbours: &'a [Arc<SolvedStructure>],
    kind: &'a PawnMaterial,
    slice_len: usize,
    slices: HashMap<PawnSquares, LentSlice>,
}

/// What these structures have of the tables of a structure, by table; of several that have a slice the first
/// one lends it.
pub(crate) fn loans<'a>(
    structure: &'a Structure,
    neighbours: &'a [Arc<SolvedStructure>],
) -> Vec<TableLoan<'a>> {
    let (graph, limit) = (&structure.graph, &structure.limit);
    let used: Vec<String> = structure.used().collect();
    let is_alike = |other: &Arc<SolvedStructure>| {
        limit.is_alike(other.limit()) && structure.bounds == other.bounds() && used == other.used()
    };
    let are_alike: Vec<bool> = neighbours.iter().map(is_alike).collect();
    let loan_of = |job: &Job| {
        let (kind, slice_len) = (graph.get(job.kind), job.size.slice_len as usize);
        let mut loan = TableLoan { neighbours, kind, slice_len, slices: HashMap::new() };
        for ((neighbour, other), &is_alike) in (0..).zip(neighbours).zip(&are_alike) {
            let bounds = bounds_that_serve(job.bound, limit, other, is_alike);
            let tables = bounds.into_iter().filter_map(|bound| other.table_of(&kind.material, bound));
            tables.for_each(|table| loan.take(&kind.slices, neighbour, table));
        }
        loan
    };
    structure.jobs.all.iter().map(loan_of).collect()
}

/// The bounds of another structure whose values are those of a bound inside a limit; `is_alike` says that it
/// was solved for the same bounds inside the same limit.
fn bounds_that_serve(bound: Bound, limit: &Limit, other: &SolvedStructure, is_alike: bool) -> Vec<Bound> {
    let is_plain = |limit: &Limit| limit.kept.is_empty() && limit.conceded.is_empty();
    let is_one_game = limit.holder() == other.limit().holder() && is_plain(limit) && is_plain(other.limit());
    match bound {
        // In runs for one bound inside one limit the bound of what never leaves it is the value. In a run for
        // both it may leave for one of them.
        Bound::Exact if is_alike && other.bounds().len() == 1 => vec![bound, other.bounds()[0]],
        _ if is_alike => vec![bound, Bound::Exact],
        // What never leaves its limit has the same values inside every other, in one game.
        Bound::Exact if is_one_game => vec![bound],
        _ => Vec::new(),
    }
}

impl TableLoan<'_> {
    /// How many slices they have.
    pub(crate) fn n_slices(&self) -> u64 {
        self.slices.len() as u64
    }

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
            let keeps = neighbour.file.keeps(table, stm);
            keeps.then(|| neighbour.slice_codes(table, stm, slice, self.slice_len)).transpose()
        };
        let [white, black] = Side::BOTH.map(read);
        Some([white.ok()?, black.ok()?])
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
        read_codes(&pages, true, |key| self.page(key))
    }
}

#[cfg(test)]
mod tests;
