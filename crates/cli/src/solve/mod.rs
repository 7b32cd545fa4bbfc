//! `solve`: builds tables and reports what is in them.

mod args;
pub(crate) mod by_clock;
mod helpmates;
mod job;
mod report;
mod rights;
mod run;
mod writing;

use crate::args::WriteFormat;
use crate::{Answer, Console, DEFAULT_VARIANT, Failure, Game, Outcome, interrupt, pool, structure};
pub(crate) use args::SolveArgs;
use build::Solver;
use library::Edition;
pub(crate) use run::JOB_PATIENCE;
use run::Run;
use variant::{Material, Metric, Side};

pub(crate) fn run(console: &mut Console<'_>, args: &SolveArgs) -> Outcome {
    const LINE: &str = "the tables that are finished stay: run again to go on";
    let solver: &Solver<'_> = &|variant, options, layout, lookup, progress| {
        ::solve::solve(variant, options, layout, lookup, progress)
    };
    if args.structure.position.is_empty() {
        args.telling.refuse(Some("is about a position: name one with --position FEN"))?;
    }
    if !args.structure.is_given() {
        interrupt::announce(LINE);
        return run_with(console, args, solver);
    }
    if args.structure.position.len() > 1 && args.telling.svg.is_some() {
        return Err(Failure::new("--svg draws one position: name one with --position FEN"));
    }
    let (game, roots) = structure::asked(console, args.variant.as_deref(), &args.structure)?;
    // Helpmates are searched in memory.
    let written = (!args.metric.contains(&Metric::Help)).then_some("files");
    game.tell_choices(console, args.variant.as_deref(), args.out.as_deref(), written)?;
    if args.metric.contains(&Metric::Help) {
        args.telling.refuse(Some("is about a contest: leave out --metric help"))?;
        interrupt::allow("nothing is kept");
        return helpmates::search(console, args, &game, &roots);
    }
    by_clock::refuse_positions(&args.metric)?;
    if let Some(these) = structure::of_whole_tables(&game, &args.structure, &roots)? {
        let why = format!("does not go with {these}: ask for it with probe when they are solved");
        args.telling.refuse(Some(&why))?;
        interrupt::announce(LINE);
        return rights::solve_positions(console, args, solver, &game, &roots, these);
    }
    interrupt::allow("what is solved is kept: run again to go on");
    structure::solve(console, args, &game, &roots)
}

/// Like [`run`], with this solver and for tables only.
pub(crate) fn run_with(console: &mut Console<'_>, args: &SolveArgs, solver: &Solver<'_>) -> Outcome {
    match args.job {
        true => job::run(console, args, |console| solve(console, args, solver))?,
        false => drop(solve(console, args, solver)?),
    }
    Ok(Answer::Yes)
}

/// Builds what is asked for; the names of the tables that this run has made, for each edition.
fn solve(console: &mut Console<'_>, args: &SolveArgs, solver: &Solver<'_>) -> Outcome<Vec<Vec<String>>> {
    let game = Game::find(args.variant.as_deref(), DEFAULT_VARIANT, &[])?.for_metrics(&args.metric)?;
    let (request, pool) = (game.request(&args.wanted)?, pool(args.threads)?);
    game.tell_choices(console, args.variant.as_deref(), args.out.as_deref(), Some("tables"))?;
    game.tell_tables(console, &args.wanted.table)?;
    let run = Run { game: &game, request, args, solver, pool: &pool, is_json: args.json };
    let folder = game.tables(console, args.out.as_deref());
    by_clock::check_options(args)?;
    by_clock::check_clock(args, &game.variant)?;
    if args.rights {
        rights::check(&run)?;
    }
    if args.write.iter().any(|&format| format != WriteFormat::Tsm) {
        writing::run(console, &run, &folder)?;
        return Ok(Vec::new());
    }
    if args.rounded {
        return Err(Failure::new("--rounded is for --write syzygy"));
    }
    if args.one_file {
        return Err(Failure::new(writing::NOT_FLAT));
    }
    let mut editions = game.editions(&args.metric);
    if let Some(side) = args.wins {
        editions = editions_of_winner(side, console, &game, &args.wanted.table, editions)?;
    }
    if args.trim {
        run.trim(console, &editions, &folder)?;
        return Ok(Vec::new());
    }
    let made = run.build(console, &editions, &folder, run.files())?;
    if args.rights {
        rights::build(console, &run, &editions, &folder)?;
    }
    Ok(made)
}

/// These editions with one side's wins alone of the table that was typed. Where its colours are exchanged
/// in the table, so is the side, which is said.
fn editions_of_winner(
    side: Side,
    console: &mut Console<'_>,
    game: &Game,
    typed: &[String],
    editions: Vec<Edition>,
) -> Outcome<Vec<Edition>> {
    let [typed] = typed else {
        return Err(Failure::new("--wins is for one table: name one with --table"));
    };
    let (variant, material) = (&game.variant, game.material(typed)?);
    let is_swapped = Material::parse(variant, typed).is_ok_and(|own| own != material);
    let winner = if is_swapped { !side } else { side };
    if is_swapped {
        let name = material.name(variant);
        console.tell(&format!("{side}'s wins in {typed} are {winner}'s in {name}"))?;
    }
    let with = |edition: Edition| edition.with_winner(&material, winner);
    let editions = editions.into_iter().map(with).collect::<Result<_, _>>();
    editions.map_err(|error| Failure::new(format!("{error}; leave out --wins")))
}

#[cfg(test)]
mod tests;
