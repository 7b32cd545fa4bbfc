//! Reads the arguments of `cross-check syzygy`.

use super::game::{GAMES, Game};
use std::path::PathBuf;

/// The number of random positions that are compared by default.
pub(super) const N_POSITIONS: usize = 1_000_000;

/// The games and positions that this check compares.
#[derive(Clone, Default, Debug, clap::Args)]
pub(in super::super) struct Options {
    /// A game; may be repeated; all if none is named
    #[arg(long = "game", value_name = "NAME", value_parser = Game::named)]
    games: Vec<Game>,
    /// A table; may be repeated; those of the game if none is named
    #[arg(long = "table", value_name = "MATERIAL")]
    pub(super) tables: Vec<String>,
    /// Random positions of all tables of up to so many men, instead of those of the game
    #[arg(long = "men", value_name = "N")]
    pub(super) n_men: Option<usize>,
    /// Syzygy files that are there already: nothing is solved or exported
    #[arg(long, value_name = "DIR", requires = "values")]
    files: Option<PathBuf>,
    /// The tables of the metrics `wdl` and `dtz50` that say what must stand in these files
    #[arg(long, value_name = "DIR", requires = "files")]
    values: Option<PathBuf>,
    /// The random positions; a million by default
    #[arg(long = "positions", value_name = "N")]
    n_positions: Option<usize>,
    /// Export rounded distances
    #[arg(long)]
    pub(super) rounded: bool,
}

/// Syzygy files, and the tables that say what must stand in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Set {
    /// The folder of the Syzygy files.
    pub(super) files: PathBuf,
    /// The folder of the tables.
    pub(super) tables: PathBuf,
}

impl Options {
    pub(super) fn n_positions(&self) -> usize {
        self.n_positions.unwrap_or(N_POSITIONS)
    }

    /// A set that is there already.
    pub(super) fn set(&self) -> Option<Set> {
        let (files, tables) = (self.files.clone()?, self.values.clone()?);
        Some(Set { files, tables })
    }

    /// The games to compare.
    ///
    /// # Errors
    /// Options of one game stand beside several.
    pub(super) fn games(&self) -> Result<&[Game], String> {
        let games = if self.games.is_empty() { &GAMES } else { &self.games[..] };
        let is_of_one_game = !self.tables.is_empty() || self.n_men.is_some() || self.files.is_some();
        if games.len() > 1 && is_of_one_game {
            return Err("--table, --men and --files need the game that has them: --game fide, say".into());
        }
        Ok(games)
    }
}
