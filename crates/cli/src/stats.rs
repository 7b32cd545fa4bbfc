//! `stats`: prints the statistics of a table.

use crate::args::StatsArgs;
use crate::console::Console;
use crate::exchange::ExchangeTable;
use crate::fold::fold;
use crate::game::Game;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome, epd};
use ::probe::ExchangeFile;
use ::stats::Statistics;
use format::{BlockCache, Summary, TableFile};
use std::sync::Arc;
use variant::visible;

pub(crate) fn run(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    if ExchangeFile::kind_of(&args.file).is_some() {
        return of_exchange(console, args);
    }
    let summary = Summary::read(&args.file).map_err(Failure::new)?;
    if let Some(path) = &args.variant {
        check_rules(&Game::load(path)?, args, &summary)?;
    }
    if args.epd {
        return epd::run(console, args, &summary);
    }
    // They stand in the file, counted when it was made.
    let statistics: Statistics = serde_json::from_value(summary.metadata.statistics).map_err(|error| {
        let file = args.file.display();
        Failure::new(format!("{file} has no statistics that this program can read ({error}); solve it again"))
    })?;
    print(console, args, &statistics)
}

fn print(console: &mut Console<'_>, args: &StatsArgs, statistics: &Statistics) -> Outcome {
    if args.json {
        console.print_json(statistics)?;
    } else {
        // It is the text of whoever made the file.
        let text = visible(&statistics.render());
        let text = console.out_width.map_or_else(|| text.clone(), |width| fold(&text, width));
        write!(console.out, "{text}")?;
    }
    Ok(Answer::Yes)
}

/// Fails if these are not the rules that the file was made by.
fn check_rules(game: &Game, args: &StatsArgs, summary: &Summary) -> Result<(), Failure> {
    let metric = summary.metric.parse().map_err(Failure::new)?;
    let cache = Arc::new(BlockCache::new(0));
    TableFile::open_of(&args.file, &game.variant, metric, cache).map(drop).map_err(Failure::new)
}

/// The same of a flat or Syzygy file, which has no statistics: they are counted.
fn of_exchange(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    let pool = pool(None)?;
    let ExchangeTable { game, metric, table } =
        ExchangeTable::read(console, &pool, &args.file, args.variant.as_deref())?;
    if args.epd {
        return epd::print(console, &pool, args, &game, metric, &table);
    }
    let statistics = pool.install(|| Statistics::collect(&game.variant, metric, &table));
    print(console, args, &statistics)
}
