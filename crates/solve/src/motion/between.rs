//! Decides whether a move is possible by what stands between its squares.

use kernel::Word;

/// What must stand between the squares that a move leads from and to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Between<W> {
    /// Squares that must be empty.
    pub(crate) empty: W,
    /// Squares on which one man must stand and no more; none if nothing is jumped over.
    pub(crate) hurdle: W,
}

impl<W: Word> Between<W> {
    /// Between neighbours: nothing.
    pub(crate) const NOTHING: Between<W> = Between { empty: W::ZERO, hurdle: W::ZERO };

    /// Whether there is nothing to be asked.
    #[inline]
    pub(crate) fn is_nothing(&self) -> bool {
        *self == Between::NOTHING
    }

    /// What the move still asks once some men stand on `taken`; none if these make it impossible.
    #[inline]
    pub(crate) fn given(self, taken: W) -> Option<Between<W>> {
        if self.empty & taken != W::ZERO {
            return None;
        }
        match (self.hurdle & taken).n_bits() {
            0 => Some(self),
            1 => Some(Between { empty: self.empty | (self.hurdle & !taken), hurdle: W::ZERO }),
            _ => None,
        }
    }

    /// Whether the move is possible when exactly the squares of `taken` have men.
    #[inline]
    pub(crate) fn allows(self, taken: W) -> bool {
        self.given(taken).is_some_and(|left| left.hurdle == W::ZERO)
    }

    /// The squares on which one more man, beside those on `taken`, makes or leaves the move possible.
    #[inline]
    pub(crate) fn mask(self, taken: W) -> W {
        match self.given(taken) {
            None => W::ZERO,
            Some(left) if left.hurdle == W::ZERO => !left.empty,
            Some(left) => left.hurdle & !left.empty,
        }
    }
}
