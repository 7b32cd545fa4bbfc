//! `probe`: prints what positions are worth.

mod args;
mod prober;
mod stream;
pub(crate) mod text;

use crate::console::Console;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::remedy::Remedy;
use crate::structure::check_lenders;
use crate::{Answer, Failure, Outcome, bits};
use ::probe::{MissingTable, ProbeError};
pub(crate) use args::ProbeArgs;
use library::{AskedTables, Folder, Refusal, read_position};
use position::{Position, RuleBook};
use prober::{Prober, Reply, Sources};
use std::path::{Path, PathBuf};
use std::time::Instant;
use variant::{Material, Metric};

pub(crate) fn run(console: &mut Console<'_>, args: &ProbeArgs) -> Outcome {
    check_lenders(&args.using)?;
    if let Some(path) = &args.bits {
        let (variant, fen) = (args.variant.as_deref(), args.fen.as_deref());
        return bits::probe(console, path, variant, fen, args.json);
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
    let prober = Prober { args, asked: &asked, remedy: &remedy };
    let tables = match Folder::new(&folder, game.variant.clone()).tablebases(args.asking.cache_bytes()) {
        Ok(tables) => tables.solving_rights(args.asking.most_men_with_rights()),
        Err(ProbeError::NoFolder { folder }) => {
            if args.tables.is_none()
                && let Some(answer) = without_folder(console, &prober, &game)?
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
    let Some(fen) = &args.fen else { return stream::run(console, &prober, &sources) };
    let begun = Instant::now();
    let position = read(console, sources.own().book(), fen)?;
    let replied = position.and_then(|position| Ok((prober.reply(&sources, &position)?, position)));
    match replied {
        Ok((reply, position)) => print(console, &prober, &position, &reply, begun),
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

/// Prints the reply to a position, and says so if tables were solved for it.
fn print(
    console: &mut Console<'_>,
    prober: &Prober<'_>,
    position: &Position,
    reply: &Reply,
    begun: Instant,
) -> Outcome {
    if reply.is_solved {
        let variant = prober.asked.variant();
        let material = Material::from_men(position.men().map(|(man, _)| man)).canonical(variant);
        let (name, time) = (material.name(variant), library::figure::seconds(begun.elapsed()));
        console.tell(&format!(
            "not all tables are built: {name} and those it leads to were solved in memory, {time}"
        ))?;
    }
    console.out.write_all(reply.text.as_bytes())?;
    Ok(Answer::Yes)
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
    prober: &Prober<'_>,
    game: &Game,
) -> Result<Option<Answer>, Failure> {
    let Some(fen) = &prober.args.fen else { return Ok(None) };
    let Ok(position) = read(console, prober.asked.book(), fen)? else { return Ok(None) };
    let begun = Instant::now();
    let metric: Metric = prober.args.metric.unwrap_or(game.variant.default_metric);
    match prober.solved(&position, metric) {
        Some(Ok(reply)) => print(console, prober, &position, &reply, begun).map(Some),
        _ => Ok(None),
    }
}

/// Why the table of a position is not solved in memory, if it is too large for that.
fn unsolved(args: &ProbeArgs, game: &Game, asked: &AskedTables) -> Option<String> {
    let position = Position::from_fen_with_castling(asked.book(), args.fen.as_ref()?).ok()?;
    let material = Material::from_men(position.men().map(|(man, _)| man)).canonical(&game.variant);
    let name = material.name(&game.variant);
    let missing = asked.explained(MissingTable::new(name.clone(), game.variant.default_metric, "".into()));
    missing.unsolved.map(|why| format!("{name} is {why}"))
}
