//! `export --format bits`: writes the answers to one question, a bit a position, see [`format::bits`].

use super::failure::failure;
use super::flat::wanted;
use super::folder::edition_of;
use crate::args::ExportArgs;
use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome};
use ::plan::{Plan, Request};
use format::Summary;
use format::bits::{file_name, write};
use library::figure::{bytes, count, plural, seconds};
use library::{FolderLock, PlannedTables, TableFiles};
use std::time::Instant;
use variant::Material;

pub(super) fn run(console: &mut Console<'_>, args: &ExportArgs) -> Outcome {
    if args.gz || args.wide || args.rounded || args.fen {
        return Err(Failure::new("--gz, --wide, --rounded and --fen are for other formats"));
    }
    let Some(question) = args.question else {
        return Err(Failure::new(
            "--format bits answers a question: --question \"white wins\", \"black wins within 99\" or \"draw\"",
        ));
    };
    let game = Game::of_folder(args.variant.as_deref(), &args.tables)?;
    game.tell_tables(console, &args.table)?;
    let metric = args.metric.unwrap_or(game.variant.default_metric);
    question.check_metric(metric).map_err(Failure::new)?;
    let edition = edition_of(&game, &args.tables, metric)?;
    let wanted = wanted(&game, &edition, args, console.program.name)?;
    let lock = FolderLock::new(&args.out)?;
    lock.check_writable()?;
    let pool = pool(args.threads)?;
    let n_men = wanted.iter().map(Material::n_men).max().unwrap_or(2);
    let plan = Plan::new(&game.variant, &Request::UpTo(n_men)).map_err(Failure::new)?;
    let files = TableFiles::new(edition, &args.tables);
    let mut tables = PlannedTables::new(&files, &plan, &wanted)?;
    let places = tables.places();
    let watch = Watch::new(console.is_watched, &mut *console.err);
    watch.start(places.len(), tables.n_values());
    let (begin, mut n_files, mut n_bytes) = (Instant::now(), 0, 0);
    for place in places {
        let job = plan.job(place);
        let (begin, watching) = (Instant::now(), watch.begin(&job.name, job.n_values()));
        let table = pool.install(|| tables.get(place));
        let table = table.map_err(|error| failure(error, &game, &args.tables, console.program.name))?;
        let Some(table) = table else {
            watching.finish_silently();
            continue;
        };
        let name = file_name(&job.name, metric, game.variant.default_metric, question);
        let path = args.out.join(&name);
        let summary = Summary::read(&files.main_path(&job.name)).map_err(Failure::new)?;
        let write = || write(&path, &game.variant, (metric, &table), question, summary.table_content());
        let written = pool.install(write).map_err(Failure::new)?;
        n_files += 1;
        n_bytes += written.size_bytes;
        let [yes, all] = [written.n_yes, written.n_positions].map(|counts| count(counts.iter().sum()));
        let (size, time) = (bytes(written.size_bytes), seconds(begin.elapsed()));
        let line = format!("{name}: yes in {yes} of {all} positions, {size}, {time}");
        watch.beside(|| writeln!(console.out, "{line}").and_then(|()| console.out.flush()))?;
        watching.finish_silently();
        tables.forget(place);
    }
    watch.close();
    let (files, time) = (plural(n_files, "file"), seconds(begin.elapsed()));
    writeln!(console.out, "{files} in {}: {question}, {}, {time}", args.out.display(), bytes(n_bytes))?;
    Ok(Answer::Yes)
}
