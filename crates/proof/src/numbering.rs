//! Numbers positions without a right to capture en passant: each placement twice, White to move and Black to
//! move.
//!
//! The plain numbering has a number for every choice of squares and trusts nothing. The folded one takes the
//! placements of a table's layout, an eighth of them or less, so that four men on 64 squares fit into memory.
//!
//! Positions with rights to castle come behind them, if they are asked for: every legal one, without
//! symmetries, in a list.

use geometry::Square;
use index::{Layout, MAX_MEN};
use position::{CastlingRights, Position, RuleBook};
use std::collections::HashMap;
use variant::{Man, Material, Side, Variant};

/// A number for the men of a position, whatever their squares, and the checks that either side has given.
pub(crate) type MenKey = (u64, [u8; 2]);

/// The men of a position and their squares, in the order of a material's men; like men by square.
pub(crate) struct SortedMen {
    pub(crate) key: MenKey,
    squares: [Square; MAX_MEN],
    n_men: usize,
}

impl SortedMen {
    #[inline]
    pub(crate) fn new(position: &Position) -> Self {
        // Man and square as one number, so that sorting compares numbers.
        let mut sorted = [0u16; MAX_MEN];
        let mut n_men = 0;
        position.men().for_each(|(man, square)| {
            let number = man_number(man) << 7 | square.index() as u16;
            let mut place = n_men;
            while place > 0 && sorted[place - 1] > number {
                sorted[place] = sorted[place - 1];
                place -= 1;
            }
            sorted[place] = number;
            n_men += 1;
        });
        let key = (0, position.given_checks());
        let mut men = SortedMen { key, squares: [Square::from_index(0); MAX_MEN], n_men };
        for (slot, number) in men.squares.iter_mut().zip(&sorted[..n_men]) {
            men.key.0 = with_man(men.key.0, number >> 7);
            *slot = Square::from_index(usize::from(number & 127));
        }
        men
    }

    pub(crate) fn squares(&self) -> &[Square] {
        &self.squares[..self.n_men]
    }
}

/// The [`SortedMen::key`] of positions of this material.
pub(crate) fn key_of(material: &Material) -> MenKey {
    let men = material.men().fold(0, |key, man| with_man(key, man_number(man)));
    (men, material.given_checks())
}

/// In the order of men: White's first, then by declared order.
fn man_number(man: Man) -> u16 {
    (man.side.index() as u16) << 8 | u16::from(man.piece.0)
}

/// Two pieces of the two sides share a byte only if there are more than 127 kinds; no byte is 0, so that
/// fewer men have another key.
fn with_man(key: u64, number: u16) -> u64 {
    key << 8 | u64::from((number as u8) * 2 + (number >> 8) as u8 + 1)
}

/// How the positions of one material are numbered.
pub(crate) struct Numbering {
    placements: Placements,
    given_checks: [u8; 2],
    rights: Option<Rights>,
}

/// How the placements of one material are numbered.
enum Placements {
    /// Every choice of squares.
    Plain { men: Vec<Man>, n_squares: usize },
    /// The placements of a layout.
    Folded(Box<Layout>),
}

/// The positions with rights to castle.
struct Rights {
    /// Every choice of squares.
    placements: Placements,
    /// Where a placement with a side to move and these rights stands in the list.
    places: HashMap<(usize, CastlingRights), u32>,
    positions: Vec<Position>,
}

impl Numbering {
    pub(crate) fn plain(variant: &Variant, material: &Material) -> Self {
        let placements = Placements::plain(variant, material);
        Numbering { placements, given_checks: material.given_checks(), rights: None }
    }

    pub(crate) fn folded(variant: &Variant, material: &Material) -> Self {
        let placements = Placements::Folded(Box::new(Layout::new(variant, material)));
        Numbering { placements, given_checks: material.given_checks(), rights: None }
    }

    /// Adds numbers for all legal positions with rights to castle.
    pub(crate) fn with_castling(mut self, book: &RuleBook, material: &Material) -> Self {
        if book.variant().rules.castling.is_none() {
            return self;
        }
        let placements = Placements::plain(book.variant(), material);
        let mut rights = Rights { placements, places: HashMap::new(), positions: Vec::new() };
        for number in 0..rights.placements.len() {
            let position = rights.placements.position(book.variant(), number);
            let position = position.map(|position| position.with_given_checks(self.given_checks));
            for position in position.into_iter().flat_map(|position| with_rights(book, &position)) {
                rights.places.insert((number, position.castling()), rights.positions.len() as u32);
                rights.positions.push(position);
            }
        }
        self.rights = Some(rights);
        self
    }

    /// How many numbers there are.
    pub(crate) fn len(&self) -> usize {
        self.n_without_rights() + self.rights.as_ref().map_or(0, |rights| rights.positions.len())
    }

    /// How many numbers positions without rights to castle have: the first ones.
    pub(crate) fn n_without_rights(&self) -> usize {
        self.placements.len()
    }

    /// The number of a position of this material; none if the men cannot stand so, or if a side may castle
    /// and such positions have no numbers.
    pub(crate) fn number(&self, position: &Position) -> Option<usize> {
        if position.castling().is_empty() {
            return self.placements.number(position);
        }
        let rights = self.rights.as_ref()?;
        let key = (rights.placements.number(position)?, position.castling());
        Some(self.n_without_rights() + *rights.places.get(&key)? as usize)
    }

    /// The position with this number; none where another number stands for it, or none at all.
    pub(crate) fn position(&self, variant: &Variant, number: usize) -> Option<Position> {
        match number.checked_sub(self.n_without_rights()) {
            None => {
                let position = self.placements.position(variant, number)?;
                Some(position.with_given_checks(self.given_checks))
            }
            Some(place) => self.rights.as_ref()?.positions.get(place).cloned(),
        }
    }
}

/// A position with every choice of rights to castle but none at all; none if it is not legal.
pub(crate) fn with_rights(book: &RuleBook, position: &Position) -> Vec<Position> {
    let choices = position.castling_choices(book);
    if choices.is_empty() || !position.is_legal(book) {
        return Vec::new();
    }
    choices.into_iter().map(|rights| position.clone().with_castling(rights)).collect()
}

impl Placements {
    fn plain(variant: &Variant, material: &Material) -> Self {
        Placements::Plain { men: material.men().collect(), n_squares: variant.board.n_squares() }
    }

    /// How many numbers there are.
    fn len(&self) -> usize {
        2 * match self {
            Placements::Plain { men, n_squares } => n_squares.pow(men.len() as u32),
            Placements::Folded(layout) => layout.len(),
        }
    }

    /// The number of a position of this material; none if the men cannot stand so.
    fn number(&self, position: &Position) -> Option<usize> {
        let men = SortedMen::new(position);
        let squares = men.squares();
        let placement = match self {
            Placements::Plain { n_squares, .. } => {
                squares.iter().fold(0, |number, square| number * n_squares + square.index())
            }
            Placements::Folded(layout) => layout.encode(squares)?,
        };
        Some(placement * 2 + position.stm().index())
    }

    /// The position with this number; none where another number stands for it, or none at all.
    fn position(&self, variant: &Variant, number: usize) -> Option<Position> {
        let stm = Side::BOTH[number % 2];
        let placement = number / 2;
        let mut position = Position::empty(stm);
        let mut place = |man: Man, square: Square| {
            let fits = position.man_on(square).is_none() && variant.zone(man).contains(square);
            position.put(man, square);
            fits
        };
        let fits = match self {
            Placements::Plain { men, n_squares } => {
                let mut rest = placement;
                men.iter().rev().all(|&man| {
                    let square = Square::from_index(rest % n_squares);
                    rest /= n_squares;
                    place(man, square)
                })
            }
            Placements::Folded(layout) => {
                let squares = layout.decode(placement);
                layout.men().iter().zip(squares.iter()).all(|(&man, &square)| place(man, square))
            }
        };
        (fits && self.number(&position) == Some(number)).then_some(position)
    }
}
