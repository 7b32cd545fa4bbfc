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
use format::{EXTENSION, Summary};
pub(crate) use shelf::Shelf;
pub(crate) use source::{Source, materials_with};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;
use syzygy::{self, Family, Kind, Options};
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
    let mut wanted = wanted(&game, &edition, args, console.program.name)?;
    let (families, refusals) = families(&game, &wanted);
    if let Some(first) = refusals.first().filter(|_| families.is_empty() || !args.table.is_empty()) {
        return Err(Failure::new(first));
    }
    refusals.iter().try_for_each(|refusal| writeln!(console.err, "passed over: {refusal}"))?;
    wanted.retain(|material| families.contains_key(material));
    if families.values().any(|&family| family == Family::Own) {
        writeln!(
            console.err,
            "readers of Syzygy files do not know the rules of {}, and refuse its files: they end in .{} and .{}, and \
             have a magic number of their own (docs/table-format.md)",
            game.variant.name,
            Family::Own.extension(Kind::Wdl),
            Family::Own.extension(Kind::Dtz)
        )?;
    }
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
        let family = families[&job.material];
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
    let written: BTreeSet<Family> = families.values().copied().collect();
    let endings =
        |kind| written.iter().map(|family| family.extension(kind)).collect::<Vec<_>>().join(" and ");
    let [wdl, dtz] = [Kind::Wdl, Kind::Dtz].map(endings);
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
    all.filter(is_there).collect()
}

/// The game of Syzygy files that has the rules of each table, and why the format has no numbers for some.
///
/// Rules may be those of chess for some men and others for the rest: in a game that has one piece more, say.
pub(crate) fn families(
    game: &Game,
    materials: &BTreeSet<Material>,
) -> (BTreeMap<Material, Family>, Vec<String>) {
    let (mut families, mut refusals) = (BTreeMap::new(), Vec::new());
    for material in materials {
        match Family::of_any(&game.variant, material) {
            // Bare kings need no file.
            Ok(family) if material.n_men() < *family.n_men().start() => {}
            Ok(family) if material.n_men() > *family.n_men().end() => refusals.push(format!(
                "{} has more men than Syzygy files of {} may have, {}; --format tbl takes any number",
                material.name(&game.variant),
                family.name(),
                family.n_men().end()
            )),
            Ok(family) => drop(families.insert(material.clone(), family)),
            Err(reason) => refusals.push(format!(
                "{} of {} has other rules than the games of Syzygy files, and the format cannot hold it: {reason}; \
                 --format tbl takes any game on 64 squares",
                material.name(&game.variant),
                game.variant.name
            )),
        }
    }
    (families, refusals)
}

/// Materials with their places in a plan.
type Places = BTreeMap<Material, usize>;
