//! Makes random movements: one to three kinds of step, each with its own path, length, directions and mode.

use super::dice::Dice;
use geometry::Step;
use piece::{Movement, RIDE, Ray, RayPath};
use variant::Piece;

/// What may come up in a random game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kinds {
    /// Leaps and rides on whole rectangles.
    Plain,
    /// Everything.
    All,
}

/// One step to any side.
pub(super) fn king() -> Movement {
    let rays = [(1, 0), (1, 1)].into_iter().flat_map(|(files, ranks)| turned(files, ranks));
    Movement::from_rays(rays.map(|step| Ray {
        step,
        limit: 1,
        quiet: true,
        capture: true,
        path: RayPath::Plain,
    }))
}

/// How a man moves.
pub(super) fn movement(dice: &mut Dice, kinds: Kinds) -> Movement {
    let mut rays = Vec::new();
    for _ in 0..1 + dice.below(3) {
        if kinds == Kinds::All && dice.chance(50) {
            special(dice, &mut rays);
            continue;
        }
        let &(files, ranks) =
            dice.pick(&[(1, 0), (1, 0), (1, 1), (1, 1), (2, 1), (2, 1), (2, 0), (2, 2), (3, 1)]);
        let limit = *dice.pick(&[1, 1, 1, 1, 1, RIDE, RIDE, RIDE, 2, 3]);
        add(dice, &mut rays, (files, ranks), limit, &[RayPath::Plain]);
    }
    Movement::from_rays(rays)
}

/// Adds rays that need more than empty squares after each step, or that go in circles.
fn special(dice: &mut Dice, rays: &mut Vec<Ray>) {
    match dice.below(10) {
        0..3 => {
            let step = *dice.pick(&[(2, 1), (2, 1), (2, 0), (2, 2), (3, 0), (3, 1), (3, 2)]);
            let limit = *dice.pick(&[1, 1, 1, RIDE, 2]);
            add(dice, rays, step, limit, &[RayPath::Lame]);
        }
        3..8 => {
            let path = *dice.pick(&[RayPath::Cannon, RayPath::Grasshopper]);
            let step = *dice.pick(&[(1, 0), (1, 0), (1, 1), (1, 1), (2, 1), (2, 0)]);
            let limit = *dice.pick(&[RIDE, RIDE, RIDE, 2, 3, 4]);
            add(dice, rays, step, limit, &[path]);
        }
        _ => {
            let step = *dice.pick(&[(2, 1), (2, 1), (3, 1)]);
            let limit = *dice.pick(&[RIDE, RIDE, 2, 3, 5]);
            let both = [RayPath::CircularLeft, RayPath::CircularRight];
            let paths = *dice.pick(&[&both[..], &both[..1], &both[1..]]);
            add(dice, rays, step, limit, paths);
        }
    }
}

/// Adds the rays of one kind of step: in all directions or some, to move, to capture or both.
fn add(dice: &mut Dice, rays: &mut Vec<Ray>, (files, ranks): (i8, i8), limit: u8, paths: &[RayPath]) {
    let (quiet, capture) = mode(dice);
    let all = turned(files, ranks);
    let some = random_steps(dice, &all);
    let steps = if dice.chance(65) { &all } else { &some };
    for &path in paths {
        rays.extend(steps.iter().map(|&step| Ray { step, limit, quiet, capture, path }));
    }
}

fn mode(dice: &mut Dice) -> (bool, bool) {
    *dice.pick(&[(true, true), (true, true), (true, true), (true, true), (true, false), (false, true)])
}

/// All directions to which a step can be turned and mirrored.
fn turned(files: i8, ranks: i8) -> Vec<Step> {
    let mut steps: Vec<Step> = [(files, ranks), (ranks, files)]
        .into_iter()
        .flat_map(|(f, r)| [(f, r), (-f, r), (f, -r), (-f, -r)])
        .map(|(f, r)| Step::new(f, r))
        .collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// Some of these steps, at least one.
pub(super) fn random_steps(dice: &mut Dice, steps: &[Step]) -> Vec<Step> {
    let sure = dice.below(steps.len());
    let chosen = |(i, &step): (usize, &Step)| (i == sure || dice.chance(40)).then_some(step);
    steps.iter().enumerate().filter_map(chosen).collect()
}

/// A piece that moves like this.
pub(super) fn piece(letter: char, movement: Movement) -> Piece {
    Piece { letter, name: format!("random {letter}"), movement, royal: false, pawn: None }
}
