//! The value of a position, read from solved tables; en passant by looking one move ahead.

use crate::exit::exits;
use crate::numbering::{SortedMen, key_of};
use crate::{Oracle, Values};
use position::{Ending, Move, Position, RuleBook};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use table::{Mapping, Missing, MoveKind, Ply, Scale, Value};
use variant::{Man, Material, Side, Variant};

/// The tables that a computation needs, each found once.
pub(crate) struct Shelf {
    scale: Scale,
    tables: Vec<(Material, Arc<dyn Values>)>,
    /// Solves what has no table: two men, such as bare royal ones.
    oracle: Oracle,
}

/// The tables of a shelf, ready to be read.
pub(crate) struct Reading<'a> {
    book: &'a RuleBook,
    scale: Scale,
    seen: Vec<(u64, Seen<'a>)>,
    oracle: &'a Oracle,
}

/// A table as somebody sees it who lists the men in the order of the material, in either colours.
struct Seen<'a> {
    values: &'a dyn Values,
    mapping: Mapping,
}

impl Shelf {
    /// The tables of these materials, to be read for this way of counting, and those that are read instead of
    /// a side to move that one of them has left out. Two men need no table.
    ///
    /// # Errors
    /// The first material whose table is not there.
    pub(crate) fn new<'m>(
        variant: &Variant,
        scale: Scale,
        materials: impl IntoIterator<Item = &'m Material>,
        find: impl Fn(&Material) -> Option<Arc<dyn Values>>,
    ) -> Result<Self, Missing> {
        let oracle = Oracle::new(variant).counting(scale.metric());
        let mut shelf = Shelf { scale, tables: Vec::new(), oracle };
        let mut open: VecDeque<Material> = materials.into_iter().cloned().collect();
        let mut known: BTreeSet<Material> = open.iter().cloned().collect();
        while let Some(material) = open.pop_front() {
            let canonical = material.canonical(variant);
            let is_one_for_both = canonical.is_symmetric() && variant.is_colour_symmetric();
            match find(&canonical) {
                Some(values) => {
                    if !is_one_for_both && !Side::BOTH.into_iter().all(|stm| values.keeps(stm)) {
                        let more = exits(variant, &material);
                        open.extend(more.into_iter().filter(|material| known.insert(material.clone())));
                    }
                    shelf.tables.push((material, values));
                }
                None if material.n_men() <= 2 => shelf.oracle.solve(&material),
                None => return Err(Missing { material: canonical }),
            }
        }
        Ok(shelf)
    }

    /// The tables to be read, with one more.
    pub(crate) fn reading<'a>(&'a self, book: &'a RuleBook, more: Option<&'a dyn Values>) -> Reading<'a> {
        let own = more.map(|values| (values.layout().material(), values));
        let others = self.tables.iter().map(|(material, values)| (material, &**values));
        let seen = |(material, values): (&'a Material, &'a dyn Values)| {
            let men: Vec<Man> = material.men().collect();
            let mapping = Mapping::new(values.layout(), Side::BOTH.map(|side| values.keeps(side)), &men)?;
            Some((key_of(material), Seen { values, mapping }))
        };
        let seen = own.into_iter().chain(others).filter_map(seen).collect();
        Reading { book, scale: self.scale, seen, oracle: &self.oracle }
    }
}

impl Reading<'_> {
    /// The value of a legal position; none if no table holds it, or it cannot be read.
    pub(crate) fn value(&self, position: &Position) -> Option<Value> {
        if may_matter(self.book, position) {
            return derived(self.book, &self.scale, position, |next| self.value(next));
        }
        let men = SortedMen::new(position);
        let Some((_, seen)) = self.seen.iter().find(|(key, _)| *key == men.key) else {
            return self.oracle.value(position);
        };
        if !seen.mapping.has(position.stm()) {
            return derived(self.book, &self.scale, position, |next| self.value(next));
        }
        match seen.mapping.locate(seen.values.layout(), position.stm(), men.squares()) {
            Some((stm, index)) => seen.values.value(stm, index),
            None => Some(Value::Illegal),
        }
    }
}

/// Whether the position has a right to capture en passant and a pawn that might use it.
pub(crate) fn may_matter(book: &RuleBook, position: &Position) -> bool {
    position.en_passant().is_some()
        && position.men_of(position.stm()).any(|(man, _)| book.variant().is_pawn(man))
}

/// What kind of move this is, as far as metrics care.
pub(crate) fn kind_of(mv: &Move) -> MoveKind {
    MoveKind::new(mv.is_conversion(), mv.zeroing)
}

/// The value of a legal position as the definition has it: the best of what its moves lead to; none if the
/// value of one of them is not to be had.
pub(crate) fn derived(
    book: &RuleBook,
    scale: &Scale,
    position: &Position,
    mut value: impl FnMut(&Position) -> Option<Value>,
) -> Option<Value> {
    let mut best: Option<Value> = None;
    let mut is_known = true;
    position.for_each_successor(book, |mv, next| {
        match value(next).and_then(|after| after.before_move_of(kind_of(&mv), scale)) {
            Some(own) => best = better(best, own),
            None => is_known = false,
        }
    });
    is_known.then(|| best.unwrap_or_else(|| without_a_move(book, position)))
}

/// The one that the mover prefers.
fn better(best: Option<Value>, other: Value) -> Option<Value> {
    Some(match best {
        Some(best) if best.preference(&other).is_ge() => best,
        _ => other,
    })
}

/// The value of a position without a legal move. Who has won without one claims it, and the claim counts as a
/// ply.
///
/// # Panics
/// If there is a legal move.
pub(crate) fn without_a_move(book: &RuleBook, position: &Position) -> Value {
    let ending = position.ending(book);
    value_of(ending.expect("a position without a legal move"), position.stm())
}

/// The value of a position whose men have ended the game, wherever they could move; none of others.
pub(crate) fn adjudicated(book: &RuleBook, position: &Position) -> Option<Value> {
    position.adjudication(book).map(|ending| value_of(ending, position.stm()))
}

fn value_of(ending: Ending, stm: Side) -> Value {
    match ending.winner {
        None => Value::Stalemate,
        Some(winner) if winner == stm => Value::Win(Ply(1)),
        Some(_) => Value::Loss(Ply(0)),
    }
}
