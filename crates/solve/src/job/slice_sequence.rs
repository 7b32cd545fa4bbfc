//! Solves the slices of a material with pawns one after the other, and keeps none of them in memory.
//!
//! A finished slice goes to a store page by page (`finished_slice.rs`), and what later slices read of it
//! comes back from there, as other tables come slice by slice (`table::SliceCache`). Small slices are solved
//! in memory, some at a time; a slice that is too large for that is solved into a log (`slice_log.rs`).
//!
//! ```text
//!   level ─► slices, those that read the same next to each other ─► batches
//!              batch: read what it needs ─► solve ─► pages ─► finished ─► forget what was not needed
//! ```

use super::finished_slice::{FinishedSlice, OwnSlices, Paging, SlicePage, SliceStore, SlicedTable};
use super::slice::{Rooms, SliceSolver, codings};
use super::slice_log::{SliceWatch, blocks_at_once, log_slice};
use crate::duel::Duel;
use crate::ground::Ground;
use crate::law::Law;
use crate::motion::Motion;
use crate::pass::Longest;
use crate::reach::{Below, Reach};
use crate::successor::{Views, for_each_reading};
use crate::word::{SolverWord, has_small_words};
use crate::{Options, Progress, SolveError, Step};
use index::{BlockRange, Layout, SliceId};
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Code, CodeSource, Codes, CodesRef, Coding, Lookup, Ply, Scale, SliceCache, View, threads};
use variant::exit::Change;
use variant::{Side, Variant};

/// The most codes, both sides to move, of a batch of slices that are solved in memory.
const BATCH_CODES: u64 = 1 << 25;

/// How many slices of `slice_len` placements are solved at a time in memory.
pub(crate) fn slices_at_once(slice_len: u64) -> u64 {
    (BATCH_CODES / (2 * slice_len)).max(1)
}

/// Solves a material with pawns slice by slice; slices of more placements than `most_in_memory` by a log.
pub(crate) fn solve_slices<'s>(
    variant: &Variant,
    options: Options,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    (store, most_in_memory): (&'s dyn SliceStore, u64),
    progress: &dyn Progress,
) -> Result<Box<dyn CodeSource + 's>, SolveError> {
    assert!(!layout.pawns().is_empty(), "{} has no pawns", layout.name());
    let job = SlicedJob { variant, options, lookup, store, most_in_memory, progress };
    let longest = match has_small_words(layout.n_squares()) {
        true => job.solve::<u64>(&layout)?,
        false => job.solve::<u128>(&layout)?,
    };
    let codings = codings(options, longest);
    let slices = OwnSlices { paging: Paging::new(&layout), layout, store };
    Ok(Box::new(SlicedTable { slices, codings }))
}

struct SlicedJob<'a> {
    variant: &'a Variant,
    options: Options,
    lookup: &'a dyn Lookup,
    store: &'a dyn SliceStore,
    most_in_memory: u64,
    progress: &'a dyn Progress,
}

impl SlicedJob<'_> {
    /// Solves all slices that are not finished; the longest values of the table.
    fn solve<W: SolverWord>(&self, layout: &Arc<Layout>) -> Result<[Longest; 2], SolveError> {
        let variant = self.variant;
        let reach = Reach::found(variant, layout.men(), self.lookup, Below::BySlice)?;
        let paging = Paging::new(layout);
        let own = Arc::new(OwnSlices { layout: layout.clone(), paging, store: self.store });
        let own = SliceCache::new(own);
        let (motion, law) =
            (Motion::<W>::new(variant, layout), Law::new(variant, layout, &self.lookup.left_out()));
        let (rooms, scale) = (Rooms::default(), Scale::new(self.options.metric, &variant.rules));
        let solver = SliceSolver {
            variant,
            scale,
            layout,
            motion: &motion,
            law: &law,
            duel: Duel::new(layout, &motion, &law, self.options.metric),
            by_clock: None,
            others: reach.views(),
            lookup: self.lookup,
            rooms: &rooms,
            progress: self.progress,
            attackers: self.options.attackers(layout),
        };
        let run = Run {
            job: self,
            solver,
            paging,
            reach: &reach,
            own_view: View::of_slices(&own, layout.men(), None).expect("a layout's own men match"),
            own: &own,
            n_done: AtomicU64::new(0),
        };
        let mut longest = [Longest::default(); 2];
        let mut is_finished = vec![false; layout.n_slices()];
        for slice in self.store.finished() {
            // A slice that is not of this table is not there.
            if let Some(is_finished) = is_finished.get_mut(slice.slice.index()) {
                *is_finished = true;
                longest = joined(longest, longest_of(&slice));
            }
        }
        run.done(is_finished.iter().filter(|&&is_finished| is_finished).count());
        for level in layout.levels() {
            let mut left: Vec<SliceId> = level.clone().filter(|slice| !is_finished[slice.index()]).collect();
            left.sort_by_cached_key(|&slice| (std::cmp::Reverse(run.largest_reading(slice)), slice));
            for batch in left.chunks(self.batch_len(layout)) {
                longest = joined(longest, run.solve_batch(batch)?);
            }
        }
        Ok(longest)
    }

    /// How many slices are solved at a time; those that are solved by a log one by one.
    fn batch_len(&self, layout: &Layout) -> usize {
        let slice_len = layout.slice_len() as u64;
        if slice_len > self.most_in_memory { 1 } else { slices_at_once(slice_len) as usize }
    }

    fn material(&self, layout: &Layout) -> String {
        layout.material().name(self.variant)
    }
}

/// The solving of a table's slices.
struct Run<'a, W: SolverWord> {
    job: &'a SlicedJob<'a>,
    solver: SliceSolver<'a, W>,
    paging: Paging,
    reach: &'a Reach,
    own: &'a SliceCache<'a>,
    own_view: View<'a>,
    /// How many slices are finished.
    n_done: AtomicU64,
}

impl<W: SolverWord> Run<'_, W> {
    fn layout(&self) -> &Layout {
        self.solver.layout
    }

    fn others(&self) -> &BTreeMap<Change, View<'_>> {
        &self.solver.others
    }

    fn ground(&self, slice: SliceId) -> Ground<'_, W> {
        Ground::new(self.layout(), self.solver.motion, self.solver.law, slice)
    }

    /// Counts slices that are finished.
    fn done(&self, n_slices: usize) {
        let n = self.n_done.fetch_add(n_slices as u64, Ordering::Relaxed) + n_slices as u64;
        let (slice_len, len) = (self.layout().slice_len() as u64, self.layout().len() as u64);
        self.job.progress.step(&Step::Placements(n * slice_len, len));
    }

    /// What a slice reads of the table that it reads most of: how many codes, and of which slice.
    fn largest_reading(&self, slice: SliceId) -> (usize, SliceId) {
        let mut largest = (0, SliceId::FIRST);
        let given = self.solver.law.given();
        let views = Views { own: &self.own_view, others: self.others(), given: &given };
        for_each_reading(&self.ground(slice), &views, |view, stm, squares| {
            if let Some(found) = view.slice_of(stm, squares) {
                largest = largest.max(found);
            }
        });
        largest
    }

    /// Solves slices of one level; returns their longest values.
    fn solve_batch(&self, slices: &[SliceId]) -> Result<[Longest; 2], SolveError> {
        let job = self.job;
        if job.progress.is_interrupted() {
            return Err(SolveError::Interrupted { material: job.material(self.layout()) });
        }
        self.reach.begin_era();
        self.own.begin_era();
        let is_small = self.layout().slice_len() as u64 <= job.most_in_memory;
        let solve = |&slice: &SliceId| {
            let longest = if let Some(known) = job.lookup.known(slice) {
                self.take(slice, known).map_err(|error| self.unwritten(&error))?
            } else {
                if slices.len() == 1 {
                    self.prepare(slice);
                }
                if is_small { self.solve_in_memory(slice)? } else { self.solve_by_log(slice)? }
            };
            let longest_plies = longest.map(|longest| [longest.win, longest.loss]);
            let finished = FinishedSlice { slice, longest: longest_plies };
            job.store.finish(finished).map_err(|error| self.unwritten(&error))?;
            self.done(1);
            Ok(longest)
        };
        let longest = match slices {
            [slice] => solve(slice),
            slices => threads::try_map(slices, solve)
                .map(|all| all.into_iter().fold([Longest::default(); 2], joined)),
        };
        self.reach.forget_unused();
        self.own.forget_unused();
        longest
    }

    /// Reads what a slice needs; what it needs and the one before it has needed too stays.
    fn prepare(&self, slice: SliceId) {
        let given = self.solver.law.given();
        let views = Views { own: &self.own_view, others: self.others(), given: &given };
        let ground = self.ground(slice);
        for_each_reading(&ground, &views, |view, stm, squares| view.prepare(stm, squares, false));
        self.reach.forget_unused();
        self.own.forget_unused();
        for_each_reading(&ground, &views, |view, stm, squares| {
            view.prepare(stm, squares, true);
        });
    }

    /// Why something could not be read, if that is so.
    fn reading_failure(&self) -> Option<io::Error> {
        self.reach.take_failure().or_else(|| self.own.take_failure())
    }

    fn unread(&self, error: &io::Error) -> SolveError {
        SolveError::Unreadable { material: self.job.material(self.layout()), what: error.to_string() }
    }

    fn unwritten(&self, error: &io::Error) -> SolveError {
        SolveError::Log { material: self.job.material(self.layout()), what: error.to_string() }
    }

    /// Keeps a slice that is known; its longest values.
    fn take(&self, slice: SliceId, known: [Option<Codes>; 2]) -> io::Result<[Longest; 2]> {
        let mut longest = [Longest::default(); 2];
        for ((stm, codes), longest) in Side::BOTH.into_iter().zip(&known).zip(&mut longest) {
            let Some(codes) = codes.as_ref().map(Codes::as_ref) else { continue };
            *longest = Longest::of(codes);
            self.put(slice, stm, 0, codes, self.coding(*longest))?;
        }
        Ok(longest)
    }

    /// Solves a slice with its codes in memory.
    fn solve_in_memory(&self, slice: SliceId) -> Result<[Longest; 2], SolveError> {
        let layout = self.layout();
        let codes = || vec![u16::ILLEGAL; layout.slice_len()];
        let (mut white, mut black) = (codes(), (!layout.is_one_sided()).then(codes));
        let sides = [Some(white.as_mut_slice()), black.as_deref_mut()];
        let longest = self
            .solver
            .solve(slice, &self.own_view, sides, [Longest::default(); 2])
            .map_err(|_| self.solver.halted())?;
        if let Some(error) = self.reading_failure() {
            return Err(self.unread(&error));
        }
        for (stm, codes) in Side::BOTH.into_iter().zip([Some(white), black]) {
            let Some(codes) = codes else { continue };
            let put = self.put(slice, stm, 0, u16::borrowed(&codes), self.coding(longest[stm.index()]));
            put.map_err(|error| self.unwritten(&error))?;
        }
        Ok(longest)
    }

    /// Solves a slice by a log, from where a run before this one has ended.
    fn solve_by_log(&self, slice: SliceId) -> Result<[Longest; 2], SolveError> {
        let (job, layout) = (self.job, self.layout());
        let store = job.store.log(slice).map_err(|error| self.unwritten(&error))?;
        let n_before = self.n_done.load(Ordering::Relaxed) * layout.slice_len() as u64;
        let watch = SliceWatch {
            found: &|n_found| {
                job.progress.step(&Step::Placements(n_before + n_found / 2, layout.len() as u64))
            },
            reading_failure: &|| self.reading_failure(),
        };
        let log = log_slice(&self.solver, slice, &self.own_view, &*store, &watch)?;
        let ground = self.ground(slice);
        let block_len = ground.words_per_block() * ground.lane_len();
        // Pages must not be cut by runs of blocks.
        let page_blocks = (self.paging.range(0).len() / block_len).max(1);
        let shape = (block_len, ground.n_blocks());
        let n_at_once = blocks_at_once(shape, store.n_slots().is_some(), rayon::current_num_threads());
        let n_at_once = n_at_once.next_multiple_of(page_blocks);
        for &stm in layout.sides() {
            let coding = self.coding(log.longest[stm.index()]);
            let mut room = Codes::default();
            for start in (0..ground.n_blocks()).step_by(n_at_once) {
                let blocks = BlockRange::new(start..(start + n_at_once).min(ground.n_blocks()));
                let Range { start: first, end } = blocks.span(block_len);
                let filled = room.reset(coding, end - first).either(
                    |codes| log.fill(&ground, &*store, stm, blocks.clone(), codes),
                    |codes| log.fill(&ground, &*store, stm, blocks.clone(), codes),
                );
                filled.map_err(|error| self.unread(&error))?;
                let put = self.put(slice, stm, first, room.as_ref(), coding);
                put.map_err(|error| self.unwritten(&error))?;
            }
        }
        Ok(log.longest)
    }

    /// The narrowest codes of a slice with these longest values.
    fn coding(&self, longest: Longest) -> Coding {
        Coding::of(self.job.options.metric, Ply(longest.win), Ply(longest.loss))
    }

    /// Keeps whole pages in a coding that has all their values; the first page begins with the code of this
    /// number in the slice.
    fn put(
        &self,
        slice: SliceId,
        stm: Side,
        first: usize,
        codes: CodesRef<'_>,
        coding: Coding,
    ) -> io::Result<()> {
        let pages = self.paging.pages_of(&(first..first + codes.len()));
        threads::try_for_each(pages, |page| {
            let range = self.paging.range(page);
            let codes = codes.range(range.start - first..range.end - first).recoded(coding);
            let page = SlicePage { slice, stm, page: page as u32 };
            self.job.store.put(page, codes.expect("the longest values have codes").as_ref())
        })
    }
}

fn longest_of(slice: &FinishedSlice) -> [Longest; 2] {
    slice.longest.map(|[win, loss]| Longest { win, loss })
}

fn joined(a: [Longest; 2], b: [Longest; 2]) -> [Longest; 2] {
    [a[0].max(b[0]), a[1].max(b[1])]
}
