//! Writes the tables of a folder as Syzygy files.

use super::failure::failure;
use crate::Failure;
use crate::console::Console;
use crate::game::Game;
use crate::progress::Watch;
use ::plan::{Plan, Request};
use ::syzygy::{Family, FileKind, Options};
use library::figure::{bytes, plural, seconds};
use library::{Edition, PlannedTables, TableFiles};
use rayon::ThreadPool;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;
use variant::{Material, Metric};

/// What is written from where to where.
pub(crate) struct SyzygyExport<'a> {
    pub(crate) game: &'a Game,
    /// A folder with files of `wdl` and `dtz50`.
    pub(crate) tables: &'a Path,
    pub(crate) out: &'a Path,
    pub(crate) options: Options,
    pub(crate) pool: &'a ThreadPool,
}

impl SyzygyExport<'_> {
    /// Writes the files of these tables, each with the game whose rules it has, and a line for each table.
    pub(crate) fn write(
        &self,
        console: &mut Console<'_>,
        families: &BTreeMap<Material, Family>,
    ) -> Result<(), Failure> {
        let SyzygyExport { game, tables, out, options, pool } = *self;
        if families.values().any(|&family| family == Family::Other) {
            console.tell(&format!(
                "readers of Syzygy files do not know the rules of {}, and refuse its files: they end in .{} \
                 and .{}, and have a magic number of their own (docs/table-format.md)",
                game.variant.name,
                Family::Other.extension(FileKind::Wdl),
                Family::Other.extension(FileKind::Dtz)
            ))?;
        }
        let wanted: BTreeSet<Material> = families.keys().cloned().collect();
        let files = TableFiles::new(Edition::new(&game.variant, Metric::Dtz50), tables);
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
            if table.map_err(|error| failure(error, game, self.tables, console.program.name))?.is_none() {
                watching.finish_silently();
                continue;
            }
            let family = families[&job.material];
            let write = || ::syzygy::write(family, &game.variant, &job.material, &tables, options);
            let written = pool.install(write).map_err(Failure::new)?;
            written.save(out).map_err(Failure::new)?;
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
        let (tables, out) = (plural(n_written, "table"), out.display());
        let time = seconds(begin.elapsed());
        writeln!(console.out, "{tables} in {out}: {wdl} {wdl_bytes}, {dtz} {dtz_bytes} ({time})")?;
        Ok(())
    }
}
