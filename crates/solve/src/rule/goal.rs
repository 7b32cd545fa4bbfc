//! Computes where a side has reached its goal, and what that means for the side to move.
//!
//! The side that has just moved and reached its goal has won. Where Black may answer White, White's arrival
//! ends the game only if no move of Black's leads to his own goal, and what it is worth is judged when White
//! is to move again:
//!
//! ```text
//!   Black to move    White there                  lost, unless Black can get there
//!   White to move    both there                   drawn
//!                    White there, Black not       won: Black has not answered
//!                    Black there, White not       lost
//! ```
//!
//! The man who reaches a goal is mostly royal, and he stands in the frame. So in nearly all blocks somebody
//! is there everywhere or nowhere, and no plane is needed.

use super::terminal::TerminalWords;
use crate::ground::Ground;
use index::{BlockId, BlockRange};
use kernel::Word;
use variant::{Side, Verdict};

/// The placements in which a man of one side stands on its goal; none if there is no goal.
#[derive(Debug)]
pub(crate) struct Arrivals<W> {
    /// By block: whether a man of the frame is there.
    in_frame: Vec<bool>,
    /// A plane: where a free man is there; none if they cannot reach it.
    free: Option<Vec<W>>,
    words_per_block: usize,
}

/// The placements of a set in one block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coverage<'a, W> {
    Nowhere,
    Everywhere,
    At(&'a [W]),
}

impl<W: Word> Arrivals<W> {
    pub(crate) fn new(ground: &Ground<'_, W>, side: Side) -> Self {
        let words_per_block = ground.words_per_block();
        let mut arrivals = Arrivals { in_frame: vec![false; ground.n_blocks()], free: None, words_per_block };
        let Some(goal) = &ground.law.goal else { return arrivals };
        let (men, squares) = (&goal.men[side.index()], goal.squares[side.index()]);
        let lane = ground.lane();
        let (in_frame, free): (Vec<usize>, Vec<usize>) =
            men.iter().partition(|&man| ground.frame().contains(man));
        for (block, is_there) in ground.blocks().zip(&mut arrivals.in_frame) {
            *is_there = in_frame.iter().any(|&man| squares.has(ground.known_square(man, block)));
        }
        arrivals.free = (!free.is_empty()).then(|| {
            let mut plane = vec![W::ZERO; ground.n_words()];
            ground.for_each_word(ground.blocks(), |_, number, word| {
                let there = |&man: &usize| match lane {
                    Some(lane) if lane == man => squares,
                    _ => W::when(squares.has(word.squares[man].index())),
                };
                plane[number] = free.iter().map(there).fold(W::ZERO, |sum, bits| sum | bits);
            });
            plane
        });
        arrivals
    }

    /// The arrivals in a block.
    pub(crate) fn of(&self, block: BlockId) -> Coverage<'_, W> {
        let n = self.words_per_block;
        match &self.free {
            _ if self.in_frame[block.index()] => Coverage::Everywhere,
            Some(plane) => Coverage::At(&plane[block.span(n)]),
            None => Coverage::Nowhere,
        }
    }

    /// Adds the arrivals to a plane.
    pub(crate) fn join_to(&self, plane: &mut [W]) {
        let blocks = BlockRange::new(0..self.in_frame.len());
        for (block, words) in blocks.zip(plane.chunks_exact_mut(self.words_per_block)) {
            match self.of(block) {
                Coverage::Nowhere => {}
                coverage => {
                    words.iter_mut().enumerate().for_each(|(place, word)| *word |= coverage.word(place))
                }
            }
        }
    }
}

impl<W: Word> Coverage<'_, W> {
    /// The bits of a word of the block.
    #[inline]
    pub(crate) fn word(&self, place: usize) -> W {
        match self {
            Coverage::Nowhere => W::ZERO,
            Coverage::Everywhere => W::ONES,
            Coverage::At(words) => words[place],
        }
    }

    pub(crate) fn is_nowhere(&self) -> bool {
        matches!(self, Coverage::Nowhere)
    }
}

/// Adds where the game is over for `stm` by a goal in a block; what is no position has no meaning. `arrivals`
/// are those of both sides in the block; in `answers` Black, to move, can reach his own goal.
pub(crate) fn add_goals<W: Word>(
    ground: &Ground<'_, W>,
    stm: Side,
    arrivals: [Coverage<'_, W>; 2],
    answers: Option<&[W]>,
    terminals: &mut TerminalWords<W>,
) {
    let Some(goal) = &ground.law.goal else { return };
    let (own, other) = (arrivals[stm.index()], arrivals[(!stm).index()]);
    if !goal.is_answered {
        return terminals.add(|place| other.word(place), Verdict::Loss);
    }
    if stm == Side::White {
        // Nobody has won where both are there; where it was over before, it stays so.
        terminals.add_drawn(|place| own.word(place) & other.word(place));
        terminals.add(|place| other.word(place), Verdict::Loss);
        terminals.add(|place| own.word(place), Verdict::Win);
        return;
    }
    let answered = |place: usize| answers.map_or(W::ZERO, |answers| answers[place]);
    terminals.add(|place| other.word(place) & !answered(place), Verdict::Loss);
}
