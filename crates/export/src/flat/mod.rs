//! Writes and reads flat files, `.tbl` and `.tbc`: arrays of values that the squares of the men index, and
//! nothing else.
//!
//! The design is Brent Baccala's: whoever wants a value computes an address and reads it, without a
//! numbering, a symmetry or a decompressor. Pawns cannot move sideways of their own, so each way in which the
//! pawns can stand has a file of its own, which its mirror image shares where the game has one. The array is
//! over the squares of the other men, the *mobile* ones, in the order of the name:
//!
//! ```text
//!   wKQd6-bKQ.tbl    [White's king][White's queen][Black's king][Black's queen][side to move]    pawn on d6
//!
//!   header 256 bytes ─ array: 2 bytes a value (4 for long distances; 2 bits in .tbc) ─ dependencies, text
//! ```
//!
//! On request all of these are one file, in which each pawn is a dimension too:
//!
//! ```text
//!   wKQP-bKQ.tbl     [White's pawn][White's king][White's queen][Black's king][Black's queen][side to move]
//! ```
//!
//! A file is mapped into memory, so that opening it costs nothing and the operating system keeps what is
//! asked for. The price is room: every symmetric image has its place, and every placement that is no
//! position. Files ending in `.gz` are the same compressed for transport; they are unpacked when they are
//! opened.
//!
//! The format is specified in docs/table-format.md.

#[cfg(feature = "parallel")]
mod array;
mod dependency;
mod dimension;
mod entry;
mod error;
mod header;
mod map;
mod name;
mod reader;
mod tablebase;
#[cfg(feature = "parallel")]
mod writer;

pub use entry::Width;
pub use error::FlatError;
pub use header::HEADER_BYTES;
pub use name::{FlatName, name_of_slice};
pub use reader::FlatFile;
pub use tablebase::FlatTablebase;
#[cfg(feature = "parallel")]
pub use writer::{FlatOptions, FlatWritten, write};

use variant::{Metric, Variant};

/// What is appended to a file's name if it is compressed for transport.
pub const PACKED_EXTENSION: &str = "gz";

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// `.tbl`: who wins, and in how many plies.
    Distances,
    /// `.tbc`: who wins, without the n-move rule or, of `dtz50`, under it.
    Wdl,
}

impl Form {
    /// Both.
    pub const BOTH: [Form; 2] = [Form::Distances, Form::Wdl];

    /// What files are asked for the values of a metric: of `wdl` `.tbc`, of all others `.tbl`.
    #[must_use]
    pub fn of_values(metric: Metric) -> Form {
        if metric == Metric::Wdl { Form::Wdl } else { Form::Distances }
    }

    /// The ending of a file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Form::Distances => "tbl",
            Form::Wdl => "tbc",
        }
    }

    /// How a file begins; the version follows.
    const fn magic(self) -> &'static [u8; 3] {
        match self {
            Form::Distances => b"TBL",
            Form::Wdl => b"TBC",
        }
    }

    /// Fails with the reason if the files cannot hold this metric.
    ///
    /// # Errors
    /// `.tbl` counts, and `wdl` does not; `.tbc` has three results: who wins, or who wins under the n-move
    /// rule.
    pub fn check_metric(self, metric: Metric) -> Result<(), FlatError> {
        let what = match (self, metric) {
            (Form::Distances, Metric::Wdl) => "wdl counts nothing; a .tbc holds it in an eighth of the room",
            (Form::Wdl, Metric::Dtm | Metric::Dtc | Metric::Dtz) => {
                "two bits have no room for a distance; a .tbc holds wdl, or the results under dtz50"
            }
            _ => return Ok(()),
        };
        Err(FlatError::Metric { form: self.extension(), metric, what })
    }

    /// The name of a file, given that of the placement of its pawns: the metric's name is in it unless it is
    /// the game's own or, of `.tbc`, who wins without the n-move rule.
    #[must_use]
    pub fn file_name(self, name: &str, metric: Metric, default: Metric) -> String {
        let extension = self.extension();
        let silent = if self == Form::Wdl { Metric::Wdl } else { default };
        match metric == silent {
            true => format!("{name}.{extension}"),
            false => format!("{name}.{metric}.{extension}"),
        }
    }
}

/// Reads the name of a file, packed or not: the placement of the pawns, the metric, and what the file holds
/// of it. None if no file of the game has this name.
#[must_use]
pub fn parse_file_name(variant: &Variant, file: &str) -> Option<(FlatName, Metric, Form)> {
    let packed = file.strip_suffix(PACKED_EXTENSION).and_then(|rest| rest.strip_suffix('.'));
    let mut parts = packed.unwrap_or(file).split('.');
    let name = FlatName::parse(variant, parts.next()?)?;
    let (metric, form) = match (parts.next()?, parts.next(), parts.next()) {
        ("tbl", None, None) => (variant.default_metric, Form::Distances),
        ("tbc", None, None) => (Metric::Wdl, Form::Wdl),
        ("dtz50", Some("tbc"), None) => (Metric::Dtz50, Form::Wdl),
        (metric, Some("tbl"), None) => (metric.parse().ok()?, Form::Distances),
        _ => return None,
    };
    Some((name, metric, form))
}

#[cfg(all(test, feature = "parallel"))]
mod tests;
