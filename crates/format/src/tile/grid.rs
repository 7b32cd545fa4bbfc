//! Finds the neighbours of a code in the grid of its tile: how many codes there are along each level, and
//! which levels are squares.

/// The three innermost levels of a tile, the innermost first; one that there is not has one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Grid {
    /// How many values each level has.
    pub(crate) sizes: [usize; 3],
    /// Whether they are squares.
    pub(crate) are_squares: [bool; 3],
    /// Squares in a rank.
    pub(crate) files: usize,
}

impl Grid {
    /// How many places lie between neighbours on a level.
    pub(crate) fn stride(&self, level: usize) -> usize {
        self.sizes[..level].iter().product()
    }

    /// The value that a place has on a level.
    pub(crate) fn value(&self, level: usize, place: usize) -> usize {
        place / self.stride(level) % self.sizes[level]
    }
}
