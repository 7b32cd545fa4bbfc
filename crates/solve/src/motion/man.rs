//! Compiles the movement of one man: walks that the kernels take back, and attacks square by square.

use super::between::Between;
use geometry::{Board, Square, SquareSet};
use index::Layout;
use kernel::{Hurdle, Walk, Word};
use piece::{Movement, Ray, RayPath};
use variant::{Man, PawnRules, Variant};

/// The rays of a man by what may stand on their targets.
#[derive(Debug)]
pub(crate) struct Walks<W> {
    /// Nobody or an enemy.
    pub(crate) any: Vec<Walk<W>>,
    /// Nobody.
    pub(crate) quiet: Vec<Walk<W>>,
    /// An enemy.
    pub(crate) capture: Vec<Walk<W>>,
}

/// The other square of an attack, and what must be in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attack<W> {
    pub(crate) square: u8,
    pub(crate) between: Between<W>,
}

/// The movement of a man.
#[derive(Debug)]
pub(crate) struct CompiledMan<W> {
    pub(crate) man: Man,
    pub(crate) walks: Walks<W>,
    pub(crate) royal: bool,
    pub(crate) pawn: bool,
    pub(crate) movement: Movement,
    /// The rules of a pawn, turned round for Black; none of other men.
    pub(crate) pawn_rules: Option<PawnRules>,
    /// The squares on which the man may stand.
    pub(crate) zone: SquareSet,
    /// By square: from where the man attacks it.
    pub(crate) attacks_on: Vec<Vec<Attack<W>>>,
    /// By square: what the man attacks from there.
    pub(crate) attacks_from: Vec<Vec<Attack<W>>>,
    /// By square: where the man may go from there without capturing.
    pub(crate) quiets_from: Vec<Vec<Attack<W>>>,
}

impl<W: Word> CompiledMan<W> {
    pub(super) fn new(variant: &Variant, layout: &Layout, man: Man) -> Self {
        let board = layout.board();
        let mut walks = Walks { any: Vec::new(), quiet: Vec::new(), capture: Vec::new() };
        let n = layout.n_squares();
        let (mut attacks_on, mut attacks_from) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        let mut quiets_from = vec![Vec::new(); n];
        let movement = variant.movement(man);
        for ray in movement.rays() {
            let stages = ray.legs().map(|leg| (leg.step, leg.is_landing));
            let walk = Walk::new(board, stages, hurdle_of(ray));
            match (ray.quiet, ray.capture) {
                (true, true) => walks.any.push(walk),
                (true, false) => walks.quiet.push(walk),
                (false, _) => walks.capture.push(walk),
            }
            for from in board.squares() {
                for (to, between) in landings(board, ray, from) {
                    let there = Attack { square: to.index() as u8, between };
                    if ray.quiet {
                        quiets_from[from.index()].push(there);
                    }
                    if ray.capture {
                        attacks_on[to.index()].push(Attack { square: from.index() as u8, between });
                        attacks_from[from.index()].push(there);
                    }
                }
            }
        }
        let (royal, pawn) = (variant.is_royal(man), variant.is_pawn(man));
        let (pawn_rules, zone) = (variant.pawn_rules(man), variant.zone(man));
        CompiledMan {
            man,
            walks,
            royal,
            pawn,
            movement,
            pawn_rules,
            zone,
            attacks_on,
            attacks_from,
            quiets_from,
        }
    }
}

fn hurdle_of(ray: &Ray) -> Hurdle {
    match ray.path {
        RayPath::Cannon => Hurdle::OnTheWay,
        RayPath::Grasshopper => Hurdle::JustBefore,
        RayPath::Plain | RayPath::Lame | RayPath::CircularLeft | RayPath::CircularRight => Hurdle::None,
    }
}

/// Where a ray may land from a square, each with what must be in between.
pub(super) fn landings<W: Word>(board: &Board, ray: &Ray, from: Square) -> Vec<(Square, Between<W>)> {
    let hurdle = hurdle_of(ray);
    let mut landings = Vec::new();
    let (mut at, mut before, mut last) = (from, W::ZERO, W::ZERO);
    for leg in ray.legs() {
        let Some(to) = board.offset(at, leg.step).filter(|&to| to != from) else { break };
        let between = match hurdle {
            Hurdle::None => Between { empty: before | last, hurdle: W::ZERO },
            Hurdle::OnTheWay => Between { empty: W::ZERO, hurdle: before | last },
            Hurdle::JustBefore => Between { empty: before, hurdle: last },
        };
        let has_hurdle = hurdle == Hurdle::None || between.hurdle != W::ZERO;
        if leg.is_landing && has_hurdle {
            landings.push((to, between));
        }
        (before, last, at) = (before | last, W::bit(to.index()), to);
    }
    landings
}
