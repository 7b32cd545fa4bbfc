//! Represents a movement: the steps a man may take, how often, and whether to move, to capture or both.

use geometry::{Step, Symmetry};

/// The limit of a ray that goes on until something stops it.
pub const RIDE: u8 = u8::MAX;

/// One step, repeated up to `limit` times, along a path of a certain kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ray {
    /// The step, from White's view; of a circular ride the first.
    pub step: Step,
    /// The most repetitions: 1 for a leap, [`RIDE`] for as far as the board goes.
    pub limit: u8,
    /// Whether the man may go to an empty square so.
    pub quiet: bool,
    /// Whether the man may capture so.
    pub capture: bool,
    /// What the squares on its way must be, and whether it turns.
    pub path: RayPath,
}

/// What the squares on the way of a ray must be, and whether the way turns.
///
/// A ray goes through squares; the man may end it on any of them where its path lets it *land*, if what
/// stands there suits the ray, and goes on while the square lets it *pass*.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum RayPath {
    /// Lands after every step; passes through empty squares. What lies within a step does not matter.
    #[default]
    Plain,
    /// As plain, but the squares within every step must be empty too: those of [`lame_way`].
    Lame,
    /// Must pass over one man, of either side, and lands anywhere behind it; passes through empty squares
    /// otherwise.
    Cannon,
    /// Must come to a man, of either side, through empty squares, and lands on the next square behind it.
    Grasshopper,
    /// As plain, each step being the one before turned by an eighth of a circle against the clock.
    CircularLeft,
    /// As circular to the left, with the clock.
    CircularRight,
}

/// One stage of a ray's way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leg {
    /// From the square before.
    pub step: Step,
    /// Whether it ends a repetition of the ray's step; otherwise it ends within one, on a square that must be
    /// empty.
    pub is_landing: bool,
}

impl Ray {
    /// The stages of the way from square to square, as far as the limit goes; where the board ends, or the
    /// way comes back to where it began, it ends before.
    pub fn legs(&self) -> impl Iterator<Item = Leg> + use<> {
        let ray = *self;
        let turned = move |step: &Step| match ray.path {
            RayPath::CircularLeft => Some(turned_left(*step)),
            RayPath::CircularRight => Some(turned_right(*step)),
            _ => Some(*step),
        };
        let steps = std::iter::successors(Some(self.step), turned).take(self.limit.into());
        steps.flat_map(move |step| {
            let within = if ray.path == RayPath::Lame { lame_way(step) } else { Vec::new() };
            let done = within.iter().fold(Step::new(0, 0), |sum, leg| sum.plus(*leg));
            let last = Leg { step: step.plus(done.reversed()), is_landing: true };
            within.into_iter().map(|step| Leg { step, is_landing: false }).chain([last])
        })
    }

    /// Whether the ray needs a man to jump over.
    #[must_use]
    pub fn is_hopper(&self) -> bool {
        matches!(self.path, RayPath::Cannon | RayPath::Grasshopper)
    }
}

/// The stages within a step at which a lame man can be stopped: it goes straight along the longer side until
/// the rest is a diagonal, then along the diagonal. The last stage is not among them.
///
/// A knight's step is stopped on the square next to it (the horse of xiangqi), an alfil's on the diagonal
/// between, a zebra's on either of two squares (the elephant of janggi).
#[must_use]
pub fn lame_way(step: Step) -> Vec<Step> {
    let (files, ranks) = (step.files.unsigned_abs(), step.ranks.unsigned_abs());
    let diagonal = Step::new(step.files.signum(), step.ranks.signum());
    let straight = if files > ranks { Step::new(diagonal.files, 0) } else { Step::new(0, diagonal.ranks) };
    let n_straight = usize::from(files.abs_diff(ranks));
    let n_stages = usize::from(files.max(ranks));
    let stages = (0..n_stages).map(|stage| if stage < n_straight { straight } else { diagonal });
    stages.take(n_stages.saturating_sub(1)).collect()
}

/// An oblique step turned by an eighth of a circle against the clock, as far as squares allow: the next of
/// its eight.
const fn turned_left(Step { files, ranks }: Step) -> Step {
    let is_wide = files.unsigned_abs() > ranks.unsigned_abs();
    match ((files > 0) == (ranks > 0), is_wide) {
        (true, true) => Step::new(ranks, files),
        (true, false) => Step::new(-files, ranks),
        (false, true) => Step::new(files, -ranks),
        (false, false) => Step::new(-ranks, -files),
    }
}

const fn turned_right(Step { files, ranks }: Step) -> Step {
    let turned = turned_left(Step::new(-files, ranks));
    Step::new(-turned.files, turned.ranks)
}

/// All rays of a man.
///
/// Invariant: in normal form. Sorted; no ray twice; for each step and path either one ray for both modes,
/// or at most one for quiet moves and one for captures (with different limits, or the other mode missing). A
/// path that makes no difference is plain: lame where nothing lies within the step, circular where there is
/// one step only, or the step is not oblique. Hoppers have a limit of 2 or more.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Movement {
    rays: Vec<Ray>,
}

impl Movement {
    /// The movement made of these rays, in any order, overlapping or not; brought to normal form.
    #[must_use]
    pub fn from_rays(rays: impl IntoIterator<Item = Ray>) -> Self {
        // The farthest quiet move and the farthest capture along each step say everything.
        let mut reach = std::collections::BTreeMap::<(Step, RayPath), (u8, u8)>::new();
        for ray in rays {
            let path = useful_path(&ray);
            let Some(limit) = useful_limit(path, ray.limit) else { continue };
            let (quiet, capture) = reach.entry((ray.step, path)).or_default();
            *quiet = (*quiet).max(if ray.quiet { limit } else { 0 });
            *capture = (*capture).max(if ray.capture { limit } else { 0 });
        }
        let mut rays = Vec::new();
        for ((step, path), (quiet, capture)) in reach {
            let ray = Ray { step, limit: quiet, quiet: true, capture: true, path };
            if quiet == capture && quiet > 0 {
                rays.push(ray);
                continue;
            }
            if quiet > 0 {
                rays.push(Ray { capture: false, ..ray });
            }
            if capture > 0 {
                rays.push(Ray { limit: capture, quiet: false, ..ray });
            }
        }
        Movement { rays }
    }

    /// The rays, in order.
    #[must_use]
    pub fn rays(&self) -> &[Ray] {
        &self.rays
    }

    /// What a symmetry of the board makes of the movement.
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Self {
        let path = |path| match path {
            RayPath::CircularLeft if symmetry.is_reflection() => RayPath::CircularRight,
            RayPath::CircularRight if symmetry.is_reflection() => RayPath::CircularLeft,
            path => path,
        };
        let transformed = |r: &Ray| Ray { step: symmetry.step(r.step), path: path(r.path), ..*r };
        Movement::from_rays(self.rays.iter().map(transformed))
    }

    /// Whether the symmetry leaves the movement as it is.
    #[must_use]
    pub fn is_preserved_by(&self, symmetry: Symmetry) -> bool {
        self.transformed(symmetry) == *self
    }
}

/// The path of a ray, or plain if that is the same.
fn useful_path(Ray { step, limit, path, .. }: &Ray) -> RayPath {
    let is_oblique =
        step.files != 0 && step.ranks != 0 && step.files.unsigned_abs() != step.ranks.unsigned_abs();
    match path {
        RayPath::Lame if lame_way(*step).is_empty() => RayPath::Plain,
        RayPath::CircularLeft | RayPath::CircularRight if *limit == 1 || !is_oblique => RayPath::Plain,
        path => *path,
    }
}

/// The limit of a ray as far as it makes a difference; none if the ray leads nowhere.
fn useful_limit(path: RayPath, limit: u8) -> Option<u8> {
    match (path, limit) {
        (_, 0) | (RayPath::Cannon | RayPath::Grasshopper, 1) => None,
        // After eight steps a circle is closed.
        (RayPath::CircularLeft | RayPath::CircularRight, 8..) => Some(RIDE),
        (_, limit) => Some(limit),
    }
}
