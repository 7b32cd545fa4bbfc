//! Lists the pawn moves that a slice allows, as far as pawns go, and the table that each leads to.
//!
//! The values behind a move are read in the terms of the men that are left, and a double step is worth what
//! it is worth once captures en passant are among the replies.

use crate::ground::Ground;
use crate::motion::landings;
use crate::word::SolverWord;
use geometry::Square;
use index::MAX_PLACED;
use piece::RayPath;
use std::collections::BTreeMap;
use table::{MoveKind, Ply, Scale, Value, ValueRows, View, worth};
use variant::exit::Change;
use variant::{PieceId, Side};

/// A pawn move that the slice allows, as far as pawns go.
#[derive(Debug)]
pub(crate) struct PawnMove<'v, W> {
    pub(crate) pawn: usize,
    pub(crate) target: Square,
    /// Squares that must be free: the target of a quiet move, and what a double or a lame step passes over.
    pub(crate) free: W,
    pub(crate) victim: Option<usize>,
    /// The table that the move leads to, if it is not an explosion.
    pub(crate) view: &'v View<'v>,
    pub(crate) kind: MoveKind,
    /// En-passant captures that answer the move.
    pub(crate) replies: Vec<Reply<'v>>,
}

/// An en-passant capture.
#[derive(Debug)]
pub(crate) struct Reply<'v> {
    pub(crate) pawn: usize,
    pub(crate) target: Square,
    /// The pawn that has made the double step.
    pub(crate) victim: usize,
    /// The table that the capture leads to, if it is not an explosion.
    pub(crate) view: &'v View<'v>,
    /// The one that it leads to if the double step has given a check that counts.
    pub(crate) after_check: Option<&'v View<'v>>,
}

/// The views that pawn moves need: of the table being made, and of those that its exits lead to.
pub(crate) struct Views<'v> {
    pub(crate) own: &'v View<'v>,
    pub(crate) others: &'v BTreeMap<Change, View<'v>>,
    /// What pawn moves lead to that are left out and won.
    pub(crate) given: &'v View<'v>,
}

impl<'v> Views<'v> {
    /// The view behind a change; the table being made if nothing changes.
    pub(crate) fn after(&self, captured: Option<usize>, promoted: Option<(usize, PieceId)>) -> &'v View<'v> {
        match (captured, promoted) {
            (None, None) => self.own,
            _ => &self.others[&Change::new(captured, promoted)],
        }
    }
}

/// All pawn moves of a side in a slice.
pub(crate) fn pawn_moves<'v, W: SolverWord>(
    ground: &Ground<'_, W>,
    side: Side,
    views: &Views<'v>,
) -> Vec<PawnMove<'v, W>> {
    let layout = ground.layout;
    let board = layout.board();
    let standing: Vec<(usize, Square)> =
        layout.pawns().iter().copied().zip(layout.pawn_squares(ground.slice).iter().copied()).collect();
    let (men, compiled) = (layout.men(), &ground.motion.men);
    let mut moves = Vec::new();
    let explodes = ground.law.blast.is_some();
    for &(pawn, from) in standing.iter().filter(|(pawn, _)| men[*pawn].side == side) {
        let rules = compiled[pawn].pawn_rules.as_ref().expect("a pawn has pawn rules");
        let mut add = |target: Square, free: W, victim: Option<usize>, mut replies| {
            if !rules.may_end_on(target) {
                return;
            }
            let left_out = ground.law.left_out.as_ref();
            let left_out = left_out.filter(|(_, moves)| moves.contains(&(men[pawn], from, target)));
            if let Some((loser, _)) = left_out {
                if *loser != side {
                    let (view, kind) = (views.given, MoveKind::Conversion);
                    moves.push(PawnMove { pawn, target, free, victim, view, kind, replies: Vec::new() });
                }
            } else if explodes && victim.is_some() {
                // The men that are gone decide where it leads: see `placement`.
                let (view, kind) = (views.own, MoveKind::Conversion);
                moves.push(PawnMove { pawn, target, free, victim, view, kind, replies: Vec::new() });
            } else {
                let mut is_given = false;
                for choice in rules.choices(target) {
                    let view = views.after(victim, choice.map(|piece| (pawn, piece)));
                    // Whatever man is given away is as good as another.
                    let gives = choice.is_some() && view.given_value(side).is_some();
                    if gives && std::mem::replace(&mut is_given, true) {
                        continue;
                    }
                    let stays = victim.is_none() && choice.is_none();
                    let kind = if stays { MoveKind::PawnMove } else { MoveKind::Conversion };
                    let replies = if stays { std::mem::take(&mut replies) } else { Vec::new() };
                    moves.push(PawnMove { pawn, target, free, victim, view, kind, replies });
                }
            }
        };
        for ray in compiled[pawn].movement.rays() {
            let Some(target) = board.offset(from, ray.step) else { continue };
            let target_bit = W::bit(target.index());
            let free = match ray.path {
                RayPath::Lame => {
                    let landings = landings::<W>(board, ray, from, board.all());
                    let Some((_, within)) = landings.first() else { continue };
                    target_bit | within.empty
                }
                _ => target_bit,
            };
            if ray.quiet && ground.pawns & free == W::ZERO {
                add(target, free, None, Vec::new());
                let twice = board.offset(target, ray.step).filter(|_| rules.double_step_from.contains(from));
                if let Some(twice) = twice.filter(|&t| !ground.pawns.has(t.index())) {
                    let free = target_bit | W::bit(twice.index());
                    // What it becomes on a promotion square is not captured so.
                    let replies = if rules.en_passant && rules.zone.contains(twice) {
                        replies(ground, &standing, (pawn, target), views)
                    } else {
                        vec![]
                    };
                    add(twice, free, None, replies);
                }
            }
            if ray.capture {
                let on_target = |v: &usize| standing.iter().all(|&(p, s)| p != *v || s == target);
                let enemies = (0..men.len()).filter(|&v| men[v].side != side && !compiled[v].royal);
                let can_stand = |v: &usize| compiled[*v].zone.contains(target);
                enemies
                    .filter(on_target)
                    .filter(can_stand)
                    .for_each(|victim| add(target, W::ZERO, Some(victim), Vec::new()));
            }
        }
    }
    moves
}

/// The en-passant captures of a pawn that has just passed over a square.
fn replies<'v, W: SolverWord>(
    ground: &Ground<'_, W>,
    standing: &[(usize, Square)],
    (victim, target): (usize, Square),
    views: &Views<'v>,
) -> Vec<Reply<'v>> {
    let (men, compiled, board) = (ground.layout.men(), &ground.motion.men, ground.layout.board());
    // Of what is left out the winner's are played as others are: what they lead to is no better for him.
    let is_left_out = |pawn: usize, from: Square| {
        let left_out = ground.law.left_out.as_ref();
        left_out.is_some_and(|(loser, moves)| {
            men[pawn].side == *loser && moves.contains(&(men[pawn], from, target))
        })
    };
    let reply = |promoted: Option<(usize, PieceId)>, pawn: usize| {
        let checked = Change::new(Some(victim), promoted).with_check(men[victim].side);
        let after_check = views.others.get(&checked);
        Reply { pawn, target, victim, view: views.after(Some(victim), promoted), after_check }
    };
    let mut replies = Vec::new();
    for &(pawn, from) in standing.iter().filter(|(pawn, _)| men[*pawn].side != men[victim].side) {
        let reaches = |r: &piece::Ray| r.capture && board.offset(from, r.step) == Some(target);
        if !compiled[pawn].movement.rays().iter().any(reaches) || is_left_out(pawn, from) {
            continue;
        }
        let rules = compiled[pawn].pawn_rules.as_ref().expect("a pawn has pawn rules");
        if ground.law.blast.is_some() {
            if rules.may_end_on(target) {
                replies.push(Reply { pawn, target, victim, view: views.own, after_check: None });
            }
        } else {
            let choices = rules.choices(target);
            replies.extend(choices.map(|choice| reply(choice.map(|piece| (pawn, piece)), pawn)));
        }
    }
    replies
}

/// The worths of a row of double steps that can be answered en passant.
pub(crate) fn replied_worths<W: SolverWord>(
    rows: &ValueRows<'_>,
    replies: &[ValueRows<'_>],
    row_square: Square,
    worths: &mut W::Worths,
    scale: &Scale,
) {
    let value = |row: &W::Codes, at: usize| W::borrowed(row).value(at);
    let quiet = W::codes(rows, row_square);
    let replies: Vec<_> = replies.iter().map(|rows| W::codes(rows, row_square)).collect();
    for (at, slot) in worths.as_mut().iter_mut().enumerate() {
        *slot = worth(with_replies(value(&quiet, at), replies.iter().map(|row| value(row, at)), scale));
    }
}

/// The value of a position for the side to move once it may also capture en passant, with these results.
///
/// Its best choice counts, and where it had no move, that is no longer the end of the game. (A side that
/// wants to lose would prefer to have been mated.)
pub(crate) fn with_replies(value: Value, results: impl Iterator<Item = Value>, scale: &Scale) -> Value {
    if value == Value::Illegal {
        return value;
    }
    let captures = results.filter_map(|result| result.before_move_of(MoveKind::Conversion, scale));
    match captures.max_by(|one, other| scale.preference(one, other)) {
        Some(capture) if value == Value::Stalemate => capture,
        Some(capture) if scale.is_helped() && value == Value::Loss(Ply(0)) => capture,
        Some(capture) if scale.preference(&capture, &value).is_gt() => capture,
        _ => value,
    }
}

/// The rows of values behind a move, in which the man at place `gone` has been captured.
pub(crate) fn after<'v>(
    view: &'v View<'v>,
    stm: Side,
    squares: &[Square; MAX_PLACED],
    n_men: usize,
    gone: Option<usize>,
    row_man: Option<usize>,
    varying: usize,
) -> ValueRows<'v> {
    let (left, n) = without(squares, n_men, gone);
    let place = |man: usize| man - usize::from(gone.is_some_and(|gone| man > gone));
    view.rows(stm, &left[..n], row_man.map(place), place(varying))
}

/// The squares of the men that are left, and how many they are.
pub(super) fn without(
    squares: &[Square; MAX_PLACED],
    n_men: usize,
    gone: Option<usize>,
) -> ([Square; MAX_PLACED], usize) {
    let mut left = *squares;
    match gone {
        None => (left, n_men),
        Some(gone) => {
            left.copy_within(gone + 1..n_men, gone);
            (left, n_men - 1)
        }
    }
}

/// Calls `visit` with every view that moves of a slice lead to, the side to move there, and squares of the
/// men left: those of the pawns and of a promoted man are what counts.
///
/// Where tables are read slice by slice, what a slice needs is read before it is begun, by all threads.
/// Explosions are left out: which men are gone depends on where the mobile men stand, so their slices are
/// read when the first placement asks for them.
pub(crate) fn for_each_reading<W: SolverWord>(
    ground: &Ground<'_, W>,
    views: &Views<'_>,
    mut visit: impl FnMut(&View<'_>, Side, &[Square]),
) {
    let men = &ground.motion.men;
    let squares = ground.standing().squares;
    let mut visit_without =
        |view: &View<'_>, stm: Side, squares: &[Square; MAX_PLACED], gone: Option<usize>| {
            let (left, n) = without(squares, men.len(), gone);
            visit(view, stm, &left[..n]);
        };
    let explodes = ground.law.blast.is_some();
    for side in Side::BOTH {
        let victims = (0..men.len()).filter(|&man| men[man].man.side != side && !men[man].royal);
        for victim in victims.filter(|_| !explodes) {
            if let Some(view) = views.others.get(&Change::new(Some(victim), None)) {
                visit_without(view, !side, &squares, Some(victim));
            }
        }
        for pawn_move in pawn_moves(ground, side, views) {
            if explodes && pawn_move.victim.is_some() {
                continue;
            }
            let mut moved = squares;
            moved[pawn_move.pawn] = pawn_move.target;
            visit_without(pawn_move.view, !side, &moved, pawn_move.victim);
            for reply in pawn_move.replies.iter().filter(|_| !explodes) {
                let mut replied = moved;
                replied[reply.pawn] = reply.target;
                visit_without(reply.view, side, &replied, Some(reply.victim));
            }
        }
    }
}
