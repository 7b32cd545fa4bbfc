//! A folder opened for all metrics at once.

use crate::{Found, Missing, ProbeError, Tablebase};
use position::Position;
use std::path::Path;
use variant::{Metric, Variant};

/// In which order metrics are asked, after the variant's own: those that tell most come first.
const ORDER: [Metric; 5] = [Metric::Dtm, Metric::Dtz50, Metric::Dtz, Metric::Dtc, Metric::Wdl];

/// An open folder of tables of any metrics, for whoever takes what there is.
///
/// ```
/// use position::Position;
/// use probe::{Found, Tablebases};
/// use variant::{Metric, Variant};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let chess = Variant::load("../../variants/fide.toml")?;
/// // A folder with files of dtz50 and of wdl, and none of dtm.
/// let folder = Tablebases::open("../../tests/cases/files/version_4".as_ref(), &chess)?;
/// let position = Position::from_fen(folder.book(), "8/8/8/8/8/3k4/8/3K3Q w - - 0 1")?;
/// let Found::Here(tables) = folder.knowing(&position)? else { panic!("KQvK is there") };
/// assert_eq!(tables.scale().metric(), Metric::Dtz50);
/// assert!(!tables.main_line(&position)?.moves.is_empty());
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
    pub fn open(folder: &Path, variant: &Variant) -> Result<Self, ProbeError> {
        Tablebases::open_with(folder, variant, crate::tablebase::CACHE_BYTES)
    }

    /// The same with a cache of at most about this many bytes of decompressed blocks, for all metrics
    /// together.
    ///
    /// # Errors
    /// As [`Tablebases::open`].
    pub fn open_with(folder: &Path, variant: &Variant, cache_bytes: usize) -> Result<Self, ProbeError> {
        let others = ORDER.into_iter().filter(|&metric| metric != variant.default_metric);
        let cache = Tablebase::cache_of(cache_bytes);
        let open = |metric| Tablebase::open_sharing(folder, variant, metric, cache.clone());
        let tablebases = std::iter::once(variant.default_metric).chain(others).map(open);
        Ok(Tablebases { tablebases: tablebases.collect::<Result<_, _>>()? })
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

    /// The tables that know this position: those of the variant's own metric, or else of the one that tells
    /// most. If none does, the file that is missing is that of the variant's own.
    ///
    /// # Errors
    /// A file that is needed is there and cannot be read.
    pub fn knowing(&self, position: &Position) -> Result<Found<&Tablebase>, ProbeError> {
        let mut first: Option<Missing> = None;
        for tables in &self.tablebases {
            match tables.probe(position)? {
                Found::Here(_) => return Ok(Found::Here(tables)),
                Found::NotHere(missing) => drop(first.get_or_insert(missing)),
            }
        }
        Ok(first.map_or(Found::Here(&self.tablebases[0]), Found::NotHere))
    }
}
