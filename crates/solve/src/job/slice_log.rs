//! Solves one slice into a log, and makes codes of the log afterwards.
//!
//! So is the only slice of a material without pawns solved where its codes have no room.

use super::slice::{Memory, SliceSolver, codings, mark_drawn_in, no_slices};
use crate::code::mark_where;
use crate::ground::{AttackRoom, Attacked, Ground};
use crate::law::Law;
use crate::log::{LogStep, LogStore, LoggedSet, SideLog};
use crate::motion::Motion;
use crate::packed::{self, FirstError, PlaneFile, Spill};
use crate::pass::{Facts, Halt, Longest, Pass};
use crate::plane::{PassFiles, PassPlanes};
use crate::pool::Pool;
use crate::reach::{Below, Reach};
use crate::rule::Ruling;
use crate::sweep::Sink;
use crate::word::{SolverWord, has_small_words};
use crate::{Options, Progress, SolveError, Step};
use index::{BlockRange, Layout, SliceId};
use std::cell::Cell;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use table::{Code, CodeSource, Codes, CodesRef, Coding, Lookup, View, threads};
use variant::{Metric, Side, Variant};

/// What watches the solving of a slice.
pub(super) struct SliceWatch<'w> {
    /// Called with the number of placements that are found by then, both sides to move together.
    pub(super) found: &'w dyn Fn(u64),
    /// Why something that the slice reads could not be read, if that is so.
    pub(super) reading_failure: &'w dyn Fn() -> Option<io::Error>,
}

/// A slice whose codes are made of its log.
pub(super) struct SliceLog<W> {
    slice: SliceId,
    metric: Metric,
    ruling: Ruling<W>,
    /// By side to move, and by block.
    entries: [Vec<Vec<LoggedSet>>; 2],
    /// The longest values, by side to move.
    pub(super) longest: [Longest; 2],
    rooms: Pool<AttackRoom<W>>,
}

/// Opens room on the disk for the sets of a pass, and for what captures and pawn moves lead to; none if all
/// of that is to be in memory.
fn open_rooms(
    store: &dyn LogStore,
    failure: &Arc<FirstError>,
) -> io::Result<Option<(PassFiles, Arc<Spill>)>> {
    let files: Option<Vec<Box<dyn PlaneFile>>> =
        (0..7).map(|_| store.open_plane()).collect::<io::Result<_>>()?;
    let files = files.and_then(|files| <[_; 7]>::try_from(files).ok());
    Ok(files.map(|[open, escape, spill, a, b, c, d]| {
        let spilled = |file| Arc::new(Spill::new(file, failure.clone()));
        let (frontiers, n_slots) = ([a, b, c, d].map(spilled), store.n_slots());
        (PassFiles { open, escape, frontiers, n_slots, failure: failure.clone() }, spilled(spill))
    }))
}

/// Solves a slice into a log, from where a run before this one has ended.
pub(super) fn log_slice<W: SolverWord>(
    solver: &SliceSolver<'_, W>,
    slice: SliceId,
    own: &View<'_>,
    store: &dyn LogStore,
    watch: &SliceWatch<'_>,
) -> Result<SliceLog<W>, SolveError> {
    let n_blocks = solver.ground(slice).n_blocks();
    // Of a symmetric table one side is kept, and to go on with a pass takes both.
    let failure = Arc::<FirstError>::default();
    let logs = Side::BOTH.map(|stm| SideLog::new(stm, store, n_blocks, failure.clone()));
    let stored = store.take_stored();
    let mut longest = [Longest::default(); 2];
    for entry in &stored.entries {
        let stm = entry.entry.stm.index();
        logs[stm].restore(entry);
        longest[stm] = longest[stm].with(entry.entry.code.value());
    }
    let unwritten = |error: io::Error| solver.unwritten(&error);
    // What could not be read was taken for something that it is not.
    let check_reading = || match (watch.reading_failure)() {
        Some(error) => Err(solver.unreadable(&error)),
        None => Ok(()),
    };
    let mut pass = |attacker: Side, last_ply: Option<u32>| {
        let (files, spill) = open_rooms(store, &failure).map_err(unwritten)?.unzip();
        // What a run before this one has found in the pass that is gone on with.
        let n_before = Cell::new(0);
        let commit = |ply: Option<u32>| store.commit(LogStep { attacker, ply });
        let watch_ply = |ply: usize, planes: &PassPlanes<W>| {
            solver.report_ply(slice, attacker, ply, planes);
            let n_found: u64 = logs.iter().map(SideLog::n_placements).sum();
            (watch.found)(n_found + n_before.get());
            if failure.is_some() {
                return false;
            }
            if let Err(error) = commit(Some(ply as u32)) {
                failure.note(error);
                return false;
            }
            solver.progress.step(&Step::Logged(attacker, ply as u32));
            !solver.progress.is_interrupted()
        };
        let solve = |facts: &Facts<'_, W>, planes: &mut PassPlanes<W>| {
            check_reading()?;
            planes.files = files;
            let mut pass = Pass::new(facts, attacker, planes, &watch_ply);
            if let Some(ply) = last_ply {
                let own = stored.entries.iter().filter(|entry| entry.step.attacker == attacker);
                n_before.set(pass.resume(ply, own, store).map_err(unwritten)?);
            }
            let sink = |side: Side| Some(Sink::<u16, W>::Log(&logs[side.index()]));
            let ended = pass.run([sink(attacker), sink(!attacker)], &mut longest);
            if let Some(error) = failure.take() {
                return Err(unwritten(error));
            }
            ended.map_err(|Halt| solver.halted())?;
            commit(None).map_err(unwritten)
        };
        solver.with_facts(slice, own, Memory::Tight(Some(attacker), spill.as_ref()), solve).0
    };
    for &attacker in &solver.attackers {
        match stored.last {
            // The passes before the last one are done, and so is that if it says no ply.
            Some(last) if last.attacker == attacker && last.ply.is_none() => {}
            Some(last) if last.attacker == attacker => pass(attacker, last.ply)?,
            Some(last) if attacker == Side::White && last.attacker == Side::Black => {}
            _ => pass(attacker, None)?,
        }
    }
    let ((), ruling) = solver.with_facts(slice, own, Memory::Tight(None, None), |_, _| ());
    // Some rules ask for captures here, too.
    check_reading()?;
    let entries = logs.map(SideLog::into_entries);
    let metric = solver.scale.metric();
    Ok(SliceLog { slice, metric, ruling, entries, longest, rooms: Pool::default() })
}

/// About the codes that are made at once.
const CODES_AT_ONCE: usize = 1 << 26;

/// Codes that are made at once where memory is scarce; at least a block for each thread.
const FEW_CODES_AT_ONCE: usize = 1 << 22;

/// Returns how many of `n_blocks` blocks are best filled at once; `is_scarce` says whether memory is scarce.
pub(crate) fn blocks_at_once(
    (block_len, n_blocks): (usize, usize),
    is_scarce: bool,
    n_threads: usize,
) -> usize {
    let usual = (CODES_AT_ONCE / block_len).clamp(1, n_blocks);
    if is_scarce { usual.min(n_threads.max(FEW_CODES_AT_ONCE / block_len)) } else { usual }
}

impl<W: SolverWord> SliceLog<W> {
    /// Makes the codes of some of the slice's blocks from the log that it was solved into; `ground` is the
    /// slice's.
    pub(super) fn fill<C: Code>(
        &self,
        ground: &Ground<'_, W>,
        store: &dyn LogStore,
        stm: Side,
        blocks: BlockRange,
        codes: &mut [C],
    ) -> io::Result<()> {
        assert_eq!(ground.slice, self.slice, "the ground of another slice");
        let attacked = Attacked::new(ground, None, &self.rooms);
        let chunks = codes.chunks_exact_mut(ground.words_per_block() * ground.lane_len());
        threads::try_for_each(chunks.zip(blocks), |(codes, block)| {
            codes.fill(C::ILLEGAL);
            self.ruling.with_illegal(stm, &attacked, block, |illegal| {
                mark_where(ground, illegal, block.alone(), codes, (C::DRAW, true));
            });
            if let Some(terminals) = &self.ruling.terminals[stm.index()] {
                mark_drawn_in(ground, terminals, block, codes);
            }
            let mut set = Vec::new();
            let mut entries = self.entries[stm.index()][block.index()].iter();
            entries.try_for_each(|entry| self.fill_entry(store, entry, codes, &mut set))
        })
    }

    /// Writes the value of one entry.
    fn fill_entry<C: Code>(
        &self,
        store: &dyn LogStore,
        entry: &LoggedSet,
        codes: &mut [C],
        set: &mut Vec<u8>,
    ) -> io::Result<()> {
        set.resize(entry.n_bytes as usize, 0);
        store.read(entry.place, set)?;
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the log of the table is damaged");
        let code = C::from_value_under(self.metric, entry.code.value()).ok_or_else(damaged)?;
        if packed::unpack(set, codes.len(), |place| codes[place] = code) { Ok(()) } else { Err(damaged()) }
    }
}

/// Solves a material without pawns into a log.
pub(crate) fn log_material<'s>(
    variant: &Variant,
    options: Options,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    log: &'s dyn LogStore,
    progress: &dyn Progress,
) -> Result<Box<dyn CodeSource + 's>, SolveError> {
    assert!(layout.pawns().is_empty(), "{} has pawns", layout.name());
    if has_small_words(layout.n_squares()) {
        Ok(Box::new(log_in_words::<u64>(variant, options, layout, lookup, log, progress)?))
    } else {
        Ok(Box::new(log_in_words::<u128>(variant, options, layout, lookup, log, progress)?))
    }
}

fn log_in_words<'s, W: SolverWord>(
    variant: &Variant,
    options: Options,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    store: &'s dyn LogStore,
    progress: &dyn Progress,
) -> Result<LoggedTable<'s, W>, SolveError> {
    let reach = Reach::new(variant, &layout, lookup, Below::ByBlock)?;
    let solver = SliceSolver::<W>::new(variant, options, &layout, lookup, &reach, progress);
    let n_placements = layout.len() as u64;
    let watch = SliceWatch {
        found: &|n_found| progress.step(&Step::Placements(n_found / 2, n_placements)),
        reading_failure: &|| reach.take_failure(),
    };
    let log = log_slice(&solver, SliceId::FIRST, &no_slices(&layout), store, &watch)?;
    let SliceSolver { motion, law, .. } = solver;
    progress.step(&Step::Placements(n_placements, n_placements));
    let codings = codings(options, log.longest);
    let shape = (layout.block_len(), layout.n_blocks());
    let n_at_once = blocks_at_once(shape, store.n_slots().is_some(), rayon::current_num_threads());
    Ok(LoggedTable { layout: layout.clone(), motion, law, log, store, codings, n_at_once })
}

/// A table whose codes are made of its log.
struct LoggedTable<'s, W> {
    layout: Arc<Layout>,
    motion: Motion<W>,
    law: Law<W>,
    log: SliceLog<W>,
    store: &'s dyn LogStore,
    /// By side to move.
    codings: [Coding; 2],
    /// The number of blocks that are handed out at once.
    n_at_once: usize,
}

impl<W: SolverWord> CodeSource for LoggedTable<'_, W> {
    fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    fn coding(&self, stm: Side) -> Option<Coding> {
        self.layout.sides().contains(&stm).then_some(self.codings[stm.index()])
    }

    fn units_at_once(&self) -> usize {
        self.n_at_once
    }

    fn codes<'a>(&'a self, stm: Side, units: Range<usize>, room: &'a mut Codes) -> io::Result<CodesRef<'a>> {
        let coding = self.coding(stm).expect("a side to move that the table keeps");
        let codes = room.reset(coding, units.len() * self.layout.block_len());
        // The units are the blocks of the only slice.
        let ground = Ground::new(&self.layout, &self.motion, &self.law, SliceId::FIRST);
        let blocks = || BlockRange::new(units.clone());
        codes.either(
            |codes| self.log.fill(&ground, self.store, stm, blocks(), codes),
            |codes| self.log.fill(&ground, self.store, stm, blocks(), codes),
        )?;
        Ok(room.as_ref())
    }
}
