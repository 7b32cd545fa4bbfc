//! `solve --rights`: builds the files of positions with rights to castle beside the tables of a run.

use super::run::{PATIENCE, Run};
use crate::Failure;
use crate::console::Console;
use crate::planning::Planning;
use crate::pool::count_threads;
use crate::structure::lent_to_positions;
use build::{BuiltRights, FolderLock, RightsBuild};
use library::figure::{bytes, count, distance, plural, seconds};
use library::{Edition, LibraryError, MemoryLimit};
use std::path::Path;
use std::time::{Duration, Instant};
use variant::{Metric, Side};

/// How wide a terminal is on which results and positions have room.
const WIDE: usize = 170;

/// Fails if nobody castles in the game.
pub(super) fn check(run: &Run<'_>) -> Result<(), Failure> {
    if run.game.variant.rules.castling.is_some() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "--rights: {} has no castling; leave --rights out, or say who castles in its [rules] (docs/variants.md)",
        run.game.variant.name
    )))
}

/// Builds the files of all metrics of a run.
pub(super) fn build(
    console: &mut Console<'_>,
    run: &Run<'_>,
    editions: &[Edition],
    folder: &Path,
) -> Result<(), Failure> {
    let lenders = &run.args.using;
    let plan = run.game.plan(&run.request, &mut Planning::new(false))?;
    let lock = FolderLock::shared(folder, PATIENCE)?;
    let mut metrics: Vec<Metric> = editions.iter().flat_map(Edition::metrics).copied().collect();
    metrics.sort_unstable();
    metrics.dedup();
    let name_width = plan.jobs().map(|job| job.name.len()).max().unwrap_or(0);
    for metric in metrics {
        let title = match metric == run.game.variant.default_metric {
            true => TITLE.to_owned(),
            false => format!("{TITLE}, {metric}"),
        };
        let name_width = name_width.max(title.len());
        let rows = Rows { name_width, is_wide: console.out_width.is_none_or(|width| width >= WIDE) };
        let (begun, mut sum) = (Instant::now(), Sum::default());
        let build = RightsBuild {
            variant: &run.game.variant,
            metric,
            folder: lock.folder(),
            lent: lent_to_positions(&run.game.variant, metric, lenders)?,
            n_threads: count_threads(run.args.threads),
            force: run.args.force,
            memory: MemoryLimit::new(run.args.memory),
        };
        if lenders.is_empty() {
            writeln!(console.out, "\n{}", rows.head(&title))?;
        }
        let mut printed = Ok(());
        let n_too_large = build.run(&plan, &mut |rights: BuiltRights| {
            printed = match &rights.lent {
                Some(path) => writeln!(console.err, "taken: {}", path.display()),
                None => {
                    let head = match sum.n_files == 0 && !lenders.is_empty() {
                        true => format!("\n{}\n", rows.head(&title)),
                        false => String::new(),
                    };
                    sum.add(&rights);
                    writeln!(console.out, "{head}{}", rows.row(&rights)).and_then(|()| console.out.flush())
                }
            };
            // Nobody reads what comes.
            if printed.is_err() { Err(LibraryError::Interrupted) } else { Ok(()) }
        });
        printed?;
        let n_too_large = n_too_large?;
        if sum.n_files > 0 || lenders.is_empty() {
            writeln!(console.out, "{}", sum.line(folder, begun.elapsed()))?;
        }
        if n_too_large > 0 {
            let tables = plural(n_too_large as u64, "table");
            console.tell(&format!("no castling rights of {tables}: there are too many men"))?;
        }
    }
    Ok(())
}

const TITLE: &str = "castling";

/// How rows are printed.
struct Rows {
    name_width: usize,
    is_wide: bool,
}

impl Rows {
    fn head(&self, title: &str) -> String {
        let sides = [["wtm: wins", "draws", "losses"], ["btm: wins", "draws", "losses"]];
        let cells = ["rights", "positions"].into_iter().chain(sides.into_iter().flatten());
        let cells: Vec<String> = cells.chain(["time", "size"]).map(str::to_owned).collect();
        self.line(title, &cells, "longest win")
    }

    fn row(&self, rights: &BuiltRights) -> String {
        let figures = &rights.figures;
        let mut cells = vec![rights.n_choices.to_string(), count(figures.n_positions())];
        cells.extend(Side::BOTH.into_iter().flat_map(|stm| figures.side(stm)).map(count));
        cells.push(rights.time.map_or_else(|| "done".into(), seconds));
        cells.push(bytes(rights.size_bytes));
        let longest = figures.longest_win.as_ref().map_or_else(
            || "none".into(),
            |longest| {
                let long = distance(longest.ply.0);
                if self.is_wide { format!("{long}: {}", longest.fen) } else { long }
            },
        );
        self.line(&rights.name, &cells, &longest)
    }

    fn line(&self, name: &str, cells: &[String], last: &str) -> String {
        const WIDTHS: [usize; 10] = [6, 11, 10, 10, 10, 10, 10, 10, 8, 8];
        let mut line = format!("{name:<width$}", width = self.name_width);
        for (at, (cell, width)) in cells.iter().zip(WIDTHS).enumerate() {
            if self.is_wide || !(2..8).contains(&at) {
                line += &format!("  {cell:>width$}");
            }
        }
        format!("{line}  {last}")
    }
}

/// All rows together.
#[derive(Default)]
struct Sum {
    n_files: u64,
    n_new: u64,
    n_positions: u64,
    size_bytes: u64,
}

impl Sum {
    fn add(&mut self, rights: &BuiltRights) {
        self.n_files += 1;
        self.n_new += u64::from(rights.time.is_some());
        self.n_positions += rights.figures.n_positions();
        self.size_bytes += rights.size_bytes;
    }

    fn line(&self, folder: &Path, time: Duration) -> String {
        let how = match self.n_new {
            0 => "all done already".to_owned(),
            n if n == self.n_files => format!("solved in {}", seconds(time)),
            n => format!("{n} solved in {}, {} done already", seconds(time), self.n_files - n),
        };
        format!(
            "{} with castling rights, {} positions, {} in {}: {how}",
            plural(self.n_files, "file"),
            count(self.n_positions),
            bytes(self.size_bytes),
            folder.display(),
        )
    }
}
