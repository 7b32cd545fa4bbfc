//! Writes and reads Syzygy files: the `.rtbw` and `.rtbz` of chess programs, and those of other games.
//!
//! Ronald de Man's format has two files a material: who wins, the fifty-move rule counted (WDL), and plies to
//! the next capture or pawn move (DTZ). Its readers make the captures of a position themselves, so a file
//! need not hold what a capture decides; much of the art of writing one lies in what may stand there instead.
//! The files of a game that other readers do not know hold every value, and no move is made for them.
//!
//! ```text
//!   solved tables
//!     │ writing    sheet ─ filler: slots, what may stand where ─► trial: which order of the men
//!     │ numbering  arrangement ─ leading group, like men: a number for each placement
//!     │ packing    run ─ grammar: pairs ─ parse: fewest bits ─ huffman: codes ─► blocks
//!     ▼
//!   file
//!     │ checksum   ours, or the generator's
//!     │ reading    file ─ unpacked: one value ─► tablebase: captures, en passant, the other side to move
//!     ▼
//!   Score
//! ```
//!
//! The tables come through [`table::Lookup`], from wherever: of the metric `dtz50`, whole, in parts, or slice
//! by slice. Moves are made by [`position`]. Whose rules a material has, and so which files, [`Family`] finds
//! out.
//!
//! The feature `parallel` writes files, on all threads. Without it files are read.

mod checksum;
mod error;
mod material;
mod numbering;
mod packing;
mod reading;
mod score;
#[cfg(feature = "parallel")]
mod writing;

pub use checksum::ChecksumKind;
pub use error::SyzygyError;
pub use material::{Family, FileKind, FileMaterial, MAX_MEN};
pub use reading::SyzygyTablebase;
pub use reading::file::SyzygyFile;
pub use score::{Agreement, Score};
#[cfg(feature = "parallel")]
pub use writing::{Files, Options, write};

#[cfg(all(test, feature = "parallel"))]
mod tests;
