//! A cube: something for every choice of squares of a material's men, found without arithmetic worth the name.
//!
//! Numbers of arrangements lead to placements in all sorts of mirrorings, a few hundred million times in an export.
//! So one man, the *anchor*, is brought to his part of the board (ten squares without pawns, the files a to d with
//! pawns), the others go with him by a table of mirrored squares, and their squares are the digits of a place:
//!
//! ```text
//!   place = ((anchor's part × 64 + man) × 64 + man) × 64 …
//! ```
//!
//! An anchor on the diagonal has two placements that are mirrored into each other; both have a place.

use super::chess::{Chessman, KING, PAWN, kind};
use super::lead::{above, transposed};

/// The places of a material.
#[derive(Clone, Debug)]
pub(super) struct Cube {
    men: Vec<Chessman>,
    anchor: usize,
    /// The squares to which the anchor is brought.
    anchors: Vec<u8>,
    /// For each square of the anchor the number of the mirroring and that of the square he comes to.
    brought: Vec<(u8, u8)>,
    /// Where each mirroring takes the squares.
    mirrored: Box<[[u8; 64]; 8]>,
}

impl Cube {
    pub(super) fn new(men: &[Chessman]) -> Self {
        let has_pawns = men.iter().any(|&man| kind(man) == PAWN);
        let is_anchor = |&man: &Chessman| if has_pawns { kind(man) == PAWN } else { man == KING };
        let anchor = men.iter().position(is_anchor).unwrap_or(0);
        let mirror = |square: u8, by: u8| {
            let square = square ^ (if by & 1 != 0 { 7 } else { 0 }) ^ (if by & 2 != 0 { 56 } else { 0 });
            if by & 4 != 0 { transposed(square) } else { square }
        };
        let by = |square: u8| {
            let files = u8::from(square & 7 > 3);
            let ranks = if !has_pawns && square >> 3 > 3 { 2 } else { 0 };
            let diagonal = if !has_pawns && above(mirror(square, files | ranks)) > 0 { 4 } else { 0 };
            files | ranks | diagonal
        };
        let anchors: Vec<u8> =
            (0..64).filter(|&square| by(square) == 0 && (!has_pawns || (8..56).contains(&square))).collect();
        let brought = (0..64)
            .map(|square| {
                let to = mirror(square, by(square));
                (by(square), anchors.iter().position(|&anchor| anchor == to).unwrap_or(0) as u8)
            })
            .collect();
        let mut mirrored = Box::new([[0; 64]; 8]);
        for (by, squares) in mirrored.iter_mut().enumerate() {
            squares.iter_mut().zip(0..).for_each(|(to, square)| *to = mirror(square, by as u8));
        }
        Cube { men: men.to_vec(), anchor, anchors, brought, mirrored }
    }

    /// How many places there are.
    pub(super) fn len(&self) -> usize {
        self.anchors.len() << (6 * (self.men.len() - 1))
    }

    /// The squares of the men at a place, in their order; pawns may stand where they cannot.
    #[inline]
    pub(super) fn squares(&self, place: usize, squares: &mut [u8]) {
        let mut rest = place;
        for man in (0..self.men.len()).rev().filter(|&man| man != self.anchor) {
            squares[man] = (rest & 63) as u8;
            rest >>= 6;
        }
        squares[self.anchor] = self.anchors[rest];
    }

    /// A way to find places from squares in the order of `men`, who are the cube's; like men may be exchanged.
    pub(super) fn finder(&self, men: &[Chessman]) -> Finder<'_> {
        let mut free: Vec<usize> = (0..self.men.len()).collect();
        let mut shifts = [0; super::chess::MAX_MEN];
        let mut anchor = 0;
        let mut shift_of = vec![0; self.men.len()];
        let others = (0..self.men.len()).rev().filter(|&man| man != self.anchor);
        others.zip(0..).for_each(|(man, place)| shift_of[man] = 6 * place);
        for (slot, &man) in men.iter().enumerate() {
            let found = free.iter().position(|&own| self.men[own] == man).unwrap_or(0);
            let own = free.remove(found);
            if own == self.anchor {
                anchor = slot;
            }
            shifts[slot] = shift_of[own];
        }
        Finder { cube: self, anchor, n_men: men.len(), shifts, shift: 6 * (self.men.len() - 1) }
    }
}

/// Squares turned into places.
#[derive(Clone, Copy)]
pub(super) struct Finder<'a> {
    cube: &'a Cube,
    /// Which man is the anchor.
    anchor: usize,
    n_men: usize,
    shifts: [u32; super::chess::MAX_MEN],
    shift: usize,
}

impl Finder<'_> {
    /// The place of these squares.
    #[inline]
    pub(super) fn place(&self, squares: &[u8; super::chess::MAX_MEN]) -> usize {
        let (by, anchor) = self.cube.brought[usize::from(squares[self.anchor] & 63)];
        let mirrored = &self.cube.mirrored[usize::from(by & 7)];
        let mut place = usize::from(anchor) << self.shift;
        for man in 0..self.n_men {
            let digit = usize::from(mirrored[usize::from(squares[man] & 63)]) << self.shifts[man];
            place |= if man == self.anchor { 0 } else { digit };
        }
        place
    }
}
