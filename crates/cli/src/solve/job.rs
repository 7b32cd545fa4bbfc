//! Runs the job of a cluster: one table from those that are there, and what became of it beside the tables.

use crate::args::SolveArgs;
use crate::cluster::{JobRun, check_template, fetch, store};
use crate::console::Console;
use crate::planning::Planning;
use crate::{Answer, Failure, Outcome, structure};
use library::TableFiles;

/// Lets `solve` make the one table that is asked for; its inputs are fetched before, and its files delivered
/// afterwards.
pub(super) fn run<'a>(
    console: &mut Console<'a>,
    args: &SolveArgs,
    solve: impl FnOnce(&mut Console<'a>) -> Result<(Answer, Vec<Vec<String>>), Failure>,
) -> Outcome {
    let [table] = &args.wanted.table[..] else {
        return Err(Failure::new("--job makes one table; name it with --table"));
    };
    let game = structure::game(args.variant.as_deref())?;
    let name = game.material(table)?.name(&game.variant);
    let run = JobRun::new(&name);
    let folder = game.tables(args.out.as_deref());
    let editions = game.editions(&args.metric);
    let files = || editions.iter().map(|edition| TableFiles::new(edition.clone(), &folder));
    let fetched = args.fetch.as_ref().map_or(Ok(()), |template| {
        check_template("--fetch", template)?;
        std::fs::create_dir_all(&folder).map_err(Failure::new)?;
        let plan = game.plan(&game.request(&args.wanted)?, &mut Planning::new(false))?;
        files().try_for_each(|files| fetch(&files, &plan, template))
    });
    let outcome = fetched.and_then(|()| solve(console));
    for (at, files) in files().enumerate() {
        match &outcome {
            Ok((_, made)) => run.succeeded(&files, made.get(at).is_some_and(|made| made.contains(&name)))?,
            Err(failure) => run.failed(&files, failure),
        }
    }
    let (answer, _) = outcome?;
    if let Some(template) = &args.store {
        check_template("--store", template)?;
        files().try_for_each(|files| store(&files, &name, template))?;
    }
    Ok(answer)
}
