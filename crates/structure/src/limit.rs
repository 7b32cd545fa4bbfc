//! Says which men a run looks at: how many may have been promoted.
//!
//! Who can promote without bound soon has two queens a side, and most of the work goes into positions that
//! decide nothing. What lies outside a limit is not solved but given to one side, so that a run finds a
//! bound of each value: see `bound.rs`.
//!
//! Positions of few men are cheap whatever has been promoted, and they decide much: there a limit may end.

use crate::Bound;
use serde::{Deserialize, Serialize};
use std::fmt;
use variant::{Material, Side, Variant};

/// How many promoted men there may be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Limit {
    /// By side: how many promoted men it may have; none for any number.
    pub each: [Option<u8>; 2],
    /// How many there may be of both sides together; none for any number.
    pub in_all: Option<u8>,
    /// Whether the side for which a bound is sought promotes to the first piece of the rules only. The other
    /// side has all its choices, or it would be given every promotion to another piece.
    pub first_only: bool,
    /// Positions of at most so many men lie inside, whatever has been promoted.
    #[serde(default)]
    pub few_men: u8,
    /// By side: the mobile men that are there from the beginning, as the letters of pieces.
    pub(crate) beginning: [String; 2],
}

impl Limit {
    /// No limit.
    #[must_use]
    pub fn none() -> Self {
        Limit { each: [None; 2], in_all: None, first_only: false, few_men: 0, beginning: Default::default() }
    }

    /// So many promoted men of both sides together.
    #[must_use]
    pub fn in_all(n: u8) -> Self {
        Limit { in_all: Some(n), ..Limit::none() }
    }

    /// So many promoted men of White and of Black.
    #[must_use]
    pub fn each(white: u8, black: u8) -> Self {
        Limit { each: [Some(white), Some(black)], ..Limit::none() }
    }

    /// The same; the side for which a bound is sought promotes to the first piece of the rules only.
    #[must_use]
    pub fn with_first_only(self) -> Self {
        Limit { first_only: true, ..self }
    }

    /// The same; positions of at most so many men lie inside, whatever has been promoted.
    #[must_use]
    pub fn with_few_men(self, few_men: u8) -> Self {
        Limit { few_men, ..self }
    }

    /// Whether nothing lies outside.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.each == [None; 2] && self.in_all.is_none() && !self.first_only
    }

    /// Whether men lie inside the limit under some bound: as many of each piece as there are more than in
    /// the beginning have been promoted.
    pub(crate) fn allows(&self, variant: &Variant, material: &Material) -> bool {
        if self.is_few(material) {
            return true;
        }
        let n_promoted = Side::BOTH.map(|side| self.promoted(variant, material, side).0);
        let fits = |n: usize, most: Option<u8>| most.is_none_or(|most| n <= usize::from(most));
        let each = Side::BOTH.into_iter().all(|side| fits(n_promoted[side.index()], self.each[side.index()]));
        each && fits(n_promoted.iter().sum(), self.in_all)
    }

    /// Whether men lie inside the limit of a run.
    pub(crate) fn allows_under(&self, bound: Bound, variant: &Variant, material: &Material) -> bool {
        let is_bare = match bound.winner_outside() {
            Some(winner) if self.first_only && !self.is_few(material) => {
                self.promoted(variant, material, !winner).1
            }
            _ => true,
        };
        is_bare && self.allows(variant, material)
    }

    /// Whether there are so few men that nothing is asked of them; captures and promotions leave no more.
    fn is_few(&self, material: &Material) -> bool {
        material.n_men() <= usize::from(self.few_men)
    }

    /// How many men of a side have been promoted, and whether all of them are of the first piece that a pawn
    /// may become.
    fn promoted(&self, variant: &Variant, material: &Material, side: Side) -> (usize, bool) {
        let (mut n_all, mut is_first) = (0, true);
        let pawns = || variant.piece_ids().filter_map(|piece| variant.piece(piece).pawn.as_ref());
        for piece in variant.piece_ids().filter(|&piece| variant.piece(piece).pawn.is_none()) {
            let letter = variant.piece(piece).letter;
            let n = material.side(side).iter().filter(|&&own| own == piece).count();
            let n_before = self.beginning[side.index()].chars().filter(|&own| own == letter).count();
            let n_promoted = n.saturating_sub(n_before);
            n_all += n_promoted;
            is_first &= n_promoted == 0 || pawns().any(|pawn| pawn.promotes_to.first() == Some(&piece));
        }
        (n_all, is_first)
    }
}

impl fmt::Display for Limit {
    /// What is allowed: `without a limit`, `with at most 1 promoted man`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let men = |n: u8| if n == 1 { "1 promoted man".to_owned() } else { format!("{n} promoted men") };
        let [white, black] = self.each;
        match (self.in_all, white, black) {
            (None, None, None) => f.write_str("without a limit")?,
            (Some(n), None, None) => write!(f, "with at most {} in all", men(n))?,
            (_, Some(white), Some(black)) if white == black => {
                write!(f, "with at most {} a side", men(white))?
            }
            _ => {
                let side = |n: Option<u8>| n.map_or_else(|| "any number of promoted men".to_owned(), men);
                write!(f, "with at most {} of White's and {} of Black's", side(white), side(black))?;
            }
        }
        if self.first_only {
            f.write_str(", own promotions to the first piece only")?;
        }
        match self.few_men {
            0 => Ok(()),
            n => write!(f, ", from {} men on", n + 1),
        }
    }
}
