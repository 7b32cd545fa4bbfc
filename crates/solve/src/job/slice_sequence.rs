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
use super::slice::{Sides, SliceSolver, borrowed, codings, joined, owned};
use super::slice_log::{SliceWatch, blocks_at_once, log_slice};
use crate::pass::Longest;
use crate::reach::{Below, Reach};
use crate::successor::{Views, for_each_reading};
use crate::word::{SolverWord, has_small_words};
use crate::{Options, Progress, SolveError, Step};
use index::{BlockRange, Layout, SliceId};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use table::{Code, CodeSource, Codes, CodesRef, Coding, Lookup, Ply, SliceCache, View, threads};
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
    let own = Arc::new(OwnSlices { paging: Paging::new(&layout), layout, store });
    let layout = &own.layout;
    let reach = Reach::new(variant, layout, lookup, Below::BySlice)?;
    let longest = if has_small_words(layout.n_squares()) {
        let solver = SliceSolver::<u64>::new(variant, options, layout, lookup, &reach, progress);
        solve_all(solver, &own, most_in_memory)?
    } else {
        let solver = SliceSolver::<u128>::new(variant, options, layout, lookup, &reach, progress);
        solve_all(solver, &own, most_in_memory)?
    };
    Ok(Box::new(SlicedTable { codings: codings(options, longest), slices: own.clone() }))
}

/// Solves all slices that are not finished; the longest values of the table.
fn solve_all<W: SolverWord>(
    solver: SliceSolver<'_, W>,
    own: &Arc<OwnSlices<'_>>,
    most_in_memory: u64,
) -> Result<[Longest; 2], SolveError> {
    let (layout, cache) = (solver.layout, SliceCache::new(own.clone()));
    let is_small = layout.slice_len() as u64 <= most_in_memory;
    let run = Run {
        solver,
        paging: own.paging,
        store: own.store,
        is_small,
        // Those that are solved by a log are solved one by one.
        batch_len: if is_small { slices_at_once(layout.slice_len() as u64) as usize } else { 1 },
        own_view: View::of_slices(&cache, layout.men(), None).expect("a layout's own men match"),
        own: &cache,
        n_done: AtomicU64::new(0),
        is_wide: AtomicBool::new(false),
    };
    let mut longest = [Longest::default(); 2];
    let mut is_finished = vec![false; layout.n_slices()];
    for slice in own.store.finished() {
        // A slice that is not of this table is not there.
        if let Some(is_finished) = is_finished.get_mut(slice.slice.index()) {
            *is_finished = true;
            longest = joined(longest, slice.longest.map(|[win, loss]| Longest { win, loss }));
        }
    }
    run.done(is_finished.iter().filter(|&&is_finished| is_finished).count());
    for level in layout.levels() {
        let mut left: Vec<SliceId> = level.clone().filter(|slice| !is_finished[slice.index()]).collect();
        left.sort_by_cached_key(|&slice| (std::cmp::Reverse(run.largest_reading(slice)), slice));
        for batch in left.chunks(run.batch_len) {
            longest = joined(longest, run.solve_batch(batch)?);
        }
    }
    Ok(longest)
}

/// The solving of a table's slices.
struct Run<'a, W: SolverWord> {
    solver: SliceSolver<'a, W>,
    paging: Paging,
    store: &'a dyn SliceStore,
    /// Whether slices are solved in memory.
    is_small: bool,
    /// How many slices are solved at a time.
    batch_len: usize,
    own: &'a SliceCache<'a>,
    own_view: View<'a>,
    /// How many slices are finished.
    n_done: AtomicU64,
    /// Whether a slice had values for which one byte does not suffice.
    is_wide: AtomicBool,
}

impl<W: SolverWord> Run<'_, W> {
    /// Counts slices that are finished.
    fn done(&self, n_slices: usize) {
        let n = self.n_done.fetch_add(n_slices as u64, Ordering::Relaxed) + n_slices as u64;
        let (slice_len, len) = (self.solver.layout.slice_len() as u64, self.solver.layout.len() as u64);
        self.solver.progress.step(&Step::Placements(n * slice_len, len));
    }

    /// What a slice reads of the table that it reads most of: how many codes, and of which slice.
    fn largest_reading(&self, slice: SliceId) -> (usize, SliceId) {
        let mut largest = (0, SliceId::FIRST);
        let given = self.solver.law.given();
        let views = Views { own: &self.own_view, others: &self.solver.others, given: &given };
        for_each_reading(&self.solver.ground(slice), &views, |view, stm, squares| {
            if let Some(found) = view.slice_of(stm, squares) {
                largest = largest.max(found);
            }
        });
        largest
    }

    /// Solves slices of one level; returns their longest values.
    fn solve_batch(&self, slices: &[SliceId]) -> Result<[Longest; 2], SolveError> {
        let solver = &self.solver;
        self.solver.reach.begin_era();
        self.own.begin_era();
        let solve = |&slice: &SliceId| {
            if solver.progress.is_interrupted() {
                return Err(solver.halted());
            }
            let longest = if let Some(known) = solver.lookup.known(slice) {
                self.take(slice, known).map_err(|error| self.solver.unwritten(&error))?
            } else {
                if slices.len() == 1 {
                    self.prepare(slice);
                }
                if self.is_small { self.solve_in_memory(slice)? } else { self.solve_by_log(slice)? }
            };
            let longest_plies = longest.map(|longest| [longest.win, longest.loss]);
            let finished = FinishedSlice { slice, longest: longest_plies };
            self.store.finish(finished).map_err(|error| self.solver.unwritten(&error))?;
            self.done(1);
            Ok(longest)
        };
        let longest = match slices {
            [slice] => solve(slice),
            slices => threads::try_map(slices, solve)
                .map(|all| all.into_iter().fold([Longest::default(); 2], joined)),
        };
        self.solver.reach.forget_unused();
        self.own.forget_unused();
        longest
    }

    /// Reads what a slice needs; what it needs and the one before it has needed too stays.
    fn prepare(&self, slice: SliceId) {
        let given = self.solver.law.given();
        let views = Views { own: &self.own_view, others: &self.solver.others, given: &given };
        let ground = self.solver.ground(slice);
        for_each_reading(&ground, &views, |view, stm, squares| view.prepare(stm, squares, false));
        self.solver.reach.forget_unused();
        self.own.forget_unused();
        for_each_reading(&ground, &views, |view, stm, squares| {
            view.prepare(stm, squares, true);
        });
    }

    /// Why something could not be read, if that is so.
    fn reading_failure(&self) -> Option<io::Error> {
        self.solver.reach.take_failure().or_else(|| self.own.take_failure())
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

    /// Solves a slice with its codes in memory, of one byte until that has not sufficed for a slice.
    fn solve_in_memory(&self, slice: SliceId) -> Result<[Longest; 2], SolveError> {
        if !self.is_wide.load(Ordering::Relaxed) {
            if let Some(longest) = self.solve_coded::<u8>(slice)? {
                return Ok(longest);
            }
            self.is_wide.store(true, Ordering::Relaxed);
        }
        self.solve_coded::<u16>(slice)?.ok_or_else(|| self.solver.halted())
    }

    /// Like `solve_in_memory`, with codes of one width; none if they do not suffice.
    fn solve_coded<C: Code>(&self, slice: SliceId) -> Result<Option<[Longest; 2]>, SolveError> {
        let (solver, layout) = (&self.solver, self.solver.layout);
        let mut codes: Sides<C> = [None, None];
        for &stm in layout.sides() {
            codes[stm.index()] = Some(C::illegal(layout.slice_len()));
        }
        let solved = solver.solve(slice, &self.own_view, borrowed(&mut codes), [Longest::default(); 2]);
        if let Some(error) = self.reading_failure() {
            return Err(solver.unreadable(&error));
        }
        let Ok(longest) = solved else {
            return if solver.progress.is_interrupted() { Err(solver.halted()) } else { Ok(None) };
        };
        let codes = owned(codes, solver.scale.metric(), longest);
        for (stm, codes) in Side::BOTH.into_iter().zip(codes) {
            let Some(codes) = codes else { continue };
            let coding = self.coding(longest[stm.index()]);
            self.put(slice, stm, 0, codes.as_ref(), coding).map_err(|error| solver.unwritten(&error))?;
            // The next slice often reads a large one that was solved just before it.
            if self.batch_len == 1 && codes.coding() == coding {
                self.own.keep(stm, slice, codes);
            }
        }
        Ok(Some(longest))
    }

    /// Solves a slice by a log, from where a run before this one has ended.
    fn solve_by_log(&self, slice: SliceId) -> Result<[Longest; 2], SolveError> {
        let (solver, layout) = (&self.solver, self.solver.layout);
        let store = self.store.log(slice).map_err(|error| self.solver.unwritten(&error))?;
        let n_before = self.n_done.load(Ordering::Relaxed) * layout.slice_len() as u64;
        let watch = SliceWatch {
            found: &|n_found| {
                solver.progress.step(&Step::Placements(n_before + n_found / 2, layout.len() as u64))
            },
            reading_failure: &|| self.reading_failure(),
        };
        let log = log_slice(solver, slice, &self.own_view, &*store, &watch)?;
        let ground = self.solver.ground(slice);
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
                filled.map_err(|error| self.solver.unreadable(&error))?;
                let put = self.put(slice, stm, first, room.as_ref(), coding);
                put.map_err(|error| self.solver.unwritten(&error))?;
            }
        }
        Ok(log.longest)
    }

    /// The narrowest codes of a slice with these longest values.
    fn coding(&self, longest: Longest) -> Coding {
        Coding::of(self.solver.scale.metric(), Ply(longest.win), Ply(longest.loss))
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
            let codes = codes.range(range.start - first..range.end - first);
            let page = SlicePage { slice, stm, page: page as u32 };
            if codes.coding() == coding {
                return self.store.put(page, codes);
            }
            let codes = codes.recoded(coding).expect("the longest values have codes");
            self.store.put(page, codes.as_ref())
        })
    }
}
