//! Computes what a movement allows in the long run: the squares that a man reaches, whether he can lose a
//! move or go back, and the symmetries of the square that the movement keeps.
//!
//! Every way counts as free, every hurdle as present, and no capture as needed. So a man that reaches only
//! half of the squares here never reaches more.

use crate::{Movement, Ray, RayPath};
use geometry::{Step, Symmetry};
use std::collections::BTreeSet;

/// The files and ranks of the board on which a man shows how he gets about.
const SIDE: i8 = 8;

/// One way to make a move.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    to: Step,
    /// The man that is passed over.
    hurdle: Option<Step>,
    /// The squares that must be empty.
    empty: BTreeSet<Step>,
}

impl Movement {
    /// Those of the eight symmetries of the square that leave the movement as it is, the identity first.
    #[must_use]
    pub fn symmetries(&self) -> Vec<Symmetry> {
        (0..8).map(Symmetry::from_index).filter(|&symmetry| self.is_preserved_by(symmetry)).collect()
    }

    /// The symmetries in words.
    #[must_use]
    pub fn symmetries_in_words(&self) -> &'static str {
        let keeps = |symmetry: usize| self.is_preserved_by(Symmetry::from_index(symmetry));
        // Of a group these say all: the mirrors left-right and forward-backward, on both diagonals, the
        // turns.
        match (keeps(1), keeps(2), keeps(4), keeps(7), keeps(3), keeps(5)) {
            (true, true, true, ..) => "all eight symmetries of the square",
            (true, true, ..) => "the mirrors left-right and forward-backward, and the half turn",
            (_, _, true, true, ..) => "the mirrors on both diagonals, and the half turn",
            (true, ..) => "the left-right mirror only",
            (_, true, ..) => "the forward-backward mirror only",
            (_, _, true, ..) => "the mirror on the diagonal from a1 only",
            (_, _, _, true, ..) => "the mirror on the diagonal from h1 only",
            (.., true) => "the four turns, no mirror",
            (_, _, _, _, true, _) => "the half turn only",
            _ => "none",
        }
    }

    /// Whether he stays on squares of one colour.
    #[must_use]
    pub fn is_colour_bound(&self) -> bool {
        let is_even = |to: Step| (i16::from(to.files) + i16::from(to.ranks)) % 2 == 0;
        self.ways(|_| true).iter().all(|way| is_even(way.to))
    }

    /// How many of the 64 squares of a board of eight by eight he can come to at most, the one where he
    /// begins included.
    #[must_use]
    pub fn n_squares_of_64(&self) -> usize {
        let ways = self.ways(|_| true);
        squares()
            .map(|from| seen(from, &ways).into_iter().map(|(at, _)| at).collect::<BTreeSet<_>>().len())
            .max()
            .unwrap_or(0)
    }

    /// Whether he can be back where he was on a board of eight by eight after an odd number of moves.
    #[must_use]
    pub fn can_lose_a_move(&self) -> bool {
        let ways = self.ways(|_| true);
        squares().any(|from| seen(from, &ways).contains(&(from, true)))
    }

    /// Whether he can go straight back after each move without capture, if nothing else has changed.
    ///
    /// One-way men cannot, and neither can a lame man whose way back leads over another square, or a
    /// grasshopper, who comes from farther than he lands.
    #[must_use]
    pub fn can_take_back(&self) -> bool {
        let ways = self.ways(|ray| ray.quiet);
        ways.iter().map(Way::reversed).all(|back| {
            let fits = |way: &&Way| way.to == back.to && way.hurdle == back.hurdle;
            ways.iter().filter(fits).any(|way| way.empty.is_subset(&back.empty))
        })
    }

    /// The ways of these rays, as far as the board of eight by eight goes.
    fn ways(&self, of: impl Fn(&Ray) -> bool) -> BTreeSet<Way> {
        self.rays().iter().filter(|ray| of(ray)).flat_map(ways).collect()
    }
}

impl Way {
    /// The squares as seen from where the way ends.
    fn reversed(&self) -> Way {
        let back = self.to.reversed();
        Way {
            to: back,
            hurdle: self.hurdle.map(|at| at.plus(back)),
            empty: self.empty.iter().map(|at| at.plus(back)).collect(),
        }
    }

    /// Where the way ends, if all of it lies on the board.
    fn from(&self, from: Step) -> Option<Step> {
        let on_board = |at: &Step| {
            let at = from.plus(*at);
            (0..SIDE).contains(&at.files) && (0..SIDE).contains(&at.ranks)
        };
        self.empty.iter().chain([&self.to]).all(on_board).then(|| from.plus(self.to))
    }
}

/// The ways of one ray, as far as the board of eight by eight goes.
fn ways(ray: &Ray) -> Vec<Way> {
    let mut ways = Vec::new();
    let mut at = Step::new(0, 0);
    let mut passed = BTreeSet::new();
    let mut landings = Vec::new();
    let (mut files, mut ranks) = ((0, 0), (0, 0));
    for leg in ray.legs() {
        at = Step::new(at.files.saturating_add(leg.step.files), at.ranks.saturating_add(leg.step.ranks));
        files = (at.files.min(files.0), at.files.max(files.1));
        ranks = (at.ranks.min(ranks.0), at.ranks.max(ranks.1));
        let is_far = |(least, most): (i8, i8)| most.saturating_sub(least) >= SIDE;
        if is_far(files) || is_far(ranks) || at == Step::new(0, 0) {
            break;
        }
        if leg.is_landing {
            // Who hops does so over one of the squares before: which, the path says.
            let hurdles: &[Step] = match ray.path {
                RayPath::Cannon => &landings,
                RayPath::Grasshopper => &landings[landings.len().saturating_sub(1)..],
                _ => &[],
            };
            ways.extend(hurdles.iter().map(|hurdle| {
                let empty = passed.iter().copied().filter(|square| square != hurdle).collect();
                Way { to: at, hurdle: Some(*hurdle), empty }
            }));
            if !ray.is_hopper() {
                ways.push(Way { to: at, hurdle: None, empty: passed.clone() });
            }
            landings.push(at);
        }
        passed.insert(at);
    }
    ways
}

/// The squares of the board of eight by eight.
fn squares() -> impl Iterator<Item = Step> {
    (0..SIDE).flat_map(|ranks| (0..SIDE).map(move |files| Step::new(files, ranks)))
}

/// The squares to which moves lead from one, and whether after an odd number of them; that one after none.
fn seen(from: Step, ways: &BTreeSet<Way>) -> BTreeSet<(Step, bool)> {
    let mut seen = BTreeSet::from([(from, false)]);
    let mut open = vec![(from, false)];
    while let Some((at, is_odd)) = open.pop() {
        for to in ways.iter().filter_map(|way| way.from(at)) {
            if seen.insert((to, !is_odd)) {
                open.push((to, !is_odd));
            }
        }
    }
    seen
}
