//! `probe`: prints what positions are worth.

mod args;
mod prober;
mod stream;
pub(crate) mod text;

use crate::structure::check_lenders;
use crate::{Answer, Console, DEFAULT_VARIANT, Failure, Game, Outcome, Remedy, bits};
use ::probe::MissingTable;
pub(crate) use args::ProbeArgs;
use library::{AskedTables, Refusal, SolveBound, Told, read_position, shown};
use parking_lot::Mutex;
use position::{Position, RuleBook};
use prober::Prober;
use std::path::PathBuf;
use std::slice;
use std::time::Instant;
use variant::Metric;

pub(crate) fn run(console: &mut Console<'_>, args: &ProbeArgs) -> Outcome {
    check_lenders(&args.using)?;
    let is_of_one = args.fen.is_some() && args.bits.is_none() && !args.value_only;
    args.telling.refuse(match args.metric {
        _ if !is_of_one => {
            Some("is about one position and its moves: leave out --stdin, --bits and --value-only")
        }
        Some(Metric::Help) => Some("is about a contest: leave out --metric help"),
        _ => None,
    })?;
    if let Some(path) = &args.bits {
        let (variant, fen) = (args.variant.as_deref(), args.fen.as_deref());
        return bits::probe(console, path, variant, fen, args.json);
    }
    let only = only_game(console, args);
    let given = if args.tables.is_empty() { only.as_slice() } else { &args.tables };
    let (game, folders) = Game::asked(console, args.variant.as_deref(), given)?;
    let absent = folders.iter().find(|folder| !folder.is_dir()).map(slice::from_ref);
    let remedied = absent.unwrap_or(&folders);
    let (program, cache, own, known) =
        (console.program.name, console.cache.clone(), Default::default(), Default::default());
    let remedy = Remedy { program, game: &game, args, folders: remedied, own, cache, known };
    let is_there = absent.is_none();
    let bound = args.asking.bound().map(|bound| SolveBound { men_with_rights: usize::MAX, ..bound });
    let cache = args.asking.cache_bytes();
    let tables = AskedTables::new(&game.variant, if is_there { &folders } else { &[] }, cache, bound)?;
    let tables = tables.using(&args.using);
    let prober = Prober { args, tables: &tables, remedy: &remedy, others: Mutex::default() };
    let begun = Instant::now();
    // Without any tables but those that are solved for it a position may be answered, if they are small.
    let Some(fen) = args.fen.as_ref().filter(|_| is_there || args.tables.is_empty()) else {
        return if is_there { stream::run(console, &prober) } else { Err(no_folder(&prober, remedied)) };
    };
    let position = read(console, tables.book(), fen)?;
    match position.and_then(|position| prober.answer(&position)) {
        Ok(answer) => print(console, &prober, &answer, begun),
        Err(_) if !is_there => Err(no_folder(&prober, remedied)),
        Err(refusal) => {
            let message = prober.refused(fen, &refusal);
            if !args.json && !refusal.is_truth() {
                return Err(Failure::new(message.trim_end()));
            }
            write!(console.out, "{message}")?;
            if refusal.is_truth() { Ok(Answer::No) } else { Err(Failure::Printed) }
        }
    }
}

/// Prints the answer of a position, and says so if tables were solved for it.
fn print(console: &mut Console<'_>, prober: &Prober<'_>, told: &Told, begun: Instant) -> Outcome {
    if let Some(answer) = told.answers().into_iter().find(|answer| answer.is_solved) {
        let variant = prober.tables.variant();
        let material = answer.position.material().canonical(variant);
        let (name, time) = (material.name(variant), library::figure::seconds(begun.elapsed()));
        let what = match answer.files.is_empty() {
            true => format!("{name} and those it leads to"),
            false => format!("those that moves from {name} lead to"),
        };
        console.tell(&format!("not all tables are built: {what} were solved in memory, {time}"))?;
    }
    if let Told::Answer(answer) = told {
        prober.args.telling.draw(prober.tables.book(), answer)?;
    }
    console.out.write_all(prober.text(told).as_bytes())?;
    Ok(Answer::Yes)
}

/// Reads a position; says so if it has rights that cannot be.
fn read(console: &mut Console<'_>, book: &RuleBook, fen: &str) -> Outcome<Result<Position, Refusal>> {
    let read = read_position(book, fen);
    console.tell_denied(matches!(read, Ok((_, true))))?;
    Ok(read.map(|(position, _)| position).map_err(Refusal::from))
}

/// Returns the folder of the only game that has tables, if there is one and the arguments name no game.
fn only_game(console: &Console<'_>, args: &ProbeArgs) -> Option<PathBuf> {
    let tables = &console.tables;
    if args.variant.is_some() || tables.join(DEFAULT_VARIANT).exists() {
        return None;
    }
    let mut folders = std::fs::read_dir(tables).ok()?.flatten().map(|entry| entry.path());
    let first = folders.find(|path| path.is_dir())?;
    folders.all(|path| !path.is_dir()).then_some(first)
}

/// Says that a folder is not there, why the position is not solved in memory, and what helps.
fn no_folder(prober: &Prober<'_>, absent: &[PathBuf]) -> Failure {
    let (tables, variant) = (prober.tables, prober.tables.variant());
    let needed = |fen| {
        let position = Position::from_fen_with_castling(tables.book(), fen).ok()?;
        let name = position.material().canonical(variant).name(variant);
        Some(tables.explained(MissingTable::new(name, variant.default_metric, "".into()), &position))
    };
    let missing = prober.args.fen.as_deref().and_then(needed);
    let remedy = match missing.as_ref().and_then(|missing| missing.position.as_deref()) {
        Some(fen) => prober.remedy.alone(fen),
        None => {
            let why =
                missing.and_then(|missing| Some(format!("; {} is {}", missing.material, missing.unsolved?)));
            format!(": run `{}`{}", prober.remedy.command(None), why.unwrap_or_default())
        }
    };
    Failure::new(format!("there is no folder {}{remedy}", shown(absent)))
}
