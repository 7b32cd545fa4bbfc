//! Opens a folder for all metrics at once and finds the one that answers a position.

use crate::{MissingTable, PositionValues, ProbeError, Tablebase};
use position::{FenError, Position};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variant::{Metric, Variant};

/// In which order metrics are asked, after the variant's own: those that tell most come first.
const ORDER: [Metric; 6] = [Metric::Dtm, Metric::Dtm50, Metric::Dtz50, Metric::Dtz, Metric::Dtc, Metric::Wdl];

/// The metrics in the order in which they are asked: the variant's own first, then those that tell most.
pub fn metrics_in_order(variant: &Variant) -> impl Iterator<Item = Metric> + use<> {
    let own = variant.default_metric;
    std::iter::once(own).chain(ORDER.into_iter().filter(move |&metric| metric != own))
}

/// An open folder of tables of any metrics, for a caller who takes what there is.
///
/// ```
/// use probe::Tablebases;
/// use variant::{Metric, Variant};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // A folder whose files have columns of dtz50 and of wdl, and none of dtm.
/// let folder = Tablebases::open("../../tests/cases/files/metrics", &Variant::chess())?;
/// let position = folder.position("8/8/8/8/8/3k4/8/3K3Q w - - 0 1")?;
/// let tables = folder.for_position(&position)?;
/// assert_eq!(tables.scale().metric(), Metric::Dtz50);
/// assert!(!tables.main_line(&position)?.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Tablebases {
    /// The variant's own metric first.
    tablebases: Vec<Tablebase>,
}

impl Tablebases {
    /// Opens a folder; no file is read yet.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn open(folder: impl AsRef<Path>, variant: &Variant) -> Result<Self, ProbeError> {
        Tablebases::open_with(&[folder.as_ref().into()], variant, crate::tablebase::CACHE_BYTES)
    }

    /// Like [`Self::open`], of several folders, from each what those before have not: who wins may be in one
    /// and distances in another. The cache holds at most about this many bytes of decompressed blocks, for
    /// all metrics together.
    ///
    /// # Errors
    /// One of the folders is not there.
    pub fn open_with(folders: &[PathBuf], variant: &Variant, cache_bytes: usize) -> Result<Self, ProbeError> {
        let cache = Tablebase::cache_of(cache_bytes);
        let open = |metric| Tablebase::open_sharing(folders, variant, metric, cache.clone());
        let tablebases = metrics_in_order(variant).map(open);
        Ok(Tablebases { tablebases: tablebases.collect::<Result<_, _>>()? })
    }

    /// These tables; positions with rights to castle that no file has are solved up to this many men, and of
    /// more they are missing.
    #[must_use]
    pub fn solving_rights(self, most_men: usize) -> Self {
        let tablebases = self.tablebases.into_iter().map(|tables| tables.solving_rights(most_men));
        Tablebases { tablebases: tablebases.collect() }
    }

    /// These tables, sharing their cache; where neither a table nor a file of others is there, the values
    /// of its metric answer.
    #[must_use]
    pub fn completed(&self, values: impl Fn(Metric) -> Arc<dyn PositionValues>) -> Self {
        let tablebases = self.tablebases.iter().map(|tables| tables.completed(&values));
        Tablebases { tablebases: tablebases.collect() }
    }

    /// The tables of a metric.
    #[must_use]
    pub fn of(&self, metric: Metric) -> &Tablebase {
        let found = self.tablebases.iter().find(|tables| tables.scale().metric() == metric);
        found.unwrap_or(&self.tablebases[0])
    }

    /// The rules of the variant, by which positions are read.
    #[must_use]
    pub fn book(&self) -> &position::RuleBook {
        self.tablebases[0].book()
    }

    /// Reads a position of the variant from a FEN.
    ///
    /// # Errors
    /// As [`Tablebase::position`].
    pub fn position(&self, fen: &str) -> Result<Position, FenError> {
        self.tablebases[0].position(fen)
    }

    /// The tables that answer this position: those of the variant's own metric, or else of the one that says
    /// most. Where no table is there and the rules alone decide it all say the same.
    ///
    /// # Errors
    /// A file that is needed cannot be read, or no metric has a table for the position; the table that is
    /// missing is then that of the variant's own metric.
    pub fn for_position(&self, position: &Position) -> Result<&Tablebase, ProbeError> {
        let own = &self.tablebases[0];
        if !position.is_legal(own.book()) {
            return Ok(own);
        }
        let mut first: Option<MissingTable> = None;
        for tables in &self.tablebases {
            match tables.table_value(position) {
                Ok(_) => return Ok(tables),
                Err(ProbeError::Missing(missing)) => drop(first.get_or_insert(missing)),
                Err(error) => return Err(error),
            }
        }
        match first {
            Some(missing) if own.decided(position, None).is_none() => Err(ProbeError::Missing(missing)),
            _ => Ok(own),
        }
    }
}
