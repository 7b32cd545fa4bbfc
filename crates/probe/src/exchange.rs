//! Reads values from the exchange files of a folder, and checks such files by themselves: flat and Syzygy
//! files, which other programs read too.

use crate::{MissingTable, ProbeError};
use export::flat::{FlatError, FlatFile, FlatName, FlatTablebase, Form, parse_file_name};
use format::folder_of;
use geometry::Square;
use parking_lot::RwLock;
use position::{Position, RuleBook};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syzygy::{ChecksumKind, Family, FileKind, SyzygyError, SyzygyFile, SyzygyTablebase};
use table::{Ply, Value};
use variant::{Man, Material, Metric, Side, Variant};

/// The format of an exchange file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExchangeFormat {
    Flat,
    /// Syzygy, with the rules of this game.
    Syzygy(Family),
}

/// The flat and the Syzygy files of some folders.
#[derive(Debug)]
pub(crate) struct ExchangeFiles {
    metric: Metric,
    /// The one kind that is looked for, if it is not every one.
    only: Option<ExchangeKind>,
    /// By folder.
    flat: Vec<FlatTablebase>,
    syzygy: SyzygyTablebase,
    /// Which game of Syzygy files has the rules of a material.
    families: RwLock<BTreeMap<Material, Option<Family>>>,
}

impl ExchangeFiles {
    /// All files of a metric in some folders; a file is taken from the first one that has it.
    pub(crate) fn new(folders: &[PathBuf], variant: &Variant, metric: Metric) -> Self {
        let flat = folders.iter().map(|folder| FlatTablebase::open(folder, variant, metric)).collect();
        let syzygy = SyzygyTablebase::open(folders, variant);
        ExchangeFiles { metric, only: None, flat, syzygy, families: RwLock::default() }
    }

    /// The files of the kind, the metric and the folder of one of them, which are asked for very many
    /// positions; it is asked itself rather than another one that has the same positions.
    pub(crate) fn like(file: &ExchangeFile, variant: &Variant) -> Self {
        let (folder, metric) = (folder_of(file.path()), file.metric());
        let flat = FlatTablebase::open(folder, variant, metric);
        ExchangeFiles {
            metric,
            only: Some(file.kind()),
            flat: vec![if file.has_all_squares() { flat } else { flat.asking_placements_first() }],
            syzygy: SyzygyTablebase::open_for_all(folder, variant),
            families: RwLock::default(),
        }
    }

    /// Finds the format that has a file for a position's men.
    pub(crate) fn find(
        &self,
        variant: &Variant,
        position: &Position,
        material: &Material,
    ) -> Option<ExchangeFormat> {
        let is_wanted = |kind| self.only.is_none_or(|only| only == kind);
        let is_there = |name| self.flat_path(&name).is_some();
        if is_wanted(ExchangeKind::Flat) && self.flat_name(variant, position).is_some_and(is_there) {
            return Some(ExchangeFormat::Flat);
        }
        if !is_wanted(ExchangeKind::Syzygy) {
            return None;
        }
        let name = material.name(variant);
        let has = |family: Family, kind| self.syzygy.path(&family.file_name(kind, &name)).exists();
        let has_files = |&family: &Family| match self.metric {
            Metric::Dtz50 => has(family, FileKind::Wdl) && has(family, FileKind::Dtz),
            Metric::Wdl => has(family, FileKind::Wdl),
            Metric::Dtc | Metric::Dtz | Metric::Dtm | Metric::Dtm50 | Metric::Help => false,
        };
        // A folder may have files of several games; those of other rules are none of ours.
        let is_there = Family::ALL.iter().any(has_files);
        let family = if is_there { self.family(variant, material) } else { None };
        family.filter(has_files).map(ExchangeFormat::Syzygy)
    }

    /// The file of a position's men.
    pub(crate) fn path(
        &self,
        variant: &Variant,
        position: &Position,
        material: &Material,
        format: ExchangeFormat,
    ) -> Option<PathBuf> {
        match (format, self.metric) {
            (ExchangeFormat::Flat, _) => {
                let name = self.flat_name(variant, position)?;
                Some(self.flat_path(&name).unwrap_or_else(|| self.flat[0].path(&name)))
            }
            (ExchangeFormat::Syzygy(family), metric) => {
                let kind = if metric == Metric::Wdl { FileKind::Wdl } else { FileKind::Dtz };
                Some(self.syzygy.path(&family.file_name(kind, &material.name(variant))))
            }
        }
    }

    /// The value of a legal position of these men as if it had no right to capture en passant.
    pub(crate) fn value(
        &self,
        book: &RuleBook,
        position: &Position,
        material: &Material,
        format: ExchangeFormat,
    ) -> Result<Value, ProbeError> {
        // Syzygy files are read together with others, which may be the ones that are not there.
        let failed = |error| match error {
            SyzygyError::NotThere { file, material } => self.missing(material, file),
            error => error.into(),
        };
        let men: Vec<(Man, Square)> = position.men().collect();
        // Two bits, and Syzygy files, do not tell a draw from stalemate, nor mate from a loss after a ply.
        let has_move = || position.clone().with_en_passant(None).has_legal_move(book);
        match format {
            ExchangeFormat::Flat => {
                let value = self.flat_value(&men, position.stm()).map_err(|error| match error {
                    FlatError::NotThere { file } => self.missing(material.name(book.variant()), file),
                    error => error.into(),
                })?;
                let Some(value) = value else { return Ok(Value::Illegal) };
                let is_vague = self.metric == Metric::Wdl && value == Value::Draw;
                Ok(if is_vague && !has_move() { Value::Stalemate } else { value })
            }
            ExchangeFormat::Syzygy(_) => {
                let position = position.clone().with_en_passant(None);
                let (wdl, plies) = match self.metric {
                    // Without the rule of fifty moves a cursed win is a win.
                    Metric::Wdl => (self.syzygy.wdl(&position).map_err(failed)?, None),
                    _ => {
                        let score = self.syzygy.score(&position).map_err(failed)?;
                        (score.wdl, u16::try_from(score.dtz.unsigned_abs()).ok())
                    }
                };
                Ok(match (wdl.signum(), plies) {
                    (0, _) if has_move() => Value::Draw,
                    (0, _) => Value::Stalemate,
                    (1, plies) => Value::Win(Ply(plies.unwrap_or(1))),
                    (_, None) => Value::Loss(Ply(0)),
                    (_, Some(1)) if !has_move() => Value::Loss(Ply(0)),
                    (_, Some(plies)) => Value::Loss(Ply(plies)),
                })
            }
        }
    }

    /// The refusal of a position whose file is not there.
    fn missing(&self, material: String, file: PathBuf) -> ProbeError {
        ProbeError::Missing(MissingTable::new(material, self.metric, file))
    }

    /// The value of a position by the flat file of the first folder that has one; none if no file can have
    /// it.
    fn flat_value(&self, men: &[(Man, Square)], stm: Side) -> Result<Option<Value>, FlatError> {
        let mut absent = None;
        for flat in &self.flat {
            match flat.value(men, stm) {
                Err(error @ FlatError::NotThere { .. }) => drop(absent.get_or_insert(error)),
                found => return Ok(found?.map(|(value, _)| value)),
            }
        }
        absent.map_or(Ok(None), Err)
    }

    /// Where the flat file of a name is, if it is anywhere.
    fn flat_path(&self, name: &FlatName) -> Option<PathBuf> {
        self.flat.iter().find_map(|flat| flat.path_there(name))
    }

    /// The name of the flat file that would have a position, if one could.
    fn flat_name(&self, variant: &Variant, position: &Position) -> Option<FlatName> {
        FlatName::of(variant, position.men())
    }

    /// The game of Syzygy files that has the rules for these men, if one has.
    fn family(&self, variant: &Variant, material: &Material) -> Option<Family> {
        if let Some(known) = self.families.read().get(material) {
            return *known;
        }
        let found = Family::of_any(variant, material).ok();
        self.families.write().insert(material.clone(), found);
        found
    }
}

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
