//! Goes through the placements of a table and finds those of which a query holds.
//!
//! ```text
//!   codes ─ one look into a list of 256 ─► no, yes, or ─► Place ─ squares ─ moves ─ lines ─► no or yes
//!                                                                                             │
//!                            Hit, in the order of the numbers ◄─ smallest of its images? ◄────┘
//! ```
//!
//! The query is judged once for each code that there can be; what it cannot settle is judged placement by
//! placement, no deeper than is needed. Pieces of the table are searched side by side and handed out in
//! order, so that the same query has the same answer for any number of threads. A [`Sample`] draws random
//! positions from however many are found, without keeping them all.

use crate::ground::{CodeFacts, Depth, FindError, Ground, Place};
use crate::judge::{Facts, judge};
use crate::query::Query;
use crate::record::{Distance, Hit, Record, Tally};
use index::Layout;
use probe::{ProbeError, Tablebase};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use table::{Code, Codes, CodesRef, Table, Value, threads};
use variant::{Metric, Side, Variant};

/// How many placements make a piece of work.
const TASK_PLACES: usize = if cfg!(test) { 1 << 8 } else { 1 << 16 };

/// How many pieces of work a thread gets before what was found is handed out.
const TASKS_A_THREAD: usize = 8;

/// A query over the tables of one material.
#[derive(Debug)]
pub struct Search<'a> {
    query: &'a Query,
    ground: Ground<'a>,
    name: String,
    /// Set by a caller that waits no longer.
    interrupt: Option<&'a AtomicBool>,
    /// Whether positions are passed over of which no table has what is asked.
    passes_over: bool,
}

impl<'a> Search<'a> {
    /// A search of the tables of one material: one for each of [`Query::metrics`], in their order.
    ///
    /// Of a query that uses moves, `successors`, or else `folder`, answers what leaves the table (and what
    /// en-passant rights change); of one that follows lines, and of a side to move that the tables lack,
    /// `folder` answers everything.
    ///
    /// # Panics
    /// If the tables are not as many as the metrics, or are of different materials; if the query needs a
    /// tablebase that is not given.
    #[must_use]
    pub fn new(
        variant: &Variant,
        query: &'a Query,
        tables: Vec<Arc<Table>>,
        successors: Option<&'a Tablebase>,
        folder: Option<&'a Tablebase>,
    ) -> Self {
        assert!(successors.or(folder).is_some() || !query.uses_moves(), "moves are looked up somewhere");
        assert!(folder.is_some() || !query.uses_line(), "lines are looked up somewhere");
        let name = tables[0].layout().name().to_owned();
        let at_clock = |(table, &metric): (Arc<Table>, &Metric)| match (metric, query.clock()) {
            (_, 0) => table,
            (Metric::Dtm50, clock) => Arc::new(table.at_clock(clock)),
            _ => table,
        };
        let tables = tables.into_iter().zip(query.metrics()).map(at_clock).collect();
        let ground = Ground::new(variant, query.metrics(), tables, successors, folder, query.uses_checks());
        Search { query, ground, name, interrupt: None, passes_over: false }
    }

    /// Searches likewise, and ends soon after the flag is set, with what was found until then.
    #[must_use]
    pub fn with_interrupt(self, interrupt: &'a AtomicBool) -> Self {
        Search { interrupt: Some(interrupt), ..self }
    }

    /// Searches likewise, and passes over positions of which no table has what is asked, instead of
    /// failing; the tally has their number.
    #[must_use]
    pub fn passing_over_unknown(self) -> Self {
        Search { passes_over: true, ..self }
    }

    /// The name of the material.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many places a whole search looks at.
    #[must_use]
    pub fn n_places(&self) -> u64 {
        self.passes().len() as u64 * self.ground.layout().len() as u64
    }

    /// What is known of a hit: its position and its value by each metric of the query.
    #[must_use]
    pub fn record(&self, hit: Hit) -> Record<'static> {
        let place = Place::new(&self.ground, hit.index, self.is_swapped(hit.stm));
        let position = place.position(hit.stm).expect("a position that was found");
        let position = position.with_halfmove_clock(self.query.clock());
        let distances = self.query.metrics().iter().enumerate().map(|(number, &metric)| {
            let value = place.value(number, hit.stm).unwrap_or(Value::Illegal);
            Distance { metric, value, is_cursed: self.ground.scale(number).is_cursed(value) }
        });
        Record::new(&self.ground.book, position, &self.name, distances.collect())
    }

    /// Calls `visit` with each position found, White to move first, in the order of their numbers, until it
    /// breaks; `progress` gets how many places of how many are done. The tally is of what was searched.
    ///
    /// # Errors
    /// A table that a move leads to is missing or cannot be read.
    pub fn run(
        &self,
        progress: &(dyn Fn(u64, u64) + Sync),
        visit: &mut dyn FnMut(Hit) -> ControlFlow<()>,
    ) -> Result<Tally, FindError> {
        self.scan(progress, &|_| true, &mut |hits| hits.iter().try_for_each(|&hit| visit(hit)))
    }

    /// Counts the positions of which the query holds.
    ///
    /// # Errors
    /// As [`Search::run`].
    pub fn count(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<Tally, FindError> {
        self.scan(progress, &|_| false, &mut |_| ControlFlow::Continue(()))
    }

    /// Adds a random choice of the positions found to a sample: the same ones for the same seed, whatever
    /// else is searched.
    ///
    /// # Errors
    /// As [`Search::run`].
    pub fn sample(
        &self,
        sample: &mut Sample,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Tally, FindError> {
        let own = sample.of_table(&self.name);
        let limit = AtomicU64::new(sample.limit());
        self.scan(progress, &|hit| own.lot(hit) < limit.load(Ordering::Relaxed), &mut |hits| {
            hits.iter().for_each(|&hit| sample.offer(own.lot(hit), hit, || self.record(hit)));
            limit.store(sample.limit(), Ordering::Relaxed);
            ControlFlow::Continue(())
        })
    }

    /// Of a symmetric table Black to move is White to move with the colours exchanged.
    fn is_swapped(&self, stm: Side) -> bool {
        stm == Side::Black && self.ground.layout().is_one_sided()
    }

    /// The sides to move with which something can be found.
    fn passes(&self) -> Vec<Side> {
        let may_hold = |stm: &Side| {
            let facts = CodeFacts { ground: &self.ground, is_swapped: self.is_swapped(*stm), value: None };
            judge(&self.query.condition, &facts, *stm) != Some(false)
        };
        Side::BOTH.into_iter().filter(may_hold).collect()
    }

    fn scan(
        &self,
        progress: &(dyn Fn(u64, u64) + Sync),
        is_wanted: &(dyn Fn(Hit) -> bool + Sync),
        take: &mut dyn FnMut(&[Hit]) -> ControlFlow<()>,
    ) -> Result<Tally, FindError> {
        let layout = self.ground.layout();
        let mut tally = Tally::default();
        let total = self.n_places();
        for stm in self.passes() {
            let pass = Pass::new(self, stm);
            let tasks = tasks(layout);
            for window in tasks.chunks(TASKS_A_THREAD * rayon::current_num_threads()) {
                let is_interrupted =
                    || self.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed));
                let search = |task: &Range<usize>| match is_interrupted() {
                    true => Ok(StretchHits::default()),
                    false => pass.search(task.clone(), is_wanted),
                };
                let found: Vec<Result<StretchHits, FindError>> = threads::map(window, search);
                if is_interrupted() {
                    return Ok(tally);
                }
                for found in found {
                    let found = found?;
                    tally.add(found.tally);
                    if take(&found.hits).is_break() {
                        return Ok(tally);
                    }
                }
                progress(tally.n_searched, total);
            }
        }
        Ok(tally)
    }
}

/// The pieces of work of a table: stretches of places.
fn tasks(layout: &Layout) -> Vec<Range<usize>> {
    let starts = (0..layout.len()).step_by(TASK_PLACES);
    starts.map(|start| start..layout.len().min(start + TASK_PLACES)).collect()
}

/// What a code says of the query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    No,
    Yes,
    Open,
}

/// A search with one side to move.
struct Pass<'s, 'a> {
    search: &'s Search<'a>,
    stm: Side,
    is_swapped: bool,
    /// Whether the codes are of this side to move: of a table that lacks it they are the other side's, which
    /// say less.
    is_own: bool,
    codes: CodesRef<'s>,
    /// By code.
    verdicts: Vec<Verdict>,
}

/// What a piece of work has found.
#[derive(Default)]
struct StretchHits {
    hits: Vec<Hit>,
    tally: Tally,
}

impl<'s, 'a> Pass<'s, 'a> {
    fn new(search: &'s Search<'a>, stm: Side) -> Self {
        let ground = &search.ground;
        let is_swapped = search.is_swapped(stm);
        let own = if is_swapped { Side::White } else { stm };
        let of = |side| ground.tables[0].codes(side).map(Codes::as_ref);
        let is_own = of(own).is_some();
        let codes = of(own).or_else(|| of(!own)).expect("a table has a side to move");
        let verdict = |value: Value| {
            if value == Value::Illegal && is_own {
                return Verdict::No;
            }
            let known = Some((if is_own { stm } else { !stm }, value));
            match judge(&search.query.condition, &CodeFacts { ground, is_swapped, value: known }, stm) {
                Some(false) => Verdict::No,
                Some(true) if is_own => Verdict::Yes,
                _ => Verdict::Open,
            }
        };
        let verdicts = codes.coding().values().map(verdict).collect();
        Pass { search, stm, is_swapped, is_own, codes, verdicts }
    }

    fn search(
        &self,
        places: Range<usize>,
        is_wanted: &(dyn Fn(Hit) -> bool + Sync),
    ) -> Result<StretchHits, FindError> {
        self.codes.range(places.clone()).either(
            |codes| self.search_codes(codes, places.clone(), is_wanted),
            |codes| self.search_codes(codes, places.clone(), is_wanted),
        )
    }

    fn search_codes<C: Code>(
        &self,
        codes: &[C],
        places: Range<usize>,
        is_wanted: &(dyn Fn(Hit) -> bool + Sync),
    ) -> Result<StretchHits, FindError> {
        let layout = self.search.ground.layout();
        let mut found = StretchHits::default();
        found.tally.n_searched = places.len() as u64;
        let block_len = layout.block_len();
        let mut at = places.start;
        while at < places.end {
            // All places of a block have the same weight unless a symmetry maps it onto itself.
            let unit = at / block_len;
            let end = places.end.min((unit + 1) * block_len);
            let own = &codes[at - places.start..end - places.start];
            let is_residual = layout.has_residual(layout.slice_block(unit));
            for (index, &code) in (at..end).zip(own) {
                let code: u16 = code.into();
                let verdict = self.verdicts[usize::from(code)];
                if verdict != Verdict::No {
                    self.look(index, verdict, is_residual, is_wanted, &mut found)?;
                }
            }
            at = end;
        }
        Ok(found)
    }

    /// Looks at a placement whose code does not rule it out.
    #[inline]
    fn look(
        &self,
        index: usize,
        verdict: Verdict,
        is_residual: bool,
        is_wanted: &(dyn Fn(Hit) -> bool + Sync),
        found: &mut StretchHits,
    ) -> Result<(), FindError> {
        let layout = self.search.ground.layout();
        let holds = if verdict == Verdict::Open { self.holds(index) } else { Ok(true) };
        match holds {
            Err(FindError::Probe(ProbeError::Missing(_))) if self.search.passes_over => {
                found.tally.n_unknown += 1;
                return Ok(());
            }
            Err(error) => return Err(error),
            Ok(false) => return Ok(()),
            Ok(true) => {}
        }
        // Like men, and symmetries of the block, have placements with one value under several numbers.
        if is_residual || layout.n_exchanges() > 1 {
            let squares = layout.decode(index);
            if !layout.is_canonical(index, &squares) {
                return Ok(());
            }
            if is_residual {
                let weights = layout.weights(&squares);
                found.tally.n_orbits += u64::from(weights.orbits);
                found.tally.n_unreduced += u64::from(weights.unreduced);
            }
        }
        if !is_residual {
            found.tally.n_orbits += u64::from(layout.n_exchanges());
            found.tally.n_unreduced += u64::from(layout.n_exchanges()) * layout.group().len() as u64;
        }
        found.tally.n_found += 1;
        let hit = Hit { stm: self.stm, index };
        if is_wanted(hit) {
            found.hits.push(hit);
        }
        Ok(())
    }

    /// Whether the query holds of a placement whose code leaves that open.
    fn holds(&self, index: usize) -> Result<bool, FindError> {
        let mut place = Place::new(&self.search.ground, index, self.is_swapped);
        for depth in [Depth::Squares, Depth::Moves, Depth::Lines] {
            place.look(depth);
            let judged = judge(&self.search.query.condition, &place, self.stm);
            let holds = match judged {
                // Codes of the other side do not say whether the position is legal.
                Some(true) if !self.is_own => place.value(0, self.stm).map(|value| value != Value::Illegal),
                judged => judged,
            };
            if let Some(error) = place.take_error() {
                return Err(error);
            }
            if let Some(holds) = holds {
                return Ok(holds);
            }
        }
        Ok(false)
    }
}

/// A random choice of positions of several tables.
///
/// Every position draws a lot: a number made of the seed, the table and its own number. Those with the
/// smallest lots are the sample. So it depends neither on threads nor on the order of the search.
#[derive(Clone, Debug)]
pub struct Sample {
    size: usize,
    seed: u64,
    /// By lot, and what it was drawn for.
    drawn: BTreeMap<(u64, Side, usize), Record<'static>>,
}

/// The lots of one table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomDraws(u64);

impl Sample {
    /// A sample of `size` positions, none drawn yet.
    #[must_use]
    pub fn new(size: usize, seed: u64) -> Self {
        Sample { size, seed, drawn: BTreeMap::new() }
    }

    /// The positions drawn, numbered, in the order of the lots: a smaller sample with the same seed is the
    /// beginning of a larger one.
    #[must_use]
    pub fn into_records(self) -> Vec<Record<'static>> {
        (1..).zip(self.drawn.into_values()).map(|(number, record)| record.numbered(number)).collect()
    }

    /// The lots of a table.
    fn of_table(&self, name: &str) -> RandomDraws {
        RandomDraws(mixed(name.bytes().fold(self.seed, |hash, byte| mixed(hash ^ u64::from(byte)))))
    }

    /// A lot must be below this to be drawn.
    pub(crate) fn limit(&self) -> u64 {
        match self.drawn.last_key_value() {
            _ if self.size == 0 => 0,
            Some(((last, ..), _)) if self.drawn.len() >= self.size => *last,
            _ => u64::MAX,
        }
    }

    fn offer(&mut self, lot: u64, hit: Hit, record: impl FnOnce() -> Record<'static>) {
        if lot < self.limit() {
            self.drawn.insert((lot, hit.stm, hit.index), record());
            while self.drawn.len() > self.size {
                self.drawn.pop_last();
            }
        }
    }
}

impl RandomDraws {
    fn lot(self, hit: Hit) -> u64 {
        mixed(self.0 ^ mixed((hit.index as u64) << 1 | hit.stm.index() as u64))
    }
}

/// A number in which every bit depends on every bit of another (the finalizer of splitmix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
