//! Goals on the board: where a side has reached its goal, and what that means for who is to move.
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
//! Who reaches a goal is mostly a royal man, and he stands in the frame. So in nearly all blocks it is
//! everywhere or nowhere that somebody is there, and no plane says so.

use crate::ground::Ground;
use crate::over::Ended;
use kernel::Word;
use variant::{Side, Verdict};

/// Where a man of one side stands on its goal, whoever else does; nowhere if there is no goal.
#[derive(Debug)]
pub(crate) struct Standing<W> {
    /// By block: whether a man of the frame is there.
    in_frame: Vec<bool>,
    /// A plane: where a free man is there; none if they cannot reach it.
    free: Option<Vec<W>>,
    words_per_block: usize,
}

/// The part of a set in one block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a, W> {
    Nowhere,
    Everywhere,
    At(&'a [W]),
}

impl<W: Word> Standing<W> {
    pub(crate) fn new(ground: &Ground<'_, W>, side: Side) -> Self {
        let words_per_block = ground.words_per_block();
        let mut standing = Standing { in_frame: vec![false; ground.n_blocks()], free: None, words_per_block };
        let Some(goal) = &ground.motion.law.goal else { return standing };
        let (men, squares) = (&goal.men[side.index()], goal.squares[side.index()]);
        let lane = ground.lane();
        let (in_frame, free): (Vec<usize>, Vec<usize>) =
            men.iter().partition(|&man| ground.frame().contains(man));
        for (block, is_there) in standing.in_frame.iter_mut().enumerate() {
            *is_there = in_frame.iter().any(|&man| squares.has(ground.known_square(man, block)));
        }
        standing.free = (!free.is_empty()).then(|| {
            let mut plane = vec![W::ZERO; ground.n_words()];
            ground.for_each_word(0..ground.n_blocks(), |_, number, word| {
                let there = |&man: &usize| match lane {
                    Some(lane) if lane == man => squares,
                    _ => W::when(squares.has(word.squares[man].index())),
                };
                plane[number] = free.iter().map(there).fold(W::ZERO, |sum, bits| sum | bits);
            });
            plane
        });
        standing
    }

    /// Where it is so in a block.
    pub(crate) fn of(&self, block: usize) -> Part<'_, W> {
        let n = self.words_per_block;
        match &self.free {
            _ if self.in_frame[block] => Part::Everywhere,
            Some(plane) => Part::At(&plane[block * n..(block + 1) * n]),
            None => Part::Nowhere,
        }
    }

    /// Takes what is there into a plane.
    pub(crate) fn join_to(&self, plane: &mut [W]) {
        for (block, words) in plane.chunks_exact_mut(self.words_per_block).enumerate() {
            match self.of(block) {
                Part::Nowhere => {}
                part => words.iter_mut().enumerate().for_each(|(place, word)| *word |= part.word(place)),
            }
        }
    }
}

impl<W: Word> Part<'_, W> {
    /// The bits of a word of the block.
    #[inline]
    pub(crate) fn word(&self, place: usize) -> W {
        match self {
            Part::Nowhere => W::ZERO,
            Part::Everywhere => W::ONES,
            Part::At(words) => words[place],
        }
    }

    pub(crate) fn is_nowhere(&self) -> bool {
        matches!(self, Part::Nowhere)
    }
}

/// Where the game is over for `stm` by a goal in a block; what is no position has no meaning. `standing` has
/// by side who is there, and `answers` says where Black, to move, can reach his own.
pub(crate) fn add_goals<W: Word>(
    ground: &Ground<'_, W>,
    stm: Side,
    standing: [Part<'_, W>; 2],
    answers: Option<&[W]>,
    ended: &mut Ended<W>,
) {
    let Some(goal) = &ground.motion.law.goal else { return };
    let (own, other) = (standing[stm.index()], standing[(!stm).index()]);
    if !goal.is_answered {
        return ended.add(|place| other.word(place), Verdict::Loss);
    }
    if stm == Side::White {
        // Nobody has won where both are there; where it was over before, it stays so.
        ended.add_drawn(|place| own.word(place) & other.word(place));
        ended.add(|place| other.word(place), Verdict::Loss);
        ended.add(|place| own.word(place), Verdict::Win);
        return;
    }
    let answered = |place: usize| answers.map_or(W::ZERO, |answers| answers[place]);
    ended.add(|place| other.word(place) & !answered(place), Verdict::Loss);
}
