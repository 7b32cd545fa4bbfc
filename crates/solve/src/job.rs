//! One material: its slices in order, each solved by a pass for either attacker.

use crate::attack::fill_attacked;
use crate::block::PARALLEL_WORDS;
use crate::capture::Captures;
use crate::code::{Storable, store_where};
use crate::exit::{Exits, Views};
use crate::ground::Ground;
use crate::motion::Motion;
use crate::pass::{Facts, Overflow, Pass, Planes};
use crate::reach::{Change, Reach};
use crate::{Progress, SolveError};
use index::Layout;
use rayon::prelude::*;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Code, Codes, CodesRef, Lookup, Table, View};
use variant::{Side, Variant};

/// A thread keeps the planes of its last slice unless they have more words than this.
const KEPT_WORDS: usize = 1 << 18;

/// Solves a material with one byte a value, and with two from the level of slices on where one does not suffice.
pub(crate) fn solve_material(
    variant: &Variant,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    progress: &dyn Progress,
    narrow: bool,
) -> Result<Table, SolveError> {
    let reach = Reach::new(variant, layout.men(), lookup)?;
    let motion = Motion::new(variant, &layout);
    let job = Job {
        variant,
        layout: &layout,
        motion: &motion,
        others: reach.views(),
        progress,
        done: AtomicU64::new(0),
    };
    match job.solve(narrow) {
        Ok([white, black]) => Ok(Table::new(layout, white.expect("White to move is always kept"), black)),
        Err(Overflow) => Err(SolveError::TooDeep {
            material: layout.material().name(variant),
            limit: u32::from(u16::MAX / 2 - 1),
        }),
    }
}

struct Job<'a> {
    variant: &'a Variant,
    layout: &'a Layout,
    motion: &'a Motion,
    others: BTreeMap<Change, View<'a>>,
    progress: &'a dyn Progress,
    done: AtomicU64,
}

/// The codes of either side to move; none for Black if White's tell them.
type Sides<C> = [Option<Vec<C>>; 2];

impl Job<'_> {
    fn solve(&self, narrow: bool) -> Result<[Option<Codes>; 2], Overflow> {
        let levels = self.layout.levels();
        let mut n_solved = 0;
        let mut wide: Sides<u16>;
        if narrow {
            let mut codes: Sides<u8> = self.no_codes();
            while n_solved < levels.len() && self.solve_level(&levels[n_solved], &mut codes).is_ok() {
                n_solved += 1;
            }
            if n_solved == levels.len() {
                return Ok(codes.map(|codes| codes.map(u8::owned)));
            }
            // The levels that are done keep their values; the one that did not fit is solved again.
            let n_done = levels[n_solved].start * self.layout.slice_len();
            self.done.store(n_done as u64, Ordering::Relaxed);
            wide = codes.map(|codes| codes.map(|codes| widened(codes, n_done)));
        } else {
            wide = self.no_codes();
        }
        for level in &levels[n_solved..] {
            self.solve_level(level, &mut wide)?;
        }
        Ok(wide.map(|codes| codes.map(u16::owned)))
    }

    fn no_codes<C: Code>(&self) -> Sides<C> {
        let both = !self.layout.material().is_symmetric();
        [true, both].map(|kept| kept.then(|| vec![C::ILLEGAL; self.layout.len()]))
    }

    /// Solves the slices of a level; the codes of the levels before it are final.
    fn solve_level<C: Storable>(&self, level: &Range<usize>, codes: &mut Sides<C>) -> Result<(), Overflow> {
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
        let solved: [Option<CodesRef<'_>>; 2] =
            [Some(C::borrowed(white_done)), black_done.map(|codes| C::borrowed(codes))];
        let own = View::new(layout, solved, layout.men()).expect("a layout's own men match");
        let one = |slice: usize, white: &mut [C], black: Option<&mut [C]>| {
            let mut room = ROOM.take().unwrap_or_default();
            let solved = self.solve_slice(slice, &own, white, black, &mut room);
            if room.attacked[0].len() <= KEPT_WORDS {
                ROOM.set(Some(room));
            }
            solved?;
            let n = self.done.fetch_add(slice_len as u64, Ordering::Relaxed) + slice_len as u64;
            self.progress.placements_done(n, layout.len() as u64);
            Ok(())
        };
        let slices = white_new[..n_level].par_chunks_mut(slice_len).enumerate();
        match black_new {
            Some(black) => slices
                .zip(black.par_chunks_mut(slice_len))
                .try_for_each(|((i, white), black)| one(level.start + i, white, Some(black))),
            None => slices.try_for_each(|(i, white)| one(level.start + i, white, None)),
        }
    }

    /// Solves one slice whose pawn moves lead to slices that `own` has.
    fn solve_slice<C: Storable>(
        &self,
        slice: usize,
        own: &View<'_>,
        white: &mut [C],
        mut black: Option<&mut [C]>,
        room: &mut Room,
    ) -> Result<(), Overflow> {
        let ground = Ground::new(self.layout, self.motion, slice);
        let Room { attacked, planes } = room;
        for side in Side::BOTH {
            attacked[side.index()].resize(ground.n_words(), 0);
            fill_attacked(&ground, side, &mut attacked[side.index()]);
        }
        mark_positions(&ground, &attacked[1], white);
        if let Some(black) = black.as_deref_mut() {
            mark_positions(&ground, &attacked[0], black);
        }
        let views = Views { own, others: &self.others };
        let captures = Side::BOTH.map(|side| Captures::gather(&ground, side, &self.others));
        let exits = Side::BOTH.map(|side| Exits::gather(self.variant, &ground, side, &views));
        let stalemate = self.variant.rules.stalemate;
        let facts = Facts { ground: &ground, attacked, captures: &captures, exits: &exits, stalemate };
        Pass::new(&facts, Side::White, planes).run(Some(&mut *white), black.as_deref_mut())?;
        Pass::new(&facts, Side::Black, planes).run(black, Some(white))
    }
}

/// What solving a slice needs room for; one a thread, used again.
#[derive(Debug, Default)]
struct Room {
    attacked: [Vec<u64>; 2],
    planes: Planes,
}

thread_local! {
    /// Taken while it is used: a thread that waits for others may be given another slice meanwhile.
    static ROOM: Cell<Option<Box<Room>>> = const { Cell::new(None) };
}

/// Codes that are widened before their memory is given back.
const WIDENED_CODES: usize = 1 << 22;

/// The first `n_done` codes with two bytes each, room for the rest.
///
/// From the end, giving back what is widened as it goes on, so that no more is needed than the wide codes take.
fn widened(mut codes: Vec<u8>, n_done: usize) -> Vec<u16> {
    let mut wide = vec![u16::ILLEGAL; codes.len()];
    let mut end = n_done;
    while end > 0 {
        codes.truncate(end);
        codes.shrink_to_fit();
        let start = (end - 1) / WIDENED_CODES * WIDENED_CODES;
        wide[start..end].par_iter_mut().zip(&codes[start..]).for_each(|(wide, code)| {
            *wide = u16::from_value(code.value()).expect("two bytes hold what one does");
        });
        end = start;
    }
    wide
}

/// Calls every position of a slice a draw for now, and everything else illegal.
fn mark_positions<C: Storable>(ground: &Ground<'_>, attacked: &[u64], codes: &mut [C]) {
    codes.fill(C::ILLEGAL);
    if attacked.len() < PARALLEL_WORDS {
        return store_where(ground, attacked, 0..ground.n_blocks(), codes, (C::DRAW, true));
    }
    codes.par_chunks_mut(ground.words_per_block() * ground.lane_len()).enumerate().for_each(
        |(block, codes)| {
            store_where(ground, attacked, block..block + 1, codes, (C::DRAW, true));
        },
    );
}
