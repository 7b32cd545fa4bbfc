//! Lists the exits of a slice: what captures and pawn moves make of its pawns.
//!
//! The mobile men may stand anywhere, so a move counts if they could stand so that it is possible. These are
//! the exits that the solver reads for a slice (`solve::successor`): a slice that is missing here would be
//! taken for illegal there, and `verify` would find it. What every run gives away no run reads.

use crate::pawn_material::{PawnMaterial, PawnSquares};
use crate::{Bound, Limit};
use geometry::Square;
use variant::exit::Change;
use variant::{Man, PawnRules, PawnStep, Side, Variant};

/// The moves of pawns that all runs of a structure give away.
#[derive(Default, Debug)]
pub(crate) struct GivenSteps {
    all: Vec<PawnStep>,
    /// Those that are not read as captures en passant either: the winner's are played as others are.
    replies: Vec<PawnStep>,
}

impl GivenSteps {
    /// Those of runs for these bounds.
    pub(crate) fn new(variant: &Variant, limit: &Limit, bounds: &[Bound]) -> Self {
        let left_out: Vec<_> = bounds.iter().map(|&bound| limit.left_out(bound, variant, &[])).collect();
        let first = left_out.first().map_or(&[][..], |first| &first.pawn_moves);
        let by_all = |step: &&PawnStep| left_out.iter().all(|run| run.pawn_moves.contains(step));
        let all: Vec<PawnStep> = first.iter().filter(by_all).copied().collect();
        let is_losers = |(man, ..): &&PawnStep| left_out.iter().all(|run| run.loser == Some(man.side));
        let replies = all.iter().filter(is_losers).copied().collect();
        GivenSteps { all, replies }
    }
}

/// What a slice's exits are found with; the same for all slices of a kind.
pub(crate) struct Steps<'a> {
    variant: &'a Variant,
    kind: &'a PawnMaterial,
    given: &'a GivenSteps,
    /// By pawn: its rules and its movement's rays.
    pawns: Vec<(Man, PawnRules, Vec<piece::Ray>)>,
    /// By side: the places of the mobile men who can be captured, one of each like.
    victims: [Vec<usize>; 2],
    /// By side: whether it has a mobile man who can capture.
    captures: [bool; 2],
    /// The exits that do not move a pawn.
    standing: Vec<Change>,
    explodes: bool,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(variant: &'a Variant, kind: &'a PawnMaterial, given: &'a GivenSteps) -> Self {
        let explodes = variant.rules.blast.is_some();
        let men = &kind.men;
        let pawn = |&place: &usize| {
            let man = men[place];
            let rules = variant.pawn_rules(man).expect("a pawn has pawn rules");
            (man, rules, variant.movement(man).rays().to_vec())
        };
        let can_be_taken = |place: &usize| !variant.is_royal(men[*place]);
        let is_mobile = |place: &usize| !variant.is_pawn(men[*place]);
        let is_first = |place: &usize| !men[..*place].contains(&men[*place]);
        let victims = Side::BOTH.map(|side| {
            let own = (0..men.len()).filter(|&place| men[place].side == side);
            own.filter(can_be_taken).filter(is_mobile).filter(is_first).collect()
        });
        let captures = Side::BOTH.map(|side| {
            let own = (0..men.len()).filter(|&place| men[place].side == side).filter(is_mobile);
            own.into_iter().any(|place| !(explodes && variant.is_royal(men[place])))
        });
        let taken = |change: &Change| change.promoted.is_none();
        let standing = if explodes { kind.ways.keys().copied().filter(taken).collect() } else { Vec::new() };
        Steps {
            variant,
            kind,
            given,
            pawns: kind.pawns.iter().map(pawn).collect(),
            victims,
            captures,
            standing,
            explodes,
        }
    }

    /// Calls `visit` with every exit of the slice: what becomes of the men, and the squares of its pawns
    /// once they have moved; those of pawns that are gone are meaningless.
    pub(crate) fn for_each(&self, squares: &PawnSquares, visit: &mut impl FnMut(Change, &PawnSquares)) {
        let nothing = Change::new(None, None);
        for &change in &self.standing {
            visit(change, squares);
        }
        if !self.explodes {
            for side in Side::BOTH.into_iter().filter(|side| self.captures[side.index()]) {
                for &victim in &self.victims[(!side).index()] {
                    visit(Change::new(Some(victim), None), squares);
                }
                for (pawn, (man, ..)) in self.pawns.iter().enumerate() {
                    if man.side != side {
                        visit(Change::new(Some(self.kind.pawns[pawn]), None), squares);
                    }
                }
            }
        }
        let n = self.pawns.len();
        let on = |square: Square| (0..n).find(|&pawn| usize::from(squares[pawn]) == square.index());
        for (pawn, (man, rules, rays)) in self.pawns.iter().enumerate() {
            let board = &self.variant.board;
            let from = Square::from_index(squares[pawn].into());
            let is_given = |target| self.given.all.contains(&(*man, from, target));
            for ray in rays {
                let Some(target) = board.offset(from, ray.step) else { continue };
                let there = on(target);
                if ray.quiet && there.is_none() {
                    if !is_given(target) {
                        self.arrive((pawn, rules), target, None, squares, visit);
                    }
                    let twice =
                        board.offset(target, ray.step).filter(|_| rules.double_step_from.contains(from));
                    if let Some(twice) =
                        twice.filter(|&to| rules.zone.contains(to) && on(to).is_none() && !is_given(to))
                    {
                        let moved = with(squares, pawn, twice);
                        visit(nothing, &moved);
                        if rules.en_passant && !self.explodes {
                            self.answers(pawn, target, &moved, visit);
                        }
                    }
                }
                if ray.capture && !self.explodes && !is_given(target) {
                    match there {
                        Some(victim) if self.pawns[victim].0.side != man.side => {
                            let victim = Some(self.kind.pawns[victim]);
                            self.arrive((pawn, rules), target, victim, squares, visit);
                        }
                        Some(_) => {}
                        None => {
                            for &victim in &self.victims[(!man.side).index()] {
                                self.arrive((pawn, rules), target, Some(victim), squares, visit);
                            }
                        }
                    }
                }
            }
        }
    }

    /// A pawn arrives on a square, with a capture or without.
    fn arrive(
        &self,
        (pawn, rules): (usize, &PawnRules),
        target: Square,
        victim: Option<usize>,
        squares: &PawnSquares,
        visit: &mut impl FnMut(Change, &PawnSquares),
    ) {
        if rules.promotion.contains(target) {
            for &piece in &rules.promotes_to {
                visit(Change::new(victim, Some((self.kind.pawns[pawn], piece))), squares);
            }
        } else if rules.zone.contains(target) {
            visit(Change::new(victim, None), &with(squares, pawn, target));
        }
    }

    /// The captures en passant that answer a double step over `passed`.
    fn answers(
        &self,
        victim: usize,
        passed: Square,
        moved: &PawnSquares,
        visit: &mut impl FnMut(Change, &PawnSquares),
    ) {
        let side = self.pawns[victim].0.side;
        let others = self.pawns.iter().enumerate().filter(|(_, (man, ..))| man.side != side);
        for (pawn, (man, rules, rays)) in others {
            let from = Square::from_index(moved[pawn].into());
            let board = &self.variant.board;
            let is_given = self.given.replies.contains(&(*man, from, passed));
            if !is_given && rays.iter().any(|ray| ray.capture && board.offset(from, ray.step) == Some(passed))
            {
                self.arrive((pawn, rules), passed, Some(self.kind.pawns[victim]), moved, visit);
            }
        }
    }
}

fn with(squares: &PawnSquares, pawn: usize, square: Square) -> PawnSquares {
    let mut squares = *squares;
    squares[pawn] = square.index() as u8;
    squares
}
