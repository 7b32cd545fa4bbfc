//! A position as a reader of Syzygy files looks at it: who stands where, whether that can be, and whether the
//! game is over.
//!
//! Files leave to their readers whatever a capture decides, so a reader has to know how men move in the games
//! that files are about. It needs that for seven men at most, one position at a time: a list of men is
//! enough. The moves are in `moves`.

use crate::chess::{
    BLACK, Chessman, KING, MAX_MEN, PAWN, attacks, chessman, is_black, kind, name_of_men, reach,
};
use crate::{Family, RULE_PLIES, own};
use geometry::Square;
use std::collections::BTreeMap;
use variant::{Man, Side, Variant};

/// More plies than a file has room for.
const MOST_PLIES: u16 = 8_000;

/// A position of at most seven men in one of the games that files are about, without rights to castle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    pub(crate) family: Family,
    pub(crate) men: [(Chessman, u8); MAX_MEN],
    pub(crate) n_men: usize,
    pub(crate) is_black_to_move: bool,
    /// The square that a double step has just passed over.
    pub(crate) passed: Option<u8>,
    /// Plies of the n-move rule.
    pub(crate) rule_plies: u16,
    /// In a game of its own, the name of the file, and whether it has the colours exchanged.
    pub(crate) own_name: (own::Name, bool),
}

impl Board {
    /// The position of these men, who must be those of a variant with the rules of the game; none if a side
    /// has no man, has not one king where kings are royal, there are more than seven men, two stand on one
    /// square, or a pawn stands on a last rank. `passed` is the square that a double step has just passed
    /// over.
    #[must_use]
    pub fn new(
        family: Family,
        variant: &Variant,
        men: impl IntoIterator<Item = (Man, Square)>,
        stm: Side,
        passed: Option<Square>,
    ) -> Option<Self> {
        let placed: Vec<(Man, Square)> = men.into_iter().take(MAX_MEN + 1).collect();
        let kinds: Vec<Man> = placed.iter().map(|&(man, _)| man).collect();
        let numbers = chessmen(family, variant, &kinds)?;
        let squares = placed.iter().map(|(_, square)| square.index() as u8);
        let men: Vec<(Chessman, u8)> = numbers.into_iter().zip(squares).collect();
        let passed = passed.map(|square| square.index() as u8);
        let mut board = Board::of_men(family, &men, stm == Side::Black, passed)?;
        if family == Family::Own {
            board.own_name = own::name(variant, &kinds)?;
            board.rule_plies = rule_plies(variant);
        }
        let n = |side: Side, only: Option<Chessman>| {
            let own = board.men().iter().filter(|(man, _)| is_black(*man) == (side == Side::Black));
            own.filter(|(man, _)| only.is_none_or(|only| kind(*man) == only)).count()
        };
        let is_whole = |side: Side| match family.has_royal_kings() {
            true => n(side, Some(KING)) == 1,
            false => n(side, None) > 0,
        };
        Side::BOTH.into_iter().all(is_whole).then_some(board)
    }

    /// The position of these men; none if they cannot stand so.
    pub(crate) fn of_men(
        family: Family,
        men: &[(Chessman, u8)],
        is_black_to_move: bool,
        passed: Option<u8>,
    ) -> Option<Self> {
        let mut board = Board {
            family,
            men: [(0, 0); MAX_MEN],
            n_men: men.len(),
            is_black_to_move,
            passed,
            rule_plies: RULE_PLIES,
            own_name: Default::default(),
        };
        board.men.get_mut(..men.len())?.copy_from_slice(men);
        let mut occupied = 0u64;
        for &(man, square) in men {
            let is_misplaced = square > 63 || (kind(man) == PAWN && !(8..56).contains(&square));
            if is_misplaced || occupied >> square & 1 != 0 {
                return None;
            }
            occupied |= 1 << square;
        }
        Some(board)
    }

    /// The men and their squares.
    pub(crate) fn men(&self) -> &[(Chessman, u8)] {
        &self.men[..self.n_men]
    }

    /// Plies of the n-move rule.
    pub(crate) fn rule_plies(&self) -> u16 {
        self.rule_plies
    }

    /// Whose rules it has.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }

    pub(crate) fn is_black_to_move(&self) -> bool {
        self.is_black_to_move
    }

    /// The square that a double step has just passed over.
    pub(crate) fn passed(&self) -> Option<u8> {
        self.passed
    }

    /// The same position without the right to capture en passant.
    pub(crate) fn without_en_passant(&self) -> Self {
        Board { passed: None, ..*self }
    }

    /// The name of the file for these men, and whether it has the colours exchanged.
    pub(crate) fn name(&self) -> (String, bool) {
        if self.family == Family::Own {
            let (name, is_swapped) = &self.own_name;
            let letters = name.iter().take_while(|&&letter| letter != 0);
            return (letters.map(|&letter| char::from(letter)).collect(), *is_swapped);
        }
        name_of_men(self.men().iter().map(|&(man, _)| man))
    }

    /// A number for which men there are.
    pub(crate) fn key(&self) -> u64 {
        key_of_men(self.men().iter().map(|&(man, _)| man))
    }

    /// Which file has it: in a game of its own the same numbers may be those of other kinds of men.
    pub(crate) fn file_key(&self) -> FileKey {
        (self.family, self.key(), self.own_name.0)
    }

    /// The squares on which men stand.
    pub(crate) fn occupied(&self) -> u64 {
        self.men().iter().fold(0, |set, &(_, square)| set | 1 << square)
    }

    /// The men of the side to move and their places.
    pub(crate) fn own_men(&self) -> impl Iterator<Item = (usize, &(Chessman, u8))> {
        self.men().iter().enumerate().filter(|(_, (man, _))| is_black(*man) == self.is_black_to_move)
    }

    /// Whether the side to move has anything but pawns.
    pub(crate) fn has_piece(&self) -> bool {
        self.own_men().any(|(_, &(man, _))| kind(man) != PAWN)
    }

    /// The square of a side's royal king, if he is still there.
    fn king(&self, black: bool) -> Option<u8> {
        let king = if black { KING | BLACK } else { KING };
        self.men().iter().find(|(man, _)| *man == king).map(|&(_, square)| square)
    }

    /// Whether the king of a side is attacked. Where captures explode nobody attacks a king whom the other
    /// one stands beside: he would be blown up too.
    fn is_attacked(&self, black: bool) -> bool {
        let Some(square) = self.king(black) else { return true };
        if self.family == Family::Atomic
            && self.king(!black).is_some_and(|other| reach(KING, other) >> square & 1 != 0)
        {
            return false;
        }
        let occupied = self.occupied();
        let foes = self.men().iter().filter(|(man, _)| is_black(*man) != black);
        foes.into_iter().any(|&(man, from)| attacks(man, from, square, occupied))
    }

    /// Whether the position can arise, as far as kings say: the side not to move could not lose its king, nor
    /// has lost him.
    #[must_use]
    pub fn is_legal(&self) -> bool {
        let moved = !self.is_black_to_move;
        match self.family {
            Family::Chess => !self.is_attacked(moved),
            // Who has blown up the other king need not fear for his own.
            Family::Atomic => {
                self.king(moved).is_some() && (self.king(!moved).is_none() || !self.is_attacked(moved))
            }
            // Of a game of its own the tables know.
            Family::Giveaway | Family::Suicide | Family::Own => true,
        }
    }

    /// Whether the side to move has lost without a move: it is mated, its king is blown up, or the rules of
    /// stalemate say so.
    pub(crate) fn is_lost(&self) -> bool {
        match self.end() {
            Some(wdl) => wdl < 0,
            None => {
                self.family.has_royal_kings() && !self.has_move() && self.is_attacked(self.is_black_to_move)
            }
        }
    }

    /// Whether there is a legal move.
    pub(crate) fn has_move(&self) -> bool {
        let mut found = false;
        self.for_each_move(|_, _| {
            found = true;
            false
        });
        found
    }

    /// What the game is worth to the side to move if the men alone say that it is over.
    pub(crate) fn end_by_men(&self) -> Option<i32> {
        match self.family {
            Family::Chess | Family::Own => None,
            Family::Atomic => self.king(self.is_black_to_move).is_none().then_some(-2),
            Family::Giveaway | Family::Suicide => self.own_men().next().is_none().then_some(2),
        }
    }

    /// What the game is worth to the side to move if it is over and no check matters: 2 won, 0 drawn, −2
    /// lost.
    pub(crate) fn end(&self) -> Option<i32> {
        if let Some(wdl) = self.end_by_men() {
            return Some(wdl);
        }
        if self.family.has_royal_kings() || self.has_move() {
            return None;
        }
        let n_own = self.own_men().count();
        Some(match self.family {
            Family::Suicide => 2 * (self.n_men - n_own).cmp(&n_own) as i32,
            _ => 2,
        })
    }
}

/// The numbers of some men; none if one has no number in files of the game.
pub(crate) fn chessmen(family: Family, variant: &Variant, men: &[Man]) -> Option<Vec<Chessman>> {
    match family {
        Family::Own => own::numbered(variant, men),
        _ => men.iter().map(|&man| chessman(variant, man)).collect(),
    }
}

/// Plies of a variant's n-move rule; as many as there can be if it has none.
pub(crate) fn rule_plies(variant: &Variant) -> u16 {
    variant.rules.rule_plies().map_or(MOST_PLIES, |plies| plies.min(MOST_PLIES))
}

/// A number for which men there are.
pub(crate) fn key_of_men(men: impl Iterator<Item = Chessman>) -> u64 {
    // How many there are of each man, four bits each.
    men.fold(0, |key, man| key + (1 << (4 * u64::from(man & 15))))
}

/// Something for each [`Board::file_key`]: what is found out once of a choice of men.
pub(crate) type ByMen<T> = BTreeMap<FileKey, T>;

/// Which file has a position.
pub(crate) type FileKey = (Family, u64, own::Name);
