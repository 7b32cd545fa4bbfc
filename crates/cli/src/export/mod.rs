//! `export`: writes tables in the formats of others.

mod columns;
mod failure;
mod family;
mod flat;
mod folder;
mod longest;

use crate::args::{ExportArgs, ExportFormat};
use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::Watch;
use crate::remedy::solve_for;
use crate::{Answer, Failure, Outcome, interrupt};
use ::plan::{Plan, Request};
pub(crate) use failure::failure;
pub(crate) use family::families;
pub(crate) use folder::{edition_of, materials_of};
use format::flat::Form;
use library::figure::{bytes, plural, seconds};
use library::{Edition, FolderLock, PlannedTables, TableFiles};
use std::collections::BTreeSet;
use std::time::Instant;
use syzygy::{self, Family, FileKind, Options};
use variant::{Material, Metric};

pub(crate) fn run(console: &mut Console<'_>, args: &ExportArgs) -> Outcome {
    interrupt::announce("the files that are finished stay: export the other tables, or all of them again");
    match args.format {
        ExportFormat::Syzygy => {}
        ExportFormat::Tbl => return flat::run(console, args, Form::Distances),
        ExportFormat::Tbc => return flat::run(console, args, Form::Wdl),
        ExportFormat::Parquet | ExportFormat::Npz => return columns::run(console, args),
        ExportFormat::Longest => return longest::run(console, args),
    }
    if args.fen {
        return Err(Failure::new("--fen is for --format parquet"));
    }
    if args.gz || args.wide || args.metric.is_some() {
        return Err(Failure::new("--gz, --wide and --metric are for --format tbl and --format tbc"));
    }
    let game = Game::of_folder(args.variant.as_deref(), &args.tables)?;
    game.tell_tables(console, &args.table)?;
    let files = TableFiles::new(Edition::new(&game.variant, Metric::Dtz50), &args.tables);
    let mut wanted = wanted(&game, files.edition(), args, console.program.name)?;
    let (families, refusals) = families(&game, &wanted);
    if let Some(first) = refusals.first().filter(|_| families.is_empty() || !args.table.is_empty()) {
        return Err(Failure::new(first));
    }
    refusals.iter().try_for_each(|refusal| console.tell(&format!("passed over: {refusal}")))?;
    wanted.retain(|material| families.contains_key(material));
    if families.values().any(|&family| family == Family::Other) {
        console.tell(&format!(
            "readers of Syzygy files do not know the rules of {}, and refuse its files: they end in .{} and .{}, and \
             have a magic number of their own (docs/table-format.md)",
            game.variant.name,
            Family::Other.extension(FileKind::Wdl),
            Family::Other.extension(FileKind::Dtz)
        ))?;
    }
    let lock = FolderLock::new(&args.out)?;
    lock.check_writable()?;
    let pool = pool(args.threads)?;
    let n_men = wanted.iter().map(Material::n_men).max().unwrap_or(2);
    let plan = Plan::new(&game.variant, &Request::UpTo(n_men)).map_err(Failure::new)?;
    let mut tables = PlannedTables::with_successors(&files, &plan, &wanted);
    let places = tables.places();
    let watch = Watch::new(console.is_watched, &mut *console.err);
    watch.start(places.len(), tables.n_values());
    let (begin, mut n_written, mut sizes) = (Instant::now(), 0, [0; 2]);
    for place in places {
        let job = plan.job(place);
        let (begin, watching) = (Instant::now(), watch.begin(&job.name, job.n_values()));
        let table = pool.install(|| tables.get(place));
        if table.map_err(|error| failure(error, &game, &args.tables, console.program.name))?.is_none() {
            watching.finish_silently();
            continue;
        }
        let family = families[&job.material];
        let options = Options { rounded: args.rounded };
        let write = || syzygy::write(family, &game.variant, &job.material, &tables, options);
        let written = pool.install(write).map_err(Failure::new)?;
        written.save(&args.out).map_err(Failure::new)?;
        let own = [written.wdl.len() as u64, written.dtz.len() as u64];
        n_written += 1;
        (0..2).for_each(|kind| sizes[kind] += own[kind]);
        let time = seconds(begin.elapsed());
        let [wdl, dtz] = [FileKind::Wdl, FileKind::Dtz].map(|kind| family.extension(kind));
        let line = format!("{}: {wdl} {}, {dtz} {}, {time}", job.name, bytes(own[0]), bytes(own[1]));
        watch.beside(|| writeln!(console.out, "{line}").and_then(|()| console.out.flush()))?;
        watching.finish_silently();
        tables.forget(place);
    }
    watch.close();
    let written: BTreeSet<Family> = families.values().copied().collect();
    let endings =
        |kind| written.iter().map(|family| family.extension(kind)).collect::<Vec<_>>().join(" and ");
    let [wdl, dtz] = [FileKind::Wdl, FileKind::Dtz].map(endings);
    let [wdl_bytes, dtz_bytes] = sizes.map(bytes);
    let (tables, out) = (plural(n_written, "table"), args.out.display());
    let time = seconds(begin.elapsed());
    writeln!(console.out, "{tables} in {out}: {wdl} {wdl_bytes}, {dtz} {dtz_bytes} ({time})")?;
    Ok(Answer::Yes)
}

/// The tables that are asked for, or all that the folder has.
fn wanted(
    game: &Game,
    edition: &Edition,
    args: &ExportArgs,
    program: &str,
) -> Result<BTreeSet<Material>, Failure> {
    if !args.table.is_empty() {
        return args.table.iter().map(|name| game.material(name)).collect();
    }
    let n_men = args.men.unwrap_or(syzygy::MAX_MEN).min(syzygy::MAX_MEN);
    let found = materials_of(game, edition, &args.tables, n_men)?;
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::new(format!(
            "{} has no tables of the metrics wdl and dtz50; {}",
            args.tables.display(),
            solve_for(program, &game.path, None, &[Metric::Wdl, Metric::Dtz50], &args.tables)
        ))),
    }
}
