//! Reads the value of a position from solved tables, in memory, in a file or solved here by a fixpoint over
//! all positions; looks one move ahead for en passant.

use crate::derivation::{adjudicated, derived, exits, may_matter};
use crate::graph::Graph;
use crate::numbering::{MenKey, Numbering, SortedMen, key_of};
use index::Layout;
use position::{Position, RuleBook};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use table::{Clocked, Code, Lookup, Mapping, Missing, Scale, Table, Value};
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
    tables: Vec<(MenKey, MappedValues<'a>)>,
    solutions: &'a Solutions,
}

/// A table read by an asker who lists the men in the order of the material, in either colours.
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
            let keeps = Side::BOTH.map(|side| values.keeps(side));
            let given = material.given_checks();
            let mapping = Mapping::with_checks(values.layout(), keeps, &men, given)?;
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
            Some((stm, index)) => {
                table.values.value_at(stm, index, self.scale.clock_of(position.halfmove_clock()))
            }
            None => Some(Value::Illegal),
        }
    }
}

/// The materials that have been solved, with the rules and the way of counting.
pub(crate) struct Solutions {
    pub(crate) book: Arc<RuleBook>,
    pub(crate) scale: Scale,
    pub(crate) is_folded: bool,
    /// Whether positions in which a side may castle are solved too.
    pub(crate) has_castling: bool,
    solved: Vec<Solved>,
}

/// One material and its values.
pub(crate) struct Solved {
    key: MenKey,
    pub(crate) numbering: Numbering,
    pub(crate) codes: Vec<u16>,
    /// Under `dtm50`, by clock: the codes with the clock there; empty under any other metric.
    by_clock: Vec<Vec<u16>>,
}

impl Solved {
    /// The value with a number, with the clock at these plies.
    pub(crate) fn value(&self, number: usize, clock: u32) -> Value {
        let at_end = self.by_clock.len().saturating_sub(1);
        let codes = self.by_clock.get(at_end.min(clock as usize)).unwrap_or(&self.codes);
        codes[number].value()
    }
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
        let is_inside = |next: &Position| SortedMen::new(next).key == key;
        let graph = Graph::new(&self.book, &numbering, is_inside, exit, &self.scale);
        let mut by_clock =
            self.scale.clock_plies().map_or_else(Vec::new, |plies| graph.to_mate_by_clock(plies));
        let mut codes = by_clock.first().cloned().unwrap_or_else(|| graph.solve(&self.scale));
        by_clock.iter_mut().chain([&mut codes]).for_each(|codes| codes.truncate(numbering.len()));
        Solved { key, numbering, codes, by_clock }
    }

    /// The values of a material, by its key; none if it has not been solved.
    pub(crate) fn find(&self, key: MenKey) -> Option<&Solved> {
        self.solved.iter().find(|solved| solved.key == key)
    }

    /// The value of a position, with its rights to castle and to capture en passant; none if its material
    /// has not been solved, or not with castling, and its men have not ended the game.
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
        let value = |number| solved.value(number, position.halfmove_clock());
        Some(solved.numbering.number(position).map_or(Value::Illegal, value))
    }
}

/// The values of one material, wherever they are.
pub trait Values: Sync + Send {
    /// The numbering of the placements.
    fn layout(&self) -> &Layout;

    /// Whether positions with this side to move are there. Of a symmetric material White's are; of any other
    /// at least one side's: a file may leave the other out, whose values are then those that their moves
    /// lead to.
    fn keeps(&self, stm: Side) -> bool;

    /// Whether all places have their values, those too that are no position or that another place stands
    /// for. Where they do not, only canonical places of legal positions are asked for.
    fn is_whole(&self) -> bool;

    /// The value with this number and a side to move that is kept; none if it cannot be read: the source
    /// keeps the reason.
    fn value(&self, stm: Side, index: usize) -> Option<Value>;

    /// Like [`Self::value`], with the clock of the n-move rule at these plies, if values change with it.
    fn value_at(&self, stm: Side, index: usize, _clock: u32) -> Option<Value> {
        self.value(stm, index)
    }

    /// The clocks from which the value is another one than before, in order; none if it cannot be read.
    fn changes(&self, _stm: Side, _index: usize) -> Option<Vec<u32>> {
        Some(Vec::new())
    }
}

impl Values for Table {
    fn layout(&self) -> &Layout {
        Table::layout(self)
    }

    fn keeps(&self, stm: Side) -> bool {
        self.codes(stm).is_some()
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn value(&self, stm: Side, index: usize) -> Option<Value> {
        Some(Table::value(self, stm, index))
    }

    fn value_at(&self, stm: Side, index: usize, clock: u32) -> Option<Value> {
        Some(Table::value_at(self, stm, index, clock))
    }

    fn changes(&self, stm: Side, index: usize) -> Option<Vec<u32>> {
        let changes = |clocked: &Arc<Clocked>| {
            let at_zero = Table::value(self, stm, index);
            clocked.staircase(Table::layout(self), index, at_zero).changes()
        };
        Some(self.clocked(stm).map_or_else(Vec::new, changes))
    }
}

/// Where the values of other materials are found.
pub trait Find: Sync {
    /// The values of a canonical material, if they are there.
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>>;
}

impl<L: Lookup> Find for L {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        self.table(material, None).map(|table| table as Arc<dyn Values>)
    }
}
