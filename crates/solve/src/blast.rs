//! Captures that explode: who is gone after one, and what that leads to.
//!
//! A ghost still stands for the placement after the capture, but which placement, and of which material,
//! depends on who stands near: the table is chosen by the set of men that are gone. So ghosts are read one by
//! one, each with the set that its squares make.
//!
//! ```text
//!   gone = captor, victim, and of the others within one square all but pawns and immune men
//!   the captor's own royal man among them      no legal capture
//!   the other side's royal man among them      that side has lost, now
//! ```
//!
//! Royal men capture nobody, so they attack nobody; and nobody attacks one beside whom his own royal man
//! stands, who would go up with him.

use crate::ground::Ground;
use crate::motion::CompiledMan;
use crate::reach::Change;
use geometry::{Square, Step};
use index::{Layout, MAX_MEN};
use kernel::Word;
use std::collections::BTreeMap;
use table::{Ply, Value, View};
use variant::{Side, Variant};

/// What an explosion takes.
#[derive(Debug)]
pub(crate) struct Blast<W> {
    /// By square: those within one square of it.
    near: Vec<W>,
    /// By the layout's men: whether the man stays when something near explodes.
    stays: Vec<bool>,
}

impl<W: Word> Blast<W> {
    pub(crate) fn new(variant: &Variant, layout: &Layout, rules: &variant::Blast) -> Self {
        let board = layout.board();
        let around = (-1..=1).flat_map(|files| (-1..=1).map(move |ranks| Step { files, ranks }));
        let around: Vec<Step> = around.filter(|step| (step.files, step.ranks) != (0, 0)).collect();
        let near = |square: usize| {
            let to = |step: &Step| board.offset(Square::from_index(square), *step);
            around.iter().filter_map(to).fold(W::ZERO, |near, to| near | W::bit(to.index()))
        };
        let has = |square: &usize| board.has(Square::from_index(*square));
        let near = (0..layout.n_squares()).map(|s| if has(&s) { near(s) } else { W::ZERO }).collect();
        let stays = layout
            .men()
            .iter()
            .map(|man| variant.is_pawn(*man) || rules.immune.contains(&man.piece))
            .collect();
        Blast { near, stays }
    }

    /// Takes out of a plane the placements in which the two royal men stand near each other: there nobody
    /// attacks either.
    pub(crate) fn shield(&self, ground: &Ground<'_, W>, plane: &mut [W]) {
        let men = &ground.motion.men;
        let royal = |side| (0..men.len()).find(|&i| men[i].royal && men[i].man.side == side);
        let (Some(white), Some(black)) = (royal(Side::White), royal(Side::Black)) else { return };
        let lane = ground.lane();
        ground.for_each_word(0..ground.n_blocks(), |_, number, word| {
            let near = |man: usize| self.near[word.squares[man].index()];
            let shielded = match lane {
                Some(lane) if lane == white => near(black),
                Some(lane) if lane == black => near(white),
                _ if near(white).has(word.squares[black].index()) => W::ONES,
                _ => W::ZERO,
            };
            plane[number] &= !shielded;
        });
    }

    /// The men that are gone, as bits, after a capture on a square, all men's squares being known; the captor
    /// stands where he came from or on the square.
    fn gone(&self, squares: &[Square], captor: usize, victim: usize, on: Square) -> usize {
        let near = self.near[on.index()];
        let is_gone = |man: usize| {
            man == captor || man == victim || (near.has(squares[man].index()) && !self.stays[man])
        };
        (0..squares.len()).filter(|&man| is_gone(man)).fold(0, |gone, man| gone | 1 << man)
    }
}

/// The tables behind explosions.
pub(crate) struct Explosions<'v, W> {
    blast: &'v Blast<W>,
    men: &'v [CompiledMan<W>],
    /// By the men that are gone, as bits.
    views: Vec<Option<&'v View<'v>>>,
}

impl<'v, W: Word> Explosions<'v, W> {
    /// None where captures do not explode.
    pub(crate) fn new(ground: &Ground<'v, W>, views: &'v BTreeMap<Change, View<'v>>) -> Option<Self> {
        let blast = ground.motion.law.blast.as_ref()?;
        let men = &ground.motion.men;
        let view = |gone: usize| views.get(&Change { gone: gone as u16, promoted: None });
        Some(Explosions { blast, men, views: (0..1 << men.len()).map(view).collect() })
    }

    /// The value for the other side after a capture by a man on a square, all men's squares being known.
    pub(crate) fn value(&self, squares: &[Square], captor: usize, victim: usize, on: Square) -> Value {
        let gone = self.blast.gone(squares, captor, victim, on);
        let side = self.men[captor].man.side;
        let loses = |side: Side| {
            (0..self.men.len())
                .any(|i| gone >> i & 1 == 1 && self.men[i].royal && self.men[i].man.side == side)
        };
        if loses(side) {
            return Value::Illegal;
        }
        if loses(!side) {
            return Value::Loss(Ply(0));
        }
        let mut left = [Square::from_index(0); MAX_MEN];
        let mut n = 0;
        for (man, &square) in squares.iter().enumerate().filter(|(man, _)| gone >> man & 1 == 0) {
            debug_assert!(man < self.men.len(), "man {man} of {}", self.men.len());
            left[n] = square;
            n += 1;
        }
        self.views[gone].map_or(Value::Illegal, |view| view.value(!side, &left[..n]))
    }
}
