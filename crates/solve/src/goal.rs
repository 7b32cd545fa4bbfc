//! Goals on the board: where a side has reached its goal, and what that means for who is to move.
//!
//! The side that has just moved and reached its goal has won. Where Black may answer White, White's arrival ends the
//! game only if no move of Black's leads to his own goal, and what it is worth is judged when White is to move again:
//!
//! ```text
//!   Black to move    White there                  lost, unless Black can get there
//!   White to move    both there                   drawn
//!                    White there, Black not       won: Black has not answered
//!                    Black there, White not       lost
//! ```

use crate::ground::Ground;
use crate::over::Over;
use kernel::Word;
use variant::Side;

/// A plane: where a man of `side` stands on its goal, whoever else does; nowhere if there is no goal.
pub(crate) fn standing<W: Word>(ground: &Ground<'_, W>, side: Side) -> Vec<W> {
    let mut plane = vec![W::ZERO; ground.n_words()];
    let Some(goal) = &ground.motion.law.goal else { return plane };
    let (men, squares) = (&goal.men[side.index()], goal.squares[side.index()]);
    let lane = ground.lane();
    let (in_frame, free): (Vec<usize>, Vec<usize>) =
        men.iter().partition(|&man| ground.frame().contains(man));
    for (block, words) in plane.chunks_exact_mut(ground.words_per_block()).enumerate() {
        let first = ground.word(block, 0);
        if in_frame.iter().any(|&man| squares.has(first.squares[man].index())) {
            words.fill(W::ONES);
        } else if !free.is_empty() {
            ground.for_each_word(block..block + 1, |_, number, word| {
                let there = |&man: &usize| match lane {
                    Some(lane) if lane == man => squares,
                    _ => W::when(squares.has(word.squares[man].index())),
                };
                let place = number - block * words.len();
                words[place] = free.iter().map(there).fold(W::ZERO, |sum, bits| sum | bits);
            });
        }
    }
    plane
}

/// Where the game is over for `stm` by a goal; what is no position has no meaning. `answers` says where Black, to move,
/// can reach his own.
pub(crate) fn add_goals<W: Word>(
    ground: &Ground<'_, W>,
    stm: Side,
    over: &mut Over<W>,
    answers: impl FnOnce() -> Vec<W>,
) {
    let Some(goal) = &ground.motion.law.goal else { return };
    let other = standing(ground, !stm);
    if !goal.is_answered {
        return over.add_lost(&other);
    }
    if stm == Side::White {
        let own = standing(ground, stm);
        let both: Vec<W> = own.iter().zip(&other).map(|(&own, &other)| own & other).collect();
        // Nobody has won where both are there; where it was over before, it stays so.
        over.add_drawn(&both);
        over.add_lost(&other);
        over.add_won(&own);
        return;
    }
    let unanswered: Vec<W> = other.iter().zip(&answers()).map(|(&other, &answer)| other & !answer).collect();
    over.add_lost(&unanswered);
}
