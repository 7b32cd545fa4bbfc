//! Reads the values of single placements, where rules ask more of a move than the value behind it.
//!
//! A position behind a double step has its value as if there were no capture en passant. With one, the
//! position's other moves matter by themselves under three rules: compulsory capture takes the quiet ones
//! away, a pass for want of a move is none any more, and where a side without a move has won, the value does
//! not say whether there was one. Explosions are read here as well, since the men that are gone depend on
//! those who stand near. All this is rare, and looked up placement by placement.

use super::pawn_move::{PawnMove, Reply, Views, with_replies};
use crate::ground::Ground;
use crate::law::{Blast, Goal, Standing};
use crate::motion::{Attack, CompiledMan};
use crate::word::SolverWord;
use geometry::Square;
use index::MAX_PLACED;
use kernel::Word;
use std::collections::BTreeMap;
use table::{Ply, Scale, Value, View};
use variant::exit::Change;
use variant::{Arrival, Pass, PieceId, Side, Variant};

/// Reads the values of single placements of a slice.
pub(crate) struct PlacementReader<'v, W: Word> {
    variant: &'v Variant,
    ground: &'v Ground<'v, W>,
    views: &'v Views<'v>,
    explosions: Option<Explosions<'v, W>>,
    scale: &'v Scale,
}

impl<'v, W: SolverWord> PlacementReader<'v, W> {
    pub(crate) fn new(
        variant: &'v Variant,
        ground: &'v Ground<'v, W>,
        views: &'v Views<'v>,
        scale: &'v Scale,
    ) -> Self {
        PlacementReader { variant, ground, views, explosions: Explosions::new(ground, views.others), scale }
    }

    /// Whether a pawn move cannot be read by rows.
    pub(crate) fn is_needed(&self, pawn_move: &PawnMove<'_, W>) -> bool {
        let law = &self.ground.law;
        let explodes = self.explosions.is_some();
        let asks = explodes || law.must_capture || law.may_win_stuck() || law.ends_early();
        let asks = asks || law.pass == Pass::OnStalemate || law.check_wins.is_some();
        (explodes && pawn_move.victim.is_some()) || (asks && !pawn_move.replies.is_empty())
    }

    /// What a promotion gives the other side, if the men it leads to are given away; explosions are not
    /// looked at.
    pub(crate) fn given_value(&self, pawn_move: &PawnMove<'_, W>) -> Option<Value> {
        let side = self.ground.motion.men[pawn_move.pawn].man.side;
        pawn_move.view.given_value(!side).filter(|_| self.explosions.is_none())
    }

    /// The positions in which the new man of a promotion has been captured, by others than pawns; none if the
    /// promotion may have ended the game by a goal.
    pub(crate) fn captured(&self, pawn_move: &PawnMove<'_, W>) -> Option<&'v View<'v>> {
        let pawn = &self.ground.motion.men[pawn_move.pawn];
        let (man, rules) = (pawn.man, pawn.pawn_rules.as_ref());
        let wins = |goal: &variant::Goal| {
            let may_become = |piece: &PieceId| goal.is_for(*piece);
            let wins_there = goal.squares(man.side).contains(pawn_move.target)
                && rules.is_some_and(|rules| rules.promotes_to.iter().any(may_become));
            // A move elsewhere may make a man safe or fill a goal.
            wins_there || !matches!(goal.arrival, Arrival::AtOnce | Arrival::Answered)
        };
        let may_be_over = self.variant.rules.goal.as_ref().is_some_and(wins);
        self.views.others.get(&Change::new(Some(pawn_move.pawn), None)).filter(|_| !may_be_over)
    }

    /// The value for the other side after a pawn move, the pawn standing on its target already.
    pub(crate) fn value(&self, pawn_move: &PawnMove<'_, W>, moved: &[Square]) -> Value {
        let side = self.ground.motion.men[pawn_move.pawn].man.side;
        match (pawn_move.victim, &self.explosions) {
            (Some(victim), Some(explosions)) => {
                explosions.value(moved, pawn_move.pawn, victim, pawn_move.target)
            }
            (victim, _) => {
                let quiet = value_without(pawn_move.view, moved, victim, !side);
                if pawn_move.replies.is_empty() { quiet } else { self.replied(quiet, pawn_move, moved) }
            }
        }
    }

    /// The value of the position after a double step, its captures en passant among its moves.
    fn replied(&self, quiet: Value, pawn_move: &PawnMove<'_, W>, moved: &[Square]) -> Value {
        if quiet == Value::Illegal {
            return quiet;
        }
        let replier = !self.ground.motion.men[pawn_move.pawn].man.side;
        let law = &self.ground.law;
        // Where the game is over no man captures any more.
        let is_over = |goal: &Goal<W>| self.is_over_by(goal, moved, replier);
        if law.extinct[replier.index()].is_some() || law.goal.as_ref().is_some_and(is_over) {
            return quiet;
        }
        let is_checked = self.views.own.is_checked(replier, moved);
        if is_checked && law.check_wins.is_some_and(|wins| wins[(!replier).index()]) {
            return quiet;
        }
        let replies = pawn_move.replies.iter().map(|reply| self.reply(reply, moved, is_checked));
        let is_legal = replies.clone().any(|value| value != Value::Illegal);
        // What stands for the moves that the position has beside these captures.
        let others = match quiet {
            _ if !is_legal => return quiet,
            _ if law.must_capture => self.has_capture(moved, replier),
            _ if law.pass == Pass::OnStalemate => self.has_move(moved, replier),
            Value::Win(Ply(1)) if law.may_win_stuck() => self.has_move(moved, replier),
            _ => true,
        };
        with_replies(if others { quiet } else { Value::Stalemate }, replies, self.scale)
    }

    fn reply(&self, reply: &Reply<'_>, moved: &[Square], is_checked: bool) -> Value {
        let mut squares = [Square::from_index(0); MAX_PLACED];
        squares[..moved.len()].copy_from_slice(moved);
        squares[reply.pawn] = reply.target;
        let squares = &squares[..moved.len()];
        match &self.explosions {
            Some(explosions) => explosions.value(squares, reply.pawn, reply.victim, reply.target),
            None => {
                let side = self.ground.motion.men[reply.pawn].man.side;
                let after_check = reply.after_check.filter(|_| is_checked);
                value_without(after_check.unwrap_or(reply.view), squares, Some(reply.victim), !side)
            }
        }
    }

    /// Whether a goal has ended the game in the position after a double step. Only where attacks matter can
    /// it be the one of the side that is to move.
    fn is_over_by(&self, goal: &Goal<W>, moved: &[Square], stm: Side) -> bool {
        let (men, taken) = (&self.ground.motion.men, self.taken(moved));
        let is_attacked = |man: usize| {
            let others = (0..men.len()).filter(|&other| men[other].man.side != men[man].man.side);
            others.into_iter().any(|other| self.reaches(other, moved[other], moved[man], taken))
        };
        let has_reached = |side: Side, safe: bool| {
            goal.places[side.index()].iter().any(|place| {
                let n_all = moved.iter().filter(|square| place.has(square.index())).count();
                let men = goal.men[side.index()].iter();
                let mut there = men.filter(|man| place.has(moved[**man].index()));
                let n_winning = there.clone().count();
                let may_be_taken = safe && n_winning == goal.n_men && there.any(|&man| is_attacked(man));
                goal.is_reached(*place, Standing { n_winning, n_all }) && !may_be_taken
            })
        };
        let heeds_attacks = goal.arrival.heeds_attacks();
        has_reached(!stm, heeds_attacks) || heeds_attacks && has_reached(stm, goal.arrival == Arrival::Safe)
    }

    /// Whether a man on `from` attacks a square.
    fn reaches(&self, man: usize, from: Square, to: Square, taken: W) -> bool {
        let attacks = self.ground.motion.men[man].attacks_from[from.index()].iter();
        attacks.filter(|attack| usize::from(attack.square) == to.index()).any(|attack| is_open(attack, taken))
    }

    /// Whether a side has a legal capture with all men on these squares, but those en passant.
    fn has_capture(&self, squares: &[Square], side: Side) -> bool {
        let men = &self.ground.motion.men;
        let taken = self.taken(squares);
        (0..men.len()).filter(|&captor| men[captor].man.side == side).any(|captor| {
            let attacks = &men[captor].attacks_from[squares[captor].index()];
            attacks.iter().filter(|attack| is_open(attack, taken)).any(|attack| {
                let on_target = |&v: &usize| squares[v].index() == usize::from(attack.square);
                let victim = (0..men.len()).filter(|&v| men[v].man.side != side).find(on_target);
                victim.is_some_and(|victim| self.is_legal(squares, captor, square_of(attack), Some(victim)))
            })
        })
    }

    /// Whether a side has a legal move with all men on these squares, but captures en passant and passes for
    /// want of one.
    fn has_move(&self, squares: &[Square], side: Side) -> bool {
        let men = &self.ground.motion.men;
        let taken = self.taken(squares);
        let quiet = |man: usize| {
            let steps = &men[man].quiets_from[squares[man].index()];
            let is_free = |step: &&Attack<W>| !taken.has(step.square.into()) && is_open(step, taken);
            steps.iter().filter(is_free).any(|step| self.is_legal(squares, man, square_of(step), None))
        };
        // One step may leave the royal man attacked where two do not.
        let double = |man: usize| self.double_steps(squares, man, taken);
        (0..men.len()).filter(|&man| men[man].man.side == side).any(|man| quiet(man) || double(man))
            || self.has_capture(squares, side)
            || self.can_pass(squares, side)
    }

    /// Whether a side may pass with all men on these squares, whatever else it can do.
    fn can_pass(&self, squares: &[Square], side: Side) -> bool {
        self.ground.law.pass == Pass::Always
            && value_without(self.views.own, squares, None, !side) != Value::Illegal
    }

    fn double_steps(&self, squares: &[Square], pawn: usize, taken: W) -> bool {
        let compiled = &self.ground.motion.men[pawn];
        let Some(rules) = &compiled.pawn_rules else { return false };
        let board = self.ground.layout.board();
        let from = squares[pawn];
        let is_free = |square: &Square| !taken.has(square.index());
        let quiet = |ray: &&piece::Ray| ray.quiet && rules.double_step_from.contains(from);
        compiled.movement.rays().iter().filter(quiet).any(|ray| {
            let passed = board.offset(from, ray.step).filter(is_free);
            let to = passed.and_then(|passed| board.offset(passed, ray.step)).filter(is_free);
            to.is_some_and(|to| self.is_legal(squares, pawn, to, None))
        })
    }

    /// Whether a man's step or capture is legal: whether a position is behind it.
    fn is_legal(&self, squares: &[Square], man: usize, target: Square, victim: Option<usize>) -> bool {
        let compiled = &self.ground.motion.men[man];
        let mut after = [Square::from_index(0); MAX_PLACED];
        after[..squares.len()].copy_from_slice(squares);
        after[man] = target;
        let after = &after[..squares.len()];
        let rules = compiled.pawn_rules.as_ref();
        if rules.is_some_and(|rules| !rules.may_end_on(target)) {
            return false;
        }
        if let Some(victim) = victim {
            if self.ground.motion.men[victim].royal {
                return false;
            }
            if let Some(explosions) = &self.explosions {
                return !compiled.royal && explosions.value(after, man, victim, target) != Value::Illegal;
            }
        }
        let is_legal_as = |choice: Option<PieceId>| {
            let promoted = choice.map(|piece| (man, piece));
            let view = match (victim, promoted) {
                (None, None) => Some(self.views.own),
                _ => self.views.others.get(&Change::new(victim, promoted)),
            };
            let value = view.map(|view| value_without(view, after, victim, !compiled.man.side));
            value.is_some_and(|value| value != Value::Illegal)
        };
        rules.map_or_else(|| is_legal_as(None), |rules| rules.choices(target).any(is_legal_as))
    }

    fn taken(&self, squares: &[Square]) -> W {
        squares.iter().fold(W::from_bits(self.ground.layout.board().holes().bits()), |taken, square| {
            taken | W::bit(square.index())
        })
    }
}

fn square_of<W>(attack: &Attack<W>) -> Square {
    Square::from_index(attack.square.into())
}

fn is_open<W: Word>(attack: &Attack<W>, taken: W) -> bool {
    attack.between.allows(taken)
}

/// The value of a view with all men but one on these squares.
fn value_without(view: &View<'_>, squares: &[Square], gone: Option<usize>, stm: Side) -> Value {
    let mut left = [Square::from_index(0); MAX_PLACED];
    let mut n = 0;
    for (_, &square) in squares.iter().enumerate().filter(|(man, _)| Some(*man) != gone) {
        left[n] = square;
        n += 1;
    }
    view.value(stm, &left[..n])
}

/// The tables behind explosions.
///
/// A ghost still stands for the placement after the capture, but which placement, and of which material,
/// depends on who stands near: the set of men that are gone chooses the table. So ghosts are read one by
/// one, each with the set that its squares make.
///
/// ```text
///   the captor's own royal man among them      no legal capture
///   the other side's royal man among them      that side has lost, now
/// ```
pub(crate) struct Explosions<'v, W> {
    blast: &'v Blast<W>,
    men: &'v [CompiledMan<W>],
    /// Whether both sides want White to win.
    helped: bool,
    /// By the men that are gone, as bits.
    views: Vec<Option<&'v View<'v>>>,
}

impl<'v, W: Word> Explosions<'v, W> {
    /// None where captures do not explode.
    pub(crate) fn new(ground: &Ground<'v, W>, views: &'v BTreeMap<Change, View<'v>>) -> Option<Self> {
        let blast = ground.law.blast.as_ref()?;
        let men = &ground.motion.men;
        let view = |gone: usize| views.get(&Change { gone: gone as u16, ..Change::new(None, None) });
        Some(Explosions {
            blast,
            men,
            helped: ground.law.helped,
            views: (0..1 << men.len()).map(view).collect(),
        })
    }

    /// The value for the other side after a capture by a man on a square, all men's squares being known.
    pub(crate) fn value(&self, squares: &[Square], captor: usize, victim: usize, on: Square) -> Value {
        let gone = self.blast.gone(squares, captor, victim, on);
        let side = self.men[captor].man.side;
        let loses = |side: Side| {
            (0..self.men.len())
                .any(|i| gone >> i & 1 == 1 && self.men[i].royal && self.men[i].man.side == side)
        };
        if loses(side) {
            return Value::Illegal;
        }
        if loses(!side) {
            return if self.helped && side == Side::Black { Value::Draw } else { Value::Loss(Ply(0)) };
        }
        let mut left = [Square::from_index(0); MAX_PLACED];
        let mut n = 0;
        for (man, &square) in squares.iter().enumerate().filter(|(man, _)| gone >> man & 1 == 0) {
            debug_assert!(man < self.men.len(), "man {man} of {}", self.men.len());
            left[n] = square;
            n += 1;
        }
        self.views[gone].map_or(Value::Illegal, |view| view.value(!side, &left[..n]))
    }
}
