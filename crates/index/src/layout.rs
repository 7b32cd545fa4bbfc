//! Numbers the placements of one material, and counts how many placements a canonical one stands for.

use crate::frame::{Frames, choice_of_frame, symmetry_group};
use crate::number::{
    BlockId, BlockRange, MAX_MEN, MAX_PLACED, Placement, SliceBlock, SliceId, SliceRange, has_repeated,
};
use crate::slice::Slices;
use geometry::{Board, MAX_SQUARES, Square, Symmetry};
use std::ops::Range;
use variant::{Man, Material, Side, Variant};

/// Where a block's frame lies once a frame man has moved: see [`Layout::neighbour`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NeighbourBlock {
    /// The canonical block.
    pub block: BlockId,
    /// The symmetry that takes squares as they stand to squares in the canonical block.
    pub symmetry: Symmetry,
}

/// The numbering of one material's placements: see the crate's header.
#[derive(Debug)]
pub struct Layout {
    board: Board,
    material: Material,
    name: String,
    men: Vec<Man>,
    pawns: Vec<usize>,
    frame: Vec<usize>,
    free: Vec<usize>,
    group: Vec<Symmetry>,
    /// By the number of the symmetry: where it takes each square.
    permutations: Vec<[u8; MAX_SQUARES]>,
    slices: Slices,
    frames: Frames,
    /// The runs of like men of `frame`: its two men, if they are alike.
    like_frame: Vec<Range<usize>>,
    /// Runs of like men among `free`, where there are two or more.
    like_free: Vec<Range<usize>>,
    /// Runs of like men among `pawns`, where there are two or more.
    like_pawns: Vec<Range<usize>>,
    /// In how many ways like men can be exchanged.
    n_exchanges: u32,
    /// Whether the rules are the same for both sides.
    is_colour_symmetric: bool,
    is_one_sided: bool,
}

impl Layout {
    /// The numbering of a material; its colours may be any.
    ///
    /// # Panics
    /// With more than [`MAX_MEN`] men.
    #[must_use]
    pub fn new(variant: &Variant, material: &Material) -> Self {
        let n_men = material.n_men();
        assert!(n_men <= MAX_MEN, "{n_men} men, at most {MAX_MEN}");
        Layout::with_slices(variant, material, None)
    }

    /// The numbering of those placements of a material whose pawns stand as in one of these choices, or as
    /// in an image of one. Both sides to move are kept, whatever the material.
    ///
    /// Shape: a choice lists the squares of the pawns in the order of [`Self::pawns`]; like pawns may stand
    /// in any order, choices too.
    ///
    /// # Panics
    /// With more than [`MAX_PLACED`] men, without pawns, or if a pawn stands where it may not.
    #[must_use]
    pub fn of_slices(variant: &Variant, material: &Material, choices: &[Vec<Square>]) -> Self {
        let n_men = material.n_men();
        assert!(n_men <= MAX_PLACED, "{n_men} men, at most {MAX_PLACED}");
        let layout = Layout::with_slices(variant, material, Some(choices));
        assert!(!layout.pawns.is_empty(), "{} has no pawns and is one slice", layout.name);
        Layout { is_one_sided: false, ..layout }
    }

    /// The numbering of a material's slices, or of some of them.
    fn with_slices(variant: &Variant, material: &Material, choices: Option<&[Vec<Square>]>) -> Self {
        let men: Vec<Man> = material.men().collect();
        let board = variant.board;
        let group = symmetry_group(variant, material);
        let pawns: Vec<usize> = (0..men.len()).filter(|&i| variant.is_pawn(men[i])).collect();
        let mobile: Vec<usize> = (0..men.len()).filter(|&i| !variant.is_pawn(men[i])).collect();
        let frame = choice_of_frame(variant, &men, &mobile);
        let mut free: Vec<usize> = mobile.into_iter().filter(|i| !frame.contains(i)).collect();
        // A ride costs more inside a word than between words, so the man with the fewest rides is the lane.
        // Among equal movements the men decide, so that like men stand next to each other.
        let n_rides = |i: usize| variant.movement(men[i]).rays().iter().filter(|r| r.limit > 1).count();
        free.sort_by_key(|&i| (std::cmp::Reverse(n_rides(i)), men[i], i));
        let pick = |places: &[usize]| places.iter().map(|&i| men[i]).collect::<Vec<_>>();
        let slices = match choices {
            None => Slices::new(variant, &pick(&pawns), &group),
            Some(choices) => {
                let choices = choices.iter().map(Vec::as_slice);
                Slices::of_choices(variant, &pick(&pawns), &group, choices)
            }
        };
        let fold = if pawns.is_empty() { &group[..] } else { &[Symmetry::IDENTITY] };
        let frames = Frames::new(variant, &pick(&frame), fold);
        let (like_free, like_pawns) = (like_runs(&pick(&free)), like_runs(&pick(&pawns)));
        let like_frame = like_runs(&pick(&frame));
        let factorial = |run: &Range<usize>| (1..=run.len() as u32).product::<u32>();
        let n_exchanges = like_free.iter().chain(&like_pawns).chain(&like_frame).map(factorial).product();
        let permutations = permutations(&board);
        Layout {
            board,
            material: material.clone(),
            name: material.name(variant),
            men,
            pawns,
            frame,
            free,
            group,
            permutations,
            slices,
            frames,
            like_frame,
            like_free,
            like_pawns,
            n_exchanges,
            is_colour_symmetric: variant.is_colour_symmetric(),
            is_one_sided: material.is_one_sided(variant),
        }
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// The material's name, such as `KRPvKR`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the rules are the same for both sides, so that the table serves the exchanged colours too.
    #[must_use]
    pub fn is_colour_symmetric(&self) -> bool {
        self.is_colour_symmetric
    }

    /// Whether a table keeps White to move only: see [`Material::is_one_sided`]. One of some slices never
    /// does, because a slice with the colours exchanged need not be among them.
    #[must_use]
    pub fn is_one_sided(&self) -> bool {
        self.is_one_sided
    }

    /// The sides to move that a whole table keeps.
    #[must_use]
    pub fn sides(&self) -> &'static [Side] {
        if self.is_one_sided { &[Side::White] } else { &Side::BOTH }
    }

    /// The men whose squares a placement lists: White's in declared order, then Black's.
    #[must_use]
    pub fn men(&self) -> &[Man] {
        &self.men
    }

    /// The places in [`Self::men`] of the pawns.
    #[must_use]
    pub fn pawns(&self) -> &[usize] {
        &self.pawns
    }

    /// The places in [`Self::men`] of the frame men, at most two.
    #[must_use]
    pub fn frame(&self) -> &[usize] {
        &self.frame
    }

    /// The places in [`Self::men`] of the free men, outermost first; the last is the lane.
    #[must_use]
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    /// The symmetries of the material, the identity first.
    #[must_use]
    pub fn group(&self) -> &[Symmetry] {
        &self.group
    }

    /// Where a symmetry takes each square.
    #[must_use]
    pub fn permutation(&self, symmetry: Symmetry) -> &[u8; MAX_SQUARES] {
        &self.permutations[symmetry.index()]
    }

    /// Number of squares of the board: the width of an axis and of the lane.
    #[must_use]
    pub fn n_squares(&self) -> usize {
        self.board.n_squares()
    }

    /// Number of slices.
    #[must_use]
    pub fn n_slices(&self) -> usize {
        self.slices.squares.len()
    }

    /// All slices.
    #[must_use]
    pub fn slices(&self) -> SliceRange {
        SliceRange::new(0..self.n_slices())
    }

    /// The slices that depend on no other of the same range, in the order in which ranges must be solved.
    #[must_use]
    pub fn levels(&self) -> &[SliceRange] {
        &self.slices.levels
    }

    /// The squares of the pawns of a slice, in the order of [`Self::pawns`].
    #[must_use]
    pub fn pawn_squares(&self, slice: SliceId) -> &[Square] {
        &self.slices.squares[slice.index()]
    }

    /// Number of blocks of a slice.
    #[must_use]
    pub fn n_blocks(&self) -> usize {
        self.frames.squares.len()
    }

    /// All blocks of a slice.
    #[must_use]
    pub fn blocks(&self) -> BlockRange {
        BlockRange::new(0..self.n_blocks())
    }

    /// The squares of the frame men of a block; of a frame of fewer men the rest is meaningless.
    #[must_use]
    pub fn frame_squares(&self, block: BlockId) -> [Square; 2] {
        self.frames.squares[block.index()]
    }

    /// The canonical block of these frame squares, none if the frame men cannot stand so.
    #[must_use]
    pub fn neighbour(&self, frame_squares: [Square; 2]) -> Option<NeighbourBlock> {
        self.frames.find(frame_squares).map(|(block, symmetry)| NeighbourBlock { block, symmetry })
    }

    /// See [`Frames::line`].
    #[inline]
    pub(crate) fn frame_line(&self, pair: [Square; 2], place: usize) -> impl Fn(usize) -> u32 + '_ {
        self.frames.line(pair, place)
    }

    /// Number of words of a block in a plane: one for each choice of squares of the outer free men.
    #[must_use]
    pub fn words_per_block(&self) -> usize {
        self.n_squares().pow(self.free.len().saturating_sub(1) as u32)
    }

    /// Number of placements of a block: words × squares, 1 without a free man.
    #[must_use]
    pub fn block_len(&self) -> usize {
        self.n_squares().pow(self.free.len() as u32)
    }

    /// Number of placements of a slice.
    #[must_use]
    pub fn slice_len(&self) -> usize {
        self.n_blocks() * self.block_len()
    }

    /// Number of placements, ghosts and other places without a position among them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n_slices() * self.slice_len()
    }

    /// Whether there is no placement at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The canonical number of a placement; none if a man stands where the board has no square, a pawn where
    /// it cannot, or the frame men do.
    ///
    /// # Panics
    /// If `squares` has not one square for each man.
    #[must_use]
    #[inline]
    pub fn encode(&self, squares: &[Square]) -> Option<usize> {
        assert_eq!(squares.len(), self.men.len(), "squares and men");
        if !self.board.holes().is_empty() && !squares.iter().all(|&square| self.board.has(square)) {
            return None;
        }
        let (slice, to_slice) = self.slice_of(squares)?;
        let (index, block) = self.encode_through(slice, to_slice, squares)?;
        let residual = self.residual(SliceBlock { slice, block });
        if residual.is_empty() { Some(index) } else { self.smallest(slice, index, residual) }
    }

    /// The placement with this number.
    ///
    /// # Panics
    /// If the number is not below [`Self::len`].
    #[must_use]
    pub fn decode(&self, index: usize) -> Placement {
        assert!(index < self.len(), "placement {index} of {}", self.len());
        let n = self.n_squares();
        let mut placement =
            Placement { squares: [Square::from_index(0); MAX_PLACED], n_men: self.men.len() as u8 };
        let (slice, mut rest) = (index / self.slice_len(), index % self.slice_len());
        for &man in self.free.iter().rev() {
            placement.squares[man] = Square::from_index(rest % n);
            rest /= n;
        }
        let frame_squares = self.frames.squares[rest];
        self.frame.iter().zip(frame_squares).for_each(|(&man, s)| placement.squares[man] = s);
        self.pawns.iter().zip(&self.slices.squares[slice]).for_each(|(&man, &s)| placement.squares[man] = s);
        placement
    }

    /// Whether a placement is the one that stands for all its images, and no two men share a square.
    #[must_use]
    pub fn is_canonical(&self, index: usize, squares: &[Square]) -> bool {
        !has_repeated(squares) && self.encode(squares) == Some(index)
    }

    /// Whether a symmetry maps the block onto itself (or the slice onto itself, blocks exchanged), so that
    /// some of its placements have an image with a smaller number.
    #[must_use]
    pub fn has_residual(&self, place: SliceBlock) -> bool {
        !self.residual(place).is_empty()
    }

    /// The symmetries (without the identity) that map the block onto itself, or with pawns the slice.
    #[must_use]
    pub fn residual(&self, place: SliceBlock) -> &[Symmetry] {
        let (blocks, slices) = (&self.frames.residual, &self.slices.residual);
        if self.pawns.is_empty() { &blocks[place.block.index()] } else { &slices[place.slice.index()] }
    }

    /// Number of units: the blocks of all slices, as the numbers of placements count them.
    #[must_use]
    pub fn n_units(&self) -> usize {
        self.n_slices() * self.n_blocks()
    }

    /// The unit that a block is.
    #[must_use]
    pub fn unit(&self, place: SliceBlock) -> usize {
        place.slice.index() * self.n_blocks() + place.block.index()
    }

    /// The block that a unit is.
    #[must_use]
    pub fn slice_block(&self, unit: usize) -> SliceBlock {
        let (slice, block) = (unit / self.n_blocks(), unit % self.n_blocks());
        SliceBlock { slice: SliceId::from_index(slice), block: BlockId::from_index(block) }
    }

    /// The runs of two or more like men among [`Self::free`].
    #[must_use]
    pub fn like_free(&self) -> &[Range<usize>] {
        &self.like_free
    }

    /// In how many ways the like men of a placement can be exchanged; 1 if there are none.
    #[must_use]
    pub fn n_exchanges(&self) -> u32 {
        self.n_exchanges
    }

    /// In how many ways the frame men can be exchanged: 2 if they are two like men.
    #[must_use]
    pub fn n_frame_exchanges(&self) -> u32 {
        if self.like_frame.is_empty() { 1 } else { 2 }
    }

    /// The slice of a placement's pawns and the symmetry that leads to it.
    #[inline]
    pub(crate) fn slice_of(&self, squares: &[Square]) -> Option<(SliceId, Symmetry)> {
        if self.pawns.is_empty() {
            return Some((SliceId::FIRST, Symmetry::IDENTITY));
        }
        let mut pawn_squares = [Square::from_index(0); MAX_PLACED];
        for (slot, &man) in pawn_squares.iter_mut().zip(&self.pawns) {
            *slot = squares[man];
        }
        let n = self.pawns.len();
        for run in &self.like_pawns {
            pawn_squares[run.clone()].sort_unstable();
        }
        self.slices.find(&pawn_squares[..n])
    }

    /// The squares of a placement's frame men once `to_slice` has been applied.
    #[inline]
    pub(crate) fn frame_under(&self, to_slice: Symmetry, squares: &[Square]) -> [Square; 2] {
        let permutation = &self.permutations[to_slice.index()];
        let mut frame = [Square::from_index(0); 2];
        for (slot, &man) in frame.iter_mut().zip(&self.frame) {
            *slot = Square::from_index(permutation[squares[man].index()] as usize);
        }
        frame
    }

    /// The block of a placement's frame men once `to_slice` has been applied, and the symmetry that leads
    /// there.
    #[inline]
    pub(crate) fn block_of(&self, to_slice: Symmetry, squares: &[Square]) -> Option<(BlockId, Symmetry)> {
        self.frames.find(self.frame_under(to_slice, squares))
    }

    /// The number (and block) of a placement once `to_slice` has been applied, like free men in order.
    #[inline]
    fn encode_through(
        &self,
        slice: SliceId,
        to_slice: Symmetry,
        squares: &[Square],
    ) -> Option<(usize, BlockId)> {
        let (block, to_block) = self.block_of(to_slice, squares)?;
        // With pawns the frame is not folded, without them the slice is not: one of the two is the identity.
        let symmetry = if self.pawns.is_empty() { to_block } else { to_slice };
        let permutation = &self.permutations[symmetry.index()];
        let n = self.n_squares();
        let mut index = self.unit(SliceBlock { slice, block });
        if self.like_free.is_empty() {
            for &man in &self.free {
                index = index * n + permutation[squares[man].index()] as usize;
            }
        } else {
            let mut free = [0u8; MAX_PLACED];
            for (slot, &man) in free.iter_mut().zip(&self.free) {
                *slot = permutation[squares[man].index()];
            }
            for run in &self.like_free {
                free[run.clone()].sort_unstable();
            }
            for &square in &free[..self.free.len()] {
                index = index * n + square as usize;
            }
        }
        Some((index, block))
    }

    /// The smallest number among the images of a placement under the symmetries that its slice and frame
    /// leave open.
    fn smallest(&self, slice: SliceId, index: usize, residual: &[Symmetry]) -> Option<usize> {
        let mut image = [Square::from_index(0); MAX_PLACED];
        let mut smallest = index;
        // The placement as its slice and block have it: that is what the residual symmetries apply to.
        let decoded = self.decode(index);
        for &g in residual {
            for (slot, s) in image.iter_mut().zip(decoded.iter()) {
                *slot = Square::from_index(self.permutations[g.index()][s.index()] as usize);
            }
            let (other, _) = self.encode_through(slice, Symmetry::IDENTITY, &image[..decoded.len()])?;
            smallest = smallest.min(other);
        }
        Some(smallest)
    }
}

/// The runs of two or more like men.
fn like_runs(men: &[Man]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = 0;
    for like in men.chunk_by(|a, b| a == b) {
        if like.len() > 1 {
            runs.push(start..start + like.len());
        }
        start += like.len();
    }
    runs
}

/// Where each symmetry takes each square, by the number of the symmetry. One that the board does not have
/// takes every square to the first, and is never asked for.
fn permutations(board: &Board) -> Vec<[u8; MAX_SQUARES]> {
    let all = Symmetry::all(&board.without_holes());
    let last = all.last().map_or(0, |g| g.index());
    let mut permutations = vec![[0; MAX_SQUARES]; last + 1];
    for g in all {
        let map = &mut permutations[g.index()];
        (0..board.n_squares()).for_each(|s| map[s] = g.square(board, Square::from_index(s)).index() as u8);
    }
    permutations
}

/// How many placements one canonical placement stands for, like men being distinguishable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weights {
    /// Placements on the whole board.
    pub unreduced: u32,
    /// Placements modulo the symmetries of the board.
    pub orbits: u32,
}

impl Layout {
    /// How many placements a canonical placement (without shared squares) stands for.
    #[must_use]
    pub fn weights(&self, squares: &[Square]) -> Weights {
        let (mut n_keeping_all, mut n_keeping_set) = (0, 0);
        let n_group = self.group.len() as u32;
        let mut sorted = [Square::from_index(0); MAX_PLACED];
        let mut image = sorted;
        let n = squares.len();
        sorted[..n].copy_from_slice(squares);
        self.sort_like(&mut sorted);
        for &g in &self.group {
            for (slot, s) in image.iter_mut().zip(squares) {
                *slot = Square::from_index(self.permutations[g.index()][s.index()] as usize);
            }
            n_keeping_all += u32::from(image[..n] == *squares);
            self.sort_like(&mut image);
            n_keeping_set += u32::from(image[..n] == sorted[..n]);
        }
        let unreduced = n_group * self.n_exchanges / n_keeping_set;
        Weights { unreduced, orbits: unreduced * n_keeping_all / n_group }
    }

    /// Sorts the squares of like men among all men's squares.
    fn sort_like(&self, squares: &mut [Square; MAX_PLACED]) {
        let groups =
            [(&self.frame, &self.like_frame), (&self.free, &self.like_free), (&self.pawns, &self.like_pawns)];
        for (places, runs) in groups {
            for run in runs {
                insertion_sort(squares, &places[run.clone()]);
            }
        }
    }
}

fn insertion_sort(squares: &mut [Square; MAX_PLACED], places: &[usize]) {
    for i in 1..places.len() {
        let mut j = i;
        while j > 0 && squares[places[j - 1]] > squares[places[j]] {
            squares.swap(places[j - 1], places[j]);
            j -= 1;
        }
    }
}
