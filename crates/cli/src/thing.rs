//! Says what a path names and opens it: no command looks at the ending of a name by itself.
//!
//! A table is read whole, with both sides to move, whatever its file keeps. Most `.tsm` files keep one side
//! to move, so a table may be solved again from those that its moves lead to. That takes seconds where
//! looking up each position takes an hour.

use crate::{Console, DEFAULT_VARIANT, Failure, Game, Loading, Outcome, Steps, Watch, plural};
use ::probe::{ExchangeFile, ExchangeKind, MissingTable, ProbeError};
use ::rights::{RightsFile, RightsTable};
use ::structure::SolvedStructure;
use format::{Column, Summary, folder_of};
use library::{Edition, ExchangeTables, LibraryError, LoadedTables, TableFiles};
use rayon::ThreadPool;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use table::Table;
use variant::{Material, Metric};

/// What a path names, by its ending; nothing of it has been read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Thing {
    /// Any number of the others.
    Folder,
    /// A `.tsm`; also a file of any other ending.
    Table,
    Structure,
    /// The answers to one question, a bit a position.
    Bits,
    /// A flat or a Syzygy file.
    Exchange,
}

impl Thing {
    pub(crate) fn at(path: &Path) -> Self {
        match path.extension().and_then(OsStr::to_str) {
            _ if path.is_dir() => Thing::Folder,
            Some(::structure::EXTENSION) => Thing::Structure,
            Some(::export::bits::EXTENSION) => Thing::Bits,
            _ if ExchangeFile::kind_of(path).is_some() => Thing::Exchange,
            _ => Thing::Table,
        }
    }

    /// The game that a file says it is of; none if such files do not say.
    pub(crate) fn named_game(self, path: &Path) -> Outcome<Option<String>> {
        let name = match self {
            Thing::Table => game_of(&Summary::all(path)?),
            Thing::Structure => SolvedStructure::variant_of(path)?,
            Thing::Folder | Thing::Bits | Thing::Exchange => return Ok(None),
        };
        Ok(Some(name).filter(|name| !name.is_empty()))
    }

    /// The game with the given rules, or that which a file or the files of its folder are of.
    pub(crate) fn game(self, path: &Path, given: Option<&Path>) -> Outcome<Game> {
        match self {
            Thing::Folder => Game::of_folders(given, &[path.into()]),
            Thing::Exchange => Game::of_exchange(given, path),
            Thing::Bits if path.is_file() => Game::of_folders(given, &[folder_of(path).into()]),
            Thing::Bits => Err(Failure::new(format!("there is no file {}", path.display()))),
            _ => game_named(self.named_game(path)?.as_deref(), path, given),
        }
    }

    /// Says what a path names which has no table of all values, and which commands take it.
    fn is_no_table(self, path: &Path) -> Failure {
        let what = match self {
            Thing::Folder => "is a folder; name a table in it",
            Thing::Structure => "has a structure; `stats`, `verify` and `probe` take it",
            Thing::Bits => "has the answers to one question; `verify` and `probe --bits` take it",
            Thing::Table | Thing::Exchange => "has a table",
        };
        Failure::new(format!("{} {what}", path.display()))
    }
}

/// The game of a file: with the given rules, or with those of this name, which may lie beside the file.
/// Chess if the file names none.
pub(crate) fn game_named(name: Option<&str>, file: &Path, given: Option<&Path>) -> Outcome<Game> {
    let name = name.filter(|name| !name.is_empty()).unwrap_or(DEFAULT_VARIANT);
    Game::find(given, name, &[folder_of(file).into()])
}

/// The name of the game that the columns of a file say they are of; empty if they do not say.
fn game_of(columns: &[Summary]) -> String {
    columns.first().map(|first| first.metadata.variant.clone()).unwrap_or_default()
}

/// The column of a table's file that is meant, with the rules that it was made by.
pub(crate) struct MeantColumn {
    pub(crate) game: Game,
    pub(crate) summary: Summary,
}

impl MeantColumn {
    /// Reads what a file says of its columns, and chooses one: of the metric that is asked for, or of the
    /// game's own, or the only one that says more than who wins. The wins of both sides go before those of
    /// one. With `has_rights` it is one of the positions with rights to castle.
    pub(crate) fn of(
        path: &Path,
        variant: Option<&Path>,
        metric: Option<Metric>,
        has_rights: bool,
    ) -> Outcome<Self> {
        let mut columns = Summary::all(path)?;
        // Games that share tables may differ in their castling.
        let is_of_kind = |own: &&Summary| own.column.has_rights == has_rights;
        let named = columns.iter().find(is_of_kind).or(columns.first());
        let game = game_named(named.map(|own| own.metadata.variant.as_str()), path, variant)?;
        let mut all: Vec<Column> = columns.iter().filter(is_of_kind).map(|own| own.column).collect();
        // The wins of both sides go before those of one.
        if all.iter().any(|own| own.winner.is_none()) {
            all.retain(|own| own.winner.is_none());
        }
        let of = |metric: Metric| all.iter().find(|own| own.metric == metric);
        let tells_more: Vec<&Column> = all.iter().filter(|own| own.metric != Metric::Wdl).collect();
        let column = match (metric, tells_more[..].first()) {
            (Some(metric), _) => of(metric),
            (None, Some(first)) => {
                let is_one = tells_more.iter().all(|own| own.metric == first.metric);
                of(game.variant.default_metric).or(Some(*first).filter(|_| is_one))
            }
            (None, None) => all.first(),
        };
        let Some(&column) = column else {
            let names: Vec<String> = columns.iter().map(|own| own.column.to_string()).collect();
            let (shown, names) = (path.display(), names.join(", "));
            let kind = if has_rights { "castling rights" } else { "table" };
            let column = |metric: Metric| Column { has_rights, ..metric.into() }.to_string();
            return Err(Failure::new(match metric.map(column) {
                Some(column) => format!("{shown} has no {column}, it has {names}"),
                None if all.is_empty() => format!("{shown} has no {kind}, it has {names}"),
                None => format!("{shown} has {names}; choose one with --metric"),
            }));
        };
        columns.retain(|own| own.column == column);
        Ok(MeantColumn { game, summary: columns.remove(0) })
    }
}

/// The values of a table, with both sides to move.
pub(crate) struct WholeTable {
    pub(crate) game: Game,
    pub(crate) metric: Metric,
    pub(crate) table: Arc<Table>,
}

impl WholeTable {
    /// Reads a column of a `.tsm` file, as [`MeantColumn::of`] chooses it, or the table that a flat or a
    /// Syzygy file belongs to.
    pub(crate) fn read(
        console: &mut Console<'_>,
        pool: &ThreadPool,
        path: &Path,
        variant: Option<&Path>,
        metric: Option<Metric>,
    ) -> Outcome<Self> {
        match Thing::at(path) {
            Thing::Table => {
                let filed = FiledTable::open(path, variant, metric)?;
                let table = filed.load(console, pool, false)?.tables.remove(0);
                Ok(WholeTable { game: filed.game, metric: filed.metric, table })
            }
            Thing::Exchange => WholeTable::read_exchange(console, pool, path, variant),
            thing => Err(thing.is_no_table(path)),
        }
    }

    /// Reads the table of a file, with the other files that it takes, all in the same folder. Says on
    /// standard error which these are, and whether distances are rounded.
    fn read_exchange(
        console: &mut Console<'_>,
        pool: &ThreadPool,
        path: &Path,
        variant: Option<&Path>,
    ) -> Outcome<Self> {
        let game = Thing::Exchange.game(path, variant)?;
        let shown = path.display();
        let no_table = |error| format!("{shown} is no table of {}: {error}", game.variant.name);
        let file = ExchangeFile::new(path, &game.variant).map_err(|error| Failure::new(no_table(error)))?;
        if file.has_results_only() {
            let why = "has the results under the n-move rule alone; its distances are in a .tbl or a .tsm";
            return Err(Failure::new(format!("{shown} {why}")));
        }
        let checked = file.check(&game.variant)?;
        let (name, metric) = (file.material().name(&game.variant), file.metric());
        let n_files = file.n_files(&game.variant) as u64;
        if n_files > 1 {
            let all = plural(n_files, "file");
            console.tell(&format!("{shown} is one of the {all} of {name}; the figures are those of all"))?;
        }
        if !checked.counts_plies {
            console.tell(&format!("{shown} counts moves: a distance may be a ply short"))?;
        }
        let tables = ExchangeTables::open(&game.variant, &file)?;
        let watch = Watch::new(console.is_watched, &mut *console.err);
        watch.start(1, 1);
        let watching = watch.begin(&name, 1);
        let progress = |done, total| watching.show(done as u64, total as u64);
        let table = watch.during(|| pool.install(|| tables.read(file.material(), &progress)));
        watching.finish_silently();
        drop(watch);
        let table = table.map_err(|error| match error {
            LibraryError::Probe(ProbeError::Missing(missing)) => {
                let what = missing_text(file.kind(), &missing);
                Failure::new(format!("{shown} is not enough: {what}, and captures and pawn moves lead there"))
            }
            error => error.into(),
        })?;
        Ok(WholeTable { game, metric, table: Arc::new(table) })
    }
}

/// Says what is missing. A Syzygy table is two files, so none of them is named.
pub(crate) fn missing_text(kind: ExchangeKind, missing: &MissingTable) -> String {
    match kind {
        ExchangeKind::Flat => missing.to_string(),
        ExchangeKind::Syzygy => format!("files of {} are not here", missing.material),
    }
}

/// A column of a `.tsm` file with the rules that it was made by.
pub(crate) struct FiledTable {
    pub(crate) game: Game,
    pub(crate) metric: Metric,
    material: Material,
    files: TableFiles,
}

impl FiledTable {
    /// Reads what a file says of a column, as [`MeantColumn::of`] chooses it, and the rules: the given ones,
    /// those of its game, or those beside it.
    pub(crate) fn open(path: &Path, variant: Option<&Path>, metric: Option<Metric>) -> Outcome<Self> {
        let MeantColumn { game, summary } = MeantColumn::of(path, variant, metric, false)?;
        let column = summary.column;
        if column.winner.is_some() {
            let what = "has one side's wins alone; `stats`, `verify` and `probe` take it";
            return Err(Failure::new(format!("{} {what}", path.display())));
        }
        let metric = column.metric;
        let game = game.for_metrics(&[metric])?;
        let material = game.material(&summary.material)?;
        let files = TableFiles::new(Edition::new(&game.variant, metric), folder_of(path));
        Ok(FiledTable { game, metric, material, files })
    }

    /// Loads the table, with those that its moves lead to if they are wanted.
    pub(crate) fn load(
        &self,
        console: &mut Console<'_>,
        pool: &ThreadPool,
        with_successors: bool,
    ) -> Outcome<LoadedTables> {
        let FiledTable { game, material, files, .. } = self;
        let (wanted, own) = (BTreeSet::from([material.clone()]), std::slice::from_ref(files));
        let mut found = None;
        let steps = Steps { game, folder: files.folder(), pool };
        steps.load(console, own, &wanted, Loading::whole(with_successors), |loaded, _, _| {
            found = Some(loaded);
            Ok(ControlFlow::Break(()))
        })?;
        let (folder, name) = (files.folder().display(), material.name(&game.variant));
        found.ok_or_else(|| Failure::new(format!("{folder} has no table of {name}")))
    }
}

/// The positions with castling rights of a `.tsm` file, with the rules that they were made by.
pub(crate) struct FiledRights {
    pub(crate) game: Game,
    pub(crate) summary: Summary,
    /// One for each choice of rights.
    pub(crate) tables: Vec<Arc<RightsTable>>,
}

impl FiledRights {
    /// Reads the column of a metric, as [`MeantColumn::of`] chooses it.
    pub(crate) fn open(path: &Path, variant: Option<&Path>, metric: Option<Metric>) -> Outcome<Self> {
        let MeantColumn { game, summary } = MeantColumn::of(path, variant, metric, true)?;
        let material = game.material(&summary.material)?;
        let file = RightsFile::open(path, &game.variant, &material, summary.column.metric)?;
        let tables = file.tables()?;
        Ok(FiledRights { game, summary, tables })
    }
}
