//! `solve`: builds tables and reports what is in them.

mod args;
mod job;
mod position;
mod report;
mod rights;
mod run;
mod writing;

use crate::args::WriteFormat;
use crate::console::Console;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome, interrupt, structure, winner};
pub(crate) use args::SolveArgs;
use build::Solver;
use run::Run;

pub(crate) fn run(console: &mut Console<'_>, args: &SolveArgs) -> Outcome {
    const LINE: &str = "the tables that are finished stay: run again to go on";
    let solver: &Solver<'_> = &|variant, options, layout, lookup, progress| {
        ::solve::solve(variant, options, layout, lookup, progress)
    };
    if !args.structure.is_given() {
        interrupt::announce(LINE);
        return run_with(console, args, solver);
    }
    structure::tell_denied(console, args.variant.as_deref(), &args.structure)?;
    match structure::castling_roots(args.variant.as_deref(), &args.structure)? {
        Some((game, roots)) => {
            interrupt::announce(LINE);
            position::run(console, args, solver, &game, &roots)
        }
        None => {
            interrupt::allow("what is solved is kept: run again to go on");
            structure::solve(console, args)
        }
    }
}

/// Like [`run`], with this solver and for tables only.
pub(crate) fn run_with(console: &mut Console<'_>, args: &SolveArgs, solver: &Solver<'_>) -> Outcome {
    match args.job {
        true => job::run(console, args, |console| solve(console, args, solver)),
        false => solve(console, args, solver).map(|(answer, _)| answer),
    }
}

/// Builds what is asked for; beside the answer the names of the tables that this run has made, for each
/// edition.
fn solve(
    console: &mut Console<'_>,
    args: &SolveArgs,
    solver: &Solver<'_>,
) -> Result<(Answer, Vec<Vec<String>>), Failure> {
    let game = structure::game(args.variant.as_deref())?;
    let (request, pool) = (game.request(&args.wanted)?, pool(args.threads)?);
    game.tell_tables(console, &args.wanted.table)?;
    let run = Run { game: &game, request, args, solver, pool: &pool, is_json: args.json };
    let folder = game.tables(args.out.as_deref());
    if args.rights {
        rights::check(&run)?;
    }
    if args.write.iter().any(|&format| format != WriteFormat::Tsm) {
        return Ok((writing::run(console, &run, &folder)?, Vec::new()));
    }
    if args.rounded {
        return Err(Failure::new("--rounded is for --write syzygy"));
    }
    if args.one_file {
        return Err(Failure::new(writing::NOT_FLAT));
    }
    let mut editions = game.editions(&args.metric);
    if let Some(side) = args.wins {
        editions = winner::editions(side, console, &game, &args.wanted.table, editions)?;
    }
    let made = run.build(console, &editions, &folder, run.files())?;
    if args.rights {
        rights::build(console, &run, &editions, &folder)?;
    }
    Ok((Answer::Yes, made))
}

#[cfg(test)]
mod tests;
