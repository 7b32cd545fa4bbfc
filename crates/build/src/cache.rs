//! Keeps in memory the tables that the jobs of a build read, for as long as the ledger says.
//!
//! A table comes from the job that has just solved it, else from its file; one that the rules prove drawn is
//! solved on the spot, because its neighbours ask it which of its positions are legal. Of a need for a part
//! of a table (see [`Need::part`]) nothing but the part stays in memory.
//!
//! To get a table may mean to wait for the disk or for another thread that is loading it. So a job that gets
//! one must not be a thread of the pool: such a thread, waiting, could be given work that waits for it.

use crate::ledger::HoldingId;
use format::FormatError;
use index::Layout;
use library::{LibraryError, Loan, MemoryTables, TableFiles, cut};
use parking_lot::Mutex;
use plan::Need;
use rayon::ThreadPool;
use solve::{Options, Progress, SolveError, Unwatched};
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::{Material, Side, Variant};

/// A function that solves a table.
pub type Solver<'s> = dyn Fn(&Variant, Options, Arc<Layout>, &dyn Lookup, &dyn Progress) -> Result<Table, SolveError>
    + Sync
    + 's;

/// The tables that are in memory, by the numbers of the holdings.
pub(super) struct TableCache<'a> {
    files: &'a TableFiles,
    /// Tables of others.
    loans: &'a BTreeMap<Material, Loan>,
    pool: &'a ThreadPool,
    solver: &'a Solver<'a>,
    holdings: Vec<Holding>,
}

struct Holding {
    /// What some job needs; of the sides to move, what all that read it need.
    need: Need,
    /// Locked while the table is loaded, so that it is loaded once.
    table: Mutex<Option<Arc<Table>>>,
}

impl Holding {
    /// The sides to move that are read, of those that there are.
    fn sides(&self, kept: &[Side]) -> Vec<Side> {
        kept.iter().copied().filter(|&stm| self.need.asks_for(stm)).collect()
    }
}

impl<'a> TableCache<'a> {
    pub(super) fn new(
        files: &'a TableFiles,
        loans: &'a BTreeMap<Material, Loan>,
        pool: &'a ThreadPool,
        solver: &'a Solver<'a>,
        needs: Vec<Need>,
    ) -> Self {
        let holdings = needs.into_iter().map(|need| Holding { need, table: Mutex::default() }).collect();
        TableCache { files, loans, pool, solver, holdings }
    }

    /// Keeps a whole table that was just solved.
    pub(super) fn put(&self, holding: HoldingId, table: Table) {
        *self.holdings[holding.0].table.lock() = Some(Arc::new(table));
    }

    /// Drops a table; it is read from its file if a caller asks for it again.
    pub(super) fn forget(&self, holding: HoldingId) {
        *self.holdings[holding.0].table.lock() = None;
    }

    /// The tables that a job reads for these needs.
    pub(super) fn tables(
        &self,
        needs: &[&Need],
        holdings: &[HoldingId],
    ) -> Result<MemoryTables, LibraryError> {
        let mut tables = MemoryTables::default();
        for (need, holding) in needs.iter().zip(holdings) {
            let holding = &self.holdings[holding.0];
            let table = self.get(holding)?;
            let lacks = |stm: &Side| {
                need.asks_for(*stm) && table.layout().sides().contains(stm) && table.codes(*stm).is_none()
            };
            if let Some(side) = Side::BOTH.into_iter().find(lacks) {
                let path = self.files.main_path(&need.name);
                return Err(FormatError::OneSided { path, kept: !side }.into());
            }
            tables.insert(table, holding.need.part.as_ref());
        }
        Ok(tables)
    }

    /// A whole table of others, read again; none if it is none of theirs, or cannot be read.
    pub(super) fn lent(&self, material: &Material) -> Option<Table> {
        self.loans.get(material)?.read(self.files.edition(), material, &Side::BOTH).ok()
    }

    fn get(&self, holding: &Holding) -> Result<Arc<Table>, LibraryError> {
        let (need, mut slot) = (&holding.need, holding.table.lock());
        if let Some(table) = &*slot {
            return Ok(table.clone());
        }
        let edition = self.files.edition();
        let load = || match (&need.part, self.loans.get(&need.material)) {
            _ if need.is_drawn => self.solve(&need.material, &MemoryTables::default(), &Unwatched),
            (part, Some(loan)) => {
                let whole = loan.read(edition, &need.material, &holding.sides(&Side::BOTH))?;
                Ok(part.as_ref().and_then(|part| cut(&whole, part)).unwrap_or(whole))
            }
            (None, None) => {
                let kept = self.files.kept_sides(&need.name)?;
                let sides = holding.sides(&kept);
                if sides.is_empty() {
                    // What looked done from outside was not, and no job knew that this side would be needed.
                    let path = self.files.main_path(&need.name);
                    let kept = kept.first().copied().unwrap_or(Side::White);
                    return Err(FormatError::OneSided { path, kept }.into());
                }
                Ok(self.files.read_sides(&need.name, &sides)?)
            }
            (Some(part), None) => self.files.read_part(&need.name, part),
        };
        let table = Arc::new(self.pool.install(load)?);
        *slot = Some(table.clone());
        Ok(table)
    }

    /// Solves a table from those that it needs.
    pub(super) fn solve(
        &self,
        material: &Material,
        tables: &MemoryTables,
        progress: &dyn Progress,
    ) -> Result<Table, LibraryError> {
        let edition = self.files.edition();
        let layout = Arc::new(Layout::new(edition.variant(), material));
        let options = edition.options_of(layout.name());
        Ok((self.solver)(edition.variant(), options, layout, tables, progress)?)
    }
}
