//! Where the game is over for who is to move, without any move.

use crate::illegal::join;
use kernel::Word;
use variant::Verdict;

/// The positions of one side to move in which the game is over.
///
/// Invariant: `lost` and `won` share no position, and `any` has them both; the rest of it is drawn.
#[derive(Debug)]
pub(crate) struct Over<W> {
    pub(crate) any: Vec<W>,
    pub(crate) lost: Vec<W>,
    /// Won without a move: that is claimed, which counts a ply.
    pub(crate) won: Vec<W>,
}

impl<W: Word> Over<W> {
    /// Nowhere, of planes of so many words.
    pub(crate) fn nowhere(n_words: usize) -> Self {
        let plane = || vec![W::ZERO; n_words];
        Over { any: plane(), lost: plane(), won: plane() }
    }

    /// Where the side to move has lost; what is over already stays as it is.
    pub(crate) fn add_lost(&mut self, plane: &[W]) {
        let lost = self.lost.iter_mut().zip(&self.any).zip(plane);
        lost.for_each(|((lost, &any), &new)| *lost |= new & !any);
        join(&mut self.any, plane);
    }

    /// Where the side to move has won; what is over already stays as it is.
    pub(crate) fn add_won(&mut self, plane: &[W]) {
        let won = self.won.iter_mut().zip(&self.any).zip(plane);
        won.for_each(|((won, &any), &new)| *won |= new & !any);
        join(&mut self.any, plane);
    }

    /// Where nobody has won; what is over already stays as it is.
    pub(crate) fn add_drawn(&mut self, plane: &[W]) {
        join(&mut self.any, plane);
    }

    /// The same as one of the two, for a verdict on the side to move.
    pub(crate) fn add(&mut self, plane: &[W], verdict: Verdict) {
        match verdict {
            Verdict::Loss => self.add_lost(plane),
            Verdict::Win => self.add_won(plane),
        }
    }

    /// Leaves out what is no position.
    pub(crate) fn keep(&mut self, positions: &[W]) {
        for plane in [&mut self.any, &mut self.lost, &mut self.won] {
            plane.iter_mut().zip(positions).for_each(|(word, &positions)| *word &= positions);
        }
    }
}
