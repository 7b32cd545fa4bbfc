//! Writes and reads one-bit files, `.tsq`: a yes or no for every position of a table.
//!
//! Who only asks whether White wins, or wins within so many plies, needs one bit a position. A file answers
//! one [`Question`]; it has the table's numbering, White to move first, in blocks that are compressed each by
//! itself:
//!
//! ```text
//!   header 256 bytes ─ index: length and checksum of every block ─ blocks: 2^18 bits each, Zstandard
//! ```
//!
//! Places that stand for no position repeat the bit before them, which costs nothing. A symmetric material
//! has the positions with Black to move too, in the numbers of those with the colours exchanged: a question
//! is not the same with them exchanged.
//!
//! The format is specified in docs/table-format.md.

mod error;
mod header;
mod question;
mod reader;
#[cfg(feature = "parallel")]
mod writer;

pub use error::BitsError;
pub use question::{Question, UnknownQuestion};
pub use reader::BitsFile;
#[cfg(feature = "parallel")]
pub use writer::{BitsWritten, write};

use variant::Metric;

/// The ending of a file's name.
pub const EXTENSION: &str = "tsq";

/// The name of the file of a material, such as `KQvKR.dtz50.white-wins-99.tsq`; the game's own metric is left
/// out.
#[must_use]
pub fn file_name(material: &str, metric: Metric, default: Metric, question: Question) -> String {
    let metric = if metric == default { String::new() } else { format!("{metric}.") };
    format!("{material}.{metric}{}.{EXTENSION}", question.slug())
}

#[cfg(all(test, feature = "parallel"))]
mod tests;
