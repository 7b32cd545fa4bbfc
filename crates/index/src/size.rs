//! Counts the placements of a table without laying them out.
//!
//! Blocks come from the layout of the material with at most one of its pawns: frame and free men are mobile,
//! so the other pawns change nothing there. Slices are counted by Burnside's lemma: the choices of pawn
//! squares, modulo the symmetries and the exchange of like pawns, are as many as the choices that a symmetry
//! leaves in place, on average over the symmetries. A choice stays in place if each kind of pawn stands on
//! whole cycles of the symmetry.

use crate::group::symmetry_group;
use crate::layout::Layout;
use geometry::{Square, SquareSet, Symmetry};
use variant::{Man, Material, Variant};

/// The numbers that a table's [`Layout`] would have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Number of slices.
    pub n_slices: u64,
    /// Placements of a slice.
    pub slice_len: u64,
    /// Placements of a block.
    pub block_len: u64,
    /// Placements of a word: the squares of the lane man.
    pub lane_len: u64,
    /// Squares of the board, those included that it lacks.
    pub n_squares: u64,
    /// Number of pawns.
    pub n_pawns: usize,
}

impl Size {
    /// The size of a material's table.
    #[must_use]
    pub fn new(variant: &Variant, material: &Material) -> Self {
        let is_pawn = |man: &Man| variant.is_pawn(*man);
        let first_pawn = material.men().find(is_pawn);
        let few = Material::from_men(material.men().filter(|man| !is_pawn(man)).chain(first_pawn));
        let layout = Layout::new(variant, &few);
        let pawns: Vec<Man> = material.men().filter(is_pawn).collect();
        let n_slices = if pawns.len() > 1 {
            let kinds: Vec<(usize, SquareSet)> =
                pawns.chunk_by(|a, b| a == b).map(|like| (like.len(), variant.zone(like[0]))).collect();
            let group = symmetry_group(variant, material);
            let n_fixed = |&g: &Symmetry| n_choices(&kinds, &cycles(variant, g));
            group.iter().map(n_fixed).sum::<u64>() / group.len() as u64
        } else {
            layout.n_slices() as u64
        };
        let (slice_len, block_len) = (layout.slice_len() as u64, layout.block_len() as u64);
        let lane_len = block_len / layout.words_per_block() as u64;
        let n_squares = layout.n_squares() as u64;
        Size { n_slices, slice_len, block_len, lane_len, n_squares, n_pawns: pawns.len() }
    }

    /// Blocks of a slice.
    #[must_use]
    pub fn n_blocks(&self) -> u64 {
        self.slice_len / self.block_len
    }

    /// Words of a plane.
    #[must_use]
    pub fn n_words(&self) -> u64 {
        self.slice_len / self.lane_len
    }

    /// Words of a block.
    #[must_use]
    pub fn words_per_block(&self) -> u64 {
        self.block_len / self.lane_len
    }

    /// Rows of a block: a row has a word for each square of the row man.
    #[must_use]
    pub fn rows_per_block(&self) -> u64 {
        self.words_per_block().div_ceil(self.n_squares)
    }

    /// Placements of the table.
    #[must_use]
    pub fn n_placements(&self) -> u64 {
        self.n_slices * self.slice_len
    }
}

/// The board's squares, put together where the symmetry takes them one to the next.
fn cycles(variant: &Variant, symmetry: Symmetry) -> Vec<SquareSet> {
    let board = &variant.board;
    let mut rest = board.all();
    let mut cycles = Vec::new();
    while let Some(first) = rest.iter().next() {
        let next = |s: &Square| Some(symmetry.square(board, *s)).filter(|&s| s != first);
        let cycle: SquareSet = std::iter::successors(Some(first), next).collect();
        rest = rest.without(cycle);
        cycles.push(cycle);
    }
    cycles
}

/// In how many ways so many men of each kind, each with its zone, can fill whole cycles.
fn n_choices(kinds: &[(usize, SquareSet)], cycles: &[SquareSet]) -> u64 {
    // A state says how many men of each kind are placed, as digits in base `n + 1`.
    let places: Vec<usize> =
        kinds.iter().scan(1, |place, (n, _)| Some(std::mem::replace(place, *place * (n + 1)))).collect();
    let n_states = kinds.iter().map(|(n, _)| n + 1).product();
    let mut ways = vec![0u64; n_states];
    ways[0] = 1;
    for &cycle in cycles {
        let length = cycle.n_squares();
        // Downwards, so that a cycle is not used twice.
        for state in (0..n_states).rev() {
            for (&(n, zone), &place) in kinds.iter().zip(&places) {
                let n_placed = state / place % (n + 1);
                if n_placed + length <= n && cycle.without(zone).is_empty() {
                    ways[state + length * place] += ways[state];
                }
            }
        }
    }
    ways[n_states - 1]
}
