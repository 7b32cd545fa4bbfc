//! Orthodox chessmen as Syzygy files number them, and what they see on the board.
//!
//! A file of this format is about games played with chessmen and nothing else: its readers look at the
//! captures of a position themselves, by the rules that they were born with. So this folder, alone in the
//! crate, knows how chessmen move. Whether a variant's rules are those of such a game its caller must have
//! asked.

use crate::Family;
use std::sync::LazyLock;
use variant::{Man, Side, Variant};

/// A man as a number: 1 to 6 are White's PNBRQK, and 8 more Black's.
pub(crate) type Chessman = u8;

pub(crate) const PAWN: u8 = 1;
pub(crate) const KNIGHT: u8 = 2;
pub(crate) const BISHOP: u8 = 3;
pub(crate) const ROOK: u8 = 4;
pub(crate) const QUEEN: u8 = 5;
pub(crate) const KING: u8 = 6;

/// The bit that makes a man Black's.
pub(crate) const BLACK: u8 = 8;

/// The order of the pieces in names, from the first.
const NAMED: [u8; 6] = [KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN];

/// What a man is, without his colour.
pub(crate) const fn kind(man: Chessman) -> u8 {
    man & 7
}

/// Whether a man is Black's.
pub(crate) const fn is_black(man: Chessman) -> bool {
    man & BLACK != 0
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

/// The number of a variant's man; none if no chessman has his letter.
pub(crate) fn chessman(variant: &Variant, man: Man) -> Option<Chessman> {
    let own = variant.piece(man.piece).letter;
    let kind = NAMED.into_iter().find(|&kind| letter(kind) == own)?;
    Some(if man.side == Side::Black { kind | BLACK } else { kind })
}

/// The men of a name such as `KQvKR`, White's first; none if it is no name of a file of the game: two kings
/// where they are royal, the side with more men first, and of equally many the one whose list of men comes
/// first.
pub(crate) fn men_of_name(name: &str, family: Family) -> Option<Vec<Chessman>> {
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

/// The most men of a file that readers know of.
pub const MAX_MEN: usize = 7;

/// The name of a file for these men, in the colours that files have, and whether the colours had to be
/// exchanged.
pub(crate) fn name_of_men(men: impl Iterator<Item = Chessman> + Clone) -> (String, bool) {
    let places = |black: bool| {
        let mut places: Vec<usize> = men
            .clone()
            .filter(|&man| is_black(man) == black)
            .filter_map(|man| NAMED.into_iter().position(|named| named == kind(man)))
            .collect();
        places.sort_unstable();
        places
    };
    let (white, black) = (places(false), places(true));
    let is_swapped = white.len() < black.len() || (white.len() == black.len() && white > black);
    let text = |places: &[usize]| places.iter().map(|&place| letter(NAMED[place])).collect::<String>();
    let (first, second) = if is_swapped { (&black, &white) } else { (&white, &black) };
    (format!("{}v{}", text(first), text(second)), is_swapped)
}

/// What each man sees from each square of an empty board, and the squares between two squares of a line.
struct Sight {
    reach: [[u64; 64]; 16],
    between: [[u64; 64]; 64],
}

static SIGHT: LazyLock<Box<Sight>> = LazyLock::new(|| {
    let mut sight = Box::new(Sight { reach: [[0; 64]; 16], between: [[0; 64]; 64] });
    for from in 0..64 {
        for dx in -1..=1 {
            for dy in -1..=1 {
                if (dx, dy) != (0, 0) {
                    look(&mut sight, from, dx, dy);
                }
            }
        }
        let knight = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
        let leap = |steps: &[(i32, i32)]| {
            steps.iter().filter_map(|&(dx, dy)| step(from, dx, dy)).fold(0, |set, to| set | 1 << to)
        };
        sight.reach[KNIGHT as usize][from] = leap(&knight);
        sight.reach[PAWN as usize][from] = leap(&[(-1, 1), (1, 1)]);
        sight.reach[(PAWN | BLACK) as usize][from] = leap(&[(-1, -1), (1, -1)]);
        for kind in KNIGHT..=KING {
            sight.reach[(kind | BLACK) as usize][from] = sight.reach[kind as usize][from];
        }
    }
    sight
});

/// Looks from a square along a line.
fn look(sight: &mut Sight, from: usize, dx: i32, dy: i32) {
    let rider = if dx == 0 || dy == 0 { ROOK } else { BISHOP };
    let (mut passed, mut at) = (0, from);
    while let Some(to) = step(at, dx, dy) {
        for kind in [rider, QUEEN] {
            sight.reach[kind as usize][from] |= 1 << to;
        }
        if at == from {
            sight.reach[KING as usize][from] |= 1 << to;
        }
        sight.between[from][to] = passed;
        passed |= 1 << to;
        at = to;
    }
}

/// The square so many files and ranks away, if there is one.
pub(crate) fn step(from: usize, dx: i32, dy: i32) -> Option<usize> {
    let (file, rank) = ((from & 7) as i32 + dx, (from >> 3) as i32 + dy);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then(|| (rank * 8 + file) as usize)
}

/// The squares that a man attacks from a square of an empty board.
#[inline]
pub(crate) fn reach(man: Chessman, from: u8) -> u64 {
    SIGHT.reach[man as usize & 15][from as usize & 63]
}

/// The squares between two squares of a line.
#[inline]
pub(crate) fn between(from: u8, to: u8) -> u64 {
    SIGHT.between[from as usize & 63][to as usize & 63]
}

/// Whether a man attacks a square of a board on which these squares are occupied.
#[inline]
pub(crate) fn attacks(man: Chessman, from: u8, to: u8, occupied: u64) -> bool {
    let sight = &**SIGHT;
    sight.reach[man as usize & 15][from as usize & 63] >> (to & 63) & 1 != 0
        && sight.between[from as usize & 63][to as usize & 63] & occupied == 0
}
