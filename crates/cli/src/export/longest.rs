//! `export --format longest`: lists the longest wins and losses of all tables of a folder.

use crate::args::ExportArgs;
use crate::console::Console;
use crate::{Answer, Failure, Outcome};
use build::FolderLock;
use library::TableFigures;
use library::figure::plural;
use std::path::Path;
use variant::{Side, visible};

/// The name of the list.
const NAME: &str = "longest_mates.csv";

pub(super) fn run(console: &mut Console<'_>, args: &ExportArgs) -> Outcome {
    if args.gz || args.wide || args.one_file || args.rounded || args.fen {
        return Err(Failure::new("--gz, --wide, --one-file, --rounded and --fen are for other formats"));
    }
    let (mut tables, faults) = TableFigures::of_folder(&args.tables)?;
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault.into());
    }
    let is_meant = |figures: &TableFigures| {
        let name = &figures.statistics.material;
        let is_named = args.table.is_empty() || args.table.contains(name);
        // A name has a letter for each man and one between the sides.
        let is_small = args.men.is_none_or(|n_men| name.len() <= n_men + 1);
        is_named && is_small && args.metric.is_none_or(|metric| figures.statistics.metric == metric.name())
    };
    tables.retain(is_meant);
    if tables.is_empty() {
        return Err(Failure::new(format!("{} has no such tables", args.tables.display())));
    }
    let mut text = String::from("table,metric,to_move,result,plies,positions,positions_board,fen\n");
    for TableFigures { statistics, .. } in &tables {
        for stm in Side::BOTH {
            let side = statistics.side(stm);
            for (result, longest) in [("win", &side.longest_win), ("loss", &side.longest_loss)] {
                let Some(longest) = longest else { continue };
                let (table, metric) = (visible(&statistics.material), visible(&statistics.metric));
                let to_move = stm.to_string().to_lowercase();
                let (count, fen) = (longest.count, visible(&longest.fen));
                text += &format!(
                    "{table},{metric},{to_move},{result},{},{},{},{fen}\n",
                    longest.ply, count.orbits, count.unreduced
                );
            }
        }
    }
    // Takes away what runs have left that were killed.
    let _lock = FolderLock::new(&args.out)?;
    let path = Path::new(&args.out).join(NAME);
    format::write_atomically(&path, &[text.as_bytes()]).map_err(Failure::new)?;
    writeln!(console.out, "{} in {}", plural(tables.len() as u64, "table"), path.display())?;
    Ok(Answer::Yes)
}
