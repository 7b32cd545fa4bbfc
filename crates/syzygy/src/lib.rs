//! Syzygy files: the `.rtbw` and `.rtbz` that chess programs read, written and read, and those of three other
//! games.
//!
//! Ronald de Man's format has two files a material: who wins, the fifty-move rule counted (WDL), and plies to
//! the next capture or pawn move (DTZ). Its readers make the captures of a position themselves, so a file
//! need not hold what a capture decides; much of the art of writing one lies in what may stand there instead.
//!
//! ```text
//!   tables ─ slot: what may stand where ─► cube ─ arrangement: numbers ─► table_side ─ choice: which order
//!                                                                             │
//!     file ◄─ writer ◄─ packed: codes, blocks ◄─ parse: fewest bits ◄─ grammar: pairs ◄─ fill: runs
//!       │
//!       └─ reader ─ unpacked ─► tablebase: captures, en passant, the other side to move ─► score
//! ```
//!
//! The tables come through [`table::Lookup`]: whole ones of the metric `dtz50`, from wherever. Only chess and
//! the games of [`Family`] are meant; whether the rules are those of such a game is for the caller to ask
//! ([`Family::of`]).

mod arrangement;
mod board;
mod bytes;
mod chess;
mod choice;
mod cube;
mod error;
mod family;
mod fill;
mod grammar;
mod ground;
mod huffman;
mod judge;
mod lead;
mod like;
mod map;
mod moves;
mod own;
mod packed;
mod parse;
mod reader;
mod score;
mod slot;
mod table_side;
mod tablebase;
mod unpacked;
mod writer;

pub use board::Board;
pub use chess::MAX_MEN;
pub use error::SyzygyError;
pub use family::Family;
pub use reader::SyzygyFile;
pub use score::Score;
pub use tablebase::SyzygyTablebase;
pub use writer::{Files, Options, write};

/// Flag of a side of a sub-table: Black is to move (of distances).
const BLACK_TO_MOVE: u8 = 1;
/// Flag: distances stand behind a map.
const MAPPED: u8 = 2;
/// Flag: wins are counted in plies.
const WIN_PLIES: u8 = 4;
/// Flag: losses are counted in plies.
const LOSS_PLIES: u8 = 8;
/// Flag: the map has two bytes an entry.
const WIDE: u8 = 16;
/// Flag: one value throughout.
const SINGLE: u8 = 0x80;

/// Plies of the rule of fifty moves.
const RULE_PLIES: u16 = 100;

/// What stands before the checksum of a file of a game of its own: the hash of its rules, and zeros.
const RULES_BYTES: usize = 64;

/// Blocks of data begin at multiples of this.
const ALIGNMENT: usize = 64;

/// What ends a file.
const CHECKSUM_BYTES: usize = 16;

/// How the checksum of a file begins that was written here.
///
/// Others end their files with a sum of another kind, which is not known here, and no program that probes
/// looks at it. So the place is free for a sum of our own, and the mark tells the one from the other.
const CHECKSUM_MARK: [u8; 4] = *b"TSMB";

/// The checksum of what comes before it: the mark, and the first twelve bytes of a BLAKE3 hash.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = [0; CHECKSUM_BYTES];
    let hash = blake3::hash(bytes);
    let of_mark = CHECKSUM_MARK.iter().chain(hash.as_bytes());
    sum.iter_mut().zip(of_mark).for_each(|(to, &from)| *to = from);
    sum
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Who wins, the fifty-move rule counted.
    Wdl,
    /// Plies to the next capture or pawn move.
    Dtz,
}

#[cfg(test)]
mod tests;
