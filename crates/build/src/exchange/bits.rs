//! Writes and verifies the answers to one question, a bit a position, see [`export::bits`].

use super::step::{Report, for_each_table, plan_for};
use export::bits::{BitsFile, BitsWritten, Question, file_name, write};
use format::Summary;
use library::{LibraryError, PlannedTables, TableFiles};
use plan::{Plan, Request};
use std::collections::BTreeSet;
use std::path::Path;
use variant::{Material, Metric};

/// Writes one-bit files.
#[derive(Clone, Copy, Debug)]
pub struct BitsExport<'a> {
    /// The tables that have the values.
    pub files: &'a TableFiles,
    /// The folder that gets the files.
    pub out: &'a Path,
    /// The metric that the question is about.
    pub metric: Metric,
    /// The question.
    pub question: Question,
}

/// The file of one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitsExported {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub written: BitsWritten,
}

impl BitsExport<'_> {
    /// Writes the files of these tables, on the threads of whoever calls.
    ///
    /// # Errors
    /// A table is missing or damaged, a file cannot be written, or `report` fails.
    pub fn write<E: From<LibraryError>>(
        &self,
        wanted: &BTreeSet<Material>,
        report: Report<'_, BitsExported, E>,
    ) -> Result<(), E> {
        let BitsExport { files, out, metric, question } = *self;
        let variant = files.edition().variant();
        let plan = plan_for(variant, wanted)?;
        let mut tables = PlannedTables::new(files, &plan, wanted)?;
        for_each_table(
            &plan,
            &mut tables,
            &BTreeSet::new(),
            &mut |_, job, table| {
                let Some(table) = table? else { return Ok(None) };
                let name = file_name(&job.name, metric, variant.default_metric, question);
                let content = Summary::read(&files.main_path(&job.name))?.table_content();
                let written = write(&out.join(&name), variant, (metric, &table), question, content)?;
                Ok(Some(BitsExported { name, written }))
            },
            report,
        )
    }
}

/// What comparing a one-bit file with its table has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitsVerified {
    /// How many answers were compared.
    pub n_answers: u64,
    /// How many of them are wrong.
    pub n_wrong: u64,
    /// Whether the file was made of the table that is there.
    pub is_of_table: bool,
}

/// Compares the checksums of a one-bit file, and its answers with the table that these files have, on the
/// threads of whoever calls.
///
/// # Errors
/// A table that is needed is missing, or a file is damaged.
pub fn verify_bits(file: &BitsFile, files: &TableFiles) -> Result<BitsVerified, LibraryError> {
    let material = file.layout().material().clone();
    let content = Summary::read(&files.main_path(file.layout().name()))?.table_content();
    let plan = Plan::new(files.edition().variant(), &Request::Table(material.clone()))?;
    let wanted = BTreeSet::from([material]);
    let mut tables = PlannedTables::new(files, &plan, &wanted)?;
    let mut verified = BitsVerified { n_answers: 0, n_wrong: 0, is_of_table: content == file.table() };
    for place in tables.places() {
        if let Some(table) = tables.get(place)? {
            (verified.n_answers, verified.n_wrong) = file.compare(&table)?;
        }
        tables.forget(place);
    }
    Ok(verified)
}
