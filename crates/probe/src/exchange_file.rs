//! Names a flat or a Syzygy file, and checks it by itself: its checksum, and that all of it can be read.

use crate::ProbeError;
use export::flat::{FlatFile, FlatName, Form, parse_file_name};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syzygy::{ChecksumKind, Family, FileKind, SyzygyFile};
use variant::{Material, Metric, Variant};

/// The formats that other programs read too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ExchangeKind {
    /// `.tbl` and `.tbc`.
    Flat,
    /// `.rtbw`, `.rtbz`, and those of other games.
    Syzygy,
}

/// A flat or a Syzygy file of a game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ExchangeFile {
    material: Material,
    metric: Metric,
    kind: ExchangeKind,
    /// Whether it says of the metric only who wins.
    has_results_only: bool,
    /// Whether it is a flat file with the pawns on all of their squares.
    has_all_squares: bool,
    path: PathBuf,
}

/// What checking a file has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckedExchange {
    /// How many values it has a place for.
    pub n_values: u64,
    /// Whether it has a checksum; otherwise damage to its values cannot be seen.
    pub has_checksum: bool,
    /// Whether distances are counted in plies, and not rounded to moves.
    pub counts_plies: bool,
}

impl ExchangeFile {
    /// The kind of a file by the ending of its name; none if it is no exchange file.
    #[must_use]
    pub fn kind_of(path: &Path) -> Option<ExchangeKind> {
        let name = path.file_name()?.to_str()?;
        let ending = name.strip_suffix(".gz").unwrap_or(name).rsplit_once('.')?.1;
        match ending {
            "tbl" | "tbc" => Some(ExchangeKind::Flat),
            // Only flat files are packed.
            _ => family_of(path).map(|_| ExchangeKind::Syzygy),
        }
    }

    /// The name of the game whose files have such an ending, as far as that is known.
    #[must_use]
    pub fn game_of(path: &Path) -> Option<&'static str> {
        match family_of(path)?.0 {
            Family::Chess => Some("fide"),
            Family::Atomic => Some("atomic"),
            Family::Giveaway => Some("antichess"),
            Family::Suicide => Some("suicide"),
            Family::Other => None,
        }
    }

    /// What a file holds, by its name; the file need not be there.
    ///
    /// # Errors
    /// Why no file of the game has this name.
    pub fn new(path: &Path, variant: &Variant) -> Result<Self, String> {
        let text = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let (material, metric, kind, form, has_all_squares) = match family_of(path) {
            Some((family, kind)) => {
                let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                let material = Material::parse(variant, name).map_err(|error| error.to_string())?;
                let canonical = material.canonical(variant).name(variant);
                if canonical != name {
                    return Err(format!("such files are named {canonical}"));
                }
                if Family::of_any(variant, &material) != Ok(family) {
                    let rules = &variant.name;
                    return Err(format!(
                        "the ending is not that of the rules of {rules}; name the game's with --variant FILE"
                    ));
                }
                let metric = if kind == FileKind::Wdl { Metric::Wdl } else { Metric::Dtz50 };
                (material, metric, ExchangeKind::Syzygy, Form::of_values(metric), false)
            }
            None => {
                let (name, metric, form) = parse_file_name(variant, text)
                    .ok_or_else(|| format!("no flat file of {} has this name", variant.name))?;
                (name.material().clone(), metric, ExchangeKind::Flat, form, name.has_all_squares())
            }
        };
        let has_results_only = form != Form::of_values(metric);
        let path = path.to_path_buf();
        Ok(ExchangeFile { path, material, metric, kind, has_results_only, has_all_squares })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The canonical material.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// What its values are.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Its format.
    #[must_use]
    pub fn kind(&self) -> ExchangeKind {
        self.kind
    }

    /// Whether it says who wins under a metric that counts, and nothing of distances: a `.tbc` of `dtz50`.
    /// Such a file answers no position; it is compared with tables.
    #[must_use]
    pub fn has_results_only(&self) -> bool {
        self.has_results_only
    }

    /// Whether it is the one flat file of a table with pawns, in which they stand on all of their squares.
    #[must_use]
    pub fn has_all_squares(&self) -> bool {
        self.has_all_squares
    }

    /// Whether its distances are plies, and not rounded to moves.
    ///
    /// # Errors
    /// The file cannot be read, or its header is damaged.
    pub fn counts_plies(&self) -> Result<bool, ProbeError> {
        Ok(match self.kind {
            ExchangeKind::Syzygy if self.metric != Metric::Wdl => {
                SyzygyFile::open(&self.path)?.counts_plies()
            }
            _ => true,
        })
    }

    /// How many files a table is written to in this format: with pawns a flat table has one for each way in
    /// which they can stand, or its mirror image, unless this one has all squares of the pawns.
    #[must_use]
    pub fn n_files(&self, variant: &Variant) -> usize {
        match self.kind {
            ExchangeKind::Flat if !self.has_all_squares => FlatName::folded(variant, &self.material).len(),
            ExchangeKind::Flat | ExchangeKind::Syzygy => 1,
        }
    }

    /// How many of these files its table lacks, where some of them are given. A flat file stands for the one
    /// with the mirror images, too.
    #[must_use]
    pub fn n_absent<'a>(
        &self,
        variant: &Variant,
        given: impl IntoIterator<Item = &'a ExchangeFile>,
    ) -> usize {
        let name = |file: &ExchangeFile| {
            let text = file.path.file_name()?.to_str()?;
            Some(parse_file_name(variant, text)?.0.written(variant))
        };
        match self.kind {
            ExchangeKind::Flat if !self.has_all_squares => {
                let there: BTreeSet<FlatName> = given.into_iter().filter_map(name).collect();
                self.n_files(variant).saturating_sub(there.len())
            }
            ExchangeKind::Flat | ExchangeKind::Syzygy => 0,
        }
    }

    /// Compares the checksum of the file with its bytes, and decodes every block.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or has other rules.
    pub fn check(&self, variant: &Variant) -> Result<CheckedExchange, ProbeError> {
        match self.kind {
            ExchangeKind::Flat => {
                let file = FlatFile::open_checked(&self.path, variant, self.metric)?;
                let n_values = file.n_entries();
                Ok(CheckedExchange { n_values, has_checksum: true, counts_plies: true })
            }
            ExchangeKind::Syzygy => {
                let file = SyzygyFile::open(&self.path)?;
                file.check_rules(variant)?;
                Ok(CheckedExchange {
                    n_values: file.verify_blocks()?,
                    has_checksum: file.checksum() != ChecksumKind::Absent,
                    counts_plies: self.metric == Metric::Wdl || file.counts_plies(),
                })
            }
        }
    }
}

/// Whose Syzygy file this is, by the ending of its name.
fn family_of(path: &Path) -> Option<(Family, FileKind)> {
    Family::of_extension(path.extension()?.to_str()?)
}
