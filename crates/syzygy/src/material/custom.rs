//! Gives codes to the men of games that no other reader knows, and reports which of these games files can
//! hold.
//!
//! No reader knows how men move in such a game, so its files leave nothing to be found out by moves: every
//! value stands there, the distances with both sides to move. What is left of the format are its numbers and
//! its packing. These put mirrored placements together, so a game must be the same in each mirror, and from
//! both sides.
//!
//! Where all letters are those of chessmen, and P alone is a pawn, men have the codes of chess: then a reader
//! of chess needs no more than another mark. Else a kind of pawn has code 1, and the other kinds have 6, 5,
//! 4, 3, 2 in the order in which their letters first come up in the name.

use super::code::{BLACK, KING, MAX_MEN, PAWN, PieceCode, coloured, has_pawns_on_both_sides, kind_lettered};
use geometry::Square;
use index::symmetry_group;
use variant::{Man, Material, PieceId, Variant};

/// The codes of a material's kinds of men; none if there are more than the format has codes for.
fn kinds(variant: &Variant, material: &Material) -> Option<Vec<(PieceId, u8)>> {
    let of_chess = |man: Man| {
        let number = kind_lettered(variant.piece(man.piece).letter)?;
        ((number == PAWN) == variant.is_pawn(man)).then_some((man.piece, number))
    };
    if let Some(numbers) = material.men().map(of_chess).collect() {
        return Some(numbers);
    }
    let mut numbers: Vec<(PieceId, u8)> = Vec::new();
    let mut next = KING;
    for man in material.canonical(variant).men() {
        if numbers.iter().any(|(piece, _)| *piece == man.piece) {
            continue;
        }
        let is_pawn = variant.is_pawn(man);
        if is_pawn && numbers.iter().any(|&(_, number)| number == PAWN) {
            return None;
        }
        if !is_pawn {
            next = next.checked_sub(1).filter(|&next| next >= PAWN)?;
        }
        numbers.push((man.piece, if is_pawn { PAWN } else { next + 1 }));
    }
    Some(numbers)
}

/// The codes of some men, in their order; none if there are too many kinds.
pub(crate) fn codes(variant: &Variant, men: &[Man]) -> Option<Vec<PieceCode>> {
    let kinds = kinds(variant, &Material::from_men(men.iter().copied()))?;
    let code = |man: &Man| {
        let &(_, kind) = kinds.iter().find(|(piece, _)| *piece == man.piece)?;
        Some(coloured(kind, man.side))
    };
    men.iter().map(code).collect()
}

/// The men of a file by its name and its list of men, White's first; none if the two contradict each other.
///
/// The name does not tell which kind are pawns, but they stand at the end of a side.
pub(crate) fn codes_of_file(name: &str, content: &[u8]) -> Option<Vec<PieceCode>> {
    let (white, black) = name.split_once('v')?;
    let is_side = |side: &str| !side.is_empty() && side.bytes().all(|letter| letter.is_ascii_uppercase());
    let n_men = name.len() - 1;
    if !is_side(white) || !is_side(black) || !(2..=MAX_MEN).contains(&n_men) {
        return None;
    }
    let has_pawns = content.get(4)? & 2 != 0;
    let candidates = match has_pawns {
        true => vec![white.bytes().last(), black.bytes().last()],
        false => vec![None],
    };
    let of_chess = || -> Option<Vec<PieceCode>> {
        let side = |side: &str, black: u8| {
            side.chars().map(|letter| Some(kind_lettered(letter)? | black)).collect::<Option<Vec<_>>>()
        };
        Some([side(white, 0)?, side(black, BLACK)?].concat())
    };
    let men_with = |pawn: Option<u8>| -> Option<Vec<PieceCode>> {
        let (mut kinds, mut next): (Vec<(u8, u8)>, u8) = (Vec::new(), KING);
        for letter in name.bytes().filter(|&letter| letter != b'v') {
            if kinds.iter().all(|(own, _)| *own != letter) {
                let is_pawn = Some(letter) == pawn;
                if !is_pawn && next == PAWN {
                    return None;
                }
                kinds.push((letter, if is_pawn { PAWN } else { next }));
                next -= u8::from(!is_pawn);
            }
        }
        let number = |letter: u8| kinds.iter().find(|(own, _)| *own == letter).map(|&(_, number)| number);
        let white = white.bytes().map(number);
        white.chain(black.bytes().map(|letter| Some(number(letter)? | BLACK))).collect()
    };
    let is_written = |men: &Vec<PieceCode>| {
        let n_orders = 1 + usize::from(has_pawns_on_both_sides(men));
        let Some(written) = content.get(5 + n_orders..5 + n_orders + n_men) else { return false };
        let sorted = |mut men: Vec<PieceCode>| {
            men.sort_unstable();
            men
        };
        sorted(written.iter().map(|byte| byte & 15).collect()) == sorted(men.clone())
    };
    let as_in_chess = of_chess().filter(is_written);
    as_in_chess.or_else(|| candidates.into_iter().filter_map(men_with).find(is_written))
}

/// Why a material of a game has no place in such files, if it has none.
pub(crate) fn obstacle(variant: &Variant, material: &Material) -> Option<String> {
    let board = &variant.board;
    if (board.files(), board.ranks()) != (8, 8) {
        return Some(format!("its board has {} × {} squares, not 8 × 8", board.files(), board.ranks()));
    }
    if !variant.is_colour_symmetric() {
        return Some("it is not the same game for both sides".into());
    }
    if !(2..=MAX_MEN).contains(&material.n_men()) {
        return Some(format!("it has {} men, and there are numbers for {MAX_MEN}", material.n_men()));
    }
    let Some(kinds) = kinds(variant, material) else {
        return Some("it has more than five kinds of men that are not pawns, or several of pawns".into());
    };
    let has_pawns = kinds.iter().any(|&(_, kind)| kind == PAWN);
    let may_stand = |man: Man| variant.zone(man).iter().all(|square| (8..56).contains(&square.index()));
    let is_pawn = |man: &Man| kinds.contains(&(man.piece, PAWN));
    if !material.men().filter(is_pawn).all(may_stand) {
        return Some("its pawns may stand on the first or the last rank".into());
    }
    let group = symmetry_group(variant, material);
    let has = |to: fn(usize) -> usize| {
        let is_same = |index: usize, square: Square| square.index() == to(index);
        group.iter().any(|symmetry| {
            (0..64).all(|index| is_same(index, symmetry.square(board, Square::from_index(index))))
        })
    };
    let is_mirrored = has(|square| square ^ 7);
    let is_turned = has_pawns || (has(|square| square ^ 56) && has(|square| square >> 3 | (square & 7) << 3));
    match is_mirrored && is_turned {
        true => None,
        false if has_pawns => Some("left and right are not the same to its men".into()),
        false => Some("its men do not move alike in all directions".into()),
    }
}
