//! Holds what an engine knows between two commands: the games, the game that is played, the position.

use crate::choice::{Choice, choose};
use crate::progress::Memory;
use library::{
    AskedTables, Holding, LibraryError, SolveBound, first_fen, holdings, is_named, lenient_position,
    playing_name,
};
use position::{FenError, Position, UciError};
use std::path::{Path, PathBuf};
use variant::{Side, Variant};

/// The name that protocols have for chess.
pub(crate) const CHESS: &str = "chess";

/// Where a game of chess begins, and every other one with the same men; with the rights that its rules know.
const CHESS_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Where other games begin. Tables do not ask, so the rules do not say.
const STARTS: [(&str, &str); 5] = [
    ("capablanca", "rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1"),
    ("los-alamos", "rnqknr/pppppp/6/6/PPPPPP/RNQKNR w - - 0 1"),
    ("makruk", "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1"),
    ("racing-kings", "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1"),
    ("shatranj", "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1"),
];

/// Why a command cannot be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The tables of a game cannot be opened.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A position is none.
    #[error("not a position: {0}")]
    Fen(#[from] FenError),
    /// A move is none.
    #[error(transparent)]
    Move(#[from] UciError),
    /// Nobody knows the game.
    #[error("there is no game `{name}` here; there are {known}")]
    Game {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The rules do not say where the game begins.
    #[error("the rules of {0} name no position to begin with; give one as FEN")]
    NoStart(String),
}

/// An engine between two commands.
#[derive(Debug)]
pub struct Player {
    /// The folder that the engine was started with.
    first_folder: Option<PathBuf>,
    given: Vec<Variant>,
    cache_bytes: usize,
    /// What is solved, if anything is.
    bound: Option<SolveBound>,
    /// What is solved if somebody wants that.
    wanted_bound: SolveBound,
    games: Vec<Holding>,
    /// The game that is played, opened when it is first needed.
    tables: AskedTables,
    position: Position,
    /// The positions of the game, the present one last.
    history: Vec<Position>,
}

impl Player {
    /// An engine that plays chess, the games with tables in a folder or below it, and these.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn new(
        folder: Option<&Path>,
        given: Vec<Variant>,
        cache_bytes: usize,
        bound: Option<SolveBound>,
    ) -> Result<Self, PlayError> {
        let games = games(folder, &given)?;
        let first = given.first().map_or_else(|| Variant::chess().name, |variant| variant.name.clone());
        let holding = games.iter().find(|holding| holding.variant.name == first).unwrap_or(&games[0]);
        let tables = AskedTables::new(&holding.variant, holding.folder.as_deref(), cache_bytes, bound)?;
        let first_folder = folder.map(Path::to_path_buf);
        let wanted_bound = bound.unwrap_or_default();
        let (position, history) = (Position::empty(Side::White), Vec::new());
        let mut player = Player {
            first_folder,
            given,
            cache_bytes,
            bound,
            wanted_bound,
            games,
            tables,
            position,
            history,
        };
        player.begin()?;
        Ok(player)
    }

    /// The names of the games, as protocols have them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.games.iter().map(|holding| playing_name(&holding.variant.name))
    }

    /// The name of the game that is played.
    #[must_use]
    pub fn game(&self) -> &str {
        playing_name(&self.tables.variant().name)
    }

    /// The tables of the game.
    #[must_use]
    pub fn tables(&self) -> &AskedTables {
        &self.tables
    }

    /// The position on the board.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Plays another game from now on.
    ///
    /// # Errors
    /// Nobody knows it, or its tables cannot be opened.
    pub fn set_game(&mut self, game: &str) -> Result<(), PlayError> {
        let known = || self.names().collect::<Vec<_>>().join(", ");
        let is_meant = |holding: &&Holding| is_named(&holding.variant.name, game);
        let Some(holding) = self.games.iter().find(is_meant) else {
            return Err(PlayError::Game { name: game.into(), known: known() });
        };
        self.tables =
            AskedTables::new(&holding.variant, holding.folder.as_deref(), self.cache_bytes, self.bound)?;
        self.begin()
    }

    /// Looks for tables in another folder from now on, or again in the one that it was started with.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn set_folder(&mut self, folder: Option<&Path>) -> Result<(), PlayError> {
        self.games = games(folder.or(self.first_folder.as_deref()), &self.given)?;
        let game = self.game().to_owned();
        let is_there = self.names().any(|name| name == game);
        self.set_game(if is_there { &game } else { CHESS })
    }

    /// Solves small tables that are missing from now on, or does not.
    ///
    /// # Errors
    /// The tables cannot be opened again.
    pub fn set_solving(&mut self, solves: bool) -> Result<(), PlayError> {
        self.bound = solves.then_some(self.wanted_bound);
        let game = self.game().to_owned();
        self.set_game(&game)
    }

    /// Puts up the position in which the game begins; an empty board where the rules do not say.
    fn begin(&mut self) -> Result<(), PlayError> {
        match self.set_start() {
            Ok(()) => Ok(()),
            Err(PlayError::NoStart(_)) => {
                self.position = Position::empty(Side::White);
                self.history = vec![self.position.clone()];
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Puts up the position in which the game begins.
    ///
    /// # Errors
    /// Nobody knows where that is.
    pub fn set_start(&mut self) -> Result<(), PlayError> {
        let book = self.tables.book();
        let name = &book.variant().name;
        let fen = STARTS.iter().find(|(game, _)| game == name).map_or(CHESS_START, |(_, fen)| fen);
        // A game that has other men than chess begins elsewhere.
        let has_all = |position: &Position| {
            book.variant().piece_ids().all(|id| position.men().any(|(man, _)| man.piece == id))
        };
        let start = lenient_position(book, fen).ok().filter(|start| start.is_legal(book) && has_all(start));
        if start.is_none() {
            return Err(PlayError::NoStart(self.game().into()));
        }
        self.set_fen(fen)
    }

    /// Puts up some position where the rules do not say where the game begins.
    pub(crate) fn set_any(&mut self) {
        if self.position.n_men() == 0
            && let Some(fen) = first_fen(self.tables.book())
        {
            // What the book has found it reads.
            drop(self.set_fen(&fen));
        }
    }

    /// Puts up a position. Rights to castle or to capture en passant that cannot be are passed over.
    ///
    /// # Errors
    /// The text is no FEN of the game.
    pub fn set_fen(&mut self, fen: &str) -> Result<(), PlayError> {
        let position = lenient_position(self.tables.book(), fen)?;
        self.history = vec![position.clone()];
        self.position = position;
        Ok(())
    }

    /// Plays a move in coordinates.
    ///
    /// # Errors
    /// It is not legal.
    pub fn play(&mut self, uci: &str) -> Result<(), PlayError> {
        let book = self.tables.book();
        let next = self.position.play(self.position.parse_uci(book, uci)?);
        self.history.push(next.clone());
        self.position = next;
        Ok(())
    }

    /// Takes the last move back, if there is one.
    pub fn take_back(&mut self) {
        if self.history.len() > 1 {
            self.history.pop();
            self.position = self.history[self.history.len() - 1].clone();
        }
    }

    /// Rates the moves of the position.
    #[must_use]
    pub fn choose(&self) -> Choice {
        let mut memory = Memory::default();
        self.history.iter().for_each(|position| memory.add(position));
        choose(&self.tables, &self.position, &memory)
    }
}

/// Chess, the games with tables, and these.
fn games(folder: Option<&Path>, given: &[Variant]) -> Result<Vec<Holding>, PlayError> {
    let mut all = given.to_vec();
    let chess = Variant::chess();
    if !all.iter().any(|variant| variant.name == chess.name) {
        all.push(chess);
    }
    Ok(holdings(folder, &all)?.0)
}
