//! Reads the whole table that a flat or a Syzygy file belongs to.

use crate::Failure;
use crate::console::Console;
use crate::game::Game;
use crate::progress::Watch;
use ::probe::{ExchangeFile, ExchangeKind, MissingTable, ProbeError};
use library::figure::plural;
use library::{ExchangeTables, LibraryError};
use rayon::ThreadPool;
use std::path::Path;
use table::Table;
use variant::Metric;

/// A table that was read from exchange files.
pub(crate) struct ExchangeTable {
    pub(crate) game: Game,
    pub(crate) metric: Metric,
    pub(crate) table: Table,
}

impl ExchangeTable {
    /// Reads the table of a file, with the other files that it takes, all in the same folder. Says on
    /// standard error which these are, and whether distances are rounded.
    pub(crate) fn read(
        console: &mut Console<'_>,
        pool: &ThreadPool,
        path: &Path,
        variant: Option<&Path>,
    ) -> Result<Self, Failure> {
        let game = Game::of_exchange(variant, path)?;
        let shown = path.display();
        let file = ExchangeFile::new(path, &game.variant).map_err(|error| {
            Failure::new(format!("{shown} is no table of {}: {error}", game.variant.name))
        })?;
        if file.has_results_only() {
            return Err(Failure::new(format!(
                "{shown} has the results under the n-move rule alone; its distances are in a .tbl or a .tsm"
            )));
        }
        let checked = file.check(&game.variant).map_err(Failure::new)?;
        let (name, metric) = (file.material().name(&game.variant), file.metric());
        let n_files = file.n_files(&game.variant);
        if n_files > 1 {
            let all = plural(n_files as u64, "file");
            console.tell(&format!("{shown} is one of the {all} of {name}; the figures are those of all"))?;
        }
        if !checked.counts_plies {
            console.tell(&format!("{shown} counts moves: a distance may be a ply short"))?;
        }
        let tables = ExchangeTables::open(&game.variant, &file)?;
        let watch = Watch::new(console.is_watched, &mut *console.err);
        watch.start(1, 1);
        let watching = watch.begin(&name, 1);
        let progress = |done, total| watching.show(done as u64, total as u64);
        let table = pool.install(|| tables.read(file.material(), &progress));
        watching.finish_silently();
        watch.close();
        let table = table.map_err(|error| match error {
            LibraryError::Probe(ProbeError::Missing(missing)) => {
                let what = missing_text(file.kind(), &missing);
                Failure::new(format!("{shown} is not enough: {what}, and captures and pawn moves lead there"))
            }
            error => error.into(),
        })?;
        Ok(ExchangeTable { game, metric, table })
    }
}

/// Says what is missing. A Syzygy table is two files, so none of them is named.
pub(crate) fn missing_text(kind: ExchangeKind, missing: &MissingTable) -> String {
    match kind {
        ExchangeKind::Flat => missing.to_string(),
        ExchangeKind::Syzygy => format!("files of {} are not here", missing.material),
    }
}
