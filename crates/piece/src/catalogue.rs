//! Pieces with names: what people call a movement, which letter they give it, and who says so.
//!
//! Only pieces whose whole movement can be written here stand in the list; a pawn's double step, en passant and
//! promotion are rules of a variant, not part of a movement.

/// A movement that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    row("king", 'K', "K", "chess; royal"),
    row("queen", 'Q', "Q", "chess"),
    row("rook", 'R', "R", "chess"),
    row("bishop", 'B', "B", "chess"),
    row("knight", 'N', "N", "chess"),
    row("pawn", 'P', "fmWfcF", "chess; double step, en passant and promotion are rules"),
    row("commoner", 'M', "K", "knightmate, as a king that is not royal; also called mann"),
    row("wazir", 'W', "W", "shatranj variants"),
    row("ferz", 'F', "F", "shatranj: the counsellor"),
    row("alfil", 'E', "A", "shatranj: the elephant"),
    row("dabbaba", 'D', "D", "medieval chess: the war machine"),
    row("camel", 'C', "C", "Tamerlane chess"),
    row("zebra", 'Z', "Z", "fairy chess problems"),
    row("tripper", 'T', "G", "fairy chess: the (3,3) leaper"),
    row("threeleaper", 'H', "H", "fairy chess: the (3,0) leaper"),
    row("nightrider", 'N', "NN", "T. R. Dawson, fairy chess problems"),
    row("camelrider", 'C', "CC", "fairy chess problems"),
    row("zebrarider", 'Z', "ZZ", "fairy chess problems"),
    row("alfilrider", 'E', "AA", "fairy chess problems"),
    row("dabbabarider", 'D', "DD", "fairy chess problems"),
    row("amazon", 'A', "QN", "fairy chess; maharajah and the sepoys"),
    row("empress", 'C', "RN", "Capablanca chess: the chancellor; also marshall"),
    row("princess", 'A', "BN", "Capablanca chess: the archbishop; also cardinal, janus"),
    row("archbishop", 'A', "BN", "Capablanca chess"),
    row("chancellor", 'C', "RN", "Capablanca chess"),
    row("centaur", 'C', "KN", "fairy chess: king and knight"),
    row("alibaba", 'A', "AD", "R. Betza"),
    row("kangaroo", 'G', "AN", "fairy chess: alfil and knight"),
    row("squirrel", 'S', "NAD", "fairy chess: every square two away"),
    row("kirin", 'K', "FD", "chu shogi"),
    row("phoenix", 'P', "WA", "chu shogi"),
    row("gold", 'G', "WfF", "shogi: gold general"),
    row("silver", 'S', "FfW", "shogi: silver general; makruk: khon"),
    row("lance", 'L', "fR", "shogi"),
    row("shogi knight", 'N', "ffN", "shogi"),
    row("shogi pawn", 'P', "fW", "shogi"),
    row("dragon king", 'D', "RF", "shogi: the promoted rook"),
    row("dragon horse", 'H', "BW", "shogi: the promoted bishop"),
    row("soldier", 'S', "fsW", "xiangqi, beyond the river"),
    row("berolina pawn", 'P', "fmFfcW", "Berolina chess, E. Nebermann 1926"),
];

/// The piece of this name, in any case.
#[must_use]
pub fn named(name: &str) -> Option<&'static NamedPiece> {
    CATALOGUE.iter().find(|piece| piece.name.eq_ignore_ascii_case(name))
}
