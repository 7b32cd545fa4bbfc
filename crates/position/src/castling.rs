//! Castles, a king and a rook that have not moved yet go to their squares in one move, and reads and writes
//! the castling field of a FEN.
//!
//! Castling is legal under these conditions:
//!
//! - every square that king or rook crosses or comes to is empty, but for the two themselves;
//! - a royal king is attacked neither where he stands, nor on a square that he crosses, while the rook still
//!   stands where it did;
//! - nor where he comes to, with the rook on its new square: so the position after it is legal, as after any
//!   other move.
//!
//! In chess the rook never comes between the king and an attacker of his last square. Where kings side by
//! side shield each other it may: the king has left the shield, and the rook covers him.
//!
//! Source: FIDE Laws of Chess (2023), 3.8.2 and, for Chess960, Guidelines II.
//!
//! The field is `KQkq`, or the files of the rooks. `K` and `Q` name the rook on the king's and on the
//! queen's side, and small letters are Black's. Where rooks may begin on any file that is the outermost one
//! (X-FEN); an inner one is named by its file, as in `G`, and all may be (Shredder-FEN). Written are `K` and
//! `Q` wherever they will do.

use crate::{CastlingRight, CastlingRights, FenFault, Move, Position, RookStep, RuleBook};
use geometry::{Square, SquareSet};
use variant::{Castling, Man, Side, Wing};

impl Position {
    /// Who may still castle.
    #[must_use]
    pub fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// This position with these rights to castle. They are taken as given: [`Position::castling_rights`]
    /// lists those that there can be.
    #[must_use]
    pub fn with_castling(mut self, rights: CastlingRights) -> Self {
        self.castling = rights;
        self
    }

    /// Every right to castle that there can be with the men where they stand, White's first. Of one wing a
    /// side has one at most, so where rooks may begin anywhere not all of them go together.
    #[must_use]
    pub fn castling_rights(&self, book: &RuleBook) -> Vec<CastlingRight> {
        let Some(rule) = &book.variant().rules.castling else { return Vec::new() };
        let sides = Side::BOTH.into_iter().flat_map(|side| Wing::BOTH.map(|wing| (side, wing)));
        sides.flat_map(|(side, wing)| self.rights_of(book, rule, side, wing)).collect()
    }

    /// Every choice of rights to castle that there can be with the men where they stand, but none at all.
    #[must_use]
    pub fn castling_choices(&self, book: &RuleBook) -> Vec<CastlingRights> {
        let mut choices = vec![CastlingRights::NONE];
        let all = self.castling_rights(book);
        for (side, wing) in Side::BOTH.into_iter().flat_map(|side| Wing::BOTH.map(|wing| (side, wing))) {
            let of_wing = all.iter().filter(|right| (right.side, right.wing) == (side, wing));
            let more: Vec<CastlingRights> = of_wing
                .flat_map(|&right| choices.iter().map(move |choice| choice.with(right)).collect::<Vec<_>>())
                .collect();
            choices.extend(more);
        }
        choices.split_off(1)
    }

    /// The rights that there can be of one side and wing, the outermost rook's first.
    fn rights_of(&self, book: &RuleBook, rule: &Castling, side: Side, wing: Wing) -> Vec<CastlingRight> {
        let board = &book.variant().board;
        let Some(king) = self.castling_king(book, rule, side) else { return Vec::new() };
        let is_rook = |&square: &Square| self.has_rook(rule, side, square);
        let rank = rule.rank_of(board, side);
        let on_rank = (0..board.files()).map(|file| board.square(file, rank));
        let rooks: Vec<Square> = match (rule.rook_square(board, side, wing), wing) {
            (Some(rook), _) => vec![rook],
            (None, Wing::Kingside) => on_rank.rev().filter(|&square| square > king).collect(),
            (None, Wing::Queenside) => on_rank.filter(|&square| square < king).collect(),
        };
        let right = |rook| CastlingRight { side, wing, king, rook };
        rooks.into_iter().filter(is_rook).map(right).collect()
    }

    /// Where a side's king stands, if it is where it may castle from.
    fn castling_king(&self, book: &RuleBook, rule: &Castling, side: Side) -> Option<Square> {
        let board = &book.variant().board;
        let king = Man { side, piece: rule.king };
        match rule.king_square(board, side) {
            Some(square) => (self.man_on(square) == Some(king)).then_some(square),
            None => {
                let rank = rule.rank_of(board, side);
                let mut all =
                    self.men_of(side).filter(|&(man, square)| man == king && board.rank_of(square) == rank);
                all.next().map(|(_, square)| square)
            }
        }
    }

    /// Whether one of the side's men that castle with the king stands on a square.
    pub(crate) fn has_rook(&self, rule: &Castling, side: Side, square: Square) -> bool {
        self.man_on(square).is_some_and(|man| man.side == side && rule.rooks.contains(&man.piece))
    }

    /// Calls `visit` with each castling of the side to move that nothing is in the way of and that leads over
    /// no attacked square, until it answers false; whether it never did. As of other moves, the caller checks
    /// that the position after it is legal.
    pub(crate) fn for_each_castling(&self, book: &RuleBook, visit: &mut impl FnMut(Move) -> bool) -> bool {
        let side = self.stm();
        if self.castling.king(side).is_none() {
            return true;
        }
        let Some(rule) = &book.variant().rules.castling else { return true };
        let board = &book.variant().board;
        self.castling.iter().filter(|right| right.side == side).all(|right| {
            let to = rule.king_target(board, side, right.wing);
            let rook = RookStep {
                wing: right.wing,
                from: right.rook,
                to: rule.rook_target(board, side, right.wing),
            };
            let own: SquareSet = [right.king, right.rook].into_iter().collect();
            let crossed = between(right.king, to).union(between(rook.from, rook.to)).without(own);
            if !self.are_empty(crossed) || self.is_watched(book, right.king, to) {
                return true;
            }
            visit(Move { castling: Some(rook), ..Move::quiet(right.king, to) })
        })
    }

    /// Whether the king on `from`, if he is royal, is attacked there or would be on a square before `to`,
    /// with the castling rook where it is. The position after castling says whether he is attacked on `to`.
    pub(crate) fn is_watched(&self, book: &RuleBook, from: Square, to: Square) -> bool {
        let Some(king) = self.man_on(from).filter(|&man| book.man(man).royal) else { return false };
        between(from, to).iter().filter(|&square| square == from || square != to).any(|square| {
            let mut there = self.clone();
            there.take(from);
            // The castling rook may stand on the way.
            there.put(king, square);
            there.is_attacked_on(book, king.side, square)
        })
    }
}

/// The squares of a rank from one to another, both included.
pub(crate) fn between(a: Square, b: Square) -> SquareSet {
    (a.min(b).index()..=a.max(b).index()).map(Square::from_index).collect()
}

/// The rights that a field other than `-` names, with the men on their squares; faults of letters that name
/// none.
pub(crate) fn read_field(
    book: &RuleBook,
    position: &Position,
    field: &str,
) -> Result<CastlingRights, Vec<FenFault>> {
    let Some(rule) = &book.variant().rules.castling else {
        let variant = book.variant().name.clone();
        return Err(vec![FenFault::NoCastling { got: field.into(), variant }]);
    };
    let mut rights = CastlingRights::NONE;
    let mut faults = Vec::new();
    for letter in field.chars() {
        match right(book, rule, position, letter) {
            Ok(right) if rights.rook(right.side, right.wing).is_some() => {
                let reason = format!("{} castles on that side of the king with one rook only", right.side);
                faults.push(FenFault::CastlingRight { letter, reason });
            }
            Ok(right) => rights = rights.with(right),
            Err(reason) => faults.push(FenFault::CastlingRight { letter, reason }),
        }
    }
    if faults.is_empty() { Ok(rights) } else { Err(faults) }
}

/// Whether every letter of a field could name a right on some board.
pub(crate) fn is_plain(book: &RuleBook, field: &str) -> bool {
    let last = (b'A' + book.variant().board.files() as u8 - 1) as char;
    let fits = |c: char| matches!(c, 'K' | 'Q') || ('A'..=last).contains(&c);
    field.chars().all(|c| fits(c.to_ascii_uppercase()))
}

/// The right that a letter names, or what would have to stand where.
fn right(
    book: &RuleBook,
    rule: &Castling,
    position: &Position,
    letter: char,
) -> Result<CastlingRight, String> {
    let variant = book.variant();
    let board = &variant.board;
    let side = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
    let rank = rule.rank_of(board, side);
    let name = |file: usize| board.name(board.square(file, rank));
    let rook_name = variant.piece(rule.rooks[0]).name.as_str();
    let king_name = variant.piece(rule.king).name.as_str();
    let wing = match letter.to_ascii_uppercase() {
        'K' => Some(Wing::Kingside),
        'Q' => Some(Wing::Queenside),
        _ => None,
    };
    let file = (letter.to_ascii_uppercase() as usize).wrapping_sub('A' as usize);
    let rights = |wing| position.rights_of(book, rule, side, wing);
    let found = match wing {
        Some(wing) => rights(wing).into_iter().next(),
        None => {
            let mut all = Wing::BOTH.into_iter().flat_map(rights);
            all.find(|right| file < board.files() && right.rook == board.square(file, rank))
        }
    };
    found.ok_or_else(|| {
        let king = match rule.king_square(board, side) {
            Some(square) => format!("{side}'s {king_name} on {}", board.name(square)),
            None => format!("{side}'s {king_name} on rank {}", rank + 1),
        };
        let fixed = wing.and_then(|wing| rule.rook_square(board, side, wing));
        let rook = match (fixed, wing) {
            (Some(square), _) => format!("a {rook_name} on {}", board.name(square)),
            (None, Some(Wing::Kingside)) => {
                format!("a {rook_name} on it, nearer to {}", name(board.files() - 1))
            }
            (None, Some(Wing::Queenside)) => format!("a {rook_name} on it, nearer to {}", name(0)),
            (None, None) if !rule.any_files => {
                let files = Wing::BOTH.map(|wing| name(rule.rook_files[wing.index()]));
                format!("a {rook_name} on {} or {}", files[0], files[1])
            }
            (None, None) => format!("a {rook_name} on {}", name(file)),
        };
        format!("there must be {king} and {rook}")
    })
}

/// The castling field of a position.
pub(crate) fn write_field(book: &RuleBook, position: &Position) -> String {
    let Some(rule) = &book.variant().rules.castling else { return "-".into() };
    let letter = |right: CastlingRight| {
        let outermost =
            position.rights_of(book, rule, right.side, right.wing).first().map(|right| right.rook);
        let letter = match right.wing {
            _ if outermost != Some(right.rook) => {
                (b'A' + book.variant().board.file_of(right.rook) as u8) as char
            }
            Wing::Kingside => 'K',
            Wing::Queenside => 'Q',
        };
        if right.side == Side::White { letter } else { letter.to_ascii_lowercase() }
    };
    let text: String = position.castling().iter().map(letter).collect();
    if text.is_empty() { "-".into() } else { text }
}
