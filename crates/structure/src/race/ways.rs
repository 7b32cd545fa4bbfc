//! Enumerates the ways in which pawns can stand while no pawn is promoted.
//!
//! A way is the squares of White's pawns and of Black's. Every move of a pawn and every capture leads to a
//! way that is later: pawns do not go back and do not come again. So ways are numbered by what is left to
//! move, and a way reads only ways of smaller numbers.

use super::bitboard::{
    Bits, FIRST_RANK, LAST_RANK, attacks_downwards, attacks_upwards, bit, mirrored, squares,
};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::ops::Range;
use variant::Side;

/// The squares of the pawns of a side and of the other one. The side's pawns move up the board, so for Black
/// the board is turned upside down.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Pawns {
    pub(super) own: Bits,
    pub(super) other: Bits,
}

/// A pawn counts for more than the steps that all pawns have left, six each.
const PAWN: u32 = 128;

/// What a move takes of that which is left at most: a captured pawn with six steps, and a step of the
/// captor.
const MOST_TAKEN: u32 = PAWN + 6 + 1;

/// Where a way is found: its number, and whether it stands there with the files exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WayPlace {
    pub(super) number: usize,
    pub(super) is_mirrored: bool,
}

/// A step of a pawn, or its capture.
#[derive(Clone, Copy, Debug)]
pub(super) struct PawnMove {
    /// Where the pawns stand behind it. A pawn that is promoted is none of them.
    pub(super) next: Pawns,
    /// The squares that have to be free of kings.
    pub(super) free: Bits,
    /// What the move is beside a step.
    pub(super) kind: PawnMoveKind,
}

/// What a move of a pawn is beside a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PawnMoveKind {
    /// A step of one square, or a capture.
    Plain,
    /// A step of two squares: where the pawn stands now, and the square that it has passed.
    Double(usize, usize),
    /// A promotion on this square.
    Promotion(usize),
}

impl PawnMove {
    pub(super) fn is_promotion(&self) -> bool {
        matches!(self.kind, PawnMoveKind::Promotion(_))
    }
}

impl Pawns {
    /// All squares with pawns.
    pub(super) fn all(self) -> Bits {
        self.own | self.other
    }

    /// The pawns as the other side sees them.
    pub(super) fn turned(self) -> Self {
        Pawns { own: self.other.swap_bytes(), other: self.own.swap_bytes() }
    }

    /// The pawns as a side sees them, of which White sees them like this.
    pub(super) fn seen_by(self, side: Side) -> Self {
        if side == Side::White { self } else { self.turned() }
    }

    /// The pawns with the files exchanged, if these are to be.
    pub(super) fn mirrored_if(self, is_mirrored: bool) -> Self {
        match is_mirrored {
            true => Pawns { own: mirrored(self.own), other: mirrored(self.other) },
            false => self,
        }
    }

    /// Of the pawns and their mirror image the one that stands for both, and whether that is the image.
    fn canonical(self) -> (Self, bool) {
        let image = self.mirrored_if(true);
        if image < self { (image, true) } else { (self, false) }
    }

    /// These pawns without one, whose side does not matter.
    pub(super) fn without(self, square: usize) -> Self {
        Pawns { own: self.own & !bit(square), other: self.other & !bit(square) }
    }

    /// The moves of the side's own pawns, those that capture en passant aside.
    pub(super) fn moves(self) -> Vec<PawnMove> {
        let mut moves = Vec::new();
        for square in squares(self.own) {
            let (rest, to) = (self.own & !bit(square), square + 8);
            if bit(to) & self.all() == 0 {
                let steps = |to: usize| Pawns { own: rest | bit(to), other: self.other };
                let free = bit(to);
                if free & LAST_RANK != 0 {
                    let next = Pawns { own: rest, other: self.other };
                    moves.push(PawnMove { next, free, kind: PawnMoveKind::Promotion(to) });
                } else {
                    moves.push(PawnMove { next: steps(to), free, kind: PawnMoveKind::Plain });
                }
                let far = to + 8;
                if bit(square) & FIRST_RANK << 8 != 0 && bit(far) & self.all() == 0 {
                    let kind = PawnMoveKind::Double(far, to);
                    moves.push(PawnMove { next: steps(far), free: free | bit(far), kind });
                }
            }
            for victim in squares(attacks_upwards(bit(square)) & self.other) {
                let next = Pawns { own: rest | bit(victim), other: self.other & !bit(victim) };
                moves.push(PawnMove { next, free: 0, kind: PawnMoveKind::Plain });
            }
        }
        moves
    }

    /// The moves of the other side's pawns, as this side sees them.
    pub(super) fn moves_of_other(self) -> impl Iterator<Item = PawnMove> {
        self.turned().moves().into_iter().map(|PawnMove { next, free, kind }| {
            let kind = match kind {
                PawnMoveKind::Plain => kind,
                PawnMoveKind::Double(at, passed) => PawnMoveKind::Double(at ^ 56, passed ^ 56),
                PawnMoveKind::Promotion(to) => PawnMoveKind::Promotion(to ^ 56),
            };
            PawnMove { next: next.turned(), free: free.swap_bytes(), kind }
        })
    }

    /// Where the pawns stand when a pawn of the other side captures en passant a pawn of this side's that
    /// has moved two squares to `at`, over `passed`.
    pub(super) fn taken_in_passing(self, at: usize, passed: usize) -> impl Iterator<Item = Pawns> {
        let takers = attacks_upwards(bit(passed)) & self.other;
        let own = self.own & !bit(at);
        squares(takers).map(move |taker| Pawns { own, other: self.other & !bit(taker) | bit(passed) })
    }

    /// Like [`Self::taken_in_passing`], of a pawn of the other side's that a pawn of this side captures.
    pub(super) fn takes_in_passing(self, at: usize, passed: usize) -> impl Iterator<Item = Pawns> {
        let takers = attacks_downwards(bit(passed)) & self.own;
        let other = self.other & !bit(at);
        squares(takers).map(move |taker| Pawns { own: self.own & !bit(taker) | bit(passed), other })
    }

    /// What is left to move: of two ways that follow each other the later one has less, by [`MOST_TAKEN`]
    /// at most. A way with fewer pawns has less than any with more.
    fn left(self) -> u32 {
        let steps = |pawns: Bits| squares(pawns).map(|square| 7 - square as u32 / 8).sum::<u32>();
        self.all().count_ones() * PAWN + steps(self.own) + steps(self.other.swap_bytes())
    }

    /// All ways that one move leads to, a promoted man being captured at once.
    fn following(self, mut visit: impl FnMut(Pawns)) {
        for PawnMove { next, kind, .. } in self.moves() {
            visit(next);
            if let PawnMoveKind::Double(at, passed) = kind {
                next.taken_in_passing(at, passed).for_each(&mut visit);
            }
        }
        squares(self.other).for_each(|square| visit(self.without(square)));
    }
}

/// All ways that can come from some; of mirror images one.
#[derive(Debug)]
pub(super) struct Ways {
    /// The ways as White sees them, by number.
    pub(super) all: Vec<Pawns>,
    ids: HashMap<Pawns, u32, FixedState>,
    /// Ways of which none reads another.
    pub(super) levels: Vec<Range<usize>>,
}

impl Ways {
    /// Follows all moves; none if there are more ways than `most`, or if the caller does not go on.
    pub(super) fn new(roots: &[Pawns], most: usize, goes_on: impl Fn(usize) -> bool) -> Option<Self> {
        let mut ids: HashMap<Pawns, u32, FixedState> = HashMap::default();
        let mut open: Vec<Pawns> = Vec::new();
        let add = |ids: &mut HashMap<_, _, _>, open: &mut Vec<Pawns>, way: Pawns| {
            let (way, _) = way.canonical();
            if ids.insert(way, 0).is_none() {
                open.push(way);
            }
        };
        roots.iter().for_each(|&root| add(&mut ids, &mut open, root));
        let mut n_followed = 0;
        while let Some(way) = open.pop() {
            way.following(|next| add(&mut ids, &mut open, next));
            way.turned().following(|next| add(&mut ids, &mut open, next.turned()));
            n_followed += 1;
            if ids.len() > most || (n_followed % 4096 == 0 && !goes_on(ids.len())) {
                return None;
            }
        }
        let mut all: Vec<Pawns> = ids.keys().copied().collect();
        all.sort_unstable_by_key(|way| (way.left(), *way));
        let mut levels: Vec<Range<usize>> = Vec::new();
        for (number, way) in all.iter().enumerate() {
            ids.insert(*way, number as u32);
            match levels.last_mut().filter(|level| all[level.start].left() == way.left()) {
                Some(level) => level.end = number + 1,
                None => levels.push(number..number + 1),
            }
        }
        Some(Ways { all, ids, levels })
    }

    /// The ways whose last possible reader is in the level before this one.
    pub(super) fn gone(&self, level: &Range<usize>) -> Range<usize> {
        let n_gone = |left: u32| self.all.partition_point(|way| way.left() + MOST_TAKEN < left);
        let before = level.start.checked_sub(1).map_or(0, |way| n_gone(self.all[way].left()));
        before..n_gone(self.all[level.start].left())
    }

    /// How many ways are kept at most at a time, each as long as another reads it.
    pub(super) fn most_kept(&self) -> usize {
        let kept = self.levels.iter().map(|level| level.end - self.gone(level).end);
        kept.max().unwrap_or(0)
    }

    /// Finds a way that a side sees like this.
    pub(super) fn find(&self, side: Side, pawns: Pawns) -> Option<WayPlace> {
        let (way, is_mirrored) = pawns.seen_by(side).canonical();
        self.ids.get(&way).map(|&number| WayPlace { number: number as usize, is_mirrored })
    }
}
