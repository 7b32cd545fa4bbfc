//! Movements compiled for sets: each man's rays as walks that the kernels take back, and a frame man's moves as
//! neighbour blocks.
//!
//! Everything here depends on the layout alone and is made once a table.

use geometry::{Square, Symmetry};
use index::Layout;
use kernel::{Image, LanePermutation, Neighbour, Walk};
use piece::Ray;
use variant::{Man, Variant};

/// The rays of a man by what may stand on their targets.
#[derive(Debug, Default)]
pub(crate) struct Walks {
    /// Nobody or an enemy.
    pub(crate) any: Vec<Walk>,
    /// Nobody.
    pub(crate) quiet: Vec<Walk>,
    /// An enemy.
    pub(crate) capture: Vec<Walk>,
}

/// The other square of an attack, and the squares in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attack {
    pub(crate) square: u8,
    pub(crate) path: u64,
}

/// The movement of a man.
#[derive(Debug)]
pub(crate) struct CompiledMan {
    pub(crate) man: Man,
    pub(crate) walks: Walks,
    pub(crate) royal: bool,
    pub(crate) pawn: bool,
    /// By square: from where the man attacks it.
    pub(crate) attacks_on: Vec<Vec<Attack>>,
    /// By square: what the man attacks from there.
    pub(crate) attacks_from: Vec<Vec<Attack>>,
}

/// One move of a frame man that depends on where the free men stand, and the block that it leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameMove {
    pub(crate) neighbour: Neighbour,
    /// The square it goes to.
    pub(crate) target: u8,
    /// The squares that must be free of other men.
    pub(crate) path: u64,
    pub(crate) quiet: bool,
    pub(crate) capture: bool,
}

/// Lists, one for each block.
#[derive(Debug)]
struct ByBlock<T> {
    entries: Vec<T>,
    starts: Vec<u32>,
}

impl<T: Copy> ByBlock<T> {
    fn new() -> Self {
        ByBlock { entries: Vec::new(), starts: vec![0] }
    }

    fn push_block(&mut self, entries: impl IntoIterator<Item = T>) {
        self.entries.extend(entries);
        self.starts.push(self.entries.len() as u32);
    }

    #[inline]
    fn of(&self, block: usize) -> &[T] {
        &self.entries[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}

/// Where one frame man may go.
#[derive(Debug)]
struct FrameMoves {
    /// Steps of one square that any target suits: they ask nothing of the free men.
    neighbours: ByBlock<Neighbour>,
    others: ByBlock<FrameMove>,
    /// By block: the blocks from which a move leads there.
    origins: ByBlock<u32>,
    /// All blocks, those between which the man moves after each other.
    order: Vec<u32>,
}

/// The movements of all men of a layout.
#[derive(Debug)]
pub(crate) struct Motion {
    /// In the order of the layout's men.
    pub(crate) men: Vec<CompiledMan>,
    /// By symmetry.
    pub(crate) images: Vec<Image>,
    /// By place in the frame.
    frame: Vec<FrameMoves>,
}

impl Motion {
    pub(crate) fn new(variant: &Variant, layout: &Layout) -> Self {
        let men: Vec<CompiledMan> =
            layout.men().iter().map(|&man| CompiledMan::new(variant, layout, man)).collect();
        let images = (0..8).map(|i| image(layout, Symmetry::from_index(i))).collect();
        let frame = layout.frame().iter().enumerate();
        let frame = frame.map(|(place, &man)| FrameMoves::new(variant, layout, men[man].man, place));
        let frame = frame.collect();
        Motion { men, images, frame }
    }

    /// The blocks to which the frame man at this place of the frame moves from a block, whatever the free men do.
    #[inline]
    pub(crate) fn neighbours(&self, place: usize, block: usize) -> &[Neighbour] {
        self.frame[place].neighbours.of(block)
    }

    /// Its other moves.
    #[inline]
    pub(crate) fn other_moves(&self, place: usize, block: usize) -> &[FrameMove] {
        self.frame[place].others.of(block)
    }

    /// All blocks, those between which the frame man at this place moves after each other.
    pub(crate) fn order(&self, place: usize) -> &[u32] {
        self.frame.get(place).map_or(&[], |frame| &frame.order)
    }

    /// The blocks from which it moves to a block.
    #[inline]
    pub(crate) fn origins(&self, place: usize, block: usize) -> &[u32] {
        self.frame[place].origins.of(block)
    }
}

impl CompiledMan {
    fn new(variant: &Variant, layout: &Layout, man: Man) -> Self {
        let board = layout.board();
        let mut walks = Walks::default();
        let n = layout.n_squares();
        let (mut attacks_on, mut attacks_from) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for ray in variant.movement(man).rays() {
            let step = (i32::from(ray.step.files), i32::from(ray.step.ranks));
            let walk = Walk::new((board.files(), board.ranks()), step, u32::from(ray.limit));
            match (ray.quiet, ray.capture) {
                (true, true) => walks.any.push(walk),
                (true, false) => walks.quiet.push(walk),
                (false, _) => walks.capture.push(walk),
            }
            for from in board.squares().filter(|_| ray.capture) {
                let (mut at, mut path) = (from, 0);
                for _ in 0..ray.limit {
                    let Some(target) = board.offset(at, ray.step) else { break };
                    attacks_on[target.index()].push(Attack { square: from.index() as u8, path });
                    attacks_from[from.index()].push(Attack { square: target.index() as u8, path });
                    path |= 1 << target.index();
                    at = target;
                }
            }
        }
        let (royal, pawn) = (variant.is_royal(man), variant.is_pawn(man));
        CompiledMan { man, walks, royal, pawn, attacks_on, attacks_from }
    }
}

impl FrameMoves {
    fn new(variant: &Variant, layout: &Layout, man: Man, place: usize) -> Self {
        let n_blocks = layout.n_blocks();
        let movement = variant.movement(man);
        let rays = movement.rays();
        let (mut neighbours, mut others) = (ByBlock::new(), ByBlock::new());
        let mut origins = vec![Vec::new(); n_blocks];
        for block in 0..n_blocks {
            let moves = frame_moves(layout, rays, place, block);
            for one in &moves {
                let origins: &mut Vec<u32> = &mut origins[one.neighbour.block as usize];
                if origins.last() != Some(&(block as u32)) {
                    origins.push(block as u32);
                }
            }
            let is_plain = |one: &FrameMove| one.path == 0 && one.quiet && one.capture;
            neighbours.push_block(moves.iter().filter(|one| is_plain(one)).map(|one| one.neighbour));
            others.push_block(moves.iter().filter(|one| !is_plain(one)).copied());
        }
        let mut origins_by_block = ByBlock::new();
        origins.into_iter().for_each(|origins| origins_by_block.push_block(origins));
        let mut order: Vec<u32> = (0..n_blocks as u32).collect();
        order.sort_by_key(|&block| {
            let squares = layout.frame_squares(block as usize);
            (squares[1 - place], squares[place])
        });
        FrameMoves { neighbours, others, origins: origins_by_block, order }
    }
}

/// How a canonical block is read as it stands under a symmetry.
fn image(layout: &Layout, symmetry: Symmetry) -> Image {
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

fn frame_moves(layout: &Layout, rays: &[Ray], place: usize, block: usize) -> Vec<FrameMove> {
    let board = layout.board();
    let squares = layout.frame_squares(block);
    let other = (layout.frame().len() > 1).then(|| squares[1 - place]);
    let mut moves = Vec::new();
    for ray in rays {
        let (mut at, mut path) = (squares[place], 0);
        for _ in 0..ray.limit {
            let Some(target): Option<Square> = board.offset(at, ray.step) else { break };
            // The other frame man is royal: it is in the way, and never captured.
            if Some(target) == other {
                break;
            }
            let mut moved = squares;
            moved[place] = target;
            if let Some(neighbour) = layout.neighbour(moved) {
                moves.push(FrameMove {
                    neighbour: Neighbour {
                        block: neighbour.block as u32,
                        image: neighbour.symmetry.index() as u8,
                    },
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
    moves
}
