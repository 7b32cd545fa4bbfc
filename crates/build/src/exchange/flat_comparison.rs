//! Compares the tables of a folder with flat files: their sums, then every position.

use super::comparison::{Comparison, ExchangeDifference};
use super::step::{Report, for_each_table, plan_for};
use export::flat::{FlatTablebase, Form, parse_file_name};
use index::Layout;
use library::{LibraryError, PlannedTables, TableFiles};
use position::{Position, RuleBook};
use probe::Tablebase;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use table::{Scale, Table, Value};
use variant::{Man, Material, Metric, Variant};

/// How many bytes of decompressed blocks are kept of tables that are probed.
const CACHE_BYTES: usize = 256 << 20;

/// What the flat files among these hold: by metric, by form, and by whether they have all squares of the
/// pawns, the canonical materials.
#[must_use]
pub fn flat_materials(
    variant: &Variant,
    files: &[PathBuf],
) -> BTreeMap<(Metric, Form, bool), BTreeSet<Material>> {
    let mut contents: BTreeMap<_, BTreeSet<Material>> = BTreeMap::new();
    for name in files.iter().filter_map(|file| file.file_name()?.to_str()) {
        if let Some((flat, metric, form)) = parse_file_name(variant, name) {
            let key = (metric, form, flat.has_all_squares());
            contents.entry(key).or_default().insert(flat.material().clone());
        }
    }
    contents
}

/// Compares tables with flat files.
#[derive(Clone, Copy, Debug)]
pub struct FlatComparison<'a> {
    /// The tables.
    pub own: &'a TableFiles,
    /// The flat files.
    pub files: &'a FlatTablebase,
    /// Tables of up to so many men are compared whole.
    pub max_men_whole: usize,
    /// How many placements of larger tables are compared, with each side to move.
    pub n_placements: u64,
}

impl FlatComparison<'_> {
    /// Compares these tables, on the threads of whoever calls.
    ///
    /// # Errors
    /// A file of a table is missing or damaged, or `report` fails; damaged flat files and values that differ
    /// are no errors, but in the comparison.
    pub fn run<E: From<LibraryError>>(
        &self,
        wanted: &BTreeSet<Material>,
        report: Report<'_, Comparison, E>,
    ) -> Result<(), E> {
        let edition = self.own.edition();
        let plan = plan_for(edition.variant(), wanted)?;
        let whole: BTreeSet<Material> =
            wanted.iter().filter(|material| material.n_men() <= self.max_men_whole).cloned().collect();
        // One that cannot be opened is reported when its turn comes.
        let name = |material: &Material| material.name(edition.variant());
        let opens = |material: &&Material| self.own.open_all(&name(material)).is_ok();
        let whole = whole.iter().filter(opens).cloned().collect();
        let mut tables = PlannedTables::new(self.own, &plan, &whole)?;
        let tablebase = self.own.tablebase(edition.metric(), CACHE_BYTES).map_err(LibraryError::from)?;
        for_each_table(
            &plan,
            &mut tables,
            wanted,
            &mut |_, job, table| {
                if !wanted.contains(&job.material) {
                    return Ok(None);
                }
                let opened = self.own.open_all(&job.name).map_err(LibraryError::from);
                let compared = opened
                    .and(table)
                    .and_then(|table| self.compare(&job.material, table.as_deref(), &tablebase));
                Comparison::of_result(compared).map(Some)
            },
            report,
        )
    }

    /// Compares the sums of a table's files, then their values with those of the table, or else of some of
    /// its positions.
    fn compare(
        &self,
        material: &Material,
        table: Option<&Table>,
        tablebase: &Tablebase,
    ) -> Result<Comparison, LibraryError> {
        self.files.verify_checksums(material)?;
        let variant = self.own.edition().variant();
        let layout = Layout::new(variant, material);
        let book = RuleBook::new(variant);
        let n = (self.n_placements as usize).max(1);
        let step = if table.is_some() { 1 } else { (layout.len() / n).max(1) };
        Comparison::of_placements(&layout, step, |stm, index, placement, found| {
            let men: Vec<_> = layout.men().iter().copied().zip(placement.iter().copied()).collect();
            let Some(position) = Position::from_men(men.iter().copied(), stm) else { return Ok(()) };
            let expected = match table {
                Some(table) => table.value(stm, index),
                None => tablebase.value(&position)?,
            };
            self.compare_one(&book, &position, &men, expected, found)
        })
    }

    fn compare_one(
        &self,
        book: &RuleBook,
        position: &Position,
        men: &[(Man, geometry::Square)],
        expected: Value,
        found: &mut Comparison,
    ) -> Result<(), LibraryError> {
        let read = self.files.value(men, position.stm())?;
        let read = read.map_or(Value::Illegal, |(value, _)| value);
        let scale = Scale::new(self.files.metric(), &book.variant().rules);
        let is_same = match self.files.form() {
            Form::Distances => read == expected,
            Form::Wdl if scale.is_cursed(expected) => read == Value::Draw,
            Form::Wdl => read.wdl() == expected.wdl(),
        };
        found.n_positions += u64::from(expected != Value::Illegal);
        if !is_same {
            found.differ(|| ExchangeDifference::Value { fen: position.to_fen(book), read, expected });
        }
        Ok(())
    }
}
