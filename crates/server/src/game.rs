//! Holds a game that is served: its rules, its tables, and what is known of its files.

use crate::refusal::HttpRefusal;
use format::{FormatError, Summary};
use index::{MAX_MEN, Size};
use library::{
    AskedTables, Holding, LibraryError, SolveBound, SolveLedger, TableColumn, columns_in, exchange_files,
    files_of, first_fen, lenient_position,
};
use parking_lot::{Mutex, RwLock};
use position::{Position, RuleBook};
use probe::{ExchangeFile, ExchangeKind};
use serde::Serialize;
use stats::{Longest, LongestPositions, Statistics, Zugzwang, Zugzwangs};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;
use table::Table;
use variant::{Material, Metric, Side, Variant};

/// The name under which Lichess knows chess.
const STANDARD: &str = "standard";

/// A game and its tables.
#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) tables: AskedTables,
    listing: Listing,
    /// What was counted and found in tables, as far as clients have asked.
    pub(crate) studies: Studies,
    /// A position to begin with, if one was found.
    first_fen: OnceLock<Option<String>>,
}

impl Game {
    pub(crate) fn new(
        holding: &Holding,
        cache_bytes: usize,
        bound: Option<SolveBound>,
        ledger: &SolveLedger,
    ) -> Result<Self, LibraryError> {
        let tables = AskedTables::new(&holding.variant, &holding.folders, cache_bytes, bound)?;
        Ok(Game {
            tables: tables.sharing(ledger),
            listing: Listing::default(),
            studies: Studies::default(),
            first_fen: OnceLock::new(),
        })
    }

    pub(crate) fn variant(&self) -> &Variant {
        self.tables.variant()
    }

    pub(crate) fn book(&self) -> &RuleBook {
        self.tables.book()
    }

    /// The other name of the game, if it has one.
    pub(crate) fn alias(&self) -> Option<&'static str> {
        (self.variant().name == "fide").then_some(STANDARD)
    }

    /// The tables in the folders.
    pub(crate) fn listed(&self) -> Result<Arc<Vec<Listed>>, HttpRefusal> {
        Ok(self.listing.tables(self.tables.holding())?)
    }

    /// A legal position in which a game begins to be interesting; found once.
    pub(crate) fn first_fen(&self) -> &Option<String> {
        self.first_fen.get_or_init(|| first_fen(self.book()))
    }

    /// Reads a position, with spaces or underscores between its fields; one that the rules forbid is
    /// refused. Rights that its men deny are passed over.
    pub(crate) fn position(&self, fen: &str) -> Result<Position, HttpRefusal> {
        let position = lenient_position(self.book(), &fen.replace('_', " "))?;
        self.check_legal(position)
    }

    pub(crate) fn check_legal(&self, position: Position) -> Result<Position, HttpRefusal> {
        if position.is_legal(self.book()) {
            return Ok(position);
        }
        let refusal = library::Refusal::illegal(self.book(), &position);
        Err(refusal.into())
    }

    /// The canonical material of a name as people type it.
    pub(crate) fn material(&self, name: &str, metric: Option<Metric>) -> Result<Material, HttpRefusal> {
        let seen = self.variant().for_metric(metric.unwrap_or(self.variant().default_metric));
        let material = Material::from_typed(&seen, name);
        material.map_err(|error| HttpRefusal::absent(error.to_string()))
    }

    /// A metric by its name; none for an empty one.
    pub(crate) fn metric(name: Option<&str>) -> Result<Option<Metric>, HttpRefusal> {
        let name = name.filter(|name| !name.is_empty());
        name.map(|name| name.parse().map_err(|error| HttpRefusal::bad(format!("{error}")))).transpose()
    }
}

/// A table as the list of tables shows it.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct Listed {
    /// Its name, such as `KQvKR`.
    pub(crate) table: String,
    pub(crate) metric: Metric,
    /// `tsm`, `flat` or `syzygy`.
    pub(crate) format: &'static str,
    pub(crate) men: usize,
    pub(crate) size_bytes: u64,
    /// The folder of its file, if the game has several.
    pub(crate) folder: Option<String>,
    /// Legal positions modulo symmetry, both sides to move; null if they have not been counted.
    pub(crate) positions: Option<u64>,
    /// Wins, draws and losses modulo symmetry, with White to move.
    pub(crate) white_to_move: Option<Results>,
    pub(crate) black_to_move: Option<Results>,
    /// The longest win of either side.
    pub(crate) longest_win: Option<LongestWin>,
    /// Positions in which either side does worse if it is its turn, modulo symmetry.
    pub(crate) zugzwangs: Option<u64>,
    #[serde(skip)]
    pub(crate) statistics: Option<Arc<Statistics>>,
}

/// How many positions end how.
#[derive(Serialize, Clone, Copy, Debug)]
pub(crate) struct Results {
    wins: u64,
    draws: u64,
    losses: u64,
}

#[derive(Serialize, Clone, Debug)]
pub(crate) struct LongestWin {
    plies: u16,
    fen: String,
}

/// When each of the folders had changed last, and the tables that were there.
type Known = (Vec<SystemTime>, Arc<Vec<Listed>>);

/// The tables of folders, read again when a folder has changed.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    known: RwLock<Option<Known>>,
}

impl Listing {
    /// The tables, by men and name.
    pub(crate) fn tables(&self, holding: &Holding) -> Result<Arc<Vec<Listed>>, LibraryError> {
        let changed = holding.folders.iter().map(|folder| std::fs::metadata(folder)?.modified());
        let changed: Option<Vec<SystemTime>> = changed.collect::<std::io::Result<_>>().ok();
        let known = self.known.read().clone();
        if let (Some(changed), Some((then, tables))) = (&changed, known)
            && *changed == then
        {
            return Ok(tables);
        }
        let (tables, is_whole) = read(holding)?;
        let tables = Arc::new(tables);
        // What the system has refused it may allow the next time.
        if let Some(changed) = changed.filter(|_| is_whole) {
            *self.known.write() = Some((changed, tables.clone()));
        }
        Ok(tables)
    }
}

/// With how many parts all these paths begin. The others tell folders apart; where they lie on this machine
/// is no business of those who ask.
fn n_shared(folders: &[PathBuf]) -> usize {
    let Some((first, others)) = folders.split_first() else { return 0 };
    let n_alike =
        |other: &PathBuf| first.components().zip(other.components()).take_while(|(a, b)| a == b).count();
    others.iter().map(n_alike).min().unwrap_or(0)
}

/// The tables, and whether the system has let all their files be read.
fn read(Holding { variant, folders }: &Holding) -> Result<(Vec<Listed>, bool), LibraryError> {
    let (mut tables, mut is_whole) = (Vec::new(), true);
    let n_shared = n_shared(folders);
    let folder = |file: &Path| {
        let parts = file.parent().filter(|_| folders.len() > 1)?.components().skip(n_shared);
        let own = parts.collect::<PathBuf>().display().to_string();
        Some(if own.is_empty() { ".".into() } else { own })
    };
    for TableColumn { path: file, material, column } in columns_in(folders, variant)? {
        if !column.is_whole_table() {
            continue;
        }
        // Tables of another game may lie beside these. A damaged one is listed without its counts.
        let (summary, metric) = (Summary::read(&file, column), column.metric);
        is_whole &= !matches!(summary, Err(FormatError::Io { .. }));
        let summary = summary.ok();
        if summary.as_ref().is_some_and(|summary| summary.metadata.variant != variant.name) {
            continue;
        }
        let size_bytes = summary.as_ref().map_or_else(|| size_of(&file), |summary| summary.size_bytes);
        let statistics = summary.and_then(|summary| serde_json::from_value(summary.metadata.statistics).ok());
        let table = Listed::new(variant, &material, metric, "tsm", size_bytes, statistics);
        tables.push(Listed { folder: folder(&file), ..table });
    }
    for file in files_of(folders, exchange_files)? {
        let Ok(exchange) = ExchangeFile::new(&file, variant) else { continue };
        // What answers nothing is not listed.
        if exchange.has_results_only() {
            continue;
        }
        let format = if exchange.kind() == ExchangeKind::Flat { "flat" } else { "syzygy" };
        let (metric, size_bytes) = (exchange.metric(), size_of(&file));
        let table = Listed::new(variant, exchange.material(), metric, format, size_bytes, None);
        // With pawns a flat table has many files.
        let same = |other: &&mut Listed| {
            other.format == "flat" && (&other.table, other.metric) == (&table.table, table.metric)
        };
        match tables.iter_mut().rev().find(same).filter(|_| format == "flat") {
            Some(other) => other.size_bytes += size_bytes,
            None => tables.push(Listed { folder: folder(&file), ..table }),
        }
    }
    tables.sort_by(|a, b| {
        let key = |table: &Listed| (table.men, table.table.clone(), table.metric.name(), table.format);
        key(a).cmp(&key(b))
    });
    Ok((tables, is_whole))
}

fn size_of(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |metadata| metadata.len())
}

impl Listed {
    pub(crate) fn new(
        variant: &Variant,
        material: &Material,
        metric: Metric,
        format: &'static str,
        size_bytes: u64,
        statistics: Option<Statistics>,
    ) -> Self {
        let results = |side: Side| {
            let side = statistics.as_ref()?.side(side);
            let [wins, draws, losses] = [side.wins, side.draws, side.losses].map(|count| count.orbits);
            Some(Results { wins, draws, losses })
        };
        let legal = |statistics: &Statistics| -> u64 {
            Side::BOTH.into_iter().map(|side| statistics.side(side).legal().orbits).sum()
        };
        Listed {
            table: material.name(variant),
            metric,
            format,
            men: material.n_men(),
            size_bytes,
            folder: None,
            positions: statistics.as_ref().map(legal),
            white_to_move: results(Side::White),
            black_to_move: results(Side::Black),
            longest_win: statistics.as_ref().and_then(longest_win),
            zugzwangs: statistics.as_ref().map(|statistics| statistics.zugzwangs.total().orbits),
            statistics: statistics.map(Arc::new),
        }
    }
}

fn longest_win(statistics: &Statistics) -> Option<LongestWin> {
    let of = |side: Side| statistics.side(side).longest_win.as_ref();
    // White's comes first where both are as long.
    let longest: Option<&Longest> = match (of(Side::White), of(Side::Black)) {
        (Some(white), Some(black)) if black.ply > white.ply => Some(black),
        (white, black) => white.or(black),
    };
    longest.map(|longest| LongestWin { plies: longest.ply, fen: longest.fen.clone() })
}

/// When there are this many tables, all are forgotten: they take some ten kilobytes each.
const MAX_STUDIES: usize = 1000;

/// What was counted and found in the tables of a game that clients have asked for.
///
/// One request at a time works on a table. Others that ask for it wait, but not those that ask in haste:
/// they come again when their turn to solve has come. A table whose file was written again is looked at
/// again.
#[derive(Debug, Default)]
pub(crate) struct Studies(Mutex<BTreeMap<(Material, Metric), Shared>>);

/// What is known of a table; locked by the request that works on it.
type Shared = Arc<Mutex<Study>>;

#[derive(Debug, Default)]
struct Study {
    /// When the file was written; none if there is none, and the table is solved.
    written: Option<SystemTime>,
    statistics: Option<Arc<Statistics>>,
    examples: Option<Arc<Examples>>,
}

impl Studies {
    /// What is counted in a table that has no file, which is solved for that; none if it would be too
    /// large.
    pub(crate) fn statistics(
        &self,
        asked: &AskedTables,
        material: &Material,
        metric: Metric,
    ) -> Option<Arc<Statistics>> {
        let count = |study: &mut Study| {
            if study.statistics.is_none() {
                study.statistics = asked.statistics(material, metric).map(Arc::new);
            }
            study.statistics.clone()
        };
        self.with(asked, material, metric, count).flatten()
    }

    /// The examples of a table whose statistics are known.
    ///
    /// # Errors
    /// The file is damaged.
    pub(crate) fn examples(
        &self,
        asked: &AskedTables,
        material: &Material,
        metric: Metric,
        statistics: &Statistics,
    ) -> Result<Arc<Examples>, HttpRefusal> {
        let find = |study: &mut Study| {
            if let Some(examples) = &study.examples {
                return Ok(examples.clone());
            }
            let examples = Arc::new(Examples::of(asked, material, metric, statistics)?);
            if !probe::has_passed_over() {
                study.examples = Some(examples.clone());
            }
            Ok(examples)
        };
        let busy = || Err(HttpRefusal::absent("another request works on the table"));
        self.with(asked, material, metric, find).unwrap_or_else(busy)
    }

    /// Works on a table, one request at a time; none if another one does so and this one asks in haste.
    fn with<T>(
        &self,
        asked: &AskedTables,
        material: &Material,
        metric: Metric,
        work: impl FnOnce(&mut Study) -> T,
    ) -> Option<T> {
        let key = (material.clone(), metric);
        let file = asked.holding().files(metric).main_path(&material.name(asked.variant()));
        let written = std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok();
        let study = {
            let mut studies = self.0.lock();
            if studies.len() >= MAX_STUDIES && !studies.contains_key(&key) {
                studies.clear();
            }
            studies.entry(key).or_default().clone()
        };
        let mut study = match study.try_lock() {
            Some(study) => study,
            None if !probe::may_solve() => return None,
            None => study.lock(),
        };
        if study.written != written {
            *study = Study { written, ..Study::default() };
        }
        Some(work(&mut study))
    }
}

/// The most positions of a kind.
const LIMIT: usize = 12;

/// The most placements of a table that is read for this; all of four men of chess have fewer.
const MAX_PLACEMENTS: u64 = 30_000_000;

/// The positions that take longest, of one kind.
///
/// A table in memory is searched; one that is too large for that shows what was found when it was made.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct LongestJson {
    /// `w` or `b`.
    stm: &'static str,
    /// 1 for wins of the side to move, −1 for losses.
    wdl: i8,
    plies: u16,
    /// How many there are modulo symmetry, like men being distinguishable.
    positions: u64,
    fens: Vec<String>,
}

/// What is worth looking at in a table.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct Examples {
    longest: Vec<LongestJson>,
    zugzwangs: Vec<Zugzwang>,
    /// How many zugzwangs there are modulo symmetry.
    n_zugzwangs: u64,
    /// Whether the table was searched; otherwise there is one position of a kind and a few zugzwangs.
    searched: bool,
}

/// The table in memory, if it is small enough.
fn table(
    asked: &AskedTables,
    material: &Material,
    metric: Metric,
) -> Result<Option<Arc<Table>>, HttpRefusal> {
    let (variant, name) = (asked.variant(), material.name(asked.variant()));
    if material.n_men() > MAX_MEN || Size::new(variant, material).n_placements() > MAX_PLACEMENTS {
        return Ok(None);
    }
    let files = asked.holding().files(metric);
    if !files.are_there(&name) {
        return Ok(asked.table(material, metric));
    }
    // A file may have left out a side to move.
    let n_sides = material.sides_to_move(variant).len();
    let n_kept = files.kept_sides(&name).map_err(LibraryError::from)?.len();
    match n_kept >= n_sides {
        true => Ok(Some(Arc::new(files.read(&name).map_err(LibraryError::from)?))),
        false => Ok(None),
    }
}

impl Examples {
    /// The examples of a table whose statistics are known.
    ///
    /// # Errors
    /// The file is damaged.
    pub(crate) fn of(
        asked: &AskedTables,
        material: &Material,
        metric: Metric,
        statistics: &Statistics,
    ) -> Result<Self, HttpRefusal> {
        Ok(match table(asked, material, metric)? {
            Some(table) => Examples::searched(asked.variant(), metric, &table, statistics),
            None => Examples::of_statistics(statistics),
        })
    }

    fn searched(variant: &Variant, metric: Metric, table: &Table, statistics: &Statistics) -> Self {
        let longest = LongestPositions::of(variant, metric, table, LIMIT);
        let (_, zugzwangs) = Zugzwangs::list(variant, table, LIMIT);
        Examples {
            longest: longest.into_iter().map(LongestJson::from).collect(),
            zugzwangs: zugzwangs.examples,
            n_zugzwangs: statistics.zugzwangs.total().orbits,
            searched: true,
        }
    }

    fn of_statistics(statistics: &Statistics) -> Self {
        let of_side = |side: Side| {
            let counted = statistics.side(side);
            let kinds = [(1, &counted.longest_win), (-1, &counted.longest_loss)];
            kinds.into_iter().filter_map(move |(wdl, longest)| {
                let longest = longest.as_ref()?;
                let (plies, positions, fens) = (longest.ply, longest.count.orbits, vec![longest.fen.clone()]);
                Some(LongestJson { stm: letter(side), wdl, plies, positions, fens })
            })
        };
        Examples {
            longest: Side::BOTH.into_iter().flat_map(of_side).collect(),
            zugzwangs: statistics.zugzwangs.examples.clone(),
            n_zugzwangs: statistics.zugzwangs.total().orbits,
            searched: false,
        }
    }
}

impl From<LongestPositions> for LongestJson {
    fn from(longest: LongestPositions) -> Self {
        let wdl = if longest.is_win { 1 } else { -1 };
        let LongestPositions { side, plies, fens, n_counted: positions, .. } = longest;
        LongestJson { stm: letter(side), wdl, plies, positions, fens }
    }
}

const fn letter(side: Side) -> &'static str {
    match side {
        Side::White => "w",
        Side::Black => "b",
    }
}
