//! One material: its slices in order, each solved by a pass for either attacker.

use crate::attack::attacked;
use crate::capture::Captures;
use crate::exit::{Exits, Views};
use crate::ground::Ground;
use crate::motion::Motion;
use crate::pass::{Facts, Overflow, Pass};
use crate::reach::{Change, Reach};
use crate::{Progress, SolveError};
use index::Layout;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Code, CodesRef, Lookup, Table, View};
use variant::{Side, Variant};

/// Solves a material with one byte a value, and again with two if one does not suffice.
pub(crate) fn solve_material(
    variant: &Variant,
    layout: Arc<Layout>,
    lookup: &dyn Lookup,
    progress: &dyn Progress,
    narrow: bool,
) -> Result<Table, SolveError> {
    let reach = Reach::new(variant, layout.men(), lookup)?;
    let motion = Motion::new(variant, &layout);
    let job = Job { variant, layout: &layout, motion: &motion, others: reach.views(), progress };
    if narrow && let Ok(codes) = job.solve::<u8>() {
        return Ok(into_table(layout, codes));
    }
    match job.solve::<u16>() {
        Ok(codes) => Ok(into_table(layout, codes)),
        Err(Overflow) => Err(SolveError::TooDeep {
            material: layout.material().name(variant),
            limit: u32::from(u16::MAX / 2 - 1),
        }),
    }
}

fn into_table<C: Code>(layout: Arc<Layout>, codes: [Option<Vec<C>>; 2]) -> Table {
    let [white, black] = codes.map(|codes| codes.map(C::owned));
    Table::new(layout, white.expect("White to move is always kept"), black)
}

struct Job<'a> {
    variant: &'a Variant,
    layout: &'a Layout,
    motion: &'a Motion,
    others: BTreeMap<Change, View<'a>>,
    progress: &'a dyn Progress,
}

impl Job<'_> {
    fn solve<C: Code>(&self) -> Result<[Option<Vec<C>>; 2], Overflow> {
        let layout = self.layout;
        let both = !layout.material().is_symmetric();
        let mut codes = [Some(vec![C::ILLEGAL; layout.len()]), both.then(|| vec![C::ILLEGAL; layout.len()])];
        let slice_len = layout.slice_len();
        let done = AtomicU64::new(0);
        for level in layout.levels() {
            let split = level.start * slice_len;
            let n_level = level.len() * slice_len;
            let [white, black] = &mut codes;
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
                self.solve_slice(slice, &own, white, black)?;
                let n = done.fetch_add(slice_len as u64, Ordering::Relaxed) + slice_len as u64;
                self.progress.placements_done(n, layout.len() as u64);
                Ok(())
            };
            let slices = white_new[..n_level].par_chunks_mut(slice_len).enumerate();
            match black_new {
                Some(black) => slices
                    .zip(black.par_chunks_mut(slice_len))
                    .try_for_each(|((i, white), black)| one(level.start + i, white, Some(black)))?,
                None => slices.try_for_each(|(i, white)| one(level.start + i, white, None))?,
            }
        }
        Ok(codes)
    }

    /// Solves one slice whose pawn moves lead to slices that `own` has.
    fn solve_slice<C: Code>(
        &self,
        slice: usize,
        own: &View<'_>,
        white: &mut [C],
        mut black: Option<&mut [C]>,
    ) -> Result<(), Overflow> {
        let ground = Ground::new(self.layout, self.motion, slice);
        let attacked = Side::BOTH.map(|side| attacked(&ground, side));
        mark_positions(&ground, &attacked[1], white);
        if let Some(black) = black.as_deref_mut() {
            mark_positions(&ground, &attacked[0], black);
        }
        let views = Views { own, others: &self.others };
        let captures = Side::BOTH.map(|side| Captures::gather(&ground, side, &self.others));
        let exits = Side::BOTH.map(|side| Exits::gather(self.variant, &ground, side, &views));
        let stalemate = self.variant.rules.stalemate;
        let facts =
            Facts { ground: &ground, attacked: &attacked, captures: &captures, exits: &exits, stalemate };
        Pass::new(&facts, Side::White).run(Some(&mut *white), black.as_deref_mut())?;
        Pass::new(&facts, Side::Black).run(black, Some(white))
    }
}

/// Calls every position of a slice a draw for now: men on squares of their own, and the royal man of the side not to
/// move not attacked.
fn mark_positions<C: Code>(ground: &Ground<'_>, attacked: &[u64], codes: &mut [C]) {
    let lane_len = ground.lane_len();
    ground.for_each_word(0..ground.layout.n_blocks(), |_, index, word| {
        let mut rest = ground.placements(&word) & !attacked[index];
        let row = &mut codes[index * lane_len..(index + 1) * lane_len];
        while rest != 0 {
            row[rest.trailing_zeros() as usize] = C::DRAW;
            rest &= rest - 1;
        }
    });
}
