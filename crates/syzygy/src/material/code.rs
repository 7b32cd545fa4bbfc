//! Numbers men as Syzygy files do: a piece code is 1 to 6 for White's PNBRQK, and 8 more for Black's.
//!
//! The codes are chess's. A game that other readers do not know borrows them (see `custom`).

use variant::{Man, Side, Variant};

/// The most men of a file that readers know of.
pub const MAX_MEN: usize = 7;

/// A man's code.
pub(crate) type PieceCode = u8;

pub(crate) const PAWN: PieceCode = 1;
pub(crate) const KNIGHT: PieceCode = 2;
pub(crate) const BISHOP: PieceCode = 3;
pub(crate) const ROOK: PieceCode = 4;
pub(crate) const QUEEN: PieceCode = 5;
pub(crate) const KING: PieceCode = 6;

/// The bit that makes a man Black's.
pub(crate) const BLACK: PieceCode = 8;

/// The code without its colour.
pub(crate) const fn kind(code: PieceCode) -> u8 {
    code & 7
}

/// Whether a man is Black's.
pub(crate) const fn is_black(code: PieceCode) -> bool {
    code & BLACK != 0
}

/// The code in the colour of a side.
pub(crate) const fn coloured(kind: u8, side: Side) -> PieceCode {
    match side {
        Side::White => kind,
        Side::Black => kind | BLACK,
    }
}

/// The letter of a kind in names.
pub(crate) const fn letter(kind: u8) -> char {
    match kind {
        PAWN => 'P',
        KNIGHT => 'N',
        BISHOP => 'B',
        ROOK => 'R',
        QUEEN => 'Q',
        _ => 'K',
    }
}

/// The kind with a letter of chess.
pub(crate) fn kind_lettered(letter: char) -> Option<u8> {
    (PAWN..=KING).find(|&kind| self::letter(kind) == letter)
}

/// The code of a man whose letter is a chessman's.
pub(crate) fn chess_code(variant: &Variant, man: Man) -> Option<PieceCode> {
    kind_lettered(variant.piece(man.piece).letter).map(|kind| coloured(kind, man.side))
}

/// The pawn whose side leads: the one with fewer pawns, White if both have as many; none without pawns.
pub(crate) fn leading_pawn(codes: &[PieceCode]) -> Option<PieceCode> {
    let n = |pawn: PieceCode| codes.iter().filter(|&&code| code == pawn).count();
    match (n(PAWN), n(PAWN | BLACK)) {
        (0, 0) => None,
        (0, _) => Some(PAWN | BLACK),
        (_, 0) => Some(PAWN),
        (white, black) => Some(if black < white { PAWN | BLACK } else { PAWN }),
    }
}

/// Whether both sides have pawns.
pub(crate) fn has_pawns_on_both_sides(codes: &[PieceCode]) -> bool {
    codes.contains(&PAWN) && codes.contains(&(PAWN | BLACK))
}
