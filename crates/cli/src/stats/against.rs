//! `stats --against`: compares two tables of the same men under different rules.

use crate::args::StatsArgs;
use crate::console::Console;
use crate::filed::FiledTable;
use crate::grid::{Align, Grid};
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::stats::{Contrast, Standing};
use library::figure::{count, plural};
use std::path::Path;
use variant::Side;

pub(super) fn run(console: &mut Console<'_>, args: &StatsArgs, other: &Path) -> Outcome {
    let pool = pool(None)?;
    let first = FiledTable::open(&args.file, args.variant.as_deref())?;
    let second = FiledTable::open(other, None)?;
    if first.metric != second.metric {
        return Err(Failure::new(format!(
            "{} holds {} and {} holds {}; tables of one metric are compared",
            args.file.display(),
            first.metric,
            other.display(),
            second.metric
        )));
    }
    let tables = [first.read(console, &pool)?, second.read(console, &pool)?];
    let [a, b] =
        [(&first, &tables[0]), (&second, &tables[1])].map(|(own, table)| (&own.game.variant, &**table));
    let contrast = pool.install(|| Contrast::new(a, b)).map_err(|error| {
        Failure::new(format!("{} and {} cannot be compared: {error}", args.file.display(), other.display()))
    })?;
    let name = tables[0].layout().name();
    let [own, theirs] = [&first, &second].map(|compared| compared.game.variant.name.as_str());
    writeln!(
        console.out,
        "{name} {}: rows by {own}, columns by {theirs}; positions modulo symmetry and the exchange of like men",
        first.metric
    )?;
    for stm in Side::BOTH {
        let side = contrast.side(stm);
        let titles = Standing::ALL.map(|standing| format!("{theirs}: {}", standing.text()));
        let head = format!("{stm} to move");
        let mut columns = vec![(head.as_str(), Align::Left)];
        columns.extend(titles.iter().map(|title| (title.as_str(), Align::Right)));
        let mut grid = Grid::new(&columns);
        for before in Standing::ALL {
            let counts = Standing::ALL.map(|after| match (before, after) {
                // No position in either: nothing to count.
                (Standing::Illegal, Standing::Illegal) => String::new(),
                _ => count(side.count(before, after)),
            });
            let row = std::iter::once(format!("{own}: {}", before.text())).chain(counts);
            grid.push(row.collect());
        }
        write!(console.out, "{}", grid.text(console.out_width))?;
        let same = plural(side.n_other_plies, "position");
        writeln!(console.out, "{same} with the same result and another number of plies")?;
        for change in &side.examples {
            writeln!(
                console.out,
                "  {}: {} by {own}, {} by {theirs}",
                change.fen, change.before, change.after
            )?;
        }
    }
    Ok(Answer::Yes)
}
