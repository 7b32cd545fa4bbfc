//! The folder of tables and the look-up of one position.

use crate::foreign::{Foreign, ForeignFiles, Lack};
use crate::roster::Roster;
use crate::{Missing, ProbeError};
use format::{BlockCache, TableFile, file_name_of};
use position::{Move, Position, RuleBook};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use table::{Mapping, MoveKind, Ply, Scale, Value};
use variant::{Material, Metric, Pass, Side, Variant, Verdict};

/// How many bytes of decompressed blocks are kept: all of the tables of up to four men of chess.
pub(crate) const CACHE_BYTES: usize = 256 << 20;

/// An open folder of tables of one metric, for any number of threads.
///
/// A table's file is opened when the first position of its material is asked for, in whichever colours. Where
/// the files of a metric have distances only, those of `wdl` in the same folder tell who wins. A material
/// without a `.tsm` is looked for among flat files and, under `dtz50` and `wdl`, Syzygy files; of Syzygy
/// files that others wrote, a distance may be a ply short, as is their custom.
#[derive(Debug)]
pub struct Tablebase {
    folder: PathBuf,
    book: RuleBook,
    scale: Scale,
    cache: Arc<BlockCache>,
    /// What is known of each choice of men (see [`Roster::key`]). Absent tables are not here: they may come.
    entries: RwLock<BTreeMap<u64, Arc<Entry>>>,
    /// Who wins, if the files of the metric do not tell.
    outcomes: Option<Box<Tablebase>>,
    /// Files of other formats.
    foreign: ForeignFiles,
}

/// Where the values of a choice of men are found.
#[derive(Debug)]
enum Entry {
    Table(Box<(TableFile, Mapping)>),
    /// In files of another format, under the name of this material.
    Foreign(Foreign, Material),
    /// The rules say that it is a draw.
    Drawn,
    /// The men that there are say how the game has ended: by side to move.
    Over([Option<Verdict>; 2]),
    /// A side without its royal man, or with several.
    Impossible,
}

impl Tablebase {
    /// Opens a folder of tables of the variant's own metric; no file is read yet.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn open(folder: &Path, variant: &Variant) -> Result<Self, ProbeError> {
        Tablebase::open_with(folder, variant, variant.default_metric, CACHE_BYTES)
    }

    /// The same with another metric, and with a cache of at most about this many bytes of decompressed
    /// blocks. A block that is in the cache is read some hundred times as fast as one that is not, so whoever
    /// probes much gives it what there is.
    ///
    /// # Errors
    /// As [`Tablebase::open`].
    pub fn open_with(
        folder: &Path,
        variant: &Variant,
        metric: Metric,
        cache_bytes: usize,
    ) -> Result<Self, ProbeError> {
        Tablebase::open_sharing(folder, variant, metric, Tablebase::cache_of(cache_bytes))
    }

    /// A cache of at most so many bytes.
    pub(crate) fn cache_of(cache_bytes: usize) -> Arc<BlockCache> {
        // Large blocks are kept apart from the others, as many bytes of the one as of the other.
        Arc::new(BlockCache::new(cache_bytes / 2))
    }

    /// Opens a folder with a cache that others use too.
    pub(crate) fn open_sharing(
        folder: &Path,
        variant: &Variant,
        metric: Metric,
        cache: Arc<BlockCache>,
    ) -> Result<Self, ProbeError> {
        if !folder.is_dir() {
            return Err(ProbeError::NoFolder { folder: folder.to_path_buf() });
        }
        let open = |metric, outcomes| Tablebase {
            folder: folder.to_path_buf(),
            book: RuleBook::new(variant),
            scale: Scale::new(metric, &variant.rules),
            cache: cache.clone(),
            entries: RwLock::default(),
            outcomes,
            foreign: ForeignFiles::new(folder, variant, metric),
        };
        let outcomes = format::companion(metric).map(|wdl| Box::new(open(wdl, None)));
        Ok(open(metric, outcomes))
    }

    /// How the metric of the tables counts.
    #[must_use]
    pub fn scale(&self) -> &Scale {
        &self.scale
    }

    /// The variant of the tables.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        self.book.variant()
    }

    /// The rules of the variant, by which positions are read.
    #[must_use]
    pub fn book(&self) -> &RuleBook {
        &self.book
    }

    /// The value of a position, en-passant rights and all; [`Value::Illegal`] if the rules forbid it.
    ///
    /// # Errors
    /// A table that is needed is not there or cannot be read.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        if position.is_legal(&self.book) { self.value_of_legal(position) } else { Ok(Value::Illegal) }
    }

    /// The value of a position that is legal.
    pub(crate) fn value_of_legal(&self, position: &Position) -> Result<Value, ProbeError> {
        let value = self.stored_value(position)?;
        match position.en_passant() {
            Some(_) if value != Value::Illegal => self.with_en_passant(position, value),
            _ => Ok(value),
        }
    }

    /// The better one of the value without the right to capture en passant and what the captures lead to.
    fn with_en_passant(&self, position: &Position, without: Value) -> Result<Value, ProbeError> {
        if position.adjudication(&self.book).is_some() {
            return Ok(without);
        }
        let rules = &self.variant().rules;
        if rules.must_capture || rules.can_win_without_move() || rules.pass == Pass::OnStalemate {
            // The value does not say which other moves are left, or whether there is one beside a pass.
            let best = self.best_of(position, None, |_| true)?;
            return Ok(best.unwrap_or(without));
        }
        // Stalemate, and a loss after no ply, say that there is no other move.
        let has_other_move = !matches!(without, Value::Stalemate | Value::Loss(Ply(0)));
        let best = self.best_of(position, has_other_move.then_some(without), Move::is_en_passant)?;
        Ok(best.unwrap_or(without))
    }

    /// The best of a value and what some of the moves are worth; none if there is neither.
    fn best_of(
        &self,
        position: &Position,
        mut best: Option<Value>,
        is_meant: impl Fn(&Move) -> bool,
    ) -> Result<Option<Value>, ProbeError> {
        let mut failed = None;
        position.for_each_successor(&self.book, |mv, next| {
            if !is_meant(&mv) || failed.is_some() {
                return;
            }
            match self.value_of_legal(next) {
                Ok(value) => best = preferred(best, self.before(&mv, value)),
                Err(error) => failed = Some(error),
            }
        });
        failed.map_or(Ok(best), Err)
    }

    /// The value of a legal position as a table has it: without rights.
    fn stored_value(&self, position: &Position) -> Result<Value, ProbeError> {
        let Some(roster) = Roster::new(position) else {
            let material = Material::from_men(position.men().map(|(man, _)| man));
            return Err(self.not_built(&material));
        };
        match &*self.entry(&roster, position)? {
            Entry::Foreign(whose, material) => {
                self.foreign.value(&self.book, position, *whose).map_err(|lack| match lack {
                    Lack::Failed(error) => error,
                    Lack::NotThere(file) => {
                        let other = self.material_of(&file);
                        self.not_here(other.as_ref().unwrap_or(material), file)
                    }
                })
            }
            Entry::Table(table) => {
                let (file, mapping) = &**table;
                let outcome =
                    self.outcomes.as_ref().map(|outcomes| outcomes.stored_value(position)).transpose()?;
                if let Some(outcome) = outcome.filter(|outcome| outcome.ply().is_none()) {
                    return Ok(outcome);
                }
                if !mapping.has(position.stm()) {
                    return self.value_by_moves(position);
                }
                // No place: a man stands where it cannot.
                let place = mapping.locate(file.layout(), position.stm(), roster.squares());
                let Some((stm, index)) = place else { return Ok(Value::Illegal) };
                Ok(match outcome {
                    Some(outcome) => file.distance(stm, index)?.of(outcome),
                    None => file.value(stm, index)?,
                })
            }
            Entry::Drawn if position.has_legal_move(&self.book) => Ok(Value::Draw),
            Entry::Drawn => Ok(Value::Stalemate),
            Entry::Over(verdicts) => Ok(Value::at_end(verdicts[position.stm().index()])),
            Entry::Impossible => Ok(Value::Illegal),
        }
    }

    /// The value without rights of a legal position whose side to move the file has left out: the best of
    /// what its moves lead to.
    fn value_by_moves(&self, position: &Position) -> Result<Value, ProbeError> {
        let best = self.best_of(position, None, |mv| !mv.is_en_passant())?;
        // Without a move the game has ended.
        let verdict = || {
            let winner = position.winner(&self.book)?;
            Some(if winner == position.stm() { Verdict::Win } else { Verdict::Loss })
        };
        Ok(best.unwrap_or_else(|| Value::at_end(verdict())))
    }

    /// What a move to a position of this value is worth to the side that makes it; none if the rules forbid
    /// it.
    pub(crate) fn before(&self, mv: &Move, value: Value) -> Option<Value> {
        value.before_move_of(kind_of(mv), &self.scale)
    }

    /// Whether the metric stops at this move.
    pub(crate) fn stops_at(&self, mv: &Move) -> bool {
        self.scale.is_zeroing(kind_of(mv))
    }

    /// The file of a position's men, which must be there if the rules do not say what it is worth.
    pub(crate) fn file_of(&self, position: &Position) -> Result<Option<PathBuf>, ProbeError> {
        let Some(roster) = Roster::new(position) else { return Ok(None) };
        Ok(match &*self.entry(&roster, position)? {
            Entry::Table(table) => Some(table.0.path().to_path_buf()),
            Entry::Foreign(whose, material) => self.foreign.path(self.variant(), position, material, *whose),
            Entry::Drawn | Entry::Over(_) | Entry::Impossible => None,
        })
    }

    fn entry(&self, roster: &Roster, position: &Position) -> Result<Arc<Entry>, ProbeError> {
        let key = roster.key();
        if let Some(entry) = self.entries.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(entry.clone());
        }
        let entry = Arc::new(self.find(roster, position)?);
        // Two threads may have opened the same file; the first one's stays.
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        Ok(entries.entry(key).or_insert(entry).clone())
    }

    /// Opens the file for these men, if they need one.
    fn find(&self, roster: &Roster, position: &Position) -> Result<Entry, ProbeError> {
        let men = roster.men();
        let variant = self.variant();
        let has_one_royal =
            |side| men.iter().filter(|man| man.side == side && variant.is_royal(**man)).count() == 1;
        let own = Material::from_men(men.iter().copied());
        let may_be_over = variant.royal().is_none() || variant.rules.blast.is_some();
        if let Some(verdicts) = variant.constant(&own).filter(|_| may_be_over) {
            return Ok(Entry::Over(verdicts));
        }
        if variant.royal().is_some() && !Side::BOTH.into_iter().all(has_one_royal) {
            return Ok(Entry::Impossible);
        }
        let material = own.canonical(variant);
        if variant.is_always_drawn(&material) {
            return Ok(Entry::Drawn);
        }
        let path = self.path(&material);
        let file = match TableFile::open_of(&path, variant, self.scale.metric(), self.cache.clone()) {
            Ok(file) => file,
            Err(error) if error.is_not_found() => {
                let whose = self.foreign.find(variant, position, &material);
                let whose = whose.ok_or_else(|| self.not_built(&material))?;
                return Ok(Entry::Foreign(whose, material));
            }
            Err(error) => return Err(error.into()),
        };
        let keeps = Side::BOTH.map(|side| file.keeps(side));
        let mapping = Mapping::new(file.layout(), keeps, &men);
        let mapping = mapping.expect("the file holds the material of its name, checked as it was opened");
        Ok(Entry::Table(Box::new((file, mapping))))
    }

    fn not_built(&self, material: &Material) -> ProbeError {
        let material = material.canonical(self.variant());
        self.not_here(&material, self.path(&material))
    }

    fn not_here(&self, material: &Material, file: PathBuf) -> ProbeError {
        let (material, metric) = (material.name(self.variant()), self.scale.metric());
        ProbeError::NotHere(Missing { material, metric, file })
    }

    /// The material of a file that bears its name: a Syzygy file is read together with those that captures
    /// lead to.
    fn material_of(&self, file: &Path) -> Option<Material> {
        let name = file.file_stem()?.to_str()?;
        Some(Material::parse(self.variant(), name).ok()?.canonical(self.variant()))
    }

    /// The file of a canonical material.
    fn path(&self, material: &Material) -> PathBuf {
        self.folder.join(file_name_of(
            &material.name(self.variant()),
            self.scale.metric(),
            self.variant().default_metric,
        ))
    }
}

/// What kind of move this is, as far as metrics care.
fn kind_of(mv: &Move) -> MoveKind {
    MoveKind::new(mv.is_conversion(), mv.zeroing)
}

/// The one of two values that the mover prefers, the first of equals.
fn preferred(best: Option<Value>, other: Option<Value>) -> Option<Value> {
    match (best, other) {
        (Some(best), Some(other)) if other.preference(&best).is_gt() => Some(other),
        (best, other) => best.or(other),
    }
}
