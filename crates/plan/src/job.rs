//! One table to be built, and what it costs.

use crate::part::Part;
use crate::size::Size;
use crate::{Memory, Reason};
use variant::{Material, Variant};

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
    /// The part of the table that is enough; none if all of it is needed.
    pub part: Option<Part>,
    /// The codes of the whole table, one byte each.
    whole_bytes: u64,
}

impl Need {
    pub(crate) fn new(
        variant: &Variant,
        from: &Material,
        material: Material,
        reasons: Vec<Reason>,
        is_drawn: bool,
    ) -> Self {
        let whole_bytes = Size::new(variant, &material).n_placements() * n_sides(&material);
        let part = Part::new(variant, from, &material, &reasons);
        Need { name: material.name(variant), material, reasons, is_drawn, part, whole_bytes }
    }

    /// What of it is kept in memory for a job takes so much.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.part.as_ref().map_or(self.whole_bytes, |part| part.share_of(self.whole_bytes))
    }

    /// What is in memory while it is read from its file: the whole table, even if only a part of it stays.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn reading_bytes(&self) -> u64 {
        self.whole_bytes
    }
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
}

impl Job {
    pub(crate) fn new(variant: &Variant, material: Material, needs: Vec<Need>) -> Self {
        let n_sides = n_sides(&material);
        let (name, size) = (material.name(variant), Size::new(variant, &material));
        Job { material, name, needs, size, n_sides }
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

    /// How many placements a slice has.
    #[must_use]
    pub(crate) fn slice_len(&self) -> u64 {
        self.size.slice_len
    }

    /// The memory that the job takes with this many threads.
    #[must_use]
    pub fn memory(&self, n_threads: usize) -> Memory {
        Memory::new(self, n_threads)
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

fn n_sides(material: &Material) -> u64 {
    if material.is_symmetric() { 1 } else { 2 }
}
