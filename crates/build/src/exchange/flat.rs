//! Writes the tables of a folder as flat files, see [`export::flat`].

use super::step::{Report, for_each_table, plan_for};
use export::flat::{FlatOptions, FlatTablebase, FlatWritten, Form, write};
use library::{LibraryError, PROGRAM, PlannedTables, TableFiles};
use plan::Job;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use variant::{Material, Metric};

/// Writes flat files.
#[derive(Clone, Copy, Debug)]
pub struct FlatExport<'a> {
    /// The tables that have the values.
    pub files: &'a TableFiles,
    /// The folder that gets the files.
    pub out: &'a Path,
    /// What they hold: the metric of the tables, or who wins.
    pub held: Metric,
    /// Distances, or two bits a position.
    pub form: Form,
    /// Two bytes a position even where one is enough.
    pub wide: bool,
    /// Packed by gzip.
    pub packed: bool,
    /// One file for all squares of the pawns.
    pub one_file: bool,
}

/// The sums of the files of tables; none where there are none.
type Sums = BTreeMap<Material, Option<[u8; 16]>>;

impl FlatExport<'_> {
    /// Writes the files of these tables, on the threads of whoever calls.
    ///
    /// # Errors
    /// A table is missing or damaged, a file cannot be written, or `report` fails.
    pub fn write<E: From<LibraryError>>(
        &self,
        wanted: &BTreeSet<Material>,
        report: Report<'_, FlatWritten, E>,
    ) -> Result<(), E> {
        let FlatExport { files, out, held, form, wide, packed, one_file } = *self;
        let variant = files.edition().variant();
        let plan = plan_for(variant, wanted)?;
        let mut tables = PlannedTables::new(files, &plan, wanted)?;
        let there = FlatTablebase::open_form(out, variant, held, form);
        let there = if one_file { there } else { there.asking_placements_first() };
        let mut sums = Sums::new();
        for_each_table(
            &plan,
            &mut tables,
            &BTreeSet::new(),
            &mut |_, job, table| {
                let Some(table) = table? else { return Ok(None) };
                let options = FlatOptions {
                    form,
                    wide,
                    packed,
                    one_file,
                    built: &format!("{PROGRAM}, solver {}", solve::VERSION),
                    dependencies: &dependencies(job, &there, &mut sums),
                };
                let written = write(out, variant, held, &table, &options)?;
                sums.insert(job.material.clone(), Some(written.sum));
                Ok(Some(written))
            },
            report,
        )
    }
}

/// The tables that a table was computed from, each with the sum of its flat files.
fn dependencies(job: &Job, there: &FlatTablebase, sums: &mut Sums) -> Vec<(String, Option<[u8; 16]>)> {
    let needs: BTreeMap<&str, &Material> =
        job.needs.iter().map(|need| (need.name.as_str(), &need.material)).collect();
    let sum = |(name, material): (&str, &Material)| {
        let sum = *sums.entry(material.clone()).or_insert_with(|| there.sum(material));
        (name.to_owned(), sum)
    };
    needs.into_iter().map(sum).collect()
}
