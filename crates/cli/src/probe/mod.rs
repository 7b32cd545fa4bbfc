//! `probe`: prints what a position is worth.

mod remedy;
mod stream;
pub(crate) mod text;

use crate::args::ProbeArgs;
use crate::console::Console;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::{Answer, Failure, Outcome, bits, structure, winner};
use ::probe::{MissingTable, ProbeError, Tablebase, Tablebases};
use library::{AskedTables, Finding, FindingJson, Folder, Refusal, RefusalJson, TableFiles};
use position::{Position, RuleBook};
use remedy::Remedy;
use std::path::{Path, PathBuf};
use std::time::Instant;
use variant::{Material, Metric};

pub(crate) fn run(console: &mut Console<'_>, args: &ProbeArgs) -> Outcome {
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
    if let Some(answer) = by_structure(console, args, &game, &folder)? {
        return Ok(answer);
    }
    let cache = console.cache.clone();
    let remedy = Remedy::new(console.program.name, &game, args, &folder, cache.as_deref());
    let tables = match Folder::new(&folder, game.variant.clone()).tablebases(args.asking.cache_bytes()) {
        Ok(tables) => tables.solving_rights(args.asking.most_men_with_rights()),
        Err(ProbeError::NoFolder { folder }) => {
            if let Some(answer) = without_folder(console, args, &remedy, &game)? {
                return Ok(answer);
            }
            let (shown, command) = (folder.display(), remedy.command(None));
            let why = unsolved(args, &game)?.map_or_else(String::new, |why| format!("; {why}"));
            return Err(Failure::new(format!("there is no folder {shown}: run {command}{why}")));
        }
        Err(error) => return Err(Failure::new(error)),
    };
    let own = tables.of(args.metric.unwrap_or(game.variant.default_metric));
    if let Some(answer) = by_one_winner(console, args, &remedy, &game, (&folder, &tables))? {
        return Ok(answer);
    }
    match &args.fen {
        // Whoever names no metric takes what there is.
        Some(fen) if args.metric.is_none() => {
            let position = own.position(fen).ok();
            match position.map(|position| tables.for_position(&position)) {
                Some(Ok(answering)) => one(console, args, answering, &remedy, &game, fen),
                // What stands in the way is reported for the game's own metric.
                None | Some(Err(ProbeError::Missing(_))) => one(console, args, own, &remedy, &game, fen),
                Some(Err(error)) => refuse(console, args, &remedy, fen, &error.into()),
            }
        }
        Some(fen) => one(console, args, own, &remedy, &game, fen),
        None => stream::run(console, args, own, &remedy, solving(args, &game)?.as_ref()),
    }
}

/// Answers from a file that has one side's wins alone, where the folder has no other of a position's men.
fn by_one_winner(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    remedy: &Remedy<'_>,
    game: &Game,
    (folder, tables): (&Path, &Tablebases),
) -> Result<Option<Answer>, Failure> {
    let Some(fen) = &args.fen else { return Ok(None) };
    let own = tables.of(args.metric.unwrap_or(game.variant.default_metric));
    let Ok(position) = own.position(fen) else { return Ok(None) };
    let whole = || match args.metric {
        Some(_) => own.value(&position).map(drop),
        None => tables.for_position(&position).map(drop),
    };
    let editions = winner::editions_for(game, folder, &position, args.metric)?;
    // What is wrong with a whole table is not passed over.
    if editions.is_empty() || !matches!(whole(), Err(ProbeError::Missing(_))) {
        return Ok(None);
    }
    let mut answering = None;
    for edition in editions {
        let metric = edition.metric();
        let files = TableFiles::new(edition, folder);
        let tables = files.tablebase(metric, args.asking.cache_bytes()).map_err(Failure::new)?;
        // Either side may have a file, and only that of the winner knows more than that the other does not.
        let is_won = tables.value(&position).is_ok_and(|value| value.ply().is_some());
        answering = Some(tables);
        if is_won {
            break;
        }
    }
    answering.map(|tables| one(console, args, &tables, remedy, game, fen)).transpose()
}

/// Answers from a structure of the folder, where one knows the position and no table does.
fn by_structure(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    game: &Game,
    folder: &Path,
) -> Result<Option<Answer>, Failure> {
    let Some(fen) = args.fen.as_ref().filter(|_| !structure::structures_in(folder).is_empty()) else {
        return Ok(None);
    };
    let book = RuleBook::new(&game.variant);
    let Some(position) = Position::from_fen(&book, fen).ok().filter(|position| position.is_legal(&book))
    else {
        return Ok(None);
    };
    // What a table knows a table answers.
    let tables = Folder::new(folder, game.variant.clone()).tablebases(0).map_err(Failure::new)?;
    let is_known = match args.metric {
        Some(metric) => tables.of(metric).value(&position).is_ok(),
        None => tables.for_position(&position).is_ok(),
    };
    if is_known {
        return Ok(None);
    }
    let structures = structure::answering(folder, &game.variant, &position, args.metric, &args.using)?;
    if structures.is_empty() {
        return Ok(None);
    }
    structure::print(console, &structures, &position, args.json)?;
    Ok(Some(Answer::Yes))
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

/// What is solved for a question, unless nobody wants that.
fn solving(args: &ProbeArgs, game: &Game) -> Result<Option<AskedTables>, Failure> {
    args.asking.bound().map(|bound| Ok(AskedTables::new(&game.variant, None, 0, Some(bound))?)).transpose()
}

/// Answers for one position without any tables but those that are solved for it, if they are small.
fn without_folder(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    remedy: &Remedy<'_>,
    game: &Game,
) -> Result<Option<Answer>, Failure> {
    let (Some(fen), Some(asked)) = (&args.fen, solving(args, game)?) else { return Ok(None) };
    let Ok(position) = Position::from_fen_with_castling(asked.book(), fen) else { return Ok(None) };
    one_solved(console, args, remedy, &asked, &position, args.metric.unwrap_or(game.variant.default_metric))
}

/// Why the table of a position is not solved in memory, if it is too large for that.
fn unsolved(args: &ProbeArgs, game: &Game) -> Result<Option<String>, Failure> {
    let (Some(fen), Some(asked)) = (&args.fen, solving(args, game)?) else { return Ok(None) };
    let Ok(position) = Position::from_fen_with_castling(asked.book(), fen) else { return Ok(None) };
    let material = Material::from_men(position.men().map(|(man, _)| man)).canonical(&game.variant);
    let name = material.name(&game.variant);
    let missing = asked.explained(MissingTable::new(name.clone(), game.variant.default_metric, "".into()));
    Ok(missing.unsolved.map(|why| format!("{name} is {why}")))
}

/// Answers for one position.
fn one(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    tables: &Tablebase,
    remedy: &Remedy<'_>,
    game: &Game,
    fen: &str,
) -> Outcome {
    let position = tables.position(fen).map_err(Refusal::from);
    let found = match &position {
        Ok(position) => found(args, tables, position),
        Err(refusal) => Err(refusal.clone()),
    };
    let is_short = match &found {
        Ok(finding) => finding.missing.is_some(),
        Err(refusal) => refusal.missing().is_some(),
    };
    if let (true, Ok(position), Some(asked)) = (is_short, &position, solving(args, game)?)
        && let Some(answer) = one_solved(console, args, remedy, &asked, position, tables.scale().metric())?
    {
        return Ok(answer);
    }
    let found = found.map_err(|refusal| match (refusal, solving(args, game)) {
        (Refusal::NotBuilt(missing), Ok(Some(asked))) => Refusal::NotBuilt(asked.explained(missing)),
        (refusal, _) => refusal,
    });
    match found {
        Ok(finding) => {
            console.out.write_all(written(args, tables, remedy, &finding)?.as_bytes())?;
            Ok(Answer::Yes)
        }
        Err(refusal) => refuse(console, args, remedy, fen, &refusal),
    }
}

/// Answers for one position by tables that are solved now, and says so; none if they would be too large.
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
    let material = Material::from_men(position.men().map(|(man, _)| man)).canonical(asked.variant());
    let (name, time) = (material.name(asked.variant()), library::figure::seconds(begun.elapsed()));
    console.tell(&format!(
        "not all tables are built: {name} and those it leads to were solved in memory, {time}"
    ))?;
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
