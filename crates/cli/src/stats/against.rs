//! `stats --against`: compares two tables of the same men under different rules.

use crate::args::StatsArgs;
use crate::console::Console;
use crate::export::failure;
use crate::game::Game;
use crate::grid::{Align, Grid};
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::plan::{Plan, Request};
use ::stats::{Contrast, Standing};
use format::Summary;
use library::figure::{count, plural};
use library::{Edition, LibraryError, LoadRequest, TableFiles, for_each_loaded};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use table::Table;
use variant::{Metric, Side};

/// A table with both sides to move, and its rules.
pub(crate) struct WholeTable {
    pub(crate) game: Game,
    pub(crate) metric: Metric,
    pub(crate) table: Arc<Table>,
}

pub(super) fn run(console: &mut Console<'_>, args: &StatsArgs, other: &Path) -> Outcome {
    let (pool, program) = (pool(None)?, console.program.name);
    let load = |path: &Path, variant: Option<&Path>| pool.install(|| read_table(path, variant, program));
    let first = load(&args.file, args.variant.as_deref())?;
    let second = load(other, None)?;
    if first.metric != second.metric {
        return Err(Failure::new(format!(
            "{} holds {} and {} holds {}; tables of one metric are compared",
            args.file.display(),
            first.metric,
            other.display(),
            second.metric
        )));
    }
    let [a, b] = [&first, &second].map(|own| (&own.game.variant, &*own.table));
    let contrast = pool.install(|| Contrast::new(a, b)).map_err(|error| {
        Failure::new(format!("{} and {} cannot be compared: {error}", args.file.display(), other.display()))
    })?;
    let name = first.table.layout().name();
    let [own, theirs] = [&first, &second].map(|compared| compared.game.variant.name.as_str());
    writeln!(
        console.out,
        "{name} {}: rows by {own}, columns by {theirs}; positions modulo symmetry and the exchange of like men",
        first.metric
    )?;
    for stm in Side::BOTH {
        let side = contrast.side(stm);
        let titles = Standing::ALL.map(|standing| format!("{theirs}: {}", standing.text()));
        let head = format!("{stm} to move");
        let mut columns = vec![(head.as_str(), Align::Left)];
        columns.extend(titles.iter().map(|title| (title.as_str(), Align::Right)));
        let mut grid = Grid::new(&columns);
        for before in Standing::ALL {
            let counts = Standing::ALL.map(|after| match (before, after) {
                // No position in either: nothing to count.
                (Standing::Illegal, Standing::Illegal) => String::new(),
                _ => count(side.count(before, after)),
            });
            let row = std::iter::once(format!("{own}: {}", before.text())).chain(counts);
            grid.push(row.collect());
        }
        write!(console.out, "{}", grid.text())?;
        let same = plural(side.n_other_plies, "position");
        writeln!(console.out, "{same} with the same result and another number of plies")?;
        for change in &side.examples {
            writeln!(
                console.out,
                "  {}: {} by {own}, {} by {theirs}",
                change.fen, change.before, change.after
            )?;
        }
    }
    Ok(Answer::Yes)
}

/// Reads a table with both sides to move.
pub(crate) fn read_table(path: &Path, variant: Option<&Path>, program: &str) -> Result<WholeTable, Failure> {
    let summary = Summary::read(path).map_err(Failure::new)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let game = Game::find_beside(variant, &summary.metadata.variant, folder)?;
    let metric: Metric = summary.metric.parse().map_err(Failure::new)?;
    let material = game.material(&summary.material)?;
    let plan = Plan::new(&game.variant, &Request::Table(material.clone())).map_err(Failure::new)?;
    let files = [TableFiles::new(Edition::new(&game.variant, metric), folder)];
    let wanted = BTreeSet::from([material]);
    let request = LoadRequest {
        files: &files,
        plan: &plan,
        wanted: &wanted,
        sides: &Side::BOTH,
        with_successors: false,
    };
    let mut found = None;
    for_each_loaded::<LibraryError>(request, &mut |_| {}, &mut |mut loaded| {
        found = loaded.tables.pop();
        Ok(ControlFlow::Break(()))
    })
    .map_err(|error| failure(error, &game, folder, program))?;
    let table = found.ok_or_else(|| Failure::new(format!("{} holds no table", path.display())))?;
    Ok(WholeTable { game, metric, table })
}
