//! Lists the tables of a game, and shows what was counted in one of them.

use super::extractor::QueryParameters;
use crate::chart;
use crate::desk::{Queue, Written};
use crate::examples::Examples;
use crate::game::Game;
use crate::listing::Listed;
use crate::refusal::HttpRefusal;
use crate::state::Shared;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use stats::Statistics;
use stats::chart::Bars;
use std::ops::RangeInclusive;
use variant::Metric;

/// How wide charts are, unless somebody asks.
const CHART_WIDTH: u16 = 900;

const CHART_WIDTHS: RangeInclusive<u16> = Bars::LEAST_WIDTH..=2000;

/// The tables of a game.
#[derive(Serialize)]
pub(super) struct Tables {
    game: String,
    tables: Vec<Listed>,
}

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
    metric: &'static str,
    /// The files of the table, of all metrics.
    files: Vec<Listed>,
    /// Whether the table was solved because somebody asked.
    solved: bool,
    statistics: Statistics,
}

pub(super) async fn all(State(server): Shared, Path(game): Path<String>) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let work = move || Ok(Tables { game: game.variant().name.clone(), tables: game.listed()?.to_vec() });
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
        chart::by_ply(&table.statistics, is_log, width).map_err(HttpRefusal::absent)
    };
    let svg = server.desk.run(Queue::Counting, move |_| work()).await?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

/// What is worth looking at in a table.
#[derive(Serialize)]
pub(super) struct ExamplesJson {
    table: String,
    metric: &'static str,
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
        let (material, own) = (game.material(&table)?, Game::metric(Some(metric))?);
        let own = own.unwrap_or(game.variant().default_metric);
        let examples = game.studies.examples(&game.tables, game.folder(), &material, own, &statistics)?;
        Ok(ExamplesJson { table, metric, examples: (*examples).clone() })
    };
    server.desk.answer(Queue::Counting, move |_| work()).await
}

impl TableJson {
    fn new(game: &Game, name: &str, metric: Option<Metric>) -> Result<Self, HttpRefusal> {
        let material = game.material(name)?;
        let variant = game.variant();
        let name = material.name(variant);
        let files: Vec<Listed> =
            game.listed()?.iter().filter(|listed| listed.table == name).cloned().collect();
        let is_meant = |listed: &&Listed| match metric {
            Some(metric) => listed.metric == metric.name(),
            None => true,
        };
        // The metrics that tell most come first; `wdl` counts no distances.
        let known = || {
            let mut known: Vec<&Listed> =
                files.iter().filter(is_meant).filter(|listed| listed.statistics.is_some()).collect();
            let order = [variant.default_metric, Metric::Dtm, Metric::Dtz50, Metric::Dtz, Metric::Dtc];
            known.sort_by_key(|listed| {
                order.iter().position(|metric| metric.name() == listed.metric).unwrap_or(order.len())
            });
            known
                .first()
                .and_then(|listed| Some((listed.metric.parse().ok()?, listed.statistics.as_deref()?.clone())))
        };
        let game_name = variant.name.clone();
        if let Some((metric, statistics)) = known() {
            let metric = Metric::name(metric);
            return Ok(TableJson { game: game_name, table: name, metric, files, solved: false, statistics });
        }
        let wanted = metric.unwrap_or(variant.default_metric);
        let statistics = game.studies.statistics(&game.tables, game.folder(), &material, wanted);
        let statistics = statistics.map(|counted| (*counted).clone()).ok_or_else(|| {
            HttpRefusal::absent(format!(
                "the table {name} ({wanted}) is not here, or nobody has counted in it"
            ))
        })?;
        let metric = wanted.name();
        Ok(TableJson { game: game_name, table: name, metric, files, solved: true, statistics })
    }
}
