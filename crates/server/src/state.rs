//! Opens the tables that are served, and holds what handlers need.

use crate::desk::Desk;
use crate::game::Game;
use crate::gauge::{Gauges, Held, Sizes};
use crate::options::Options;
use crate::refusal::HttpRefusal;
use axum::extract::State;
use library::{Holding, LibraryError, SolveLedger};
use std::sync::Arc;

/// Why a server cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The tables of a game cannot be opened.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// There is nothing to serve.
    #[error("there are no tables and no rules to serve: name a folder of tables, or the rules of a game")]
    Nothing,
}

/// Games and their tables, and what counts requests for them.
#[derive(Debug)]
pub struct Server {
    pub(crate) games: Vec<Arc<Game>>,
    pub(crate) options: Options,
    pub(crate) desk: Desk,
    pub(crate) gauges: Gauges,
}

/// What handlers are given.
pub(crate) type Shared = State<Arc<Server>>;

impl Server {
    /// Opens the tables of these games; no table is read yet.
    ///
    /// # Errors
    /// There is no game, or its folder cannot be read.
    pub fn new(holdings: &[Holding], options: Options) -> Result<Arc<Self>, OpenError> {
        if holdings.is_empty() {
            return Err(OpenError::Nothing);
        }
        let cache_bytes = options.cache_bytes / holdings.len();
        // All games share the memory of what is solved.
        let ledger = SolveLedger::new(options.bound.map_or(0, |bound| bound.kept_bytes));
        let game = |holding| Game::new(holding, cache_bytes, options.bound, &ledger).map(Arc::new);
        let mut games: Vec<Arc<Game>> = holdings.iter().map(game).collect::<Result<_, _>>()?;
        // A client that names no game means chess.
        games.sort_by_key(|game| game.alias().is_none());
        let counted = games.clone();
        let now = move || Held {
            cached_bytes: counted.iter().map(|game| game.tables.cached_bytes() as u64).sum(),
            solved_tables: counted.iter().map(|game| game.tables.solved_names().len() as u64).sum(),
            solved_bytes: counted.iter().map(|game| game.tables.solved_bytes()).sum(),
        };
        let gauges = Gauges::new(Sizes { now: Box::new(now) });
        Ok(Arc::new(Server { games, desk: Desk::new(&options), options, gauges }))
    }

    /// The names of the games.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.games.iter().map(|game| game.variant().name.as_str())
    }

    /// The game of a name.
    pub(crate) fn game(&self, name: &str) -> Result<Arc<Game>, HttpRefusal> {
        let game = self.games.iter().find(|game| game.is_named(name));
        game.cloned().ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            let shown: String = name.chars().take(40).filter(|c| !c.is_control()).collect();
            HttpRefusal::absent(format!("there is no game `{shown}` here; there are {}", names.join(", ")))
        })
    }
}
