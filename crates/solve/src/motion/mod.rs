//! Compiles movements for sets: each man's rays as walks that the kernels take back, and a frame man's moves
//! as neighbour blocks.
//!
//! Everything here depends on the layout alone and is made once a table.

mod between;
mod frame;
mod man;

pub(crate) use between::Between;
pub(crate) use frame::FrameMove;
pub(crate) use man::{Attack, CompiledMan, Walks};

use frame::FrameMoves;
use geometry::Symmetry;
use index::{BlockId, Layout};
use kernel::{Image, LanePermutation, Neighbour, Word};
use variant::Variant;

/// The movements of all men of a layout.
#[derive(Debug)]
pub(crate) struct Motion<W> {
    /// In the order of the layout's men.
    pub(crate) men: Vec<CompiledMan<W>>,
    /// By symmetry.
    pub(crate) images: Vec<Image<W>>,
    /// By symmetry: where the rows and words of a canonical block are as they stand.
    pub(crate) undone: Vec<Undone>,
    /// By place in the frame.
    frame: Vec<FrameMoves<W>>,
}

/// The other way round of [`Image::rows`] and [`Image::words`].
#[derive(Debug)]
pub(crate) struct Undone {
    pub(crate) rows: Vec<u32>,
    pub(crate) words: Vec<u8>,
}

impl Undone {
    fn new<W>(image: &Image<W>) -> Self {
        let mut undone = Undone { rows: vec![0; image.rows.len()], words: vec![0; image.words.len()] };
        image.rows.iter().enumerate().for_each(|(row, &kept)| undone.rows[kept as usize] = row as u32);
        image.words.iter().enumerate().for_each(|(word, &kept)| undone.words[kept as usize] = word as u8);
        undone
    }
}

impl<W: Word> Motion<W> {
    pub(crate) fn new(variant: &Variant, layout: &Layout) -> Self {
        let men: Vec<CompiledMan<W>> =
            layout.men().iter().map(|&man| CompiledMan::new(variant, layout, man)).collect();
        let n_images = layout.group().iter().map(|g| g.index() + 1).max().unwrap_or(1);
        let images: Vec<Image<W>> = (0..n_images).map(|i| image(layout, Symmetry::from_index(i))).collect();
        let undone = images.iter().map(Undone::new).collect();
        let frame = layout.frame().iter().enumerate();
        let frame = frame.map(|(place, &man)| FrameMoves::new(variant, layout, men[man].man, place));
        let frame = frame.collect();
        Motion { men, images, undone, frame }
    }

    /// The blocks to which the frame man at this place of the frame moves from a block, whatever the free men
    /// do.
    #[inline]
    pub(crate) fn neighbours(&self, place: usize, block: BlockId) -> &[Neighbour] {
        self.frame[place].neighbours.of(block)
    }

    /// Its other moves.
    #[inline]
    pub(crate) fn other_moves(&self, place: usize, block: BlockId) -> &[FrameMove<W>] {
        self.frame[place].others.of(block)
    }

    /// All blocks, those between which the frame man at this place moves after each other.
    pub(crate) fn order(&self, place: usize) -> &[BlockId] {
        self.frame.get(place).map_or(&[], |frame| &frame.order)
    }

    /// The blocks from which it moves to a block.
    #[inline]
    pub(crate) fn origins(&self, place: usize, block: BlockId) -> &[BlockId] {
        self.frame[place].origins.of(block)
    }
}

/// How a canonical block is read as it stands under a symmetry.
fn image<W: Word>(layout: &Layout, symmetry: Symmetry) -> Image<W> {
    let n = layout.n_squares();
    let fits = layout.group().contains(&symmetry);
    let to_canonical = layout.permutation(if fits { symmetry } else { Symmetry::IDENTITY });
    let n_outer = layout.free().len().saturating_sub(2);
    let row = |row: usize| -> u32 {
        let digit = |k: usize| row / n.pow((n_outer - 1 - k) as u32) % n;
        (0..n_outer).fold(0, |row, k| row * n + to_canonical[digit(k)] as usize) as u32
    };
    // Bit y as it stands is bit σ(y) of the canonical word, so canonical words go through σ taken back.
    let mut undone = vec![0; n];
    (0..n).for_each(|y| undone[to_canonical[y] as usize] = y as u8);
    let n_free = layout.free().len();
    Image {
        is_identity: symmetry == Symmetry::IDENTITY || !fits,
        rows: (0..n.pow(n_outer as u32)).map(row).collect(),
        words: if n_free < 2 { vec![0] } else { to_canonical[..n].to_vec() },
        lane: if n_free == 0 { LanePermutation::Identity } else { LanePermutation::from_map(&undone) },
    }
}

#[cfg(test)]
mod tests;
