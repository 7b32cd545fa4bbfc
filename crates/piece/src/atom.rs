//! Lists the letters of Betza notation: atoms, which stand for a step and its mirror images, and directions,
//! which say which of an atom's steps a term keeps.

use geometry::Step;

/// How the steps of an atom lie; it decides what direction letters mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// Along a file or rank: four steps, `f` is one of them.
    Orthogonal,
    /// Along a diagonal: four steps, `f` is two of them.
    Diagonal,
    /// Neither: eight steps, `f` is the two that are most forward.
    Oblique,
}

/// An elementary step up to symmetry; `long` is not smaller than `short`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Atom {
    pub(crate) letter: char,
    pub(crate) long: i8,
    pub(crate) short: i8,
}

/// The atoms in the order in which movements are spelled.
pub(crate) const ATOMS: [Atom; 9] = [
    Atom { letter: 'W', long: 1, short: 0 },
    Atom { letter: 'F', long: 1, short: 1 },
    Atom { letter: 'D', long: 2, short: 0 },
    Atom { letter: 'N', long: 2, short: 1 },
    Atom { letter: 'A', long: 2, short: 2 },
    Atom { letter: 'H', long: 3, short: 0 },
    Atom { letter: 'C', long: 3, short: 1 },
    Atom { letter: 'Z', long: 3, short: 2 },
    Atom { letter: 'G', long: 3, short: 3 },
];

impl Atom {
    /// How the atom's steps lie.
    pub(crate) fn shape(self) -> Shape {
        match self {
            Atom { short: 0, .. } => Shape::Orthogonal,
            Atom { long, short, .. } if long == short => Shape::Diagonal,
            _ => Shape::Oblique,
        }
    }

    /// All steps of the atom, in order.
    pub(crate) fn steps(self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (files, ranks) in [(self.long, self.short), (self.short, self.long)] {
            for (a, b) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                steps.push(Step::new(a * files, b * ranks));
            }
        }
        steps.sort_unstable();
        steps.dedup();
        steps
    }
}

/// What an upper-case letter stands for: its atoms, and whether they ride when no number says how far.
pub(crate) fn lettered(letter: char) -> Option<(&'static [Atom], bool)> {
    let [w, f] = [&ATOMS[..1], &ATOMS[1..2]];
    Some(match letter {
        'K' => (&ATOMS[..2], false),
        'Q' => (&ATOMS[..2], true),
        'R' => (w, true),
        'B' => (f, true),
        'L' => (&ATOMS[6..7], false),
        'J' => (&ATOMS[7..8], false),
        _ => {
            let at = ATOMS.iter().position(|atom| atom.letter == letter)?;
            (&ATOMS[at..=at], false)
        }
    })
}

/// How the ride of a letter's steps is written, as far as the board goes.
pub(crate) fn ridden(letter: char) -> String {
    match letter {
        'W' | 'R' => "R".into(),
        'F' | 'B' => "B".into(),
        'K' | 'Q' => "Q".into(),
        _ => format!("{letter}{letter}"),
    }
}

/// The letters that may stand in a direction.
pub(crate) const LETTERS: &str = "fblrvsh";

/// One letter or a pair.
///
/// A *direction* here is one letter or a pair of letters. A pair is read where two neighbours belong
/// together: the same letter twice (`ff`), one of `f b v` beside one of `l r s`, or one with `h`. Letters
/// that do not pair stand alone. A term keeps the steps of all its directions together. What a direction
/// keeps depends on the atom:
///
/// - orthogonal atoms (W D H): each letter keeps the step that way, pairs too (`fsW`: ahead and to both
///   sides);
/// - diagonal atoms (F A G): a letter keeps two steps (`fF`), a crossed pair one of the four (`flF`);
/// - oblique atoms (N C Z): a letter keeps the two steps that go farthest that way, so `fN` is the same as
///   `ffN` (the knight of shogi), `vN` the four tall and `sN` the four wide steps. In a crossed pair the
///   second letter is the way in which the step goes farther: `flN` goes one forward and two left, `lfN` two
///   forward and one left; `fsN` is `flN` with `frN`. `fhN` `bhN` `lhN` `rhN` keep the four steps of that
///   half, `hrN` and `hlN` the four right-handed (turns of two forward, one right) and left-handed ones.
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
