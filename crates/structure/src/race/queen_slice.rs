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

use super::bitboard::{Bits, NEIGHBOURS, beside, bit, mirrored, queen_moves, squares};
use super::ground::{Ground, KingSets, Wins, mirrored_if};
use super::ways::{PawnMove, PawnMoveKind, Pawns, WayPlace, Ways};
use std::borrow::Cow;
use variant::Side;

/// By squares of the attacker's king and of the defender's: squares of the queen.
type QueenSets = [KingSets; 64];

/// By way: the slices of a new queen of White's and of Black's.
pub(super) type Queens = Vec<[Option<StoredSlice>; 2]>;

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
        let slice = self.queens.get(number)?[side.index()].as_ref()?.slice();
        Some(FoundQueen { slice, is_mirrored })
    }
}

/// Rows of which many are empty.
#[derive(Clone, PartialEq, Eq, Debug)]
struct SparseRows {
    /// By the attacker's king: the squares of the defender's whose rows are not empty.
    has: KingSets,
    /// By the attacker's king: where its rows begin.
    starts: [u16; 64],
    rows: Vec<Bits>,
}

impl SparseRows {
    fn new(sets: &QueenSets) -> Self {
        let mut sparse = SparseRows { has: [0; 64], starts: [0; 64], rows: Vec::with_capacity(2048) };
        for (king, rows) in sets.iter().enumerate() {
            sparse.starts[king] = sparse.rows.len() as u16;
            for (other, &row) in rows.iter().enumerate().filter(|(_, row)| **row != 0) {
                sparse.has[king] |= bit(other);
                sparse.rows.push(row);
            }
        }
        sparse.rows.shrink_to_fit();
        sparse
    }

    fn row(&self, king: usize, other: usize) -> Bits {
        let has = self.has[king];
        match has & bit(other) {
            0 => 0,
            _ => self.rows[usize::from(self.starts[king]) + (has & (bit(other) - 1)).count_ones() as usize],
        }
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.has.iter().chain(&self.rows).copied()
    }

    fn from_words(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let mut sparse = SparseRows { has: [0; 64], starts: [0; 64], rows: Vec::new() };
        for has in &mut sparse.has {
            *has = words.next()?;
        }
        let mut n_rows = 0;
        for (start, has) in sparse.starts.iter_mut().zip(&sparse.has) {
            *start = n_rows;
            n_rows += has.count_ones() as u16;
        }
        sparse.rows = words.take(n_rows.into()).collect();
        (sparse.rows.len() == usize::from(n_rows)).then_some(sparse)
    }
}

/// Where the attacker with a new queen wins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct QueenSlice {
    /// Where the defender to move has lost.
    lost: SparseRows,
    /// Where the attacker to move is not known to win, of legal positions.
    open: SparseRows,
}

/// A slice in memory.
#[derive(Debug)]
pub(super) enum StoredSlice {
    Ready(Box<QueenSlice>),
    /// In about a quarter of its room.
    Packed(Vec<u8>),
}

/// Slices are packed quickly: each of them is read several times, and not for long.
const ZSTD_LEVEL: i32 = 1;

fn sets() -> Box<QueenSets> {
    vec![[0; 64]; 64].try_into().expect("there are as many rows as squares")
}

impl QueenSlice {
    /// Finds the wins.
    pub(super) fn solve(pawns: Pawns, solved: &Solved<'_>) -> Self {
        let mut slice = Solver::new(pawns, solved);
        slice.add_captures_of_attacker(solved);
        slice.add_moves_of_defender(solved);
        slice.find_losses_of_defender();
        slice.follow();
        QueenSlice { lost: SparseRows::new(&slice.lost), open: SparseRows::new(&slice.open) }
    }
}

impl StoredSlice {
    /// Packs a slice, if it is to be.
    pub(super) fn new(slice: QueenSlice, is_packed: bool) -> Self {
        if !is_packed {
            return StoredSlice::Ready(Box::new(slice));
        }
        let words = slice.lost.words().chain(slice.open.words());
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        let packed = zstd::bulk::compress(&bytes, ZSTD_LEVEL);
        StoredSlice::Packed(packed.expect("there is room for all that is packed"))
    }

    /// The memory that it takes.
    pub(super) fn n_bytes(&self) -> u64 {
        let n_bytes = match self {
            StoredSlice::Ready(slice) => {
                size_of::<QueenSlice>() + 8 * (slice.lost.rows.len() + slice.open.rows.len())
            }
            StoredSlice::Packed(bytes) => bytes.len(),
        };
        (size_of::<Self>() + n_bytes) as u64
    }

    pub(super) fn slice(&self) -> Cow<'_, QueenSlice> {
        let packed = match self {
            StoredSlice::Ready(slice) => return Cow::Borrowed(slice),
            StoredSlice::Packed(packed) => packed,
        };
        let most = 2 * size_of::<QueenSets>() + 2 * size_of::<KingSets>();
        let bytes = zstd::bulk::decompress(packed, most).expect("it is as it was packed");
        let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let mut rows = || SparseRows::from_words(&mut words).expect("it is as it was packed");
        Cow::Owned(QueenSlice { lost: rows(), open: rows() })
    }
}

/// A slice that was solved already.
pub(super) struct FoundQueen<'a> {
    pub(super) slice: Cow<'a, QueenSlice>,
    /// Whether it stands there with the files exchanged.
    pub(super) is_mirrored: bool,
}

impl FoundQueen<'_> {
    fn row(&self, rows: &SparseRows, king: usize, other: usize) -> Bits {
        match self.is_mirrored {
            true => mirrored(rows.row(king ^ 7, other ^ 7)),
            false => rows.row(king, other),
        }
    }

    fn lost(&self, king: usize, other: usize) -> Bits {
        self.row(&self.slice.lost, king, other)
    }

    fn open(&self, king: usize, other: usize) -> Bits {
        self.row(&self.slice.open, king, other)
    }

    /// Where the defender to move has lost, by the kings' squares.
    pub(super) fn lost_with_queen_on(&self, square: usize) -> KingSets {
        let at = if self.is_mirrored { square ^ 7 } else { square };
        let lost = &self.slice.lost;
        let mut rows = lost.rows.iter();
        let sets = lost.has.map(|has| {
            let of_king = squares(has).zip(&mut rows);
            of_king.fold(0, |all, (other, row)| all | (row >> at & 1) << other)
        });
        mirrored_if(self.is_mirrored, &sets)
    }
}

/// The squares from which a queen attacks one, over a board with pawns.
struct Reach {
    square: usize,
    occupied: Bits,
    /// The squares if no king stands in between.
    free: Bits,
}

impl Reach {
    fn of(square: usize, occupied: Bits) -> Self {
        Reach { square, occupied, free: queen_moves(bit(square), !occupied) }
    }

    /// The squares past kings, which stand in between seldom.
    fn past(&self, kings: Bits) -> Bits {
        match self.free & kings {
            0 => self.free,
            _ => queen_moves(bit(self.square), !(self.occupied | kings)),
        }
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
        let (mut checks, mut open, mut saved, mut captures) = (sets(), sets(), sets(), sets());
        let all = pawns.all();
        let reach: [Reach; 64] = std::array::from_fn(|other| Reach::of(other, all));
        let by_pawns = solved.to_move(pawns);
        for king in squares(!all) {
            // The squares where the defender's king may take the queen, and where that saves him.
            let takes = !NEIGHBOURS[king] & !bit(king) & !ground.own_attacks & !all;
            let saves = takes & !by_pawns[king];
            for other in squares(ground.apart(king)) {
                let reach = reach[other].past(bit(king));
                checks[king][other] = reach;
                let anywhere = !(all | bit(king) | bit(other));
                if ground.own_attacks & bit(other) == 0 {
                    open[king][other] = anywhere & !reach;
                }
                saved[king][other] = NEIGHBOURS[other] & saves | ground.other_attacks;
                captures[king][other] = NEIGHBOURS[other] & takes;
            }
        }
        let (lost_unless_king, lost) = (sets(), sets());
        Solver { ground, checks, open, saved, captures, lost_unless_king, lost }
    }

    /// Marks the attacker's captures of pawns that win.
    fn add_captures_of_attacker(&mut self, solved: &Solved<'_>) {
        let pawns = self.ground.pawns;
        for square in squares(pawns.other) {
            let Some(next) = solved.queen(pawns.without(square)) else { continue };
            let by_king: KingSets = std::array::from_fn(|other| next.lost(square, other));
            for king in squares(NEIGHBOURS[square] & !pawns.all()) {
                self.open[king].iter_mut().zip(&by_king).for_each(|(open, won)| *open &= !won);
            }
            let from = Reach::of(square, pawns.all());
            let lost = next.lost_with_queen_on(square);
            for king in squares(!pawns.all()) {
                for other in squares(lost[king]) {
                    self.open[king][other] &= !from.past(bit(king) | bit(other));
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
            for king in squares(!free) {
                for other in squares(self.ground.apart(king) & !free) {
                    let saves = queen.as_ref().map_or(!0, |queen| queen.open(king, other));
                    self.saved[king][other] |= saves & !free;
                }
            }
        }
        for square in squares(pawns.own & !self.ground.own_attacks) {
            let next = pawns.without(square);
            let queen = solved.queen(next);
            let from = Reach::of(square, next.all());
            for king in squares(!(pawns.all() | NEIGHBOURS[square])) {
                let legal = !from.past(bit(king));
                let saves = queen.as_ref().map_or(!0, |queen| queen.open(king, square));
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
        for king in squares(!at) {
            // A king in check by a pawn may not leave it to another pawn to be promoted.
            for other in squares(self.ground.attacker_to_move(king) & !at) {
                let legal = !kings[other].past(bit(king)) & !at;
                let mut won = 0;
                if let Some(queen) = queen {
                    if lost_on[king] & bit(other) != 0 {
                        won |= queens.past(bit(king) | bit(other));
                    }
                    if NEIGHBOURS[to] & bit(king) != 0 {
                        won |= queen.lost(to, other);
                    }
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
            for other in squares(self.ground.defender_to_move(king)) {
                let legal = !(pawns.all() | bit(king) | bit(other));
                let candidates = legal & !self.saved[king][other];
                if candidates == 0 {
                    continue;
                }
                let has_step = squares(NEIGHBOURS[other] & goes)
                    .fold(0, |all, to| all | !(self.checks[king][to] | bit(to)));
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
                    let open = &self.open[king];
                    let escapes = squares(NEIGHBOURS[other]).fold(0, |all, to| all | open[to]);
                    let new = candidates & !escapes;
                    if new == 0 {
                        continue;
                    }
                    any_new = true;
                    self.lost[king][other] |= new;
                    let empty = !(pawns.all() | bit(king) | bit(other));
                    let from = queen_moves(new, empty) & self.open[king][other];
                    if from != 0 {
                        self.open[king][other] &= !from;
                        next_changed[king] |= bit(other);
                    }
                    for from in squares(NEIGHBOURS[king]) {
                        if self.open[from][other] & new != 0 {
                            self.open[from][other] &= !new;
                            next_changed[from] |= bit(other);
                        }
                    }
                }
            }
            if !any_new {
                return;
            }
            changed = next_changed;
        }
    }
}
