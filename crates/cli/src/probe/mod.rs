//! `probe`: prints what a position is worth.

mod remedy;
mod stream;
mod text;

use crate::args::ProbeArgs;
use crate::console::Console;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::{Answer, Failure, Outcome};
use ::probe::{ProbeError, Tablebase};
use library::{Finding, FindingJson, Folder, Refusal, RefusalJson, available_bytes};
use position::Position;
use remedy::Remedy;
use std::path::{Path, PathBuf};

/// Of the memory that is available, decompressed blocks take at most one in so many parts, unless somebody
/// asks.
const CACHE_SHARE: u64 = 4;

/// And no more than this.
const MAX_CACHE_BYTES: u64 = 4 << 30;

pub(crate) fn run(console: &mut Console<'_>, args: &ProbeArgs) -> Outcome {
    let given = args.tables.clone().or_else(|| only_game(args));
    let game = match &given {
        // A folder that is not there is reported below.
        Some(folder) if folder.is_dir() => Game::of_folder(args.variant.as_deref(), folder)?,
        _ => Game::find(args.variant.as_deref(), DEFAULT_VARIANT)?,
    };
    let folder = game.tables(given.as_deref());
    let cache = console.cache.clone();
    let remedy = Remedy::new(console.program.name, &game, args, &folder, cache.as_deref());
    let tables =
        Folder::new(&folder, game.variant.clone()).tablebases(cache_bytes(args.cache)).map_err(|error| {
            match error {
                ProbeError::NoFolder { folder } => Failure::new(format!(
                    "there is no folder {}: run {}",
                    folder.display(),
                    remedy.command(None)
                )),
                error => Failure::new(error),
            }
        })?;
    let own = tables.of(args.metric.unwrap_or(game.variant.default_metric));
    match &args.fen {
        // Whoever names no metric takes what there is.
        Some(fen) if args.metric.is_none() => {
            let position = Position::from_fen(own.book(), fen).ok();
            match position.map(|position| tables.for_position(&position)) {
                Some(Ok(answering)) => one(console, args, answering, &remedy, fen),
                // What stands in the way is reported for the game's own metric.
                None | Some(Err(ProbeError::Missing(_))) => one(console, args, own, &remedy, fen),
                Some(Err(error)) => refuse(console, args, &remedy, fen, &error.into()),
            }
        }
        Some(fen) => one(console, args, own, &remedy, fen),
        None => stream::run(console, args, own, &remedy),
    }
}

/// How much memory decompressed blocks may take: what is asked for, or a part of what is available.
pub(crate) fn cache_bytes(asked: Option<u64>) -> usize {
    let bytes = asked.unwrap_or_else(|| (available_bytes() / CACHE_SHARE).min(MAX_CACHE_BYTES));
    bytes.try_into().unwrap_or(usize::MAX)
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

/// Answers for one position.
fn one(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    tables: &Tablebase,
    remedy: &Remedy<'_>,
    fen: &str,
) -> Outcome {
    let finding = match Position::from_fen(tables.book(), fen) {
        Ok(position) if args.value_only => Finding::of_value(tables, position),
        Ok(position) => Finding::of_moves(tables, position, args.line),
        Err(error) => Err(error.into()),
    };
    match finding {
        Ok(finding) => {
            if args.json {
                console.print_json(&FindingJson::new(tables, &finding))?;
            } else {
                write!(console.out, "{}", text::finding(tables, remedy, &finding))?;
            }
            Ok(Answer::Yes)
        }
        Err(refusal) => refuse(console, args, remedy, fen, &refusal),
    }
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
