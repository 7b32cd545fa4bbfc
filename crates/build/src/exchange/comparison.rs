//! Counts the positions of a table that were compared with another file, and keeps the first differences.

use ::syzygy::Score;
use geometry::Square;
use index::Layout;
use library::LibraryError;
use library::figure::plies;
use rayon::prelude::*;
use std::fmt;
use table::Value;
use variant::Side;

/// How many differences of a table are kept.
const MAX_LISTED: usize = 10;

/// How many placements a thread takes at a time.
const STRETCH: usize = 1 << 12;

/// What comparing one table has shown.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Comparison {
    /// How many positions were compared.
    pub n_positions: u64,
    /// How many distances are a ply short because the file counts moves.
    pub n_rounded: u64,
    /// How many differences there are.
    pub n_differences: u64,
    /// The first of them.
    pub differences: Vec<ExchangeDifference>,
    /// Why the table was not compared, if it was not: something is missing.
    pub missing: Option<String>,
}

/// What differs between a table and a file of another program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExchangeDifference {
    /// A file is damaged.
    Damaged(String),
    /// A Syzygy file holds something else of a position.
    Score {
        /// The position.
        fen: String,
        /// What the file says.
        read: Score,
        /// What the table says.
        expected: Score,
    },
    /// A flat file holds something else of a position.
    Value {
        /// The position.
        fen: String,
        /// What the file says.
        read: Value,
        /// What the table says.
        expected: Value,
    },
}

impl Comparison {
    /// Goes through every so-many-th canonical placement of a layout with each side to move, on the threads
    /// of whoever calls, and has each compared: by its number and its men.
    pub(super) fn of_placements(
        layout: &Layout,
        step: usize,
        compare: impl Fn(Side, usize, &[Square], &mut Comparison) -> Result<(), LibraryError> + Sync,
    ) -> Result<Comparison, LibraryError> {
        let n = layout.len();
        let of_side = |&stm: &Side| (0..n).step_by(STRETCH * step).map(move |begin| (stm, begin));
        let stretches: Vec<(Side, usize)> = layout.sides().iter().flat_map(of_side).collect();
        let compared: Vec<Comparison> = stretches
            .par_iter()
            .map(|&(stm, begin)| {
                let mut found = Comparison::default();
                for index in (begin..n.min(begin + STRETCH * step)).step_by(step) {
                    let placement = layout.decode(index);
                    if layout.is_canonical(index, &placement) {
                        compare(stm, index, &placement, &mut found)?;
                    }
                }
                Ok(found)
            })
            .collect::<Result<_, LibraryError>>()?;
        Ok(compared.into_iter().fold(Comparison::default(), Comparison::with))
    }

    /// What comes of comparing a table: what is missing is not compared, and what is damaged differs.
    ///
    /// # Errors
    /// Something else is in the way.
    pub(super) fn of_result(result: Result<Comparison, LibraryError>) -> Result<Comparison, LibraryError> {
        result.or_else(|error| {
            let text = error.to_string();
            match error {
                error if error.is_missing() => {
                    Ok(Comparison { missing: Some(text), ..Comparison::default() })
                }
                LibraryError::Format(_)
                | LibraryError::Flat(_)
                | LibraryError::Syzygy(_)
                | LibraryError::Probe(_) => {
                    let mut found = Comparison::default();
                    found.differ(|| ExchangeDifference::Damaged(text));
                    Ok(found)
                }
                error => Err(error),
            }
        })
    }

    /// Counts a difference, and keeps it if it is one of the first.
    pub(super) fn differ(&mut self, difference: impl FnOnce() -> ExchangeDifference) {
        self.n_differences += 1;
        if self.differences.len() < MAX_LISTED {
            self.differences.push(difference());
        }
    }

    /// This comparison and another one of the same table, or of another.
    #[must_use]
    pub fn with(mut self, other: Comparison) -> Comparison {
        self.n_positions += other.n_positions;
        self.n_rounded += other.n_rounded;
        self.n_differences += other.n_differences;
        let room = MAX_LISTED - self.differences.len();
        self.differences.extend(other.differences.into_iter().take(room));
        self.missing = self.missing.or(other.missing);
        self
    }
}

impl fmt::Display for ExchangeDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExchangeDifference::Damaged(what) => f.write_str(what),
            ExchangeDifference::Score { fen, read, expected } => write!(
                f,
                "{fen}: WDL {} and DTZ {}, expected {} and {}",
                read.wdl, read.dtz, expected.wdl, expected.dtz
            ),
            ExchangeDifference::Value { fen, read, expected } => {
                write!(f, "{fen}: {}, expected {}", in_words(*read), in_words(*expected))
            }
        }
    }
}

/// A value as people read it.
fn in_words(value: Value) -> String {
    match value {
        Value::Illegal => "not a position".into(),
        Value::Draw => "draw".into(),
        Value::Stalemate => "stalemate".into(),
        Value::Win(ply) => format!("win in {}", plies(ply.0)),
        Value::Loss(ply) => format!("loss in {}", plies(ply.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, ExchangeDifference};
    use table::{Ply, Value};

    #[test]
    fn the_first_differences_of_all_parts_are_kept() {
        let part = |n: u16| {
            let mut part = Comparison { n_positions: 9, n_rounded: 1, ..Comparison::default() };
            for ply in 0..n {
                let (read, expected) = (Value::Win(Ply(ply)), Value::Draw);
                part.differ(|| ExchangeDifference::Value { fen: "8/8 w".into(), read, expected });
            }
            part
        };
        let both = part(7).with(part(7));
        assert_eq!((both.n_positions, both.n_rounded, both.n_differences), (18, 2, 14));
        let texts: Vec<String> = both.differences.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), 10);
        assert_eq!(texts[1], "8/8 w: win in 1 ply, expected draw");
        assert_eq!(texts[9], "8/8 w: win in 2 plies, expected draw");
    }
}
