//! Solves materials by a fixpoint over all their positions and stores their values.

use crate::derivation::{adjudicated, derived, kind_of, may_matter};
use crate::exit::exits;
use crate::graph::Graph;
use crate::numbering::{Numbering, SortedMen, key_of};
use position::{Move, Position, RuleBook};
use std::sync::Arc;
use table::{Code, Scale, Value};
use variant::Material;

/// The materials that have been solved, with the rules and the way of counting.
pub(crate) struct Solutions {
    pub(crate) book: Arc<RuleBook>,
    pub(crate) scale: Scale,
    pub(crate) is_folded: bool,
    /// Whether positions in which somebody may castle are solved too.
    pub(crate) has_castling: bool,
    solved: Vec<Solved>,
}

/// One material and its values.
pub(crate) struct Solved {
    key: u64,
    pub(crate) numbering: Numbering,
    pub(crate) codes: Vec<u16>,
}

impl Solutions {
    /// No solution yet. If `is_folded`, only placements that a table's layout keeps will be solved.
    pub(crate) fn new(book: Arc<RuleBook>, scale: Scale, is_folded: bool) -> Self {
        Solutions { book, scale, is_folded, has_castling: false, solved: Vec::new() }
    }

    /// Solves a material, its colours as they are, and everything that it can lead to.
    pub(crate) fn solve(&mut self, material: &Material) {
        if self.find(key_of(material)).is_some() {
            return;
        }
        for exit in exits(self.book.variant(), material) {
            self.solve(&exit);
        }
        let value = |next: &Position| self.value(next).expect("all exits are solved");
        let solved = self.solved(material, value);
        self.push(solved);
    }

    /// Adds a material.
    pub(crate) fn push(&mut self, solved: Solved) {
        self.solved.push(solved);
    }

    /// Solves one material; `exit` is the value of a position that captures and promotions lead to.
    pub(crate) fn solved(&self, material: &Material, exit: impl Fn(&Position) -> Value + Sync) -> Solved {
        let key = key_of(material);
        let variant = self.book.variant();
        let numbering = match self.is_folded {
            true => Numbering::folded(variant, material),
            false => Numbering::plain(variant, material),
        };
        let numbering =
            if self.has_castling { numbering.with_castling(&self.book, material) } else { numbering };
        let is_zeroing = |mv: &Move| self.scale.is_zeroing(kind_of(mv));
        let is_inside = |next: &Position| SortedMen::new(next).key == key;
        let mut codes = Graph::new(&self.book, &numbering, is_zeroing, is_inside, exit).solve(&self.scale);
        codes.truncate(numbering.len());
        Solved { key, numbering, codes }
    }

    /// The values of a material, by its key; none if it has not been solved.
    pub(crate) fn find(&self, key: u64) -> Option<&Solved> {
        self.solved.iter().find(|solved| solved.key == key)
    }

    /// The value of a position, with its rights to castle and to capture en passant; none if its material has
    /// not been solved, or not with castling, and its men have not ended the game.
    pub(crate) fn value(&self, position: &Position) -> Option<Value> {
        let Some(solved) = self.find(SortedMen::new(position).key) else {
            return adjudicated(&self.book, position).filter(|_| position.is_legal(&self.book));
        };
        if !position.is_legal(&self.book) {
            return Some(Value::Illegal);
        }
        if may_matter(&self.book, position) {
            // The tables of pawns' captures and promotions are there, since this one is.
            return derived(&self.book, &self.scale, position, |next| self.value(next));
        }
        if !position.castling().is_empty() && !self.has_castling {
            return None;
        }
        Some(solved.numbering.number(position).map_or(Value::Illegal, |number| solved.codes[number].value()))
    }
}
