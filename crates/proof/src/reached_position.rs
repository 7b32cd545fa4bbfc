//! Solves all positions that given ones lead to, naively: every move of every one of them is listed.
//!
//! The [`Oracle`](crate::Oracle) goes through all placements of a material, which ends at five men on small
//! boards. Of a position with pawns that hardly move few positions come, however many men it has, and here
//! nothing else is looked at. No exit is left: where a move leads to other men, those positions are listed
//! too.

use crate::derivation::{kind_of, may_matter};
use crate::graph::Graph;
use position::{Move, Position, RuleBook};
use std::collections::HashMap;
use table::{Code, Scale, Value};
use variant::{Metric, Variant};

/// The values of all positions that some lead to.
///
/// Complexity: some 200 bytes for each position and 4 for each of its moves; time as for the oracle.
pub struct Reached {
    book: RuleBook,
    numbers: HashMap<Position, u32>,
    codes: Vec<u16>,
}

impl Reached {
    /// Solves the legal ones of these positions and all that they lead to under a metric; none if there are
    /// more than `most`.
    #[must_use]
    pub fn new(
        variant: &Variant,
        metric: Metric,
        roots: impl IntoIterator<Item = Position>,
        most: usize,
    ) -> Option<Self> {
        let book = RuleBook::new(variant);
        let scale = Scale::new(metric, &variant.rules);
        let mut listing = Listing { book: &book, numbers: HashMap::new(), all: Vec::new() };
        for root in roots {
            if root.is_legal(&book) {
                listing.number(&root);
            }
        }
        let is_zeroing = |mv: &Move| scale.is_zeroing(kind_of(mv));
        let mut next = 0;
        let graph = Graph::of_moves(&book, || {
            if listing.all.len() > most {
                return None;
            }
            let position = listing.all.get(next)?.clone();
            next += 1;
            let mut targets = Vec::new();
            position.for_each_successor(&book, |mv, after| {
                targets.push((listing.number(after), is_zeroing(&mv)));
            });
            Some((position, targets))
        });
        let numbers = listing.numbers;
        (numbers.len() <= most).then(|| Reached { codes: graph.solve(&scale), numbers, book })
    }

    /// The rules.
    #[must_use]
    pub fn book(&self) -> &RuleBook {
        &self.book
    }

    /// The value of a position, with its right to capture en passant if it has one; none if it is none of
    /// those that were reached.
    #[must_use]
    pub fn value(&self, position: &Position) -> Option<Value> {
        let number = self.numbers.get(&bare(&self.book, position))?;
        Some(self.codes[*number as usize].value())
    }

    /// All positions, in no order, with their values.
    pub fn positions(&self) -> impl Iterator<Item = (&Position, Value)> {
        self.numbers.iter().map(|(position, &number)| (position, self.codes[number as usize].value()))
    }
}

/// The positions that were found so far.
struct Listing<'a> {
    book: &'a RuleBook,
    numbers: HashMap<Position, u32>,
    all: Vec<Position>,
}

impl Listing<'_> {
    fn number(&mut self, position: &Position) -> u32 {
        let bare = bare(self.book, position);
        if let Some(&number) = self.numbers.get(&bare) {
            return number;
        }
        let number = self.all.len() as u32;
        self.all.push(bare.clone());
        self.numbers.insert(bare, number);
        number
    }
}

/// The position without clocks, and without a right that nobody can use.
fn bare(book: &RuleBook, position: &Position) -> Position {
    let men = Position::from_men(position.men(), position.stm()).expect("no two men share a square");
    let right = position.en_passant().filter(|_| may_matter(book, position));
    men.with_en_passant(right)
}
