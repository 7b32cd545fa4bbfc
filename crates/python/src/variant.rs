//! Holds the rules of a game, and describes its pieces.

use library::{moves_in_words, rules_of};
use pyo3::exceptions::{PyFileNotFoundError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variant::LoadError;

/// The rules of a game.
///
/// `Variant("fide")` is chess; all games that are built in are known by name. Any other game is read from
/// its TOML file: `Variant("variants/mine.toml")`.
#[pyclass(frozen, module = "tablesmith")]
pub(crate) struct Variant(Arc<variant::Variant>);

impl Variant {
    /// These rules.
    pub(crate) fn new(rules: Arc<variant::Variant>) -> Self {
        Variant(rules)
    }

    /// The rules that are meant by a name, a path or a `Variant`.
    pub(crate) fn meant(item: &Bound<'_, PyAny>) -> PyResult<Arc<variant::Variant>> {
        if let Ok(own) = item.cast::<Variant>() {
            return Ok(own.get().0.clone());
        }
        let path: PathBuf = item.extract().map_err(|_| {
            PyTypeError::new_err("a variant is a name, the path of a TOML file, or a Variant")
        })?;
        rules(&path).map(Arc::new)
    }
}

/// The rules of the game of this name, or in this file.
fn rules(path: &Path) -> PyResult<variant::Variant> {
    rules_of(path).map_err(|error| match error {
        LoadError::Faults(_) => PyValueError::new_err(error.to_string()),
        error => {
            let names = variant::game::GAMES.map(|(name, _)| name);
            PyFileNotFoundError::new_err(format!("{error}; without a file there are {}", names.join(", ")))
        }
    })
}

#[pymethods]
impl Variant {
    /// Reads the rules of a game, by its name or from its file.
    #[new]
    #[pyo3(signature = (name_or_path, /))]
    fn from_python(name_or_path: PathBuf) -> PyResult<Self> {
        rules(&name_or_path).map(|variant| Variant(Arc::new(variant)))
    }

    /// The name of the game.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What the game is.
    #[getter]
    fn description(&self) -> &str {
        &self.0.description
    }

    /// Where the rules are written down.
    #[getter]
    fn source(&self) -> &str {
        &self.0.source
    }

    /// The number of files and of ranks of the board.
    #[getter]
    fn board(&self) -> (usize, usize) {
        (self.0.board.files(), self.0.board.ranks())
    }

    /// The squares of the rectangle that the board does not have.
    #[getter]
    fn holes(&self) -> Vec<String> {
        self.0.board.holes().iter().map(|square| self.0.board.name(square)).collect()
    }

    /// The pieces, in the order in which the names of tables list them.
    #[getter]
    fn pieces(&self) -> Vec<Piece> {
        self.0.pieces.iter().map(|piece| Piece::new(&self.0, piece)).collect()
    }

    /// The metric of the game's tables when nothing else is said.
    #[getter]
    fn metric(&self) -> &'static str {
        self.0.default_metric.name()
    }

    /// After how many plies without a capture or a pawn move a game is drawn; None if never.
    #[getter]
    fn rule_plies(&self) -> Option<u16> {
        self.0.rules.rule_plies()
    }

    fn __repr__(&self) -> String {
        format!("<Variant {}>", self.0.name)
    }
}

/// A kind of piece of a game.
#[pyclass(frozen, get_all, module = "tablesmith")]
#[derive(Clone)]
pub(crate) struct Piece {
    /// The letter of White's men in a FEN.
    letter: char,
    /// The name.
    name: String,
    /// How it moves, in Betza notation; None where the notation has no word for it.
    betza: Option<String>,
    /// How it moves, in sentences.
    words: Vec<String>,
    /// How it moves, as a picture, and below it what the marks mean.
    diagram: String,
    /// Whether losing it loses the game.
    royal: bool,
    /// Whether it is a pawn.
    pawn: bool,
    /// The letters of what a pawn may become.
    promotes_to: Vec<char>,
}

impl Piece {
    /// A piece of a game.
    pub(crate) fn new(variant: &variant::Variant, piece: &variant::Piece) -> Self {
        let promotes_to = piece.pawn.iter().flat_map(|pawn| pawn.all_promotions());
        Piece {
            letter: piece.letter,
            name: piece.name.clone(),
            betza: piece.movement.to_betza(),
            words: moves_in_words(variant, piece),
            diagram: piece.movement.diagram(),
            royal: piece.royal,
            pawn: piece.pawn.is_some(),
            promotes_to: promotes_to.map(|id| variant.piece(id).letter).collect(),
        }
    }
}

#[pymethods]
impl Piece {
    fn __repr__(&self) -> String {
        format!("<Piece {}: {}>", self.letter, self.name)
    }
}
