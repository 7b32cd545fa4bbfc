//! One table to be built, and what it costs.

use crate::size::Size;
use crate::{Memory, Reason};
use variant::{Material, Variant};

/// Placements whose codes take one byte in a file, roughly: chess tables of three and four men lie between 3 and 30.
const PLACEMENTS_PER_FILE_BYTE: u64 = 5;

/// Tables of fewer men are read whole even where a part would do: they are small, and somebody else wants the rest.
const MIN_MEN_OF_PART: usize = 5;

/// Whether a part is read by itself, or still with the whole table around it.
const PARTS_ARE_READ: bool = false;

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
    /// Whether a part of the table is enough: only promotions lead there, so that a promoted man stands on one of its
    /// promotion squares, and the table is so large that a part of it is worth being read by itself.
    pub is_part: bool,
    /// The codes of the whole table, one byte each.
    whole_bytes: u64,
    /// On how many of the board's squares a promoted man can stand, and how many those are.
    share: (u64, u64),
}

impl Need {
    pub(crate) fn new(variant: &Variant, material: Material, reasons: Vec<Reason>, is_drawn: bool) -> Self {
        let whole_bytes = Size::new(variant, &material).n_placements() * n_sides(&material);
        let squares = |reason: &Reason| match *reason {
            Reason::Capture { .. } => None,
            Reason::Promotion { pawn, .. } | Reason::CapturePromotion { pawn, .. } => {
                variant.pawn_rules(pawn).map(|rules| rules.promotion.n_squares() as u64)
            }
        };
        let promotions: Option<Vec<u64>> = reasons.iter().map(squares).collect();
        let is_part = !is_drawn && material.n_men() >= MIN_MEN_OF_PART && promotions.is_some();
        let n_promotion = promotions.into_iter().flatten().max().unwrap_or(0);
        let share = (n_promotion, variant.board.n_squares() as u64);
        Need { name: material.name(variant), material, reasons, is_drawn, is_part, whole_bytes, share }
    }

    /// What of it is kept in memory for a job takes so much.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self.share {
            (n, of) if self.is_part && PARTS_ARE_READ => self.whole_bytes * n / of,
            _ => self.whole_bytes,
        }
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
