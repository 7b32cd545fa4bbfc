//! Looks up one position in the tables of a folder, or in tables in memory.

use crate::exchange::{ExchangeFiles, ExchangeFormat};
use crate::{ExchangeFile, ProbeError};
use format::{BlockCache, TableFile, folder_of};
use geometry::Square;
use index::MAX_MEN;
use parking_lot::RwLock;
use position::{FenError, Move, Position, RuleBook};
use rights::{RightsFile, RightsTables};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Mapping, MoveKind, Ply, Scale, Table, Value};
use variant::{Man, Material, Metric, Pass, PieceId, Side, Variant, Verdict};

/// How many bytes of decompressed blocks are kept: all of the tables of up to four men of chess.
pub(crate) const CACHE_BYTES: usize = 256 << 20;

/// Tables of one metric, in the files of an open folder or in memory, for any number of threads.
///
/// A table's file is opened when the first position of its material is asked for, in whichever colours. Where
/// the columns of a metric have distances only, those of `wdl` in the same folders tell who wins. A material
/// without a `.tsm` is looked for among flat files and, under `dtz50` and `wdl`, Syzygy files; of Syzygy
/// files that others wrote, a distance may be a ply short, as is their custom.
#[derive(Debug)]
pub struct Tablebase {
    book: RuleBook,
    scale: Scale,
    /// The folders that are asked, if any.
    pub(crate) folder: Option<Arc<Folder>>,
    /// The canonical material of which one side's wins alone are read, and that side.
    pub(crate) one_winner: Option<(Material, Side)>,
    /// What is asked where the folder has no table; of all positions where there is no folder.
    pub(crate) lent: Option<Arc<dyn PositionValues>>,
    /// Where nothing else is there.
    pub(crate) last: Option<Arc<dyn PositionValues>>,
    /// The entry of each choice of men (see [`SortedMen::key`]). Absent tables have none: they may come.
    pub(crate) entries: RwLock<BTreeMap<MenKey, Arc<Entry>>>,
    /// Tables in memory, by canonical material. Some have files, and are there for a while.
    pub(crate) held: RwLock<BTreeMap<Material, Arc<Table>>>,
    /// The tables of `wdl` in the same folders, if the columns of the metric have distances only.
    pub(crate) wdl: Option<Box<Tablebase>>,
    /// The positions with rights to castle.
    pub(crate) rights: RightsTables,
    /// The files of such positions that are open, by canonical material. Absent files have no entry: they may
    /// come.
    pub(crate) rights_files: RwLock<BTreeMap<Material, Arc<RightsFile>>>,
    /// The most men of such positions that are solved where there is no file.
    pub(crate) most_men_with_rights: usize,
}

/// An open folder, or several.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The one that is looked into first before others.
    pub(crate) paths: Vec<PathBuf>,
    cache: Arc<BlockCache>,
    pub(crate) exchange: Arc<ExchangeFiles>,
    /// Whether no `.tsm` is looked for.
    pub(crate) only_exchange: bool,
}

/// How the values of a choice of men are found.
#[derive(Debug)]
pub(crate) enum Entry {
    File(Box<(Arc<TableFile>, Mapping)>),
    Memory(Box<(Arc<Table>, Mapping)>),
    /// In exchange files, under the name of this material.
    Exchange(Arc<ExchangeFiles>, ExchangeFormat, Material),
    /// With the one that lends tables.
    Lent(Arc<dyn PositionValues>),
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
    pub fn open(folder: impl AsRef<Path>, variant: &Variant) -> Result<Self, ProbeError> {
        let folders = [folder.as_ref().into()];
        Tablebase::open_with(&folders, variant, variant.default_metric, CACHE_BYTES)
    }

    /// Like [`Self::open`], of several folders, from each what those before have not, with another metric
    /// and with a cache of at most about this many bytes of decompressed blocks. A block that is in the
    /// cache is read some hundred times as fast as one that is not, so a caller who probes much gives it
    /// what there is.
    ///
    /// # Errors
    /// One of the folders is not there.
    pub fn open_with(
        folders: &[PathBuf],
        variant: &Variant,
        metric: Metric,
        cache_bytes: usize,
    ) -> Result<Self, ProbeError> {
        Tablebase::open_sharing(folders, variant, metric, Tablebase::cache_of(cache_bytes))
    }

    /// The bytes of decompressed blocks that are held now, for all metrics that share the cache; 0 if the
    /// tables are in memory.
    #[must_use]
    pub fn cached_bytes(&self) -> usize {
        self.folder.as_ref().map_or(0, |folder| folder.cache.size_bytes())
    }

    /// A cache of at most this many bytes.
    pub(crate) fn cache_of(cache_bytes: usize) -> Arc<BlockCache> {
        // Large blocks are kept apart from the others, as many bytes of the one as of the other.
        Arc::new(BlockCache::new(cache_bytes / 2))
    }

    /// Opens folders with a cache that others use too.
    pub(crate) fn open_sharing(
        folders: &[PathBuf],
        variant: &Variant,
        metric: Metric,
        cache: Arc<BlockCache>,
    ) -> Result<Self, ProbeError> {
        if let Some(folder) = folders.iter().find(|folder| !folder.is_dir()) {
            return Err(ProbeError::NoFolder { folder: folder.clone() });
        }
        let open = |metric, wdl| {
            let exchange = Arc::new(ExchangeFiles::new(folders, variant, metric));
            let (paths, cache) = (folders.to_vec(), cache.clone());
            let folder = Arc::new(Folder { paths, cache, exchange, only_exchange: false });
            Tablebase { folder: Some(folder), wdl, ..Tablebase::new(variant, metric) }
        };
        let wdl = format::companion(metric).map(|wdl| Box::new(open(wdl, None)));
        Ok(open(metric, wdl))
    }

    /// These tables, with files of their own that are open; where neither a table nor a file of others is
    /// there, the values of its metric answer.
    pub(crate) fn completed(&self, values: &dyn Fn(Metric) -> Arc<dyn PositionValues>) -> Self {
        let folder = self.folder.clone();
        let wdl = self.wdl.as_ref().map(|wdl| Box::new(wdl.completed(values)));
        let last = Some(values(self.scale.metric()));
        let most_men_with_rights = self.most_men_with_rights;
        let new = Tablebase::new(self.variant(), self.scale.metric());
        Tablebase { folder, wdl, last, most_men_with_rights, ..new }
    }

    /// Opens the folder of an exchange file to be asked for very many positions of its files of the same kind
    /// and metric; no other file answers.
    ///
    /// # Errors
    /// As [`Tablebase::open`].
    pub fn open_exchange(variant: &Variant, file: &ExchangeFile) -> Result<Self, ProbeError> {
        let (folder, metric) = (folder_of(file.path()), file.metric());
        if !folder.is_dir() {
            return Err(ProbeError::NoFolder { folder: folder.to_path_buf() });
        }
        let exchange = Arc::new(ExchangeFiles::like(file, variant));
        let (paths, cache) = (vec![folder.to_path_buf()], Tablebase::cache_of(0));
        let folder = Some(Arc::new(Folder { paths, cache, exchange, only_exchange: true }));
        Ok(Tablebase { folder, ..Tablebase::new(variant, metric) })
    }

    /// Answers from tables in memory, which hold values of this metric.
    #[must_use]
    pub fn from_tables(
        variant: &Variant,
        metric: Metric,
        tables: impl IntoIterator<Item = Arc<Table>>,
    ) -> Self {
        let by_material = |table: Arc<Table>| (table.layout().material().clone(), table);
        let held = RwLock::new(tables.into_iter().map(by_material).collect());
        Tablebase { held, ..Tablebase::new(variant, metric) }
    }

    /// Answers from values that another program keeps; they are of this metric.
    #[must_use]
    pub fn from_values(variant: &Variant, metric: Metric, values: Arc<dyn PositionValues>) -> Self {
        Tablebase::new(variant, metric).lending(values)
    }

    /// These tables; where the folder has none for some men these values answer, which are of this
    /// metric, and where it has no column of positions with rights to castle theirs does.
    #[must_use]
    pub fn lending(self, lent: Arc<dyn PositionValues>) -> Self {
        Tablebase { lent: Some(lent), ..self }
    }

    /// The value of a table. Under `help` a position is won for either side to move if it can end as both
    /// want.
    fn told(&self, value: Value) -> Value {
        match value {
            Value::Loss(ply) if self.scale.is_helped() => Value::Win(ply),
            value => value,
        }
    }

    /// A value, with this side to move, as a table would have it.
    #[must_use]
    pub fn in_table(&self, stm: Side, value: Value) -> Value {
        match value {
            Value::Win(ply) if self.scale.is_helped() && stm == Side::Black => Value::Loss(ply),
            value => value,
        }
    }

    /// The value, for the side to move, of a game that this side has won, or none.
    pub(crate) fn at_end(&self, stm: Side, winner: Option<Side>) -> Value {
        let verdict = |winner| if winner == stm { Verdict::Win } else { Verdict::Loss };
        match winner {
            winner if self.scale.is_helped() && winner != Some(Side::White) => Value::Draw,
            winner => self.told(Value::at_end(winner.map(verdict))),
        }
    }

    /// The values that all positions are asked for.
    pub(crate) fn values(&self) -> Option<&Arc<dyn PositionValues>> {
        self.lent.as_ref().filter(|_| self.folder.is_none())
    }

    fn new(variant: &Variant, metric: Metric) -> Self {
        let variant = &variant.for_metric(metric);
        Tablebase {
            book: RuleBook::new(variant),
            scale: Scale::new(metric, &variant.rules),
            folder: None,
            one_winner: None,
            lent: None,
            last: None,
            entries: RwLock::default(),
            held: RwLock::default(),
            wdl: None,
            rights: RightsTables::new(std::thread::available_parallelism().map_or(1, NonZero::get)),
            rights_files: RwLock::default(),
            most_men_with_rights: usize::MAX,
        }
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

    /// Reads a position of the variant from a FEN; a side may castle in it.
    ///
    /// # Errors
    /// The text is no FEN.
    pub fn position(&self, fen: &str) -> Result<Position, FenError> {
        Position::from_fen_with_castling(&self.book, fen)
    }

    /// The value of a position, rights to castle and to capture en passant and all; [`Value::Illegal`] if the
    /// rules forbid it. Where no table is there the rules alone may say it.
    ///
    /// # Errors
    /// A table that is needed is not there ([`ProbeError::Missing`]) or cannot be read.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        if position.is_legal(&self.book) { self.value_of_legal(position) } else { Ok(Value::Illegal) }
    }

    /// The value of a position that is known to be legal, as tables have it: the rules decide nothing.
    ///
    /// # Errors
    /// As [`Tablebase::value`].
    pub fn table_value(&self, position: &Position) -> Result<Value, ProbeError> {
        if let Some(value) = self.at_end_of_clock(position) {
            return Ok(value);
        }
        let value = match position.castling().is_empty() {
            true => self.stored_value(position)?,
            // Rights have one value, and not one for each clock.
            false if self.scale.clock_plies().is_some() => {
                return Err(self.not_built(&position.material()));
            }
            false => self.value_with_rights(position)?,
        };
        let value = match position.en_passant() {
            Some(_) if value != Value::Illegal => self.with_en_passant(position, value)?,
            _ => value,
        };
        Ok(self.of_winner(position, value))
    }

    /// Like [`Self::value_of_legal`], for a caller who need not know the value if it is `enough` for the
    /// side to move: then it may be a lower bound that is enough, too.
    ///
    /// # Errors
    /// As [`Tablebase::value`].
    pub(crate) fn bound_of_legal(
        &self,
        position: &Position,
        enough: Enough<'_>,
    ) -> Result<Value, ProbeError> {
        let is_plain = position.castling().is_empty() && position.en_passant().is_none();
        match is_plain && self.one_winner.is_none() {
            true => self.stored_bound(position, enough),
            false => self.table_value(position),
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
            let best = self.best_of(position, None, |_| true, &|_| false)?;
            return Ok(best.unwrap_or(without));
        }
        // Stalemate, and a loss after no ply, say that there is no other move.
        let has_other_move = !matches!(without, Value::Stalemate | Value::Loss(Ply(0)) | Value::Win(Ply(0)));
        let best =
            self.best_of(position, has_other_move.then_some(without), Move::is_en_passant, &|_| false)?;
        Ok(best.unwrap_or(without))
    }

    /// The best of a value and what some of the moves are worth; none if there is neither. No more moves are
    /// looked at when the best is enough.
    fn best_of(
        &self,
        position: &Position,
        mut best: Option<Value>,
        is_meant: impl Fn(&Move) -> bool,
        enough: Enough<'_>,
    ) -> Result<Option<Value>, ProbeError> {
        let mut failed = None;
        position.for_each_successor_while(&self.book, |mv, next| {
            if is_meant(&mv) {
                match self.value_of_legal(next) {
                    Ok(value) => best = preferred(best, self.before(&mv, value)),
                    Err(error) => failed = Some(error),
                }
            }
            failed.is_none() && !best.is_some_and(enough)
        });
        failed.map_or(Ok(best), Err)
    }

    /// The value of a legal position as a table has it: without rights.
    fn stored_value(&self, position: &Position) -> Result<Value, ProbeError> {
        self.stored_bound(position, &|_| false)
    }

    /// The stored value, or a lower bound that is enough for the side to move.
    fn stored_bound(&self, position: &Position, enough: Enough<'_>) -> Result<Value, ProbeError> {
        if let Some(values) = self.values() {
            return self.value_in(values, position);
        }
        let (stm, clock) = (position.stm(), self.scale.clock_of(position.halfmove_clock()));
        let Some(sorted) = SortedMen::new(position) else {
            let material = position.material();
            return Err(self.not_built(&material));
        };
        match &*self.entry(&sorted, position)? {
            Entry::Exchange(files, format, material) => files.value(&self.book, position, material, *format),
            Entry::Memory(memory) => {
                let (table, mapping) = &**memory;
                if !mapping.has(stm) {
                    return self.value_by_moves(position, enough);
                }
                // No place: a man stands where it cannot.
                let place = mapping.locate(table.layout(), stm, sorted.squares());
                let value = |(stm, index)| self.told(table.value_at(stm, index, clock));
                Ok(place.map_or(Value::Illegal, value))
            }
            Entry::File(file) => {
                let (file, mapping) = &**file;
                let wdl = self.wdl.as_ref().map(|wdl| wdl.stored_value(position)).transpose()?;
                let wdl = wdl.map(|wdl| self.of_winner(position, wdl));
                if let Some(wdl) = wdl.filter(|wdl| wdl.ply().is_none()) {
                    return Ok(wdl);
                }
                if !mapping.has(stm) {
                    return self.value_by_moves(position, enough);
                }
                // No place: a man stands where it cannot.
                let place = mapping.locate(file.layout(), stm, sorted.squares());
                let Some((stm, index)) = place else { return Ok(Value::Illegal) };
                Ok(match wdl {
                    Some(wdl) => file.distance(stm, index)?.of(wdl),
                    None => self.told(file.value_at(stm, index, clock)?),
                })
            }
            Entry::Lent(values) => self.value_in(values, position),
            Entry::Drawn if position.has_legal_move(&self.book) => Ok(Value::Draw),
            Entry::Drawn => Ok(self.at_end(stm, None)),
            Entry::Over(verdicts) => {
                let winner = |verdict| if verdict == Verdict::Win { stm } else { !stm };
                Ok(self.at_end(stm, verdicts[stm.index()].map(winner)))
            }
            Entry::Impossible => Ok(Value::Illegal),
        }
    }

    /// The value of a legal position that the n-move rule has ended, if the metric asks for the clock: a
    /// draw, but a loss without a move goes before the rule.
    fn at_end_of_clock(&self, position: &Position) -> Option<Value> {
        self.scale.clock_plies().filter(|&plies| position.halfmove_clock() >= plies.into())?;
        let ending = position.ending(&self.book).map(|ending| self.at_end(position.stm(), ending.winner));
        Some(ending.filter(|value| !matches!(value, Value::Win(_))).unwrap_or(Value::Draw))
    }

    /// The value of a legal position from values that another program keeps.
    fn value_in(&self, values: &Arc<dyn PositionValues>, position: &Position) -> Result<Value, ProbeError> {
        let material = || position.material();
        self.kept_value(values, position)?.ok_or_else(|| self.not_built(&material()))
    }

    fn kept_value(
        &self,
        values: &Arc<dyn PositionValues>,
        position: &Position,
    ) -> Result<Option<Value>, ProbeError> {
        values.value(position).map_err(|source| {
            let path = values.path().unwrap_or_default();
            ProbeError::Values { path, source: Arc::new(source) }
        })
    }

    /// The value without rights of a legal position whose side to move the file has left out: the best of
    /// what its moves lead to.
    fn value_by_moves(&self, position: &Position, enough: Enough<'_>) -> Result<Value, ProbeError> {
        let best = self.best_of(position, None, |mv| !mv.is_en_passant(), enough)?;
        // Without a move the game has ended.
        Ok(best.unwrap_or_else(|| self.at_end(position.stm(), position.winner(&self.book))))
    }

    /// What a move to a position of this value is worth to the side that makes it; none if the rules forbid
    /// it.
    pub(crate) fn before(&self, mv: &Move, value: Value) -> Option<Value> {
        let own = value.before_move_of(kind_of(mv), &self.scale)?;
        Some(self.told(own))
    }

    pub(crate) fn entry(&self, sorted: &SortedMen, position: &Position) -> Result<Arc<Entry>, ProbeError> {
        let key = sorted.key();
        if let Some(entry) = self.entries.read().get(&key) {
            return Ok(entry.clone());
        }
        let entry = Arc::new(self.find(sorted, position)?);
        // Two threads may have opened the same file; the first one's stays.
        let mut entries = self.entries.write();
        Ok(entries.entry(key).or_insert(entry).clone())
    }

    /// Finds the table of these men, if they need one.
    fn find(&self, sorted: &SortedMen, position: &Position) -> Result<Entry, ProbeError> {
        let men = sorted.men();
        let variant = self.variant();
        let own = Material::from_men(men.iter().copied()).with_given_checks(sorted.given_checks);
        let may_be_over = variant.rules.check_counting.is_some();
        let may_be_over = may_be_over || variant.has_side_without_royals() || variant.rules.blast.is_some();
        if let Some(verdicts) = variant.constant(&own).filter(|_| may_be_over) {
            return Ok(Entry::Over(verdicts));
        }
        if !variant.has_its_royals(men.iter().copied()) {
            return Ok(Entry::Impossible);
        }
        let material = own.canonical(variant);
        if variant.is_always_drawn(&material) {
            return Ok(Entry::Drawn);
        }
        if let Some(table) = self.held.read().get(&material) {
            let keeps = Side::BOTH.map(|side| table.codes(side).is_some());
            let mapping = Mapping::with_checks(table.layout(), keeps, &men, sorted.given_checks);
            let mapping = mapping.expect("the table has these men");
            return Ok(Entry::Memory(Box::new((table.clone(), mapping))));
        }
        let Some(folder) = &self.folder else { return Err(self.not_built(&material)) };
        let path = self.path(&material);
        let own = match folder.only_exchange {
            true => None,
            false => Some(self.opened(&folder.cache, &path, sorted, &material)),
        };
        let file = match own {
            Some(Ok(file)) => file,
            own => {
                // What is lent has been found to serve; files of others may be rounded.
                if let Some(lent) = &self.lent
                    && self.kept_value(lent, position)?.is_some()
                {
                    return Ok(Entry::Lent(lent.clone()));
                }
                if let Some(Err(error)) = own
                    && !error.is_not_found()
                {
                    return Err(error.into());
                }
                if let Some(format) = folder.exchange.find(variant, position, &material) {
                    return Ok(Entry::Exchange(folder.exchange.clone(), format, material));
                }
                return match &self.last {
                    Some(last) if self.kept_value(last, position)?.is_some() => Ok(Entry::Lent(last.clone())),
                    _ => Err(self.not_built(&material)),
                };
            }
        };
        let keeps = Side::BOTH.map(|side| file.keeps(side));
        let mapping = Mapping::with_checks(file.layout(), keeps, &men, sorted.given_checks);
        let mapping = mapping.expect("the file holds the material of its name, checked as it was opened");
        Ok(Entry::File(Box::new((file, mapping))))
    }
}

/// What kind of move this is, as far as metrics care.
pub(crate) fn kind_of(mv: &Move) -> MoveKind {
    MoveKind::new(mv.is_conversion(), mv.zeroing)
}

/// The one of two values that the mover prefers, the first of equals.
pub(crate) fn preferred(best: Option<Value>, other: Option<Value>) -> Option<Value> {
    match (best, other) {
        (Some(best), Some(other)) if other.preference(&best).is_gt() => Some(other),
        (best, other) => best.or(other),
    }
}

/// A number for the men, colours as they are, and the checks that either side has given.
pub(crate) type MenKey = (u64, [u8; 2]);

/// The men of a position, sorted by kind, with their squares; made for every look-up, so nothing is
/// allocated.
#[derive(Clone, Copy)]
pub(crate) struct SortedMen {
    given_checks: [u8; 2],
    kinds: [u8; MAX_MEN],
    squares: [Square; MAX_MEN],
    n_men: usize,
}

impl SortedMen {
    /// The men of a position; none if they are more than a table can have.
    pub(crate) fn new(position: &Position) -> Option<Self> {
        let (kinds, squares) = ([0; MAX_MEN], [Square::from_index(0); MAX_MEN]);
        let mut sorted = SortedMen { given_checks: position.given_checks(), kinds, squares, n_men: 0 };
        if position.n_men() > MAX_MEN {
            return None;
        }
        position.men().for_each(|(man, square)| {
            let kind = kind(man);
            let mut at = sorted.n_men;
            while at > 0 && sorted.kinds[at - 1] > kind {
                sorted.kinds[at] = sorted.kinds[at - 1];
                sorted.squares[at] = sorted.squares[at - 1];
                at -= 1;
            }
            sorted.kinds[at] = kind;
            sorted.squares[at] = square;
            sorted.n_men += 1;
        });
        Some(sorted)
    }

    /// A number for the men, colours as they are.
    pub(crate) fn key(&self) -> MenKey {
        (u64::from_le_bytes(self.kinds), self.given_checks)
    }

    /// The key of the same men with the colours exchanged.
    pub(crate) fn exchanged_key(&self) -> MenKey {
        let mut kinds = self.kinds;
        kinds[..self.n_men].iter_mut().for_each(|kind| *kind ^= 1);
        kinds[..self.n_men].sort_unstable();
        let [white, black] = self.given_checks;
        (u64::from_le_bytes(kinds), [black, white])
    }

    /// The men's squares, in the order of [`SortedMen::men`].
    pub(crate) fn squares(&self) -> &[Square] {
        &self.squares[..self.n_men]
    }

    /// The men.
    pub(crate) fn men(&self) -> Vec<Man> {
        self.kinds[..self.n_men].iter().map(|&kind| man(kind)).collect()
    }
}

/// A man as a number above 0.
fn kind(man: Man) -> u8 {
    (man.piece.0 + 1) << 1 | man.side.index() as u8
}

fn man(kind: u8) -> Man {
    Man { side: Side::BOTH[usize::from(kind & 1)], piece: PieceId((kind >> 1) - 1) }
}

/// Whether a value is so good for the side to move that it need not be known whether it is better still.
pub(crate) type Enough<'a> = &'a dyn Fn(Value) -> bool;

/// Values of positions that are kept in another way than as tables of whole materials.
pub trait PositionValues: std::fmt::Debug + Send + Sync {
    /// The value of a legal position as if neither side could capture en passant; none if it is not there.
    ///
    /// # Errors
    /// It cannot be read.
    fn value(&self, position: &Position) -> io::Result<Option<Value>>;

    /// The file that they are kept in, if there is one.
    fn path(&self) -> Option<PathBuf> {
        None
    }

    /// Where files of this name are, the one that is asked first before others.
    fn files(&self, _name: &str) -> Vec<PathBuf> {
        Vec::new()
    }
}
