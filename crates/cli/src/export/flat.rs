//! `export --format tbl` and `--format tbc`: writes flat files, see [`export::flat`].

use super::folder::{editions_of, materials_of, tell_passed_over};
use crate::args::ExportArgs;
use crate::console::Console;
use crate::find::Stop;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::{StepWatch, Watch};
use crate::remedy::solve_for;
use crate::{Answer, Failure, Outcome};
use build::{FlatExport, FolderLock, TableStep};
use export::flat::{FlatWritten, Form};
use library::figure::{bytes, plural, seconds};
use library::{Edition, TableFiles};
use rayon::ThreadPool;
use std::collections::BTreeSet;
use std::time::Instant;
use variant::{Material, Metric};

pub(super) fn run(console: &mut Console<'_>, args: &ExportArgs, form: Form) -> Outcome {
    if args.rounded {
        return Err(Failure::new("--rounded is for --format syzygy; flat files have every ply"));
    }
    if args.wide && form == Form::Wdl {
        return Err(Failure::new("--wide is for --format tbl; a .tbc has two bits a position"));
    }
    let game = Game::of_folder(args.variant.as_deref(), &args.tables)?;
    game.tell_tables(console, &args.table)?;
    let held = match form {
        Form::Distances => args.metric.unwrap_or(game.variant.default_metric),
        Form::Wdl => args.metric.unwrap_or(Metric::Wdl),
    };
    form.check_metric(held).map_err(Failure::new)?;
    // A table that has no files of the metric may have its values all the same, in those of another one.
    let mut by_edition: Vec<(Edition, BTreeSet<Material>)> = Vec::new();
    let mut all = BTreeSet::new();
    for edition in editions_of(&game, held) {
        let mut there = materials_of(&game, &edition, &args.tables, args.men.unwrap_or(usize::MAX))?;
        there.retain(|material| all.insert(material.clone()));
        by_edition.push((edition, there));
    }
    if !args.table.is_empty() {
        let mut asked = wanted(&game, &by_edition[0].0, args, console.program.name)?;
        for (_, there) in &mut by_edition {
            there.retain(|material| asked.remove(material));
        }
        // What no file has is missed when it is to be read.
        by_edition.iter_mut().take(1).for_each(|(_, there)| there.append(&mut asked));
    } else if all.is_empty() {
        return Err(no_tables(&game, &by_edition[0].0, args, console.program.name));
    }
    by_edition.retain(|(_, there)| !there.is_empty());
    tell_passed_over(console, &game, args, &all, &format!("without files of {held}"))?;
    let lock = FolderLock::new(&args.out)?;
    lock.check_writable()?;
    game.leave_rules(&lock)?;
    let pool = pool(args.threads)?;
    for (edition, wanted) in by_edition {
        let files = TableFiles::new(edition, &args.tables);
        let (out, wide, packed, one_file) = (args.out.as_path(), args.wide, args.gz, args.one_file);
        let export = FlatExport { files: &files, out, held, form, wide, packed, one_file };
        FlatWriting { game: &game, export, pool: &pool }.write(console, &wanted)?;
    }
    Ok(Answer::Yes)
}

/// What is written, and by which threads.
pub(crate) struct FlatWriting<'a> {
    pub(crate) game: &'a Game,
    pub(crate) export: FlatExport<'a>,
    pub(crate) pool: &'a ThreadPool,
}

impl FlatWriting<'_> {
    /// Writes the files of these tables, and a line for each table.
    pub(crate) fn write(
        &self,
        console: &mut Console<'_>,
        wanted: &BTreeSet<Material>,
    ) -> Result<(), Failure> {
        let watch = Watch::new(console.is_watched, &mut *console.err);
        let mut steps = StepWatch::new(&watch, &mut *console.out);
        let (begin, mut n_tables, mut n_files, mut n_bytes) = (Instant::now(), 0, 0, 0);
        let mut report = |step: TableStep<'_, FlatWritten>| {
            steps.show(step, |job, written, time| {
                n_tables += 1;
                n_files += written.n_files;
                n_bytes += written.n_bytes;
                let files = plural(written.n_files, "file");
                format!("{}: {files}, {}, {}", job.name, bytes(written.n_bytes), seconds(time))
            })
        };
        let done = self.pool.install(|| self.export.write::<Stop>(wanted, &mut report));
        drop(steps);
        watch.close();
        let folder = self.export.files.folder();
        done.map_err(|stop| stop.failure(self.game, folder, console.program.name))?;
        let (n_tables, n_files) = (plural(n_tables, "table"), plural(n_files, "file"));
        let (size, time) = (bytes(n_bytes), seconds(begin.elapsed()));
        let (held, out) = (self.export.held, self.export.out.display());
        writeln!(console.out, "{n_tables} in {out}: {n_files} of {held}, {size} ({time})")?;
        Ok(())
    }
}

/// The tables that are asked for, or all that the folder has.
pub(super) fn wanted(
    game: &Game,
    edition: &Edition,
    args: &ExportArgs,
    program: &str,
) -> Result<BTreeSet<Material>, Failure> {
    if !args.table.is_empty() {
        return args.table.iter().map(|name| game.material(name)).collect();
    }
    let found = materials_of(game, edition, &args.tables, args.men.unwrap_or(usize::MAX))?;
    if found.is_empty() { Err(no_tables(game, edition, args, program)) } else { Ok(found) }
}

fn no_tables(game: &Game, edition: &Edition, args: &ExportArgs, program: &str) -> Failure {
    Failure::new(format!(
        "{} has no tables of the metric {edition} that are asked for; {}",
        args.tables.display(),
        solve_for(program, &game.path, None, &[edition.metric()], &args.tables)
    ))
}
