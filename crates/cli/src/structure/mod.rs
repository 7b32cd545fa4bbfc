//! Plans and solves positions instead of tables, and answers from their files: `solve --position`, `plan
//! --position`, and what `probe` and `verify` make of structures.

mod answer;
mod args;
mod plan;
mod solve;
mod verify;

pub(crate) use answer::{answering, print, structures_in};
pub(crate) use args::StructureArgs;
pub(crate) use plan::plan;
pub(crate) use solve::solve;
pub(crate) use verify::verify;

use crate::Failure;
use crate::game::{DEFAULT_VARIANT, Game};
use position::{Position, RuleBook};
use std::path::Path;
use variant::visible;

/// The game whose rules are given; chess if none are.
pub(crate) fn game(given: Option<&Path>) -> Result<Game, Failure> {
    match given {
        Some(path) => Game::load(path),
        None => Game::find(None, DEFAULT_VARIANT),
    }
}

/// The positions that are asked about; all that is wrong with them.
fn positions(game: &Game, fens: &[String]) -> Result<Vec<Position>, Failure> {
    let book = RuleBook::new(&game.variant);
    let read = |fen: &String| {
        let position =
            Position::from_fen(&book, fen).map_err(|error| format!("{}: {error}", visible(fen)))?;
        match position.is_legal(&book) {
            true => Ok(position),
            false => Err(format!(
                "{}: {} is to move and could capture {}'s royal man",
                visible(fen),
                position.stm(),
                !position.stm()
            )),
        }
    };
    let (positions, faults): (Vec<_>, Vec<_>) = fens.iter().map(read).partition(Result::is_ok);
    let faults: Vec<String> = faults.into_iter().filter_map(Result::err).collect();
    match faults.is_empty() {
        true => Ok(positions.into_iter().flatten().collect()),
        false => Err(Failure::new(faults.join("\nerror: "))),
    }
}
