//! Writes a movement in Betza notation.

use crate::atom::{ATOMS, Atom, Shape};
use crate::{Movement, RIDE, Ray, RayPath, atom};
use geometry::Step;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What the rays of one term have in common; the order is that of the terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TermKind {
    /// Circles last: `qN` and then `N` would be read as one letter doubled.
    is_circle: bool,
    /// Rides first, as people write them: `QN`.
    limit: Reverse<u8>,
    path: RayPath,
    mode: Mode,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Both,
    Quiet,
    Capture,
}

/// Directions of diagonal atoms to try, wide ones first.
const DIAGONAL: [&str; 8] = ["f", "b", "l", "r", "fl", "fr", "bl", "br"];

/// Directions of oblique atoms to try, wide ones first.
const OBLIQUE: [&str; 26] = [
    "fh", "bh", "lh", "rh", "v", "s", "hl", "hr", "f", "b", "l", "r", "fs", "bs", "lv", "rv", "fl", "fr",
    "bl", "br", "lf", "rf", "lb", "rb", "vl", "vr",
];

impl Movement {
    /// The movement in Betza notation; none if a step is no atom's (longer than three files or ranks, or no
    /// step), or if a ride goes round one way only, which the notation has no word for.
    ///
    /// What [`Movement::parse`] makes of the text is this movement again.
    #[must_use]
    pub fn to_betza(&self) -> Option<String> {
        if !self.rays().iter().all(|ray| self.has_word(ray)) {
            return None;
        }
        // A circle is spelled once for both ways round.
        let kinds = self.rays().iter().filter(|ray| ray.path != RayPath::CircularRight).map(kind);
        let kinds: BTreeSet<TermKind> = kinds.collect();
        let mut text = String::new();
        for &kind in &kinds {
            let is_whole = |atom: &Atom| self.steps(*atom, kind).len() == atom.steps().len();
            let (whole, parts): (Vec<Atom>, Vec<Atom>) = ATOMS.iter().partition(|atom| is_whole(atom));
            let compound = whole.starts_with(&ATOMS[..2]);
            if compound {
                text += &term("", if kind.limit.0 == 1 { 'K' } else { 'Q' }, kind);
            }
            for atom in whole.iter().skip(if compound { 2 } else { 0 }) {
                text += &term("", letter(*atom, kind), kind);
            }
            text.extend(parts.iter().map(|atom| self.part(*atom, kind)));
        }
        Some(text)
    }

    /// Whether the notation can say a ray of this movement.
    fn has_word(&self, ray: &Ray) -> bool {
        let other_way = match ray.path {
            RayPath::CircularLeft => RayPath::CircularRight,
            RayPath::CircularRight => RayPath::CircularLeft,
            path => path,
        };
        ATOMS.iter().any(|atom| atom.steps().contains(&ray.step))
            && self.rays().contains(&Ray { path: other_way, ..*ray })
    }

    /// The atom's steps that the movement has of this kind.
    fn steps(&self, atom: Atom, of: TermKind) -> BTreeSet<Step> {
        let steps = atom.steps();
        let rays = self.rays().iter().filter(|ray| kind(ray) == of && steps.contains(&ray.step));
        rays.map(|ray| ray.step).collect()
    }

    /// The terms for some of an atom's steps of one kind.
    fn part(&self, atom: Atom, kind: TermKind) -> String {
        let mut missing = self.steps(atom, kind);
        let letter = letter(atom, kind);
        let candidates: &[&str] = match atom.shape() {
            Shape::Orthogonal if missing.is_empty() => return String::new(),
            Shape::Orthogonal => return term(&orthogonal(&missing), letter, kind),
            Shape::Diagonal => &DIAGONAL,
            Shape::Oblique => &OBLIQUE,
        };
        let mut text = String::new();
        // Each direction gets a term of its own: letters of two directions side by side could pair.
        for directions in candidates {
            let kept: BTreeSet<Step> = kept(atom, directions);
            if kept.is_subset(&missing) {
                missing.retain(|step| !kept.contains(step));
                text += &term(directions, letter, kind);
            }
        }
        debug_assert!(missing.is_empty(), "{missing:?} of {atom:?} have no direction");
        text
    }
}

fn kind(ray: &Ray) -> TermKind {
    let mode = match (ray.quiet, ray.capture) {
        (true, false) => Mode::Quiet,
        (false, true) => Mode::Capture,
        _ => Mode::Both,
    };
    let is_circle = matches!(ray.path, RayPath::CircularLeft | RayPath::CircularRight);
    TermKind { is_circle, limit: Reverse(ray.limit), path: ray.path, mode }
}

fn letter(atom: Atom, kind: TermKind) -> char {
    match (atom.letter, kind.limit.0) {
        ('W', RIDE) => 'R',
        ('F', RIDE) => 'B',
        (letter, _) => letter,
    }
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
    let directions = atom::split(&letters.chars().collect::<Vec<_>>());
    let keeps = |step: &Step| directions.iter().any(|direction| direction.keeps(atom.shape(), *step));
    atom.steps().into_iter().filter(keeps).collect()
}

fn term(directions: &str, letter: char, kind: TermKind) -> String {
    let mode = match kind.mode {
        Mode::Both => "",
        Mode::Quiet => "m",
        Mode::Capture => "c",
    };
    let path = match kind.path {
        RayPath::Plain => "",
        RayPath::Lame => "n",
        RayPath::Cannon => "p",
        RayPath::Grasshopper => "g",
        RayPath::CircularLeft | RayPath::CircularRight => "q",
    };
    let range = match kind.limit.0 {
        1 => String::new(),
        RIDE if kind.is_circle || "RBQ".contains(letter) => String::new(),
        RIDE => "0".into(),
        n => n.to_string(),
    };
    format!("{directions}{mode}{path}{letter}{range}")
}
