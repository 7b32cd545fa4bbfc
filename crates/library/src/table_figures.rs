//! Reads the statistics that table files carry, and puts them into columns.

use crate::LibraryError;
use crate::folder::{misnamed, table_files};
use format::Summary;
use stats::{Count, Longest, Mean, SideStatistics, Statistics};
use std::path::{Path, PathBuf};
use variant::{Metric, Side};

/// A table file and the statistics in it.
#[derive(Clone, Debug)]
pub struct TableFigures {
    /// The file.
    pub path: PathBuf,
    /// What its head says.
    pub summary: Summary,
    /// What was counted when it was made.
    pub statistics: Statistics,
}

impl TableFigures {
    /// Reads the head of a file.
    ///
    /// # Errors
    /// It is no table file, or has no statistics that this version can read.
    pub fn read(path: &Path) -> Result<Self, LibraryError> {
        let summary = Summary::read(path)?;
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
            match TableFigures::read(&file) {
                Ok(figures) => match misnamed(&file, &figures.summary.material) {
                    None => all.push(figures),
                    Some(name) => faults.push(LibraryError::Misnamed { path: file, name }),
                },
                Err(error) => faults.push(error),
            }
        }
        let metric = |figures: &TableFigures| figures.summary.metric.parse::<Metric>().ok();
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
                    let (table, metric) = (self.statistics.material.clone(), self.statistics.metric.clone());
                    let numbers = [at.ply.to_string(), orbits.to_string(), unreduced.to_string()];
                    let [ply, orbits, unreduced] = numbers;
                    [table, metric, to_move, result.into(), ply, orbits, unreduced]
                }));
            }
        }
        rows
    }
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

type Column<T> = (&'static str, fn(&T) -> Option<String>);

/// Columns about the table.
const HEAD: [Column<TableFigures>; 3] = [
    ("table", |t| Some(t.statistics.material.clone())),
    ("metric", |t| Some(t.statistics.metric.clone())),
    ("variant", |t| Some(t.summary.metadata.variant.clone())),
];

/// Columns that there are for either side to move, their names behind `wtm_` and `btm_`.
const SIDE: [Column<SideStatistics>; 21] = [
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
const TAIL: [Column<TableFigures>; 8] = [
    ("zugzwangs", |t| orbits(t.statistics.zugzwangs.total())),
    ("zugzwangs_white_wins_or_draw", |t| orbits(t.statistics.zugzwangs.white_wins_or_draw)),
    ("zugzwangs_black_wins_or_draw", |t| orbits(t.statistics.zugzwangs.black_wins_or_draw)),
    ("zugzwangs_full_point", |t| orbits(t.statistics.zugzwangs.full_point)),
    ("placements", |t| Some(t.summary.placements.to_string())),
    ("bytes", |t| Some(t.summary.size_bytes.to_string())),
    ("content", |t| Some(t.summary.table_content().to_string())),
    ("rules", |t| Some(t.summary.rules_hash.to_string())),
];
