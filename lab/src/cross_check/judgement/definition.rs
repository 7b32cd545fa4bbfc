//! Names differences of definition: a rule that the judge means otherwise, with its source.

use super::{Judge, JudgedGame};
use position::{Outcome, Position, RuleBook};
use variant::Side;

/// The definition by which a position differs, with its source; none if it is a fault of one of the two.
pub(super) fn definition(
    game: &JudgedGame,
    book: &RuleBook,
    position: &Position,
    difference: &str,
) -> Option<&'static str> {
    let is_at_goal = || position.adjudication(book).is_some_and(|ending| ending.outcome == Outcome::Goal);
    match game.judge {
        Judge::PythonChess if difference == "legality: ours false, theirs legal" && is_at_goal() => Some(
            "a side that has reached its goal is never to move again, so the position is illegal here; \
             python-chess calls it legal and over (docs/variants.md, the order in which rules apply)",
        ),
        Judge::FairyStockfish if difference.starts_with("count: ") => Some(
            "makruk counts moves where little material is left; here the rules leave the count out \
             (variants/makruk.toml)",
        ),
        Judge::FairyStockfish if are_our_castlings(book, position, difference) => Some(
            "kings side by side shield each other also where one castles over an attacked square, or to one; \
             Fairy-Stockfish does not ask for the shield there (python-chess, AtomicBoard._attacked_for_king)",
        ),
        _ => None,
    }
}

/// Whether captures explode, the kings stand side by side before or after, and all moves that only one list
/// has are our castlings.
fn are_our_castlings(book: &RuleBook, position: &Position, difference: &str) -> bool {
    let only_ours = difference
        .strip_prefix("moves: only ours [")
        .and_then(|rest| rest.strip_suffix("], only theirs []"))
        .filter(|_| book.variant().rules.blast.is_some());
    only_ours.is_some_and(|ucis| {
        ucis.split(' ').all(|uci| position.parse_uci(book, uci).is_ok_and(|mv| mv.castling.is_some()))
            && is_beside_castling_ranks(book, position)
    })
}

/// Whether the king of the side that waits stands on the first or second rank of the side that moves, as it
/// has to where it is beside a king that castles.
fn is_beside_castling_ranks(book: &RuleBook, position: &Position) -> bool {
    let (variant, stm) = (book.variant(), position.stm());
    let ranks = variant.board.ranks();
    let is_near = |rank: usize| if stm == Side::White { rank < 2 } else { rank + 2 >= ranks };
    let mut others = position.men().filter(|(man, _)| man.side != stm && variant.is_royal(*man));
    others.any(|(_, square)| is_near(variant.board.rank_of(square)))
}
