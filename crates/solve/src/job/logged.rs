//! Solves the only slice of a material without pawns into a log, and makes codes of the log afterwards.

use super::marking::mark_drawn_in;
use super::room::Rooms;
use super::slice::{Memory, SliceSolver};
use crate::code::mark_where;
use crate::ground::{AttackRoom, Attacked, Ground};
use crate::law::Law;
use crate::log::{LogStep, LogStore, LoggedSet, SideLog};
use crate::motion::Motion;
use crate::packed;
use crate::pass::{Facts, Halt, Longest, Pass};
use crate::plane::PassPlanes;
use crate::pool::Pool;
use crate::reach::Reach;
use crate::rule::Ruling;
use crate::sweep::Sink;
use crate::word::{SolverWord, has_small_words};
use crate::{Options, Progress, SolveError};
use index::{Layout, Size};
use rayon::prelude::*;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use table::{Code, CodeSource, Codes, CodesRef, Coding, Lookup, Ply, Scale, View};
use variant::{Metric, Side, Variant};

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
    let reach = Reach::new(variant, layout.men(), lookup)?;
    let (motion, law) = (Motion::<W>::new(variant, &layout), Law::new(variant, &layout));
    let solver = SliceSolver {
        variant,
        scale: Scale::new(options.metric, &variant.rules),
        layout: &layout,
        motion: &motion,
        law: &law,
        others: reach.views(),
        rooms: Rooms::default(),
    };
    let own = View::new(&layout, [Some(CodesRef::Narrow(&[])), None], layout.men());
    let own = own.expect("a layout's own men match");
    // Of a symmetric table one side is kept, and to go on with a pass takes both.
    let logs = Side::BOTH.map(|stm| SideLog::new(stm, store, layout.n_blocks()));
    let stored = store.take_stored();
    let mut longest = [Longest::default(); 2];
    for entry in &stored.entries {
        let stm = entry.entry.stm.index();
        logs[stm].restore(entry);
        longest[stm] = longest[stm].with(entry.entry.code.value());
    }
    let trouble = Trouble::default();
    // What a run before this one has found in the pass that is gone on with.
    let n_before = AtomicU64::new(0);
    let mut pass = |attacker: Side, last_ply: Option<u32>| -> Result<(), Halt> {
        let commit = |ply: Option<u32>| trouble.keep(store.commit(LogStep { attacker, ply }));
        let watch = |ply: usize| {
            let n_found: u64 = logs.iter().map(SideLog::n_placements).sum();
            let n_found = n_found + n_before.load(Ordering::Relaxed);
            progress.placements_done(n_found / 2, layout.len() as u64);
            let is_committed = !logs.iter().any(SideLog::has_failed) && commit(Some(ply as u32));
            is_committed && trouble.unless(progress.is_interrupted())
        };
        let solve = |facts: &Facts<'_, W>, planes: &mut PassPlanes<W>| {
            let mut pass = Pass::new(facts, attacker, planes).watched(&watch);
            if let Some(ply) = last_ply {
                let own = stored.entries.iter().filter(|entry| entry.step.attacker == attacker);
                let resumed = pass.resume(ply, own, store).map(|n| n_before.store(n, Ordering::Relaxed));
                if !trouble.keep(resumed) {
                    return Err(Halt);
                }
            }
            let sink = |side: Side| Some(Sink::<u16, W>::Log(&logs[side.index()]));
            pass.run([sink(attacker), sink(!attacker)], &mut longest)?;
            if commit(None) { Ok(()) } else { Err(Halt) }
        };
        solver.with_facts(0, &own, Memory::Tight(Some(attacker)), solve).0
    };
    let solved = Side::BOTH.into_iter().try_for_each(|attacker| match stored.last {
        // The passes before the last one are done, and so is that if it says no ply.
        Some(last) if last.attacker == attacker && last.ply.is_none() => Ok(()),
        Some(last) if last.attacker == attacker => pass(attacker, last.ply),
        Some(last) if attacker == Side::White && last.attacker == Side::Black => Ok(()),
        _ => pass(attacker, None),
    });
    let material = || layout.material().name(variant);
    if let Some(error) = logs.iter().find_map(SideLog::take_failure).or_else(|| trouble.take_error()) {
        return Err(SolveError::Log { material: material(), what: error.to_string() });
    }
    if trouble.is_interrupted() {
        return Err(SolveError::Interrupted { material: material() });
    }
    if solved.is_err() {
        return Err(SolveError::too_deep(material()));
    }
    let ((), ruling) = solver.with_facts(0, &own, Memory::Tight(None), |_, _| ());
    drop(solver);
    progress.placements_done(layout.len() as u64, layout.len() as u64);
    let codings = codings(options, longest);
    let [white, black] = logs.map(SideLog::into_entries);
    let white = LoggedSide { entries: white, coding: codings[0] };
    let black = (!layout.is_one_sided()).then_some(LoggedSide { entries: black, coding: codings[1] });
    let sides = [Some(white), black];
    Ok(LoggedTable {
        layout,
        motion,
        law,
        ruling,
        metric: options.metric,
        store,
        sides,
        rooms: Pool::default(),
    })
}

/// Why a pass has stopped, if it is not the log of a side.
#[derive(Default)]
struct Trouble {
    error: Mutex<Option<io::Error>>,
    is_interrupted: AtomicBool,
}

impl Trouble {
    /// Remembers an error; whether there was none.
    fn keep(&self, result: io::Result<()>) -> bool {
        let mut kept = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        result.map_err(|error| _ = kept.get_or_insert(error)).is_ok()
    }

    /// Remembers an interruption; whether there was none.
    fn unless(&self, is_interrupted: bool) -> bool {
        self.is_interrupted.fetch_or(is_interrupted, Ordering::Relaxed);
        !is_interrupted
    }

    fn take_error(&self) -> Option<io::Error> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }
}

/// Which codes hold the longest values of both sides to move: of one byte where one suffices for both.
fn codings(options: Options, longest: [Longest; 2]) -> [Coding; 2] {
    let narrow = |longest: Longest| {
        Coding::of_one_byte(options.metric, Ply(longest.win), Ply(longest.loss)).filter(|_| !options.wide)
    };
    match longest.map(narrow) {
        [Some(white), Some(black)] => [white, black],
        _ => [Coding::Wide(()); 2],
    }
}

/// A table whose codes are made of its log.
struct LoggedTable<'s, W> {
    layout: Arc<Layout>,
    motion: Motion<W>,
    law: Law<W>,
    ruling: Ruling<W>,
    metric: Metric,
    store: &'s dyn LogStore,
    sides: [Option<LoggedSide>; 2],
    rooms: Pool<AttackRoom<W>>,
}

/// What a table keeps of one side to move.
struct LoggedSide {
    /// By block.
    entries: Vec<Vec<LoggedSet>>,
    coding: Coding,
}

/// About so many codes are made at once.
const CODES_AT_ONCE: usize = 1 << 26;

/// The memory that the codes of a run of blocks take, if they need two bytes each.
///
/// Units: bytes.
pub(crate) fn run_bytes(size: &Size) -> u64 {
    let n_codes = size.block_len * blocks_at_once(size.block_len as usize, size.n_blocks() as usize) as u64;
    n_codes * size_of::<u16>() as u64
}

fn blocks_at_once(block_len: usize, n_blocks: usize) -> usize {
    (CODES_AT_ONCE / block_len).clamp(1, n_blocks)
}

impl<W: SolverWord> LoggedTable<'_, W> {
    fn side(&self, stm: Side) -> &LoggedSide {
        self.sides[stm.index()].as_ref().expect("a side to move that the table keeps")
    }

    /// Makes the codes of some blocks.
    fn fill<C: Code>(&self, stm: Side, blocks: Range<usize>, codes: &mut [C]) -> io::Result<()> {
        let ground = Ground::new(&self.layout, &self.motion, &self.law, 0);
        let attacked = Attacked::new(&ground, None, &self.rooms);
        let chunks = codes.par_chunks_exact_mut(self.layout.block_len());
        chunks.zip(blocks).try_for_each(|(codes, block)| {
            codes.fill(C::ILLEGAL);
            self.ruling.with_illegal(stm, &attacked, block, |illegal| {
                mark_where(&ground, illegal, block..block + 1, codes, (C::DRAW, true));
            });
            if let Some(terminals) = &self.ruling.terminals[stm.index()] {
                mark_drawn_in(&ground, terminals, block, codes);
            }
            let mut set = Vec::new();
            self.side(stm).entries[block].iter().try_for_each(|entry| self.fill_entry(entry, codes, &mut set))
        })
    }

    /// Writes the value of one entry.
    fn fill_entry<C: Code>(&self, entry: &LoggedSet, codes: &mut [C], set: &mut Vec<u8>) -> io::Result<()> {
        set.resize(entry.n_bytes as usize, 0);
        self.store.read(entry.place, set)?;
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the log of the table is damaged");
        let code = C::from_value_under(self.metric, entry.code.value()).ok_or_else(damaged)?;
        if packed::unpack(set, codes.len(), |place| codes[place] = code) { Ok(()) } else { Err(damaged()) }
    }
}

impl<W: SolverWord> CodeSource for LoggedTable<'_, W> {
    fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    fn coding(&self, stm: Side) -> Option<Coding> {
        self.sides[stm.index()].as_ref().map(|side| side.coding)
    }

    fn units_at_once(&self) -> usize {
        blocks_at_once(self.layout.block_len(), self.layout.n_blocks())
    }

    fn codes<'a>(&'a self, stm: Side, units: Range<usize>, room: &'a mut Codes) -> io::Result<CodesRef<'a>> {
        let n_codes = units.len() * self.layout.block_len();
        match self.side(stm).coding {
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

/// Room for so many codes of one byte.
fn narrow_room(room: &mut Codes, n_codes: usize) -> &mut Vec<u8> {
    if !matches!(room, Codes::Narrow(_)) {
        *room = Codes::Narrow(Vec::new());
    }
    let Codes::Narrow(codes) = room else { unreachable!("it has just been made so") };
    codes.resize(n_codes, 0);
    codes
}

/// Room for so many codes of two bytes.
fn wide_room(room: &mut Codes, n_codes: usize) -> &mut Vec<u16> {
    if !matches!(room, Codes::Wide(_)) {
        *room = Codes::Wide(Vec::new());
    }
    let Codes::Wide(codes) = room else { unreachable!("it has just been made so") };
    codes.resize(n_codes, 0);
    codes
}
