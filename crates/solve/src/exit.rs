//! Pawn moves: the values of the moves that leave a slice, gathered before its iteration.
//!
//! Of a side's pawn moves in a placement two things matter. Whether one of them wins, and how soon: the side needs
//! nothing else then. And whether all of them lose, and how late: until then they are a way out.
//! A double step is worth what it is worth with the other side's en-passant captures added to its replies.

use crate::event::{Events, Gathering};
use crate::ground::{Ground, Word};
use crate::reach::Change;
use geometry::Square;
use index::MAX_MEN;
use std::collections::BTreeMap;
use table::{Value, View};
use variant::{Man, PieceId, Side, Variant};

/// What one side's pawn moves lead to.
#[derive(Debug)]
pub(crate) struct Exits {
    /// A plane: the placements in which the side has a legal pawn move.
    pub(crate) any: Vec<u64>,
    /// The placements in which one of them wins, by the side's distance from giving mate.
    pub(crate) won: Events,
    /// The placements in which all of them lose, by the side's distance from being mated.
    pub(crate) lost: Events,
}

/// A pawn move that the slice allows, as far as pawns go.
#[derive(Debug)]
struct PawnMove<'v> {
    pawn: usize,
    target: Square,
    /// Squares that must be free: the target of a quiet move, and what a double step passes over.
    free: u64,
    victim: Option<usize>,
    /// The table that the move leads to.
    view: &'v View<'v>,
    /// En-passant captures that answer the move.
    replies: Vec<Reply<'v>>,
}

/// An en-passant capture.
#[derive(Debug)]
struct Reply<'v> {
    pawn: usize,
    target: Square,
    /// The pawn that has made the double step.
    victim: usize,
    /// The table that the capture leads to.
    view: &'v View<'v>,
}

/// The views that pawn moves need: of the table being made, and of those that its exits lead to.
pub(crate) struct Views<'v> {
    pub(crate) own: &'v View<'v>,
    pub(crate) others: &'v BTreeMap<Change, View<'v>>,
}

impl<'v> Views<'v> {
    /// The view behind a change; the table being made if nothing changes.
    fn after(&self, captured: Option<usize>, promoted: Option<(usize, PieceId)>) -> &'v View<'v> {
        match (captured, promoted) {
            (None, None) => self.own,
            _ => &self.others[&Change { captured, promoted }],
        }
    }
}

impl Exits {
    /// The pawn moves of `side`; none if it has no pawn.
    pub(crate) fn gather(
        variant: &Variant,
        ground: &Ground<'_>,
        side: Side,
        views: &Views<'_>,
    ) -> Option<Self> {
        let men = &ground.motion.men;
        if !men.iter().any(|m| m.pawn && m.man.side == side) {
            return None;
        }
        let moves = pawn_moves(variant, ground, side, views);
        let mut any = vec![0; ground.n_words()];
        let (mut won, mut lost) = (Gathering::default(), Gathering::default());
        ground.for_each_word(0..ground.layout.n_blocks(), |_, index, word| {
            let placements = ground.placements(&word);
            if placements != 0 {
                let best = Best::of(ground, side, &moves, &word, placements);
                any[index] = best.legal;
                for at in bits(best.wins) {
                    won.add(best.win_plies[at], index, 1 << at);
                }
                for at in bits(best.legal & !best.open) {
                    lost.add(best.loss_plies[at], index, 1 << at);
                }
            }
        });
        Some(Exits { any, won: won.sorted(), lost: lost.sorted() })
    }
}

/// The best of the pawn moves of the placements of a word.
struct Best {
    /// Where there is a legal pawn move.
    legal: u64,
    /// Where one wins.
    wins: u64,
    /// Where one does not lose.
    open: u64,
    win_plies: [u16; 64],
    loss_plies: [u16; 64],
}

impl Best {
    fn of(ground: &Ground<'_>, side: Side, moves: &[PawnMove<'_>], word: &Word, placements: u64) -> Self {
        let mut best = Best { legal: 0, wins: 0, open: 0, win_plies: [u16::MAX; 64], loss_plies: [0; 64] };
        for pawn_move in moves {
            let possible = placements & allowed(ground, pawn_move, word);
            for at in bits(possible) {
                let value = value_after(ground, side, pawn_move, word, at);
                best.add(at, value);
            }
        }
        best
    }

    fn add(&mut self, at: usize, value: Value) {
        let bit = 1 << at;
        match value.before_move() {
            None => return,
            Some(Value::Win(ply)) => {
                self.wins |= bit;
                self.open |= bit;
                self.win_plies[at] = self.win_plies[at].min(ply.0);
            }
            Some(Value::Loss(ply)) => self.loss_plies[at] = self.loss_plies[at].max(ply.0),
            Some(_) => self.open |= bit,
        }
        self.legal |= bit;
    }
}

/// The placements of a word in which the mobile men allow the move.
fn allowed(ground: &Ground<'_>, pawn_move: &PawnMove<'_>, word: &Word) -> u64 {
    let target_bit = 1 << pawn_move.target.index();
    match pawn_move.victim {
        None if pawn_move.free & word.taken != 0 => 0,
        None if ground.lane().is_some() => !pawn_move.free,
        None => !0,
        Some(victim) if ground.lane() == Some(victim) => target_bit,
        Some(victim) if word.squares[victim] == pawn_move.target => !0,
        Some(_) => 0,
    }
}

/// What the position after the move is worth to the other side.
fn value_after(ground: &Ground<'_>, side: Side, pawn_move: &PawnMove<'_>, word: &Word, at: usize) -> Value {
    let n_men = ground.motion.men.len();
    let mut moved = word.squares;
    if let Some(lane) = ground.lane() {
        moved[lane] = Square::from_index(at);
    }
    moved[pawn_move.pawn] = pawn_move.target;
    let look = |view: &View<'_>, mut squares: [Square; MAX_MEN], gone: Option<usize>, stm: Side| match gone {
        None => view.value(stm, &squares[..n_men]),
        Some(gone) => {
            squares.copy_within(gone + 1..n_men, gone);
            view.value(stm, &squares[..n_men - 1])
        }
    };
    let value = look(pawn_move.view, moved, pawn_move.victim, !side);
    if pawn_move.replies.is_empty() || value == Value::Illegal {
        return value;
    }
    // The other side may also capture en passant. Its best choice counts, and where it had no move, that is no
    // longer the end of the game.
    let captures = pawn_move.replies.iter().filter_map(|reply| {
        let mut replied = moved;
        replied[reply.pawn] = reply.target;
        look(reply.view, replied, Some(reply.victim), side).before_move()
    });
    match captures.max_by(Value::preference) {
        Some(capture) if value == Value::Stalemate => capture,
        Some(capture) if capture.preference(&value).is_gt() => capture,
        _ => value,
    }
}

/// All pawn moves of a side in a slice.
fn pawn_moves<'v>(
    variant: &Variant,
    ground: &Ground<'_>,
    side: Side,
    views: &Views<'v>,
) -> Vec<PawnMove<'v>> {
    let layout = ground.layout;
    let board = layout.board();
    let standing: Vec<(usize, Square)> =
        layout.pawns().iter().copied().zip(layout.pawn_squares(ground.slice).iter().copied()).collect();
    let men = layout.men();
    let mut moves = Vec::new();
    for &(pawn, from) in standing.iter().filter(|(pawn, _)| men[*pawn].side == side) {
        let rules = variant.pawn_rules(men[pawn]).expect("a pawn has pawn rules");
        let mut add = |target: Square, free: u64, victim: Option<usize>, replies| {
            if rules.promotion.contains(target) {
                for &piece in &rules.promotes_to {
                    let view = views.after(victim, Some((pawn, piece)));
                    moves.push(PawnMove { pawn, target, free, victim, view, replies: Vec::new() });
                }
            } else if rules.zone.contains(target) {
                moves.push(PawnMove { pawn, target, free, victim, view: views.after(victim, None), replies });
            }
        };
        for ray in variant.movement(men[pawn]).rays() {
            let Some(target) = board.offset(from, ray.step) else { continue };
            let target_bit = 1u64 << target.index();
            if ray.quiet && ground.pawns & target_bit == 0 {
                add(target, target_bit, None, Vec::new());
                let twice = board.offset(target, ray.step).filter(|_| rules.double_step_from.contains(from));
                if let Some(twice) =
                    twice.filter(|&t| rules.zone.contains(t) && ground.pawns >> t.index() & 1 == 0)
                {
                    let free = target_bit | 1 << twice.index();
                    let replies = if rules.en_passant {
                        replies(variant, &standing, men, (pawn, target), views)
                    } else {
                        vec![]
                    };
                    add(twice, free, None, replies);
                }
            }
            if ray.capture {
                let on_target = |v: &usize| standing.iter().all(|&(p, s)| p != *v || s == target);
                let enemies = (0..men.len()).filter(|&v| men[v].side != side && !variant.is_royal(men[v]));
                let can_stand = |v: &usize| variant.zone(men[*v]).contains(target);
                enemies
                    .filter(on_target)
                    .filter(can_stand)
                    .for_each(|victim| add(target, 0, Some(victim), Vec::new()));
            }
        }
    }
    moves
}

/// The en-passant captures of a pawn that has just passed over a square.
fn replies<'v>(
    variant: &Variant,
    standing: &[(usize, Square)],
    men: &[Man],
    (victim, target): (usize, Square),
    views: &Views<'v>,
) -> Vec<Reply<'v>> {
    let mut replies = Vec::new();
    for &(pawn, from) in standing.iter().filter(|(pawn, _)| men[*pawn].side != men[victim].side) {
        let movement = variant.movement(men[pawn]);
        let reaches = |r: &piece::Ray| r.capture && variant.board.offset(from, r.step) == Some(target);
        if !movement.rays().iter().any(reaches) {
            continue;
        }
        let rules = variant.pawn_rules(men[pawn]).expect("a pawn has pawn rules");
        if rules.promotion.contains(target) {
            for &piece in &rules.promotes_to {
                let view = views.after(Some(victim), Some((pawn, piece)));
                replies.push(Reply { pawn, target, victim, view });
            }
        } else if rules.zone.contains(target) {
            replies.push(Reply { pawn, target, victim, view: views.after(Some(victim), None) });
        }
    }
    replies
}

fn bits(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            at
        })
    })
}
