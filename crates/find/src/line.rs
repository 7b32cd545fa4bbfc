//! Follows the main line of a position, and counts how long its winner has no choice.

use position::Position;
use probe::{ProbeError, RatedMove, Tablebase};

/// Longer lines of only moves are not counted to their end; none so long is known.
const MAX_MOVES: u32 = 1000;

/// How many moves in a row the winner has to find that alone win, the other side holding out as long as it
/// can; 0 if the side to move does not win.
pub(crate) fn only_moves_in_a_row(tables: &Tablebase, mut position: Position) -> Result<u32, ProbeError> {
    let mut n_moves = 0;
    while n_moves < MAX_MOVES {
        let moves = tables.moves(&position)?;
        let Some(only) = only_winning(&moves) else { return Ok(n_moves) };
        n_moves += 1;
        position = position.play(only.mv);
        let Some(reply) = tables.moves(&position)?.into_iter().next() else { return Ok(n_moves) };
        position = position.play(reply.mv);
    }
    Ok(n_moves)
}

/// The move that alone wins; none if none or several do.
pub(crate) fn only_winning(moves: &[RatedMove]) -> Option<&RatedMove> {
    let mut winning = moves.iter().filter(|rated| rated.value.wdl() == Some(1) && !rated.is_cursed);
    let first = winning.next()?;
    winning.next().is_none().then_some(first)
}
