//! Draws a movement as text: the squares to which a man in the middle of a board may go.
//!
//! ```text
//!   . . . ↑ . . .
//!   . . . x . . .
//!   . . . x . . .
//!   ← x x O x x →      a rook
//!   . . . x . . .
//!   . . . x . . .
//!   . . . ↓ . . .
//! ```
//!
//! A mark says everything that may end on its square: whether to move, to capture or both, and in which
//! path. What has no letter of its own gets a digit, and below the picture stands what each mark means. An
//! arrow stands on the last square in the picture of a ray that goes on. A square where a lame man can be
//! stopped has a mark of its own unless he may end there too.

use crate::{Movement, Ray, RayPath};
use geometry::Step;
use std::collections::{BTreeMap, BTreeSet};

/// The least and the most squares that the picture has on each side of the man.
const RADII: (i8, i8) = (3, 7);

/// The man himself.
const MAN: char = 'O';
const NOTHING: char = '.';
const WITHIN: char = ':';

/// How a square is reached without capture, and how with one. A circle stands once for both ways round.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Reach {
    quiet: BTreeSet<RayPath>,
    capture: BTreeSet<RayPath>,
}

impl Movement {
    /// The movement as a picture, forward being up, with what its marks mean; each line ends with a line
    /// break.
    ///
    /// Shape: 7 × 7 squares, or more up to 15 × 15 where that shows all leaps, and of each ride two steps
    /// beside the first one.
    #[must_use]
    pub fn diagram(&self) -> String {
        let radius = radius(self.rays());
        let picture = Picture::new(self.rays(), radius);
        let marks = picture.marks();
        let mut text = String::new();
        for ranks in (-radius..=radius).rev() {
            let row = (-radius..=radius).map(|files| picture.mark(Step::new(files, ranks), &marks));
            text += &row.map(String::from).collect::<Vec<_>>().join(" ");
            text.push('\n');
        }
        text + &picture.legend(&marks)
    }
}

/// What is seen of the rays.
struct Picture {
    reached: BTreeMap<Step, Reach>,
    /// Where a ray goes on beyond the picture, and which way.
    arrows: BTreeMap<Step, char>,
    /// Where a lame man can be stopped.
    within: BTreeSet<Step>,
}

impl Picture {
    fn new(rays: &[Ray], radius: i8) -> Self {
        let mut picture =
            Picture { reached: BTreeMap::new(), arrows: BTreeMap::new(), within: BTreeSet::new() };
        for ray in rays {
            picture.draw(ray, radius);
        }
        picture
    }

    fn draw(&mut self, ray: &Ray, radius: i8) {
        let is_seen =
            |at: Step| at.files.unsigned_abs().max(at.ranks.unsigned_abs()) <= radius.unsigned_abs();
        let (mut at, mut last) = (Step::new(0, 0), None);
        let mut n_landings = 0;
        for leg in ray.legs() {
            at = at.plus(leg.step);
            if at == Step::new(0, 0) {
                return;
            }
            if !is_seen(at) {
                if let Some((last, step)) = last {
                    self.arrows.insert(last, arrow(step));
                }
                return;
            }
            if !leg.is_landing {
                self.within.insert(at);
                continue;
            }
            n_landings += 1;
            // A hopper's first square can only be that of the man it passes over.
            if ray.is_hopper() && n_landings == 1 {
                continue;
            }
            last = Some((at, leg.step));
            let reach = self.reached.entry(at).or_default();
            let path = if ray.path == RayPath::CircularRight { RayPath::CircularLeft } else { ray.path };
            if ray.quiet {
                reach.quiet.insert(path);
            }
            if ray.capture {
                reach.capture.insert(path);
            }
        }
    }

    /// The mark of each way to reach a square; an arrow where there is nothing else to be seen of it.
    fn marks(&self) -> BTreeMap<&Reach, char> {
        let mut marks = BTreeMap::new();
        let mut digits = '1'..='9';
        let (hidden, seen): (Vec<_>, Vec<_>) =
            self.reached.iter().partition(|(at, _)| self.arrows.contains_key(at));
        for reach in seen.into_iter().map(|(_, reach)| reach).collect::<BTreeSet<_>>() {
            marks.insert(reach, reach.letter().unwrap_or_else(|| digits.next().unwrap_or('?')));
        }
        for (at, reach) in hidden {
            marks.entry(reach).or_insert(self.arrows[at]);
        }
        marks
    }

    fn mark(&self, at: Step, marks: &BTreeMap<&Reach, char>) -> char {
        if at == Step::new(0, 0) {
            return MAN;
        }
        let arrow = self.arrows.get(&at).copied();
        let mark = || self.reached.get(&at).and_then(|reach| marks.get(reach)).copied();
        let within = || self.within.contains(&at).then_some(WITHIN);
        arrow.or_else(mark).or_else(within).unwrap_or(NOTHING)
    }

    fn legend(&self, marks: &BTreeMap<&Reach, char>) -> String {
        let mut lines: Vec<String> =
            marks.iter().map(|(reach, mark)| format!("{mark} {}", reach.meaning())).collect();
        lines.sort();
        if self.within.iter().any(|at| !self.reached.contains_key(at)) {
            lines.push(format!("{WITHIN} must be empty for a lame move across it"));
        }
        if !self.arrows.is_empty() {
            lines.push("arrows: and so on in the same way".into());
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

impl Reach {
    /// The letter of what is common.
    fn letter(&self) -> Option<char> {
        let only = |paths: &BTreeSet<RayPath>| match paths.len() {
            1 => paths.first().copied(),
            _ => None,
        };
        match (only(&self.quiet), only(&self.capture)) {
            (Some(RayPath::Plain), None) if self.capture.is_empty() => Some('m'),
            (None, Some(RayPath::Plain)) if self.quiet.is_empty() => Some('c'),
            (Some(quiet), Some(capture)) if quiet == capture => Some(match quiet {
                RayPath::Plain => 'x',
                RayPath::Lame => 'n',
                RayPath::Cannon => 'p',
                RayPath::Grasshopper => 'g',
                RayPath::CircularLeft | RayPath::CircularRight => 'q',
            }),
            _ => None,
        }
    }

    fn meaning(&self) -> String {
        let ways = |paths: &BTreeSet<RayPath>| {
            let ways = paths.iter().map(|path| match path {
                RayPath::Plain => "",
                RayPath::Lame => " if nothing is on the way",
                RayPath::Cannon => " over one man to any square behind him",
                RayPath::Grasshopper => " over one man to the square next behind him",
                RayPath::CircularLeft | RayPath::CircularRight => " going round",
            });
            ways.map(|way| if paths.len() > 1 && way.is_empty() { " directly" } else { way })
                .collect::<Vec<_>>()
                .join(" or")
        };
        match (self.quiet.is_empty(), self.capture.is_empty()) {
            (false, true) => format!("moves{} without capturing", ways(&self.quiet)),
            (true, _) => format!("captures{} and does not move so", ways(&self.capture)),
            _ if self.quiet == self.capture => format!("moves and captures{}", ways(&self.quiet)),
            _ => format!("moves{}; captures{}", ways(&self.quiet), ways(&self.capture)),
        }
    }
}

/// How many squares of the board are shown on each side.
fn radius(rays: &[Ray]) -> i8 {
    let length = |ray: &Ray| ray.step.files.unsigned_abs().max(ray.step.ranks.unsigned_abs());
    let is_long = |ray: &Ray| u16::from(ray.limit) * u16::from(length(ray)) > 7;
    let reach = |ray: &Ray| match ray.path {
        // So far the knight's circle goes, and to its second landing a hopper.
        RayPath::CircularLeft | RayPath::CircularRight | RayPath::Cannon | RayPath::Grasshopper => {
            length(ray).saturating_mul(ray.limit.min(3))
        }
        _ if ray.limit == 1 || !is_long(ray) => length(ray).saturating_mul(ray.limit),
        _ => length(ray).saturating_mul(2),
    };
    let widest = rays.iter().map(reach).max().unwrap_or(0);
    // A leap on the last square would be hidden by the arrow of a ride.
    let goes_on = rays.iter().any(|ray| ray.limit > 1 && is_long(ray));
    let leap = rays.iter().filter(|ray| ray.limit == 1).map(length).max().unwrap_or(0);
    let widest = widest.max(if goes_on { leap.saturating_add(1) } else { leap });
    i8::try_from(widest).unwrap_or(i8::MAX).clamp(RADII.0, RADII.1)
}

fn arrow(step: Step) -> char {
    match (step.files.signum(), step.ranks.signum()) {
        (0, 1) => '↑',
        (1, 1) => '↗',
        (1, 0) => '→',
        (1, -1) => '↘',
        (0, -1) => '↓',
        (-1, -1) => '↙',
        (-1, 0) => '←',
        _ => '↖',
    }
}
