//! Stores a position: men on squares, the side to move, and the rights to castle and to capture en passant.

use crate::CastlingRights;
use crate::book::{DoubleStep, RuleBook};
use geometry::{MAX_SQUARES, Square, SquareSet};
use variant::{Man, PieceId, Side};

/// A pawn that may be captured on the square it has just passed over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EnPassant {
    /// The square that the double step passed over; a capturing pawn goes there.
    pub passed: Square,
    /// The square on which the pawn stands that made the double step.
    pub victim: Square,
}

/// A position: men on squares and a side to move.
///
/// Two positions are equal if everything is, clocks too. Men may stand anywhere: [`Position::is_legal`] and
/// [`Position::from_fen`] check the rules.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// By square; positions are copied for every move tried, so a man is one byte.
    men: [ManByte; MAX_SQUARES],
    sides: [SquareSet; 2],
    stm: Side,
    pub(crate) en_passant: Option<EnPassant>,
    pub(crate) castling: CastlingRights,
    pub(crate) halfmove_clock: u32,
    pub(crate) fullmove: u32,
}

impl Position {
    /// The empty board.
    #[must_use]
    pub fn empty(stm: Side) -> Self {
        let sides = [SquareSet::EMPTY; 2];
        Position {
            men: [ManByte::NONE; MAX_SQUARES],
            sides,
            stm,
            en_passant: None,
            castling: CastlingRights::NONE,
            halfmove_clock: 0,
            fullmove: 1,
        }
    }

    /// The position of these men; none if two of them share a square.
    #[must_use]
    pub fn from_men(men: impl IntoIterator<Item = (Man, Square)>, stm: Side) -> Option<Self> {
        let mut position = Position::empty(stm);
        for (man, square) in men {
            if position.man_on(square).is_some() {
                return None;
            }
            position.put(man, square);
        }
        Some(position)
    }

    /// The same position with this right to capture en passant, or none. The right is taken as given:
    /// [`Position::en_passant_rights`] lists those that there can be.
    #[must_use]
    pub fn with_en_passant(mut self, right: Option<EnPassant>) -> Self {
        self.en_passant = right;
        self
    }

    /// The same position so many plies after the last capture or pawn move.
    #[must_use]
    pub fn with_halfmove_clock(mut self, plies: u32) -> Self {
        self.halfmove_clock = plies;
        self
    }

    /// Puts a man on a square, in place of whatever stands there.
    #[inline]
    pub fn put(&mut self, man: Man, square: Square) {
        self.take(square);
        self.men[square.index()] = ManByte::new(man);
        self.sides[man.side.index()].insert(square);
    }

    /// Takes the man off a square; a right to castle that he held is lost.
    #[inline]
    pub fn take(&mut self, square: Square) -> Option<Man> {
        let man = std::mem::replace(&mut self.men[square.index()], ManByte::NONE).man()?;
        let own = &mut self.sides[man.side.index()];
        *own = own.without(SquareSet::from_bits(1 << square.index()));
        if !self.castling.is_empty() {
            self.castling = self.castling.without(square);
        }
        Some(man)
    }

    /// Gives the move to a side; a right to capture en passant is lost.
    pub fn set_stm(&mut self, stm: Side) {
        self.stm = stm;
        self.en_passant = None;
    }

    /// The man on a square.
    #[inline]
    #[must_use]
    pub fn man_on(&self, square: Square) -> Option<Man> {
        self.men[square.index()].man()
    }

    /// All men with their squares, White's first, each side's by square.
    #[inline]
    pub fn men(&self) -> impl Iterator<Item = (Man, Square)> + '_ {
        self.men_of(Side::White).chain(self.men_of(Side::Black))
    }

    /// One side's men with their squares.
    #[inline]
    pub fn men_of(&self, side: Side) -> impl Iterator<Item = (Man, Square)> + '_ {
        self.sides[side.index()].iter().filter_map(|square| Some((self.man_on(square)?, square)))
    }

    /// The squares of one side's men.
    #[inline]
    #[must_use]
    pub fn squares_of(&self, side: Side) -> SquareSet {
        self.sides[side.index()]
    }

    /// How many men there are.
    #[must_use]
    pub fn n_men(&self) -> usize {
        self.sides.iter().map(|s| s.n_squares()).sum()
    }

    /// Who is to move.
    #[inline]
    #[must_use]
    pub fn stm(&self) -> Side {
        self.stm
    }

    /// The pawn that may be captured en passant, whether or not somebody can.
    #[must_use]
    pub fn en_passant(&self) -> Option<EnPassant> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move, from the FEN or from whoever made the position; moves that
    /// are played go on counting. No rule looks at it here.
    #[must_use]
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// The number of the move, from 1.
    #[must_use]
    pub fn fullmove(&self) -> u32 {
        self.fullmove
    }

    /// Whether nobody stands on any of these squares.
    pub(crate) fn are_empty(&self, squares: SquareSet) -> bool {
        self.sides.iter().all(|side| side.intersection(squares).is_empty())
    }

    /// Every right to capture en passant that a double step of the side not to move could just have left.
    #[must_use]
    pub fn en_passant_rights(&self, book: &RuleBook) -> Vec<EnPassant> {
        let mut rights = Vec::new();
        for (man, victim) in self.men_of(!self.stm) {
            let Some(pawn) = book.man(man).pawn.as_ref().filter(|pawn| pawn.en_passant) else { continue };
            let is_free =
                |step: &DoubleStep| self.are_empty(step.between) && self.man_on(step.from).is_none();
            for step in pawn.double_steps.iter().filter(|step| step.to == victim && is_free(step)) {
                rights.push(EnPassant { passed: step.passed, victim });
            }
        }
        rights
    }
}

/// A man or none: 0, else 1 + 2 × piece + side. Letters from A to Z leave room for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct ManByte(u8);

impl ManByte {
    const NONE: ManByte = ManByte(0);

    fn new(man: Man) -> Self {
        assert!(man.piece.0 < 127, "piece {} of at most 127", man.piece.0);
        ManByte(1 + 2 * man.piece.0 + man.side.index() as u8)
    }

    #[inline]
    fn man(self) -> Option<Man> {
        let number = self.0.checked_sub(1)?;
        Some(Man { side: Side::BOTH[usize::from(number % 2)], piece: PieceId(number / 2) })
    }
}
