//! `find`: prints the positions of tables that satisfy conditions.

mod run;
mod structures;

use crate::choice::Choice;
use crate::export::{edition_of, materials_of};
use crate::remedy::{own_or_first, solve_for};
use crate::{Answer, Console, Failure, Game, Loading, Outcome, Report, Steps, Thing, pool};
use ::find::{Query, words};
use library::{Holding, TableFiles};
pub(crate) use run::FindArgs;
use run::Run;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use variant::Metric;

/// How much memory decompressed blocks may take when moves are written.
const CACHE_BYTES: usize = 256 << 20;

pub(crate) fn run(console: &mut Console<'_>, args: &FindArgs) -> Outcome {
    if args.words {
        return print_words(console);
    }
    let files: Vec<&Path> = args.material.iter().map(Path::new).collect();
    if files.iter().any(|path| Thing::at(path) == Thing::Structure) {
        return structures::run(console, args, &files);
    }
    let (game, folders) = Game::asked(console, args.variant.as_deref(), &args.tables)?;
    let metric = args.metric.unwrap_or(game.variant.default_metric);
    let text = args.condition.as_deref().unwrap_or_default();
    let query = Query::parse(&game.variant, metric, text)?;
    let game = game.for_metrics(query.metrics())?;
    if let Some(folder) = folders.iter().find(|folder| !folder.is_dir()) {
        let solve = solve_for(console.program.name, &game, None, query.metrics(), folder);
        return Err(Failure::new(format!("there is no folder {}: {solve}", folder.display())));
    }
    let holding = Holding { variant: game.variant.clone(), folders };
    let folders = &*holding.folders;
    let files = |&metric: &Metric| Ok(holding.files(edition_of(&game, folders, metric)?.metric()));
    let files = query.metrics().iter().map(files).collect::<Outcome<Vec<TableFiles>>>()?;
    let there = files.iter().map(|files| materials_of(&game, files.edition(), folders));
    let there = there.reduce(|all, own| Ok(&all? & &own?)).transpose()?.unwrap_or_default();
    let metrics: Vec<Metric> = files.iter().flat_map(|files| files.edition().metrics().to_vec()).collect();
    let choice = Choice { game: &game, folders, metrics: &metrics, asked: &args.material, men: args.men };
    let wanted = choice.among(&there, console.program.name)?;
    if let Some(absent) = wanted.difference(&there).next() {
        return Err(choice.missing(Some(absent), console.program.name));
    }
    let tables = holding.tablebases(CACHE_BYTES)?;
    let how = Loading {
        sides: &query.sides(),
        one_will_do: query.is_content_with_one_side(),
        with_successors: query.uses_moves() && !query.is_content_with_one_side(),
    };
    let folder = tables.of(files[0].edition().metric());
    let mut run = Run::new(console, args, &game, &query, folder)?;
    let (pool, mut begin) = (pool(args.threads)?, Instant::now());
    let steps = Steps { game: &game, folder: own_or_first(folders), pool: &pool };
    steps.load(console, &files, &wanted, how, |loaded, job, out| {
        let is_enough = run.search(loaded, job, out, begin)?;
        begin = Instant::now();
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    pool.install(|| run.finish(console))
}

/// The words of the language as they stand in docs/find.md.
fn print_words(console: &mut Console<'_>) -> Outcome {
    let mut report = Report::new("word | looks at | meaning");
    for word in words() {
        let forms: Vec<String> = word.forms.split(", ").map(|form| format!("`{}`", form.trim())).collect();
        report.row([forms.join(", ").as_str(), word.cost, word.meaning]);
    }
    write!(console.out, "{}", report.markdown())?;
    Ok(Answer::Yes)
}
