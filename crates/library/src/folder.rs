//! Lists the tables in folders by the names of their files, opens them, and reads the statistics that they
//! carry.

use crate::{Edition, LibraryError, TableFiles};
use format::{Column, EXTENSION, Summary, columns_of, folder_of, parse_file_name};
use probe::{ExchangeFile, ProbeError, Tablebases};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use stats::{Count, Longest, Mean, SideStatistics, Statistics};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use variant::{Material, Metric, Side, Variant};

/// A game and the folders of its tables. A column, or a file of another kind, is taken from the first folder
/// that has it.
#[derive(Clone, Debug)]
pub struct Holding {
    /// The rules.
    pub variant: Variant,
    /// Where its tables are, or will be; empty if none has been built.
    pub folders: Vec<PathBuf>,
}

impl Holding {
    /// The canonical materials of which the folders together have all columns of an edition.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn materials(&self, edition: &Edition) -> Result<BTreeSet<Material>, LibraryError> {
        let mut found: BTreeMap<Material, BTreeSet<Column>> = BTreeMap::new();
        for TableColumn { material, column, .. } in columns_in(&self.folders, &self.variant)? {
            found.entry(material).or_default().insert(column);
        }
        let has_all = |columns: &BTreeSet<Column>| {
            edition.metrics().iter().all(|&metric| columns.contains(&metric.into()))
        };
        Ok(found.into_iter().filter(|(_, columns)| has_all(columns)).map(|(material, _)| material).collect())
    }

    /// The files of the tables under a metric.
    #[must_use]
    pub fn files(&self, metric: Metric) -> TableFiles {
        TableFiles::in_folders(Edition::new(&self.variant, metric), self.folders.clone())
    }

    /// Opens the folders to be asked for positions under any metric, with a cache of this many bytes of
    /// decompressed blocks.
    ///
    /// # Errors
    /// One of the folders is not there.
    pub fn tablebases(&self, cache_bytes: usize) -> Result<Tablebases, ProbeError> {
        Tablebases::open_with(&self.folders, &self.variant, cache_bytes)
    }
}

/// A column of a table's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableColumn {
    /// The file.
    pub path: PathBuf,
    /// What it is of, by its name.
    pub material: Material,
    /// Which of its columns.
    pub column: Column,
}

/// Lists the columns of a table's file. One that cannot be read is listed with the game's own metric: a
/// reader of that learns what is wrong.
#[must_use]
pub(crate) fn listed_columns(path: &Path, own: Metric) -> Vec<Column> {
    columns_of(path).unwrap_or_else(|_| vec![own.into()])
}

/// Lists the columns of the file of a material that tables of it can have: with the colours as they are, if
/// tables have them so, and otherwise those of `help`. There are none if no table has this name.
#[must_use]
pub fn columns_of_table(path: &Path, material: &Material, variant: &Variant) -> Vec<Column> {
    let is_own = material.is_canonical(variant);
    let is_table = |column: &Column| is_own || column.metric == Metric::Help;
    listed_columns(path, variant.default_metric).into_iter().filter(is_table).collect()
}

/// Lists the columns of the tables of a game in some folders, each from the first folder that has it, by
/// folder, name and column. A file of another name is no table, and none of ours to complain of.
///
/// # Errors
/// A folder cannot be read.
pub fn columns_in(folders: &[PathBuf], variant: &Variant) -> Result<Vec<TableColumn>, LibraryError> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    for folder in folders {
        for path in table_files(folder)? {
            let material = path.file_name().and_then(|name| parse_file_name(name.to_str()?));
            let material = material.and_then(|name| Material::parse(variant, name).ok());
            let Some(material) = material.filter(|own| own.n_men() <= index::MAX_MEN) else { continue };
            for column in columns_of_table(&path, &material, variant) {
                if seen.insert((material.clone(), column)) {
                    all.push(TableColumn { path: path.clone(), material: material.clone(), column });
                }
            }
        }
    }
    Ok(all)
}

/// The table files of a folder, sorted by name.
///
/// # Errors
/// The folder cannot be read.
pub fn table_files(folder: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    files_in(folder, |file| file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(EXTENSION)))
}

/// The files that some folders have of a kind, those of the first folder first. One that has the name of a
/// file before it is never read, and is left out.
///
/// # Errors
/// A folder cannot be read.
pub fn files_of(
    folders: &[PathBuf],
    of_one: impl Fn(&Path) -> Result<Vec<PathBuf>, LibraryError>,
) -> Result<Vec<PathBuf>, LibraryError> {
    let mut names = BTreeSet::new();
    let all = folders.iter().map(|folder| of_one(folder)).collect::<Result<Vec<_>, _>>()?.concat();
    Ok(all.into_iter().filter(|file| names.insert(file.file_name().map(ToOwned::to_owned))).collect())
}

/// The name that a file is to have which has that of this table in other letters: names are exact, because
/// the letter between the sides may be that of a piece. None if it has another name, or the right one.
#[must_use]
pub fn misnamed(file: &Path, material: &str) -> Option<String> {
    let (name, others) = file.file_name()?.to_str()?.split_once('.')?;
    let proper = format!("{material}.{}", others.to_ascii_lowercase());
    let is_so = name.eq_ignore_ascii_case(material) && *file.file_name()? != *proper;
    is_so.then_some(proper)
}

/// The file that stands for a missing one under a name in other letters.
#[must_use]
pub fn misnamed_for(missing: &Path) -> Option<PathBuf> {
    let name = missing.file_name()?;
    let is_it = |file: &Path| file.file_name().is_some_and(|own| own.eq_ignore_ascii_case(name));
    files_in(folder_of(missing), is_it).ok()?.into_iter().find(|file| file.file_name() != Some(name))
}

/// The flat and Syzygy files of a folder, sorted by name.
///
/// # Errors
/// The folder cannot be read.
pub fn exchange_files(folder: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    files_in(folder, |file| ExchangeFile::kind_of(file).is_some())
}

/// The files of a folder that are meant, sorted by name.
///
/// # Errors
/// The folder cannot be read.
pub fn files_in(folder: &Path, is_meant: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, LibraryError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(LibraryError::io("read", folder))? {
        let file = entry.map_err(LibraryError::io("read", folder))?.path();
        if is_meant(&file) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The names of the variants whose tables a folder has, as far as its files can be read.
///
/// # Errors
/// The folder cannot be read.
pub fn variant_names_in(folder: &Path) -> Result<BTreeSet<String>, LibraryError> {
    let summaries = table_files(folder)?.into_iter().filter_map(|file| Summary::all(&file).ok());
    Ok(summaries.flatten().map(|summary| summary.metadata.variant).collect())
}

/// A column of a table file and the statistics in it.
#[derive(Clone, Debug)]
pub struct TableFigures {
    /// The file.
    pub path: PathBuf,
    /// What its index says.
    pub summary: Summary,
    /// What was counted when it was made.
    pub statistics: Statistics,
}

impl TableFigures {
    /// Reads what a file says of a column.
    ///
    /// # Errors
    /// It is no table file, or has no such column or no statistics that this version can read.
    pub fn read(path: &Path, column: impl Into<Column>) -> Result<Self, LibraryError> {
        TableFigures::new(path, Summary::read(path, column)?)
    }

    /// Reads what a file says of all its columns, but for those of positions with rights to castle, which
    /// carry no statistics.
    ///
    /// # Errors
    /// As [`TableFigures::read`].
    pub fn all(path: &Path) -> Result<Vec<Self>, LibraryError> {
        let of_table = Summary::all(path)?.into_iter().filter(|summary| !summary.column.has_rights);
        of_table.map(|summary| TableFigures::new(path, summary)).collect()
    }

    /// Reads the statistics in what a file says of a column.
    ///
    /// # Errors
    /// There are none that this version can read.
    pub fn new(path: &Path, summary: Summary) -> Result<Self, LibraryError> {
        let statistics = serde_json::from_value(summary.metadata.statistics.clone());
        let statistics = statistics.map_err(|error| LibraryError::NoStatistics {
            path: path.to_path_buf(),
            error: error.to_string(),
        })?;
        Ok(TableFigures { path: path.to_path_buf(), summary, statistics })
    }

    /// Reads all table files of a folder, in the order of their metrics, their numbers of men, and their
    /// names; and says what is wrong with files that cannot be read, or are named in other letters than
    /// tables.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn of_folder(folder: &Path) -> Result<(Vec<Self>, Vec<LibraryError>), LibraryError> {
        let (mut all, mut faults) = (Vec::new(), Vec::new());
        for file in table_files(folder)? {
            let figures = match TableFigures::all(&file) {
                Ok(figures) => figures,
                Err(error) => {
                    faults.push(error);
                    continue;
                }
            };
            match figures.first().and_then(|first| misnamed(&file, &first.summary.material)) {
                None => all.extend(figures),
                Some(name) => faults.push(LibraryError::Misnamed { path: file, name }),
            }
        }
        let metric = |figures: &TableFigures| figures.summary.column.metric;
        let n_men = |figures: &TableFigures| figures.statistics.material.len();
        all.sort_by(|a, b| {
            (metric(a), n_men(a), &a.statistics.material).cmp(&(metric(b), n_men(b), &b.statistics.material))
        });
        Ok((all, faults))
    }

    /// The names of all columns, in order. Those that end in `_board` count positions on the whole board,
    /// the others count modulo symmetry, like men being distinguishable both times; percentages and means
    /// are of the whole board.
    #[must_use]
    pub fn columns() -> Vec<String> {
        let of_sides =
            ["wtm", "btm"].into_iter().flat_map(|stm| SIDE.iter().map(move |c| format!("{stm}_{}", c.0)));
        let [head, tail] = [&HEAD[..], &TAIL[..]].map(|columns| columns.iter().map(|c| c.0.to_owned()));
        head.chain(of_sides).chain(tail).collect()
    }

    /// What stands in each column; nothing where there is no such figure.
    #[must_use]
    pub fn cells(&self) -> Vec<Option<String>> {
        let of_side = |stm| SIDE.iter().map(move |column| (column.1)(self.statistics.side(stm)));
        let [head, tail] =
            [&HEAD[..], &TAIL[..]].map(|columns| columns.iter().map(|column| (column.1)(self)));
        head.chain(Side::BOTH.into_iter().flat_map(of_side)).chain(tail).collect()
    }

    /// The column, as people read it: `dtm`, or `dtm with White's wins alone`.
    #[must_use]
    pub fn column_text(&self) -> String {
        self.summary.column.to_string()
    }

    /// The columns of [`TableFigures::plies`].
    pub const PLY_COLUMNS: [&str; 7] =
        ["table", "metric", "to_move", "result", "plies", "positions", "positions_board"];

    /// A row for each side to move, result and number of plies.
    #[must_use]
    pub fn plies(&self) -> Vec<[String; 7]> {
        let mut rows = Vec::new();
        for stm in Side::BOTH {
            let side = self.statistics.side(stm);
            for (result, plies) in [("win", &side.wins_by_ply), ("loss", &side.losses_by_ply)] {
                rows.extend(plies.iter().map(|at| {
                    let to_move = stm.to_string().to_lowercase();
                    let Count { orbits, unreduced } = at.count;
                    let (table, metric) = (self.statistics.material.clone(), self.column_text());
                    let numbers = [at.ply.to_string(), orbits.to_string(), unreduced.to_string()];
                    let [ply, orbits, unreduced] = numbers;
                    [table, metric, to_move, result.into(), ply, orbits, unreduced]
                }));
            }
        }
        rows
    }
}

impl Serialize for TableFigures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let TableFigures { path, summary, statistics } = self;
        let means = [("white", Side::White), ("black", Side::Black)].map(|(to_move, stm)| {
            let side = statistics.side(stm);
            let [win, slow_win] = [side.mean_win(), side.mean_slow_win()];
            let [loss, slow_loss] = [side.mean_loss(), side.mean_slow_loss()];
            Means { to_move, win, slow_win, loss, slow_loss }
        });
        let mut fields = serializer.serialize_struct("TableFigures", 7)?;
        fields.serialize_field("file", &path.display().to_string())?;
        fields.serialize_field("variant", &summary.metadata.variant)?;
        fields.serialize_field("bytes", &summary.size_bytes)?;
        fields.serialize_field("content", &summary.table_content().to_string())?;
        fields.serialize_field("rules", &summary.rules_hash.to_string())?;
        fields.serialize_field("means", &means)?;
        fields.serialize_field("statistics", statistics)?;
        fields.end()
    }
}

/// The mean plies of a side to move.
#[derive(Serialize)]
struct Means {
    to_move: &'static str,
    win: Option<Mean>,
    slow_win: Option<Mean>,
    loss: Option<Mean>,
    slow_loss: Option<Mean>,
}

/// The share of a side's positions that some of them are.
fn percent(side: &SideStatistics, part: Count) -> Option<String> {
    Mean::percent(part.unreduced, side.legal().unreduced).map(|mean| mean.to_string())
}

fn plies(longest: Option<&Longest>) -> Option<String> {
    longest.map(|longest| longest.ply.to_string())
}

fn mean(mean: Option<Mean>) -> Option<String> {
    mean.map(|mean| mean.to_string())
}

fn orbits(count: Count) -> Option<String> {
    Some(count.orbits.to_string())
}

fn board(count: Count) -> Option<String> {
    Some(count.unreduced.to_string())
}

type Figure<T> = (&'static str, fn(&T) -> Option<String>);

/// Columns about the table.
const HEAD: [Figure<TableFigures>; 3] = [
    ("table", |t| Some(t.statistics.material.clone())),
    ("metric", |t| Some(t.column_text())),
    ("variant", |t| Some(t.summary.metadata.variant.clone())),
];

/// Columns that there are for either side to move, their names behind `wtm_` and `btm_`.
const SIDE: [Figure<SideStatistics>; 21] = [
    ("positions", |side| orbits(side.legal())),
    ("wins", |side| orbits(side.wins)),
    ("draws", |side| orbits(side.draws)),
    ("losses", |side| orbits(side.losses)),
    ("cursed_wins", |side| orbits(side.beyond_rule.as_ref()?.cursed_wins)),
    ("blessed_losses", |side| orbits(side.beyond_rule.as_ref()?.blessed_losses)),
    ("stalemates", |side| orbits(side.stalemates)),
    ("mates", |side| orbits(side.mates)),
    ("win_percent", |side| percent(side, side.wins)),
    ("draw_percent", |side| percent(side, side.draws)),
    ("loss_percent", |side| percent(side, side.losses)),
    ("longest_win", |side| plies(side.longest_win.as_ref())),
    ("longest_loss", |side| plies(side.longest_loss.as_ref())),
    ("mean_win", |side| mean(side.mean_win())),
    ("mean_slow_win", |side| mean(side.mean_slow_win())),
    ("mean_loss", |side| mean(side.mean_loss())),
    ("mean_slow_loss", |side| mean(side.mean_slow_loss())),
    ("positions_board", |side| board(side.legal())),
    ("wins_board", |side| board(side.wins)),
    ("draws_board", |side| board(side.draws)),
    ("losses_board", |side| board(side.losses)),
];

/// Columns behind those of the sides.
const TAIL: [Figure<TableFigures>; 8] = [
    ("zugzwangs", |t| orbits(t.statistics.zugzwangs.total())),
    ("zugzwangs_white_wins_or_draw", |t| orbits(t.statistics.zugzwangs.white_wins_or_draw)),
    ("zugzwangs_black_wins_or_draw", |t| orbits(t.statistics.zugzwangs.black_wins_or_draw)),
    ("zugzwangs_full_point", |t| orbits(t.statistics.zugzwangs.full_point)),
    ("placements", |t| Some(t.summary.placements.to_string())),
    ("bytes", |t| Some(t.summary.size_bytes.to_string())),
    ("content", |t| Some(t.summary.table_content().to_string())),
    ("rules", |t| Some(t.summary.rules_hash.to_string())),
];
