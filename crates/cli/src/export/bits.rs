//! `export --format bits`: writes the answers to one question, a bit a position, see [`export::bits`].

use super::flat::wanted;
use super::folder::{edition_of, tell_passed_over};
use crate::args::ExportArgs;
use crate::console::Console;
use crate::find::Stop;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::{StepWatch, Watch};
use crate::{Answer, Failure, Outcome};
use build::{BitsExport, BitsExported, FolderLock, TableStep};
use library::TableFiles;
use library::figure::{bytes, count, plural, seconds};
use std::time::Instant;

pub(super) fn run(console: &mut Console<'_>, args: &ExportArgs) -> Outcome {
    if args.gz || args.wide || args.one_file || args.rounded || args.fen {
        return Err(Failure::new("--gz, --wide, --one-file, --rounded and --fen are for other formats"));
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
    tell_passed_over(console, &game, args, &wanted, &format!("without files of {edition}"))?;
    let lock = FolderLock::new(&args.out)?;
    lock.check_writable()?;
    let pool = pool(args.threads)?;
    let files = TableFiles::new(edition, &args.tables);
    let export = BitsExport { files: &files, out: &args.out, metric, question };
    let watch = Watch::new(console.is_watched, &mut *console.err);
    let mut steps = StepWatch::new(&watch, &mut *console.out);
    let (begin, mut n_files, mut n_bytes) = (Instant::now(), 0, 0);
    let mut report = |step: TableStep<'_, BitsExported>| {
        steps.show(step, |_, BitsExported { name, written }, time| {
            n_files += 1;
            n_bytes += written.size_bytes;
            let [yes, all] = [written.n_yes, written.n_positions].map(|counts| count(counts.iter().sum()));
            format!(
                "{name}: yes in {yes} of {all} positions, {}, {}",
                bytes(written.size_bytes),
                seconds(time)
            )
        })
    };
    let done = pool.install(|| export.write::<Stop>(&wanted, &mut report));
    drop(steps);
    watch.close();
    done.map_err(|stop| stop.failure(&game, &args.tables, console.program.name))?;
    let (files, time) = (plural(n_files, "file"), seconds(begin.elapsed()));
    writeln!(console.out, "{files} in {}: {question}, {}, {time}", args.out.display(), bytes(n_bytes))?;
    Ok(Answer::Yes)
}
