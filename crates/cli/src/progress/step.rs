//! Follows work that goes through tables one after the other: bars, and a text about each table.

use super::{JobWatch, Planning, Watch};
use crate::remedy::{metric_names, solve_for};
use crate::{Console, Failure, Game, Out, Outcome};
use ::plan::{Job, JobId, Request};
use build::TableStep;
use library::{LoadRequest, LoadedTables, TableFiles, for_each_loaded};
use rayon::ThreadPool;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};
use variant::{Material, Side};

/// What is loaded of tables; see [`LoadRequest`].
pub(crate) struct Loading<'a> {
    pub(crate) sides: &'a [Side],
    pub(crate) one_will_do: bool,
    pub(crate) with_successors: bool,
}

impl Loading<'_> {
    /// Both sides to move, and what the moves lead to or not.
    pub(crate) fn whole(with_successors: bool) -> Self {
        Loading { sides: &Side::BOTH, one_will_do: false, with_successors }
    }
}

/// The game and the folder of the tables, and the threads that work on them.
#[derive(Clone, Copy)]
pub(crate) struct Steps<'a> {
    pub(crate) game: &'a Game,
    pub(crate) folder: &'a Path,
    pub(crate) pool: &'a ThreadPool,
}

impl Steps<'_> {
    /// Shows the steps of an export or a comparison; `text` makes the lines about a table that is done.
    /// Returns how long all of it took.
    pub(crate) fn run<T>(
        &self,
        console: &mut Console<'_>,
        mut text: impl FnMut(&Job, T, Duration) -> String + Send,
        work: impl FnOnce(&mut dyn FnMut(TableStep<'_, T>) -> Outcome<()>) -> Outcome<()> + Send,
    ) -> Outcome<Duration> {
        let watch = Watch::new(console.is_watched, &mut *console.err);
        let (out, begin) = (&mut *console.out, Instant::now());
        let show = || {
            let mut table = None;
            work(&mut |step: TableStep<'_, T>| {
                match step {
                    TableStep::Planned { n_tables, n_values } => watch.start(n_tables, n_values),
                    TableStep::Begun(job) => table = Some(watch.begin(&job.name, job.n_values())),
                    TableStep::Passed(_) => table.take().into_iter().for_each(JobWatch::finish_silently),
                    TableStep::Done(job, done, time) => {
                        watch.print(out, &text(job, done, time))?;
                        table.take().into_iter().for_each(JobWatch::finish_silently);
                    }
                }
                Ok(())
            })
        };
        let done = watch.during(|| self.pool.install(show));
        drop(watch);
        done.map_err(|failure| self.failure(failure, console))?;
        Ok(begin.elapsed())
    }

    /// Loads tables of these files and hands them out, each with its bar and with the output.
    pub(crate) fn load(
        &self,
        console: &mut Console<'_>,
        files: &[TableFiles],
        wanted: &BTreeSet<Material>,
        how: Loading<'_>,
        mut visit: impl FnMut(LoadedTables, &JobWatch<'_, '_>, Out<'_>) -> Outcome<ControlFlow<()>> + Send,
    ) -> Outcome<()> {
        let request = Request::Tables(wanted.iter().cloned().collect());
        let plan = &self.game.plan(&request, &mut Planning::new(console.is_watched))?;
        let Loading { sides, one_will_do, with_successors } = how;
        let request = LoadRequest { files, plan, wanted, sides, one_will_do, with_successors };
        let watch = Watch::new(console.is_watched, &mut *console.err);
        let (out, mut is_begun) = (&mut *console.out, false);
        let load = || {
            let watching = RefCell::new(None);
            let n_values = |&place: &JobId| plan.job(place).n_values();
            // A table may be there only because others are solved again from it, and counts like them.
            let loading = &mut |places: &[JobId], number: usize| {
                if !std::mem::replace(&mut is_begun, true) {
                    watch.start(places.len(), places.iter().map(n_values).sum());
                }
                let place = places[number];
                let next = watch.begin(&plan.job(place).name, n_values(&place));
                watching.replace(Some(next)).into_iter().for_each(JobWatch::finish_silently);
            };
            let visit = &mut |loaded: LoadedTables| {
                let job = watching.take();
                let job = job.unwrap_or_else(|| watch.begin(loaded.tables[0].layout().name(), 1));
                let flow = visit(loaded, &job, out);
                job.finish_silently();
                flow
            };
            for_each_loaded(request, loading, visit)
        };
        let done = watch.during(|| self.pool.install(load));
        drop(watch);
        done.map_err(|failure| self.failure(failure, console))
    }

    /// The failure; a table that is not there comes with the command that builds it.
    fn failure(&self, failure: Failure, console: &Console<'_>) -> Failure {
        not_built(failure, self.game, self.folder, console.program.name)
    }
}

/// A failure to get a table; one that is not there comes with the command that builds it.
pub(crate) fn not_built(failure: Failure, game: &Game, folder: &Path, program: &str) -> Failure {
    let Failure::NotBuilt { message, material, metrics } = failure else { return failure };
    let solve = solve_for(program, game, Some(&material), &metrics, folder);
    Failure::plain(format!("{message}: columns of the {} are needed; {solve}", metric_names(&metrics)))
}

#[cfg(test)]
mod tests {
    use super::not_built;
    use crate::game::Game;
    use library::LibraryError;
    use std::path::Path;
    use variant::{Metric, Variant};

    #[test]
    fn a_table_that_is_not_built_comes_with_the_command_that_builds_it() {
        let game = Game { variant: Variant::chess(), path: "fide.toml".into(), text: None };
        let (path, material, metrics) = ("no/KQvK.tsm".into(), "KQvK".to_owned(), vec![Metric::Dtm]);
        let error = LibraryError::NotBuilt { path, has_others: false, material, metrics };
        let failure = not_built(error.into(), &game, Path::new("no"), "tablesmith");
        assert_eq!(
            failure.to_string(),
            "error: no/KQvK.tsm is not there: columns of the metric dtm are needed; \
             run `tablesmith solve fide.toml --table KQvK --metric dtm --out no`"
        );
    }
}
