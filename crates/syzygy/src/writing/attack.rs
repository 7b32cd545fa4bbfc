//! Tabulates which squares the men of a material attack, so that a row of placements is looked at at once.
//!
//! The rule book is asked once for each man and square; a row then takes a few words from the tables.

use geometry::{Square, SquareSet};
use position::RuleBook;
use variant::Man;

/// The squares of a board of 64, as a set each.
type Squares = [u64; 64];

/// What each man of a material attacks.
///
/// Invariant: no man has two ways to a square, and men who have one have the same; so it is with chessmen.
pub(crate) struct Attacks {
    /// By man, and by the square on which he stands, the squares that he attacks on an empty board.
    reach: Vec<Squares>,
    /// The squares on the way from one square to another.
    between: Box<[Squares; 64]>,
}

impl Attacks {
    /// The tables for these men on a board of 64 squares.
    pub(crate) fn new(book: &RuleBook, men: &[Man]) -> Self {
        let mut attacks = Attacks { reach: vec![[0; 64]; men.len()], between: Box::new([[0; 64]; 64]) };
        for (reach, &man) in attacks.reach.iter_mut().zip(men) {
            for (from, reach) in reach.iter_mut().enumerate() {
                let attacked = |occupied: u64| {
                    let occupied = SquareSet::from_bits(occupied.into());
                    book.attacked(man, Square::from_index(from), occupied).bits() as u64
                };
                *reach = attacked(0);
                each(*reach, |blocked| {
                    let hidden = *reach & !attacked(1 << blocked);
                    each(hidden, |to| attacks.between[from][to] |= 1 << blocked);
                });
            }
        }
        attacks
    }

    /// The squares between two squares of a line.
    #[inline]
    pub(crate) fn between(&self, from: u8, to: u8) -> u64 {
        self.between[usize::from(from & 63)][usize::from(to & 63)]
    }

    /// Whether a man attacks a square of a board on which these squares are occupied.
    #[inline]
    pub(crate) fn attacks(&self, man: usize, from: u8, to: u8, occupied: u64) -> bool {
        self.reach[man][usize::from(from & 63)] >> (to & 63) & 1 != 0
            && self.between(from, to) & occupied == 0
    }

    /// The squares that a man attacks on such a board.
    pub(crate) fn attacked(&self, man: usize, from: u8, occupied: u64) -> u64 {
        let mut attacked = 0;
        each(self.reach[man][usize::from(from & 63)], |to| {
            attacked |= u64::from(self.between(from, to as u8) & occupied == 0) << to;
        });
        attacked
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
