//! `export`: tables in the formats of others.

mod flat;
mod shelf;
mod source;

use crate::args::{ExportArgs, ExportFormat};
use crate::console::Console;
use crate::edition::Edition;
use crate::figure::{bytes, plural, seconds};
use crate::game::Game;
use crate::solve::{Watch, pool};
use crate::{Answer, Failure, Outcome};
use ::plan::{Plan, Request};
use format::flat::Form;
use format::syzygy::{self, Family, Kind, Options};
use format::{EXTENSION, Summary};
pub(crate) use shelf::Shelf;
pub(crate) use source::{Source, materials_with};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;
use variant::{Material, Metric, Variant};

pub(crate) fn run(console: &mut Console<'_>, args: &ExportArgs) -> Outcome {
    match args.format {
        ExportFormat::Syzygy => {}
        ExportFormat::Tbl => return flat::run(console, args, Form::Distances),
        ExportFormat::Tbc => return flat::run(console, args, Form::Outcomes),
    }
    if args.gz || args.wide || args.metric.is_some() {
        return Err(Failure::new("--gz, --wide and --metric are for --format tbl and --format tbc"));
    }
    let game = game_of(&args.tables, args.variant.as_deref())?;
    let edition = Edition::new(&game.variant, Metric::Dtz50);
    let wanted = wanted(&game, &edition, args, console.program.name)?;
    let family = family(&game, &wanted)?;
    check_out(&args.out)?;
    let pool = pool(args.threads)?;
    let n_men = wanted.iter().map(Material::n_men).max().unwrap_or(2);
    let plan = Plan::new(&game.variant, &Request::UpTo(n_men)).map_err(Failure::new)?;
    let mut shelf = Shelf::new(&game, &edition, &args.tables, console.program.name, &plan, &wanted);
    let (places, needed) = (shelf.places(), shelf.n_values());
    let watch = Watch::new(console.is_watched, places.len() as u64, needed, &mut *console.err);
    let (begin, mut n_written, mut sizes) = (Instant::now(), 0, [0; 2]);
    for place in places {
        let job = plan.job(place);
        let (begin, watching) = (Instant::now(), watch.begin(&job.name, job.n_values()));
        pool.install(|| shelf.get(place))?;
        if !wanted.contains(&job.material) {
            watching.finish_silently();
            continue;
        }
        let options = Options { rounded: args.rounded };
        let write = || syzygy::write(family, &game.variant, &job.material, &shelf, options);
        let files = pool.install(write).map_err(Failure::new)?;
        files.save(&args.out).map_err(Failure::new)?;
        let own = [files.wdl.len() as u64, files.dtz.len() as u64];
        n_written += 1;
        (0..2).for_each(|kind| sizes[kind] += own[kind]);
        let time = seconds(begin.elapsed());
        let [wdl, dtz] = [Kind::Wdl, Kind::Dtz].map(|kind| family.extension(kind));
        let line = format!("{}: {wdl} {}, {dtz} {}, {time}", job.name, bytes(own[0]), bytes(own[1]));
        watch.beside(|| writeln!(console.out, "{line}").and_then(|()| console.out.flush()))?;
        watching.finish_silently();
        shelf.forget(place);
    }
    watch.close();
    let [wdl, dtz] = [Kind::Wdl, Kind::Dtz].map(|kind| family.extension(kind));
    let [wdl_bytes, dtz_bytes] = sizes.map(bytes);
    let (tables, out) = (plural(n_written, "table"), args.out.display());
    let time = seconds(begin.elapsed());
    writeln!(console.out, "{tables} in {out}: {wdl} {wdl_bytes}, {dtz} {dtz_bytes} ({time})")?;
    Ok(Answer::Yes)
}

/// Makes the folder that files go to, if it is not there.
fn check_out(out: &Path) -> Result<(), Failure> {
    let fail = |error| Failure::new(format!("cannot make the folder {}: {error}", out.display()));
    std::fs::create_dir_all(out).map_err(fail)
}

/// The game whose tables a folder has.
pub(crate) fn game_of(folder: &Path, variant: Option<&Path>) -> Result<Game, Failure> {
    let fail = |error| Failure::new(format!("cannot read {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        files.push(entry.map_err(fail)?.path());
    }
    files.sort();
    let tables = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == EXTENSION));
    let name = tables.flat_map(|file| Summary::read(file)).next().map(|summary| summary.metadata.variant);
    Game::find(variant, name.as_deref().unwrap_or("fide"))
}

/// The tables that are asked for, or all that the folder has.
fn wanted(
    game: &Game,
    edition: &Edition,
    args: &ExportArgs,
    program: &str,
) -> Result<BTreeSet<Material>, Failure> {
    let variant = &game.variant;
    if !args.table.is_empty() {
        return args.table.iter().map(|name| game.material(name)).collect();
    }
    let found = materials_of(variant, edition, &args.tables, args.men.unwrap_or(syzygy::MAX_MEN));
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::new(format!(
            "{} has no tables of the metrics wdl and dtz50; run `{program} solve {} --metric wdl,dtz50 --out {}`",
            args.tables.display(),
            game.path.display(),
            args.tables.display()
        ))),
    }
}

/// The materials of up to so many men of which a folder has the files of `dtz50` and `wdl`.
pub(crate) fn materials_of(
    variant: &Variant,
    edition: &Edition,
    folder: &Path,
    n_men: usize,
) -> BTreeSet<Material> {
    let all = (2..=n_men.min(syzygy::MAX_MEN)).flat_map(|n| Material::all(variant, n));
    let is_there = |material: &Material| {
        let name = material.name(variant);
        edition.files().iter().all(|&metric| edition.path(folder, &name, metric).exists())
    };
    // Bare kings need no files.
    let least = if variant.royal().is_some() { 3 } else { 2 };
    all.filter(|material| material.n_men() >= least).filter(is_there).collect()
}

/// The game of Syzygy files that has the rules of some tables; refuses what none has: programs that read these files would
/// take it for what it is not.
pub(crate) fn family(game: &Game, materials: &BTreeSet<Material>) -> Result<Family, Failure> {
    let mut found = None;
    for material in materials {
        let name = material.name(&game.variant);
        let Some(own) = Family::of(&game.variant, material) else {
            return Err(Failure::new(format!(
                "{name} of {} has other rules than chess, atomic chess, antichess and suicide, the games of Syzygy \
                 files, and every program that reads them would take it for one of these; it is not exported in this \
                 format (--format tbl takes any game on 64 squares)",
                game.variant.name
            )));
        };
        // Rules that are those of chess for some men and of another game for others make files of two games.
        if *found.get_or_insert(own) != own {
            return Err(Failure::new(format!(
                "{name} of {} has the rules of {}, and other tables those of another game; export them apart, with \
                 --table {name}",
                game.variant.name,
                own.name()
            )));
        }
    }
    found.ok_or_else(|| Failure::new("there are no tables to export"))
}

/// Materials with their places in a plan.
type Places = BTreeMap<Material, usize>;
