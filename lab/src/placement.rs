//! Throws men on random squares, for experiments that ask about any position of a material.

use geometry::Square;
use position::{Position, RuleBook};
use proof::Dice;
use variant::{Man, Side};

/// A position of these men, each on a square where he may stand; none if it is not legal.
pub(crate) fn random_position(
    book: &RuleBook,
    men: impl IntoIterator<Item = Man>,
    dice: &mut Dice,
) -> Option<Position> {
    let place = |man| {
        let squares: Vec<Square> = book.variant().zone(man).iter().collect();
        (man, *dice.pick(&squares))
    };
    let men: Vec<(Man, Square)> = men.into_iter().map(place).collect();
    Position::from_men(men, *dice.pick(&Side::BOTH)).filter(|position| position.is_legal(book))
}
