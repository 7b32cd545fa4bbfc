//! `stats --hash`: names the values of tables, of positions with castling rights and of structures.
//!
//! A hash is of values alone. It shows that two programs, two ways to solve or two files agree everywhere.

use crate::args::StatsArgs;
use crate::console::Console;
use crate::exchange::ExchangeTable;
use crate::filed::FiledTable;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::probe::ExchangeFile;
use ::stats::ValueHash;
use ::structure::{Bound, SolvedStructure};
use format::WINNER_EXTENSION;
use library::table_files;
use rayon::ThreadPool;
use rights::{RightsFile, RightsSummary};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::Value;
use variant::Metric;

pub(super) fn run(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    let pool = pool(None)?;
    let files = if args.file.is_dir() { files(&args.file)? } else { vec![args.file.clone()] };
    for file in files {
        let hash = hash(console, args, &pool, &file)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        writeln!(console.out, "{hash}  {}", variant::visible(&name))?;
        console.out.flush()?;
    }
    Ok(Answer::Yes)
}

/// The files of our own in a folder, by their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = table_files(folder)?;
    let entries = std::fs::read_dir(folder).map_err(Failure::new)?;
    let paths = entries.flatten().map(|entry| entry.path());
    files.extend(paths.filter(|path| is(path, ::rights::EXTENSION) || is(path, ::structure::EXTENSION)));
    files.sort();
    Ok(files)
}

fn is(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|extension| extension == ending)
}

fn hash(
    console: &mut Console<'_>,
    args: &StatsArgs,
    pool: &ThreadPool,
    file: &Path,
) -> Result<String, Failure> {
    let variant = args.variant.as_deref();
    if is(file, ::structure::EXTENSION) {
        return of_structure(args, file);
    }
    if is(file, ::rights::EXTENSION) {
        return of_rights(args, file);
    }
    if is(file, WINNER_EXTENSION) {
        return Err(Failure::new("a hash is of all values, and this file has one side's wins alone"));
    }
    let (metric, table) = if ExchangeFile::kind_of(file).is_some() {
        let ExchangeTable { metric, table, .. } = ExchangeTable::read(console, pool, file, variant)?;
        (metric, Arc::new(table))
    } else {
        let filed = FiledTable::open(file, variant)?;
        (filed.metric, filed.read(console, pool)?)
    };
    Ok(ValueHash::of_table(&table, metric).finish())
}

/// The values of all choices of rights, one behind the other.
fn of_rights(args: &StatsArgs, file: &Path) -> Result<String, Failure> {
    let summary = RightsSummary::read(file).map_err(Failure::new)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let game = Game::find_beside(args.variant.as_deref(), &summary.variant, folder)?;
    let metric: Metric = summary.metric.parse().map_err(Failure::new)?;
    let material = game.material(&summary.material)?;
    let file = RightsFile::open(file, &game.variant, &material, metric).map_err(Failure::new)?;
    let mut hash = ValueHash::new(&summary.material, metric);
    for key in file.keys() {
        let table = file.table(key).map_err(Failure::new)?.expect("the file has this key");
        // What is no position counts as none; its place may hold anything.
        (0..table.n_numbers()).for_each(|number| {
            let is_position = table.position(&game.variant, number).is_some();
            hash.add(if is_position { table.value_of(number) } else { Value::Illegal });
        });
    }
    Ok(hash.finish())
}

/// The values and bounds of all legal positions, in the order of the file.
fn of_structure(args: &StatsArgs, file: &Path) -> Result<String, Failure> {
    let name = SolvedStructure::variant_of(file).map_err(Failure::new)?;
    let name = if name.is_empty() { DEFAULT_VARIANT } else { &name };
    let game = Game::find_beside(args.variant.as_deref(), name, file.parent().unwrap_or(Path::new("")))?;
    let solved = SolvedStructure::open(file, &game.variant).map_err(Failure::new)?;
    let mut hash = ValueHash::new("structure", solved.metric());
    let mut last = None;
    let visited = solved.for_each(|bound, _, value| {
        // A change of the bound counts like a value that there cannot be.
        if last.replace(bound) != Some(bound) {
            let mark = match bound {
                Bound::Exact => 0,
                Bound::Lower => 1,
                Bound::Upper => 2,
            };
            hash.add(Value::Loss(table::Ply(u16::MAX - mark)));
        }
        hash.add(value);
    });
    visited.map_err(Failure::new)?;
    Ok(hash.finish())
}
