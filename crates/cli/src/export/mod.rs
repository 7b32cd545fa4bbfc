//! `export`: writes tables in the formats of others.

mod bits;
mod columns;
mod failure;
mod flat;
mod folder;
mod longest;
mod syzygy;

use crate::args::{ExportArgs, ExportFormat};
use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::remedy::solve_for;
use crate::{Answer, Failure, Outcome, interrupt};
use ::syzygy::{MAX_MEN, Options};
use build::{FolderLock, SyzygyExport, families};
use export::flat::Form;
pub(crate) use failure::failure;
pub(crate) use flat::FlatWriting;
use folder::tell_passed_over;
pub(crate) use folder::{edition_of, editions_of, materials_of};
use library::Edition;
use std::collections::BTreeSet;
pub(crate) use syzygy::{SyzygyWriting, refused};
use variant::{Material, Metric};

pub(crate) fn run(console: &mut Console<'_>, args: &ExportArgs) -> Outcome {
    interrupt::announce("the files that are finished stay: export the other tables, or all of them again");
    if args.question.is_some() && args.format != ExportFormat::Bits {
        return Err(Failure::new("--question is for --format bits"));
    }
    match args.format {
        ExportFormat::Syzygy => {}
        ExportFormat::Bits => return bits::run(console, args),
        ExportFormat::Tbl => return flat::run(console, args, Form::Distances),
        ExportFormat::Tbc => return flat::run(console, args, Form::Wdl),
        ExportFormat::Parquet | ExportFormat::Npz => return columns::run(console, args),
        ExportFormat::Longest => return longest::run(console, args),
    }
    if args.fen {
        return Err(Failure::new("--fen is for --format parquet"));
    }
    if args.gz || args.wide || args.one_file || args.metric.is_some() {
        let message = "--gz, --wide, --one-file and --metric are for --format tbl and --format tbc";
        return Err(Failure::new(message));
    }
    let game = Game::of_folder(args.variant.as_deref(), &args.tables)?;
    game.tell_tables(console, &args.table)?;
    let edition = Edition::new(&game.variant, Metric::Dtz50);
    let mut wanted = wanted(&game, &edition, args, console.program.name)?;
    let why = format!("without files of wdl and dtz50, or with more than {MAX_MEN} men");
    tell_passed_over(console, &game, args, &wanted, &why)?;
    let (families, refusals) = families(&game.variant, &wanted);
    if let Some(first) = refusals.first().filter(|_| families.is_empty() || !args.table.is_empty()) {
        return Err(Failure::new(refused(first)));
    }
    refusals.iter().try_for_each(|refusal| console.tell(&format!("passed over: {}", refused(refusal))))?;
    wanted.retain(|material| families.contains_key(material));
    let lock = FolderLock::new(&args.out)?;
    lock.check_writable()?;
    game.leave_rules(&lock)?;
    let options = Options { rounded: args.rounded };
    format::give_back_freed_memory();
    let export = SyzygyExport { variant: &game.variant, tables: &args.tables, out: &args.out, options };
    SyzygyWriting { game: &game, export, pool: &pool(args.threads)? }.write(console, &families)?;
    Ok(Answer::Yes)
}

/// The tables that are asked for, or all that the folder has.
fn wanted(
    game: &Game,
    edition: &Edition,
    args: &ExportArgs,
    program: &str,
) -> Result<BTreeSet<Material>, Failure> {
    if !args.table.is_empty() {
        return args.table.iter().map(|name| game.material(name)).collect();
    }
    let n_men = args.men.unwrap_or(MAX_MEN).min(MAX_MEN);
    let found = materials_of(game, edition, &args.tables, n_men)?;
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::new(format!(
            "{} has no tables of the metrics wdl and dtz50; {}",
            args.tables.display(),
            solve_for(program, &game.path, None, &[Metric::Wdl, Metric::Dtz50], &args.tables)
        ))),
    }
}
