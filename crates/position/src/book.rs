//! Builds the rule book: a variant with every man's ways over its board listed once.
//!
//! A way is the list of squares that one ray of a man leads over, nearest first, from one square: on which of
//! them it may end, and whether a man must be jumped over before. All that is left to a position is to walk
//! the lists and see who stands there. The book does not depend on where men stand.

use geometry::{Board, Square, SquareSet, Step};
use piece::{Movement, Ray, RayPath};
use variant::{Blast, Man, PawnRules, PieceId, Variant};

/// A variant, and for each man and square the ways that lead from it.
#[derive(Clone, Debug)]
pub struct RuleBook {
    variant: Variant,
    /// White's men in declared order, then Black's.
    men: Vec<ManBook>,
    /// The squares around each square, as far as the board has them: what an explosion there reaches.
    pub(crate) around: Vec<SquareSet>,
    /// The pieces that go like bishops and those that go like knights, where these cannot mate.
    pub(crate) minors: [Vec<PieceId>; 2],
}

/// What one man may do from each square.
#[derive(Clone, Debug)]
pub(crate) struct ManBook {
    pub(crate) royal: bool,
    /// Whether an explosion beside it takes the man away.
    pub(crate) is_fragile: bool,
    /// Whether it wins where a place wins.
    pub(crate) wins_on_goal: bool,
    /// The ways from each square; missing squares have none.
    pub(crate) ways: Vec<Vec<Way>>,
    /// The squares on which the man could capture from each square if nothing stood between: most men attack
    /// nothing of interest, and this set says so at once.
    pub(crate) reach: Vec<SquareSet>,
    pub(crate) pawn: Option<PawnBook>,
}

/// The squares along one ray, nearest first; the square it starts from is not among them.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) quiet: bool,
    pub(crate) capture: bool,
    pub(crate) hurdle: Hurdle,
    pub(crate) stages: Vec<Stage>,
}

/// One square of a way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    pub(crate) square: Square,
    /// Whether the man may end here; otherwise the square must be empty for him to go on.
    pub(crate) is_landing: bool,
}

/// What must stand on the way before its last square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hurdle {
    /// Nothing.
    None,
    /// Exactly one man, of either side, anywhere.
    Anywhere,
    /// Exactly one man, of either side, on the square just before the last.
    JustBefore,
}

/// What only pawns do.
#[derive(Clone, Debug)]
pub(crate) struct PawnBook {
    pub(crate) zone: SquareSet,
    pub(crate) promotion: SquareSet,
    pub(crate) promotes_to: Vec<PieceId>,
    pub(crate) en_passant: bool,
    pub(crate) double_steps: Vec<DoubleStep>,
}

/// A quiet step taken twice.
#[derive(Clone, Debug)]
pub(crate) struct DoubleStep {
    pub(crate) from: Square,
    pub(crate) passed: Square,
    pub(crate) to: Square,
    /// Every square before the last: the passed one, and those within the steps of a lame pawn.
    pub(crate) between: SquareSet,
}

impl RuleBook {
    /// The book of this variant.
    #[must_use]
    pub fn new(variant: &Variant) -> Self {
        let men = variant::Side::BOTH
            .into_iter()
            .flat_map(|side| variant.piece_ids().map(move |piece| Man { side, piece }))
            .map(|man| ManBook::new(variant, man))
            .collect();
        let around = (0..variant.board.n_squares()).map(|i| around(&variant.board, Square::from_index(i)));
        let (around, minors) = (around.collect(), minor_pieces(variant));
        RuleBook { variant: variant.clone(), men, around, minors }
    }

    /// The variant of the book.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Returns the squares on which a man on `from` could capture any man that stands there, if men stand on
    /// the squares `occupied`.
    #[must_use]
    pub fn attacked(&self, man: Man, from: Square, occupied: SquareSet) -> SquareSet {
        let ways = self.man(man).ways[from.index()].iter().filter(|way| way.capture);
        let open = |way: &Way| -> SquareSet {
            let landings =
                (0..way.stages.len()).filter(|&at| way.is_open(at, |square| occupied.contains(square)));
            landings.map(|at| way.stages[at].square).collect()
        };
        ways.fold(SquareSet::EMPTY, |attacked, way| attacked.union(open(way)))
    }

    /// Whether a man may go from one square to another without a capture if no man stands between.
    pub(crate) fn may_step(&self, man: Man, from: Square, to: Square) -> bool {
        self.man(man).ways[from.index()].iter().any(|way| way.quiet && way.leads_to(to, |_| false))
    }

    pub(crate) fn man(&self, man: Man) -> &ManBook {
        &self.men[man.side.index() * self.variant.pieces.len() + man.piece.0 as usize]
    }
}

/// The pieces that go like bishops and those that go like knights, of a game in which neither can mate.
fn minor_pieces(variant: &Variant) -> [Vec<PieceId>; 2] {
    let goes_like =
        |id: PieceId, betza: &str| Movement::parse(betza).ok().as_ref() == Some(&variant.piece(id).movement);
    let (board, royal) = (&variant.board, variant.only_royal());
    let is_plain = board.holes().is_empty() && !board.is_cylinder() && variant.rules.is_won_by_mate_only();
    let is_plain = is_plain && variant.rules.pseudo_royal.is_none();
    let is_plain = is_plain && variant.pieces.iter().all(|piece| piece.regions == [None; 2]);
    if !is_plain || !variant.has_one_royal_each() || !royal.is_some_and(|royal| goes_like(royal, "K")) {
        return [Vec::new(), Vec::new()];
    }
    ["B", "N"].map(|betza| {
        let is_like =
            |id: &PieceId| variant.piece(*id).pawn.is_none() && Some(*id) != royal && goes_like(*id, betza);
        variant.piece_ids().filter(is_like).collect()
    })
}

impl ManBook {
    fn new(variant: &Variant, man: Man) -> Self {
        let board = &variant.board;
        let rules = variant.pawn_rules(man);
        // A pawn that reaches neither its zone nor a promotion square cannot go there at all.
        let (stand, go) = match &rules {
            Some(rules) => (rules.zone, rules.zone.union(rules.promotion)),
            None => (board.all(), board.all()),
        };
        let (movement, region) = (variant.movement(man), variant.region(man));
        // A royal man would not survive an explosion, so he does not capture.
        let is_peaceful = variant.is_royal(man) && variant.rules.blast.is_some();
        let ways = |from: usize| -> Vec<Way> {
            let from = Square::from_index(from);
            if !stand.contains(from) {
                return Vec::new();
            }
            let ways = movement.rays().iter().map(|ray| Way::new(board, from, ray, go, region));
            let ways = ways.map(|way| Way { capture: way.capture && !is_peaceful, ..way });
            ways.filter(|way| !way.stages.is_empty() && (way.quiet || way.capture)).collect()
        };
        let ways: Vec<Vec<Way>> = (0..board.n_squares()).map(ways).collect();
        let reach = |ways: &Vec<Way>| {
            let captures = ways.iter().filter(|way| way.capture).flat_map(|way| &way.stages);
            captures.filter(|stage| stage.is_landing).map(|stage| stage.square).collect()
        };
        let is_immune = |blast: &Blast| blast.immune.contains(&man.piece);
        ManBook {
            royal: variant.is_royal(man),
            is_fragile: variant.rules.blast.as_ref().is_some_and(|blast| !is_immune(blast)),
            wins_on_goal: variant.rules.goal.as_ref().is_some_and(|goal| goal.is_for(man.piece)),
            reach: ways.iter().map(reach).collect(),
            ways,
            pawn: rules.map(|rules| {
                let steps = movement.rays().iter().filter(|ray| ray.quiet && ray.limit == 1);
                let from = rules.double_step_from.intersection(rules.zone);
                PawnBook {
                    double_steps: steps
                        .flat_map(|ray| from.iter().filter_map(|s| DoubleStep::new(board, s, ray, &rules)))
                        .collect(),
                    zone: rules.zone,
                    promotion: rules.promotion,
                    promotes_to: rules.promotes_to.clone(),
                    en_passant: rules.en_passant,
                }
            }),
        }
    }
}

/// The squares a king's step away.
fn around(board: &Board, square: Square) -> SquareSet {
    let steps = (-1..=1).flat_map(|files| (-1..=1).map(move |ranks| Step::new(files, ranks)));
    steps.filter_map(|step| board.offset(square, step)).filter(|&to| to != square).collect()
}

impl Way {
    /// The way of a ray from a square, as far as the board has its squares and the man may go there. It
    /// passes over those outside its region.
    fn new(board: &Board, from: Square, ray: &Ray, go: SquareSet, region: SquareSet) -> Self {
        let mut stages: Vec<Stage> = Vec::new();
        let mut square = from;
        for leg in ray.legs() {
            match board.offset(square, leg.step) {
                Some(next) if next != from && (go.contains(next) || !leg.is_landing) => square = next,
                _ => break,
            }
            stages.push(Stage { square, is_landing: leg.is_landing && region.contains(square) });
        }
        let hurdle = match ray.path {
            RayPath::Cannon => Hurdle::Anywhere,
            RayPath::Grasshopper => Hurdle::JustBefore,
            RayPath::Plain | RayPath::Lame | RayPath::CircularLeft | RayPath::CircularRight => Hurdle::None,
        };
        Way { quiet: ray.quiet, capture: ray.capture, hurdle, stages }
    }

    /// Whether the way is open to one of its stages, which may be empty or not: the same as
    /// [`crate::Position::landings`] says, but from the end.
    pub(crate) fn is_open(&self, to: usize, is_occupied: impl Fn(Square) -> bool) -> bool {
        let before = self.stages[..to].iter().enumerate().filter(|(_, stage)| is_occupied(stage.square));
        let mut hurdles = before.map(|(i, _)| i);
        let fits = match self.hurdle {
            Hurdle::None => hurdles.next().is_none(),
            Hurdle::Anywhere => hurdles.next().is_some() && hurdles.next().is_none(),
            Hurdle::JustBefore => hurdles.next().is_some_and(|i| i + 1 == to),
        };
        fits && self.stages[to].is_landing
    }

    /// Whether the way is open to this square.
    pub(crate) fn leads_to(&self, target: Square, is_occupied: impl Fn(Square) -> bool) -> bool {
        let mut stages = self.stages.iter().enumerate();
        stages.any(|(i, stage)| stage.square == target && self.is_open(i, &is_occupied))
    }
}

impl DoubleStep {
    /// The double step along a ray; none if it would leave the board or the squares on which the pawn may
    /// stand.
    fn new(board: &Board, from: Square, ray: &Ray, rules: &PawnRules) -> Option<Self> {
        let twice = Ray { limit: 2, ..*ray };
        let way = Way::new(board, from, &twice, rules.zone.union(rules.promotion), board.all());
        let mut landings = way.stages.iter().filter(|stage| stage.is_landing).map(|stage| stage.square);
        let (passed, to) = (landings.next()?, landings.next()?);
        let between = way.stages[..way.stages.len() - 1].iter().map(|stage| stage.square).collect();
        Some(DoubleStep { from, passed, to, between })
    }
}
