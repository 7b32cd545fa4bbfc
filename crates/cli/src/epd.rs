//! `stats --epd`: lists the longest wins and losses and the mutual zugzwangs of a table, with either side to
//! move.

use crate::args::StatsArgs;
use crate::console::Console;
use crate::filed::FiledTable;
use crate::game::Game;
use crate::pool::pool;
use crate::{Answer, Outcome};
use ::stats::{Listing, longest_epd, zugzwangs_epd};
use library::figure::{count, plural};
use rayon::ThreadPool;
use table::Table;
use variant::Metric;

/// The most lines of a kind on a terminal, unless somebody asks. A file or a program gets all of them.
const MAX_ON_TERMINAL: u64 = 1000;

pub(crate) fn run(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    let (filed, pool) = (FiledTable::open(&args.file, args.variant.as_deref())?, pool(None)?);
    let table = filed.read(console, &pool)?;
    print(console, &pool, args, &filed.game, filed.metric, &table)
}

/// Prints the lists of a table that is there.
pub(crate) fn print(
    console: &mut Console<'_>,
    pool: &ThreadPool,
    args: &StatsArgs,
    game: &Game,
    metric: Metric,
    table: &Table,
) -> Outcome {
    let name = table.layout().name();
    let limit = args.limit.or(console.out_width.map(|_| MAX_ON_TERMINAL)).unwrap_or(u64::MAX);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut lists = pool.install(|| longest_epd(&game.variant, metric, table, limit));
    lists.push(pool.install(|| zugzwangs_epd(&game.variant, table, limit)));
    for list in &lists {
        list.lines.iter().try_for_each(|line| writeln!(console.out, "{line}"))?;
        if let Some(note) = note(list) {
            console.tell(&format!("{name}: {note}"))?;
        }
    }
    Ok(Answer::Yes)
}

/// What a list does not show by itself: that it goes on, and why others count more positions.
fn note(list: &Listing) -> Option<String> {
    let Listing { title, lines, n_all, n_counted } = list;
    let mut notes = Vec::new();
    if (lines.len() as u64) < *n_all {
        let (n_lines, n_all) = (count(lines.len() as u64), count(*n_all));
        notes.push(format!("the first {n_lines} of {n_all}; --limit N lists more"));
    }
    if n_counted != n_all {
        let (n_all, n_counted) = (plural(*n_all, "position"), count(*n_counted));
        notes.push(format!(
            "{n_all}; the statistics tell like men apart (two rooks that change places) and count {n_counted}"
        ));
    }
    (!notes.is_empty()).then(|| format!("{title}: {}", notes.join("; ")))
}
