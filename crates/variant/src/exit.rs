//! Lists the exits of a material: the ways in which one move leads from its table to another.
//!
//! A capture, a promotion, both at once or an explosion leaves other men on the board, and the value of such
//! a move stands in another table:
//!
//! ```text
//!   KPvKR ─┬─ xP ────► KRvK
//!          ├─ xr ────► KPvK
//!          ├─ P=Q ───► KQvKR, and of it only where the queen stands on a promotion square
//!          └─ Pxr=Q ─► KQvK
//! ```
//!
//! [`exits`] is the one place that decides which exits there are, and [`Target`] the one place that decides
//! which table, and which part of it, an exit leads to. Building is ordered by them and solving asks for
//! tables by them. The judge of the solver, `proof`, lists the exits in its own way.
//!
//! No move is made here and no position exists: an exit is listed if men of these kinds could stand so
//! anywhere. A [`Target`] names its table by the material alone. A table that is more than a material, with
//! men kept to certain squares or with rights, gets a key of its own there, and its exits stay a list of
//! [`Exit`]s.

use crate::{Blast, Man, Material, PieceId, Side, Variant};
use geometry::SquareSet;

/// One way for a move to leave a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exit {
    /// The kind of move.
    pub reason: Reason,
    /// What becomes of the men.
    pub change: Change,
}

/// Every exit from a table with these men, in a fixed order. Several exits can have the same change, and
/// like men have like exits.
///
/// Where checks are counted, every exit and every move inside the table may give one, which leads to another
/// table.
///
/// Invariant: a royal man never leaves the board, because that ends the game.
#[must_use]
pub fn exits(variant: &Variant, men: &[Man]) -> Vec<Exit> {
    let exits = silent_exits(variant, men);
    if variant.rules.check_counting.is_some() { with_checks(variant, men, exits) } else { exits }
}

/// Lists these exits without a check and with one, the captures en passant that answer a double step which
/// has given check (the position before them is none of a table), and the checks that leave all men on the
/// board.
fn with_checks(variant: &Variant, men: &[Man], silent: Vec<Exit>) -> Vec<Exit> {
    let none = Change::new(None, None);
    let can_check = !variant.is_always_drawn(&Material::from_men(men.iter().copied()));
    let quiet = Side::BOTH
        .into_iter()
        .filter(|_| can_check)
        .map(|by| Exit { reason: Reason::Check { by }, change: none.with_check(by) });
    let check = |exit: &Exit| Exit { change: exit.change.with_check(exit.reason.mover()), ..exit.clone() };
    let checks: Vec<Exit> = silent.iter().map(check).collect();
    let is_pawn = |man: Man| variant.is_pawn(man);
    let answers = |exit: &&Exit| match exit.reason {
        Reason::Capture { victim } => is_pawn(victim),
        Reason::CapturePromotion { victim, .. } => is_pawn(victim),
        Reason::Check { .. } | Reason::Promotion { .. } | Reason::Explosion { .. } => false,
    };
    let answered =
        |exit: &Exit| Exit { change: exit.change.with_check(!exit.reason.mover()), ..exit.clone() };
    let all: Vec<Exit> = silent.iter().chain(&checks).cloned().collect();
    let answers: Vec<Exit> = all.iter().filter(answers).map(answered).collect();
    all.into_iter().chain(answers).chain(quiet).collect()
}

/// The exits that change the men, none of which gives a check that counts.
fn silent_exits(variant: &Variant, men: &[Man]) -> Vec<Exit> {
    match &variant.rules.blast {
        None => {
            let mut exits: Vec<Exit> = capturable(variant, men).map(|victim| capture(men, victim)).collect();
            exits.extend(promotions(variant, men, true));
            exits
        }
        Some(blast) => {
            // A pawn that captures explodes instead of being promoted.
            let mut exits = promotions(variant, men, false);
            exits.extend(explosions(variant, men, blast));
            exits
        }
    }
}

/// The places of the men that can be captured without ending the game; none if a side has no man.
fn capturable(variant: &Variant, men: &[Man]) -> impl Iterator<Item = usize> {
    let has_men = |side: Side| men.iter().any(|man| man.side == side);
    let captures = variant.has_captures() && Side::BOTH.into_iter().all(has_men);
    (0..men.len()).filter(move |&place| captures && !variant.is_royal_among(men[place], men.iter().copied()))
}

fn capture(men: &[Man], victim: usize) -> Exit {
    Exit { reason: Reason::Capture { victim: men[victim] }, change: Change::new(Some(victim), None) }
}

/// Every promotion, by a quiet move and, where pawns capture so, by a capture.
fn promotions(variant: &Variant, men: &[Man], with_captures: bool) -> Vec<Exit> {
    let mut exits = Vec::new();
    for (place, &pawn) in men.iter().enumerate() {
        let Some(rules) = variant.pawn_rules(pawn) else { continue };
        let victims =
            capturable(variant, men).filter(|&victim| with_captures && men[victim].side != pawn.side);
        for captured in std::iter::once(None).chain(victims.map(Some)) {
            let victim = captured.map(|victim| men[victim]);
            if variant.promotion_squares(pawn, victim).is_empty() {
                continue;
            }
            for &to in &rules.promotes_to {
                let reason = match victim {
                    None => Reason::Promotion { pawn, to },
                    Some(victim) => Reason::CapturePromotion { pawn, victim, to },
                };
                exits.push(Exit { reason, change: Change::new(captured, Some((place, to))) });
            }
        }
    }
    exits
}

/// Every capture that takes away the captor, the captured man, and any choice of the others that an
/// explosion beside them takes, wherever they stand.
fn explosions(variant: &Variant, men: &[Man], blast: &Blast) -> Vec<Exit> {
    let stays = |man: Man| variant.is_royal(man) || blast.immune.contains(&man.piece);
    let may_go: u16 = (0..men.len()).filter(|&place| !stays(men[place])).map(|place| 1 << place).sum();
    let mut exits = Vec::new();
    for captor in capturable(variant, men) {
        for victim in capturable(variant, men).filter(|&victim| men[victim].side != men[captor].side) {
            let reason = Reason::Explosion { captor: men[captor], victim: men[victim] };
            let two = 1 << captor | 1 << victim;
            let choices = (0..1u16 << men.len()).filter(|choice| choice & !(may_go & !two) == 0);
            exits.extend(choices.map(|others| Exit {
                reason,
                change: Change { gone: two | others, ..Change::new(None, None) },
            }));
        }
    }
    exits
}

/// What becomes of the men of a table, by their places in a list of men.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Change {
    /// The places of the men who leave the board, as bits.
    pub gone: u16,
    /// The place of the pawn that is promoted, and the piece that it becomes.
    pub promoted: Option<(usize, PieceId)>,
    /// By side: whether it has given a check that counts.
    pub checks: [bool; 2],
}

impl Change {
    /// A man is captured or none, and a pawn is promoted or none.
    #[must_use]
    pub fn new(captured: Option<usize>, promoted: Option<(usize, PieceId)>) -> Self {
        Change { gone: captured.map_or(0, |man| 1 << man), promoted, checks: [false; 2] }
    }

    /// This change, and a check by this side.
    #[must_use]
    pub fn with_check(mut self, by: Side) -> Self {
        self.checks[by.index()] = true;
        self
    }

    /// Names the men who are left, given the checks that the asker's sides have given before.
    #[must_use]
    pub fn material(self, men: &[Man], given_checks: [u8; 2]) -> Material {
        let given = Side::BOTH.map(|side| side.index());
        let given = given.map(|side| given_checks[side] + u8::from(self.checks[side]));
        Material::from_men(self.apply(men)).with_given_checks(given)
    }

    /// The men who are left, in the same order.
    #[must_use]
    pub fn apply(self, men: &[Man]) -> Vec<Man> {
        let after = |(place, &man): (usize, &Man)| {
            let man = match self.promoted {
                Some((pawn, piece)) if pawn == place => Man { piece, ..man },
                _ => man,
            };
            (!self.is_gone(place)).then_some(man)
        };
        men.iter().enumerate().filter_map(after).collect()
    }

    /// The place of the promoted man among those who are left.
    #[must_use]
    pub fn promoted_place(self) -> Option<usize> {
        let (pawn, _) = self.promoted?;
        Some(pawn - (self.gone & ((1 << pawn) - 1)).count_ones() as usize)
    }

    /// Whether the man at this place leaves the board.
    #[must_use]
    pub fn is_gone(self, place: usize) -> bool {
        self.gone >> place & 1 == 1
    }
}

/// The kind of move behind an exit, with the kinds of men that take part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// A man is captured.
    Capture {
        /// The captured man.
        victim: Man,
    },
    /// A pawn is promoted.
    Promotion {
        /// The pawn.
        pawn: Man,
        /// The piece that it becomes.
        to: PieceId,
    },
    /// A pawn captures on a promotion square.
    CapturePromotion {
        /// The pawn.
        pawn: Man,
        /// The captured man.
        victim: Man,
        /// The piece that the pawn becomes.
        to: PieceId,
    },
    /// A check that counts leaves all men as they are.
    Check {
        /// The side that gives it.
        by: Side,
    },
    /// A capture takes the captor away too, and maybe men around.
    Explosion {
        /// The man that captures.
        captor: Man,
        /// The captured man.
        victim: Man,
    },
}

impl Reason {
    /// The side that moves.
    #[must_use]
    pub fn mover(&self) -> Side {
        match *self {
            Reason::Capture { victim } => !victim.side,
            Reason::Promotion { pawn, .. } | Reason::CapturePromotion { pawn, .. } => pawn.side,
            Reason::Explosion { captor, .. } => captor.side,
            Reason::Check { by } => by,
        }
    }

    /// The reason in short, with the letters of FEN: `xr`, `P=Q`, `Pxr=Q`.
    #[must_use]
    pub fn text(&self, variant: &Variant) -> String {
        let man = |man: Man| variant.fen_letter(man);
        let becomes = |pawn: Man, piece: PieceId| man(Man { piece, ..pawn });
        match *self {
            Reason::Capture { victim } => format!("x{}", man(victim)),
            Reason::Promotion { pawn, to } => format!("{}={}", man(pawn), becomes(pawn, to)),
            Reason::CapturePromotion { pawn, victim, to } => {
                format!("{}x{}={}", man(pawn), man(victim), becomes(pawn, to))
            }
            Reason::Explosion { captor, victim } => format!("{}x{}", man(captor), man(victim)),
            Reason::Check { by } => format!("{by}'s check"),
        }
    }
}

/// The table, or the part of one, that an exit leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Target {
    /// The canonical material of the table.
    pub material: Material,
    /// The part that is enough; none if the whole table is needed.
    pub part: Option<TablePart>,
}

/// The part of a table in which such a man stands on one of some squares and the other side is to move.
///
/// A capture may lead anywhere in its table. A promotion leads only to where the new man stands on a
/// promotion square and the other side is to move: in chess an eighth of one side's codes (less than half
/// where all eight symmetries count), and those are the largest tables that a material needs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TablePart {
    /// The man, in the colours of the table.
    pub man: Man,
    /// His squares, in the colours of the table.
    pub squares: SquareSet,
}

impl Target {
    /// The target of a change to these men, whose sides have given these checks; none if the men who are left
    /// decide the game, so that there is no table.
    #[must_use]
    pub fn new(variant: &Variant, men: &[Man], given_checks: [u8; 2], change: Change) -> Option<Self> {
        let left = change.apply(men);
        let own = change.material(men, given_checks);
        if variant.constant(&own).is_some() {
            return None;
        }
        let material = own.canonical(variant);
        // Which promotions give check is read off the other side to move.
        let promoted = change.promoted.filter(|_| variant.rules.check_counting.is_none());
        let part = promoted.zip(change.promoted_place()).and_then(|((pawn, _), place)| {
            let man = left[place];
            // A symmetric table has White to move only, so it is Black who has promoted.
            let side = match () {
                () if material.is_one_sided(variant) => Side::Black,
                () if own == material => man.side,
                () => !man.side,
            };
            let squares = variant.pawn_rules(Man { side, ..men[pawn] })?.promotion;
            Some(TablePart { man: Man { side, ..man }, squares })
        });
        Some(Target { material, part })
    }
}

/// The targets of all exits of a material: each table once, and the whole of it if any exit needs that.
#[must_use]
pub fn targets(variant: &Variant, material: &Material) -> Vec<Target> {
    let men: Vec<Man> = material.men().collect();
    let mut targets: Vec<Target> = Vec::new();
    let target = |exit: &Exit| Target::new(variant, &men, material.given_checks(), exit.change);
    for target in exits(variant, &men).iter().filter_map(target) {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    let whole: Vec<Material> =
        targets.iter().filter(|target| target.part.is_none()).map(|target| target.material.clone()).collect();
    targets.retain(|target| target.part.is_none() || !whole.contains(&target.material));
    targets
}
