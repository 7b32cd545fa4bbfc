//! Holds the sets of one slice; a thread uses them again for the next.

use super::reading::Verdicts;
use crate::pool::Room;
use kernel::{Distinct, Word};

/// The sets of a slice, a word for each square of the row man.
#[derive(Default, Debug)]
pub(crate) struct DuelRoom<W: Word> {
    pub(super) placements: Vec<W>,
    /// By side: where its royal man is attacked.
    pub(super) attacked: [Vec<W>; 2],
    /// By side to move: the positions.
    pub(super) legal: [Vec<W>; 2],
    /// By the side that moves: what its pawn moves lead to.
    pub(super) pawns: [Moves<W>; 2],
    /// By the side that captures: the ghosts of what its royal man's captures lead to.
    pub(super) ghosts: [Moves<W>; 2],
    /// By side to move: what passes have found.
    pub(super) won: [Vec<W>; 2],
    pub(super) lost: [Vec<W>; 2],
    /// Draws without a legal move.
    pub(super) stuck: [Vec<W>; 2],
    /// Positions that may still become lost, and what they may escape to.
    pub(super) open: Vec<W>,
    pub(super) escape: Vec<W>,
    /// What is put together before moves are taken back, and what they come from.
    pub(super) sum: Vec<W>,
    pub(super) origins: Vec<W>,
    /// What is behind a move, and behind the answers en passant to it.
    pub(super) behind: Verdicts<W>,
    pub(super) answers: Verdicts<W>,
    pub(super) answer: Verdicts<W>,
    /// A set as a table has it.
    pub(super) image: Vec<W>,
    pub(super) distinct: Distinct<W>,
}

/// What moves of a side lead to: sets of the placements from which they go, or of ghosts.
#[derive(Default, Debug)]
pub(super) struct Moves<W> {
    /// A move is legal.
    pub(super) any: Vec<W>,
    /// One wins for the side that moves.
    pub(super) won: Vec<W>,
    /// One is legal and does not lose.
    pub(super) held: Vec<W>,
}

impl<W: Word> Moves<W> {
    fn reset(&mut self, n: usize) {
        [&mut self.any, &mut self.won, &mut self.held].into_iter().for_each(|set| empty(set, n));
    }
}

impl<W: Word> DuelRoom<W> {
    /// Makes room for a slice of so many words, with nothing in the sets that are added to.
    pub(super) fn reset(&mut self, n: usize) {
        let DuelRoom { placements, attacked, legal, open, escape, sum, origins, image, .. } = self;
        let written = [placements, open, escape, sum, origins, image].into_iter();
        written.chain(attacked).chain(legal).for_each(|set| set.resize(n, W::ZERO));
        [&mut self.behind, &mut self.answers, &mut self.answer].into_iter().for_each(|sets| sets.resize(n));
        self.pawns.iter_mut().chain(&mut self.ghosts).for_each(|moves| moves.reset(n));
        let found = self.won.iter_mut().chain(&mut self.lost).chain(&mut self.stuck);
        found.for_each(|set| empty(set, n));
    }
}

impl<W: Word> Room for DuelRoom<W> {
    /// Every slice resets it.
    fn tidy(&mut self) -> bool {
        true
    }
}

/// Makes a set of so many words empty.
fn empty<W: Word>(set: &mut Vec<W>, n: usize) {
    set.clear();
    set.resize(n, W::ZERO);
}
