//! Holds a game that is served: its rules, its tables, and what is known of its files.

use crate::listing::{Listed, Listing};
use crate::refusal::HttpRefusal;
use crate::study::Studies;
use library::{AskedTables, Holding, LibraryError, SolveBound, SolveLedger, first_fen, is_named};
use piece::Movement;
use position::{Position, RuleBook};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use variant::{Man, Material, Metric, PieceId, Variant};

/// The name under which Lichess knows chess.
const STANDARD: &str = "standard";

/// The longest FEN that is read; the longest of a board of 128 squares is shorter.
const MAX_FEN_BYTES: usize = 512;

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
    /// The pieces that cannot mate: of one square colour, and leapers like the knight.
    bishops: Vec<PieceId>,
    knights: Vec<PieceId>,
}

impl Game {
    pub(crate) fn new(
        holding: &Holding,
        cache_bytes: usize,
        bound: Option<SolveBound>,
        ledger: &SolveLedger,
    ) -> Result<Self, LibraryError> {
        let Holding { variant, folder } = holding;
        let moves_like = |betza: &str| -> Vec<PieceId> {
            let movement = Movement::parse(betza).ok();
            let is_like = |id: &PieceId| {
                let piece = variant.piece(*id);
                !piece.royal && piece.pawn.is_none() && Some(&piece.movement) == movement.as_ref()
            };
            variant.piece_ids().filter(is_like).collect()
        };
        let tables = AskedTables::new(variant, folder.as_deref(), cache_bytes, bound)?;
        Ok(Game {
            bishops: moves_like("B"),
            knights: moves_like("N"),
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
    /// refused.
    pub(crate) fn position(&self, fen: &str) -> Result<Position, HttpRefusal> {
        check_length(fen)?;
        let position = Position::from_fen_with_castling(self.book(), &fen.replace('_', " "))?;
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

    /// Whether no sequence of moves ends with a win, as chess clubs know it: bare kings, one knight, or
    /// bishops that all stand on squares of one colour. Of games that can be won otherwise than by mate only
    /// what the rules prove.
    pub(crate) fn is_dead(&self, position: &Position) -> bool {
        let variant = self.variant();
        if position.n_men() == 2 {
            let material = Material::from_men(position.men().map(|(man, _)| man)).canonical(variant);
            return variant.is_always_drawn(&material);
        }
        if !variant.rules.is_won_by_mate_only() || position.n_men() > 16 {
            return false;
        }
        let others = || position.men().filter(|(man, _)| !variant.is_royal(*man));
        let is_of = |kinds: &[PieceId], man: Man| kinds.contains(&man.piece);
        if others().count() == 1 && others().all(|(man, _)| is_of(&self.knights, man)) {
            return true;
        }
        let colour = |square| (variant.board.file_of(square) + variant.board.rank_of(square)) % 2;
        let mut colours = others().map(|(_, square)| colour(square));
        let first = colours.next();
        others().all(|(man, _)| is_of(&self.bishops, man)) && colours.all(|colour| Some(colour) == first)
    }
}

/// Refuses what is too long to be a FEN.
pub(crate) fn check_length(fen: &str) -> Result<(), HttpRefusal> {
    match fen.len() {
        0..=MAX_FEN_BYTES => Ok(()),
        n => Err(HttpRefusal::bad(format!("the FEN has {n} bytes, and {MAX_FEN_BYTES} are the most"))),
    }
}
