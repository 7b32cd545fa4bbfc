//! Stores a position: men on squares, the side to move, and the rights to castle and to capture en passant.

use crate::book::{DoubleStep, RuleBook};
use geometry::{MAX_SQUARES, Square, SquareSet};
use variant::{Man, Material, PieceId, Side, Wing};

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
    /// By side: the checks that it has given, where the game counts them.
    pub(crate) given_checks: [u8; 2],
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
            given_checks: [0; 2],
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

    /// The position of a material whose men stand so, its sides having given its checks; none if two men
    /// share a square.
    #[must_use]
    pub fn of_material(
        material: &Material,
        men: impl IntoIterator<Item = (Man, Square)>,
        stm: Side,
    ) -> Option<Self> {
        Some(Position::from_men(men, stm)?.with_given_checks(material.given_checks()))
    }

    /// The men, whatever squares they stand on and however their colours would stand in a table.
    #[must_use]
    pub fn material(&self) -> Material {
        Material::from_men(self.men().map(|(man, _)| man)).with_given_checks(self.given_checks)
    }

    /// This position, either side having given this number of checks before.
    #[must_use]
    pub fn with_given_checks(mut self, given_checks: [u8; 2]) -> Self {
        self.given_checks = given_checks;
        self
    }

    /// By side: the checks that it has given, where the game counts them; 0 elsewhere.
    #[must_use]
    pub fn given_checks(&self) -> [u8; 2] {
        self.given_checks
    }

    /// This position with this right to capture en passant, or none. The right is taken as given:
    /// [`Position::en_passant_rights`] lists those that there can be.
    #[must_use]
    pub fn with_en_passant(mut self, right: Option<EnPassant>) -> Self {
        self.en_passant = right;
        self
    }

    /// This position, `plies` plies after the last capture or pawn move.
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

    /// The pawn that may be captured en passant, whether or not a pawn can.
    #[must_use]
    pub fn en_passant(&self) -> Option<EnPassant> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move, from the FEN or from the maker of the position; moves that
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

    /// All that the position is but for its clocks, as bytes that may be compared: positions of one game
    /// with the same key are the same.
    #[must_use]
    pub fn key(&self, book: &RuleBook) -> Box<[u8]> {
        let men = self
            .men()
            .flat_map(|(man, square)| [man.piece.0 << 1 | man.side.index() as u8, square.index() as u8]);
        let has_pawn = || self.men_of(self.stm).any(|(man, _)| book.variant().is_pawn(man));
        let passed =
            self.en_passant.filter(|_| has_pawn()).map_or(u8::MAX, |right| right.passed.index() as u8);
        let rights = self.castling.squares().iter().map(|square| square.index() as u8);
        let head = [self.n_men() as u8, self.stm.index() as u8, passed];
        head.into_iter().chain(self.given_checks).chain(men).chain(rights).collect()
    }

    /// Whether no man stands on any of these squares.
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

/// Who may still castle: the squares of the men that have not moved.
///
/// A right belongs to the two men that have not moved, and is lost with the first of them that leaves its
/// square, by a move or for good. So the squares are all that is kept, and taking a man off such a square is
/// all that is needed to lose a right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct CastlingRights {
    /// By side.
    sides: [SideRights; 2],
}

/// One side's rights.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
struct SideRights {
    /// Where the king stands; none exactly if there is no rook.
    king: Option<Square>,
    /// By wing: the rook's square.
    rooks: [Option<Square>; 2],
}

/// A right that there can be: a king and a rook where they begin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CastlingRight {
    /// Whose right.
    pub side: Side,
    /// On which side of the king the rook stands.
    pub wing: Wing,
    /// The king's square.
    pub king: Square,
    /// The rook's square.
    pub rook: Square,
}

/// What the rook does while the king castles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RookStep {
    /// On which side of the king it stood.
    pub wing: Wing,
    /// Where it comes from.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
}

impl CastlingRights {
    /// No side may castle.
    pub const NONE: CastlingRights =
        CastlingRights { sides: [SideRights { king: None, rooks: [None; 2] }; 2] };

    /// Whether no side may castle.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.sides.iter().all(|side| side.king.is_none())
    }

    /// The square of the king that may castle.
    #[must_use]
    pub fn king(self, side: Side) -> Option<Square> {
        self.sides[side.index()].king
    }

    /// The square of the rook with which a side may castle on this wing.
    #[must_use]
    pub fn rook(self, side: Side, wing: Wing) -> Option<Square> {
        self.sides[side.index()].rooks[wing.index()]
    }

    /// The rights one by one, White's first, the king's side first.
    pub fn iter(self) -> impl Iterator<Item = CastlingRight> {
        let wings = Side::BOTH.into_iter().flat_map(|side| Wing::BOTH.map(|wing| (side, wing)));
        wings.filter_map(move |(side, wing)| {
            Some(CastlingRight { side, wing, king: self.king(side)?, rook: self.rook(side, wing)? })
        })
    }

    /// These rights and one more, in place of another of the same wing; rights of a king elsewhere are lost.
    #[must_use]
    pub fn with(mut self, right: CastlingRight) -> Self {
        let side = &mut self.sides[right.side.index()];
        if side.king != Some(right.king) {
            *side = SideRights { king: Some(right.king), rooks: [None; 2] };
        }
        side.rooks[right.wing.index()] = Some(right.rook);
        self
    }

    /// What is left of the rights without the man on a square.
    #[must_use]
    pub fn without(mut self, square: Square) -> Self {
        for side in &mut self.sides {
            for rook in side.rooks.iter_mut().filter(|rook| **rook == Some(square)) {
                *rook = None;
            }
            if side.king == Some(square) || side.rooks == [None; 2] {
                *side = SideRights::default();
            }
        }
        self
    }

    /// The squares of all men that hold a right.
    #[must_use]
    pub fn squares(self) -> SquareSet {
        self.iter().flat_map(|right| [right.king, right.rook]).collect()
    }
}

impl FromIterator<CastlingRight> for CastlingRights {
    fn from_iter<I: IntoIterator<Item = CastlingRight>>(rights: I) -> Self {
        rights.into_iter().fold(CastlingRights::NONE, CastlingRights::with)
    }
}
