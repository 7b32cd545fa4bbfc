//! Answers positions from files of a folder that hold less than a table: structures, and files of one side's
//! wins.
//!
//! A program that runs for long sees a structure that is solved meanwhile: the folder is looked at again when
//! a position is asked for that no table has, at most once a second.

use crate::{Edition, LentTables, LibraryError, TableFiles, files_in, winner_files};
use format::parse_winner_file_name;
use parking_lot::RwLock;
use position::Position;
use probe::{Answer, Ask, Between, Line, ProbeError, Tablebase};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use structure::{Bound, EXTENSION, SolvedStructure};
use table::{Ply, Value};
use variant::{Material, Metric, Variant};

/// How long what was found in the folders is believed.
const BELIEVED: Duration = Duration::from_secs(1);

/// The structures and the files of one side's wins in some folders.
#[derive(Debug)]
pub(crate) struct OtherFiles {
    variant: Variant,
    folders: Vec<PathBuf>,
    /// Where the tables are that structures were solved with; if nowhere, in the folder of the structure.
    using: Vec<PathBuf>,
    cache_bytes: usize,
    found: RwLock<Option<Found>>,
}

/// What was found in the folders.
#[derive(Clone, Debug)]
struct Found {
    looked: Instant,
    structures: Arc<Vec<FoundStructure>>,
    winners: Arc<Vec<OneWinner>>,
}

/// A file with the name of a structure.
#[derive(Clone, Debug)]
struct FoundStructure {
    path: PathBuf,
    /// Its size and when it was changed: with others it is opened anew.
    state: Option<(u64, SystemTime)>,
    /// None if it cannot be read, or was made under other rules.
    open: Option<Arc<SolvedStructure>>,
}

/// The tables of a material of which one side's wins alone are there.
#[derive(Debug)]
struct OneWinner {
    path: PathBuf,
    material: Material,
    tables: Tablebase,
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
    let own = [path.parent().filter(|own| !own.as_os_str().is_empty()).unwrap_or(Path::new(".")).into()];
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
        }
    }

    pub(crate) fn add_folders(&mut self, folders: &[PathBuf]) {
        self.folders.extend_from_slice(folders);
        self.found = RwLock::default();
    }

    pub(crate) fn using(&mut self, folders: &[PathBuf]) {
        self.using = folders.to_vec();
    }

    /// The metrics of the structures.
    pub(crate) fn metrics(&self) -> Vec<Metric> {
        let found = self.found();
        found.structures.iter().filter_map(|file| Some(file.open.as_ref()?.metric())).collect()
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
        let structures = self.found().structures;
        let asked = Ask { moves: true, line: Line::None, ..*ask };
        let mut known: Vec<(&Arc<SolvedStructure>, Answer)> = Vec::new();
        for structure in structures.iter().filter_map(|file| file.open.as_ref()) {
            if metric.is_some_and(|metric| metric != structure.metric()) {
                continue;
            }
            match structure.answer(position, &asked) {
                Ok(answer) => known.push((structure, answer)),
                Err(ProbeError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let mut best: Option<(Answer, Metric)> = None;
        for own in [self.variant.default_metric].into_iter().chain(Metric::ALL) {
            let of_metric = || known.iter().filter(|(structure, _)| structure.metric() == own);
            let exact = of_metric().find(|(structure, _)| structure.is_exact());
            if let Some((exact, _)) = exact {
                return exact.answer(position, ask).map(Some);
            }
            let Some(joined) = of_metric().map(|(_, answer)| answer.clone()).reduce(Answer::and) else {
                continue;
            };
            if best.as_ref().is_none_or(|(best, _)| joined.n_open() < best.n_open()) {
                best = Some((joined, own));
            }
        }
        let best = best.map(|(answer, _)| answer).filter(|answer| !says_nothing(answer));
        Ok(best.map(|answer| Answer { moves: if ask.moves { answer.moves } else { Vec::new() }, ..answer }))
    }

    /// The tables of exact structures, of one metric or of all.
    pub(crate) fn exact(&self, metric: Option<Metric>) -> Vec<Tablebase> {
        let structures = self.found().structures;
        let open = structures.iter().filter_map(|file| file.open.as_ref());
        let meant = open.filter(|structure| {
            structure.is_exact() && metric.is_none_or(|metric| metric == structure.metric())
        });
        meant.map(|structure| structure.tablebase(Bound::Exact)).collect()
    }

    /// What a file knows that has one side's wins alone. Either side may have one, and only that of the
    /// winner knows more than that the other does not win.
    pub(crate) fn by_one_winner(
        &self,
        position: &Position,
        metric: Option<Metric>,
        ask: &Ask<'_>,
    ) -> Result<Option<Answer>, ProbeError> {
        let winners = self.found().winners;
        if winners.is_empty() {
            return Ok(None);
        }
        let own = Material::from_men(position.men().map(|(man, _)| man)).canonical(&self.variant);
        let mut answering = None;
        for one in winners.iter().filter(|one| {
            one.material == own && metric.is_none_or(|metric| metric == one.tables.scale().metric())
        }) {
            answering = Some(one);
            if one.tables.table_value(position).is_ok_and(|value| value.ply().is_some()) {
                break;
            }
        }
        answering.map(|one| one.tables.answer(position, ask)).transpose()
    }

    fn found(&self) -> Found {
        let known = self.found.read().clone();
        if let Some(known) = known.as_ref().filter(|known| known.looked.elapsed() < BELIEVED) {
            return known.clone();
        }
        let found = self.look(known);
        *self.found.write() = Some(found.clone());
        found
    }

    /// Looks into the folders; what has not changed stays open.
    fn look(&self, known: Option<Found>) -> Found {
        let state = |path: &Path| {
            let metadata = std::fs::metadata(path).ok()?;
            Some((metadata.len(), metadata.modified().ok()?))
        };
        let structure = |path: PathBuf| {
            let state = state(&path);
            let known = known.iter().flat_map(|known| known.structures.iter());
            let same = known.into_iter().find(|file| file.path == path && file.state == state);
            same.cloned().unwrap_or_else(|| {
                let open = open_structure(&path, &self.variant, &self.using).ok().map(Arc::new);
                FoundStructure { path, state, open }
            })
        };
        let structures = self.folders.iter().flat_map(|folder| structure_files(folder)).map(structure);
        let structures = Arc::new(structures.collect());
        let files = self.folders.iter().flat_map(|folder| winner_files(folder).unwrap_or_default());
        let is_other = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let metric = parse_winner_file_name(name, self.variant.default_metric).map(|(.., metric)| metric);
            metric != Some(self.variant.default_metric)
        };
        let mut files: Vec<PathBuf> = files.collect();
        files.sort_by_key(is_other);
        let same = known.filter(|known| known.winners.iter().map(|one| &one.path).eq(&files));
        let winners = same.map_or_else(
            || Arc::new(files.iter().filter_map(|path| self.one_winner(path)).collect()),
            |known| known.winners,
        );
        Found { looked: Instant::now(), structures, winners }
    }

    /// The tables of a file that has one side's wins alone, by its name.
    fn one_winner(&self, path: &Path) -> Option<OneWinner> {
        let (name, folder) = (path.file_name()?.to_str()?, path.parent()?);
        let (material, winner, metric) = parse_winner_file_name(name, self.variant.default_metric)?;
        let material = Material::parse(&self.variant, material).ok()?;
        let edition = Edition::new(&self.variant, metric).with_winner(&material, winner).ok()?;
        let tables = TableFiles::new(edition, folder).tablebase(metric, self.cache_bytes).ok()?;
        Some(OneWinner { path: path.into(), material, tables })
    }
}

/// Whether an answer leaves it open who wins, after whatever move, and when.
fn says_nothing(answer: &Answer) -> bool {
    let is_open = |value: Between| (value.least.wdl(), value.most.wdl()) == (Some(-1), Some(1));
    // A side with a legal move is mated in two plies at the earliest: the rules say so, not the file.
    let is_told_by_rules =
        matches!((answer.value.least, answer.value.most), (Value::Loss(Ply(0..=2)), Value::Win(Ply(0..=1))));
    is_told_by_rules && answer.moves.iter().all(|rated| is_open(rated.value))
}
