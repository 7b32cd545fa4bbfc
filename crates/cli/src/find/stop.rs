//! Says why a search over several tables ends early.

use crate::Failure;
use crate::export::failure;
use crate::game::Game;
use library::LibraryError;
use std::path::Path;

/// Why a run ends early.
pub(crate) enum Stop {
    Library(LibraryError),
    Failure(Failure),
}

impl From<LibraryError> for Stop {
    fn from(error: LibraryError) -> Self {
        Stop::Library(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failure(failure)
    }
}

impl Stop {
    /// The failure; a table that is not there comes with the command that builds it.
    pub(crate) fn failure(self, game: &Game, folder: &Path, program: &str) -> Failure {
        match self {
            Stop::Library(error) => failure(error, game, folder, program),
            Stop::Failure(failure) => failure,
        }
    }
}
