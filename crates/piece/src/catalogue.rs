//! Lists pieces that have a name: each with its movement, its letter and its source.
//!
//! The list has only pieces whose whole movement can be written here (no griffon, no chu shogi lion, no moa,
//! whose way is diagonal first). A pawn's double step, en passant and promotion, and the palace and river of
//! xiangqi, are rules of a variant and no part of a movement. If several pieces share one movement, each has
//! a row.

use crate::Movement;

/// A movement that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct NamedPiece {
    /// The name, in lower case.
    pub name: &'static str,
    /// The letter it usually has; other games use it for other pieces.
    pub letter: char,
    /// How it moves, in Betza notation.
    pub betza: &'static str,
    /// The game or the literature that it is known from.
    pub source: &'static str,
}

/// Reads one row of the list.
const fn row(name: &'static str, letter: char, betza: &'static str, source: &'static str) -> NamedPiece {
    NamedPiece { name, letter, betza, source }
}

/// The pieces known by name; names are unique.
pub const CATALOGUE: &[NamedPiece] = &[
    // Chess and its pawns.
    row("king", 'K', "K", "chess; royal"),
    row("queen", 'Q', "Q", "chess"),
    row("rook", 'R', "R", "chess"),
    row("bishop", 'B', "B", "chess"),
    row("knight", 'N', "N", "chess"),
    row("pawn", 'P', "fmWfcF", "chess; double step, en passant and promotion are rules"),
    row("berolina pawn", 'P', "fmFfcW", "Berolina chess, E. Nebermann 1926"),
    row("sergeant", 'S', "fK", "wolf chess, A. von Wilpert 1943; its double step is a rule"),
    row("breakthrough pawn", 'P', "fmWfF", "Breakthrough"),
    row("commoner", 'M', "K", "knightmate, as a king that is not royal; also called mann"),
    // Leapers.
    row("wazir", 'W', "W", "shatranj variants; courier chess"),
    row("ferz", 'F', "F", "shatranj: the counsellor; makruk: met"),
    row("alfil", 'E', "A", "shatranj: the elephant"),
    row("dabbaba", 'D', "D", "medieval chess: the war machine"),
    row("camel", 'C', "C", "Tamerlane chess"),
    row("zebra", 'Z', "Z", "fairy chess problems"),
    row("tripper", 'T', "G", "fairy chess: the (3,3) leaper"),
    row("threeleaper", 'H', "H", "fairy chess: the (3,0) leaper"),
    // Leapers of several steps.
    row("gnu", 'G', "NC", "fairy chess problems; wildebeest chess"),
    row("centaur", 'C', "KN", "fairy chess: king and knight"),
    row("alibaba", 'A', "AD", "R. Betza"),
    row("squirrel", 'S', "NAD", "fairy chess: every square two away"),
    row("waffle", 'W', "WA", "R. Betza, Chess with Different Armies: Colorbound Clobberers"),
    row("fad", 'F', "FAD", "R. Betza, Chess with Different Armies: Colorbound Clobberers"),
    row("fibnif", 'F', "FvN", "R. Betza, Chess with Different Armies: Nutty Knights"),
    row("charging knight", 'C', "fhNsWbK", "R. Betza, Chess with Different Armies: Nutty Knights"),
    row("half-duck", 'H', "FDH", "R. Betza, Chess with Different Armies: Remarkable Rookies"),
    // Riders.
    row("nightrider", 'N', "NN", "T. R. Dawson 1925, fairy chess problems"),
    row("camelrider", 'C', "CC", "fairy chess problems"),
    row("zebrarider", 'Z', "ZZ", "fairy chess problems"),
    row("alfilrider", 'E', "AA", "fairy chess problems"),
    row("dabbabarider", 'D', "DD", "fairy chess problems"),
    row("rose", 'R', "qN", "fairy chess problems: the nightrider on circles"),
    row("short rook", 'R', "R4", "R. Betza, Chess with Different Armies: Remarkable Rookies"),
    // Riders with more.
    row("amazon", 'A', "QN", "fairy chess; maharajah and the sepoys"),
    row("empress", 'C', "RN", "Capablanca chess: the chancellor; also marshall"),
    row("princess", 'A', "BN", "Capablanca chess: the archbishop; also cardinal, janus"),
    row("archbishop", 'A', "BN", "Capablanca chess"),
    row("chancellor", 'C', "RN", "Capablanca chess"),
    row("banshee", 'B', "BNN", "R. Betza, named by G. P. Jelliss; also unicorn"),
    row("bede", 'B', "BD", "R. Betza, Chess with Different Armies: Colorbound Clobberers"),
    row("charging rook", 'R', "fsRbK", "R. Betza, Chess with Different Armies: Nutty Knights"),
    row("colonel", 'C', "fhNfsRK", "R. Betza, Chess with Different Armies: Nutty Knights"),
    // Move one way, capture another.
    row("knibis", 'N', "mNcB", "Fairy-Stockfish: moves as a knight, captures as a bishop"),
    row("biskni", 'B', "mBcN", "Fairy-Stockfish: moves as a bishop, captures as a knight"),
    row("kniroo", 'L', "mNcR", "Fairy-Stockfish: moves as a knight, captures as a rook"),
    row("rookni", 'R', "mRcN", "Fairy-Stockfish: moves as a rook, captures as a knight"),
    // Shogi.
    row("gold", 'G', "WfF", "shogi: gold general"),
    row("silver", 'S', "FfW", "shogi: silver general; makruk: khon"),
    row("lance", 'L', "fR", "shogi"),
    row("shogi knight", 'N', "ffN", "shogi"),
    row("shogi pawn", 'P', "fW", "shogi"),
    row("dragon king", 'D', "RF", "shogi: the promoted rook"),
    row("dragon horse", 'H', "BW", "shogi: the promoted bishop"),
    // Chu shogi.
    row("kirin", 'K', "FD", "chu shogi"),
    row("phoenix", 'P', "WA", "chu shogi"),
    row("copper", 'C', "vWfF", "chu shogi: copper general"),
    row("ferocious leopard", 'F', "FvW", "chu shogi"),
    row("blind tiger", 'T', "FsbW", "chu shogi"),
    row("drunk elephant", 'E', "FfsW", "chu shogi"),
    row("go-between", 'I', "vW", "chu shogi"),
    row("side mover", 'S', "sRvW", "chu shogi"),
    row("vertical mover", 'V', "vRsW", "chu shogi"),
    row("reverse chariot", 'A', "vR", "chu shogi"),
    row("white horse", 'W', "vRfB", "chu shogi: the promoted lance"),
    row("whale", 'W', "vRbB", "chu shogi: the promoted reverse chariot"),
    row("flying stag", 'S', "vRK", "chu shogi: the promoted blind tiger"),
    row("flying ox", 'O', "vRB", "chu shogi: the promoted vertical mover"),
    row("free boar", 'B', "sRB", "chu shogi: the promoted side mover"),
    // Xiangqi and janggi.
    row("horse", 'H', "nN", "xiangqi and janggi"),
    row("mao", 'M', "nN", "fairy chess problems, P. Seyfert in the 1930s: the horse of xiangqi"),
    row("elephant", 'E', "nA", "xiangqi; the river is a rule"),
    row("janggi elephant", 'E', "nZ", "janggi"),
    row("cannon", 'C', "mRcpR", "xiangqi"),
    row("janggi cannon", 'C', "pR", "janggi; that it neither passes over nor takes a cannon is a rule"),
    row("soldier", 'S', "fsW", "xiangqi, beyond the river"),
    row("pao", 'P', "mRcpR", "fairy chess problems, P. Seyfert in the 1930s: the cannon of xiangqi"),
    row("vao", 'V', "mBcpB", "fairy chess problems, J. Akenhead"),
    row("leo", 'L', "mQcpQ", "fairy chess problems, J. Akenhead"),
    row("banner", 'B', "RcpRnN", "Manchu chess"),
    // Hoppers.
    row("grasshopper", 'G', "gQ", "T. R. Dawson, fairy chess problems"),
    row("rookhopper", 'R', "gR", "fairy chess problems"),
    row("bishophopper", 'B', "gB", "fairy chess problems"),
    row("nightriderhopper", 'N', "gNN", "fairy chess problems"),
    row("lion", 'L', "pQ", "fairy chess problems: lands anywhere behind the hurdle"),
    row("rook lion", 'R', "pR", "fairy chess problems"),
    row("bishop lion", 'B', "pB", "fairy chess problems"),
];

/// The piece of this name, in any case.
#[must_use]
pub fn named(name: &str) -> Option<&'static NamedPiece> {
    CATALOGUE.iter().find(|piece| piece.name.eq_ignore_ascii_case(name))
}

impl NamedPiece {
    /// Its movement.
    ///
    /// # Panics
    /// Never: a test reads every row.
    #[must_use]
    pub fn movement(&self) -> Movement {
        Movement::parse(self.betza).unwrap_or_else(|error| panic!("the catalogue has {error}"))
    }
}

/// The pieces that move so.
pub fn names_of(movement: &Movement) -> impl Iterator<Item = &'static NamedPiece> {
    CATALOGUE.iter().filter(move |piece| piece.movement() == *movement)
}
