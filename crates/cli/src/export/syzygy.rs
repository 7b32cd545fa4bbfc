//! Shows how the tables of a folder are written as Syzygy files.

use crate::Failure;
use crate::console::Console;
use crate::find::Stop;
use crate::game::Game;
use crate::progress::{StepWatch, Watch};
use ::syzygy::{Family, FileKind};
use build::{NotInSyzygy, SyzygyExport, SyzygyExported, TableStep};
use library::figure::{bytes, plural, seconds};
use rayon::ThreadPool;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use variant::Material;

/// What is written, and by which threads.
pub(crate) struct SyzygyWriting<'a> {
    pub(crate) game: &'a Game,
    pub(crate) export: SyzygyExport<'a>,
    pub(crate) pool: &'a ThreadPool,
}

impl SyzygyWriting<'_> {
    /// Writes the files of these tables, each with the game whose rules it has, and a line for each table.
    pub(crate) fn write(
        &self,
        console: &mut Console<'_>,
        families: &BTreeMap<Material, Family>,
    ) -> Result<(), Failure> {
        let SyzygyWriting { game, export, pool } = *self;
        if families.values().any(|&family| family == Family::Other) {
            console.tell(&format!(
                "readers of Syzygy files do not know the rules of {}, and refuse its files: they end in .{} \
                 and .{}, and have a magic number of their own (docs/table-format.md)",
                game.variant.name,
                Family::Other.extension(FileKind::Wdl),
                Family::Other.extension(FileKind::Dtz)
            ))?;
        }
        let watch = Watch::new(console.is_watched, &mut *console.err);
        let mut steps = StepWatch::new(&watch, &mut *console.out);
        let (begin, mut n_written, mut sizes) = (Instant::now(), 0, [0; 2]);
        let mut report = |step: TableStep<'_, SyzygyExported>| {
            steps.show(step, |job, SyzygyExported { family, wdl_bytes, dtz_bytes }, time| {
                n_written += 1;
                sizes = [sizes[0] + wdl_bytes, sizes[1] + dtz_bytes];
                let [wdl, dtz] = [FileKind::Wdl, FileKind::Dtz].map(|kind| family.extension(kind));
                let (wdl_size, dtz_size, time) = (bytes(wdl_bytes), bytes(dtz_bytes), seconds(time));
                format!("{}: {wdl} {wdl_size}, {dtz} {dtz_size}, {time}", job.name)
            })
        };
        let done = pool.install(|| export.write::<Stop>(families, &mut report));
        drop(steps);
        watch.close();
        done.map_err(|stop| stop.failure(game, export.tables, console.program.name))?;
        let written: BTreeSet<Family> = families.values().copied().collect();
        let endings =
            |kind| written.iter().map(|family| family.extension(kind)).collect::<Vec<_>>().join(" and ");
        let [wdl, dtz] = [FileKind::Wdl, FileKind::Dtz].map(endings);
        let [wdl_bytes, dtz_bytes] = sizes.map(bytes);
        let (tables, out) = (plural(n_written, "table"), export.out.display());
        let time = seconds(begin.elapsed());
        writeln!(console.out, "{tables} in {out}: {wdl} {wdl_bytes}, {dtz} {dtz_bytes} ({time})")?;
        Ok(())
    }
}

/// Says why a table has no Syzygy files, and which format takes it.
pub(crate) fn refused(reason: &NotInSyzygy) -> String {
    match reason {
        NotInSyzygy::TooManyMen { .. } => format!("{reason}; --format tbl takes any number"),
        NotInSyzygy::OtherRules { .. } => format!("{reason}; --format tbl takes any game on 64 squares"),
    }
}
