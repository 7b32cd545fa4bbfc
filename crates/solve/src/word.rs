//! Adds to a word what the solver reads for it from tables: a row of values with a place for each bit.

use geometry::Square;
use kernel::Word;
use table::{CodeRow, CodesRef, NO_MOVE, ValueRows};

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

    /// The codes of a row borrowed.
    fn borrowed(codes: &Self::Codes) -> CodesRef<'_>;
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
            fn borrowed(codes: &Self::Codes) -> CodesRef<'_> {
                codes.as_ref()
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
