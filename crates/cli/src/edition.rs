//! What the tables of a run hold, and which files hold it.
//!
//! A run solves one metric at a time. Distances to a capture or a pawn move lie in files that do not say who
//! wins, so such a table has a second file, that of `wdl`; and where `wdl` is wanted beside another metric,
//! it comes with it.

use crate::Failure;
use ::probe::{ProbeError, Tablebase};
use format::{BlockCache, FormatError, TableFile, companion, file_name_of};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::Table;
use variant::{Metric, Variant};

/// The tables of a game under one metric.
#[derive(Clone, Debug)]
pub(crate) struct Edition {
    /// The rules.
    pub(crate) variant: Variant,
    /// The metric of the tables.
    pub(crate) metric: Metric,
    /// The metrics of a table's files, that of the edition first.
    files: Vec<Metric>,
}

impl Edition {
    /// The tables under a metric of a game whose variant names its default.
    pub(crate) fn new(variant: &Variant, metric: Metric) -> Self {
        let files = std::iter::once(metric).chain(companion(metric)).collect();
        Edition { variant: variant.clone(), metric, files }
    }

    /// The editions that some metrics take, in as few runs as there can be.
    pub(crate) fn of_metrics(variant: &Variant, metrics: &[Metric]) -> Vec<Self> {
        let edition = |pass: Vec<Metric>| {
            let mut edition = Edition::new(variant, pass[0]);
            let told = pass[1..].iter().filter(|told| !edition.files.contains(told)).copied();
            edition.files.extend(told.collect::<Vec<Metric>>());
            edition
        };
        ::solve::passes(metrics).into_iter().map(edition).collect()
    }

    /// The metrics of a table's files, that of the edition first.
    pub(crate) fn files(&self) -> &[Metric] {
        &self.files
    }

    /// Whether solving a table reads this file of the tables below it, and so needs both sides to move of it.
    pub(crate) fn reads(&self, metric: Metric) -> bool {
        metric == self.metric || companion(self.metric) == Some(metric)
    }

    /// Whether this is the metric that the game names.
    pub(crate) fn is_default(&self) -> bool {
        self.metric == self.variant.default_metric
    }

    /// The file of a table for one of the edition's metrics.
    pub(crate) fn path(&self, folder: &Path, name: &str, metric: Metric) -> PathBuf {
        folder.join(file_name_of(name, metric, self.variant.default_metric))
    }

    /// Opens the file of a table for one of the edition's metrics.
    pub(crate) fn open(&self, folder: &Path, name: &str, metric: Metric) -> Result<TableFile, FormatError> {
        let path = self.path(folder, name, metric);
        TableFile::open_of(&path, &self.variant, metric, Arc::new(BlockCache::new(0)))
    }

    /// A folder of tables, to be asked for single positions under a metric.
    pub(crate) fn tablebase(
        &self,
        folder: &Path,
        metric: Metric,
        cache_bytes: usize,
    ) -> Result<Tablebase, ProbeError> {
        Tablebase::open_with(folder, &self.variant, metric, cache_bytes)
    }

    /// The table in its files, with what files leave out put back; every checksum is compared.
    pub(crate) fn read(&self, folder: &Path, name: &str) -> Result<Table, Failure> {
        let read = || {
            let file = self.open(folder, name, self.metric)?;
            match companion(self.metric) {
                Some(wdl) => file.read_table_with(&self.open(folder, name, wdl)?),
                None => file.read_table(),
            }
        };
        let mut table = read().map_err(Failure::new)?;
        ::solve::restore(&self.variant, &mut table);
        Ok(table)
    }
}

impl std::fmt::Display for Edition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.files.iter().map(|metric| metric.name()).collect();
        write!(f, "{}", names.join(" with "))
    }
}
