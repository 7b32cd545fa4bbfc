//! `export --format parquet` and `npz`: writes tables as columns, a row a position.

use crate::args::ExportArgs;
use crate::console::Console;
use crate::{Failure, Outcome};

/// Refuses, in a program that was built without the writers.
#[cfg(not(feature = "columns"))]
pub(super) fn run(_: &mut Console<'_>, args: &ExportArgs) -> Outcome {
    let name = args.tables.display();
    Err(Failure::new(format!(
        "this program was built without Parquet and npz, so {name} stays as it is; build it with the feature \
         `columns` (cargo run --release -p tablesmith-cli --features columns -- export …)"
    )))
}

#[cfg(feature = "columns")]
pub(super) use built::run;

#[cfg(feature = "columns")]
mod built {
    use super::{Console, ExportArgs, Failure, Outcome};
    use crate::Answer;
    use crate::args::ExportFormat;
    use crate::export::folder::{edition_of, tell_passed_over};
    use crate::find::Stop;
    use crate::game::Game;
    use crate::glob::chosen;
    use crate::planning::Planning;
    use crate::pool::pool;
    use crate::progress::Watch;
    use ::export::columns::{ParquetFile, Rows, write_npz};
    use ::plan::Request;
    use build::FolderLock;
    use library::figure::{bytes, count};
    use library::{Folder, LoadRequest, TableFiles, for_each_loaded};
    use std::ops::ControlFlow;
    use variant::Side;

    pub(in crate::export) fn run(console: &mut Console<'_>, args: &ExportArgs) -> Outcome {
        let is_parquet = args.format == ExportFormat::Parquet;
        if args.gz || args.wide || args.one_file || args.rounded || (args.fen && !is_parquet) {
            return Err(Failure::new(
                "--gz, --wide, --one-file and --rounded are for other formats, and --fen for parquet",
            ));
        }
        let game = Game::of_folder(args.variant.as_deref(), &args.tables)?;
        let metric = args.metric.unwrap_or(game.variant.default_metric);
        let edition = edition_of(&game, &args.tables, metric)?;
        let known = Folder::new(&args.tables, game.variant.clone()).materials(&edition)?;
        let mut wanted =
            if args.table.is_empty() { known.clone() } else { chosen(&game.variant, &args.table, &known)? };
        wanted.retain(|material| args.men.is_none_or(|n_men| material.n_men() <= n_men));
        if wanted.is_empty() {
            return Err(Failure::new(format!("{} has no tables of {metric}", args.tables.display())));
        }
        tell_passed_over(console, &game, args, &wanted, &format!("without files of {metric}"))?;
        // Takes away what runs have left that were killed.
        let _lock = FolderLock::new(&args.out)?;
        let plan = game.plan(
            &Request::Tables(wanted.iter().cloned().collect()),
            &mut Planning::new(console.is_watched),
        )?;
        let files = [TableFiles::new(edition.clone(), &args.tables)];
        let load = LoadRequest {
            files: &files,
            plan: &plan,
            wanted: &wanted,
            sides: &Side::BOTH,
            one_will_do: false,
            with_successors: false,
        };
        let pool = pool(args.threads)?;
        let watch = Watch::new(console.is_watched, &mut *console.err);
        watch.start(wanted.len(), wanted.len() as u64);
        let out = &mut *console.out;
        let mut write = |loaded: library::LoadedTables| -> Result<ControlFlow<()>, Stop> {
            let table = &loaded.tables[0];
            let watching = watch.begin(table.layout().name(), 1);
            let rows = Rows::new(&game.variant, edition.metric(), table, args.fen);
            let stem = edition.file_name(table.layout().name(), metric);
            let stem = stem.strip_suffix(".tsm").unwrap_or(&stem).to_owned();
            let path = args.out.join(format!("{stem}.{}", if is_parquet { "parquet" } else { "npz" }));
            let written =
                if is_parquet { ParquetFile::of_rows(&path, &rows) } else { write_npz(&path, &rows) };
            let n_rows = written.map_err(Failure::new)?;
            let size = std::fs::metadata(&path).map_or(0, |data| data.len());
            let line = format!("{}: {} rows, {}", path.display(), count(n_rows), bytes(size));
            watch.beside(|| writeln!(out, "{line}")).map_err(Failure::from)?;
            watching.finish_silently();
            Ok(ControlFlow::Continue(()))
        };
        let done = pool.install(|| for_each_loaded(load, &mut |_, _| {}, &mut write));
        watch.close();
        done.map_err(|stop| stop.failure(&game, &args.tables, console.program.name))?;
        Ok(Answer::Yes)
    }
}
