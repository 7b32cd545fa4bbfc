//! `verify --against` a folder of flat files: compares their sums, then every position.

use super::against::{amounts, with_differences};
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::export::{edition_of, materials_of};
use crate::find::Stop;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::{StepWatch, Watch};
use crate::{Answer, Failure, Outcome};
use ::syzygy::{Family, FileKind};
use format::flat::{FlatName, FlatTablebase};
use library::figure::{count, plural, seconds};
use library::{Comparison, FlatComparison, TableFiles, TableStep, exchange_files, flat_materials};
use std::path::Path;
use std::time::Instant;

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

pub(super) fn run(console: &mut Console<'_>, args: &VerifyArgs, against: &Path) -> Outcome {
    let game = Game::of_folder(args.variant.as_deref(), &args.path)?;
    let only = match &args.wanted.table {
        Some(name) => Some(game.material(name)?),
        None => None,
    };
    let (begin, mut total, mut n_tables, mut n_wrong) = (Instant::now(), 0, 0, 0);
    let (max_men_whole, n_placements) = amounts(args);
    let pool = pool(args.threads)?;
    for ((metric, form, one_file), mut materials) in flat_materials(&game.variant, &exchange_files(against)?)
    {
        let own = TableFiles::new(edition_of(&game, &args.path, metric)?, &args.path);
        let there = materials_of(&game, own.edition(), &args.path, usize::MAX)?;
        materials.retain(|material| there.contains(material) && args.wanted.has(material, only.as_ref()));
        let files = FlatTablebase::open_form(against, &game.variant, metric, form);
        let files = if one_file { files } else { files.asking_placements_first() };
        let comparison = FlatComparison { own: &own, files: &files, max_men_whole, n_placements };
        let watch = Watch::new(console.is_watched, &mut *console.err);
        let mut steps = StepWatch::new(&watch, &mut *console.out);
        let mut report = |step: TableStep<'_, Comparison>| {
            steps.show(step, |job, compared, time| {
                total += compared.n_positions;
                n_tables += 1;
                n_wrong += u64::from(compared.n_differences > 0);
                let name = files.path(&FlatName::all(&game.variant, &job.material)[0]);
                let kind = name.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
                let kind = if one_file { format!(".{kind}, one file") } else { format!(".{kind}") };
                let (n, time) = (count(compared.n_positions), seconds(time));
                let verdict = match compared.n_differences {
                    0 => "the same".into(),
                    wrong => plural(wrong, "difference"),
                };
                let line = format!("{} ({kind}): {verdict} in {n} positions, {time}", job.name);
                with_differences(line, &compared)
            })
        };
        let done = pool.install(|| comparison.run::<Stop>(&materials, &mut report));
        drop(steps);
        watch.close();
        done.map_err(|stop| stop.failure(&game, &args.path, console.program.name))?;
    }
    if n_tables == 0 {
        return Err(Failure::new(format!(
            "there is nothing to compare: no table of {} has flat files in {} that are asked for",
            args.path.display(),
            against.display()
        )));
    }
    let (tables, n) = (plural(n_tables, "table"), count(total));
    let verdict = if n_wrong == 0 { "no difference".into() } else { format!("{n_wrong} differ") };
    writeln!(console.out, "{tables}, {n} positions: {verdict} ({})", seconds(begin.elapsed()))?;
    Ok(if n_wrong == 0 { Answer::Yes } else { Answer::No })
}
