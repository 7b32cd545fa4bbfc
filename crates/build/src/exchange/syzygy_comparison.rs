//! Compares the tables of a folder with Syzygy files, position by position.

use super::comparison::{Comparison, ExchangeDifference};
use super::step::{Report, for_each_table, plan_for};
use ::syzygy::{Agreement, Family, FileKind, Score, SyzygyTablebase};
use geometry::Square;
use index::Layout;
use library::{LibraryError, PlannedTables, TableFiles};
use position::{Position, RuleBook};
use std::collections::BTreeSet;
use std::path::Path;
use table::Value;
use variant::{Material, Metric, Side, Variant};

/// How many bytes of decompressed blocks are kept of tables that are probed.
const CACHE_BYTES: usize = 512 << 20;

/// Compares tables of `wdl` and `dtz50` with Syzygy files.
#[derive(Clone, Copy, Debug)]
pub struct SyzygyComparison<'a> {
    /// The tables.
    pub own: &'a TableFiles,
    /// The folder that has the Syzygy files.
    pub against: &'a Path,
    /// Tables of up to so many men are compared whole.
    pub max_men_whole: usize,
    /// How many placements of larger tables are compared, with each side to move.
    pub n_placements: u64,
}

impl SyzygyComparison<'_> {
    /// Whether a material has Syzygy files of both kinds, of any game.
    #[must_use]
    pub fn has_files(&self, material: &Material) -> bool {
        let name = material.name(self.own.edition().variant());
        let has = |family: &Family| {
            let path = |kind| self.against.join(family.file_name(kind, &name));
            [FileKind::Wdl, FileKind::Dtz].into_iter().all(|kind| path(kind).exists())
        };
        Family::ALL.iter().any(has)
    }

    /// Compares these tables, on the threads of whoever calls.
    ///
    /// # Errors
    /// A file is missing or damaged, or `report` fails; that values differ is no error, but in the
    /// comparison.
    pub fn run<E: From<LibraryError>>(
        &self,
        wanted: &BTreeSet<Material>,
        report: Report<'_, Comparison, E>,
    ) -> Result<(), E> {
        let variant = self.own.edition().variant();
        let plan = plan_for(variant, wanted)?;
        let whole: BTreeSet<Material> =
            wanted.iter().filter(|material| material.n_men() <= self.max_men_whole).cloned().collect();
        let mut tables = PlannedTables::with_successors(self.own, &plan, &whole);
        let tablebase = self.own.tablebase(Metric::Dtz50, CACHE_BYTES).map_err(LibraryError::from)?;
        let book = RuleBook::new(variant);
        let files = SyzygyTablebase::open_for_all(self.against, variant);
        for_each_table(
            &plan,
            &mut tables,
            wanted,
            &mut |_, job, table| {
                if !wanted.contains(&job.material) {
                    return Ok(None);
                }
                let layout = Layout::new(variant, &job.material);
                let compared = ComparedTable { variant, book: &book, layout: &layout, files: &files };
                let step = (layout.len() / (self.n_placements as usize).max(1)).max(1);
                let compared = table.and_then(|table| match &table {
                    Some(table) => compared.run(1, &|stm, index, _| Ok(table.value(stm, index))),
                    None => compared.run(step, &|_, _, position| Ok(tablebase.value(position)?)),
                });
                Comparison::of_result(compared).map(Some)
            },
            report,
        )
    }
}

/// A table and the files that it is compared with.
struct ComparedTable<'a> {
    variant: &'a Variant,
    book: &'a RuleBook,
    layout: &'a Layout,
    files: &'a SyzygyTablebase,
}

/// The value of a position, given its side to move and number too.
type ValueOf<'a> = dyn Fn(Side, usize, &Position) -> Result<Value, LibraryError> + Sync + 'a;

impl ComparedTable<'_> {
    /// Compares every so-many-th placement.
    fn run(&self, step: usize, value: &ValueOf<'_>) -> Result<Comparison, LibraryError> {
        Comparison::of_placements(self.layout, step, |stm, index, placement, comparison| {
            self.compare_one(stm, index, placement, value, comparison)
        })
    }

    fn compare_one(
        &self,
        stm: Side,
        index: usize,
        placement: &[Square],
        value: &ValueOf<'_>,
        comparison: &mut Comparison,
    ) -> Result<(), LibraryError> {
        let men = self.layout.men().iter().copied().zip(placement.iter().copied());
        let Some(position) = Position::from_men(men, stm).filter(|position| position.is_legal(self.book))
        else {
            return Ok(());
        };
        let Some(expected) = Score::of_game(self.variant, value(stm, index, &position)?) else {
            return Ok(());
        };
        let read = self.files.score(&position)?;
        let counts_plies = self.files.counts_plies(&position)?;
        comparison.n_positions += 1;
        match expected.agreement(read, counts_plies) {
            Agreement::Same => {}
            Agreement::Rounded => comparison.n_rounded += 1,
            Agreement::Different => {
                let fen = || position.to_fen(self.book);
                comparison.differ(|| ExchangeDifference::Score { fen: fen(), read, expected });
            }
        }
        Ok(())
    }
}
