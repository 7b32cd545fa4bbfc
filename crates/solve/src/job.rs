//! One material: its slices in order, each solved by a pass for either attacker.

use crate::attack::fill_attacked;
use crate::block::{PARALLEL_WORDS, store_word};
use crate::capture::Captures;
use crate::code::{Storable, store_where};
use crate::exit::Exits;
use crate::ground::Ground;
use crate::lane::{SolverWord, has_small_words};
use crate::motion::Motion;
use crate::over::{Over, OverIn};
use crate::pass::{Facts, Pass};
use crate::pawn_move::Views;
use crate::planes::Planes;
use crate::reach::{Change, Reach};
use crate::record::{Longest, Overflow};
use crate::ruling::{Ruling, forced};
use crate::thread::PerThread;
use crate::{Options, Progress, SolveError};
use index::Layout;
use kernel::Word;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Code, Codes, CodesRef, Lookup, Scale, Table, View};
use variant::{Metric, Side, Variant};

/// A thread keeps the planes of its last slice unless they have more words than this.
const KEPT_WORDS: usize = 1 << 18;

/// Solves a material with one byte a value, and with two from where one does not suffice: in the middle of a
/// pass where there are no pawns, and otherwise from the level of slices on.
pub(crate) fn solve_material(
    variant: &Variant,
    options: Options,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    progress: &dyn Progress,
) -> Result<Table, SolveError> {
    if has_small_words(&layout) {
        solve_in_words::<u64>(variant, options, layout, lookup, progress)
    } else {
        solve_in_words::<u128>(variant, options, layout, lookup, progress)
    }
}

/// The same with words that have a bit for every square of the board.
fn solve_in_words<W: SolverWord>(
    variant: &Variant,
    options: Options,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    progress: &dyn Progress,
) -> Result<Table, SolveError> {
    let reach = Reach::new(variant, layout.men(), lookup)?;
    let motion = Motion::<W>::new(variant, &layout);
    let job = Job {
        variant,
        scale: Scale::new(options.metric, &variant.rules),
        layout: &layout,
        motion: &motion,
        others: reach.views(),
        progress,
        done: AtomicU64::new(0),
    };
    match job.solve(!options.wide) {
        Ok([white, black]) => Ok(Table::new(layout, white.expect("White to move is always kept"), black)),
        Err(Overflow) => Err(SolveError::TooDeep {
            material: layout.material().name(variant),
            limit: u32::from(u16::MAX / 2 - 1),
        }),
    }
}

struct Job<'a, W> {
    variant: &'a Variant,
    scale: Scale,
    layout: &'a Layout,
    motion: &'a Motion<W>,
    others: BTreeMap<Change, View<'a>>,
    progress: &'a dyn Progress,
    done: AtomicU64,
}

/// The codes of either side to move; none for Black if White's tell them.
type Sides<C> = [Option<Vec<C>>; 2];

/// The codes of either side to move, of either width.
enum Kept {
    Narrow(Sides<u8>),
    Wide(Sides<u16>),
}

impl<W: SolverWord> Job<'_, W> {
    fn solve(&self, narrow: bool) -> Result<[Option<Codes>; 2], Overflow> {
        if self.layout.pawns().is_empty() {
            return self.solve_pawnless(narrow);
        }
        let levels = self.layout.levels();
        let mut n_solved = 0;
        let mut longest = [Longest::default(); 2];
        let mut wide: Sides<u16>;
        if narrow {
            let mut codes: Sides<u8> = self.no_codes();
            while n_solved < levels.len()
                && self.solve_level(&levels[n_solved], &mut codes, &mut longest).is_ok()
            {
                n_solved += 1;
            }
            if n_solved == levels.len() {
                return Ok(self.owned(codes, longest));
            }
            // The levels that are done keep their values; the one that did not fit is solved again.
            let n_done = levels[n_solved].start * self.layout.slice_len();
            self.done.store(n_done as u64, Ordering::Relaxed);
            wide = self.widened(codes, n_done, longest);
        } else {
            wide = self.no_codes();
        }
        for level in &levels[n_solved..] {
            self.solve_level(level, &mut wide, &mut longest)?;
        }
        Ok(self.owned(wide, longest))
    }

    /// Solves the only slice of a material without pawns.
    fn solve_pawnless(&self, narrow: bool) -> Result<[Option<Codes>; 2], Overflow> {
        let no_codes: [Option<CodesRef<'_>>; 2] = [Some(CodesRef::Narrow(&[])), None];
        let own = View::new(self.layout, no_codes, self.layout.men()).expect("a layout's own men match");
        let mut kept = if narrow { Kept::Narrow(self.no_codes()) } else { Kept::Wide(self.no_codes()) };
        let mut longest = [Longest::default(); 2];
        let solve = |facts: &Facts<'_, W>, planes: &mut Planes<W>| {
            match &mut kept {
                Kept::Narrow(codes) => self.mark_sides(facts, borrowed(codes)),
                Kept::Wide(codes) => self.mark_sides(facts, borrowed(codes)),
            }
            for attacker in Side::BOTH {
                let mut pass = Pass::new(facts, attacker, planes);
                if let Kept::Narrow(codes) = &mut kept {
                    let [wins, losses] = by_role(borrowed(codes), attacker);
                    if pass.run(wins, losses, &mut longest).is_ok() {
                        continue;
                    }
                    // What is found so far is written; the pass goes on from there.
                    let codes = std::mem::take(codes);
                    kept = Kept::Wide(self.widened(codes, self.layout.len(), longest));
                }
                if let Kept::Wide(codes) = &mut kept {
                    let [wins, losses] = by_role(borrowed(codes), attacker);
                    pass.run(wins, losses, &mut longest)?;
                }
            }
            Ok(())
        };
        with_room(|room: &mut Room<W>| self.with_facts(0, &own, room, solve))?;
        self.progress.placements_done(self.layout.len() as u64, self.layout.len() as u64);
        Ok(match kept {
            Kept::Narrow(codes) => self.owned(codes, longest),
            Kept::Wide(codes) => self.owned(codes, longest),
        })
    }

    fn no_codes<C: Storable>(&self) -> Sides<C> {
        let both = !self.layout.is_symmetric();
        [true, both].map(|kept| kept.then(|| vec![C::ILLEGAL; self.layout.len()]))
    }

    fn owned<C: Storable>(&self, codes: Sides<C>, longest: [Longest; 2]) -> [Option<Codes>; 2] {
        let [white, black] = codes;
        let own = |codes, longest: Longest| C::own(codes, self.scale.metric(), longest.win);
        [white.map(|codes| own(codes, longest[0])), black.map(|codes| own(codes, longest[1]))]
    }

    fn widened(&self, codes: Sides<u8>, n_done: usize, longest: [Longest; 2]) -> Sides<u16> {
        let [white, black] = codes;
        let wide = |codes, longest: Longest| widened(codes, n_done, self.scale.metric(), longest.win);
        [white.map(|codes| wide(codes, longest[0])), black.map(|codes| wide(codes, longest[1]))]
    }

    /// Solves the slices of a level; the codes of the levels before it are final. `longest` has the longest
    /// values of those levels, and is told of the longest of this one if all goes well.
    fn solve_level<C: Storable>(
        &self,
        level: &Range<usize>,
        codes: &mut Sides<C>,
        longest: &mut [Longest; 2],
    ) -> Result<(), Overflow> {
        let layout = self.layout;
        let slice_len = layout.slice_len();
        let split = level.start * slice_len;
        let n_level = level.len() * slice_len;
        let [white, black] = codes;
        let (white_done, white_new) = white.as_mut().expect("kept").split_at_mut(split);
        let (black_done, black_new) = match black {
            Some(black) => {
                let (done, new) = black.split_at_mut(split);
                (Some(done), Some(&mut new[..n_level]))
            }
            None => (None, None),
        };
        let metric = self.scale.metric();
        let before = *longest;
        let solved: [Option<CodesRef<'_>>; 2] = [
            Some(C::borrow(white_done, metric, before[0].win)),
            black_done.map(|codes| C::borrow(codes, metric, before[1].win)),
        ];
        let own = View::new(layout, solved, layout.men()).expect("a layout's own men match");
        let one = |slice: usize, white: &mut [C], black: Option<&mut [C]>| {
            let longest = with_room(|room: &mut Room<W>| {
                self.solve_slice(slice, &own, [Some(white), black], before, room)
            })?;
            let n = self.done.fetch_add(slice_len as u64, Ordering::Relaxed) + slice_len as u64;
            self.progress.placements_done(n, layout.len() as u64);
            Ok(longest)
        };
        let joined = |a: [Longest; 2], b: [Longest; 2]| Ok([a[0].max(b[0]), a[1].max(b[1])]);
        let slices = white_new[..n_level].par_chunks_mut(slice_len).enumerate();
        let found = match black_new {
            Some(black) => slices
                .zip(black.par_chunks_mut(slice_len))
                .map(|((i, white), black)| one(level.start + i, white, Some(black)))
                .try_reduce(|| before, joined),
            None => slices.map(|(i, white)| one(level.start + i, white, None)).try_reduce(|| before, joined),
        }?;
        // Each slice has seen to its own values; those of several have to fit together as well.
        let fits =
            |longest: &Longest| C::most_plies(metric).is_none_or(|most| longest.win + longest.loss <= most);
        if !found.iter().all(fits) {
            return Err(Overflow);
        }
        *longest = found;
        Ok(())
    }

    /// Solves one slice whose pawn moves lead to slices that `own` has; the longest values of it and of
    /// `longest`.
    fn solve_slice<C: Storable>(
        &self,
        slice: usize,
        own: &View<'_>,
        mut codes: [Option<&mut [C]>; 2],
        mut longest: [Longest; 2],
        room: &mut Room<W>,
    ) -> Result<[Longest; 2], Overflow> {
        self.with_facts(slice, own, room, |facts, planes| {
            self.mark_sides(facts, codes.each_mut().map(Option::as_deref_mut));
            for attacker in Side::BOTH {
                let [wins, losses] = by_role(codes.each_mut().map(Option::as_deref_mut), attacker);
                Pass::new(facts, attacker, planes).run(wins, losses, &mut longest)?;
            }
            Ok(longest)
        })
    }

    /// Finds what passes over a slice need to know, and calls `solve` with it.
    fn with_facts<R>(
        &self,
        slice: usize,
        own: &View<'_>,
        room: &mut Room<W>,
        solve: impl FnOnce(&Facts<'_, W>, &mut Planes<W>) -> R,
    ) -> R {
        let ground = Ground::new(self.layout, self.motion, slice);
        let Room { attacked, planes } = room;
        for side in Side::BOTH {
            attacked[side.index()].resize(ground.n_words(), W::ZERO);
            fill_attacked(&ground, side, &mut attacked[side.index()]);
        }
        let views = Views { own, others: &self.others };
        let captures = Side::BOTH.map(|side| Captures::gather(&ground, side, &self.others, &self.scale));
        let forced = forced(&ground, &captures);
        let exits = Side::BOTH.map(|side| {
            let forced = forced.as_ref().map(|forced| forced[side.index()].as_slice());
            Exits::gather(self.variant, &ground, side, &views, &self.scale, forced)
        });
        let ruling = Ruling::new(&ground, attacked, &captures, &exits, forced, planes);
        let facts = Facts {
            ground: &ground,
            attacked,
            ruling: &ruling,
            captures: &captures,
            exits: &exits,
            metric: self.scale.metric(),
        };
        solve(&facts, planes)
    }

    /// Calls every position of a slice a draw for now; everything else is illegal from the beginning.
    fn mark_sides<C: Storable>(&self, facts: &Facts<'_, W>, codes: [Option<&mut [C]>; 2]) {
        for (stm, codes) in Side::BOTH.into_iter().zip(codes) {
            if let Some(codes) = codes {
                mark_positions(facts.ground, facts.ruling.illegal(stm, facts.attacked), codes);
                if let Some(over) = &facts.ruling.over[stm.index()] {
                    mark_drawn(facts.ground, over, codes);
                }
            }
        }
    }
}

/// The codes of both sides to move, borrowed.
fn borrowed<C>(codes: &mut Sides<C>) -> [Option<&mut [C]>; 2] {
    codes.each_mut().map(Option::as_deref_mut)
}

/// The codes of both sides to move, those of the attacker first.
fn by_role<C>(codes: [Option<&mut [C]>; 2], attacker: Side) -> [Option<&mut [C]>; 2] {
    let [white, black] = codes;
    match attacker {
        Side::White => [white, black],
        Side::Black => [black, white],
    }
}

/// What solving a slice needs room for; one a thread, used again.
#[derive(Debug)]
pub(crate) struct Room<W> {
    attacked: [Vec<W>; 2],
    planes: Planes<W>,
}

impl<W> Default for Room<W> {
    fn default() -> Self {
        Room { attacked: Default::default(), planes: Planes::default() }
    }
}

/// Calls `use_it` with the thread's room, which is kept for the next slice unless it is large. It is taken
/// while it is used: a thread that waits for others may be given another slice meanwhile.
fn with_room<W: PerThread, R>(use_it: impl FnOnce(&mut Room<W>) -> R) -> R {
    let slot = W::room();
    let mut room = slot.take().unwrap_or_default();
    let result = use_it(&mut room);
    if room.attacked[0].len() <= KEPT_WORDS {
        slot.set(Some(room));
    }
    result
}

/// Codes that are widened before their memory is given back.
const WIDENED_CODES: usize = 1 << 22;

/// The first `n_done` codes with two bytes each, room for the rest.
///
/// From the end, giving back what is widened as it goes on, so that no more is needed than the wide codes
/// take.
fn widened(mut codes: Vec<u8>, n_done: usize, metric: Metric, longest_win: u16) -> Vec<u16> {
    let wide_code = |byte: u8| {
        u16::encode(byte.decode(metric, longest_win), metric).expect("two bytes hold what one does")
    };
    let book: [u16; 256] = std::array::from_fn(|byte| wide_code(byte as u8));
    let mut wide = vec![u16::ILLEGAL; codes.len()];
    let mut end = n_done;
    while end > 0 {
        codes.truncate(end);
        codes.shrink_to_fit();
        let start = (end - 1) / WIDENED_CODES * WIDENED_CODES;
        wide[start..end].par_iter_mut().zip(&codes[start..]).for_each(|(wide, code)| {
            *wide = book[*code as usize];
        });
        end = start;
    }
    wide
}

/// Notes where a game is over and drawn.
fn mark_drawn<C: Storable, W: Word>(ground: &Ground<'_, W>, over: &Over<W>, codes: &mut [C]) {
    let n = ground.words_per_block();
    for block in 0..ground.n_blocks() {
        let Some(OverIn { any, lost, won }) = over.of(block) else { continue };
        for (place, ((&any, &lost), &won)) in any.iter().zip(lost).zip(won).enumerate() {
            store_word(ground, codes, block * n + place, any & !lost & !won, Some(C::STALEMATE));
        }
    }
}

/// Calls every position of a slice a draw for now; everything else is illegal from the beginning, in fresh
/// memory that is not to be gone through twice.
fn mark_positions<C: Storable, W: Word>(ground: &Ground<'_, W>, illegal: &[W], codes: &mut [C]) {
    if illegal.len() < PARALLEL_WORDS {
        return store_where(ground, illegal, 0..ground.n_blocks(), codes, (C::DRAW, true));
    }
    codes.par_chunks_mut(ground.words_per_block() * ground.lane_len()).enumerate().for_each(
        |(block, codes)| {
            store_where(ground, illegal, block..block + 1, codes, (C::DRAW, true));
        },
    );
}
