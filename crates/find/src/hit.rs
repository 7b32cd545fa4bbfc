//! Names a position that was found, and counts those that were.

use variant::Side;

/// A position that was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Hit {
    /// Who is to move.
    pub stm: Side,
    /// The canonical number of the placement; of a symmetric table with Black to move that of the placement
    /// with the colours exchanged.
    pub index: usize,
}

/// How many positions were searched and found.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Places of the table that were looked at, illegal ones too, for each side to move.
    pub n_searched: u64,
    /// Positions found, modulo the symmetries of the board and the exchange of like men.
    pub n_found: u64,
    /// The same, like men being distinguishable: what the statistics count modulo symmetry.
    pub n_orbits: u64,
    /// Positions on the whole board, like men being distinguishable.
    pub n_unreduced: u64,
}

impl Tally {
    /// Adds what was found elsewhere.
    pub fn add(&mut self, other: Tally) {
        self.n_searched += other.n_searched;
        self.n_found += other.n_found;
        self.n_orbits += other.n_orbits;
        self.n_unreduced += other.n_unreduced;
    }
}
