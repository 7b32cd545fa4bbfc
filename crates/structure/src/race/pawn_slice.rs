//! Solves a way for the pawns to stand with the two kings: where the attacker wins.
//!
//! The attacker's pawns move up the board. A set has a row for each square of the attacker's king, and in
//! it a bit for each square of the defender's: a step of the defender's king is three shifts of a row, a
//! step of the attacker's the union of eight rows. Moves of pawns and captures lead to ways that are solved
//! already, so all of them are looked up once; then steps of kings are followed until nothing changes:
//!
//! ```text
//!   the attacker to move wins   where a move leads to a win
//!   the defender to move loses  where no move leads elsewhere, and there is a move or a check
//! ```
//!
//! What a promotion leads to is a guess, or a bound: see [`Belief`]. All else is exact, so that the wins are
//! too few, or too many, or guessed, as the promotions are.

use super::bitboard::{NEIGHBOURS, attacks_upwards, beside, bit, squares};
use super::ground::{Ground, KingSets, Wins, off, turned};
use super::queen_slice::Solved;
use super::ways::{PawnMove, PawnMoveKind, Pawns};

/// What is believed of promotions, and so of all wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Belief {
    /// A new queen wins unless a king takes her at once or the other side can promote in reply. A guess.
    Thumb,
    /// A new queen wins where her slice proves it. The wins are wins, but there may be more.
    Least,
    /// A new queen wins unless a king takes her at once; the defender's wins only where her slice proves it.
    /// There are no other wins, but some of these may be none.
    Most,
}

/// All moves that leave the way, looked up.
struct Exits {
    /// Where the attacker to move wins by one.
    wins: KingSets,
    /// Where the defender to move has one.
    has_move: KingSets,
    /// Where the defender to move has one that does not lose.
    escapes: KingSets,
}

/// Finds the attacker's wins.
pub(super) fn solve(pawns: Pawns, belief: Belief, solved: &Solved<'_>) -> Wins {
    if pawns.own == 0 {
        return Wins::NONE;
    }
    let ground = Ground::new(pawns);
    let exits = Exits::new(&ground, belief, solved);
    let mut won = Wins { to_move: exits.wins, waits: [0; 64] };
    let quiet: KingSets = std::array::from_fn(|king| ground.attacker_to_move(king));
    let loses: KingSets = std::array::from_fn(|king| {
        let has_move = exits.has_move[king] | beside(quiet[king]) | ground.own_attacks;
        ground.defender_to_move(king) & !exits.escapes[king] & has_move
    });
    for (own, quiet) in won.to_move.iter_mut().zip(&quiet) {
        *own &= quiet;
    }
    loop {
        for king in 0..64 {
            won.waits[king] = loses[king] & !beside(quiet[king] & !won.to_move[king]);
        }
        let mut any_new = 0;
        for king in 0..64 {
            if quiet[king] == 0 {
                continue;
            }
            let steps = squares(NEIGHBOURS[king]).fold(0, |all, to| all | won.waits[to]);
            let new = steps & quiet[king] & !won.to_move[king];
            won.to_move[king] |= new;
            any_new |= new;
        }
        if any_new == 0 {
            return won;
        }
    }
}

impl Exits {
    fn new(ground: &Ground, belief: Belief, solved: &Solved<'_>) -> Self {
        let mut exits = Exits { wins: [0; 64], has_move: [0; 64], escapes: [0; 64] };
        exits.add_own(ground.pawns, belief, solved);
        exits.add_others(ground.pawns, belief, solved);
        exits
    }

    /// Adds the attacker's moves of pawns and captures.
    fn add_own(&mut self, pawns: Pawns, belief: Belief, solved: &Solved<'_>) {
        for PawnMove { next, free, kind } in pawns.moves() {
            let rows = match kind {
                PawnMoveKind::Plain => solved.waits(next),
                PawnMoveKind::Double(at, passed) => after_double(next, at, passed, belief, solved),
                PawnMoveKind::Promotion(to) => own_promotion(next, to, belief, solved),
            };
            for (king, row) in rows.iter().enumerate() {
                self.wins[king] |= off(free, king, *row);
            }
        }
        for square in squares(pawns.other) {
            let row = solved.waits(pawns.without(square))[square];
            squares(NEIGHBOURS[square]).for_each(|king| self.wins[king] |= row);
        }
    }

    /// Adds the defender's moves of pawns and captures.
    fn add_others(&mut self, pawns: Pawns, belief: Belief, solved: &Solved<'_>) {
        for PawnMove { next, free, kind } in pawns.moves_of_other() {
            let ground = Ground::new(next);
            let mut lost = match kind {
                PawnMoveKind::Promotion(to) => others_promotion(next, to, belief, solved),
                _ => solved.to_move(next),
            };
            if let PawnMoveKind::Double(at, passed) = kind {
                for taken in next.takes_in_passing(at, passed) {
                    let wins = solved.waits(taken);
                    lost.iter_mut().zip(&wins).for_each(|(lost, wins)| *lost |= wins);
                }
            }
            for (king, lost) in lost.iter().enumerate() {
                let legal = off(free, king, ground.attacker_to_move(king));
                self.has_move[king] |= legal;
                self.escapes[king] |= legal & !lost;
            }
        }
        for square in squares(pawns.own) {
            let next = pawns.without(square);
            let (ground, wins) = (Ground::new(next), solved.to_move(next));
            for (king, wins) in wins.iter().enumerate() {
                let legal = ground.attacker_to_move(king) & bit(square);
                if legal != 0 {
                    self.has_move[king] |= NEIGHBOURS[square];
                }
                if legal & !wins != 0 {
                    self.escapes[king] |= NEIGHBOURS[square];
                }
            }
        }
    }
}

/// The attacker's wins behind a step of two squares that the defender may answer en passant.
fn after_double(next: Pawns, at: usize, passed: usize, belief: Belief, solved: &Solved<'_>) -> KingSets {
    let mut rows = solved.waits(next);
    let ground = Ground::new(next);
    let ways_to_take: Vec<Pawns> = next.taken_in_passing(at, passed).collect();
    if belief == Belief::Most && !ways_to_take.is_empty() {
        // It may be the only move: without it the defender would be stalemated.
        for (king, row) in rows.iter_mut().enumerate() {
            *row |= ground.defender_to_move(king) & !beside(ground.attacker_to_move(king));
        }
    }
    for taken in ways_to_take {
        let (beyond, wins) = (Ground::new(taken), solved.to_move(taken));
        for (king, row) in rows.iter_mut().enumerate() {
            *row &= !(beyond.attacker_to_move(king) & !wins[king]);
        }
    }
    rows
}

/// The attacker's wins behind a promotion, the defender to move.
fn own_promotion(next: Pawns, to: usize, belief: Belief, solved: &Solved<'_>) -> KingSets {
    if belief == Belief::Least {
        return solved.queen(next).map_or([0; 64], |queen| queen.lost_with_queen_on(to));
    }
    let may_reply = || next.moves_of_other().any(|mv| mv.is_promotion());
    if belief == Belief::Thumb && may_reply() {
        return [0; 64];
    }
    let is_guarded = attacks_upwards(next.own) & bit(to) != 0;
    let (ground, wins) = (Ground::new(next), solved.to_move(next));
    std::array::from_fn(|king| {
        let is_taken = !is_guarded && NEIGHBOURS[to] & bit(king) == 0;
        let loses_queen = is_taken && wins[king] & bit(to) == 0;
        // A king in check may not leave it to a pawn to be promoted.
        ground.defender_to_move(king) & if loses_queen { !NEIGHBOURS[to] } else { !0 }
    })
}

/// The attacker's wins behind a promotion of the defender's, the attacker to move.
fn others_promotion(next: Pawns, to: usize, belief: Belief, solved: &Solved<'_>) -> KingSets {
    if belief == Belief::Most {
        let queen = solved.queen_of_defender(next);
        let lost = queen.map_or([0; 64], |queen| turned(&queen.lost_with_queen_on(to ^ 56)));
        return lost.map(|lost| !lost);
    }
    let wins = solved.waits(next);
    std::array::from_fn(|king| if NEIGHBOURS[to] & bit(king) != 0 { wins[to] } else { 0 })
}
