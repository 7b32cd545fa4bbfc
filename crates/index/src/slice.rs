//! Numbers the slices: one for each canonical way in which the pawns of a material can stand.
//!
//! Slices are numbered from the most advanced pawns backwards. The *advance* of a slice is the number of
//! ranks that its pawns have gone, summed; every pawn move raises it, so a slice depends on slices of smaller
//! number only, and the slices of one advance (a *level*) do not depend on each other.
//!
//! A structure keeps only those slices that its positions can reach. Then there are few slices among very
//! many choices of pawn squares, and they are found by a hash instead of an array.

use crate::frame::{NONE, joined, split};
use crate::number::{SliceId, SliceRange};
use geometry::{Board, MAX_SQUARES, Square, SquareSet, Symmetry};
use std::collections::HashMap;
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
    pub(crate) levels: Vec<SliceRange>,
    zone_rank: Vec<[u8; MAX_SQUARES]>,
    n_zone: Vec<usize>,
    of_choice: Choices,
}

/// For choices of pawn squares: slice × [`Symmetry::N`] + symmetry that leads there.
#[derive(Debug)]
enum Choices {
    /// For every choice; `NONE` where there is no slice.
    Every(Vec<u32>),
    /// For those that there are.
    Some(HashMap<u128, u32>),
}

impl Slices {
    /// All slices of these pawns.
    pub(crate) fn new(variant: &Variant, pawns: &[Man], group: &[Symmetry]) -> Self {
        let zones: Vec<SquareSet> = pawns.iter().map(|&p| variant.zone(p)).collect();
        let every = canonical_choices(&variant.board, pawns, &zones, group);
        let n_choices = zones.iter().map(|zone| zone.n_squares()).product();
        Slices::numbered(variant, pawns, group, every, Choices::Every(vec![NONE; n_choices]))
    }

    /// The slices of these choices of pawn squares, in any order; of images under the symmetries one is
    /// kept.
    pub(crate) fn of_choices<'c>(
        variant: &Variant,
        pawns: &[Man],
        group: &[Symmetry],
        choices: impl Iterator<Item = &'c [Square]>,
    ) -> Self {
        let canonical = |choice: &[Square]| canonical_choice(&variant.board, pawns, group, choice);
        let mut canonical: Vec<Vec<Square>> = choices.map(canonical).collect();
        canonical.sort_unstable();
        canonical.dedup();
        Slices::numbered(variant, pawns, group, canonical, Choices::Some(HashMap::new()))
    }

    /// Numbers canonical choices.
    fn numbered(
        variant: &Variant,
        pawns: &[Man],
        group: &[Symmetry],
        squares: Vec<Vec<Square>>,
        of_choice: Choices,
    ) -> Self {
        let zones = || pawns.iter().map(|&p| variant.zone(p));
        let zone_rank = zones().map(zone_ranks).collect();
        let n_zone: Vec<usize> = zones().map(|zone| zone.n_squares()).collect();
        let (residual, levels) = (Vec::new(), Vec::new());
        let mut slices = Slices { squares, residual, levels, zone_rank, n_zone, of_choice };
        let board = &variant.board;
        slices.squares.sort_by_key(|choice| std::cmp::Reverse(advance(board, pawns, choice)));
        for number in 0..slices.squares.len() {
            let squares = slices.squares[number].clone();
            let mut residual = Vec::new();
            for &g in group {
                let image = like_sorted(pawns, squares.iter().map(|&s| g.square(board, s)).collect());
                if image == squares && g != Symmetry::IDENTITY {
                    residual.push(g);
                }
                let choice = slices.choice(&image).expect("pawns of a slice stand where they may");
                slices.of_choice.note(choice, joined(number, g.inverse(board)));
            }
            slices.residual.push(residual);
        }
        let advances: Vec<usize> = slices.squares.iter().map(|s| advance(board, pawns, s)).collect();
        let mut start = 0;
        for chunk in advances.chunk_by(|a, b| a == b) {
            slices.levels.push(SliceRange::new(start..start + chunk.len()));
            start += chunk.len();
        }
        slices
    }

    /// The slice of these pawn squares (like pawns in ascending order) and the symmetry that leads to it.
    #[inline]
    pub(crate) fn find(&self, sorted: &[Square]) -> Option<(SliceId, Symmetry)> {
        let (slice, symmetry) = split(self.of_choice.find(self.choice(sorted)?)?);
        Some((SliceId::from_index(slice), symmetry))
    }

    /// The number of a choice of pawn squares; none if a pawn stands where it may not.
    #[inline]
    fn choice(&self, squares: &[Square]) -> Option<u128> {
        let mut choice = 0;
        for (i, square) in squares.iter().enumerate() {
            let rank = self.zone_rank[i][square.index()];
            if rank == u8::MAX {
                return None;
            }
            choice = choice * self.n_zone[i] as u128 + u128::from(rank);
        }
        Some(choice)
    }
}

impl Choices {
    /// Keeps the first symmetry that is found to lead from a choice to its slice: any of them leads to the
    /// same one.
    fn note(&mut self, choice: u128, found: u32) {
        match self {
            Choices::Every(all) => {
                let slot = &mut all[choice as usize];
                if *slot == NONE {
                    *slot = found;
                }
            }
            Choices::Some(some) => _ = some.entry(choice).or_insert(found),
        }
    }

    #[inline]
    fn find(&self, choice: u128) -> Option<u32> {
        match self {
            Choices::Every(all) => Some(all[choice as usize]).filter(|&found| found != NONE),
            Choices::Some(some) => some.get(&choice).copied(),
        }
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
fn like_sorted(men: &[Man], mut squares: Vec<Square>) -> Vec<Square> {
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

/// The smallest among the images of a choice under the symmetries, like pawns ascending.
fn canonical_choice(board: &Board, pawns: &[Man], group: &[Symmetry], choice: &[Square]) -> Vec<Square> {
    let image = |g: &Symmetry| like_sorted(pawns, choice.iter().map(|&s| g.square(board, s)).collect());
    let images = group.iter().map(image);
    images.min_by_key(|image| by_first_file(board, image)).expect("the identity is a symmetry")
}

/// The order in which the canonical slice is the first: by file before rank, so that the first pawn stands on
/// the left half of the board.
fn by_first_file(board: &Board, choice: &[Square]) -> Vec<(usize, usize)> {
    choice.iter().map(|&s| (board.file_of(s), board.rank_of(s))).collect()
}
