//! Reads direction letters, which say which of an atom's steps a Betza term keeps.
//!
//! A *direction* here is one letter or a pair of letters. A pair is read where two neighbours belong
//! together: the same letter twice (`ff`), one of `f b v` beside one of `l r s`, or one with `h`. Letters
//! that do not pair stand alone. A term keeps the steps of all its directions together. What a direction
//! keeps depends on the atom:
//!
//! - orthogonal atoms (W D H): each letter keeps the step that way, pairs too (`fsW`: ahead and to both
//!   sides);
//! - diagonal atoms (F A G): a letter keeps two steps (`fF`), a crossed pair one of the four (`flF`);
//! - oblique atoms (N C Z): a letter keeps the two steps that go farthest that way, so `fN` is the same as
//!   `ffN` (the knight of shogi), `vN` the four tall and `sN` the four wide steps. In a crossed pair the
//!   second letter is the way in which the step goes farther: `flN` goes one forward and two left, `lfN` two
//!   forward and one left; `fsN` is `flN` with `frN`. `fhN` `bhN` `lhN` `rhN` keep the four steps of that
//!   half, `hrN` and `hlN` the four right-handed (turns of two forward, one right) and left-handed ones.

use crate::atom::Shape;
use geometry::Step;

/// The letters that may stand in a direction.
pub(crate) const LETTERS: &str = "fblrvsh";

/// One letter or a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Direction {
    pub(crate) first: char,
    pub(crate) second: Option<char>,
}

/// Splits a run of direction letters into directions, from the left.
pub(crate) fn split(letters: &[char]) -> Vec<Direction> {
    let mut directions = Vec::new();
    let mut rest = letters;
    while let [first, after @ ..] = rest {
        let second = after.first().copied().filter(|&second| pairs(*first, second));
        directions.push(Direction { first: *first, second });
        rest = if second.is_some() { &after[1..] } else { after };
    }
    directions
}

fn pairs(first: char, second: char) -> bool {
    let (vertical, horizontal) = (|c| "fbv".contains(c), |c| "lrs".contains(c));
    match (first, second) {
        ('h', 'h') => false,
        ('h', second) => "lr".contains(second),
        (first, 'h') => "fblr".contains(first),
        _ => {
            first == second || vertical(first) && horizontal(second) || horizontal(first) && vertical(second)
        }
    }
}

impl Direction {
    /// Whether the direction means anything for atoms of this shape.
    pub(crate) fn suits(self, shape: Shape) -> bool {
        let has_half = self.first == 'h' || self.second == Some('h');
        if shape == Shape::Oblique { !has_half || self.second.is_some() } else { !has_half }
    }

    /// Whether the direction keeps this step of an atom of this shape.
    pub(crate) fn keeps(self, shape: Shape, step: Step) -> bool {
        match (shape, self.second) {
            (Shape::Oblique, second) => self.keeps_oblique(second.unwrap_or(self.first), step),
            (Shape::Orthogonal, Some(second)) => leads(self.first, step) || leads(second, step),
            (Shape::Diagonal, Some(second)) => leads(self.first, step) && leads(second, step),
            (_, None) => leads(self.first, step),
        }
    }

    fn keeps_oblique(self, second: char, step: Step) -> bool {
        let is_tall = step.ranks.abs() > step.files.abs();
        // Turning (1, 2) keeps the sign of files × ranks for tall steps and changes it for wide ones.
        let is_right_handed = is_tall == (step.files.signum() == step.ranks.signum());
        match (self.first, second) {
            ('h', 'r') => is_right_handed,
            ('h', 'l') => !is_right_handed,
            (half, 'h') => leads(half, step),
            (first, second) => leads(first, step) && leads(second, step) && is_tall == "fbv".contains(second),
        }
    }
}

/// Whether the step goes the way of a single letter, however little.
fn leads(letter: char, step: Step) -> bool {
    match letter {
        'f' => step.ranks > 0,
        'b' => step.ranks < 0,
        'l' => step.files < 0,
        'r' => step.files > 0,
        'v' => step.ranks != 0,
        's' => step.files != 0,
        _ => false,
    }
}
