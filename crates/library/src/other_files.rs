//! Answers positions from files of folders that hold less than a table: structures, and columns of one
//! side's wins.
//!
//! A program that runs for long sees a structure that is solved meanwhile: folders are looked at again
//! when a position is asked for that no table has, at most once a second.

use crate::{Edition, LentTables, LibraryError, TableFiles, files_in};
use format::{Column, columns_of, file_name, folder_of};
use parking_lot::{Mutex, RwLock};
use position::Position;
use probe::{Answer, Ask, Between, Line, ProbeError, Tablebase, line_by_results};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use structure::{Bound, EXTENSION, SolvedStructure};
use variant::{Material, Metric, Variant};

/// How long what was found in the folders is believed.
const BELIEVED: Duration = Duration::from_secs(1);

/// The structures and the columns of one side's wins in some folders.
#[derive(Debug)]
pub(crate) struct OtherFiles {
    variant: Variant,
    folders: Vec<PathBuf>,
    /// Where the tables are that structures were solved with; if nowhere, in the folder of the structure.
    using: Vec<PathBuf>,
    cache_bytes: usize,
    found: RwLock<Option<Arc<Found<SolvedStructure>>>>,
    /// The files of tables with columns of one side's wins, as far as they were asked for.
    winners: RwLock<BTreeMap<Material, Arc<Found<Vec<Tablebase>>>>>,
    /// Held while the folders are looked into.
    looking: Mutex<()>,
}

/// The files of a kind that were found in the folders, in their order.
#[derive(Debug)]
struct Found<T> {
    looked: Instant,
    files: Vec<FoundFile<T>>,
}

impl<T> Found<T> {
    fn is_believed(&self) -> bool {
        self.looked.elapsed() < BELIEVED
    }

    /// What can be read of them.
    fn open(&self) -> impl Iterator<Item = &Arc<T>> {
        self.files.iter().filter_map(|file| file.open.as_ref())
    }
}

/// A file that was found, and what it holds.
#[derive(Debug)]
struct FoundFile<T> {
    path: PathBuf,
    /// Its size and when it was changed: with others it is opened anew.
    state: Option<(u64, SystemTime)>,
    /// None if it cannot be read, or was made under other rules; then it is tried again.
    open: Option<Arc<T>>,
}

/// Opens a structure; tables that it was solved with are looked for in these folders, or in its own.
///
/// # Errors
/// The structure or one of the folders cannot be read, or it was made under other rules.
pub fn open_structure(
    path: &Path,
    variant: &Variant,
    using: &[PathBuf],
) -> Result<SolvedStructure, LibraryError> {
    let structure = SolvedStructure::open(path, variant)?;
    if structure.used().is_empty() {
        return Ok(structure);
    }
    let own = [folder_of(path).to_path_buf()];
    let folders = if using.is_empty() { &own[..] } else { using };
    let tables = LentTables::new(variant, structure.metric(), folders)?;
    Ok(structure.with_tables(Some(Arc::new(tables))))
}

/// The files of a folder with the names of structures, sorted; none if it cannot be read.
#[must_use]
pub fn structure_files(folder: &Path) -> Vec<PathBuf> {
    files_in(folder, |file| file.extension().is_some_and(|own| own == EXTENSION)).unwrap_or_default()
}

impl OtherFiles {
    pub(crate) fn new(variant: &Variant, folders: Vec<PathBuf>, cache_bytes: usize) -> Self {
        OtherFiles {
            variant: variant.clone(),
            folders,
            using: Vec::new(),
            cache_bytes,
            found: RwLock::default(),
            winners: RwLock::default(),
            looking: Mutex::default(),
        }
    }

    pub(crate) fn using(&mut self, folders: &[PathBuf]) {
        self.using = folders.to_vec();
    }

    /// The structures that can be read, in the order of folders and names.
    pub(crate) fn structures(&self) -> Vec<Arc<SolvedStructure>> {
        self.found().open().cloned().collect()
    }

    /// What the structures know of a position together, under one metric: this one, or else the one that
    /// leaves least open, the game's own before others. None if they know nothing that the rules do not.
    pub(crate) fn by_structures(
        &self,
        position: &Position,
        metric: Option<Metric>,
        ask: &Ask<'_>,
    ) -> Result<Option<Answer>, ProbeError> {
        if self.folders.is_empty() || !position.castling().is_empty() {
            return Ok(None);
        }
        let found = self.found();
        let asked = Ask { line: Line::None, ..*ask };
        let mut meant: Vec<&Arc<SolvedStructure>> =
            found.open().filter(|own| metric.is_none_or(|metric| metric == own.metric())).collect();
        // The game's own metric first.
        meant.sort_by_key(|structure| structure.metric() != self.variant.default_metric);
        for exact in meant.iter().filter(|structure| structure.is_exact()) {
            match exact.answer(position, ask) {
                Err(ProbeError::Missing(_)) => {}
                answer => return answer.map(Some),
            }
        }
        let mut known: Vec<Answer> = Vec::new();
        for structure in meant.iter().filter(|structure| !structure.is_exact()) {
            match structure.answer(position, &asked) {
                Ok(answer) if says_nothing(&answer) => {}
                Ok(answer) => known.push(answer),
                Err(ProbeError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let joined = |own: Metric| {
            let of_metric = known.iter().filter(|answer| answer.scale.metric() == own).cloned();
            of_metric.reduce(Answer::and)
        };
        let metrics = [self.variant.default_metric].into_iter().chain(Metric::ALL);
        // The first of equals.
        let Some(best) = metrics.filter_map(joined).min_by_key(Answer::n_open) else { return Ok(None) };
        let moves = if ask.moves { best.moves } else { Vec::new() };
        let mut line = (ask.line != Line::None).then(Vec::new);
        if let Some(line) = line.as_mut().filter(|_| best.scale.metric() == Metric::Wdl) {
            let own = self.who_wins();
            let who_wins = |next: &Position| Ok(own(next)?.unwrap_or(Between::ANYTHING));
            *line = line_by_results(meant[0].book(), position, best.value, ask, &who_wins)?;
        }
        Ok(Some(Answer { moves, line, ..best }))
    }

    /// Says what structures of `wdl` know of positions without a look at their moves; none of those that no
    /// structure has.
    pub(crate) fn who_wins(&self) -> impl Fn(&Position) -> Result<Option<Between>, ProbeError> + use<> {
        let found = self.found();
        let of_all: Vec<_> = found
            .open()
            .filter(|own| own.metric() == Metric::Wdl)
            .map(|structure| structure.known())
            .collect();
        move |position| {
            let mut all: Option<Between> = None;
            for known in &of_all {
                all = all.into_iter().chain(known.of(position)?).reduce(Between::and);
            }
            Ok(all)
        }
    }

    /// The tables of exact structures, of one metric or of all.
    pub(crate) fn exact(&self, metric: Option<Metric>) -> Vec<Tablebase> {
        let found = self.found();
        let meant = found.open().filter(|structure| {
            structure.is_exact() && metric.is_none_or(|metric| metric == structure.metric())
        });
        meant.map(|structure| structure.tablebase(Bound::Exact)).collect()
    }

    /// What a column knows that has one side's wins alone. Either side may have one, and only that of the
    /// winner knows more than that the other does not win.
    pub(crate) fn by_one_winner(
        &self,
        position: &Position,
        metric: Option<Metric>,
        ask: &Ask<'_>,
    ) -> Result<Option<Answer>, ProbeError> {
        if self.folders.is_empty() || !position.castling().is_empty() {
            return Ok(None);
        }
        let own = position.material().canonical(&self.variant);
        let winners = self.winners(&own);
        let of_metric = |tables: &&Tablebase| metric.is_none_or(|metric| metric == tables.scale().metric());
        let mut tables: Vec<&Tablebase> =
            winners.open().flat_map(|tables| tables.iter()).filter(of_metric).collect();
        // The game's own metric first, and what says no more than who wins last.
        let order = |metric| (metric != self.variant.default_metric, metric == Metric::Wdl);
        tables.sort_by_key(|tables| order(tables.scale().metric()));
        let is_won =
            |tables: &&&Tablebase| tables.table_value(position).is_ok_and(|value| value.ply().is_some());
        let answering = tables.iter().find(is_won).or(tables.last());
        answering.map(|tables| tables.answer(position, ask)).transpose()
    }

    /// The columns of one side's wins of a canonical material.
    fn winners(&self, material: &Material) -> Arc<Found<Vec<Tablebase>>> {
        let known = self.winners.read().get(material).cloned();
        if let Some(known) = known.as_ref().filter(|known| known.is_believed()) {
            return known.clone();
        }
        let name = file_name(&material.name(&self.variant));
        let paths = self.folders.iter().map(|folder| folder.join(&name));
        let files = known.as_ref().map_or(&[][..], |known| &known.files);
        let files = opened(paths, files, |path| self.of_winners(path, material));
        let winners = Arc::new(Found { looked: Instant::now(), files });
        // Of most materials there are none, and that is quickly seen.
        if winners.open().any(|tables| !tables.is_empty()) || known.is_some() {
            self.winners.write().insert(material.clone(), winners.clone());
        }
        winners
    }

    /// The tables of a file that have one side's wins alone; none if it cannot be read.
    fn of_winners(&self, path: &Path, material: &Material) -> Option<Vec<Tablebase>> {
        let tables = |column: Column| {
            let edition = Edition::new(&self.variant, column.metric);
            let edition = edition.with_winner(material, column.winner?).ok()?;
            let files = TableFiles::new(edition, folder_of(path));
            // Positions with rights to castle have a column of their own.
            Some(files.tablebase(column.metric, self.cache_bytes).ok()?.solving_rights(0))
        };
        Some(columns_of(path).ok()?.into_iter().filter_map(tables).collect())
    }

    fn found(&self) -> Arc<Found<SolvedStructure>> {
        let known = self.found.read().clone();
        if let Some(known) = known.as_ref().filter(|known| known.is_believed()) {
            return known.clone();
        }
        // One thread looks, and others go on with what is known.
        let looking = match &known {
            Some(known) => match self.looking.try_lock() {
                Some(looking) => looking,
                None => return known.clone(),
            },
            None => self.looking.lock(),
        };
        let known = self.found.read().clone();
        if let Some(known) = known.as_ref().filter(|known| known.is_believed()) {
            return known.clone();
        }
        let looked = Arc::new(self.look(known.as_deref()));
        *self.found.write() = Some(looked.clone());
        drop(looking);
        looked
    }

    /// Looks into the folders; what has not changed stays open.
    fn look(&self, known: Option<&Found<SolvedStructure>>) -> Found<SolvedStructure> {
        let structures = self.folders.iter().flat_map(|folder| structure_files(folder));
        let open = |path: &Path| open_structure(path, &self.variant, &self.using).ok();
        let files = opened(structures, known.map_or(&[], |known| &known.files), open);
        Found { looked: Instant::now(), files }
    }
}

/// These files, open; those that are known and have not changed stay as they are.
fn opened<T>(
    paths: impl Iterator<Item = PathBuf>,
    known: &[FoundFile<T>],
    open: impl Fn(&Path) -> Option<T>,
) -> Vec<FoundFile<T>> {
    let state = |path: &Path| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    let file = |path: PathBuf| {
        let state = state(&path);
        let same = known.iter().find(|file| file.path == path && file.state == state);
        let kept = same.and_then(|file| file.open.clone());
        let open = kept.or_else(|| open(&path).map(Arc::new));
        FoundFile { path, state, open }
    };
    paths.map(file).collect()
}

/// Whether an answer leaves it open who wins, after whatever move, and when.
fn says_nothing(answer: &Answer) -> bool {
    let is_open = |value: Between| (value.least.wdl(), value.most.wdl()) == (Some(-1), Some(1));
    // A side with a legal move is mated in two plies at the earliest: the rules say so, not the file.
    answer.value.is_open() && answer.moves.iter().all(|rated| is_open(rated.value))
}
