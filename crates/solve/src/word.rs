//! Adds to a word what the solver reads for it from tables: a row of values with a place for each bit.

use geometry::Square;
use kernel::Word;
use table::{CodeRow, NO_MOVE, Value, ValueRows};

/// A word of the lane, for boards of up to as many squares as it has bits.
pub(crate) trait SolverWord: Word {
    /// What moves to the placements of a row are worth.
    type Worths: AsRef<[i16]> + AsMut<[i16]> + Copy;
    /// The codes of a row.
    type Codes;
    /// No move at all.
    const NO_MOVES: Self::Worths;

    /// See [`ValueRows::worths`].
    fn worths(rows: &ValueRows<'_>, row_square: Square, worths: &mut Self::Worths);

    /// See [`ValueRows::codes`].
    fn codes(rows: &ValueRows<'_>, row_square: Square) -> Self::Codes;

    /// The value of a square among the codes of a row.
    fn value(codes: &Self::Codes, square: usize) -> Value;

    /// The codes of a row, if they are narrow.
    fn narrow(codes: &Self::Codes) -> Option<&[u8]>;
}

macro_rules! solver_word {
    ($word:ty, $bits:literal) => {
        impl SolverWord for $word {
            type Worths = [i16; $bits];
            type Codes = CodeRow<$bits>;
            const NO_MOVES: Self::Worths = [NO_MOVE; $bits];

            #[inline(always)]
            fn worths(rows: &ValueRows<'_>, row_square: Square, worths: &mut Self::Worths) {
                rows.worths(row_square, worths);
            }

            #[inline(always)]
            fn codes(rows: &ValueRows<'_>, row_square: Square) -> Self::Codes {
                rows.codes(row_square)
            }

            #[inline(always)]
            fn value(codes: &Self::Codes, square: usize) -> Value {
                codes.value(square)
            }

            #[inline(always)]
            fn narrow(codes: &Self::Codes) -> Option<&[u8]> {
                match codes {
                    CodeRow::Narrow(codes) => Some(codes),
                    CodeRow::Split(..) | CodeRow::Wide(_) => None,
                }
            }
        }
    };
}

solver_word!(u64, 64);
solver_word!(u128, 128);

/// Whether words of 64 bits have a bit for each of `n_squares` squares; otherwise those of 128 have.
pub(crate) fn has_small_words(n_squares: usize) -> bool {
    n_squares <= u64::BITS as usize
}
