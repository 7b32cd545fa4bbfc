//! Answers positions for C programs, with a refusal as a kind and a sentence.

use library::{
    AskedTables, Refusal, SolveBound, answer_many, holding, lenient_position, rules_of, split_folders,
};
use position::Position;
use probe::{Answer, Ask, ProbeError};
use std::path::Path;
use variant::{LoadError, Metric};

/// The bytes of decompressed blocks that are kept.
const CACHE_BYTES: usize = 256 << 20;

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RefusalKind {
    /// An argument is no text, or nothing at all.
    Argument,
    /// The folder or the rules of its game cannot be opened.
    NotOpened,
    /// The text is no FEN of the game.
    Fen,
    /// The rules forbid the position.
    Illegal,
    /// The table is not there.
    Missing,
    /// A file is there and cannot be read.
    Damaged,
    /// The game is over: there is no move.
    NoMove,
}

/// A refusal: its kind and a sentence.
pub(crate) type Refused = (RefusalKind, String);

/// A result, the plies to the end if a side wins and they are known, and the metric that counts them.
pub(crate) type Counted = (i8, Option<u16>, Metric);

/// The tables of one game.
#[derive(Debug)]
pub(crate) struct OpenTables(AskedTables);

impl OpenTables {
    /// Opens a folder, or several of a list. The game is that of a name or of a file of rules, if one is
    /// given; small tables that are missing are solved if the caller wants that.
    pub(crate) fn open(folder: &str, game: Option<&str>, solves: bool) -> Result<Self, Refused> {
        let refused = |error: String| (RefusalKind::NotOpened, error);
        let folders = split_folders(folder);
        let absent =
            folders.iter().find(|folder| !folder.is_dir()).map(|folder| folder.display().to_string());
        if let Some(folder) = absent.or(folders.is_empty().then(|| folder.to_owned())) {
            return Err(refused(format!("there is no folder of tables {folder}")));
        }
        let given = match game.map(|game| rules_of(Path::new(game))).transpose() {
            Err(error @ LoadError::Faults(_)) => return Err(refused(error.to_string())),
            // The rules of a name may lie beside its tables.
            given => given.ok().flatten(),
        };
        let found = holding(&folders, given.as_ref(), game.filter(|_| given.is_none()));
        let found = found.map_err(|error| refused(error.to_string()))?;
        let bound = solves.then(SolveBound::default);
        let asked = AskedTables::new(&found.variant, &found.folders, CACHE_BYTES, bound);
        Ok(OpenTables(asked.map_err(|error| refused(error.to_string()))?))
    }

    /// The value of a position for the side to move, with the clock as it is.
    pub(crate) fn value(&self, fen: &str) -> Result<Counted, Refused> {
        self.value_of(&self.position(fen)?)
    }

    /// The values of many positions, which are asked in the order of the files.
    pub(crate) fn values(&self, fens: &[Result<&str, Refused>]) -> Vec<Result<Counted, Refused>> {
        let read = |fen: &Result<&str, Refused>| self.position(fen.clone()?);
        let positions: Vec<Result<Position, Refused>> = fens.iter().map(read).collect();
        let block = |at: usize| self.0.block_of(positions[at].as_ref().ok()?, None);
        answer_many(fens.len(), block, |at| self.value_of(positions[at].as_ref().map_err(Clone::clone)?))
    }

    fn value_of(&self, position: &Position) -> Result<Counted, Refused> {
        let answer = self.answer(position, &Ask::VALUE)?;
        let (metric, value) = (answer.scale.metric(), answer.value);
        let wdl = answer.wdl_now().ok_or_else(|| refused(&Refusal::of_bounds(&answer)))?;
        let plies = value.ply().filter(|_| metric != Metric::Wdl);
        Ok((wdl, plies.map(|ply| ply.0), metric))
    }

    /// A best move, in coordinates.
    pub(crate) fn best_move(&self, fen: &str) -> Result<String, Refused> {
        let answer = self.answer(&self.position(fen)?, &Ask::MOVES)?;
        match (answer.best_moves().next(), answer.moves.is_empty(), &answer.missing) {
            (Some(best), ..) => Ok(best.uci.clone()),
            (None, true, _) => Err((RefusalKind::NoMove, "the game is over: there is no move".into())),
            (None, false, Some(missing)) => Err(refused(&ProbeError::Missing(missing.clone()).into())),
            (None, false, None) => Err((RefusalKind::Missing, "not known: bounds leave it open".into())),
        }
    }

    fn position(&self, fen: &str) -> Result<Position, Refused> {
        lenient_position(self.0.book(), fen).map_err(|error| refused(&error.into()))
    }

    fn answer(&self, position: &Position, ask: &Ask<'_>) -> Result<Answer, Refused> {
        let answer = self.0.answer(position, None, ask).and_then(Refusal::of_unknown);
        answer.map_err(|refusal| refused(&refusal))
    }
}

fn refused(refusal: &Refusal) -> Refused {
    let kind = match refusal {
        Refusal::Text(_) => RefusalKind::Fen,
        Refusal::Illegal(_) => RefusalKind::Illegal,
        Refusal::NotBuilt(_) | Refusal::Castling(_) | Refusal::Open(_) => RefusalKind::Missing,
        _ => RefusalKind::Damaged,
    };
    (kind, refusal.to_string())
}
