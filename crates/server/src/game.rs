//! Holds a game that is served: its rules, its tables, and what is known of its files.

use crate::listing::{Listed, Listing};
use crate::refusal::HttpRefusal;
use crate::study::Studies;
use library::{
    AskedTables, Holding, LibraryError, SolveBound, SolveLedger, first_fen, is_named, lenient_position,
};
use position::{Position, RuleBook};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use variant::{Material, Metric, Variant};

/// The name under which Lichess knows chess.
const STANDARD: &str = "standard";

/// A game and its tables.
#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) tables: AskedTables,
    folder: Option<PathBuf>,
    listing: Listing,
    /// What was counted and found in tables, as far as somebody has asked.
    pub(crate) studies: Studies,
    /// A position to begin with, if one was found.
    first_fen: OnceLock<Option<String>>,
}

impl Game {
    pub(crate) fn new(
        holding: &Holding,
        cache_bytes: usize,
        bound: Option<SolveBound>,
        ledger: &SolveLedger,
    ) -> Result<Self, LibraryError> {
        let Holding { variant, folder } = holding;
        let tables = AskedTables::new(variant, folder.as_deref(), cache_bytes, bound)?;
        Ok(Game {
            tables: tables.sharing(ledger),
            folder: folder.clone(),
            listing: Listing::default(),
            studies: Studies::default(),
            first_fen: OnceLock::new(),
        })
    }

    pub(crate) fn variant(&self) -> &Variant {
        self.tables.variant()
    }

    pub(crate) fn book(&self) -> &RuleBook {
        self.tables.book()
    }

    /// Whether this is the game of a name: its own, or one that clients have for it, such as `standard` for
    /// chess.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        is_named(&self.variant().name, name)
    }

    /// The other name of the game, if it has one.
    pub(crate) fn alias(&self) -> Option<&'static str> {
        (self.variant().name == "fide").then_some(STANDARD)
    }

    /// The tables in the folder.
    pub(crate) fn listed(&self) -> Result<Arc<Vec<Listed>>, HttpRefusal> {
        match &self.folder {
            Some(folder) => Ok(self.listing.tables(folder, self.variant())?),
            None => Ok(Arc::default()),
        }
    }

    /// The folder of the tables, if there are any.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// A legal position in which a game begins to be interesting; found once.
    pub(crate) fn first_fen(&self) -> &Option<String> {
        self.first_fen.get_or_init(|| first_fen(self.book()))
    }

    /// Reads a position, with spaces or underscores between its fields; one that the rules forbid is
    /// refused. Rights that its men deny are passed over.
    pub(crate) fn position(&self, fen: &str) -> Result<Position, HttpRefusal> {
        let position = lenient_position(self.book(), &fen.replace('_', " "))?;
        self.check_legal(position)
    }

    pub(crate) fn check_legal(&self, position: Position) -> Result<Position, HttpRefusal> {
        if position.is_legal(self.book()) {
            return Ok(position);
        }
        let refusal = library::Refusal::illegal_under(self.book(), &position);
        Err(refusal.into())
    }

    /// The canonical material of a name as people type it.
    pub(crate) fn material(&self, name: &str) -> Result<Material, HttpRefusal> {
        let material = Material::from_typed(self.variant(), name);
        material.map_err(|error| HttpRefusal::absent(error.to_string()))
    }

    /// A metric by its name; none for an empty one.
    pub(crate) fn metric(name: Option<&str>) -> Result<Option<Metric>, HttpRefusal> {
        let name = name.filter(|name| !name.is_empty());
        name.map(|name| name.parse().map_err(|error| HttpRefusal::bad(format!("{error}")))).transpose()
    }
}
