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

    /// How far back the neighbour on a level is, from this place of a tile that is `done` places into its
    /// block: one file to the left, in the first file one rank down; 0 if there is none in the block.
    pub(crate) fn step(&self, level: usize, place: usize, done: usize) -> usize {
        let value = self.value(level, place);
        let n_values = match self.are_squares[level] {
            true if !value.is_multiple_of(self.files) => 1,
            true if value >= self.files => self.files,
            false if value > 0 => 1,
            _ => 0,
        };
        within(n_values * self.stride(level), done)
    }

    /// How far back the neighbour one rank down is; 0 if there is none in the block.
    pub(crate) fn rank(&self, level: usize, place: usize, done: usize) -> usize {
        let has_rank = self.are_squares[level] && self.value(level, place) >= self.files;
        within(usize::from(has_rank) * self.files * self.stride(level), done)
    }
}

/// A way back if it ends in the block, else 0.
fn within(back: usize, done: usize) -> usize {
    if back <= done { back } else { 0 }
}
