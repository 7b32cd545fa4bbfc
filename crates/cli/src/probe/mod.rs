//! `probe`: prints what a position is worth.

mod remedy;
mod source;
mod stream;
pub(crate) mod text;

use crate::args::ProbeArgs;
use crate::console::Console;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::structure::{Bounded, check_lenders};
use crate::{Answer, Failure, Outcome, bits};
use ::probe::{MissingTable, ProbeError, Tablebase};
use library::{AskedTables, Finding, FindingJson, Folder, Refusal, RefusalJson, read_position};
use position::{Position, RuleBook};
use remedy::Remedy;
use source::{Source, Sources, is_short, lacks_table};
use std::path::{Path, PathBuf};
use std::time::Instant;
use variant::{Material, Metric};

pub(crate) fn run(console: &mut Console<'_>, args: &ProbeArgs) -> Outcome {
    check_lenders(&args.using)?;
    if let Some(path) = &args.bits {
        return bits::probe(console, args, path);
    }
    let given = args.tables.clone().or_else(|| only_game(args));
    let game = match &given {
        // A folder that is not there is reported below.
        Some(folder) if folder.is_dir() => Game::of_folder(args.variant.as_deref(), folder)?,
        _ => Game::find(args.variant.as_deref(), DEFAULT_VARIANT)?,
    };
    let folder = game.tables(given.as_deref());
    let cache = console.cache.clone();
    let remedy = Remedy::new(console.program.name, &game, args, &folder, cache.as_deref());
    let asked = AskedTables::new(&game.variant, None, 0, args.asking.bound())?;
    let tables = match Folder::new(&folder, game.variant.clone()).tablebases(args.asking.cache_bytes()) {
        Ok(tables) => tables.solving_rights(args.asking.most_men_with_rights()),
        Err(ProbeError::NoFolder { folder }) => {
            if args.tables.is_none()
                && let Some(answer) = without_folder(console, args, &remedy, &game, &asked)?
            {
                return Ok(answer);
            }
            let (shown, command) = (folder.display(), remedy.command(None));
            let why = unsolved(args, &game, &asked).map_or_else(String::new, |why| format!("; {why}"));
            return Err(Failure::new(format!("there is no folder {shown}: run {command}{why}")));
        }
        Err(error) => return Err(Failure::new(error)),
    };
    let sources = Sources::new(args, &game, &folder, tables);
    match &args.fen {
        Some(fen) => one(console, args, &sources, &remedy, &asked, fen),
        None => stream::run(console, args, &sources, &remedy, &asked),
    }
}

/// Reads a position; says so if it has rights that cannot be.
fn read(console: &mut Console<'_>, book: &RuleBook, fen: &str) -> Result<Result<Position, Refusal>, Failure> {
    let read = read_position(book, fen);
    if matches!(read, Ok((_, true))) {
        console.tell_denied()?;
    }
    Ok(read.map(|(position, _)| position).map_err(Refusal::from))
}

/// The folder of the only game that has tables, if there is one and nobody names a game.
fn only_game(args: &ProbeArgs) -> Option<PathBuf> {
    let tables = Path::new("tables");
    if args.variant.is_some() || tables.join(DEFAULT_VARIANT).exists() {
        return None;
    }
    let mut folders = std::fs::read_dir(tables).ok()?.flatten().map(|entry| entry.path());
    let first = folders.find(|path| path.is_dir())?;
    folders.all(|path| !path.is_dir()).then_some(first)
}

/// Answers for one position without any tables but those that are solved for it, if they are small.
fn without_folder(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    remedy: &Remedy<'_>,
    game: &Game,
    asked: &AskedTables,
) -> Result<Option<Answer>, Failure> {
    let Some(fen) = &args.fen else { return Ok(None) };
    let Ok(position) = read(console, asked.book(), fen)? else { return Ok(None) };
    one_solved(console, args, remedy, asked, &position, args.metric.unwrap_or(game.variant.default_metric))
}

/// Why the table of a position is not solved in memory, if it is too large for that.
fn unsolved(args: &ProbeArgs, game: &Game, asked: &AskedTables) -> Option<String> {
    let position = Position::from_fen_with_castling(asked.book(), args.fen.as_ref()?).ok()?;
    let material = Material::from_men(position.men().map(|(man, _)| man)).canonical(&game.variant);
    let name = material.name(&game.variant);
    let missing = asked.explained(MissingTable::new(name.clone(), game.variant.default_metric, "".into()));
    missing.unsolved.map(|why| format!("{name} is {why}"))
}

/// Answers for one position.
fn one(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    sources: &Sources<'_>,
    remedy: &Remedy<'_>,
    asked: &AskedTables,
    fen: &str,
) -> Outcome {
    let own = sources.own();
    let position = match read(console, own.book(), fen)? {
        Ok(position) => position,
        Err(refusal) => return refuse(console, args, remedy, fen, &refusal),
    };
    let found = found(args, own, &position);
    let is_decided = found.is_ok();
    let other = match lacks_table(&found) {
        true => sources.other(&position, is_decided),
        false => Ok(None),
    };
    match other {
        Ok(None) => one_by(console, args, own, remedy, asked, (fen, position, found)),
        Ok(Some(Source::Tables(tables))) => {
            let found = self::found(args, tables, &position);
            one_by(console, args, tables, remedy, asked, (fen, position, found))
        }
        Ok(Some(Source::File(tables))) => {
            let found = self::found(args, &tables, &position);
            one_by(console, args, &tables, remedy, asked, (fen, position, found))
        }
        Ok(Some(Source::Bounds(structures))) => {
            match Bounded::new(&structures, &position).map_err(Failure::new)? {
                Some(bounded) if args.json => console.print_json(&bounded.json())?,
                Some(bounded) => write!(console.out, "{}", bounded.text())?,
                None => {}
            }
            Ok(Answer::Yes)
        }
        Err(refusal) => refuse(console, args, remedy, fen, &refusal),
    }
}

/// Prints what these tables have found, or what is solved now if one of them is missing.
fn one_by(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    tables: &Tablebase,
    remedy: &Remedy<'_>,
    asked: &AskedTables,
    (fen, position, found): (&str, Position, Result<Finding, Refusal>),
) -> Outcome {
    if is_short(&found)
        && asked.solves()
        && let Some(answer) = one_solved(console, args, remedy, asked, &position, tables.scale().metric())?
    {
        return Ok(answer);
    }
    let found = found.map_err(|refusal| match refusal {
        Refusal::NotBuilt(missing) => Refusal::NotBuilt(asked.explained(missing)),
        refusal => refusal,
    });
    match found {
        Ok(finding) => {
            console.out.write_all(written(args, tables, remedy, &finding)?.as_bytes())?;
            Ok(Answer::Yes)
        }
        Err(refusal) => refuse(console, args, remedy, fen, &refusal),
    }
}

/// Answers for one position by tables that are solved now, and says so, or by the rules if they decide it;
/// none if the tables would be too large.
fn one_solved(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    remedy: &Remedy<'_>,
    asked: &AskedTables,
    position: &Position,
    metric: Metric,
) -> Result<Option<Answer>, Failure> {
    let begun = Instant::now();
    let answered = asked.ask(position, Some(metric), |tables| match found(args, tables, position) {
        Ok(finding) => Ok((written(args, tables, remedy, &finding), None)),
        Err(Refusal::NotBuilt(missing)) => Err(ProbeError::Missing(missing)),
        // What the rules have against it is said as of the tables that are there.
        Err(_) => Ok((Ok(String::new()), None)),
    });
    let Ok(answered) = answered else { return Ok(None) };
    let text = answered.answer?;
    if text.is_empty() {
        return Ok(None);
    }
    if answered.is_solved {
        let material = Material::from_men(position.men().map(|(man, _)| man)).canonical(asked.variant());
        let (name, time) = (material.name(asked.variant()), library::figure::seconds(begun.elapsed()));
        console.tell(&format!(
            "not all tables are built: {name} and those it leads to were solved in memory, {time}"
        ))?;
    }
    console.out.write_all(text.as_bytes())?;
    Ok(Some(Answer::Yes))
}

fn found(args: &ProbeArgs, tables: &Tablebase, position: &Position) -> Result<Finding, Refusal> {
    match args.value_only {
        true => Finding::of_value(tables, position.clone()),
        false => Finding::of_moves(tables, position.clone(), args.line),
    }
}

/// A finding as it is printed.
fn written(
    args: &ProbeArgs,
    tables: &Tablebase,
    remedy: &Remedy<'_>,
    finding: &Finding,
) -> Result<String, Failure> {
    if !args.json {
        return Ok(text::finding(tables, remedy, finding));
    }
    let json = serde_json::to_string_pretty(&FindingJson::new(tables, finding)).map_err(Failure::new)?;
    Ok(json + "\n")
}

/// Says why a position has no answer.
fn refuse(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    remedy: &Remedy<'_>,
    fen: &str,
    refusal: &Refusal,
) -> Outcome {
    let message = remedy.message(refusal);
    if args.json {
        console.print_json(&RefusalJson::new(fen, refusal, &message))?;
    } else if refusal.is_truth() {
        writeln!(console.out, "{message}")?;
    } else {
        return Err(Failure::new(message));
    }
    if refusal.is_truth() { Ok(Answer::No) } else { Err(Failure::Printed) }
}
