//! `solve --rights`: builds the files of positions with rights to castle beside the tables of a run.

use super::report::Column;
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
        let rows = Rows::new(&title, name_width, console.out_width.is_none_or(|width| width >= WIDE));
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
            write!(console.out, "\n{}", rows.head())?;
        }
        let mut printed = Ok(());
        let n_too_large = build.run(&plan, &mut |rights: BuiltRights| {
            printed = match &rights.lent {
                Some(path) => writeln!(console.err, "taken: {}", path.display()),
                None => {
                    let head = match sum.n_files == 0 && !lenders.is_empty() {
                        true => format!("\n{}", rows.head()),
                        false => String::new(),
                    };
                    sum.add(&rights);
                    write!(console.out, "{head}{}", rows.row(&rights)).and_then(|()| console.out.flush())
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
struct Rows(Vec<Column>);

impl Rows {
    /// Without room for results and positions these are left out.
    fn new(title: &str, name_width: usize, is_wide: bool) -> Self {
        let right = |title, width| Column::new(title, width, false);
        let mut columns = vec![Column::new(title, name_width, true)];
        columns.extend([right("rights", 6), right("positions", 11)]);
        columns.extend(Column::results(10).filter(|_| is_wide));
        columns.extend([right("time", 8), right("size", 8)]);
        columns.push(Column::new("longest win", 0, true));
        Rows(columns)
    }

    fn head(&self) -> String {
        Column::line(self.0.iter().map(|column| (column, column.title.clone())))
    }

    fn row(&self, rights: &BuiltRights) -> String {
        let (figures, is_wide) = (&rights.figures, self.0.len() > 6);
        let mut cells = vec![rights.name.clone(), rights.n_choices.to_string(), count(figures.n_positions())];
        let results = Side::BOTH.into_iter().flat_map(|stm| figures.side(stm));
        cells.extend(results.map(count).filter(|_| is_wide));
        cells.push(rights.time.map_or_else(|| "done".into(), seconds));
        cells.push(bytes(rights.size_bytes));
        cells.push(match &figures.longest_win {
            None => "none".into(),
            Some(longest) if is_wide => format!("{}: {}", distance(longest.ply.0), longest.fen),
            Some(longest) => distance(longest.ply.0),
        });
        Column::line(self.0.iter().zip(cells))
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
