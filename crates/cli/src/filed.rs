//! Loads the table of a `.tsm` file whole, with both sides to move, whatever the file keeps.
//!
//! Most files keep one side to move, so a table may be solved again from those that its moves lead to. That
//! takes seconds where looking up each position takes an hour.

use crate::Failure;
use crate::console::Console;
use crate::find::Stop;
use crate::game::Game;
use crate::progress::{JobWatch, Watch};
use ::plan::{JobId, Plan, Request};
use format::Summary;
use library::{Edition, LoadRequest, LoadedTables, TableFiles, for_each_loaded};
use rayon::ThreadPool;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use table::Table;
use variant::{Material, Metric, Side};

/// A table file with the rules that it was made by.
pub(crate) struct FiledTable {
    pub(crate) game: Game,
    pub(crate) metric: Metric,
    material: Material,
    files: TableFiles,
}

impl FiledTable {
    /// Reads what a file says of itself, and the rules: the given ones, those of its game, or those beside
    /// it.
    pub(crate) fn open(path: &Path, variant: Option<&Path>) -> Result<Self, Failure> {
        let summary = Summary::read(path).map_err(Failure::new)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let game = Game::find_beside(variant, &summary.metadata.variant, folder)?;
        let metric = summary.metric.parse().map_err(Failure::new)?;
        let material = game.material(&summary.material)?;
        let files = TableFiles::new(Edition::new(&game.variant, metric), folder);
        Ok(FiledTable { game, metric, material, files })
    }

    /// Loads the table.
    pub(crate) fn read(&self, console: &mut Console<'_>, pool: &ThreadPool) -> Result<Arc<Table>, Failure> {
        Ok(self.load(console, pool, false)?.tables.remove(0))
    }

    /// Loads the table, with those that its moves lead to if they are wanted.
    pub(crate) fn load(
        &self,
        console: &mut Console<'_>,
        pool: &ThreadPool,
        with_successors: bool,
    ) -> Result<LoadedTables, Failure> {
        let FiledTable { game, material, files, .. } = self;
        let plan = Plan::new(&game.variant, &Request::Table(material.clone())).map_err(Failure::new)?;
        let wanted = BTreeSet::from([material.clone()]);
        let files = std::slice::from_ref(files);
        let request = LoadRequest {
            files,
            plan: &plan,
            wanted: &wanted,
            sides: &Side::BOTH,
            one_will_do: false,
            with_successors,
        };
        let watch = Watch::new(console.is_watched, &mut *console.err);
        let (mut watching, mut found) = (None, None);
        let n_values = |&place: &JobId| plan.job(place).n_values();
        let mut loading = |places: &[JobId], number: usize| {
            if number == 0 && places.len() > 1 {
                watch.start(places.len(), places.iter().map(n_values).sum());
            }
            watching.take().into_iter().for_each(JobWatch::finish_silently);
            let place = places[number];
            watching = Some(watch.begin(&plan.job(place).name, n_values(&place)));
        };
        let mut visit = |loaded| -> Result<ControlFlow<()>, Stop> {
            found = Some(loaded);
            Ok(ControlFlow::Break(()))
        };
        let done = pool.install(|| for_each_loaded(request, &mut loading, &mut visit));
        watching.into_iter().for_each(JobWatch::finish_silently);
        watch.close();
        let name = material.name(&game.variant);
        done.map_err(|stop| stop.failure(game, files[0].folder(), console.program.name))?;
        found.ok_or_else(|| Failure::new(format!("{} has no table of {name}", files[0].folder().display())))
    }
}
