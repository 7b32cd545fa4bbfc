//! `stats`: prints the statistics of a table.

use crate::args::StatsArgs;
use crate::console::Console;
use crate::exchange::ExchangeTable;
use crate::game::Game;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::probe::ExchangeFile;
use ::stats::{Statistics, longest_wins_epd_with, zugzwangs_epd};
use format::{FormatError, Summary};
use library::{Edition, TableFiles};
use std::path::Path;

/// The most positions of a kind that are written as EPD.
const MAX_EPD: usize = 1000;

pub(crate) fn run(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    if ExchangeFile::kind_of(&args.file).is_some() {
        return of_exchange(console, args);
    }
    let summary = Summary::read(&args.file).map_err(Failure::new)?;
    if args.epd {
        return epd(console, args, &summary);
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
        write!(console.out, "{}", statistics.render())?;
    }
    Ok(Answer::Yes)
}

/// The same of a flat or Syzygy file, which has no statistics: they are counted.
fn of_exchange(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    let ExchangeTable { game, metric, table } =
        ExchangeTable::read(console, &args.file, args.variant.as_deref())?;
    if !args.epd {
        let statistics = pool(None)?.install(|| Statistics::collect_with(&game.variant, metric, &table));
        return print(console, args, &statistics);
    }
    let mut lines = longest_wins_epd_with(&game.variant, metric, &table, MAX_EPD);
    lines.extend(zugzwangs_epd(&game.variant, &table, MAX_EPD));
    lines.iter().try_for_each(|line| writeln!(console.out, "{line}"))?;
    Ok(Answer::Yes)
}

/// The longest wins and the mutual zugzwangs, found in the table itself.
fn epd(console: &mut Console<'_>, args: &StatsArgs, summary: &Summary) -> Outcome {
    let game = Game::find(args.variant.as_deref(), &summary.metadata.variant)?;
    let metric = summary.metric.parse().unwrap_or(game.variant.default_metric);
    let folder = args.file.parent().unwrap_or(Path::new(""));
    let files = TableFiles::new(Edition::new(&game.variant, metric), folder);
    let pool = pool(None)?;
    let lines = pool.install(|| {
        let table = files.read(&summary.material)?;
        let variant = files.edition().variant();
        let mut lines = longest_wins_epd_with(variant, metric, &table, MAX_EPD);
        lines.extend(zugzwangs_epd(variant, &table, MAX_EPD));
        Ok::<_, FormatError>(lines)
    });
    for line in lines.map_err(Failure::new)? {
        writeln!(console.out, "{line}")?;
    }
    Ok(Answer::Yes)
}
