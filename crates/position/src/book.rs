//! The rule book: a variant with every man's ways over its board written down once.
//!
//! A way is the list of squares that one ray of a man leads over, nearest first, from one square. All that is left to
//! a position is to walk the lists until something stands there. Nothing here knows where men are.

use geometry::{Square, SquareSet};
use variant::{Man, PieceId, Variant};

/// A variant, and for each man and square the ways that lead from it.
#[derive(Clone, Debug)]
pub struct RuleBook {
    variant: Variant,
    /// White's men in declared order, then Black's.
    men: Vec<ManBook>,
}

/// What one man may do from each square.
#[derive(Clone, Debug)]
pub(crate) struct ManBook {
    pub(crate) royal: bool,
    /// The ways from each square.
    pub(crate) ways: Vec<Vec<Way>>,
    /// The squares on which the man could capture from each square if nothing stood between: most men attack
    /// nothing of interest, and this set says so at once.
    pub(crate) reach: Vec<SquareSet>,
    pub(crate) pawn: Option<PawnBook>,
}

/// The squares along one ray, nearest first.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) quiet: bool,
    pub(crate) capture: bool,
    pub(crate) squares: Vec<Square>,
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct DoubleStep {
    pub(crate) from: Square,
    pub(crate) passed: Square,
    pub(crate) to: Square,
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
        RuleBook { variant: variant.clone(), men }
    }

    /// The variant of the book.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    pub(crate) fn man(&self, man: Man) -> &ManBook {
        &self.men[man.side.index() * self.variant.pieces.len() + man.piece.0 as usize]
    }
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
        let movement = variant.movement(man);
        let ways = |from: Square| -> Vec<Way> {
            if !stand.contains(from) {
                return Vec::new();
            }
            let walk = |ray: &piece::Ray| {
                std::iter::successors(board.offset(from, ray.step), |&s| board.offset(s, ray.step))
                    .take(ray.limit as usize)
                    .take_while(|&s| go.contains(s))
                    .collect::<Vec<_>>()
            };
            let rays = movement.rays().iter();
            rays.map(|ray| Way { quiet: ray.quiet, capture: ray.capture, squares: walk(ray) })
                .filter(|way| !way.squares.is_empty())
                .collect()
        };
        let ways: Vec<Vec<Way>> = board.squares().map(ways).collect();
        let reach = |ways: &Vec<Way>| {
            ways.iter().filter(|w| w.capture).flat_map(|w| w.squares.iter().copied()).collect()
        };
        ManBook {
            royal: variant.is_royal(man),
            reach: ways.iter().map(reach).collect(),
            ways,
            pawn: rules.map(|rules| {
                let steps = movement.rays().iter().filter(|ray| ray.quiet && ray.limit == 1);
                let double = |from: Square, ray: &piece::Ray| {
                    let passed = board.offset(from, ray.step)?;
                    let to = board.offset(passed, ray.step)?;
                    (go.contains(passed) && rules.zone.contains(to)).then_some(DoubleStep {
                        from,
                        passed,
                        to,
                    })
                };
                let from = rules.double_step_from.intersection(rules.zone);
                PawnBook {
                    double_steps: steps
                        .flat_map(|ray| from.iter().filter_map(move |s| double(s, ray)))
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
