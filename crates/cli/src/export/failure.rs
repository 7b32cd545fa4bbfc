//! Says which command builds a table that an export needs.

use crate::Failure;
use crate::game::Game;
use crate::remedy::solve_for;
use library::LibraryError;
use std::path::Path;

/// A failure to get a table; one that is not there comes with the command that builds it.
pub(crate) fn failure(error: LibraryError, game: &Game, folder: &Path, program: &str) -> Failure {
    let LibraryError::NotBuilt { material, metrics, .. } = &error else { return error.into() };
    let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
    let many = if metrics.len() == 1 { "metric" } else { "metrics" };
    Failure::new(format!(
        "{error}: files of the {many} {} are needed; {}",
        names.join(" and "),
        solve_for(program, &game.path, Some(material), metrics, folder)
    ))
}
