//! `export --format parquet` and `npz`: writes tables as columns, a row a position.

use super::{ExportArgs, ExportFormat};
use crate::Failure;
use crate::console::Console;
use crate::progress::{Planning, Steps};
use ::export::columns::{ParquetFile, Rows, write_npz};
use ::plan::Request;
use library::figure::{bytes, count};
use library::{Edition, LoadRequest, TableFiles};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use variant::{Material, Side};

pub(super) fn write(
    console: &mut Console<'_>,
    steps: Steps<'_>,
    args: &ExportArgs,
    edition: Edition,
    wanted: &BTreeSet<Material>,
) -> Result<(), Failure> {
    let game = steps.game;
    let metric = args.metric.unwrap_or(game.variant.default_metric);
    let request = Request::Tables(wanted.iter().cloned().collect());
    let plan = game.plan(&request, &mut Planning::new(console.is_watched))?;
    let files = [TableFiles::new(edition.clone(), &args.tables)];
    let load = LoadRequest {
        files: &files,
        plan: &plan,
        wanted,
        sides: &Side::BOTH,
        one_will_do: false,
        with_successors: false,
    };
    steps.load(console, load, |loaded, job, out| {
        let table = &loaded.tables[0];
        let rows = Rows::new(&game.variant, edition.metric(), table, args.fen);
        let stem = edition.file_name(table.layout().name(), metric);
        let stem = stem.strip_suffix(".tsm").unwrap_or(&stem).to_owned();
        let is_parquet = args.format == ExportFormat::Parquet;
        let path = args.out.join(format!("{stem}.{}", if is_parquet { "parquet" } else { "npz" }));
        let written = if is_parquet { ParquetFile::of_rows(&path, &rows) } else { write_npz(&path, &rows) };
        let n_rows = written.map_err(Failure::new)?;
        let size = std::fs::metadata(&path).map_or(0, |data| data.len());
        let line = format!("{}: {} rows, {}", path.display(), count(n_rows), bytes(size));
        job.beside(|| writeln!(out, "{line}"))?;
        Ok(ControlFlow::Continue(()))
    })
}
