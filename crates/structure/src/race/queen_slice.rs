//! Proves wins of a new queen: king, queen and pawns against king and pawns.
//!
//! The question is whether the queen's side, the attacker, wins, and not what all positions are worth; what
//! seldom decides is given to the defender, so that what is found are wins, if not all of them:
//!
//! - the attacker's pawns stand still;
//! - the defender saves himself by a promotion, unless queen or king take the new man at once;
//! - the defender saves himself where a pawn takes the queen. Where the king takes her the pawns decide.
//!
//! A set has a row for each pair of squares of the kings, and in it a bit for each square of the queen. Her
//! moves are fills of a row, steps of kings join rows. What a pass has changed is followed and nothing else.

use super::bitboard::{Bits, Bordered, HIDDEN, NEIGHBOURS, beside, bit, queen_moves, squares};
use super::ground::{Ground, KingSets, Wins, mirrored_if};
use super::queen_sets::{QueenSets, no_sets, pack, unpack_all, unpack_king, unpack_square};
use super::ways::{PawnMove, PawnMoveKind, Pawns, WayPlace, Ways};
use variant::Side;

/// By way: the slices of a new queen of White's and of Black's.
pub(super) type Queens = Vec<[Option<QueenSlice>; 2]>;

/// Most slices have fewer bytes.
const PACKED_BYTES: usize = 1 << 13;

/// The ways that are solved already, as one side sees them, the attacker.
pub(super) struct Solved<'a> {
    pub(super) ways: &'a Ways,
    pub(super) side: Side,
    /// By way: the wins of both sides.
    pub(super) wins: &'a dyn Fn(usize) -> &'a [Wins; 2],
    pub(super) queens: &'a Queens,
}

impl Solved<'_> {
    fn place(&self, pawns: Pawns) -> WayPlace {
        self.ways.find(self.side, pawns).expect("a move leads to a way")
    }

    fn wins(&self, number: usize) -> &Wins {
        &(self.wins)(number)[self.side.index()]
    }

    /// Where the attacker to move wins with these pawns.
    pub(super) fn to_move(&self, pawns: Pawns) -> KingSets {
        let WayPlace { number, is_mirrored } = self.place(pawns);
        mirrored_if(is_mirrored, &self.wins(number).to_move)
    }

    /// Where the attacker wins with these pawns, the defender to move.
    pub(super) fn waits(&self, pawns: Pawns) -> KingSets {
        let WayPlace { number, is_mirrored } = self.place(pawns);
        mirrored_if(is_mirrored, &self.wins(number).waits)
    }

    /// The slice of a new queen of the attacker's beside these pawns; none if it was not solved.
    pub(super) fn queen(&self, pawns: Pawns) -> Option<FoundQueen<'_>> {
        self.queen_of(self.side, pawns)
    }

    /// The slice of a new queen of the defender's beside these pawns, as the defender sees it.
    pub(super) fn queen_of_defender(&self, pawns: Pawns) -> Option<FoundQueen<'_>> {
        self.queen_of(!self.side, pawns)
    }

    fn queen_of(&self, side: Side, pawns: Pawns) -> Option<FoundQueen<'_>> {
        let WayPlace { number, is_mirrored } = self.place(pawns);
        let slice = self.queens.get(number)?[side.index()].as_ref()?;
        let ground = Ground::new(self.ways.all[number].seen_by(side));
        Some(FoundQueen { slice, ground, is_mirrored })
    }
}

/// Where the attacker with a new queen wins, packed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct QueenSlice {
    /// Where the defender to move has lost; from here on where the attacker to move is not known to win, of
    /// legal positions.
    bytes: Box<[u8]>,
    n_lost: u32,
}

impl QueenSlice {
    /// Finds the wins.
    pub(super) fn solve(pawns: Pawns, solved: &Solved<'_>) -> Self {
        let mut slice = Solver::new(pawns, solved);
        slice.add_captures_of_attacker(solved);
        slice.add_moves_of_defender(solved);
        slice.find_losses_of_defender();
        slice.follow();
        let (ground, mut bytes) = (slice.ground, Vec::with_capacity(PACKED_BYTES));
        pack(&slice.lost, |king| ground.defender_to_move(king), &mut bytes);
        let n_lost = bytes.len() as u32;
        pack(&slice.open, |king| ground.attacker_to_move(king), &mut bytes);
        QueenSlice { bytes: bytes.into(), n_lost }
    }
}

/// A slice that was solved already.
pub(super) struct FoundQueen<'a> {
    slice: &'a QueenSlice,
    /// Where kings may stand in it.
    ground: Ground,
    /// Whether it stands there with the files exchanged.
    is_mirrored: bool,
}

impl FoundQueen<'_> {
    /// Where the attacker to move is not known to win.
    fn open(&self) -> Box<QueenSets> {
        let bytes = &self.slice.bytes[self.slice.n_lost as usize..];
        unpack_all(bytes, |king| self.ground.attacker_to_move(king), self.is_mirrored)
    }

    /// Where the defender to move has lost, by the kings' squares.
    pub(super) fn lost_with_queen_on(&self, square: usize) -> KingSets {
        let may_stand = |king| self.ground.defender_to_move(king);
        mirrored_if(self.is_mirrored, &unpack_square(self.lost(), may_stand, square ^ self.mirror()))
    }

    /// Where the defender to move has lost with the attacker's king on a square, by the defender's square.
    fn lost_with_king_on(&self, square: usize) -> KingSets {
        let may_stand = |king| self.ground.defender_to_move(king);
        mirrored_if(self.is_mirrored, &unpack_king(self.lost(), may_stand, square ^ self.mirror()))
    }

    fn lost(&self) -> &[u8] {
        &self.slice.bytes[..self.slice.n_lost as usize]
    }

    fn mirror(&self) -> usize {
        if self.is_mirrored { 7 } else { 0 }
    }
}

/// The squares from which a queen attacks one, over a board with pawns.
struct Reach {
    square: usize,
    /// The squares if no king stands in between.
    free: Bits,
}

impl Reach {
    fn of(square: usize, occupied: Bits) -> Self {
        Reach { square, free: queen_moves(bit(square), !occupied) }
    }

    /// The squares past a king.
    fn past(&self, king: usize) -> Bits {
        self.free & !HIDDEN[self.square][king]
    }
}

struct Solver {
    ground: Ground,
    /// The squares from which a queen attacks the defender's king.
    checks: Box<QueenSets>,
    /// Where the attacker to move is not known to win, of legal positions.
    open: Box<QueenSets>,
    /// Where the defender to move is saved by another move than a step of the king.
    saved: Box<QueenSets>,
    /// Where the defender has a capture by the king.
    captures: Box<QueenSets>,
    /// Where the defender to move loses if no step of the king saves.
    lost_unless_king: Box<QueenSets>,
    lost: Box<QueenSets>,
}

impl Solver {
    fn new(pawns: Pawns, solved: &Solved<'_>) -> Self {
        let ground = Ground::new(pawns);
        let (mut checks, mut open, mut saved, mut captures) = (no_sets(), no_sets(), no_sets(), no_sets());
        let all = pawns.all();
        let reach: [Reach; 64] = std::array::from_fn(|other| Reach::of(other, all));
        let by_pawns = solved.to_move(pawns);
        for king in squares(!all) {
            // The squares where the defender's king may take the queen, and where that saves him.
            let takes = !NEIGHBOURS[king] & !bit(king) & !ground.own_attacks & !all;
            let saves = takes & !by_pawns[king];
            for other in squares(ground.apart(king)) {
                let reach = reach[other].past(king);
                checks[king][other] = reach;
                let anywhere = !(all | bit(king) | bit(other));
                if ground.own_attacks & bit(other) == 0 {
                    open[king][other] = anywhere & !reach;
                }
                saved[king][other] = NEIGHBOURS[other] & saves | ground.other_attacks;
                captures[king][other] = NEIGHBOURS[other] & takes;
            }
        }
        let (lost_unless_king, lost) = (no_sets(), no_sets());
        Solver { ground, checks, open, saved, captures, lost_unless_king, lost }
    }

    /// Marks the attacker's captures of pawns that win.
    fn add_captures_of_attacker(&mut self, solved: &Solved<'_>) {
        let pawns = self.ground.pawns;
        for square in squares(pawns.other) {
            let Some(next) = solved.queen(pawns.without(square)) else { continue };
            let by_king = next.lost_with_king_on(square);
            for king in squares(NEIGHBOURS[square] & !pawns.all()) {
                self.open[king].iter_mut().zip(&by_king).for_each(|(open, won)| *open &= !won);
            }
            let from = Reach::of(square, pawns.all());
            let lost = next.lost_with_queen_on(square);
            for king in squares(!pawns.all()) {
                for other in squares(lost[king]) {
                    self.open[king][other] &= !(from.past(king) & from.past(other));
                }
            }
        }
    }

    /// Marks where pawns save the defender, and captures of pawns.
    fn add_moves_of_defender(&mut self, solved: &Solved<'_>) {
        let pawns = self.ground.pawns;
        for PawnMove { next, free, kind } in pawns.moves_of_other() {
            let queen = solved.queen(next);
            if let PawnMoveKind::Promotion(to) = kind {
                self.add_promotion(next, to, queen.as_ref());
                continue;
            }
            let open = queen.as_ref().map(FoundQueen::open);
            for king in squares(!free) {
                for other in squares(self.ground.apart(king) & !free) {
                    let saves = open.as_ref().map_or(!0, |open| open[king][other]);
                    self.saved[king][other] |= saves & !free;
                }
            }
        }
        for square in squares(pawns.own & !self.ground.own_attacks) {
            let next = pawns.without(square);
            let open = solved.queen(next).map(|queen| queen.open());
            let from = Reach::of(square, next.all());
            for king in squares(!(pawns.all() | NEIGHBOURS[square])) {
                let legal = !from.past(king);
                let saves = open.as_ref().map_or(!0, |open| open[king][square]);
                for other in squares(NEIGHBOURS[square]) {
                    self.saved[king][other] |= saves & legal;
                    self.captures[king][other] |= legal;
                }
            }
        }
    }

    /// Marks where a promotion saves the defender.
    fn add_promotion(&mut self, next: Pawns, to: usize, queen: Option<&FoundQueen<'_>>) {
        let (all, at) = (next.all(), bit(to));
        let kings: Vec<Reach> = (0..64).map(|other| Reach::of(other, all | at)).collect();
        let queens = Reach::of(to, all);
        let lost_on = queen.map_or([0; 64], |queen| queen.lost_with_queen_on(to));
        let by_king = queen.map_or([0; 64], |queen| queen.lost_with_king_on(to));
        for king in squares(!at) {
            // A king in check by a pawn may not leave it to another pawn to be promoted.
            for other in squares(self.ground.attacker_to_move(king) & !at) {
                let legal = !kings[other].past(king) & !at;
                let mut won = if NEIGHBOURS[to] & bit(king) != 0 { by_king[other] } else { 0 };
                if lost_on[king] & bit(other) != 0 {
                    won |= queens.past(king) & queens.past(other);
                }
                self.saved[king][other] |= legal & !won;
            }
        }
    }

    /// Finds where the defender to move has lost if no step of the king saves.
    fn find_losses_of_defender(&mut self) {
        let pawns = self.ground.pawns;
        let steps: Vec<PawnMove> = pawns.moves_of_other().collect();
        for king in 0..64 {
            // Squares where the king may go, whatever the queen says.
            let goes = self.ground.attacker_to_move(king);
            let step = |to: usize| if goes & bit(to) != 0 { !(self.checks[king][to] | bit(to)) } else { 0 };
            let steps_of_king = Bordered::new(&std::array::from_fn(step));
            for other in squares(self.ground.defender_to_move(king)) {
                let legal = !(pawns.all() | bit(king) | bit(other));
                let candidates = legal & !self.saved[king][other];
                if candidates == 0 {
                    continue;
                }
                let has_step = steps_of_king.beside(other);
                let by_pawn = self.ground.own_attacks & bit(other) != 0;
                let in_check = if by_pawn { !0 } else { self.checks[king][other] };
                let mut told = has_step | self.captures[king][other] | in_check;
                if candidates & !told != 0 {
                    for mv in &steps {
                        if mv.free & (bit(king) | bit(other)) == 0 {
                            let new_man = if let PawnMoveKind::Promotion(to) = mv.kind { bit(to) } else { 0 };
                            let occupied = mv.next.all() | new_man | bit(king);
                            told |= !queen_moves(bit(other), !occupied) & !mv.free & !mv.next.all();
                        }
                    }
                }
                self.lost_unless_king[king][other] = candidates & told;
            }
        }
    }

    /// Follows steps of kings and moves of the queen until nothing changes.
    fn follow(&mut self) {
        let pawns = self.ground.pawns;
        let mut all_open: Vec<Bordered> = self.open.iter().map(Bordered::new).collect();
        // By the attacker's king: the squares of the defender's whose rows have changed.
        let mut changed: KingSets = [!0; 64];
        loop {
            let mut any_new = false;
            let mut next_changed: KingSets = [0; 64];
            for king in squares(!pawns.all()) {
                for other in squares(beside(changed[king])) {
                    let candidates = self.lost_unless_king[king][other] & !self.lost[king][other];
                    if candidates == 0 {
                        continue;
                    }
                    let open = &mut all_open[king];
                    let new = candidates & !open.beside(other);
                    if new == 0 {
                        continue;
                    }
                    any_new = true;
                    self.lost[king][other] |= new;
                    let empty = !(pawns.all() | bit(king) | bit(other));
                    let from = queen_moves(new, empty) & open.get(other);
                    if from != 0 {
                        open.remove(other, from);
                        next_changed[king] |= bit(other);
                    }
                    for from in squares(NEIGHBOURS[king]) {
                        if all_open[from].get(other) & new != 0 {
                            all_open[from].remove(other, new);
                            next_changed[from] |= bit(other);
                        }
                    }
                }
            }
            if !any_new {
                break;
            }
            changed = next_changed;
        }
        for (rows, open) in self.open.iter_mut().zip(&all_open) {
            *rows = std::array::from_fn(|other| open.get(other));
        }
    }
}
