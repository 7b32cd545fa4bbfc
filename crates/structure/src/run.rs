//! Solves the tables of a structure one level after the other, slice by slice where a table is too large,
//! and keeps what is found in its file.
//!
//! A table that fits is solved in memory and stays there as long as others read it; one that does not fit is
//! solved slice by slice, and its slices come back from the file. What an earlier run has finished is not
//! solved again.

use crate::file::{FileIndex, TableIndex, open_part};
use crate::graph::{Job, TableId};
use crate::loan::{TableLoan, loans};
use crate::page::{page_key, pages_of, read_codes};
use crate::pawn_material::table_of;
use crate::{Bound, Graph, SolvedStructure, Structure, StructureError, Watch};
use format::{PageKey, PageStore};
use index::{Layout, SliceId};
use parking_lot::RwLock;
use solve::{FinishedSlice, LogStore, SlicePage, SliceStore};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{
    Codes, CodesRef, LeftOut, Lookup, SlicePart, SliceSource, SpareCodes, StandIn, Table, part_of, threads,
};
use variant::exit::{Change, TablePart};
use variant::{Man, Material, Side, Variant};

/// Solves a structure into a file; no more memory than this is taken where tables can be solved in less.
///
/// # Errors
/// The caller has stopped the run, the file cannot be written, or a win is too long.
pub fn solve(
    structure: &Structure,
    path: &Path,
    memory_bytes: u64,
    watch: &dyn Watch,
) -> Result<(), StructureError> {
    solve_beside(structure, &[], path, memory_bytes, watch)
}

/// Like [`solve()`]; slices that one of these structures has are taken from it and not solved again.
///
/// # Errors
/// As [`solve()`].
pub fn solve_beside(
    structure: &Structure,
    neighbours: &[Arc<SolvedStructure>],
    path: &Path,
    memory_bytes: u64,
    watch: &dyn Watch,
) -> Result<(), StructureError> {
    let loans = loans(structure, neighbours);
    let n_taken = loans.iter().map(TableLoan::n_slices).sum();
    if n_taken > 0 {
        watch.taken(n_taken, structure.jobs.all.iter().map(|job| job.size.n_slices).sum());
    }
    let writer = Arc::new(open_part(path, structure.head().identity())?);
    let jobs = &structure.jobs;
    let n_all = jobs.all.iter().map(|job| job.n_values).sum();
    let mut n_readers = vec![0u64; jobs.all.len()];
    for job in &jobs.all {
        job.reads.iter().for_each(|&read| n_readers[read.index()] += 1);
    }
    let run = Run {
        structure,
        loans,
        writer,
        memory_bytes,
        watch,
        kept: RwLock::default(),
        places: RwLock::default(),
        n_readers: n_readers.into_iter().map(AtomicU64::new).collect(),
        n_done: AtomicU64::new(0),
        n_all,
    };
    for level in jobs.levels(&structure.graph) {
        // Those of the next level have other lengths.
        let _spare = SpareCodes::keep();
        run.solve_level(level)?;
    }
    run.close(path)
}

/// A table that takes more than this part of the memory is read slice by slice.
const LARGE_PART: u64 = 8;

struct Run<'a> {
    structure: &'a Structure,
    /// By table.
    loans: Vec<TableLoan<'a>>,
    writer: Arc<PageStore>,
    memory_bytes: u64,
    watch: &'a dyn Watch,
    /// The tables that are in memory, by number.
    kept: RwLock<HashMap<TableId, Arc<Table>>>,
    /// How the finished tables lie in the file.
    places: RwLock<HashMap<TableId, Arc<Place>>>,
    /// By table: how many that are not solved yet read it.
    n_readers: Vec<AtomicU64>,
    n_done: AtomicU64,
    n_all: u64,
}

impl Run<'_> {
    fn job(&self, table: TableId) -> &Job {
        &self.structure.jobs.all[table.index()]
    }

    fn graph(&self) -> &Graph {
        &self.structure.graph
    }

    fn variant(&self) -> &Variant {
        &self.structure.variant
    }

    /// Solves tables that need nothing of each other, as many at a time as memory allows.
    fn solve_level(&self, level: Range<u32>) -> Result<(), StructureError> {
        let mut start = level.start;
        while start < level.end {
            let mut end = start;
            let mut bytes = 0;
            while end < level.end {
                bytes += self.needed_bytes(self.job(TableId(end)));
                if end > start && bytes > self.memory_bytes / 4 {
                    break;
                }
                end += 1;
            }
            let batch: Vec<TableId> = (start..end).map(TableId).collect();
            self.make_room(&batch).map_err(self.unread())?;
            threads::try_for_each(batch, |number| self.solve_table(number))?;
            start = end;
        }
        Ok(())
    }

    fn solve_table(&self, number: TableId) -> Result<(), StructureError> {
        if self.watch.is_interrupted() {
            return Err(self.interrupted());
        }
        let job = self.job(number);
        let layout = job.layout(self.variant(), self.graph());
        let is_there = self.writer.has_table(number.0);
        // A table of which slices are finished goes on slice by slice, and so does one that reads what is
        // not in memory.
        let is_begun = self.writer.n_units(number.0) > 0;
        let by_slices = (is_begun || !self.is_solved_whole(job)) && !layout.pawns().is_empty();
        let lookup =
            JobLookup { run: self, job, loan: &self.loans[number.index()], layout: &layout, by_slices };
        let n_before = self.n_done.load(Ordering::Relaxed);
        let progress = TableProgress { run: self, n_before, name: job.name(self.variant(), self.graph()) };
        // A table without pawns may have the colours exchanged, and is solved for both sides.
        let holder = self.structure.limit.holder().filter(|_| !layout.pawns().is_empty());
        let options =
            solve::Options { attacker: holder.map(|holder| !holder), ..self.structure.metric.into() };
        let (place, kept) = if is_there || by_slices {
            if !is_there {
                let store = TableStore { writer: &self.writer, table: number };
                solve::solve_sliced(
                    self.variant(),
                    options,
                    layout.clone(),
                    &lookup,
                    (&store, u64::MAX),
                    &progress,
                )
                .map_err(|error| self.unsolved(error))?;
                self.writer.finish_table(number.0).map_err(self.unwritten())?;
            }
            // What stands in the file is as it was written then.
            (Place::found(number, &layout, &self.writer).map_err(self.unread())?, None)
        } else {
            let table = solve::solve(self.variant(), options, layout.clone(), &lookup, &progress);
            let table = table.map_err(|error| self.unsolved(error))?;
            let place = Place::new(number, &layout, true);
            self.write(&table, &place).map_err(self.unwritten())?;
            (place, Some(Arc::new(table)))
        };
        self.places.write().insert(number, Arc::new(place));
        let mut tables = self.kept.write();
        if let Some(table) = kept.filter(|_| self.n_readers[number.index()].load(Ordering::Relaxed) > 0) {
            tables.insert(number, table);
        }
        for &read in &job.reads {
            if self.n_readers[read.index()].fetch_sub(1, Ordering::Relaxed) == 1 {
                tables.remove(&read);
            }
        }
        drop(tables);
        let n_done = self.n_done.fetch_add(job.n_values, Ordering::Relaxed) + job.n_values;
        self.watch.done(n_done, self.n_all, &progress.name);
        Ok(())
    }

    fn solving_bytes(&self, job: &Job, by_slices: bool) -> u64 {
        self.structure.solving_bytes(job, by_slices, rayon::current_num_threads())
    }

    /// What may be taken: the rest is for what is not counted.
    fn budget(&self) -> u64 {
        self.memory_bytes / 4 * 3
    }

    /// Whether a table is small enough to be solved as a whole.
    fn is_small(&self, job: &Job) -> bool {
        self.solving_bytes(job, false) <= self.budget() / 2
    }

    /// Whether a table is too large to come back as a whole where another one reads it.
    fn is_large(&self, read: &Job) -> bool {
        read.codes_bytes() > self.budget() / LARGE_PART
    }

    /// Whether a table is solved as a whole: it is small enough, and all that it reads is in memory.
    fn is_solved_whole(&self, job: &Job) -> bool {
        let tables = self.kept.read();
        self.is_small(job) && job.reads.iter().all(|read| tables.contains_key(read))
    }

    /// Makes room for tables that are solved at a time: those that they do not read leave first, the
    /// largest before others. What they read and is not in memory comes back, unless it is large or there
    /// is no room for it.
    fn make_room(&self, batch: &[TableId]) -> io::Result<()> {
        let jobs: Vec<&Job> = batch
            .iter()
            .filter(|number| !self.writer.has_table(number.0))
            .map(|&number| self.job(number))
            .collect();
        let needed: u64 = jobs.iter().map(|job| self.needed_bytes(job)).sum();
        let is_read = |number: &TableId| jobs.iter().any(|job| job.reads.contains(number));
        let mut tables = self.kept.write();
        let bytes_of = |table: &Table| {
            let codes = Side::BOTH.into_iter().filter_map(|stm| table.codes(stm));
            codes.map(|codes| codes.size_bytes() as u64).sum::<u64>()
        };
        let mut total: u64 = tables.values().map(|table| bytes_of(table)).sum();
        let mut others: Vec<(bool, u64, TableId)> =
            tables.iter().map(|(number, table)| (is_read(number), bytes_of(table), *number)).collect();
        others.sort_unstable_by_key(|&(is_read, bytes, number)| (is_read, Reverse(bytes), number));
        for (_, bytes, number) in others {
            if total + needed <= self.budget() {
                break;
            }
            tables.remove(&number);
            total -= bytes;
        }
        let reads = jobs.iter().filter(|job| self.is_small(job)).flat_map(|job| job.reads.iter().copied());
        let mut missing: Vec<TableId> = reads.filter(|read| !tables.contains_key(read)).collect();
        drop(tables);
        missing.sort_unstable_by_key(|&read| (self.job(read).codes_bytes(), read));
        missing.dedup();
        for read in missing {
            let bytes = self.job(read).codes_bytes();
            if self.is_large(self.job(read)) || total + needed + bytes > self.budget() {
                break;
            }
            self.table(read)?;
            total += bytes;
        }
        Ok(())
    }

    /// What solving a table takes with the slices of what it does not read as a whole.
    fn needed_bytes(&self, job: &Job) -> u64 {
        let by_slices = !self.is_small(job);
        let reads = self.structure.jobs.read_by(job).filter(|read| by_slices || self.is_large(read));
        self.solving_bytes(job, by_slices) + reads.map(Job::slices_bytes).sum::<u64>()
    }

    /// A table that is read: from memory, or from the file.
    fn table(&self, number: TableId) -> std::io::Result<Arc<Table>> {
        if let Some(table) = self.kept.read().get(&number) {
            return Ok(table.clone());
        }
        let table = Arc::new(self.slices(number).whole()?);
        self.kept.write().insert(number, table.clone());
        Ok(table)
    }

    fn slices(&self, number: TableId) -> TableSlices {
        let places = self.places.read();
        TableSlices { writer: self.writer.clone(), place: places[&number].clone() }
    }

    /// Writes a table that was solved in memory.
    fn write(&self, table: &Table, place: &Place) -> io::Result<()> {
        for (stm, codes) in table.codes_by_side() {
            let n_pages = codes.len().div_ceil(place.page_len).max(1);
            threads::try_for_each(0..n_pages, |page| {
                let range = page * place.page_len..((page + 1) * place.page_len).min(codes.len());
                self.writer.put(page_key(place.table, 0, page as u32, stm), codes.range(range))
            })?;
        }
        self.writer.finish_whole(place.table.0)
    }

    fn unsolved(&self, error: solve::SolveError) -> StructureError {
        match error {
            solve::SolveError::Interrupted { .. } => self.interrupted(),
            other => other.into(),
        }
    }

    fn interrupted(&self) -> StructureError {
        StructureError::Interrupted { path: Some(self.writer.part().into()) }
    }

    fn unwritten(&self) -> impl FnOnce(std::io::Error) -> StructureError {
        StructureError::io("write", self.writer.part())
    }

    fn unread(&self) -> impl FnOnce(std::io::Error) -> StructureError {
        StructureError::io("read", self.writer.part())
    }

    /// Writes the index.
    fn close(self, path: &Path) -> Result<(), StructureError> {
        let structure = self.structure;
        let places = self.places.into_inner();
        let tables = structure.jobs.all.iter().zip((0..).map(TableId));
        let tables = tables.map(|(job, number)| places[&number].index(&structure.variant, job.bound));
        let index = FileIndex { tables: tables.collect(), ..structure.head() };
        self.writer.seal(path, &index).map_err(StructureError::io("write", path))
    }
}

/// What a table reads of others.
struct JobLookup<'a> {
    run: &'a Run<'a>,
    job: &'a Job,
    loan: &'a TableLoan<'a>,
    layout: &'a Layout,
    by_slices: bool,
}

impl Lookup for JobLookup<'_> {
    fn table(&self, _: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        None
    }

    fn left_out(&self) -> LeftOut {
        let Run { structure, .. } = self.run;
        let men = &self.run.graph().get(self.job.kind).men;
        structure.limit.left_out(self.job.bound, self.run.variant(), men)
    }

    fn known(&self, slice: SliceId) -> Option<[Option<Codes>; 2]> {
        self.loan.codes(self.layout.pawn_squares(slice))
    }

    fn stands_for(&self, men: &[Man], exit: Change) -> Option<StandIn> {
        let (graph, variant) = (self.run.graph(), self.run.variant());
        let material = Material::from_men(men.iter().copied());
        let Run { structure, .. } = self.run;
        let canonical = table_of(variant, &material);
        if let Some(using) = graph.using.as_ref().filter(|_| graph.used.contains(&canonical)) {
            // A table that cannot be read is missing.
            return using.slices(&canonical).ok().map(StandIn::Slices);
        }
        if let Some(given) = self.conceded(exit, &material) {
            return Some(given);
        }
        let kind = graph.find(variant, &material);
        let Some(number) = kind.and_then(|kind| structure.jobs.number(kind, self.job.bound)) else {
            let has_pawns = !graph.get(self.job.kind).pawns.is_empty();
            let is_outside = has_pawns && !structure.limit.allows_under(self.job.bound, variant, &material);
            return Some(match is_outside {
                true => StandIn::Given(self.job.bound.outside()),
                false => StandIn::Nowhere,
            });
        };
        let is_kept = self.run.kept.read().contains_key(&number);
        if self.by_slices && !is_kept {
            return Some(StandIn::Slices(Arc::new(self.run.slices(number))));
        }
        // A table that cannot be read is missing.
        self.run.table(number).ok().map(StandIn::Table)
    }
}

impl JobLookup<'_> {
    /// What stands for an exit that is given away in this run; none if it is not.
    fn conceded(&self, exit: Change, left: &Material) -> Option<StandIn> {
        let (structure, graph, bound) = (self.run.structure, self.run.graph(), self.job.bound);
        let winner = bound.winner_outside().filter(|_| !structure.limit.conceded.is_empty())?;
        let (variant, men) = (self.run.variant(), &graph.get(self.job.kind).men);
        let has_table = graph.used.contains(&table_of(variant, left));
        if !structure.limit.concedes(bound, variant, men, (exit, has_table)) {
            return None;
        }
        // Captures that lose are left out: `left_out` sees to it that no side is stalemated by that.
        let victim = men.get(exit.gone.trailing_zeros() as usize);
        let loses = exit.promoted.is_none() && victim.is_some_and(|victim| victim.side == winner);
        Some(if loses { StandIn::Nowhere } else { StandIn::Given(bound.outside()) })
    }
}

struct TableProgress<'a> {
    run: &'a Run<'a>,
    n_before: u64,
    name: String,
}

impl solve::Progress for TableProgress<'_> {
    fn step(&self, step: &solve::Step) {
        let solve::Step::Placements(n_done, _) = step else { return };
        self.run.watch.done(self.n_before + 2 * n_done, self.run.n_all, &self.name);
    }

    fn is_interrupted(&self) -> bool {
        self.run.watch.is_interrupted()
    }
}

/// Codes of a page of a table that was solved in memory: a probe unpacks one in well under a millisecond.
const PAGE_LEN: usize = 1 << 18;

/// How a finished table lies in the file.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) table: TableId,
    pub(crate) layout: Arc<Layout>,
    /// Codes of a unit: of a slice, or of the whole table.
    pub(crate) unit_len: usize,
    /// Codes of a page, but the last of a unit.
    pub(crate) page_len: usize,
}

impl Place {
    /// Of a table that is written as a whole, or slice by slice.
    pub(crate) fn new(table: TableId, layout: &Arc<Layout>, is_whole: bool) -> Self {
        let unit_len = if is_whole { layout.len() } else { layout.slice_len() };
        Place { table, layout: layout.clone(), unit_len, page_len: PAGE_LEN }
    }

    /// Of a table that is written as a whole, each page some slices.
    pub(crate) fn of_slices(table: TableId, layout: &Arc<Layout>) -> Self {
        let page_len = (PAGE_LEN / layout.slice_len()).max(1) * layout.slice_len();
        Place { page_len, ..Place::new(table, layout, true) }
    }

    /// What the index says of it, its pages aside.
    pub(crate) fn index(&self, variant: &Variant, bound: Bound) -> TableIndex {
        let layout = &self.layout;
        let squares = |slice| layout.pawn_squares(slice).iter().map(|square| square.index() as u8).collect();
        let slices = layout.slices().map(squares).collect();
        TableIndex {
            material: layout.material().name(variant),
            bound,
            slices,
            unit_len: self.unit_len as u64,
            page_len: self.page_len as u64,
        }
    }

    /// Of a table that stands in the file, as it was written.
    pub(crate) fn found(table: TableId, layout: &Arc<Layout>, writer: &PageStore) -> io::Result<Self> {
        // Several units are slices; one is a slice only if there is no other.
        let is_whole = writer.n_units(table.0) == 1;
        let first = writer.read(page_key(table, 0, 0, Side::White))?;
        let place = Place::new(table, layout, is_whole);
        // The only page of a unit does not say how long pages may be, and then it does not matter.
        let is_only = first.len() == place.unit_len && first.len() <= place.page_len;
        let page_len = if is_only { place.page_len } else { first.len().max(1) };
        Ok(Place { page_len, ..place })
    }
}

/// A finished table of the file, to be read slice by slice.
#[derive(Debug)]
pub(crate) struct TableSlices {
    writer: Arc<PageStore>,
    place: Arc<Place>,
}

impl TableSlices {
    /// The whole table.
    pub(crate) fn whole(&self) -> io::Result<Table> {
        let layout = &self.place.layout;
        let read = |stm: Side| -> io::Result<Option<Codes>> {
            layout.sides().contains(&stm).then(|| self.codes(stm, 0..layout.len(), true)).transpose()
        };
        Ok(Table::with_sides(layout.clone(), [read(Side::White)?, read(Side::Black)?]))
    }

    /// The codes with these numbers.
    fn codes(&self, stm: Side, numbers: Range<usize>, shares: bool) -> io::Result<Codes> {
        read_codes(&self.pages(stm, numbers), shares, |key| self.writer.read(key))
    }

    /// The pages that have the codes with these numbers.
    fn pages(&self, stm: Side, numbers: Range<usize>) -> Vec<(PageKey, Range<usize>)> {
        let Place { table, unit_len, page_len, .. } = *self.place;
        pages_of(table, stm, [unit_len, page_len], numbers)
    }
}

impl SliceSource for TableSlices {
    fn layout(&self) -> &Arc<Layout> {
        &self.place.layout
    }

    fn keeps(&self, stm: Side) -> bool {
        self.place.layout.sides().contains(&stm)
    }

    fn read(&self, stm: Side, slice: SliceId, part: SlicePart<'_>, shares: bool) -> io::Result<Codes> {
        let Place { layout, page_len, .. } = &*self.place;
        let numbers = slice.span(layout.slice_len());
        match part {
            SlicePart::Whole => self.codes(stm, numbers, shares),
            // Pages of whole blocks are cut down as they are unpacked.
            SlicePart::Scope(scope) if page_len % layout.block_len() == 0 => {
                let mut pages = self.pages(stm, numbers);
                for (_, range) in &mut pages {
                    let [start, end] = [range.start, range.end].map(|n| scope.n_codes_of(layout, n));
                    *range = start..end;
                }
                let read = |key| Ok(part_of(layout, self.writer.read(key)?.as_ref(), part));
                read_codes(&pages, shares, read)
            }
            part => Ok(part_of(layout, self.codes(stm, numbers, shares)?.as_ref(), part)),
        }
    }
}

/// The finished slices of a table that is being solved.
#[derive(Debug)]
pub(crate) struct TableStore<'a> {
    writer: &'a PageStore,
    table: TableId,
}

impl SliceStore for TableStore<'_> {
    fn finished(&self) -> Vec<FinishedSlice> {
        let units = self.writer.units(self.table.0).iter();
        units.map(|&(slice, longest)| FinishedSlice { slice: slice.into(), longest }).collect()
    }

    fn log(&self, _: SliceId) -> io::Result<Box<dyn LogStore + '_>> {
        // It is not asked for: slices are solved in memory.
        Err(io::ErrorKind::Unsupported.into())
    }

    fn put(&self, page: SlicePage, codes: CodesRef<'_>) -> io::Result<()> {
        self.writer.put(page_key(self.table, page.slice.into(), page.page, page.stm), codes)
    }

    fn finish(&self, slice: FinishedSlice) -> io::Result<()> {
        self.writer.finish_unit(self.table.0, slice.slice.into(), slice.longest)
    }

    fn read(&self, page: SlicePage) -> io::Result<Codes> {
        self.writer.read(page_key(self.table, page.slice.into(), page.page, page.stm))
    }
}
