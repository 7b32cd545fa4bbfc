//! Numbers the slices: one for each canonical way in which the pawns of a material can stand.
//!
//! Slices are numbered from the most advanced pawns backwards. The *advance* of a slice is the number of
//! ranks that its pawns have gone, summed; every pawn move raises it, so a slice depends on slices of smaller
//! number only, and the slices of one advance (a *level*) do not depend on each other.

use crate::frame::{NONE, joined, split};
use geometry::{Board, MAX_SQUARES, Square, SquareSet, Symmetry};
use std::ops::Range;
use variant::{Man, Side, Variant};

/// All slices of a material.
#[derive(Debug)]
pub(crate) struct Slices {
    /// The squares of the pawns of each slice, in the order of the pawns.
    pub(crate) squares: Vec<Vec<Square>>,
    /// The symmetries (without the identity) that map a slice onto itself, like pawns exchanged where need
    /// be.
    pub(crate) residual: Vec<Vec<Symmetry>>,
    /// Slices of the same advance, most advanced first.
    pub(crate) levels: Vec<Range<usize>>,
    zone_rank: Vec<[u8; MAX_SQUARES]>,
    n_zone: Vec<usize>,
    /// For every choice of pawn squares: slice × [`Symmetry::N`] + symmetry that leads there, or `NONE`.
    of_choice: Vec<u32>,
}

impl Slices {
    pub(crate) fn new(variant: &Variant, pawns: &[Man], group: &[Symmetry]) -> Self {
        let zones: Vec<SquareSet> = pawns.iter().map(|&p| variant.zone(p)).collect();
        let zone_rank = zones.iter().map(|&zone| zone_ranks(zone)).collect();
        let n_zone: Vec<usize> = zones.iter().map(|zone| zone.n_squares()).collect();
        let mut slices = Slices {
            squares: Vec::new(),
            residual: Vec::new(),
            levels: Vec::new(),
            zone_rank,
            n_zone,
            of_choice: Vec::new(),
        };
        let board = &variant.board;
        slices.of_choice = vec![NONE; slices.n_zone.iter().product()];
        slices.squares = canonical_choices(board, pawns, &zones, group);
        slices.squares.sort_by_key(|choice| std::cmp::Reverse(advance(board, pawns, choice)));
        for (number, squares) in slices.squares.iter().enumerate() {
            let mut residual = Vec::new();
            for &g in group {
                let image = like_sorted(pawns, squares.iter().map(|&s| g.square(board, s)).collect());
                if image == *squares && g != Symmetry::IDENTITY {
                    residual.push(g);
                }
                // Not the smallest symmetry but the first found: any of them leads to the same slice.
                let choice = slices.choice(&image);
                if slices.of_choice[choice] == NONE {
                    slices.of_choice[choice] = joined(number, g.inverse(board));
                }
            }
            slices.residual.push(residual);
        }
        let advances: Vec<usize> = slices.squares.iter().map(|s| advance(board, pawns, s)).collect();
        let mut start = 0;
        for chunk in advances.chunk_by(|a, b| a == b) {
            slices.levels.push(start..start + chunk.len());
            start += chunk.len();
        }
        slices
    }

    /// The slice of these pawn squares (like pawns in ascending order) and the symmetry that leads to it.
    #[inline]
    pub(crate) fn find(&self, sorted: &[Square]) -> Option<(usize, Symmetry)> {
        let mut choice = 0;
        for (i, square) in sorted.iter().enumerate() {
            let rank = self.zone_rank[i][square.index()];
            if rank == u8::MAX {
                return None;
            }
            choice = choice * self.n_zone[i] + rank as usize;
        }
        let found = self.of_choice[choice];
        (found != NONE).then(|| split(found))
    }

    fn choice(&self, squares: &[Square]) -> usize {
        squares.iter().enumerate().fold(0, |choice, (i, square)| {
            choice * self.n_zone[i] + self.zone_rank[i][square.index()] as usize
        })
    }
}

/// The place of each square within a zone; `u8::MAX` outside.
fn zone_ranks(zone: SquareSet) -> [u8; MAX_SQUARES] {
    let mut ranks = [u8::MAX; MAX_SQUARES];
    zone.iter().enumerate().for_each(|(i, s)| ranks[s.index()] = i as u8);
    ranks
}

/// How many ranks the pawns have gone from their own side of the board, summed.
fn advance(board: &Board, pawns: &[Man], squares: &[Square]) -> usize {
    let gone = |(pawn, &square): (&Man, &Square)| match pawn.side {
        Side::White => board.rank_of(square),
        Side::Black => board.ranks() - 1 - board.rank_of(square),
    };
    pawns.iter().zip(squares).map(gone).sum()
}

/// The squares with those of like men brought into ascending order. Like men stand next to each other in
/// `men`.
pub(crate) fn like_sorted(men: &[Man], mut squares: Vec<Square>) -> Vec<Square> {
    let mut start = 0;
    for like in men.chunk_by(|a, b| a == b) {
        squares[start..start + like.len()].sort_unstable();
        start += like.len();
    }
    squares
}

/// Every choice of squares that is the smallest among its images, like pawns ascending, no square twice.
fn canonical_choices(
    board: &Board,
    pawns: &[Man],
    zones: &[SquareSet],
    group: &[Symmetry],
) -> Vec<Vec<Square>> {
    let mut choices = vec![Vec::new()];
    for zone in zones {
        choices = choices
            .into_iter()
            .flat_map(|choice: Vec<Square>| {
                let taken: SquareSet = choice.iter().copied().collect();
                zone.without(taken).iter().map(move |s| [&choice[..], &[s]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    choices.retain(|choice| {
        like_sorted(pawns, choice.clone()) == *choice
            && group.iter().all(|&g| {
                let image = like_sorted(pawns, choice.iter().map(|&s| g.square(board, s)).collect());
                by_first_file(board, choice) <= by_first_file(board, &image)
            })
    });
    choices
}

/// The order in which the canonical slice is the first: by file before rank, so that the first pawn stands on
/// the left half of the board.
fn by_first_file(board: &Board, choice: &[Square]) -> Vec<(usize, usize)> {
    choice.iter().map(|&s| (board.file_of(s), board.rank_of(s))).collect()
}
