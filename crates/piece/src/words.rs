//! Puts a movement into words: one sentence for all rays that do the same in different directions.
//!
//! The words are made of what a ray is, never of a piece's name: what it does there (moves, captures), how
//! far, which way, along which path. Steps to a neighbouring square have words of their own; others are
//! written `(2,1)`.

use crate::atom::Shape;
use crate::{Movement, RIDE, Ray, RayPath, atom};
use geometry::Step;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What the rays of one sentence have in common. A circle stands once for both ways round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RayBehaviour {
    limit: Reverse<u8>,
    path: RayPath,
    captures_only: bool,
    moves_only: bool,
}

/// The longer and the shorter side of a step.
type Sides = (u8, u8);

/// What letters keep of four steps along ranks and files, wide ones first.
const ORTHOGONAL: [(&str, &str); 5] =
    [("f", "forward"), ("b", "backward"), ("s", "sideways"), ("l", "to the left"), ("r", "to the right")];

/// What letters keep of four diagonal steps.
const DIAGONAL: [(&str, &str); 8] = [
    ("f", "forward"),
    ("b", "backward"),
    ("l", "to the left"),
    ("r", "to the right"),
    ("fl", "forward to the left"),
    ("fr", "forward to the right"),
    ("bl", "backward to the left"),
    ("br", "backward to the right"),
];

/// What letters keep of eight oblique steps.
const OBLIQUE: [(&str, &str); 12] = [
    ("fh", "forward"),
    ("bh", "backward"),
    ("lh", "to the left"),
    ("rh", "to the right"),
    ("v", "more forward or backward than sideways"),
    ("s", "more sideways than forward or backward"),
    ("hl", "to the left-handed four of its squares"),
    ("hr", "to the right-handed four of its squares"),
    ("f", "more forward than sideways"),
    ("b", "more backward than sideways"),
    ("fs", "forward and more sideways"),
    ("bs", "backward and more sideways"),
];

impl Movement {
    /// The movement in words, each a sentence without its subject, such as `moves and captures any distance
    /// along ranks and files`. Never empty; last comes whether it never goes back.
    #[must_use]
    pub fn in_words(&self) -> Vec<String> {
        if self.rays().is_empty() {
            return vec!["does not move".into()];
        }
        let mut kinds = BTreeMap::<RayBehaviour, BTreeMap<Sides, BTreeSet<Step>>>::new();
        for ray in self.rays() {
            let (files, ranks) = (ray.step.files.unsigned_abs(), ray.step.ranks.unsigned_abs());
            let sides = (files.max(ranks), files.min(ranks));
            kinds.entry(kind(ray)).or_default().entry(sides).or_default().insert(ray.step);
        }
        let mut words: Vec<String> = Vec::new();
        for (kind, mut steps) in kinds {
            let has_whole = |sides| steps.get(&sides).is_some_and(|steps| steps.len() == 4);
            if has_whole((1, 0)) && has_whole((1, 1)) {
                steps.retain(|&(long, _), _| long > 1);
                words.push(kind.sentence(&kind.slide("along ranks, files and diagonals")));
            }
            let ways = steps.iter().map(|(&sides, steps)| match sides {
                (1, _) => kind.slide(&place(sides, steps)),
                _ => kind.leap(sides, &place(sides, steps)),
            });
            words.extend(ways.map(|way| kind.sentence(&way)));
        }
        words.extend(self.no_way_back().map(String::from));
        words
    }

    /// That no ray leads backward, if that is so.
    fn no_way_back(&self) -> Option<&'static str> {
        // A circle has been everywhere after eight steps.
        let all = |leads: fn(i8) -> bool| {
            self.rays().iter().all(|ray| ray.legs().take(8).all(|leg| leads(leg.step.ranks)))
        };
        match (all(|ranks| ranks > 0), all(|ranks| ranks >= 0)) {
            (true, _) => Some("every move leads forward"),
            (_, true) => Some("never goes back"),
            _ => None,
        }
    }
}

fn kind(ray: &Ray) -> RayBehaviour {
    let path = if ray.path == RayPath::CircularRight { RayPath::CircularLeft } else { ray.path };
    RayBehaviour { limit: Reverse(ray.limit), path, captures_only: !ray.quiet, moves_only: !ray.capture }
}

impl RayBehaviour {
    fn sentence(self, way: &str) -> String {
        match self {
            RayBehaviour { captures_only: true, .. } => format!("captures {way}"),
            RayBehaviour { moves_only: true, .. } => format!("moves {way} without capturing"),
            _ => format!("moves and captures {way}"),
        }
    }

    /// A way over neighbouring squares.
    fn slide(self, place: &str) -> String {
        let within = match self.limit.0 {
            RIDE => String::new(),
            limit => format!(", at most {limit} squares away"),
        };
        match (self.path, self.limit.0) {
            (RayPath::Cannon, _) => format!("{place} over one man to any square behind him{within}"),
            (RayPath::Grasshopper, _) => {
                format!("{place} over one man to the square next behind him{within}")
            }
            (_, 1) => format!("one square {place}"),
            (_, RIDE) => format!("any distance {place}"),
            (_, limit) => format!("up to {limit} squares {place}"),
        }
    }

    /// A way over other squares, from one to the next by the same step.
    fn leap(self, (long, short): Sides, place: &str) -> String {
        let what = if self.path == RayPath::Lame { "step" } else { "leap" };
        let how_many = match self.limit.0 {
            1 => format!("by a ({long},{short}) {what}"),
            RIDE => format!("by any number of ({long},{short}) {what}s"),
            limit => format!("by up to {limit} ({long},{short}) {what}s"),
        };
        let place = if place.is_empty() { String::new() } else { format!(" {place}") };
        let one_way = if self.limit.0 > 1 { " in one direction" } else { "" };
        match self.path {
            RayPath::Plain => format!("{how_many}{one_way}{place}"),
            RayPath::Lame => format!("{how_many}{one_way}{place} if nothing is on the way"),
            RayPath::Cannon => format!("{how_many}{one_way}{place} over one man"),
            RayPath::Grasshopper => {
                format!("{how_many}{one_way}{place} over one man, the last being the one over him")
            }
            RayPath::CircularLeft | RayPath::CircularRight => {
                let place = if place.is_empty() { place } else { format!(", beginning{place}") };
                format!("{how_many} round a circle, either way{place}")
            }
        }
    }
}

/// Which of the steps with these sides there are; nothing if all are there and no word is needed.
fn place((long, short): Sides, steps: &BTreeSet<Step>) -> String {
    let shape = match short {
        0 => Shape::Orthogonal,
        _ if long == short => Shape::Diagonal,
        _ => Shape::Oblique,
    };
    let is_whole = steps.len() == if shape == Shape::Oblique { 8 } else { 4 };
    let (all, names): (&str, &[(&str, &str)]) = match shape {
        Shape::Orthogonal => ("along ranks and files", &ORTHOGONAL),
        Shape::Diagonal => ("diagonally", &DIAGONAL),
        Shape::Oblique => ("", &OBLIQUE),
    };
    if is_whole {
        return if long == 1 { all.into() } else { String::new() };
    }
    let mut missing = steps.clone();
    let mut parts: Vec<String> = Vec::new();
    for (letters, name) in names {
        let kept = kept((long, short), shape, letters);
        if !kept.is_empty() && kept.is_subset(&missing) {
            missing.retain(|step| !kept.contains(step));
            parts.push((*name).into());
        }
    }
    parts.extend(missing.iter().map(|step| one_step(*step)));
    let parts = parts.join(" and ");
    if shape == Shape::Diagonal { format!("diagonally {parts}") } else { parts }
}

/// The steps with these sides that direction letters keep.
fn kept((long, short): Sides, shape: Shape, letters: &str) -> BTreeSet<Step> {
    let directions = atom::split(&letters.chars().collect::<Vec<_>>());
    let [long, short] = [long, short].map(|side| i8::try_from(side).unwrap_or(i8::MAX));
    let turned = [(long, short), (short, long)].into_iter();
    let steps = turned
        .flat_map(|(files, ranks)| [(files, ranks), (-files, ranks), (files, -ranks), (-files, -ranks)]);
    let steps = steps.map(|(files, ranks)| Step::new(files, ranks));
    steps.filter(|&step| directions.iter().any(|direction| direction.keeps(shape, step))).collect()
}

fn one_step(step: Step) -> String {
    let sideways = if step.files < 0 { "left" } else { "right" };
    let straight = if step.ranks < 0 { "backward" } else { "forward" };
    format!("{} {straight} {} {sideways}", step.ranks.unsigned_abs(), step.files.unsigned_abs())
}
