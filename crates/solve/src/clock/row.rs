//! Lists where the moves of one side lead from the placements of a row: for the kernel that finds the best of
//! them.

use crate::ground::{Ground, WordSquares};
use crate::motion::{Between, landings};
use geometry::{Board, Square, SquareSet, Symmetry};
use index::{BlockId, Layout};
use kernel::{LaneStage, OtherRow, RowMoves, RowStage, Word, Worth};
use piece::{Ray, RayPath};
use variant::{Pass, Side};

/// What a move does on the square that it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Quiet,
    Capture,
}

/// The moves of one side's mobile men in a slice: those of one kind.
#[derive(Debug)]
pub(super) struct SideMoves<'a, W, T, const N: usize> {
    ground: &'a Ground<'a, W>,
    kind: Kind,
    /// Places in the frame.
    frame: Vec<usize>,
    /// The free men but the lane man, each with how many words lie between neighbouring squares of his.
    walkers: Vec<Walker<W>>,
    /// By square of the lane man: where hurdles and joined files let him go.
    jumps: Vec<Vec<(u8, Between<W>)>>,
    /// His other ways.
    lane: Vec<Vec<LaneStage<T, N>>>,
    /// Whether the side may pass.
    passes: bool,
    /// By symmetry: where each square of a row is kept.
    images: Vec<[u8; N]>,
    /// By square: all bits on all others.
    others_of: Vec<[T; N]>,
    /// By byte of a word: all bits for each of its bits.
    spread: Vec<[T; 8]>,
}

/// A free man whose square is known in a word.
#[derive(Debug)]
struct Walker<W> {
    man: usize,
    stride: usize,
    /// By square: his ways, each square with whether he may stop there, the last one first.
    ways: Vec<Vec<Vec<(u8, bool)>>>,
    /// By square: where hurdles let him go.
    jumps: Vec<Vec<(u8, Between<W>)>>,
    /// By square: from where he comes there, if nothing is in between.
    origins: Vec<Vec<u8>>,
}

/// A row, and what is known of its placements.
#[derive(Debug)]
pub(super) struct RowPlace<W> {
    row: usize,
    block: BlockId,
    /// The place in the block.
    word: usize,
    known: WordSquares<W>,
}

impl<W: Word> RowPlace<W> {
    pub(super) fn new(ground: &Ground<'_, W>, row: usize) -> Self {
        let n = ground.words_per_block();
        let (block, word) = (BlockId::from_index(row / n), row % n);
        RowPlace { row, block, word, known: ground.word(block, word) }
    }
}

/// Room for what is listed of a row.
#[derive(Debug)]
pub(super) struct RowRoom<T, const N: usize> {
    stages: Vec<RowStage>,
    others: Vec<OtherRow<T, N>>,
}

impl<T, const N: usize> Default for RowRoom<T, N> {
    fn default() -> Self {
        RowRoom { stages: Vec::new(), others: Vec::new() }
    }
}

impl<'a, W: Word, T: Worth, const N: usize> SideMoves<'a, W, T, N> {
    pub(super) fn new(ground: &'a Ground<'a, W>, side: Side, kind: Kind) -> Self {
        let (layout, motion) = (ground.layout, ground.motion);
        let n = layout.n_squares();
        let own = |man: usize| layout.men()[man].side == side;
        let (board, free) = (layout.board(), ground.free());
        let is_plain = |path: RayPath| matches!(path, RayPath::Plain | RayPath::Lame) && !board.is_cylinder();
        let region = |man: usize| motion.men[man].region;
        let of_kind = |man: usize| {
            let rays = motion.men[man].movement.rays().iter().copied();
            rays.filter(move |ray| if kind == Kind::Quiet { ray.quiet } else { ray.capture })
        };
        let walker = |(place, &man): (usize, &usize)| {
            let stride = n.pow((free.len() - 2 - place) as u32);
            let (mut ways, mut jumps) = (vec![Vec::new(); n], vec![Vec::new(); n]);
            for ray in of_kind(man) {
                for from in board.squares() {
                    if ray.is_hopper() {
                        jumps[from.index()].extend(jumps_of(board, &ray, from, region(man)));
                        continue;
                    }
                    ways[from.index()].push(way_of(board, &ray, from, region(man)));
                }
            }
            let mut origins = vec![Vec::new(); n];
            for (from, (ways, jumps)) in ways.iter().zip(&jumps).enumerate() {
                let landings = ways.iter().flatten().filter(|(_, lands)| *lands).map(|(to, _)| *to);
                landings
                    .chain(jumps.iter().map(|(to, _)| *to))
                    .for_each(|to| origins[usize::from(to)].push(from as u8));
            }
            Walker { man, stride, ways, jumps, origins }
        };
        let known = free.iter().take(free.len().saturating_sub(1)).enumerate();
        let walkers = known.filter(|&(_, &man)| own(man)).map(walker).collect();
        let (mut lane, mut jumps) = (Vec::new(), vec![Vec::new(); n]);
        let lane_man = ground.lane().filter(|&man| own(man));
        let lane_region = lane_man.map_or(board.all(), region);
        for ray in lane_man.into_iter().flat_map(of_kind) {
            if !is_plain(ray.path) || lane_region != board.all() {
                board.squares().for_each(|s| jumps[s.index()].extend(jumps_of(board, &ray, s, lane_region)));
                continue;
            }
            let n_stages =
                board.squares().map(|from| way_of(board, &ray, from, board.all()).len()).max().unwrap_or(0);
            let stage = |leg: piece::Leg| {
                let by = leg.step.files as isize + leg.step.ranks as isize * board.files() as isize;
                let mut sources = [T::default(); N];
                for from in board.squares().filter(|&from| board.offset(from, leg.step).is_some()) {
                    sources[from.index()] = T::MATE;
                }
                LaneStage { by, sources, lands: leg.is_landing }
            };
            lane.push(ray.legs().take(n_stages).map(stage).collect());
        }
        let images = (0..motion.images.len()).map(|image| squares_of(layout, image)).collect();
        let all =
            |bits: usize| std::array::from_fn(|i| if bits >> i & 1 == 1 { T::MATE } else { T::default() });
        let frame = ground.frame().iter().enumerate();
        SideMoves {
            ground,
            kind,
            frame: frame.filter(|&(_, &man)| own(man)).map(|(place, _)| place).collect(),
            walkers,
            jumps,
            lane,
            passes: ground.law.pass != Pass::Never,
            images,
            others_of: (0..n)
                .map(|s| std::array::from_fn(|i| if i == s { T::default() } else { T::MATE }))
                .collect(),
            spread: (0..256).map(all).collect(),
        }
    }

    /// A row with all bits wherever a word has a bit.
    pub(super) fn spread(&self, word: W) -> [T; N] {
        let mut row = [T::default(); N];
        for (bytes, half) in row.chunks_exact_mut(64).zip(0..) {
            let bytes = bytes.chunks_exact_mut(8).zip(word.half(half).to_le_bytes());
            bytes.for_each(|(eight, byte)| eight.copy_from_slice(&self.spread[usize::from(byte)]));
        }
        row
    }

    /// Lists the rows that moves lead to from a row.
    pub(super) fn list(&self, at: &RowPlace<W>, room: &mut RowRoom<T, N>) {
        let &RowPlace { block, word, ref known, .. } = at;
        let ground = self.ground;
        let n_words = ground.words_per_block();
        room.stages.clear();
        room.others.clear();
        for walker in &self.walkers {
            let from = known.squares[walker.man].index();
            let row = |to: u8| (at.row + usize::from(to) * walker.stride - from * walker.stride) as u32;
            let taken = known.taken & !W::bit(from);
            for way in &walker.ways[from] {
                let stop = way.iter().position(|&(to, _)| taken.has(to.into()));
                let n_stages = stop.map_or(way.len(), |stop| stop + 1);
                for (place, &(square, lands)) in way[..n_stages].iter().enumerate().rev() {
                    let stage = RowStage { row: row(square), square, lands, begins: place + 1 == n_stages };
                    room.stages.push(stage);
                }
            }
            for &(to, between) in &walker.jumps[from] {
                if let Some(mask) = self.mask(between, taken) {
                    room.others.push(OtherRow { row: row(to), image: None, mask: Some(mask) });
                }
            }
        }
        let (motion, row_len) = (ground.motion, ground.row_len());
        for &place in &self.frame {
            let mut add = |neighbour: kernel::Neighbour, mask| {
                let image = &motion.images[usize::from(neighbour.image)];
                let kept = match image.is_identity {
                    true => word,
                    false => {
                        let kept = usize::from(image.words[word % row_len]);
                        image.rows[word / row_len] as usize * row_len + kept
                    }
                };
                let row = BlockId::from(neighbour.block).span(n_words).start + kept;
                let image = (!image.is_identity).then_some(neighbour.image);
                room.others.push(OtherRow { row: row as u32, image, mask });
            };
            motion.neighbours(place, block).iter().for_each(|&neighbour| add(neighbour, None));
            let from = ground.layout.frame_squares(block)[place];
            let taken = known.taken & !W::bit(from.index());
            for one in motion.other_moves(place, block) {
                if !(if self.kind == Kind::Quiet { one.quiet } else { one.capture }) {
                    continue;
                }
                if let Some(mask) = self.mask(one.between, taken) {
                    add(one.neighbour, Some(mask));
                }
            }
        }
    }

    /// Calls `visit` with each row from which a move may lead to a row, whatever is in between.
    pub(super) fn for_each_origin(&self, at: &RowPlace<W>, mut visit: impl FnMut(usize)) {
        let &RowPlace { row, block, word, ref known } = at;
        let (ground, motion) = (self.ground, self.ground.motion);
        let (n_words, row_len) = (ground.words_per_block(), ground.row_len());
        if !self.lane.is_empty() || !self.jumps.iter().all(Vec::is_empty) || self.passes {
            visit(row);
        }
        for walker in &self.walkers {
            let to = known.squares[walker.man].index();
            let first = row - to * walker.stride;
            walker.origins[to].iter().for_each(|&from| visit(first + usize::from(from) * walker.stride));
        }
        for &place in &self.frame {
            for &origin in motion.origins(place, block) {
                let others = motion.other_moves(place, origin).iter().map(|other| other.neighbour);
                let neighbours = motion.neighbours(place, origin).iter().copied().chain(others);
                for neighbour in neighbours.filter(|neighbour| neighbour.block as usize == block.index()) {
                    let undone = &motion.undone[usize::from(neighbour.image)];
                    let is_same = motion.images[usize::from(neighbour.image)].is_identity;
                    let word = match is_same {
                        true => word,
                        false => {
                            let at = usize::from(undone.words[word % row_len]);
                            undone.rows[word / row_len] as usize * row_len + at
                        }
                    };
                    visit(origin.span(n_words).start + word);
                }
            }
        }
    }

    /// Where the lane man lets a move be possible; none if it never is.
    fn mask(&self, between: Between<W>, taken: W) -> Option<[T; N]> {
        let mask = match self.ground.lane() {
            Some(_) => between.mask(taken),
            None => W::when(between.allows(taken)),
        };
        (mask != W::ZERO).then(|| self.spread(mask))
    }

    /// Makes each worth of a row that of the best of the moves that were listed, if one is better.
    pub(super) fn join(&self, source: &[[T; N]], at: &RowPlace<W>, room: &RowRoom<T, N>, best: &mut [T; N]) {
        let &RowPlace { row, ref known, .. } = at;
        let free = self.ground.lane_mask & !known.taken;
        let moves = RowMoves {
            source,
            row,
            free: self.spread(free),
            lane: &self.lane,
            stages: &room.stages,
            others_of: &self.others_of,
            others: &room.others,
            images: &self.images,
        };
        moves.join(best);
        if self.jumps.iter().all(Vec::is_empty) {
            return;
        }
        for from in free.bits() {
            for &(to, between) in &self.jumps[from] {
                if between.allows(known.taken) {
                    best[from] = best[from].max(source[row][usize::from(to)]);
                }
            }
        }
    }
}

/// The squares of a way, each with whether a man of this region may stop there.
fn way_of(board: &Board, ray: &Ray, from: Square, region: SquareSet) -> Vec<(u8, bool)> {
    let (mut at, mut way) = (from, Vec::new());
    for leg in ray.legs() {
        let Some(to) = board.offset(at, leg.step).filter(|&to| to != from) else { break };
        way.push((to.index() as u8, leg.is_landing && region.contains(to)));
        at = to;
    }
    way
}

/// The squares of a region to which a ray leads, and what must be in between.
fn jumps_of<W: Word>(board: &Board, ray: &Ray, from: Square, region: SquareSet) -> Vec<(u8, Between<W>)> {
    landings(board, ray, from, region).into_iter().map(|(to, between)| (to.index() as u8, between)).collect()
}

/// Where each square of a row as it stands is kept under a symmetry.
fn squares_of<const N: usize>(layout: &Layout, image: usize) -> [u8; N] {
    let symmetry = Symmetry::from_index(image);
    let fits = layout.group().contains(&symmetry);
    let to_canonical = layout.permutation(if fits { symmetry } else { Symmetry::IDENTITY });
    std::array::from_fn(
        |square| if square < layout.n_squares() { to_canonical[square] } else { square as u8 },
    )
}
