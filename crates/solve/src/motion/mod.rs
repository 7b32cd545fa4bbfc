//! Compiles movements for sets: each man's rays as walks that the kernels take back and as attacks square by
//! square, and a frame man's moves as neighbour blocks.
//!
//! Everything here depends on the layout alone and is made once a table.

use geometry::{Board, Square, SquareSet, Symmetry};
use index::{BlockId, Layout};
use kernel::{Hurdle, Image, LanePermutation, Neighbour, Walk, Word};
use piece::{Movement, Ray, RayPath};
use variant::{Man, PawnRules, Side, Variant};

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

    /// The places of a side's royal men.
    pub(crate) fn royals(&self, side: Side) -> impl Iterator<Item = usize> + '_ {
        (0..self.men.len()).filter(move |&i| self.men[i].royal && self.men[i].man.side == side)
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

/// The rays of a man by what may stand on their targets.
#[derive(Debug)]
pub(crate) struct Walks<W> {
    /// No man or an enemy.
    pub(crate) any: Vec<Walk<W>>,
    /// No man.
    pub(crate) quiet: Vec<Walk<W>>,
    /// An enemy.
    pub(crate) capture: Vec<Walk<W>>,
}

/// The other square of an attack, and what must be in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attack<W> {
    pub(crate) square: u8,
    pub(crate) between: Between<W>,
}

/// The movement of a man.
#[derive(Debug)]
pub(crate) struct CompiledMan<W> {
    pub(crate) man: Man,
    pub(crate) walks: Walks<W>,
    pub(crate) royal: bool,
    pub(crate) pawn: bool,
    pub(crate) movement: Movement,
    /// The rules of a pawn, turned round for Black; none of other men.
    pub(crate) pawn_rules: Option<PawnRules>,
    /// The squares on which the man may stand.
    pub(crate) zone: SquareSet,
    /// The squares on which its moves may end. `walks` lead to others, too; the lists of squares do not.
    pub(crate) region: SquareSet,
    /// By square: from where the man attacks it.
    pub(crate) attacks_on: Vec<Vec<Attack<W>>>,
    /// By square: what the man attacks from there.
    pub(crate) attacks_from: Vec<Vec<Attack<W>>>,
    /// By square: where the man may go from there without capturing.
    pub(crate) quiets_from: Vec<Vec<Attack<W>>>,
}

impl<W: Word> CompiledMan<W> {
    fn new(variant: &Variant, layout: &Layout, man: Man) -> Self {
        let board = layout.board();
        let mut walks = Walks { any: Vec::new(), quiet: Vec::new(), capture: Vec::new() };
        let n = layout.n_squares();
        let (mut attacks_on, mut attacks_from) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        let mut quiets_from = vec![Vec::new(); n];
        let (movement, region) = (variant.movement(man), variant.region(man));
        for ray in movement.rays() {
            let stages = ray.legs().map(|leg| (leg.step, leg.is_landing));
            let walk = Walk::new(board, stages, hurdle_of(ray));
            match (ray.quiet, ray.capture) {
                (true, true) => walks.any.push(walk),
                (true, false) => walks.quiet.push(walk),
                (false, _) => walks.capture.push(walk),
            }
            for from in board.squares() {
                for (to, between) in landings(board, ray, from, region) {
                    let there = Attack { square: to.index() as u8, between };
                    if ray.quiet {
                        quiets_from[from.index()].push(there);
                    }
                    if ray.capture {
                        attacks_on[to.index()].push(Attack { square: from.index() as u8, between });
                        attacks_from[from.index()].push(there);
                    }
                }
            }
        }
        let (royal, pawn) = (variant.is_royal_among(man, layout.men().iter().copied()), variant.is_pawn(man));
        let (pawn_rules, zone) = (variant.pawn_rules(man), variant.zone(man));
        CompiledMan {
            man,
            walks,
            royal,
            pawn,
            movement,
            pawn_rules,
            zone,
            region,
            attacks_on,
            attacks_from,
            quiets_from,
        }
    }
}

fn hurdle_of(ray: &Ray) -> Hurdle {
    match ray.path {
        RayPath::Cannon => Hurdle::OnTheWay,
        RayPath::Grasshopper => Hurdle::JustBefore,
        RayPath::Plain | RayPath::Lame | RayPath::CircularLeft | RayPath::CircularRight => Hurdle::None,
    }
}

/// Where a ray may land in a region from a square, each with what must be in between.
pub(crate) fn landings<W: Word>(
    board: &Board,
    ray: &Ray,
    from: Square,
    region: SquareSet,
) -> Vec<(Square, Between<W>)> {
    let hurdle = hurdle_of(ray);
    let mut landings = Vec::new();
    let (mut at, mut before, mut last) = (from, W::ZERO, W::ZERO);
    for leg in ray.legs() {
        let Some(to) = board.offset(at, leg.step).filter(|&to| to != from) else { break };
        let between = match hurdle {
            Hurdle::None => Between { empty: before | last, hurdle: W::ZERO },
            Hurdle::OnTheWay => Between { empty: W::ZERO, hurdle: before | last },
            Hurdle::JustBefore => Between { empty: before, hurdle: last },
        };
        let has_hurdle = hurdle == Hurdle::None || between.hurdle != W::ZERO;
        if leg.is_landing && has_hurdle && region.contains(to) {
            landings.push((to, between));
        }
        (before, last, at) = (before | last, W::bit(to.index()), to);
    }
    landings
}

/// One move of a frame man that depends on where the free men stand, and the block that it leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameMove<W> {
    pub(crate) neighbour: Neighbour,
    /// The square it goes to.
    pub(crate) target: u8,
    /// What must be in between.
    pub(crate) between: Between<W>,
    pub(crate) quiet: bool,
    pub(crate) capture: bool,
}

/// Where one frame man may go.
#[derive(Debug)]
struct FrameMoves<W> {
    /// Steps of one square that any target suits: they ask nothing of the free men.
    neighbours: ByBlock<Neighbour>,
    others: ByBlock<FrameMove<W>>,
    /// By block: the blocks from which a move leads there.
    origins: ByBlock<BlockId>,
    /// All blocks, those between which the man moves after each other.
    order: Vec<BlockId>,
}

impl<W: Word> FrameMoves<W> {
    fn new(variant: &Variant, layout: &Layout, man: Man, place: usize) -> Self {
        let (board, movement, region) = (layout.board(), variant.movement(man), variant.region(man));
        let of_ray = |ray, from| landings(board, ray, from, region).into_iter().map(move |to| (ray, to));
        let rays = movement.rays().iter();
        // There are many times as many blocks as squares.
        let landings: Vec<Vec<Landing<'_, W>>> = (0..layout.n_squares())
            .map(|from| rays.clone().flat_map(|ray| of_ray(ray, Square::from_index(from))).collect())
            .collect();
        let (mut neighbours, mut others) = (ByBlock::new(), ByBlock::new());
        let mut origins = vec![Vec::new(); layout.n_blocks()];
        for block in layout.blocks() {
            let moves = frame_moves(layout, &landings, place, block);
            for one in &moves {
                let origins: &mut Vec<BlockId> = &mut origins[one.neighbour.block as usize];
                if origins.last() != Some(&block) {
                    origins.push(block);
                }
            }
            let is_plain = |one: &FrameMove<W>| one.between.is_nothing() && one.quiet && one.capture;
            neighbours.push_block(moves.iter().filter(|one| is_plain(one)).map(|one| one.neighbour));
            others.push_block(moves.iter().filter(|one| !is_plain(one)).copied());
        }
        let mut origins_by_block = ByBlock::new();
        origins.into_iter().for_each(|origins| origins_by_block.push_block(origins));
        let mut order: Vec<BlockId> = layout.blocks().collect();
        order.sort_by_key(|&block| {
            let squares = layout.frame_squares(block);
            (squares[1 - place], squares[place])
        });
        FrameMoves { neighbours, others, origins: origins_by_block, order }
    }
}

/// A square to which a ray leads, and what must be in between.
type Landing<'r, W> = (&'r Ray, (Square, Between<W>));

/// The moves of the frame man at a place in a block; `landings` has by square where his rays lead.
fn frame_moves<W: Word>(
    layout: &Layout,
    landings: &[Vec<Landing<'_, W>>],
    place: usize,
    block: BlockId,
) -> Vec<FrameMove<W>> {
    let squares = layout.frame_squares(block);
    let other = (layout.frame().len() > 1).then(|| squares[1 - place]);
    let others = other.map_or(W::ZERO, |square| W::bit(square.index()));
    let mut moves = Vec::new();
    for &(ray, (target, between)) in &landings[squares[place].index()] {
        // The other frame man is royal or of the same side: he may be in the way or jumped over, and is
        // never captured.
        let Some(between) = between.given(others).filter(|_| Some(target) != other) else { continue };
        let mut moved = squares;
        moved[place] = target;
        if let Some(neighbour) = layout.neighbour(moved) {
            moves.push(FrameMove {
                neighbour: Neighbour {
                    block: neighbour.block.into(),
                    image: neighbour.symmetry.index() as u8,
                },
                target: target.index() as u8,
                between,
                quiet: ray.quiet,
                capture: ray.capture,
            });
        }
    }
    moves
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
    fn of(&self, block: BlockId) -> &[T] {
        let block = block.index();
        &self.entries[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}

/// What must stand between the squares that a move leads from and to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Between<W> {
    /// Squares that must be empty.
    pub(crate) empty: W,
    /// Squares on which one man must stand and no more; none if nothing is jumped over.
    pub(crate) hurdle: W,
}

impl<W: Word> Between<W> {
    /// Between neighbours: nothing.
    pub(crate) const NOTHING: Between<W> = Between { empty: W::ZERO, hurdle: W::ZERO };

    /// Whether there is nothing to be asked.
    #[inline]
    pub(crate) fn is_nothing(&self) -> bool {
        *self == Between::NOTHING
    }

    /// What the move still asks once some men stand on `taken`; none if these make it impossible.
    #[inline]
    pub(crate) fn given(self, taken: W) -> Option<Between<W>> {
        if self.empty & taken != W::ZERO {
            return None;
        }
        match (self.hurdle & taken).n_bits() {
            0 => Some(self),
            1 => Some(Between { empty: self.empty | (self.hurdle & !taken), hurdle: W::ZERO }),
            _ => None,
        }
    }

    /// Whether the move is possible when exactly the squares of `taken` have men.
    #[inline]
    pub(crate) fn allows(self, taken: W) -> bool {
        self.given(taken).is_some_and(|left| left.hurdle == W::ZERO)
    }

    /// The squares on which one more man, beside those on `taken`, makes or leaves the move possible.
    #[inline]
    pub(crate) fn mask(self, taken: W) -> W {
        match self.given(taken) {
            None => W::ZERO,
            Some(left) if left.hurdle == W::ZERO => !left.empty,
            Some(left) => left.hurdle & !left.empty,
        }
    }
}

#[cfg(test)]
mod tests;
