//! Solves the only slice of a material without pawns into a log, and hands out codes that are made of it.

use super::room::Rooms;
use super::slice::SliceSolver;
use super::slice_log::{SliceLog, SliceWatch, blocks_at_once, log_slice, no_slices};
use super::width::{codings, narrow_room, wide_room};
use crate::ground::Ground;
use crate::law::Law;
use crate::log::LogStore;
use crate::motion::Motion;
use crate::reach::{Below, Reach};
use crate::word::{SolverWord, has_small_words};
use crate::{Options, Progress, SolveError};
use index::{BlockRange, Layout, SliceId};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use table::{Code, CodeSource, Codes, CodesRef, Coding, Lookup, Scale};
use variant::{Side, Variant};

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
    let reach = Reach::found(variant, layout.men(), lookup, Below::ByBlock)?;
    let (motion, law) = (Motion::<W>::new(variant, &layout), Law::new(variant, &layout, &lookup.left_out()));
    let rooms = Rooms::default();
    let solver = SliceSolver {
        variant,
        scale: Scale::new(options.metric, &variant.rules),
        layout: &layout,
        motion: &motion,
        law: &law,
        duel: None,
        others: reach.views(),
        rooms: &rooms,
        progress,
        attackers: options.attackers(&layout),
    };
    let n_placements = layout.len() as u64;
    let watch = SliceWatch {
        found: &|n_found| progress.placements_done(n_found / 2, n_placements),
        is_interrupted: &|| progress.is_interrupted(),
        reading_failure: &|| reach.take_failure(),
    };
    let log = log_slice(&solver, SliceId::FIRST, &no_slices(&layout), store, &watch)?;
    drop(solver);
    progress.placements_done(n_placements, n_placements);
    let codings = codings(options, log.longest);
    let shape = (layout.block_len(), layout.n_blocks());
    let n_at_once = blocks_at_once(shape, store.n_slots().is_some(), rayon::current_num_threads());
    Ok(LoggedTable { layout, motion, law, log, store, codings, n_at_once })
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
    /// So many blocks are handed out at once.
    n_at_once: usize,
}

impl<W: SolverWord> LoggedTable<'_, W> {
    /// Makes the codes of some units, which are the blocks of the only slice.
    fn fill<C: Code>(&self, stm: Side, units: Range<usize>, codes: &mut [C]) -> io::Result<()> {
        let ground = Ground::new(&self.layout, &self.motion, &self.law, SliceId::FIRST);
        self.log.fill(&ground, self.store, stm, BlockRange::new(units), codes)
    }
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
        let n_codes = units.len() * self.layout.block_len();
        match self.coding(stm).expect("a side to move that the table keeps") {
            Coding::Wide(()) => {
                let codes = wide_room(room, n_codes);
                self.fill(stm, units, codes)?;
                Ok(CodesRef::Wide(codes))
            }
            coding => {
                let codes = narrow_room(room, n_codes);
                self.fill(stm, units, codes)?;
                Ok(match coding {
                    Coding::Split((), split) => CodesRef::Split(codes, split),
                    _ => CodesRef::Narrow(codes),
                })
            }
        }
    }
}
