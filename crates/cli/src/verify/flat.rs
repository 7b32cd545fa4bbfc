//! `verify --against` a folder of flat files: compares their sums, then every position.

use super::against::{Compared, amounts, with_differences};
use crate::Failure;
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::export::{editions_of, materials_of};
use crate::find::Stop;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::{StepWatch, Watch};
use ::syzygy::{Family, FileKind};
use build::{Comparison, FlatComparison, TableStep, flat_materials};
use export::flat::{FlatName, FlatTablebase};
use library::figure::{count, plural, seconds};
use library::{TableFiles, exchange_files};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;
use variant::Material;

/// The names of a folder's files.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Whether a name has one of these endings.
fn ends(name: &str, endings: &[&str]) -> bool {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

/// Whether a folder has flat files.
pub(super) fn has_files(folder: &Path) -> bool {
    names(folder).iter().any(|name| ends(name, &["tbl", "tbc"]))
}

/// Whether a folder has files of another format that tables can be compared with.
pub(super) fn has_others(folder: &Path) -> bool {
    let endings = Family::ALL
        .iter()
        .flat_map(|family| [FileKind::Wdl, FileKind::Dtz].map(|kind| family.extension(kind)))
        .collect::<Vec<&str>>();
    names(folder).iter().any(|name| ends(name, &endings))
}

pub(super) fn run(console: &mut Console<'_>, args: &VerifyArgs, against: &Path) -> Result<Compared, Failure> {
    let game = Game::of_folder(args.variant.as_deref(), &args.path)?;
    let only = match &args.wanted.table {
        Some(name) => Some(game.material(name)?),
        None => None,
    };
    let (begin, mut total, mut all) = (Instant::now(), 0, Compared::default());
    let (max_men_whole, n_placements) = amounts(args);
    let pool = pool(args.threads)?;
    // What some file is compared with, and what none is.
    let (mut own, mut others, mut met) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for ((metric, form, one_file), mut materials) in flat_materials(&game.variant, &exchange_files(against)?)
    {
        materials.retain(|material| args.wanted.has(material, only.as_ref()));
        others.extend(materials.iter().cloned());
        for edition in editions_of(&game, metric) {
            let files = TableFiles::new(edition, &args.path);
            let mut there = materials_of(&game, files.edition(), &args.path, usize::MAX)?;
            there.retain(|material| args.wanted.has(material, only.as_ref()));
            own.extend(there.iter().cloned());
            there.retain(|material| materials.remove(material));
            if there.is_empty() {
                continue;
            }
            met.extend(there.iter().cloned());
            let flat = FlatTablebase::open_form(against, &game.variant, metric, form);
            let flat = if one_file { flat } else { flat.asking_placements_first() };
            let comparison = FlatComparison { own: &files, files: &flat, max_men_whole, n_placements };
            let watch = Watch::new(console.is_watched, &mut *console.err);
            let mut steps = StepWatch::new(&watch, &mut *console.out);
            let mut report = |step: TableStep<'_, Comparison>| {
                steps.show(step, |job, compared, time| {
                    total += compared.n_positions;
                    let name = flat.path(&FlatName::all(&game.variant, &job.material)[0]);
                    let kind = name.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
                    let kind = if one_file { format!(".{kind}, one file") } else { format!(".{kind}") };
                    let (verdict, time) = (all.add(&compared), seconds(time));
                    with_differences(format!("{} ({kind}): {verdict}, {time}", job.name), &compared)
                })
            };
            let done = pool.install(|| comparison.run::<Stop>(&there, &mut report));
            drop(steps);
            watch.close();
            done.map_err(|stop| stop.failure(&game, &args.path, console.program.name))?;
        }
    }
    let names = |materials: BTreeSet<Material>| {
        materials.iter().map(|material| material.name(&game.variant)).collect::<Vec<String>>()
    };
    let (folder, there) = (args.path.display(), against.display());
    all.leave_out(console, &format!("without flat files in {there}"), &names(&own - &met))?;
    all.leave_out(console, &format!("without tables in {folder}"), &names(&others - &met))?;
    let (tables, n, time) = (plural(all.n_tables, "table"), count(total), seconds(begin.elapsed()));
    writeln!(console.out, "{tables}, {n} positions: {} ({time})", all.verdict())?;
    Ok(all)
}
