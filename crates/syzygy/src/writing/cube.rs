//! Finds the place of a placement in an array over the squares of all men, with a few look-ups.
//!
//! Numbers of arrangements lead to placements in all sorts of mirrorings, a few hundred million times in an
//! export. So the *head* (both kings, or of men with pawns one pawn) is brought to where the symmetries allow
//! (462 pairs of squares, or the files a to d), the others go with it by a table of mirrored squares, and
//! their squares are the digits of a place, pawns first. Where no king is royal, any two men will do, and of
//! two men one.
//!
//! ```text
//!   place = ((head × 48 + pawn) × 64 + man) × 64 …
//! ```
//!
//! The last digit is that of a man who is no pawn, if there is one beside the head. The 64 places that differ
//! in it are a *row*: whoever fills the cube does so a row at a time. Kings on the diagonal have two
//! placements that are mirrored into each other; both have a place.

use crate::family::Family;
use crate::material::code::{BLACK, KING, MAX_MEN, PAWN, PieceCode, kind};
use crate::numbering::square::{above, transposed};

/// The places of a material.
#[derive(Clone, Debug)]
pub(crate) struct Cube {
    men: Vec<PieceCode>,
    /// The men of the head; a lone one is both.
    head: [usize; 2],
    /// The squares to which the head is brought.
    heads: Vec<[u8; 2]>,
    /// For the squares of the head the number of the mirroring and that of the squares it comes to.
    brought: Vec<(u8, u16)>,
    /// Where each mirroring takes the squares.
    mirrored: Box<[[u8; 64]; 8]>,
    /// The other men, from the one who counts most.
    digits: Vec<Digit>,
}

/// A man's digit.
#[derive(Clone, Copy, Debug)]
struct Digit {
    man: usize,
    /// What one more counts.
    factor: usize,
    /// His first square and how many there are.
    squares: (u8, usize),
}

/// A head that cannot be.
const NOWHERE: u16 = u16::MAX;

/// How many places a row has.
pub(crate) const ROW: usize = 64;

impl Cube {
    /// The cube of these men of a game.
    pub(crate) fn new(family: Family, men: &[PieceCode]) -> Self {
        let place = |man: PieceCode| men.iter().position(|&other| other == man);
        let pawn = men.iter().position(|&man| kind(man) == PAWN);
        let head = match pawn {
            Some(pawn) => [pawn; 2],
            None if men.len() < 3 => [0; 2],
            None if family.has_royal_kings() => {
                [place(KING), place(KING | BLACK)].map(Option::unwrap_or_default)
            }
            None => [0, 1],
        };
        let is_alone = head[0] == head[1];
        let mut mirrored = Box::new([[0; 64]; 8]);
        for (by, squares) in (0..).zip(mirrored.iter_mut()) {
            squares.iter_mut().zip(0..).for_each(|(to, square)| *to = mirror(square, by));
        }
        let has_pawns = pawn.is_some();
        let by = |first: u8, second: u8| {
            let files = u8::from(first & 7 > 3);
            let ranks = if !has_pawns && first >> 3 > 3 { 2 } else { 0 };
            let off = [first, second].map(|square| above(mirror(square, files | ranks)));
            let is_above = off[0] > 0 || (off[0] == 0 && off[1] > 0);
            files | ranks | if !has_pawns && is_above { 4 } else { 0 }
        };
        let may_be = |first: u8, second: u8| {
            let is_near = (first & 7).abs_diff(second & 7) < 2 && (first >> 3).abs_diff(second >> 3) < 2;
            match is_alone {
                true => !has_pawns || (8..56).contains(&first),
                false if family.kings_may_touch() => first != second,
                false => !is_near,
            }
        };
        let all = (0..64).flat_map(|first| (0..64).map(move |second| [first, second]));
        // A lone man is on both squares.
        let is_head = |&[first, second]: &[u8; 2]| !is_alone || first == second;
        let mut heads: Vec<[u8; 2]> = all.filter(is_head).collect();
        heads.retain(|&[first, second]| may_be(first, second) && by(first, second) == 0);
        let mut brought = vec![(0, NOWHERE); 64 * 64];
        for first in 0..64u8 {
            for second in 0..64u8 {
                let second = if is_alone { first } else { second };
                let by = by(first, second);
                let to = [first, second].map(|square| mirror(square, by));
                if let Ok(number) = heads.binary_search(&to) {
                    brought[usize::from(first) << 6 | usize::from(second)] = (by, number as u16);
                }
            }
        }
        let mut others: Vec<usize> = (0..men.len()).filter(|man| !head.contains(man)).collect();
        others.sort_by_key(|&man| kind(men[man]) != PAWN);
        let mut factor = 1;
        let mut digits: Vec<Digit> = Vec::new();
        for &man in others.iter().rev() {
            // A row has all squares, whoever varies in it.
            let squares = if kind(men[man]) == PAWN && !digits.is_empty() { (8, 48) } else { (0, 64) };
            digits.insert(0, Digit { man, factor, squares });
            factor *= squares.1;
        }
        Cube { men: men.to_vec(), head, heads, brought, mirrored, digits }
    }

    /// How many places there are.
    pub(crate) fn len(&self) -> usize {
        self.heads.len() * self.stride()
    }

    /// How many places a head has.
    fn stride(&self) -> usize {
        self.digits.iter().map(|digit| digit.squares.1).product()
    }

    /// The man whose square is the last digit.
    pub(crate) fn varying(&self) -> usize {
        self.digits.last().map_or(0, |digit| digit.man)
    }

    /// The squares of the men in a row, in their order; that of the man who varies is the first.
    #[inline]
    pub(crate) fn squares(&self, row: usize, squares: &mut [u8]) {
        let mut rest = row * ROW;
        for digit in self.digits.iter().rev() {
            let (first, n) = digit.squares;
            squares[digit.man] = first + (rest % n) as u8;
            rest /= n;
        }
        self.head.iter().zip(self.heads[rest]).for_each(|(&man, square)| squares[man] = square);
    }

    /// A way to find places from squares in the order of `men`, who are the cube's; like men may be
    /// exchanged.
    pub(crate) fn finder(&self, men: &[PieceCode]) -> Finder<'_> {
        let mut free: Vec<usize> = (0..self.men.len()).collect();
        let (mut factors, mut head) = ([0; MAX_MEN], [0; 2]);
        for (slot, &man) in men.iter().enumerate() {
            let found = free.iter().position(|&own| self.men[own] == man).unwrap_or(0);
            let own = free.remove(found);
            head.iter_mut().zip(self.head).filter(|(_, man)| *man == own).for_each(|(head, _)| *head = slot);
            let digit = self.digits.iter().find(|digit| digit.man == own);
            factors[slot] = digit.map_or(0, |digit| digit.factor);
        }
        let left_out = self.digits.iter().map(|digit| usize::from(digit.squares.0) * digit.factor).sum();
        Finder { cube: self, head, n_men: men.len(), factors, left_out, stride: self.stride() }
    }
}

/// Calls `visit` with every square of a mask.
#[inline]
pub(crate) fn each(mask: u64, mut visit: impl FnMut(usize)) {
    let mut rest = mask;
    while rest != 0 {
        visit(rest.trailing_zeros() as usize);
        rest &= rest - 1;
    }
}

/// Where a mirroring takes a square.
fn mirror(square: u8, by: u8) -> u8 {
    let square = square ^ (if by & 1 != 0 { 7 } else { 0 }) ^ (if by & 2 != 0 { 56 } else { 0 });
    if by & 4 != 0 { transposed(square) } else { square }
}

/// Squares turned into places.
#[derive(Clone, Copy)]
pub(crate) struct Finder<'a> {
    cube: &'a Cube,
    /// Which men are the head.
    head: [usize; 2],
    n_men: usize,
    /// What each man's digit counts; nothing for the head.
    factors: [usize; MAX_MEN],
    /// What the squares before each man's first one count.
    left_out: usize,
    stride: usize,
}

impl Finder<'_> {
    /// The place of these squares; beyond the last if kings touch.
    #[inline]
    pub(crate) fn place(&self, squares: &[u8; MAX_MEN]) -> usize {
        let [first, second] = self.head.map(|man| usize::from(squares[man] & 63));
        let (by, head) = self.cube.brought[first << 6 | second];
        let mirrored = &self.cube.mirrored[usize::from(by & 7)];
        let mut place = usize::from(head) * self.stride;
        for (&square, factor) in squares[..self.n_men].iter().zip(self.factors) {
            place += usize::from(mirrored[usize::from(square & 63)]) * factor;
        }
        place.wrapping_sub(self.left_out)
    }
}
