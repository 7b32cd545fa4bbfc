//! Finds the men who are gone after a capture that explodes.
//!
//! ```text
//!   gone = captor, victim, and of the others within one square all but pawns and immune men
//! ```

use geometry::{Square, Step};
use index::Layout;
use kernel::Word;
use variant::Variant;

/// The reach of explosions, and the men who outlast them.
#[derive(Debug)]
pub(crate) struct Blast<W> {
    /// By square: the squares within one of it.
    pub(crate) near: Vec<W>,
    /// By the layout's men: whether the man stays when something near explodes.
    stays: Vec<bool>,
}

impl<W: Word> Blast<W> {
    pub(super) fn new(variant: &Variant, layout: &Layout, rules: &variant::Blast) -> Self {
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

    /// The men that are gone, as bits, after a capture on a square, all men's squares being known; the captor
    /// stands where he came from or on the square.
    pub(crate) fn gone(&self, squares: &[Square], captor: usize, victim: usize, on: Square) -> usize {
        let near = self.near[on.index()];
        let is_gone = |man: usize| {
            man == captor || man == victim || (near.has(squares[man].index()) && !self.stays[man])
        };
        (0..squares.len()).filter(|&man| is_gone(man)).fold(0, |gone, man| gone | 1 << man)
    }
}
