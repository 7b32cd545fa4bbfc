//! Counts the placements of a table without laying them out.
//!
//! Blocks come from the frame men alone; the free men multiply them by the squares of the board. Slices are
//! counted by Burnside's lemma: the choices of pawn squares, modulo the symmetries and the exchange of like
//! pawns, are as many as the choices that a symmetry leaves in place, on average over the symmetries. A
//! choice stays in place if each kind of pawn stands on whole cycles of the symmetry.

use crate::frame::{Frames, choice_of_frame, goal_symmetries, is_respected_by};
use geometry::{Square, SquareSet, Symmetry};
use std::collections::HashMap;
use variant::{Man, Material, Variant};

/// The numbers that a table's [`Layout`](crate::Layout) would have.
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
    /// The size of a material's table; of many tables [`Sizes`] counts quicker.
    #[must_use]
    pub fn new(variant: &Variant, material: &Material) -> Self {
        Sizes::new(variant).size(material)
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

/// Counts the placements of many tables of a game; what their men have in common is counted once.
#[derive(Debug)]
pub struct Sizes<'v> {
    variant: &'v Variant,
    /// The symmetries of the board and the goals.
    all: Vec<Symmetry>,
    /// Which of them a man respects, as bits.
    kept: HashMap<Man, u128>,
    /// The frame men of these mobile men.
    frames: HashMap<Vec<Man>, Vec<Man>>,
    /// The blocks of these frame men, folded by these symmetries.
    n_blocks: HashMap<(Vec<Man>, u128), u64>,
    /// The slices of these pawns, modulo these symmetries.
    n_slices: HashMap<(Vec<Man>, u128), u64>,
    sizes: HashMap<Material, Size>,
}

impl<'v> Sizes<'v> {
    /// Nothing is counted yet.
    #[must_use]
    pub fn new(variant: &'v Variant) -> Self {
        Sizes {
            variant,
            all: goal_symmetries(variant),
            kept: HashMap::new(),
            frames: HashMap::new(),
            n_blocks: HashMap::new(),
            n_slices: HashMap::new(),
            sizes: HashMap::new(),
        }
    }

    /// The size of a material's table.
    pub fn size(&mut self, material: &Material) -> Size {
        if let Some(&size) = self.sizes.get(material) {
            return size;
        }
        let size = self.count(material);
        self.sizes.insert(material.clone(), size);
        size
    }

    /// The symmetries of a material: see [`symmetry_group`](crate::symmetry_group).
    pub fn group(&mut self, material: &Material) -> Vec<Symmetry> {
        let bits = self.group_bits(material);
        self.group_of(bits).collect()
    }

    /// How many symmetries a material has.
    pub fn n_symmetries(&mut self, material: &Material) -> u64 {
        u64::from(self.group_bits(material).count_ones())
    }

    fn count(&mut self, material: &Material) -> Size {
        let variant = self.variant;
        let (pawns, mobile): (Vec<Man>, Vec<Man>) = material.men().partition(|man| variant.is_pawn(*man));
        let group = self.group_bits(material);
        let frame = self.frame(&mobile);
        let n_free = (mobile.len() - frame.len()) as u32;
        let fold = if pawns.is_empty() { group } else { 1 };
        let n_squares = variant.board.n_squares() as u64;
        let (block_len, lane_len) = (n_squares.pow(n_free), n_squares.pow(n_free.min(1)));
        Size {
            n_slices: self.n_slices(&pawns, group),
            slice_len: self.n_blocks(frame, fold) * block_len,
            block_len,
            lane_len,
            n_squares,
            n_pawns: pawns.len(),
        }
    }

    /// The symmetries that all men respect, as bits; the first is the identity.
    fn group_bits(&mut self, material: &Material) -> u128 {
        let Sizes { variant, all, kept, .. } = self;
        let mut of = |man: Man| {
            *kept.entry(man).or_insert_with(|| {
                let keeps = |(_, g): &(usize, &Symmetry)| is_respected_by(variant, man, **g);
                all.iter().enumerate().filter(keeps).map(|(place, _)| 1u128 << place).sum()
            })
        };
        material.men().fold((1u128 << all.len()) - 1, |bits, man| bits & of(man))
    }

    fn group_of(&self, bits: u128) -> impl Iterator<Item = Symmetry> + '_ {
        self.all.iter().enumerate().filter(move |(place, _)| bits >> place & 1 == 1).map(|(_, &g)| g)
    }

    fn frame(&mut self, mobile: &[Man]) -> Vec<Man> {
        if let Some(frame) = self.frames.get(mobile) {
            return frame.clone();
        }
        let places: Vec<usize> = (0..mobile.len()).collect();
        let frame = choice_of_frame(self.variant, mobile, &places).into_iter().map(|i| mobile[i]);
        self.frames.entry(mobile.to_vec()).or_insert(frame.collect()).clone()
    }

    fn n_blocks(&mut self, frame: Vec<Man>, fold: u128) -> u64 {
        let symmetries: Vec<Symmetry> = self.group_of(fold).collect();
        let Sizes { variant, n_blocks, .. } = self;
        let key = (frame, fold);
        if let Some(&n) = n_blocks.get(&key) {
            return n;
        }
        let n = Frames::new(variant, &key.0, &symmetries).squares.len() as u64;
        *n_blocks.entry(key).or_insert(n)
    }

    fn n_slices(&mut self, pawns: &[Man], group: u128) -> u64 {
        let key = (pawns.to_vec(), group);
        if let Some(&n) = self.n_slices.get(&key) {
            return n;
        }
        let kinds: Vec<(usize, SquareSet)> =
            pawns.chunk_by(|a, b| a == b).map(|like| (like.len(), self.variant.zone(like[0]))).collect();
        let n_fixed = |g: Symmetry| n_choices(&kinds, &cycles(self.variant, g));
        let n = self.group_of(group).map(n_fixed).sum::<u64>() / u64::from(group.count_ones());
        *self.n_slices.entry(key).or_insert(n)
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

/// In how many ways the men of each kind, each with its zone, can fill whole cycles.
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
