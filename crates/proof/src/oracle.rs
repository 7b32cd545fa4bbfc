//! Answers as the naive oracle: every value straight from the definition, of a whole material or of all
//! positions that given ones lead to.

use crate::derivation::{exits, kind_of, may_matter};
use crate::graph::Graph;
use crate::numbering::{SortedMen, key_of};
use crate::reading::{Solutions, Tables, Values};
use crate::verify::Difference;
use index::Layout;
use position::{Move, Position, RuleBook};
use std::collections::HashMap;
use std::sync::Arc;
use table::{Code, Lookup, Missing, Scale, Table, Value};
use variant::{Material, Metric, Side, Variant};

/// Solves materials by a fixpoint over all their positions, and remembers them.
///
/// Complexity: for each position a number for each of its moves, in memory; time grows with moves × plies,
/// and with moves × plies of the rule × steps of pawns under the n-move rule. Three men on 64 squares, or
/// four on 25, take about a second.
pub struct Oracle {
    solutions: Solutions,
}

impl Oracle {
    /// The oracle that looks at every placement of all men on all squares, without symmetries. It counts as
    /// the variant's metric does.
    #[must_use]
    pub fn new(variant: &Variant) -> Self {
        Oracle::over(Arc::new(RuleBook::new(variant)), variant.default_metric, false)
    }

    /// The oracle that looks only at the placements which a table's layout keeps: for four men on a large
    /// board.
    #[must_use]
    pub fn folded(variant: &Variant) -> Self {
        Oracle::over(Arc::new(RuleBook::new(variant)), variant.default_metric, true)
    }

    /// This oracle, but it counts as this metric does. It forgets what it has solved.
    ///
    /// # Panics
    /// If checks are counted and it is none of `wdl` and `dtm`: every other move that leaves a material is
    /// taken for zeroing.
    #[must_use]
    pub fn counting(self, metric: Metric) -> Self {
        let Solutions { book, is_folded, has_castling, .. } = self.solutions;
        let oracle = Oracle::over(book, metric, is_folded);
        if has_castling { oracle.with_castling() } else { oracle }
    }

    /// This oracle, for positions too in which a side may castle. It forgets what it has solved.
    ///
    /// Complexity: one more number for each such position, without symmetries.
    #[must_use]
    pub fn with_castling(self) -> Self {
        let Solutions { book, scale, is_folded, .. } = self.solutions;
        let mut solutions = Solutions::new(book, scale, is_folded);
        solutions.has_castling = true;
        Oracle { solutions }
    }

    fn over(book: Arc<RuleBook>, metric: Metric, is_folded: bool) -> Self {
        let book = match book.variant().rules.helped == (metric == Metric::Help) {
            true => book,
            false => Arc::new(RuleBook::new(&book.variant().for_metric(metric))),
        };
        let is_counted = book.variant().rules.check_counting.is_some();
        assert!(
            !is_counted || matches!(metric, Metric::Wdl | Metric::Dtm),
            "{metric} where checks are counted"
        );
        let scale = Scale::new(metric, &book.variant().rules);
        Oracle { solutions: Solutions::new(book, scale, is_folded) }
    }

    /// The rules of the oracle.
    #[must_use]
    pub fn book(&self) -> &RuleBook {
        &self.solutions.book
    }

    /// Solves a material, its colours as they are, and everything that it can lead to.
    pub fn solve(&mut self, material: &Material) {
        self.solutions.solve(material);
    }

    /// Solves one material whose captures and promotions lead to finished tables: of the same metric, or of
    /// any that holds what this one needs.
    ///
    /// # Errors
    /// A table is not there.
    pub fn solve_with(&mut self, material: &Material, lookup: &dyn Lookup) -> Result<(), Missing> {
        if self.solutions.find(key_of(material)).is_some() {
            return Ok(());
        }
        let variant = self.book().variant();
        let find = |material: &Material| lookup.table(material, None).map(|table| table as Arc<dyn Values>);
        let tables = Tables::new(variant, self.solutions.scale, &exits(variant, material), find)?;
        let reading = tables.reading(self.book(), None);
        let value = |next: &Position| reading.value(next).expect("all exits have tables");
        let solved = self.solutions.solved(material, value);
        self.solutions.push(solved);
        Ok(())
    }

    /// The value of a position, with its rights to castle and to capture en passant; none if its material has
    /// not been solved, or not with castling, and its men have not ended the game.
    #[must_use]
    pub fn value(&self, position: &Position) -> Option<Value> {
        self.solutions.value(position)
    }

    /// The values of a canonical material as a table; none if it has not been solved.
    #[must_use]
    pub fn table(&self, material: &Material) -> Option<Table> {
        let variant = self.book().variant();
        let layout = Arc::new(Layout::new(variant, material));
        let codes = |stm: Side| {
            let values = (0..layout.len()).map(|index| self.value_at(&layout, stm, index).1);
            let codes = values.map(|value| u16::from_value(value?)).collect::<Option<Vec<u16>>>()?;
            Some(u16::owned(codes))
        };
        let black = if material.is_one_sided(variant) { None } else { Some(codes(Side::Black)?) };
        Some(Table::new(layout.clone(), codes(Side::White)?, black))
    }

    /// Where a table says otherwise: every number of every side to move that the table keeps, at most `limit`
    /// differences; none if the table's material has not been solved.
    #[must_use]
    pub fn differences(&self, table: &Table, limit: usize) -> Option<Vec<Difference>> {
        let mut differences = Vec::new();
        for stm in table.sides() {
            for index in 0..table.layout().len() {
                if differences.len() >= limit {
                    return Some(differences);
                }
                let (position, expected) = self.value_at(table.layout(), stm, index);
                let (stored, expected) = (table.value(stm, index), expected?);
                if stored != expected {
                    let place = (stm, index);
                    differences.push(Difference::new(
                        self.book(),
                        position.as_ref(),
                        place,
                        stored,
                        expected,
                    ));
                }
            }
        }
        Some(differences)
    }

    /// Where a table says otherwise, or has no number: every legal position with a side to move that the
    /// table keeps, canonical or not, at most `limit` differences; none if the table's material has not been
    /// solved.
    ///
    /// This asks the table's numbering too: a position that it forgets is found here and not by going through
    /// its numbers. A difference without a number has that behind the last.
    #[must_use]
    pub fn differences_anywhere(&self, table: &Table, limit: usize) -> Option<Vec<Difference>> {
        let layout = table.layout();
        let solved = self.solutions.find(key_of(layout.material()))?;
        let differences = (0..solved.numbering.n_without_rights()).filter_map(|number| {
            let position = solved.numbering.position(self.book().variant(), number)?;
            let stm = position.stm();
            if !table.sides().any(|side| side == stm) || !position.is_legal(self.book()) {
                return None;
            }
            let index = layout.encode(SortedMen::new(&position).squares());
            let stored = index.map_or(Value::Illegal, |index| table.value(stm, index));
            let expected = solved.codes[number].value();
            let place = (stm, index.unwrap_or(layout.len()));
            (stored != expected)
                .then(|| Difference::new(self.book(), Some(&position), place, stored, expected))
        });
        Some(differences.take(limit).collect())
    }

    /// The position with this number, none where men share a square, and its value, none if not solved.
    fn value_at(&self, layout: &Layout, stm: Side, index: usize) -> (Option<Position>, Option<Value>) {
        let placement = layout.decode(index);
        let men = layout.men().iter().copied().zip(placement.iter().copied());
        let position = Position::of_material(layout.material(), men, stm);
        let value = position.as_ref().map_or(Some(Value::Illegal), |position| self.value(position));
        (position, value)
    }
}

/// The values of all positions that some lead to.
///
/// Complexity: some 200 bytes for each position and 4 for each of its moves; time as for the oracle.
///
/// The [`Oracle`](crate::Oracle) goes through all placements of a material, which ends at five men on small
/// boards. Of a position with pawns that hardly move few positions come, however many men it has, and here
/// nothing else is looked at. No exit is left: where a move leads to other men, those positions are listed
/// too.
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
        let variant = &variant.for_metric(metric);
        let book = RuleBook::new(variant);
        let scale = Scale::new(metric, &variant.rules);
        let mut listing = Listing { book: &book, numbers: HashMap::new(), all: Vec::new() };
        for root in roots {
            if root.is_legal(&book) {
                listing.number(&root);
            }
        }
        let is_zeroing = |mv: &Move| scale.restarts(kind_of(mv));
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

/// The position without clocks, and without a right that no side can use.
fn bare(book: &RuleBook, position: &Position) -> Position {
    let men = Position::from_men(position.men(), position.stm()).expect("no two men share a square");
    let right = position.en_passant().filter(|_| may_matter(book, position));
    men.with_en_passant(right).with_given_checks(position.given_checks())
}
