//! Writes the files of other programs in the run that solves the tables.
//!
//! Tables that are not wanted themselves wait in a folder inside that of the run, with both sides to move,
//! so that nothing is solved twice. It goes when all files are there. A run that is begun again looks which
//! files are there and whole, and goes on with the others.

use super::run::Run;
use crate::args::WriteFormat;
use crate::export::{refused, tell_refused, write_flat, write_syzygy};
use crate::{Console, Failure, Outcome, Steps, plural};
use ::plan::{Plan, Request};
use ::syzygy::{Family, Options};
use build::{FileOptions, FlatExport, FolderLock, SyzygyExport, has_syzygy};
use export::flat::{FlatTablebase, Form};
use library::{Edition, TableFiles};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use variant::{Material, Metric};

/// Where tables wait that are not wanted themselves.
const INTERIM: &str = ".interim";

/// Why an option is refused.
pub(super) const NOT_FLAT: &str = "--one-file is for --write tbl and --write tbc";

/// Files of one kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    Syzygy,
    Flat(Form, Metric),
}

pub(super) fn run(console: &mut Console<'_>, run: &Run<'_>, folder: &Path) -> Outcome<()> {
    let args = run.args;
    let formats: BTreeSet<WriteFormat> = args.write.iter().copied().collect();
    let stages = stages(run, &formats)?;
    if args.json {
        return Err(Failure::new("--json is for --write tsm alone; other files are reported as text"));
    }
    if args.rounded && !formats.contains(&WriteFormat::Syzygy) {
        return Err(Failure::new("--rounded is for --write syzygy"));
    }
    if args.one_file && !formats.iter().any(|format| matches!(format, WriteFormat::Tbl | WriteFormat::Tbc)) {
        return Err(Failure::new(NOT_FLAT));
    }
    let mut own = Vec::new();
    if formats.contains(&WriteFormat::Tsm) {
        own = run.game.editions(&args.metric);
        run.build(console, &own, folder, run.files())?;
    }
    let plan = Plan::new(&run.game.variant, &run.request)?;
    let wanted: BTreeSet<Material> = plan.jobs().map(|job| job.material.clone()).collect();
    let interim = folder.join(INTERIM);
    for stage in stages {
        write_stage(console, run, stage, (folder, &interim), &own, &wanted)?;
    }
    if interim.is_dir() {
        std::fs::remove_dir_all(&interim).map_err(|error| {
            let folder = interim.display();
            let what = "all files are written, but";
            Failure::new(format!("{what} {folder} cannot be removed: {error}; remove it yourself"))
        })?;
    }
    Ok(())
}

/// The files of other programs that are wanted.
fn stages(run: &Run<'_>, formats: &BTreeSet<WriteFormat>) -> Outcome<Vec<Stage>> {
    let default = [run.game.variant.default_metric];
    let metrics: &[Metric] = if run.args.metric.is_empty() { &default } else { &run.args.metric };
    let is_wdl = |metric: &Metric| *metric == Metric::Wdl;
    let stages: BTreeSet<Stage> = formats
        .iter()
        .flat_map(|format| match format {
            WriteFormat::Tsm => Vec::new(),
            WriteFormat::Syzygy => vec![Stage::Syzygy],
            WriteFormat::Tbl => {
                // Who wins is for .tbc, and refused where nothing else is asked for.
                let distances = metrics.iter().filter(|metric| !is_wdl(metric) || metrics.iter().all(is_wdl));
                distances.map(|&metric| Stage::Flat(Form::Distances, metric)).collect()
            }
            WriteFormat::Tbc => {
                // dtz50 gives the results under the rule, every other metric those without.
                let held = |&metric| if metric == Metric::Dtz50 { metric } else { Metric::Wdl };
                metrics.iter().map(|metric| Stage::Flat(Form::Wdl, held(metric))).collect()
            }
        })
        .collect();
    // What no file can hold is refused before anything is solved.
    for stage in &stages {
        if let Stage::Flat(form, metric) = *stage {
            form.check(&run.game.variant, metric)?;
        }
    }
    Ok(stages.into_iter().collect())
}

/// Writes the files of one kind that are not there yet, and solves the tables that they are made of.
fn write_stage(
    console: &mut Console<'_>,
    run: &Run<'_>,
    stage: Stage,
    (folder, interim): (&Path, &PathBuf),
    own: &[Edition],
    wanted: &BTreeSet<Material>,
) -> Outcome<()> {
    let (variant, args) = (&run.game.variant, run.args);
    let options = Options { rounded: args.rounded };
    let mut families: BTreeMap<Material, Family> = BTreeMap::new();
    let mut wanted = wanted.clone();
    if stage == Stage::Syzygy {
        let (found, refusals) = build::families(variant, &wanted);
        if let Some(first) = refusals.first().filter(|_| found.is_empty()) {
            return Err(Failure::new(refused(variant, first)));
        }
        tell_refused(console, variant, &refusals)?;
        wanted.retain(|material| found.contains_key(material));
        families = found;
    }
    let n_wanted = wanted.len();
    if !args.force {
        wanted.retain(|material| match stage {
            Stage::Syzygy => !has_syzygy(folder, variant, material, families[material], options),
            Stage::Flat(form, metric) => {
                !FlatTablebase::open_form(folder, variant, metric, form).is_there(material, args.one_file)
            }
        });
    }
    let what = match stage {
        Stage::Syzygy => "Syzygy files".to_owned(),
        Stage::Flat(Form::Distances, metric) => format!("flat files of {metric}"),
        Stage::Flat(Form::Wdl, Metric::Dtz50) => "flat files of who wins under the rule".to_owned(),
        Stage::Flat(Form::Wdl, _) => "flat files of who wins".to_owned(),
    };
    let n_there = n_wanted - wanted.len();
    if n_there > 0 {
        console.tell(&format!("{what} of {} are there already", plural(n_there as u64, "table")))?;
    }
    if wanted.is_empty() {
        return Ok(());
    }
    families.retain(|material, _| wanted.contains(material));
    // That of the tables that the files are made of.
    let metric = if let Stage::Flat(_, metric) = stage { metric } else { Metric::Dtz50 };
    let edition = Edition::new(variant, metric);
    let has = |own: &&Edition| edition.metrics().iter().all(|metric| own.metrics().contains(metric));
    let (edition, tables) = match own.iter().find(has) {
        Some(own) if own.metric() == edition.metric() || edition.metric() == Metric::Wdl => (edition, folder),
        _ => {
            // Fewer men need fewer tables.
            let n_men = wanted.iter().map(Material::n_men).max().unwrap_or(2);
            let request = match run.request {
                Request::UpTo(most) => Request::UpTo(n_men.min(most)),
                Request::Table(_) | Request::Tables(_) => run.request.clone(),
            };
            // Both sides to move, so that no table is solved again to be written.
            let files = FileOptions::new(true, false);
            let run = Run { request, ..*run };
            run.build(console, std::slice::from_ref(&edition), interim, files)?;
            (edition, interim.as_path())
        }
    };
    let lock = FolderLock::new(folder)?;
    lock.check_writable()?;
    run.game.leave_rules(&lock)?;
    let (steps, out) = (Steps { game: run.game, folder: tables, pool: run.pool }, folder);
    match stage {
        Stage::Syzygy => {
            format::give_back_freed_memory();
            let export = SyzygyExport { variant, tables, out, options };
            write_syzygy(console, steps, export, &families)
        }
        Stage::Flat(form, held) => {
            let (wide, packed, one_file) = (false, false, args.one_file);
            let files = TableFiles::new(edition, tables);
            let export = FlatExport { files: &files, out, held, form, wide, packed, one_file };
            write_flat(console, steps, export, &wanted)
        }
    }
}
