//! Verifies the flat and Syzygy files of a table: checksums and blocks, then values against those that moves
//! lead to.
//!
//! A flat file is asked by the squares of the men, and a Syzygy file gives a value after the captures were
//! made, half of its distances after every move was. So a sample is derived again at any number of men. Its
//! successors must be in the same folder; without them the checksum is all that can be compared.

use super::stray::{StrayFile, misspelt};
use library::{ExchangeTables, LibraryError};
use probe::{CheckedExchange, ExchangeFile, ExchangeKind, ProbeError};
use proof::{Report, Sample};
use std::collections::BTreeMap;
use std::path::PathBuf;
use variant::{Material, Metric, Variant};

/// The files of a table in one format: one, or of flat files one for each way in which pawns can
/// stand, or its mirror image. The one flat file of all squares of the pawns is a set of its own.
#[derive(Clone, Debug)]
pub struct ExchangeSet {
    /// The first of them.
    first: ExchangeFile,
    others: Vec<ExchangeFile>,
    /// How many files of the table are not among them.
    n_absent: usize,
}

/// Why the values of a table were not derived again, and that is no fault of its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotDerived {
    /// Results under the n-move rule follow from distances, which such files do not have.
    ResultsOnly,
    /// So many other files of the table would be needed too.
    Absent(usize),
    /// A table that moves lead to is not in the folder.
    Missing(probe::MissingTable),
}

/// Files of a table that are damaged: what is wrong with the first, and how many there are.
#[derive(Debug)]
pub struct DamagedFiles {
    /// What is wrong with the first of them.
    pub first: ProbeError,
    /// How many are damaged.
    pub n_files: usize,
}

impl ExchangeSet {
    /// The tables of these files that are asked for, and what is wrong with the names of other files.
    #[must_use]
    pub fn of_files(
        variant: &Variant,
        paths: &[PathBuf],
        is_asked: &dyn Fn(&Material) -> bool,
    ) -> (Vec<Self>, Vec<StrayFile>) {
        let (mut tables, mut strays) = (BTreeMap::<_, Vec<ExchangeFile>>::new(), Vec::new());
        for path in paths {
            match ExchangeFile::new(path, variant) {
                Ok(file) => {
                    let is = (file.has_results_only(), file.has_all_squares());
                    let key = (file.material().clone(), file.kind(), file.metric(), is);
                    tables.entry(key).or_default().push(file);
                }
                Err(error) => {
                    let reason = misspelt(variant, path).unwrap_or(error);
                    strays.push(StrayFile { path: path.clone(), reason });
                }
            }
        }
        tables.retain(|(material, ..), _| is_asked(material));
        let set = |files: Vec<ExchangeFile>| {
            let n_absent = files.first()?.n_absent(variant, &files);
            let mut files = files.into_iter();
            let first = files.next()?;
            Some(ExchangeSet { first, others: files.collect(), n_absent })
        };
        (tables.into_values().filter_map(set).collect(), strays)
    }

    /// The files, at least one.
    pub fn files(&self) -> impl Iterator<Item = &ExchangeFile> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The table.
    #[must_use]
    pub fn material(&self) -> &Material {
        self.first.material()
    }

    /// Their format.
    #[must_use]
    pub fn kind(&self) -> ExchangeKind {
        self.first.kind()
    }

    /// What they hold.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.first.metric()
    }

    /// Compares the checksums of all files, and decodes every block.
    ///
    /// # Errors
    /// Some of them are damaged.
    pub fn check(&self, variant: &Variant) -> Result<CheckedExchange, DamagedFiles> {
        let mut all = CheckedExchange { n_values: 0, has_checksum: true, counts_plies: true };
        let (mut first, mut n_files) = (None, 0);
        for file in self.files() {
            match file.check(variant) {
                Ok(own) => {
                    all.n_values += own.n_values;
                    all.has_checksum &= own.has_checksum;
                    all.counts_plies &= own.counts_plies;
                }
                Err(error) => {
                    n_files += 1;
                    first.get_or_insert(error);
                }
            }
        }
        first.map_or(Ok(all), |first| Err(DamagedFiles { first, n_files }))
    }

    /// Derives the values of the table again, on the threads of whoever calls, if all that it takes is there.
    /// `counts_plies` and `progress` are those of [`ExchangeTables::verify`].
    ///
    /// # Errors
    /// A file that is needed is damaged; that values are wrong is no error, but in the report.
    pub fn derive(
        &self,
        variant: &Variant,
        counts_plies: bool,
        sample: Sample,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Result<Report, NotDerived>, LibraryError> {
        if self.first.has_results_only() {
            return Ok(Err(NotDerived::ResultsOnly));
        }
        if self.n_absent > 0 {
            return Ok(Err(NotDerived::Absent(self.n_absent)));
        }
        let tables = ExchangeTables::open(variant, &self.first)?;
        match tables.verify(self.material(), counts_plies, sample, progress) {
            Ok(report) => Ok(Ok(report)),
            Err(LibraryError::Probe(ProbeError::Missing(missing))) => Ok(Err(NotDerived::Missing(missing))),
            Err(error) => Err(error),
        }
    }
}
