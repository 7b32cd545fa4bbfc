//! Lists the tables of a folder with what their files say of themselves.

use format::{FormatError, Summary, parse_file_name};
use library::{LibraryError, exchange_files, table_files};
use probe::{ExchangeFile, ExchangeKind};
use serde::Serialize;
use stats::{Longest, Statistics};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;
use variant::{Material, Side, Variant};

/// A table as the list of tables shows it.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct Listed {
    /// Its name, such as `KQvKR`.
    pub(crate) table: String,
    pub(crate) metric: String,
    /// `tsm`, `flat` or `syzygy`.
    pub(crate) format: &'static str,
    pub(crate) men: usize,
    pub(crate) size_bytes: u64,
    /// Legal positions modulo symmetry, both sides to move; null if nobody has counted.
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

/// The tables of a folder, read again when the folder has changed.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    known: RwLock<Option<(SystemTime, Arc<Vec<Listed>>)>>,
}

impl Listing {
    /// The tables, by men and name.
    pub(crate) fn tables(&self, folder: &Path, variant: &Variant) -> Result<Arc<Vec<Listed>>, LibraryError> {
        let changed = std::fs::metadata(folder).and_then(|metadata| metadata.modified()).ok();
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let (Some(changed), Some((then, tables))) = (changed, known)
            && changed == then
        {
            return Ok(tables);
        }
        let (tables, is_whole) = read(folder, variant)?;
        let tables = Arc::new(tables);
        // What the system has refused it may allow the next time.
        if let Some(changed) = changed.filter(|_| is_whole) {
            *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some((changed, tables.clone()));
        }
        Ok(tables)
    }
}

/// The tables, and whether the system has let all their files be read.
fn read(folder: &Path, variant: &Variant) -> Result<(Vec<Listed>, bool), LibraryError> {
    let (mut tables, mut is_whole) = (Vec::new(), true);
    for file in table_files(folder)? {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some((material, Ok(metric))) = parse_file_name(name, variant.default_metric) else { continue };
        // Tables of another game may lie beside these. A damaged one is listed without its counts.
        let Ok(material) = Material::parse(variant, material) else { continue };
        let summary = Summary::read(&file);
        is_whole &= !matches!(summary, Err(FormatError::Io { .. }));
        let summary = summary.ok();
        if summary.as_ref().is_some_and(|summary| summary.metadata.variant != variant.name) {
            continue;
        }
        let size_bytes = summary.as_ref().map_or_else(|| size_of(&file), |summary| summary.size_bytes);
        let statistics = summary.and_then(|summary| serde_json::from_value(summary.metadata.statistics).ok());
        tables.push(Listed::new(variant, &material, metric.name(), "tsm", size_bytes, statistics));
    }
    for file in exchange_files(folder)? {
        let Ok(exchange) = ExchangeFile::new(&file, variant) else { continue };
        // What answers nothing is not listed.
        if exchange.has_results_only() {
            continue;
        }
        let format = if exchange.kind() == ExchangeKind::Flat { "flat" } else { "syzygy" };
        let (metric, size_bytes) = (exchange.metric().name(), size_of(&file));
        let table = Listed::new(variant, exchange.material(), metric, format, size_bytes, None);
        // With pawns a flat table has many files.
        let same = |other: &&mut Listed| {
            other.format == "flat" && (&other.table, &other.metric) == (&table.table, &table.metric)
        };
        match tables.iter_mut().rev().find(same).filter(|_| format == "flat") {
            Some(other) => other.size_bytes += size_bytes,
            None => tables.push(table),
        }
    }
    tables.sort_by(|a, b| {
        let key = |table: &Listed| (table.men, table.table.clone(), table.metric.clone(), table.format);
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
        metric: &str,
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
            metric: metric.into(),
            format,
            men: material.n_men(),
            size_bytes,
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
