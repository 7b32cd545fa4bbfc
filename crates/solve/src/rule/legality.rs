//! Computes which placements are no positions with a side to move.
//!
//! ```text
//!   illegal (to move) = attacked (not to move)                     always
//!                     ∪ attacked (to move)                         where no move may give check
//!                     ∪ arrivals (to move)                         where a goal wins: it has won before
//! ```
//!
//! Source of the last: White who has reached his goal is to move again where Black had an answer.

use super::goal::Arrivals;
use crate::ground::{Attacked, Ground, fill_attacked};
use crate::law::Goal;
use crate::pool::Pool;
use kernel::Word;
use variant::Side;

/// A plane: the placements that are no positions with `stm` to move; none if they are just those in which the
/// other side is attacked. `own` has where men of `stm` stand on their goal, if there is one.
///
/// Placements in which men share a square have no meaning here.
pub(crate) fn illegal<W: Word>(
    ground: &Ground<'_, W>,
    stm: Side,
    attacked: &Attacked<'_, W>,
    own: Option<&Arrivals<W>>,
) -> Option<Vec<W>> {
    let law = &ground.law;
    let is_over_before = |goal: &&Goal<W>| !(goal.is_answered && stm == Side::White);
    let own = law.goal.as_ref().filter(is_over_before).and(own);
    if law.checking && own.is_none() {
        return None;
    }
    let planes = attacked.planes();
    let mut plane = planes[(!stm).index()].clone();
    if !law.checking {
        join(&mut plane, &planes[stm.index()]);
    }
    if let Some(own) = own {
        own.join_to(&mut plane);
    }
    Some(plane)
}

/// A plane: the placements that are no positions with `stm` to move, from the rules alone.
pub(crate) fn illegal_plane<W: Word>(ground: &Ground<'_, W>, stm: Side) -> Vec<W> {
    let mut attacked = [Vec::new(), Vec::new()];
    let needed = [Some(!stm), (!ground.law.checking).then_some(stm)];
    for side in needed.into_iter().flatten() {
        attacked[side.index()].resize(ground.n_words(), W::ZERO);
        fill_attacked(ground, side, &mut attacked[side.index()]);
    }
    let own = ground.law.goal.is_some().then(|| Arrivals::new(ground, stm));
    let rooms = Pool::default();
    match illegal(ground, stm, &Attacked::new(ground, Some(&attacked), &rooms), own.as_ref()) {
        Some(plane) => plane,
        None => std::mem::take(&mut attacked[(!stm).index()]),
    }
}

/// Adds another plane to a plane.
pub(crate) fn join<W: Word>(plane: &mut [W], other: &[W]) {
    plane.iter_mut().zip(other).for_each(|(word, &other)| *word |= other);
}
