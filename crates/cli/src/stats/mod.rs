//! `stats`: prints the statistics of a table, or of all tables of a folder.

mod against;
mod hash;
mod list;
mod report;
mod rights;

use crate::args::StatsArgs;
use crate::console::Console;
use crate::exchange::ExchangeTable;
use crate::fold::fold;
use crate::game::Game;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome, epd, structure};
use ::probe::ExchangeFile;
use ::stats::Statistics;
use format::{BlockCache, Summary, TableFile};
use library::TableFigures;
use std::sync::Arc;
use variant::visible;

pub(crate) fn run(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    structure::check_lenders(&args.using)?;
    if args.hash {
        return hash::run(console, args);
    }
    if args.file.extension().is_some_and(|ending| ending == ::structure::EXTENSION) {
        return structure::stats(console, args);
    }
    if args.file.extension().is_some_and(|ending| ending == ::rights::EXTENSION) {
        return rights::run(console, args);
    }
    if args.squares {
        return Err(Failure::new("--squares is for structures (.tss)"));
    }
    if let Some(other) = &args.against {
        return against::run(console, args, other);
    }
    if args.report {
        return report::run(console, args);
    }
    if args.file.is_dir() {
        let (tables, faults) = TableFigures::of_folder(&args.file)?;
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let faults = (!faults.is_empty()).then(|| Failure::new(faults.join("\nerror: ")));
        if let (true, Some(faults)) = (tables.is_empty(), &faults) {
            return Err(faults.clone());
        }
        return list::run(console, args, tables).and_then(|answer| faults.map_or(Ok(answer), Err));
    }
    if ExchangeFile::kind_of(&args.file).is_some() {
        return of_exchange(console, args);
    }
    let summary = Summary::read(&args.file).map_err(Failure::new)?;
    if let Some(path) = &args.variant {
        check_rules(&Game::load(path)?, args, &summary)?;
    }
    if args.epd {
        return epd::run(console, args);
    }
    // They stand in the file, counted when it was made.
    let figures = TableFigures::read(&args.file)?;
    if args.csv || args.markdown {
        return list::run(console, args, vec![figures]);
    }
    print(console, args, &figures.statistics)
}

fn print(console: &mut Console<'_>, args: &StatsArgs, statistics: &Statistics) -> Outcome {
    if args.json {
        console.print_json(statistics)?;
    } else {
        // A file or a program gets every row; on a terminal a screen is enough.
        let text = match console.out_width {
            Some(_) => statistics.render() + &statistics.render_means(),
            None => statistics.render_whole(),
        };
        // It is the text of whoever made the file.
        let text = visible(&text);
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
    if args.csv || args.markdown {
        return Err(Failure::new("--csv and --markdown are for .tsm files, which carry their statistics"));
    }
    let pool = pool(None)?;
    let ExchangeTable { game, metric, table } =
        ExchangeTable::read(console, &pool, &args.file, args.variant.as_deref())?;
    if args.epd {
        return epd::print(console, &pool, args, &game, metric, &table);
    }
    let statistics = pool.install(|| Statistics::collect(&game.variant, metric, &table));
    print(console, args, &statistics)
}
