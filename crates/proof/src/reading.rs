//! Reads the value of a position from solved tables; looks one move ahead for en passant.

use crate::derivation::{derived, may_matter};
use crate::exit::exits;
use crate::numbering::{SortedMen, key_of};
use crate::solution::Solutions;
use crate::values::Values;
use position::{Position, RuleBook};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use table::{Mapping, Missing, Scale, Value};
use variant::{Man, Material, Side, Variant};

/// The tables that a computation needs, each found once.
pub(crate) struct Tables {
    scale: Scale,
    tables: Vec<(Material, Arc<dyn Values>)>,
    /// Solves what has no table: two men, such as bare royal ones.
    solutions: Solutions,
}

/// [`Tables`], ready to be read.
pub(crate) struct Reading<'a> {
    book: &'a RuleBook,
    scale: Scale,
    /// By the key of the men.
    tables: Vec<(u64, MappedValues<'a>)>,
    solutions: &'a Solutions,
}

/// A table read by somebody who lists the men in the order of the material, in either colours.
struct MappedValues<'a> {
    values: &'a dyn Values,
    mapping: Mapping,
}

impl Tables {
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
        let book = Arc::new(RuleBook::new(variant));
        let mut all = Tables { scale, tables: Vec::new(), solutions: Solutions::new(book, scale, false) };
        let mut open: VecDeque<Material> = materials.into_iter().cloned().collect();
        let mut known: BTreeSet<Material> = open.iter().cloned().collect();
        while let Some(material) = open.pop_front() {
            let canonical = material.canonical(variant);
            match find(&canonical) {
                Some(values) => {
                    if !canonical.is_one_sided(variant)
                        && !Side::BOTH.into_iter().all(|stm| values.keeps(stm))
                    {
                        let more = exits(variant, &material);
                        open.extend(more.into_iter().filter(|material| known.insert(material.clone())));
                    }
                    all.tables.push((material, values));
                }
                None if material.n_men() <= 2 => all.solutions.solve(&material),
                None => return Err(Missing { material: canonical }),
            }
        }
        Ok(all)
    }

    /// The tables to be read, with one more.
    pub(crate) fn reading<'a>(&'a self, book: &'a RuleBook, more: Option<&'a dyn Values>) -> Reading<'a> {
        let own = more.map(|values| (values.layout().material(), values));
        let others = self.tables.iter().map(|(material, values)| (material, &**values));
        let mapped = |(material, values): (&'a Material, &'a dyn Values)| {
            let men: Vec<Man> = material.men().collect();
            let mapping = Mapping::new(values.layout(), Side::BOTH.map(|side| values.keeps(side)), &men)?;
            Some((key_of(material), MappedValues { values, mapping }))
        };
        let tables = own.into_iter().chain(others).filter_map(mapped).collect();
        Reading { book, scale: self.scale, tables, solutions: &self.solutions }
    }
}

impl Reading<'_> {
    /// The value of a legal position; none if no table holds it, or it cannot be read.
    pub(crate) fn value(&self, position: &Position) -> Option<Value> {
        if may_matter(self.book, position) {
            return derived(self.book, &self.scale, position, |next| self.value(next));
        }
        let men = SortedMen::new(position);
        let Some((_, table)) = self.tables.iter().find(|(key, _)| *key == men.key) else {
            return self.solutions.value(position);
        };
        if !table.mapping.has(position.stm()) {
            return derived(self.book, &self.scale, position, |next| self.value(next));
        }
        match table.mapping.locate(table.values.layout(), position.stm(), men.squares()) {
            Some((stm, index)) => table.values.value(stm, index),
            None => Some(Value::Illegal),
        }
    }
}
