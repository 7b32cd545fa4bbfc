//! Movements compiled for sets: each ray of a man as a shift of the lane, as pairs of rows, or as neighbour blocks.
//!
//! Everything here depends on the layout alone and is made once a table.

use geometry::{Board, Square, Step};
use index::Layout;
use kernel::{AxisStep, LanePermutation, LaneStep};
use piece::Ray;
use variant::{Man, Variant};

/// One ray of a man, in the forms that the kernels want.
#[derive(Debug)]
pub(crate) struct CompiledRay {
    pub(crate) ray: Ray,
    pub(crate) lane: LaneStep,
    pub(crate) axis: AxisStep,
}

/// All rays of a man.
#[derive(Debug)]
pub(crate) struct CompiledMan {
    pub(crate) man: Man,
    pub(crate) rays: Vec<CompiledRay>,
    pub(crate) royal: bool,
    pub(crate) pawn: bool,
}

/// One move of a frame man, and the block that it leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameMove {
    /// The block it leads to, in canonical form.
    pub(crate) block: u32,
    /// Which of [`Motion::images`] takes the canonical block to the squares as they stand.
    pub(crate) image: u8,
    /// The square it goes to.
    pub(crate) target: u8,
    /// The squares that must be free of other men.
    pub(crate) path: u64,
    pub(crate) quiet: bool,
    pub(crate) capture: bool,
}

/// A symmetry undone: how to read a canonical block as it stands under the symmetry.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) rows: Vec<u32>,
    pub(crate) lane: LanePermutation,
    pub(crate) identity: bool,
}

/// The movements of all men of a layout.
#[derive(Debug)]
pub(crate) struct Motion {
    /// In the order of the layout's men.
    pub(crate) men: Vec<CompiledMan>,
    /// By symmetry.
    pub(crate) images: Vec<Image>,
    frame_moves: [Vec<FrameMove>; 2],
    frame_starts: [Vec<u32>; 2],
}

impl Motion {
    pub(crate) fn new(variant: &Variant, layout: &Layout) -> Self {
        let board = layout.board();
        let compile = |man: Man| CompiledMan {
            man,
            rays: variant.movement(man).rays().iter().map(|&ray| CompiledRay::new(board, ray)).collect(),
            royal: variant.is_royal(man),
            pawn: variant.is_pawn(man),
        };
        let men: Vec<CompiledMan> = layout.men().iter().map(|&m| compile(m)).collect();
        let images = (0..8).map(|i| Image::new(layout, geometry::Symmetry::from_index(i))).collect();
        let mut frame_moves = [Vec::new(), Vec::new()];
        let mut frame_starts = [vec![0], vec![0]];
        for (place, &man) in layout.frame().iter().enumerate() {
            for block in 0..layout.n_blocks() {
                collect_frame_moves(layout, &men[man], place, block, &mut frame_moves[place]);
                frame_starts[place].push(frame_moves[place].len() as u32);
            }
        }
        Motion { men, images, frame_moves, frame_starts }
    }

    /// Where the frame man at this place of the frame may go from a block.
    #[inline]
    pub(crate) fn frame_moves(&self, place: usize, block: usize) -> &[FrameMove] {
        let starts = &self.frame_starts[place];
        &self.frame_moves[place][starts[block] as usize..starts[block + 1] as usize]
    }
}

impl CompiledRay {
    fn new(board: &Board, ray: Ray) -> Self {
        let step = ray.step;
        let limit = u32::from(ray.limit);
        let sources =
            board.squares().filter(|&s| board.offset(s, step).is_some()).map(|s| 1 << s.index()).sum();
        let shift = -(i32::from(step.files) + i32::from(step.ranks) * board.files() as i32);
        CompiledRay {
            ray,
            lane: LaneStep { shift, sources, limit },
            axis: AxisStep { pairs: ordered_pairs(board, step), limit },
        }
    }
}

/// Every step on the board as source and target, those nearest to where the line leaves the board first.
fn ordered_pairs(board: &Board, step: Step) -> Vec<(u8, u8)> {
    let n_left = |s: Square| std::iter::successors(Some(s), |&s| board.offset(s, step)).count();
    let mut pairs: Vec<(Square, Square)> =
        board.squares().filter_map(|s| board.offset(s, step).map(|t| (s, t))).collect();
    pairs.sort_by_key(|&(s, _)| n_left(s));
    pairs.into_iter().map(|(s, t)| (s.index() as u8, t.index() as u8)).collect()
}

impl Image {
    fn new(layout: &Layout, symmetry: geometry::Symmetry) -> Self {
        let n = layout.n_squares();
        let fits = layout.group().contains(&symmetry);
        let to_canonical = layout.permutation(if fits { symmetry } else { geometry::Symmetry::IDENTITY });
        let n_outer = layout.free().len().saturating_sub(1);
        let row = |word: usize| -> u32 {
            let digit = |k: usize| word / n.pow((n_outer - 1 - k) as u32) % n;
            (0..n_outer).fold(0, |row, k| row * n + to_canonical[digit(k)] as usize) as u32
        };
        // Bit y as it stands is bit σ(y) of the canonical word, so canonical words go through σ taken back.
        let mut undone = vec![0; n];
        (0..n).for_each(|y| undone[to_canonical[y] as usize] = y as u8);
        let lane = if layout.free().is_empty() {
            LanePermutation::Identity
        } else {
            LanePermutation::from_map(&undone)
        };
        Image {
            rows: (0..layout.words_per_block()).map(row).collect(),
            lane,
            identity: symmetry == geometry::Symmetry::IDENTITY || !fits,
        }
    }
}

fn collect_frame_moves(
    layout: &Layout,
    man: &CompiledMan,
    place: usize,
    block: usize,
    moves: &mut Vec<FrameMove>,
) {
    let board = layout.board();
    let squares = layout.frame_squares(block);
    let other = (layout.frame().len() > 1).then(|| squares[1 - place]);
    for CompiledRay { ray, .. } in &man.rays {
        let (mut at, mut path) = (squares[place], 0);
        for _ in 0..ray.limit {
            let Some(target) = board.offset(at, ray.step) else { break };
            // The other frame man is royal: it is in the way, and never captured.
            if Some(target) == other {
                break;
            }
            let mut moved = squares;
            moved[place] = target;
            if let Some(neighbour) = layout.neighbour(moved) {
                moves.push(FrameMove {
                    block: neighbour.block as u32,
                    image: neighbour.symmetry.index() as u8,
                    target: target.index() as u8,
                    path,
                    quiet: ray.quiet,
                    capture: ray.capture,
                });
            }
            path |= 1 << target.index();
            at = target;
        }
    }
}
