//! Finds the number that the layout has for a placement, with a few look-ups.
//!
//! Numbers of arrangements lead to placements in all sorts of mirrorings, a few hundred million times in an
//! export. The layout answers for any board and any men; here the board has 64 squares, and what pawns and
//! frame men contribute is looked up by their squares:
//!
//! ```text
//!   number = start of the slice (pawns) + start of the block (frame men) + Σ σ(square) × step (free men)
//! ```
//!
//! σ is the symmetry that leads to the slice, or without pawns to the block.

use crate::material::{MAX_MEN, PieceCode};
use geometry::{MAX_SQUARES, Square, Symmetry};
use index::Layout;
use std::sync::Arc;

/// The number of what has no place.
pub(crate) const NOWHERE: usize = usize::MAX;

/// Slices of this many pawns are looked up by their squares; those of more are searched.
const MAX_LOOKED_UP: usize = 2;

/// The numbers of a material's placements.
#[derive(Debug)]
pub(crate) struct Numbering {
    layout: Arc<Layout>,
    /// The codes of the layout's men.
    codes: Vec<PieceCode>,
    /// By the squares of the pawns, if they are few.
    slices: Vec<Start>,
    /// By the squares of the frame men.
    blocks: Vec<Start>,
    /// Where each symmetry takes the squares.
    mirrored: Vec<[u8; 64]>,
    /// What one square more adds, by man; nothing for pawns and frame men.
    steps: Vec<usize>,
}

/// Where a slice or a block begins, and the symmetry that leads there.
#[derive(Clone, Copy, Debug)]
struct Start {
    number: usize,
    symmetry: u8,
}

impl Start {
    const NOWHERE: Start = Start { number: NOWHERE, symmetry: 0 };

    /// At this number, where such a symmetry leads.
    fn new(number: usize, symmetry: Symmetry) -> Self {
        Start { number, symmetry: symmetry.index() as u8 }
    }
}

impl Numbering {
    /// The numbers of a layout on a board of 64 squares, whose men have these codes.
    pub(crate) fn new(layout: Arc<Layout>, codes: &[PieceCode]) -> Self {
        assert_eq!(layout.n_squares(), 64, "squares of {}", layout.name());
        let squares = |choice: usize| [choice >> 6 & 63, choice & 63].map(Square::from_index);
        let n_pawns = layout.pawns().len();
        let mut slices = Vec::new();
        if (1..=MAX_LOOKED_UP).contains(&n_pawns) {
            slices.extend((0..64usize.pow(n_pawns as u32)).map(|choice| {
                let mut own = [Square::from_index(0); MAX_MEN];
                let chosen = squares(choice);
                let pawns = layout.pawns().iter().zip(&chosen[2 - n_pawns..]);
                pawns.for_each(|(&man, &square)| own[man] = square);
                slice_of(&layout, &own[..codes.len()])
            }));
        }
        let block = |pair: usize| {
            layout.neighbour(squares(pair)).map_or(Start::NOWHERE, |found| {
                Start::new(found.block.span(layout.block_len()).start, found.symmetry)
            })
        };
        let blocks = (0..64 * 64).map(block).collect();
        let symmetries = layout.group().iter().map(|g| g.index()).max().unwrap_or(0);
        let mut mirrored = vec![[0; 64]; symmetries + 1];
        for &g in layout.group() {
            mirrored[g.index()].copy_from_slice(&layout.permutation(g)[..64]);
        }
        let mut steps = vec![0; codes.len()];
        let mut step = 1;
        for &man in layout.free().iter().rev() {
            steps[man] = step;
            step *= 64;
        }
        Numbering { layout, codes: codes.to_vec(), slices, blocks, mirrored, steps }
    }

    /// A way to find numbers from squares in the order of `men`, who are the layout's; like men may be
    /// exchanged.
    pub(crate) fn finder(&self, men: &[PieceCode]) -> Finder<'_> {
        let mut slot_of = [0; MAX_MEN];
        let mut free: Vec<usize> = (0..self.codes.len()).collect();
        for (slot, &man) in men.iter().enumerate() {
            let found = free.iter().position(|&own| self.codes[own] == man).unwrap_or(0);
            slot_of[free.remove(found)] = slot;
        }
        let (mut frame, mut factors) = ([(0, 0); 2], [0; MAX_MEN]);
        for (slot, &man) in frame.iter_mut().zip(self.layout.frame()) {
            *slot = (slot_of[man], 63);
        }
        self.steps.iter().enumerate().for_each(|(man, &step)| factors[slot_of[man]] = step);
        let n_pawns = self.layout.pawns().len();
        let mut pawns = [frame[0].0; MAX_LOOKED_UP];
        pawns.iter_mut().zip(self.layout.pawns()).for_each(|(slot, &man)| *slot = slot_of[man]);
        Finder { numbering: self, slot_of, n_men: men.len(), n_pawns, pawns, frame, factors }
    }
}

/// Where the slice of a placement's pawns begins, and a symmetry that takes them there.
fn slice_of(layout: &Layout, squares: &[Square]) -> Start {
    let Some(slice) = layout.slice_number(Symmetry::IDENTITY, squares) else { return Start::NOWHERE };
    let is_there = |symmetry: &&Symmetry| {
        let map = layout.permutation(**symmetry);
        let mut left = layout.pawn_squares(slice).to_vec();
        // Like pawns stand in any order.
        layout.pawns().iter().all(|&man| {
            let image = Square::from_index(map[squares[man].index()].into());
            let is_own =
                |at: &usize| left[*at] == image && layout.men()[layout.pawns()[*at]] == layout.men()[man];
            let found = (0..left.len()).find(is_own);
            // No pawn stands on the square of another, so none is found twice.
            if let Some(found) = found {
                left[found] = Square::from_index(MAX_SQUARES - 1);
            }
            found.is_some()
        })
    };
    let start = slice.span(layout.slice_len()).start;
    layout.group().iter().find(is_there).map_or(Start::NOWHERE, |&symmetry| Start::new(start, symmetry))
}

/// Squares turned into numbers.
#[derive(Clone, Copy)]
pub(crate) struct Finder<'a> {
    numbering: &'a Numbering,
    /// Where each man of the layout stands in the asker's order.
    slot_of: [usize; MAX_MEN],
    n_men: usize,
    n_pawns: usize,
    /// The pawns, if they are few.
    pawns: [usize; MAX_LOOKED_UP],
    /// The frame men, each with the squares that count: none of one that there is not.
    frame: [(usize, u8); 2],
    factors: [usize; MAX_MEN],
}

/// From where the free men were counted last: most placements differ from the one before in a free man only.
#[derive(Default)]
pub(crate) struct Known {
    /// The squares of pawns and frame men.
    squares: [u8; 2 + MAX_LOOKED_UP],
    start: Option<(usize, usize)>,
}

/// The numbers of placements in which one man walks and the others stand still.
pub(crate) enum RowNumbers<'a> {
    /// The others cannot stand so.
    Nowhere,
    /// Each square adds this many times what it is mapped to.
    Even { first: usize, mapped: &'a [u8; 64], step: usize },
}

impl<'a> Finder<'a> {
    /// The numbers with the man in this slot anywhere; none if where the others are counted from depends on
    /// him.
    pub(crate) fn row(&self, squares: &[u8; MAX_MEN], slot: usize) -> Option<RowNumbers<'a>> {
        let step = Some(self.factors[slot]).filter(|&step| step > 0)?;
        let Some((start, symmetry)) = self.start(squares) else { return Some(RowNumbers::Nowhere) };
        let mapped = &self.numbering.mirrored[symmetry];
        let others = squares[..self.n_men].iter().zip(self.factors).enumerate();
        let others = others.filter(|&(other, _)| other != slot);
        let added =
            others.map(|(_, (&square, factor))| usize::from(mapped[usize::from(square & 63)]) * factor);
        Some(RowNumbers::Even { first: start + added.sum::<usize>(), mapped, step })
    }

    /// The number with all free men on the first square, and the symmetry by which their squares are mapped;
    /// none if pawns or frame men cannot stand so.
    #[inline]
    fn start(&self, squares: &[u8; MAX_MEN]) -> Option<(usize, usize)> {
        let square = |slot: usize| usize::from(squares[slot] & 63);
        let slice = match self.n_pawns {
            0 => Start { number: 0, symmetry: 0 },
            1 => self.numbering.slices[square(self.pawns[0])],
            2 => self.numbering.slices[square(self.pawns[0]) << 6 | square(self.pawns[1])],
            _ => self.slice(squares),
        };
        if slice.number == NOWHERE {
            return None;
        }
        let to_slice = &self.numbering.mirrored[usize::from(slice.symmetry)];
        let [first, second] = self.frame.map(|(slot, counts)| usize::from(to_slice[square(slot)] & counts));
        let block = self.numbering.blocks[first << 6 | second];
        if block.number == NOWHERE {
            return None;
        }
        // With pawns the frame is not folded, without them the slice is not.
        let symmetry = if self.n_pawns == 0 { block.symmetry } else { slice.symmetry };
        Some((slice.number + block.number, usize::from(symmetry)))
    }

    /// The number of these squares; [`NOWHERE`] if pawns or frame men cannot stand so.
    #[inline]
    pub(crate) fn number(&self, squares: &[u8; MAX_MEN]) -> usize {
        self.number_from(self.start(squares), squares)
    }

    /// The number of a placement after another one.
    #[inline]
    pub(crate) fn number_after(&self, known: &mut Known, squares: &[u8; MAX_MEN]) -> usize {
        let [pawn, other] = self.pawns.map(|slot| squares[slot]);
        let own = [pawn, other, squares[self.frame[0].0], squares[self.frame[1].0]];
        if known.squares != own || known.start.is_none() || self.n_pawns > MAX_LOOKED_UP {
            *known = Known { squares: own, start: self.start(squares) };
        }
        self.number_from(known.start, squares)
    }

    #[inline]
    fn number_from(&self, start: Option<(usize, usize)>, squares: &[u8; MAX_MEN]) -> usize {
        let Some((mut number, symmetry)) = start else { return NOWHERE };
        let mapped = &self.numbering.mirrored[symmetry];
        for (&square, factor) in squares[..self.n_men].iter().zip(self.factors) {
            number += usize::from(mapped[usize::from(square & 63)]) * factor;
        }
        number
    }

    /// The slice of many pawns.
    fn slice(&self, squares: &[u8; MAX_MEN]) -> Start {
        let own = self.slot_of.map(|slot| Square::from_index(usize::from(squares[slot] & 63)));
        let layout = &self.numbering.layout;
        slice_of(layout, &own[..self.n_men])
    }
}
