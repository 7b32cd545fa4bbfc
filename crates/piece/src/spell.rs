//! Writing a movement in Betza notation.

use crate::atom::{ATOMS, Atom, Shape};
use crate::direction;
use crate::{Movement, RIDE, Ray};
use geometry::Step;
use std::collections::BTreeSet;

/// How far and for what: what the rays of one term have in common.
type Manner = (u8, bool, bool);

/// Directions of diagonal atoms to try, wide ones first.
const DIAGONAL: [&str; 8] = ["f", "b", "l", "r", "fl", "fr", "bl", "br"];

/// Directions of oblique atoms to try, wide ones first.
const OBLIQUE: [&str; 26] = [
    "fh", "bh", "lh", "rh", "v", "s", "hl", "hr", "f", "b", "l", "r", "fs", "bs", "lv", "rv", "fl", "fr",
    "bl", "br", "lf", "rf", "lb", "rb", "vl", "vr",
];

impl Movement {
    /// The movement in Betza notation; none if a step is no atom's (longer than three files or ranks, or no step).
    ///
    /// What [`Movement::parse`] makes of the text is this movement again.
    #[must_use]
    pub fn to_betza(&self) -> Option<String> {
        let known = |step: Step| ATOMS.iter().any(|atom| atom.steps().contains(&step));
        if !self.rays().iter().all(|ray| known(ray.step)) {
            return None;
        }
        let manners: BTreeSet<Manner> = self.rays().iter().map(manner).collect();
        let mut text = String::new();
        for &manner in &manners {
            let whole = |atom: &Atom| self.steps(*atom, manner).len() == atom.steps().len();
            let both = whole(&ATOMS[0]) && whole(&ATOMS[1]);
            if both {
                text += &term("", if manner.0 == 1 { 'K' } else { 'Q' }, manner);
            }
            for atom in &ATOMS[if both { 2 } else { 0 }..] {
                text += &self.terms(*atom, manner);
            }
        }
        Some(text)
    }

    /// The atom's steps that the movement has in this manner.
    fn steps(&self, atom: Atom, of: Manner) -> BTreeSet<Step> {
        let steps = atom.steps();
        self.rays()
            .iter()
            .filter(|ray| manner(ray) == of && steps.contains(&ray.step))
            .map(|ray| ray.step)
            .collect()
    }

    /// The terms for one atom in one manner.
    fn terms(&self, atom: Atom, manner: Manner) -> String {
        let mut missing = self.steps(atom, manner);
        let letter = match (atom.letter, manner.0) {
            ('W', RIDE) => 'R',
            ('F', RIDE) => 'B',
            (letter, _) => letter,
        };
        if missing.len() == atom.steps().len() {
            return term("", letter, manner);
        }
        let candidates: &[&str] = match atom.shape() {
            Shape::Orthogonal if missing.is_empty() => return String::new(),
            Shape::Orthogonal => return term(&orthogonal(&missing), letter, manner),
            Shape::Diagonal => &DIAGONAL,
            Shape::Oblique => &OBLIQUE,
        };
        let mut text = String::new();
        // Each direction gets a term of its own: letters of two directions side by side could pair.
        for directions in candidates {
            let kept: BTreeSet<Step> = kept(atom, directions);
            if kept.is_subset(&missing) {
                missing.retain(|step| !kept.contains(step));
                text += &term(directions, letter, manner);
            }
        }
        debug_assert!(missing.is_empty(), "{missing:?} of {atom:?} have no direction");
        text
    }
}

fn manner(ray: &Ray) -> Manner {
    (ray.limit, ray.quiet, ray.capture)
}

/// The direction letters that keep exactly these steps of an orthogonal atom.
fn orthogonal(steps: &BTreeSet<Step>) -> String {
    let has =
        |files: i8, ranks: i8| steps.iter().any(|s| s.files.signum() == files && s.ranks.signum() == ranks);
    let mut letters = String::new();
    for (both, [(first, a), (second, b)]) in
        [('v', [('f', has(0, 1)), ('b', has(0, -1))]), ('s', [('l', has(-1, 0)), ('r', has(1, 0))])]
    {
        match (a, b) {
            (true, true) => letters.push(both),
            (true, false) => letters.push(first),
            (false, true) => letters.push(second),
            (false, false) => {}
        }
    }
    letters
}

fn kept(atom: Atom, letters: &str) -> BTreeSet<Step> {
    let directions = direction::split(&letters.chars().collect::<Vec<_>>());
    let keeps = |step: &Step| directions.iter().any(|direction| direction.keeps(atom.shape(), *step));
    atom.steps().into_iter().filter(keeps).collect()
}

fn term(directions: &str, letter: char, (limit, quiet, capture): Manner) -> String {
    let mode = match (quiet, capture) {
        (true, false) => "m",
        (false, true) => "c",
        _ => "",
    };
    let range = match limit {
        1 => String::new(),
        RIDE if "RBQ".contains(letter) => String::new(),
        RIDE => "0".into(),
        n => n.to_string(),
    };
    format!("{directions}{mode}{letter}{range}")
}
