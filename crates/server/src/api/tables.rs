//! Lists the tables of a game, shows what was counted in one of them, and draws positions at random.

use crate::desk::{Queue, Waiting, Written};
use crate::game::{Examples, Game, Listed};
use crate::refusal::HttpRefusal;
use crate::state::{QueryParameters, Shared};
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use index::Layout;
use position::Position;
use probe::{ProbeError, Tablebase, metrics_in_order};
use serde::{Deserialize, Serialize};
use stats::chart::{Bars, Panel, Series};
use stats::{PlyCount, SideStatistics, Statistics};
use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;
use table::{Ply, Value};
use variant::{Material, Metric, Side};

/// How wide charts are, unless a caller asks.
const CHART_WIDTH: u16 = 900;

const CHART_WIDTHS: RangeInclusive<u16> = Bars::LEAST_WIDTH..=2000;

/// The tables of a game, and its endings with many men.
#[derive(Serialize)]
pub(super) struct Tables {
    game: String,
    tables: Vec<Listed>,
    structures: Vec<ListedStructure>,
}

/// A file of a structure.
#[derive(Serialize)]
struct ListedStructure {
    file: String,
    metric: &'static str,
    /// Whether its values are exact; else they are bounds.
    exact: bool,
    /// The positions that were asked for, as FENs, at most [`MOST_POSITIONS`].
    positions: Vec<String>,
}

/// How many positions of a structure are listed.
const MOST_POSITIONS: usize = 20;

/// Which of the tables of a material is meant.
#[derive(Deserialize)]
pub(super) struct MetricQuery {
    metric: Option<String>,
    /// `log` for the logarithm of numbers of positions.
    scale: Option<String>,
    /// How wide a picture is.
    width: Option<u16>,
}

/// A table with what was counted in it.
#[derive(Serialize)]
pub(super) struct TableJson {
    game: String,
    table: String,
    metric: Metric,
    /// The files of the table, of all metrics.
    files: Vec<Listed>,
    /// Whether the table was solved because a caller asked.
    solved: bool,
    statistics: Statistics,
}

pub(super) async fn all(State(server): Shared, Path(game): Path<String>) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let work = move || {
        let structures = game.tables.structures().into_iter().map(|structure| ListedStructure {
            file: structure.path().file_name().unwrap_or_default().display().to_string(),
            metric: structure.metric().name(),
            exact: structure.is_exact(),
            positions: structure
                .roots()
                .iter()
                .take(MOST_POSITIONS)
                .map(|own| own.to_fen(game.book()))
                .collect(),
        });
        let (structures, name) = (structures.collect(), game.variant().name.clone());
        Ok(Tables { game: name, tables: game.listed()?.to_vec(), structures })
    };
    server.desk.answer(Queue::Counting, move |_| work()).await
}

pub(super) async fn one(
    State(server): Shared,
    Path((game, table)): Path<(String, String)>,
    QueryParameters(which): QueryParameters<MetricQuery>,
) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let metric = Game::metric(which.metric.as_deref())?;
    server.desk.answer(Queue::Counting, move |_| TableJson::new(&game, &table, metric)).await
}

pub(super) async fn chart(
    State(server): Shared,
    Path((game, table)): Path<(String, String)>,
    QueryParameters(which): QueryParameters<MetricQuery>,
) -> Result<Response, HttpRefusal> {
    let game = server.game(&game)?;
    let metric = Game::metric(which.metric.as_deref())?;
    let is_log = match which.scale.as_deref() {
        None | Some("" | "linear") => false,
        Some("log") => true,
        Some(other) => {
            return Err(HttpRefusal::bad(format!("there is no scale `{other}`; there are linear and log")));
        }
    };
    let width = which.width.unwrap_or(CHART_WIDTH);
    if !CHART_WIDTHS.contains(&width) {
        let (least, most) = (CHART_WIDTHS.start(), CHART_WIDTHS.end());
        return Err(HttpRefusal::bad(format!("a chart is {least} to {most} wide, not {width}")));
    }
    let work = move || {
        let table = TableJson::new(&game, &table, metric)?;
        by_ply(&table.statistics, is_log, width).map_err(HttpRefusal::absent)
    };
    let svg = server.desk.run(Queue::Counting, move |_| work()).await?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

/// What is worth looking at in a table.
#[derive(Serialize)]
pub(super) struct ExamplesJson {
    table: String,
    metric: Metric,
    #[serde(flatten)]
    examples: Examples,
}

pub(super) async fn examples(
    State(server): Shared,
    Path((game, table)): Path<(String, String)>,
    QueryParameters(which): QueryParameters<MetricQuery>,
) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let metric = Game::metric(which.metric.as_deref())?;
    let work = move || {
        let TableJson { table, metric, statistics, .. } = TableJson::new(&game, &table, metric)?;
        let material = game.material(&table, Some(metric))?;
        let examples = game.studies.examples(&game.tables, &material, metric, &statistics)?;
        Ok(ExamplesJson { table, metric, examples: (*examples).clone() })
    };
    server.desk.answer(Queue::Counting, move |_| work()).await
}

impl TableJson {
    fn new(game: &Game, name: &str, metric: Option<Metric>) -> Result<Self, HttpRefusal> {
        let material = game.material(name, metric)?;
        let variant = game.variant();
        let name = material.name(variant);
        let files: Vec<Listed> =
            game.listed()?.iter().filter(|listed| listed.table == name).cloned().collect();
        let is_counted = |listed: &&Listed| {
            listed.statistics.is_some() && metric.is_none_or(|metric| metric == listed.metric)
        };
        // The metrics that tell most come first; `wdl` counts no distances.
        let place = |listed: &&Listed| {
            let place = metrics_in_order(variant).position(|metric| metric == listed.metric);
            place.unwrap_or(usize::MAX)
        };
        let counted = files.iter().filter(is_counted).min_by_key(place);
        let counted = counted.and_then(|listed| Some((listed.metric, listed.statistics.clone()?)));
        let solved = counted.is_none();
        let wanted = metric.unwrap_or(variant.default_metric);
        let solve = || Some((wanted, game.studies.statistics(&game.tables, &material, wanted)?));
        let (metric, statistics) = counted.or_else(solve).ok_or_else(|| {
            HttpRefusal::absent(format!(
                "the table {name} ({wanted}) is not here, or nobody has counted in it"
            ))
        })?;
        let (game, statistics) = (variant.name.clone(), (*statistics).clone());
        Ok(TableJson { game, table: name, metric, files, solved, statistics })
    }
}

/// The chart of a table, or a sentence that says why there is none.
pub(crate) fn by_ply(statistics: &Statistics, is_logarithmic: bool, width: u16) -> Result<String, String> {
    let panels = Side::BOTH.map(|stm| Panel {
        title: format!("{} {}: {stm} to move", statistics.material, statistics.metric),
        series: series(statistics.side(stm)),
    });
    if panels.iter().flat_map(|panel| &panel.series).all(|series| series.points.is_empty()) {
        return Err(format!(
            "nobody wins in {} ({}), or no distances are counted",
            statistics.material, statistics.metric
        ));
    }
    Ok(Bars { panels: panels.into(), is_logarithmic, width }.svg())
}

/// Wins and losses.
fn series(side: &SideStatistics) -> Vec<Series> {
    let series = |name: &str, plies: &[PlyCount]| {
        let points = plies.iter().filter(|at| !at.count.is_zero()).map(|at| (at.ply, at.count.orbits));
        Series { name: name.into(), points: points.collect() }
    };
    vec![series("wins", &side.wins_by_ply), series("losses", &side.losses_by_ply)]
}

/// How many placements are drawn before they are looked at in order.
const N_DRAWN: usize = 20_000;

/// How many are looked at in order: all of a table of four men without pawns.
const N_IN_ORDER: usize = 4_000_000;

/// After this many steps a search looks whether a process waits for it still.
const STRETCH: usize = 256;

/// What the position is to be like.
#[derive(Deserialize)]
pub(super) struct RandomQuery {
    metric: Option<String>,
    /// `w` or `b`.
    stm: Option<String>,
    /// 1, 0 or −1 for the side to move.
    wdl: Option<i8>,
    /// Exactly this many plies.
    plies: Option<u16>,
    /// Each number draws one position.
    seed: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct Drawn {
    fen: String,
    metric: &'static str,
    wdl: Option<i8>,
    /// Plies under the metric; null for a draw, and under `wdl`.
    plies: Option<u16>,
    /// The number that draws this position again.
    seed: u64,
}

pub(super) async fn random(
    State(server): Shared,
    Path((game, table)): Path<(String, String)>,
    QueryParameters(like): QueryParameters<RandomQuery>,
) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let metric = Game::metric(like.metric.as_deref())?;
    let stm = match like.stm.as_deref() {
        None | Some("") => None,
        Some("w") => Some(Side::White),
        Some("b") => Some(Side::Black),
        Some(_) => return Err(HttpRefusal::bad("`stm` is neither `w` nor `b`")),
    };
    if like.wdl.is_some_and(|wdl| !(-1..=1).contains(&wdl)) {
        return Err(HttpRefusal::bad("`wdl` is none of -1, 0 and 1"));
    }
    let seed = like.seed.unwrap_or_else(|| RandomState::new().hash_one(0u8) >> 11);
    let search = Search { stm, wdl: like.wdl, plies: like.plies, seed };
    server.desk.answer(Queue::Counting, move |waiting| search.run(&game, &table, metric, waiting)).await
}

#[derive(Clone, Copy)]
struct Search {
    stm: Option<Side>,
    wdl: Option<i8>,
    plies: Option<u16>,
    seed: u64,
}

impl Search {
    fn run(
        self,
        game: &Game,
        table: &str,
        metric: Option<Metric>,
        waiting: &Waiting,
    ) -> Result<Drawn, HttpRefusal> {
        let material = game.material(table, metric)?;
        let variant = game.variant();
        if material.n_men() > index::MAX_MEN {
            return Err(HttpRefusal::absent(format!("tables have at most {} men", index::MAX_MEN)));
        }
        let layout = Layout::new(variant, &material);
        let first = self.first_legal(game, &layout, waiting);
        waiting.check()?;
        let Some(first) = first else {
            return Err(HttpRefusal::absent("the table has no position"));
        };
        let answered = game.tables.with_tables(&first, metric, |tables| {
            let found = self.find(game, tables, &layout, waiting)?;
            let found = found.map(|(position, value)| (position.to_fen(game.book()), value));
            Ok((found, tables.scale().metric()))
        });
        // A search that was broken off has no answer.
        waiting.check()?;
        let name = |material: &Material| material.name(variant);
        let (found, metric) = answered.map_err(|error| match error {
            ProbeError::Missing(_) => {
                HttpRefusal::absent(format!("the table {} is not here", name(&material)))
            }
            error => error.into(),
        })?;
        let (fen, value) = found.ok_or_else(|| {
            HttpRefusal::absent(format!("no such position was found in {}", name(&material)))
        })?;
        let plies = value.ply().map(|Ply(plies)| plies).filter(|_| metric != Metric::Wdl);
        Ok(Drawn { fen, metric: metric.name(), wdl: value.wdl(), plies, seed: self.seed })
    }

    fn first_legal(&self, game: &Game, layout: &Layout, waiting: &Waiting) -> Option<Position> {
        let tries = (0..layout.len()).take(N_IN_ORDER).take_while(|index| goes_on(*index, waiting));
        tries
            .filter_map(|index| at(layout, index, Side::White))
            .find(|position| position.is_legal(game.book()))
    }

    /// Draws placements; then, for what is rare, looks at those behind the last one drawn in order.
    fn find(
        &self,
        game: &Game,
        tables: &Tablebase,
        layout: &Layout,
        waiting: &Waiting,
    ) -> Result<Option<(Position, Value)>, ProbeError> {
        let mut dice = Dice(self.seed);
        for _ in (0..N_DRAWN).take_while(|step| goes_on(*step, waiting)) {
            let index = dice.below(layout.len());
            let stm = self.stm.unwrap_or(Side::BOTH[dice.below(2)]);
            if let Some(found) = self.fitting(game, tables, at(layout, index, stm))? {
                return Ok(Some(found));
            }
        }
        if self.wdl.is_none() && self.plies.is_none() {
            return Ok(None);
        }
        let start = dice.below(layout.len());
        let sides = self.stm.map_or(Side::BOTH.to_vec(), |stm| vec![stm]);
        let steps = 0..layout.len().min(N_IN_ORDER);
        for step in steps.take_while(|step| goes_on(*step, waiting)) {
            let index = (start + step) % layout.len();
            for &stm in &sides {
                if let Some(found) = self.fitting(game, tables, at(layout, index, stm))? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    fn fitting(
        &self,
        game: &Game,
        tables: &Tablebase,
        position: Option<Position>,
    ) -> Result<Option<(Position, Value)>, ProbeError> {
        let Some(position) = position.filter(|position| position.is_legal(game.book())) else {
            return Ok(None);
        };
        let value = tables.value(&position)?;
        let fits = value != Value::Illegal
            && self.wdl.is_none_or(|wdl| value.wdl() == Some(wdl))
            && self.plies.is_none_or(|plies| value.ply() == Some(Ply(plies)));
        Ok(fits.then_some((position, value)))
    }
}

/// Whether a search goes on with this step; every this many it looks whether a process waits for it still.
fn goes_on(step: usize, waiting: &Waiting) -> bool {
    !step.is_multiple_of(STRETCH) || !waiting.is_over()
}

/// The position of a number.
fn at(layout: &Layout, index: usize, stm: Side) -> Option<Position> {
    let squares = layout.decode(index);
    let men = layout.men().iter().copied().zip(squares.iter().copied());
    Position::of_material(layout.material(), men, stm)
}

/// A generator of numbers: SplitMix64, whose quality is enough to draw examples.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}
