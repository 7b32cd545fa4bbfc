//! Reads and writes the names of files of chessmen, such as `KQvKR`.

use super::code::{BISHOP, BLACK, KING, KNIGHT, PAWN, PieceCode, QUEEN, ROOK, is_black, kind, letter};
use crate::family::Family;

/// The order of the pieces in names, from the first.
const NAMED: [u8; 6] = [KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN];

/// The men of a name such as `KQvKR`, White's first; none if it is no name of a file of the game: two kings
/// where they are royal, the side with more men first, and of equally many the one whose list of men comes
/// first.
pub(crate) fn codes_of_name(name: &str, family: Family) -> Option<Vec<PieceCode>> {
    let (white, black) = name.split_once('v')?;
    let places = |side: &str| -> Option<Vec<usize>> {
        side.chars().map(|c| NAMED.into_iter().position(|kind| letter(kind) == c)).collect()
    };
    let (white, black) = (places(white)?, places(black)?);
    let n_kings = |side: &[usize]| side.iter().filter(|&&place| place == 0).count();
    let is_side = |side: &[usize]| {
        side.is_sorted() && !side.is_empty() && (!family.has_royal_kings() || n_kings(side) == 1)
    };
    let is_canonical = white.len() > black.len() || (white.len() == black.len() && white <= black);
    let n_men = white.len() + black.len();
    if !is_side(&white) || !is_side(&black) || !is_canonical || !family.n_men().contains(&n_men) {
        return None;
    }
    let black = black.into_iter().map(|place| NAMED[place] | BLACK);
    Some(white.into_iter().map(|place| NAMED[place]).chain(black).collect())
}

/// The name of a file for these men, and whether their colours are exchanged in it.
pub(crate) fn name_of_codes(codes: &[PieceCode]) -> (String, bool) {
    let places = |black: bool| {
        let own = codes.iter().copied().filter(|&code| is_black(code) == black);
        let place = |code| NAMED.into_iter().position(|named| named == kind(code));
        let mut places: Vec<usize> = own.filter_map(place).collect();
        places.sort_unstable();
        places
    };
    let (white, black) = (places(false), places(true));
    let is_swapped = white.len() < black.len() || (white.len() == black.len() && white > black);
    let text = |places: &[usize]| places.iter().map(|&place| letter(NAMED[place])).collect::<String>();
    let (first, second) = if is_swapped { (&black, &white) } else { (&white, &black) };
    (format!("{}v{}", text(first), text(second)), is_swapped)
}
