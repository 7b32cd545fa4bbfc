//! Reads and writes the castling field of a FEN: `KQkq`, or the files of the rooks.
//!
//! `K` and `Q` name the rook on the king's and on the queen's side, and small letters are Black's. Where
//! rooks may begin on any file that is the outermost one (X-FEN); an inner one is named by its file, as in
//! `G`, and all may be (Shredder-FEN). Written are `K` and `Q` wherever they will do.

use crate::{CastlingRight, CastlingRights, FenFault, Position, RuleBook};
use variant::{Castling, Side, Wing};

/// The rights that a field other than `-` names, with the men on their squares; faults of letters that name
/// none.
pub(crate) fn read(
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
pub(crate) fn write(book: &RuleBook, position: &Position) -> String {
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
