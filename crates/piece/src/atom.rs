//! Lists the atoms of Betza notation: upper-case letters that stand for a step and its mirror images.

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
