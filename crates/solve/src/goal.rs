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

/// A plane: the placements in which a man of `side` stands on its goal. None of them where there is no goal.
pub(crate) fn reached<W: Word>(ground: &Ground<'_, W>, side: Side) -> Vec<W> {
    let mut plane = standing(ground, side);
    ground.for_each_word(0..ground.n_blocks(), |_, number, word| plane[number] &= ground.placements(&word));
    plane
}

/// The same with ghosts: where the man stands on his goal, whoever else does.
pub(crate) fn standing<W: Word>(ground: &Ground<'_, W>, side: Side) -> Vec<W> {
    let mut plane = vec![W::ZERO; ground.n_words()];
    let Some(goal) = &ground.motion.law.goal else { return plane };
    let (men, squares) = (&goal.men[side.index()], goal.squares[side.index()]);
    let lane = ground.lane();
    ground.for_each_word(0..ground.n_blocks(), |_, number, word| {
        let there = |&man: &usize| match lane {
            Some(lane) if lane == man => squares,
            _ if squares.has(word.squares[man].index()) => W::ONES,
            _ => W::ZERO,
        };
        plane[number] = men.iter().map(there).fold(W::ZERO, |sum, bits| sum | bits);
    });
    plane
}

/// Where the game is over for `stm` by a goal. `answers` says where Black, to move, can reach his own.
pub(crate) fn add_goals<W: Word>(
    ground: &Ground<'_, W>,
    stm: Side,
    over: &mut Over<W>,
    answers: impl FnOnce() -> Vec<W>,
) {
    let Some(goal) = &ground.motion.law.goal else { return };
    let other = reached(ground, !stm);
    if !goal.is_answered {
        return over.add_lost(&other);
    }
    if stm == Side::White {
        let own = reached(ground, stm);
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
