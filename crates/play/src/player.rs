//! Holds what an engine knows between two commands: the games, the game that is played, the position.

use crate::choice::{Basis, Choice, choose};
use crate::move_rating::{Memory, Rated};
use library::{
    AskedTables, Holding, LibraryError, Refusal, SolveBound, first_fen, holdings, lenient_position,
    with_built_in,
};
use position::{Position, UciError};
use probe::Ask;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use variant::game::{is_named, meant, playing_name};
use variant::{Metric, Side, Variant};

/// The name that protocols have for chess.
pub(crate) const CHESS: &str = "chess";

/// The name of chess that begins with another first rank.
const CHESS960: &str = "chess960";

/// Where a game of chess begins, and every other one with the same men; with the rights that its rules know.
const CHESS_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Where other games begin. Tables do not ask, so the rules do not say.
const STARTS: [(&str, &str); 6] = [
    ("capablanca", "rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1"),
    ("chigorin", "rbbqkbbr/pppppppp/8/8/8/8/PPPPPPPP/RNNCKNNR w KQkq - 0 1"),
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
    /// A position is none, or the rules forbid it.
    #[error(transparent)]
    Position(#[from] Refusal),
    /// The last position was refused, so there is none to move in.
    #[error("there is no position to move in: {0}")]
    NoPosition(String),
    /// A move is none.
    #[error(transparent)]
    Move(#[from] UciError),
    /// The game is not known.
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
    /// The folders that the engine was started with.
    first_folders: Vec<PathBuf>,
    given: Vec<Variant>,
    cache_bytes: usize,
    /// What is solved, if anything is.
    bound: Option<SolveBound>,
    /// What is solved if the user wants that.
    wanted_bound: SolveBound,
    games: Vec<Holding>,
    /// Whether king and rooks may begin on any files.
    is_chess960: bool,
    /// The tables of the game that is played, opened anew for another game, folder, or way to solve.
    tables: Arc<AskedTables>,
    /// Whether the question that is open is to be answered now.
    stop: Arc<AtomicBool>,
    position: Position,
    /// The positions of the game, the present one last.
    history: Vec<Position>,
    /// Why the last position was refused, if it was: then it is not known which position to move in.
    refused: Option<String>,
}

/// A position to think about, with what that takes, for a thread of its own.
#[derive(Debug)]
pub(crate) struct Question {
    tables: Arc<AskedTables>,
    position: Position,
    history: Vec<Position>,
    /// How many of the best moves get a line.
    n_lines: usize,
    /// The moves that are meant, in coordinates; all if there are none of these.
    only: Vec<String>,
}

/// What a question has led to.
#[derive(Debug)]
pub(crate) struct Thought {
    pub(crate) choice: Choice,
    /// How the game goes on with the best moves, themselves first.
    pub(crate) lines: Vec<Vec<String>>,
}

impl Player {
    /// An engine that plays the games with tables in these folders or right below them, those that are given
    /// and those that are built in.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn new(
        first_folders: Vec<PathBuf>,
        given: Vec<Variant>,
        cache_bytes: usize,
        bound: Option<SolveBound>,
    ) -> Result<Self, PlayError> {
        let games = games(&first_folders, &given)?;
        let first = given.first().map_or_else(|| Variant::chess().name, |variant| variant.name.clone());
        // Replaced as soon as the game is opened.
        let tables = Arc::new(AskedTables::new(&Variant::chess(), &[], 0, None)?);
        let wanted_bound = bound.unwrap_or_default();
        let (position, history) = (Position::empty(Side::White), Vec::new());
        let mut player = Player {
            first_folders,
            given,
            cache_bytes,
            bound,
            wanted_bound,
            games,
            is_chess960: false,
            tables,
            stop: Arc::default(),
            position,
            history,
            refused: None,
        };
        player.open(&first)?;
        Ok(player)
    }

    /// The names of the games, as protocols have them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.games.iter().map(|game| playing_name(&game.variant.name))
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

    /// Whether king and rooks begin on any files in the game that is played.
    #[must_use]
    pub fn is_chess960(&self) -> bool {
        self.tables.variant().rules.castling.as_ref().is_some_and(|rule| rule.any_files)
    }

    /// Plays another game from now on, or the same one from where it begins.
    ///
    /// # Errors
    /// It is not known, or its tables cannot be opened.
    pub fn set_game(&mut self, game: &str) -> Result<(), PlayError> {
        if is_named(&self.tables.variant().name, game) { self.begin() } else { self.open(game) }
    }

    fn open(&mut self, game: &str) -> Result<(), PlayError> {
        let known = || self.names().collect::<Vec<_>>().join(", ");
        let Some(at) = meant(self.games.iter().map(|game| &*game.variant.name), game) else {
            return Err(PlayError::Game { name: game.into(), known: known() });
        };
        let Holding { mut variant, mut folders } = self.games[at].clone();
        if let Some(anywhere) = beginning_anywhere(&variant).filter(|_| self.is_chess960) {
            variant = anywhere;
            // Its positions with rights come before those of chess, which know one arrangement.
            let is_chess = is_named(&variant.name, CHESS);
            let own = self.games.iter().filter(|other| is_chess && other.variant.name == CHESS960);
            folders.splice(0..0, own.flat_map(|other| other.folders.clone()));
        }
        let tables = AskedTables::new(&variant, &folders, self.cache_bytes, self.bound)?;
        self.tables = Arc::new(tables.stopped_by(&self.stop));
        self.begin()
    }

    /// Lets king and rooks begin on any files from now on, in games with castling that allow it, or does not.
    ///
    /// # Errors
    /// The tables cannot be opened again.
    pub fn set_chess960(&mut self, is_chess960: bool) -> Result<(), PlayError> {
        if self.is_chess960 == is_chess960 {
            return Ok(());
        }
        self.is_chess960 = is_chess960;
        let game = self.game().to_owned();
        self.open(&game).inspect_err(|_| self.is_chess960 = !is_chess960)
    }

    /// Looks for tables in other folders from now on, or again in those that it was started with.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn set_folders(&mut self, folders: &[PathBuf]) -> Result<(), PlayError> {
        let folders = if folders.is_empty() { &self.first_folders } else { folders };
        let before = std::mem::replace(&mut self.games, games(folders, &self.given)?);
        let game = self.game().to_owned();
        let is_there = self.names().any(|name| name == game);
        self.open(if is_there { &game } else { CHESS }).inspect_err(|_| self.games = before)
    }

    /// Solves small tables that are missing from now on, or does not.
    ///
    /// # Errors
    /// The tables cannot be opened again.
    pub fn set_solving(&mut self, solves: bool) -> Result<(), PlayError> {
        let before = std::mem::replace(&mut self.bound, solves.then_some(self.wanted_bound));
        let game = self.game().to_owned();
        self.open(&game).inspect_err(|_| self.bound = before)
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
    /// It is not known where the game begins.
    pub fn set_start(&mut self) -> Result<(), PlayError> {
        let book = self.tables.book();
        let name = &book.variant().name;
        let fen = STARTS.iter().find(|(game, _)| game == name).map_or(CHESS_START, |(_, fen)| fen);
        // A game that has other men than chess begins elsewhere.
        let has_all = |position: &Position| {
            book.variant().piece_ids().all(|id| position.men().any(|(man, _)| man.piece == id))
        };
        let start = lenient_position(book, fen).ok().filter(|start| start.is_legal(book) && has_all(start));
        let start = start.ok_or_else(|| self.refuse(PlayError::NoStart(self.game().into())));
        start.map(|start| self.put(start))
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
    /// The text is no FEN of the game, or the rules forbid the position; then there is none to move in.
    pub fn set_fen(&mut self, fen: &str) -> Result<(), PlayError> {
        let book = self.tables.book();
        let position = lenient_position(book, fen).map_err(Refusal::from).and_then(|position| {
            if position.is_legal(book) { Ok(position) } else { Err(Refusal::illegal(book, &position)) }
        });
        match position {
            Ok(position) => self.put(position),
            Err(refusal) => return Err(self.refuse(refusal.into())),
        }
        Ok(())
    }

    fn put(&mut self, position: Position) {
        self.history = vec![position.clone()];
        self.position = position;
        self.refused = None;
    }

    /// Has no position to move in any more.
    fn refuse(&mut self, error: PlayError) -> PlayError {
        self.refused = Some(error.to_string());
        error
    }

    /// Whether there is a position to move in.
    ///
    /// # Errors
    /// The last one was refused.
    pub fn check_position(&self) -> Result<(), PlayError> {
        self.refused.clone().map_or(Ok(()), |reason| Err(PlayError::NoPosition(reason)))
    }

    /// Plays a move in coordinates.
    ///
    /// # Errors
    /// It is not legal, or there is no position to move in.
    pub fn play(&mut self, uci: &str) -> Result<(), PlayError> {
        self.check_position()?;
        let book = self.tables.book();
        let next = self.position.play(self.position.parse_uci(book, uci)?);
        self.history.push(next.clone());
        self.position = next;
        Ok(())
    }

    /// Puts up a position and plays moves from there.
    ///
    /// # Errors
    /// It is not known where the game begins, the position is refused, or a move is not legal; then there is
    /// no position to move in.
    pub(crate) fn set_line<'a>(
        &mut self,
        fen: Option<&str>,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), PlayError> {
        match fen {
            Some(fen) => self.set_fen(fen)?,
            None => self.set_start()?,
        }
        moves.into_iter().try_for_each(|uci| self.play(uci)).map_err(|error| self.refuse(error))
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
        self.question(0, Vec::new()).think().choice
    }

    /// The position as a question.
    pub(crate) fn question(&self, n_lines: usize, only: Vec<String>) -> Question {
        let (position, history) = (self.position.clone(), self.history.clone());
        Question { tables: self.tables.clone(), position, history, n_lines, only }
    }

    /// Has the question that is open answered now, by what is there, or lets tables be solved for it.
    pub(crate) fn stop(&self, now: bool) {
        self.stop.store(now, Ordering::Relaxed);
    }
}

impl Question {
    /// Rates the moves and follows the best ones.
    pub(crate) fn think(self) -> Thought {
        let mut memory = Memory::default();
        self.history.iter().for_each(|position| memory.add(position));
        let mut choice = choose(&self.tables, &self.position, &memory);
        let is_meant = |rated: &Rated| self.only.contains(&rated.uci);
        if choice.moves.iter().any(is_meant) {
            choice.moves.retain(is_meant);
        }
        let followed = choice.moves.iter().take(self.n_lines);
        let lines = followed.map(|rated| [vec![rated.uci.clone()], self.line(&choice, rated)].concat());
        let lines = lines.collect();
        Thought { choice, lines }
    }

    /// How the game goes on behind a move.
    fn line(&self, choice: &Choice, rated: &Rated) -> Vec<String> {
        let (Basis::Tables(metrics, _) | Basis::Partly(metrics, _)) = &choice.basis else {
            return Vec::new();
        };
        let for_mate = metrics
            .iter()
            .copied()
            .find(|&metric| choice.for_mate && matches!(metric, Metric::Dtm | Metric::Dtm50));
        let metric = for_mate.or(metrics.first().copied());
        let ask = Ask { moves: false, ..Ask::ALL };
        let line = self.tables.answer_legal(&rated.next, metric, &ask).ok().and_then(|answer| answer.line);
        line.into_iter().flatten().map(|rated| rated.uci).collect()
    }
}

/// The game with king and rooks that begin on any files, as chess becomes Chess960; none if no side castles,
/// or the man that castles or the board forbids it.
fn beginning_anywhere(variant: &Variant) -> Option<Variant> {
    let Variant { name, board, pieces, mut rules, .. } = variant.clone();
    rules.castling.as_mut()?.any_files = true;
    let checked = Variant::from_parts(name, board, pieces, rules).ok()?;
    Some(Variant { rules: checked.rules, ..variant.clone() })
}

/// The games with tables in some folders, these, and those that are built in.
fn games(folders: &[PathBuf], given: &[Variant]) -> Result<Vec<Holding>, PlayError> {
    Ok(with_built_in(holdings(folders, given)?.0))
}
