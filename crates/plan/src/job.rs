//! One table to be built, and what it costs.

use crate::Reason;
use crate::size::Size;
use variant::{Material, Variant};

/// Planes of one slice that a solver keeps at a time: the eight sets of a pass, two of attacked royal men, two of pawn
/// moves, and two while mates are looked for.
const N_PLANES: u64 = 14;

/// Placements whose codes take one byte in a file, roughly: chess tables of three and four men lie between 3 and 30.
const PLACEMENTS_PER_FILE_BYTE: u64 = 5;

/// A table that a job needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need {
    /// The canonical material.
    pub material: Material,
    /// Its name.
    pub name: String,
    /// Which moves lead there, never none.
    pub reasons: Vec<Reason>,
    /// Whether the rules alone prove all its positions drawn, so that it is no job.
    pub is_drawn: bool,
}

/// One table to be built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The canonical material.
    pub material: Material,
    /// Its name.
    pub name: String,
    /// What it needs, in the order of building.
    pub needs: Vec<Need>,
    size: Size,
    n_sides: u64,
    needed_bytes: u64,
}

impl Job {
    pub(crate) fn new(variant: &Variant, material: Material, needs: Vec<Need>) -> Self {
        let n_sides = n_sides(&material);
        let needed_bytes = needs
            .iter()
            .map(|need| Size::new(variant, &need.material).n_placements() * n_sides_of(need))
            .sum();
        let (name, size) = (material.name(variant), Size::new(variant, &material));
        Job { material, name, needs, size, n_sides, needed_bytes }
    }

    /// How many values the table holds: its placements for each side to move that it keeps.
    #[must_use]
    pub fn n_values(&self) -> u64 {
        self.size.n_placements() * self.n_sides
    }

    /// How many slices the table has: one for each way in which its pawns can stand.
    #[must_use]
    pub fn n_slices(&self) -> u64 {
        self.size.n_slices
    }

    /// The memory that solving takes with this many threads: the codes of the table and of those it needs, one byte
    /// each, and the planes of the slices that are solved at a time.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn memory_bytes(&self, n_threads: usize) -> u64 {
        let n_slices = self.size.n_slices.min(n_threads as u64);
        self.n_values() + self.needed_bytes + n_slices * N_PLANES * self.size.slice_len.div_ceil(8)
    }

    /// A rough size of the table's file.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn disk_bytes(&self) -> u64 {
        // A file has a header, metadata and an index, whatever it holds.
        4096 + self.n_values() / PLACEMENTS_PER_FILE_BYTE
    }
}

fn n_sides_of(need: &Need) -> u64 {
    n_sides(&need.material)
}

fn n_sides(material: &Material) -> u64 {
    if material.is_symmetric() { 1 } else { 2 }
}
