//! `probe`: prints what a position is worth.

mod remedy;
mod stream;
mod text;

use crate::args::ProbeArgs;
use crate::console::Console;
use crate::game::Game;
use crate::{Answer, Failure, Outcome};
use ::probe::{ProbeError, Tablebase};
use library::{Finding, FindingJson, Folder, Refusal, RefusalJson, available_bytes};
use position::Position;
use remedy::Remedy;
use std::sync::OnceLock;

/// Of the memory that is available, decompressed blocks take at most one in so many parts, unless somebody
/// asks.
const CACHE_SHARE: u64 = 4;

/// And no more than this.
const MAX_CACHE_BYTES: u64 = 4 << 30;

/// The variant that is meant if none is named.
const DEFAULT_VARIANT: &str = "fide";

pub(crate) fn run(console: &mut Console<'_>, args: &ProbeArgs) -> Outcome {
    let game = Game::find(args.variant.as_deref(), DEFAULT_VARIANT)?;
    let folder = game.tables(args.tables.as_deref());
    let is_foreign = OnceLock::new();
    let remedy = Remedy { program: console.program.name, game: &game, args, folder: &folder, is_foreign };
    let cache_bytes = args
        .cache
        .unwrap_or_else(|| (available_bytes() / CACHE_SHARE).min(MAX_CACHE_BYTES))
        .try_into()
        .unwrap_or(usize::MAX);
    let tables =
        Folder::new(&folder, game.variant.clone()).tablebases(cache_bytes).map_err(|error| match error {
            ProbeError::NoFolder { folder } => {
                Failure::new(format!("there is no folder {}: run {}", folder.display(), remedy.command(None)))
            }
            error => Failure::new(error),
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
