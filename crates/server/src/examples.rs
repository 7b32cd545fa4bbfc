//! Collects what is worth looking at in a table: its longest wins and losses, its mutual zugzwangs.
//!
//! A table in memory is searched; one that is too large for that shows what was found when it was made.

use crate::refusal::HttpRefusal;
use index::{MAX_MEN, Size};
use library::{AskedTables, Folder, LibraryError};
use serde::Serialize;
use stats::{LongestPositions, Statistics, Zugzwang, Zugzwangs};
use std::path::Path;
use std::sync::Arc;
use table::Table;
use variant::{Material, Metric, Side, Variant};

/// The most positions of a kind.
const LIMIT: usize = 12;

/// The most placements of a table that is read for this; all of four men of chess have fewer.
const MAX_PLACEMENTS: u64 = 30_000_000;

/// The positions that take longest, of one kind.
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
    folder: Option<&Path>,
    material: &Material,
    metric: Metric,
) -> Result<Option<Arc<Table>>, HttpRefusal> {
    let (variant, name) = (asked.variant(), material.name(asked.variant()));
    if material.n_men() > MAX_MEN || Size::new(variant, material).n_placements() > MAX_PLACEMENTS {
        return Ok(None);
    }
    let files = folder.map(|folder| Folder::new(folder, variant.clone()).files(metric));
    let Some(files) = files.filter(|files| files.are_there(&name)) else {
        return Ok(asked.table(material, metric));
    };
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
        folder: Option<&Path>,
        material: &Material,
        metric: Metric,
        statistics: &Statistics,
    ) -> Result<Self, HttpRefusal> {
        Ok(match table(asked, folder, material, metric)? {
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
