//! Reads values from the exchange files of a folder: flat and Syzygy files, which other programs read too.

use crate::{ExchangeFile, ExchangeKind, ProbeError};
use export::flat::{FlatError, FlatName, FlatTablebase};
use geometry::Square;
use position::{Position, RuleBook};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use syzygy::{Family, FileKind, SyzygyError, SyzygyTablebase};
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

/// Why an exchange file does not answer.
pub(crate) enum ExchangeError {
    /// A file is not there, and of Syzygy files, which are read together with others, whose material it has.
    NotThere(PathBuf, Option<String>),
    Failed(ProbeError),
}

impl From<FlatError> for ExchangeError {
    fn from(error: FlatError) -> Self {
        match error {
            FlatError::NotThere { file } => ExchangeError::NotThere(file, None),
            error => ExchangeError::Failed(error.into()),
        }
    }
}

impl From<SyzygyError> for ExchangeError {
    fn from(error: SyzygyError) -> Self {
        match error {
            SyzygyError::NotThere { file, material } => ExchangeError::NotThere(file, Some(material)),
            error => ExchangeError::Failed(error.into()),
        }
    }
}

impl ExchangeFiles {
    /// The files of a metric, or only those of the kind of one of them, which are then asked for very many
    /// positions; it is asked itself rather than another one that has the same positions.
    pub(crate) fn new(folder: &Path, variant: &Variant, metric: Metric, only: Option<&ExchangeFile>) -> Self {
        let flat = FlatTablebase::open(folder, variant, metric);
        let asks_placements = only.is_some_and(|file| !file.has_all_squares());
        ExchangeFiles {
            metric,
            only: only.map(ExchangeFile::kind),
            flat: vec![if asks_placements { flat.asking_placements_first() } else { flat }],
            syzygy: match only {
                Some(_) => SyzygyTablebase::open_for_all(folder, variant),
                None => SyzygyTablebase::open(folder, variant),
            },
            families: RwLock::default(),
        }
    }

    /// All files of a metric in several folders; a file is taken from the first one that has it.
    pub(crate) fn in_folders(folders: &[PathBuf], variant: &Variant, metric: Metric) -> Self {
        let flat = folders.iter().map(|folder| FlatTablebase::open(folder, variant, metric)).collect();
        let syzygy = SyzygyTablebase::open(&folders[0], variant).with_folders(&folders[1..]);
        ExchangeFiles { metric, only: None, flat, syzygy, families: RwLock::default() }
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
            Metric::Dtc | Metric::Dtz | Metric::Dtm => false,
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

    /// The value of a legal position as if it had no right to capture en passant.
    pub(crate) fn value(
        &self,
        book: &RuleBook,
        position: &Position,
        format: ExchangeFormat,
    ) -> Result<Value, ExchangeError> {
        let men: Vec<(Man, Square)> = position.men().collect();
        // Two bits, and Syzygy files, do not tell a draw from stalemate, nor mate from a loss after a ply.
        let has_move = || position.clone().with_en_passant(None).has_legal_move(book);
        match format {
            ExchangeFormat::Flat => {
                let Some(value) = self.flat_value(&men, position.stm())? else { return Ok(Value::Illegal) };
                let is_vague = self.metric == Metric::Wdl && value == Value::Draw;
                Ok(if is_vague && !has_move() { Value::Stalemate } else { value })
            }
            ExchangeFormat::Syzygy(_) => {
                let position = position.clone().with_en_passant(None);
                let (wdl, plies) = match self.metric {
                    // Without the rule of fifty moves a cursed win is a win.
                    Metric::Wdl => (self.syzygy.wdl(&position)?, None),
                    _ => {
                        let score = self.syzygy.score(&position)?;
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
        if let Some(known) = self.families.read().unwrap_or_else(PoisonError::into_inner).get(material) {
            return *known;
        }
        let found = Family::of_any(variant, material).ok();
        self.families.write().unwrap_or_else(PoisonError::into_inner).insert(material.clone(), found);
        found
    }
}
