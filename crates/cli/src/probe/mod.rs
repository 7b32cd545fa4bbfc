//! `probe`: what a position is worth.

mod finding;
mod json;
mod stream;
mod text;

use crate::args::ProbeArgs;
use crate::console::Console;
use crate::game::Game;
use crate::solve::available_bytes;
use crate::{Answer, Failure, Outcome};
use ::probe::{Tablebase, Tablebases};
use finding::Finding;
use json::{FindingJson, RefusalJson};

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
    let remedy = Remedy { program: console.program.name, game: &game, args };
    let cache_bytes = args
        .cache
        .unwrap_or_else(|| (available_bytes() / CACHE_SHARE).min(MAX_CACHE_BYTES))
        .try_into()
        .unwrap_or(usize::MAX);
    let tables = Tablebases::open_with(&folder, &game.variant, cache_bytes).map_err(|error| match error {
        ::probe::ProbeError::NoFolder { folder } => {
            Failure::new(format!("there is no folder {}: run {}", folder.display(), remedy.command(None)))
        }
        error => Failure::new(error),
    })?;
    let own = tables.of(args.metric.unwrap_or(game.variant.default_metric));
    match &args.fen {
        // Whoever names no metric takes what there is.
        Some(fen) if args.metric.is_none() => {
            let position = finding::read(own, fen).ok();
            // What stands in the way is told below.
            let answering = match position.map(|position| tables.for_position(&position)) {
                Some(Ok(answering)) => answering,
                _ => own,
            };
            one(console, args, answering, &remedy, fen)
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
    let finding = match finding::read(tables, fen) {
        Ok(position) if args.value_only => Finding::of_value(tables, position),
        Ok(position) => Finding::of_moves(tables, position, args.line),
        Err(refusal) => Err(refusal),
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
        Err(refusal) => {
            let message = refusal.message(remedy);
            if args.json {
                console.print_json(&RefusalJson::new(fen, &refusal, &message))?;
            } else if refusal.is_truth() {
                writeln!(console.out, "{message}")?;
            } else {
                return Err(Failure::new(message));
            }
            if refusal.is_truth() { Ok(Answer::No) } else { Err(Failure::Said) }
        }
    }
}

/// What to do about a table that is not there.
pub(super) struct Remedy<'a> {
    program: &'a str,
    game: &'a Game,
    args: &'a ProbeArgs,
}

impl Remedy<'_> {
    /// The command that builds a table, or all.
    fn command(&self, material: Option<&str>) -> String {
        let table = material.map_or_else(String::new, |name| format!(" --table {name}"));
        let metric = self.args.metric.filter(|&metric| metric != self.game.variant.default_metric);
        let metric = metric.map_or_else(String::new, |metric| format!(" --metric {metric}"));
        let folder = self.args.tables.as_ref();
        let out = folder.map_or_else(String::new, |folder| format!(" --out {}", folder.display()));
        format!("`{} solve {}{table}{metric}{out}`", self.program, self.game.path.display())
    }
}
